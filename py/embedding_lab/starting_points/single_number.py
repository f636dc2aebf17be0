"""Position as a single number

The simplest idea: one column of the table counts, the others stay 0. In a short context that works better than one may
expect. But the number has no bound, and each LayerNorm rescales the whole vector: far out the count outweighs the
character, and past the training length it is larger than any that was seen.
"""

import numpy as np

from embedding_lab.positions import PositionalEncoding

STEP = 0.01  # how much each position adds; E starts at a standard deviation of 0.02


class SingleNumber(PositionalEncoding):
    name = "single number"

    def table(self, length, d):
        table = np.zeros((length, d))
        table[:, 0] = STEP * np.arange(length)
        return table
