"""A sinusoid of another base

The wavelengths of the sinusoid go from 2π to 2π times its base. The paper's base of 10,000 is meant for texts of
thousands of positions: within a context of 32, most of its columns hardly move. A base of 100 spends more of the d
columns on distances that occur.
"""

import numpy as np

from embedding_lab.positions import PositionalEncoding

AMPLITUDE = 0.05
BASE = 100  # the paper: 10,000 (Vaswani et al. 2017, section 3.5)


class SinusoidOtherBase(PositionalEncoding):
    name = "sinusoid base 100"

    def table(self, length, d):
        position = np.arange(length)[:, None]  # (length, 1)
        pair = np.arange(0, d, 2)  # (d/2,) rounded up: an odd d ends on a sine
        angle = position / BASE ** (pair / d)  # (length, d/2)
        table = np.zeros((length, d))
        table[:, 0::2] = np.sin(angle)
        table[:, 1::2] = np.cos(angle[:, : d // 2])
        return AMPLITUDE * table
