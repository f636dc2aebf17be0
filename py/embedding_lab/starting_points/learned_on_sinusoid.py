"""A learned table that starts as a sinusoid

`Trainable` marks the table as a parameter: training starts from the sinusoid and moves every number of it. So the model
has the order of positions from the first step, and is not bound to it. Like every learned table it ends at the
context: nothing was learned for later positions.
"""

import numpy as np

from embedding_lab.positions import PositionalEncoding, Sinusoidal, Trainable

AMPLITUDE = 0.05


class LearnedOnSinusoid(PositionalEncoding):
    name = "learned on sinusoid"

    def table(self, length, d):
        return Trainable(start=Sinusoidal(AMPLITUDE).table(length, d), noise=0.005)
