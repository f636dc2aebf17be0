"""RoPE on half of the dimensions

RoPE turns each pair of numbers of the queries and keys by an angle that grows with position. Here half of the pairs
are turned, and the others by an angle of 0, which is not at all: those compare what the characters are, wherever they
stand. GPT-J and GPT-NeoX turn only a part, too.
"""

import numpy as np

from embedding_lab.positions import PositionalEncoding

BASE = 10_000


class RoPEOnHalf(PositionalEncoding):
    name = "RoPE on half"

    def rotation(self, length, head_dim):
        if head_dim % 2:
            raise ValueError(f"pairs need an even head size, not {head_dim}: change d or heads")
        pairs = head_dim // 2
        turned = (pairs + 1) // 2  # at least one
        frequency = np.zeros(pairs)
        frequency[:turned] = BASE ** (-np.arange(turned) / turned)
        angle = np.arange(length)[:, None] * frequency  # (length, head_dim/2)
        return np.cos(angle), np.sin(angle)
