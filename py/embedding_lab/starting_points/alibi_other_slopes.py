"""ALiBi with other slopes

A bias is added to the attention scores before the softmax: here, as in ALiBi, a penalty for each character of distance.
The paper gives the heads the slopes 2^(-8/heads), 2^(-16/heads) and so on. These are steeper: the first head loses
1 a character and sees little but its neighbours, the last one sees far.
"""

import numpy as np

from embedding_lab.positions import PositionalEncoding

SMALLEST = 1 / 16  # the slope of the last head


class ALiBiOtherSlopes(PositionalEncoding):
    name = "ALiBi steep"

    def bias(self, length, heads):
        slope = SMALLEST ** (np.arange(heads) / max(1, heads - 1))  # (heads,), from 1 down to SMALLEST
        position = np.arange(length)
        distance = np.abs(position[:, None] - position[None, :])  # (length, length)
        return -slope[:, None, None] * distance  # (heads, length, length)
