"""One-hot positions, folded into d columns

A one-hot vector of position needs as many columns as there are positions, and here there are only d. So the line is
folded: position p goes to column p mod d, and each further fold is half as large as the one before. The first d
positions are exactly at right angles; a later one shares its direction with an earlier one and differs in size alone.
With a d from the context on nothing is folded. Set d to half of the context and see what that costs: after 500 steps
such a run is worse than one without position.
"""

import numpy as np

from embedding_lab.positions import PositionalEncoding

AMPLITUDE = 0.8  # of one column alone; with 0.2 the model hardly sees it in 500 steps


class SqueezedOneHot(PositionalEncoding):
    name = "squeezed one-hot"

    def table(self, length, d):
        position = np.arange(length)
        table = np.zeros((length, d))
        table[position, position % d] = AMPLITUDE / 2.0 ** (position // d)
        return table
