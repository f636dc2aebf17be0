"""Position as a binary number

Column k of the table holds bit k of the position: the first column changes at every step, the next at every second
one, and so on. Six bits tell 64 positions apart; the columns after the last bit stay 0. A sinusoid does the same
smoothly: it too has fast and slow columns.
"""

import numpy as np

from embedding_lab.positions import PositionalEncoding

AMPLITUDE = 0.2  # of the few columns that are not 0; with 0.05 the model hardly sees them in 500 steps


class BinaryCounter(PositionalEncoding):
    name = "binary counter"

    def table(self, length, d):
        position = np.arange(length)[:, None]  # (length, 1)
        bit = np.arange(d)  # (d,)
        bits = np.where(bit < 16, position >> np.minimum(bit, 16) & 1, 0)  # (length, d), each 0 or 1
        return AMPLITUDE * bits
