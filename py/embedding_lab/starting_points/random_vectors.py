"""A random vector for each position

Nothing is learned and nothing is smooth: each position has a fixed vector that was drawn once. In d dimensions random
vectors are almost at right angles to each other, which is enough to tell positions apart. But neighbours are as
different as strangers: what is learned at one position helps no other. Learning is so slow that after 500 steps such a
run is no better than one without position.
"""

import numpy as np

from embedding_lab.positions import PositionalEncoding

AMPLITUDE = 0.05


class RandomVectors(PositionalEncoding):
    name = "random vectors"

    def table(self, length, d):
        # A fixed seed: the same vectors each time, and those of the first positions whatever the length.
        random = np.random.default_rng(0)
        return AMPLITUDE * random.normal(size=(length, d))
