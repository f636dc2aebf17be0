"""What the tests of a reader's own encoding share: its code, and runs with it."""

from embedding_lab import own_encoding, worker
from embedding_lab.config import OWN
from embedding_lab.own_encoding import starting_points

SMALL = {"d": 8, "heads": 2, "context": 8, "batch": 4, "steps": 20}
TEXT = "The quick brown Fox 9 jumps over the lazy dog.\n" * 40
POINTS = {point["file"].removesuffix(".py"): point for point in starting_points()}

HEAD = "import numpy as np\nfrom embedding_lab.positions import PositionalEncoding, Trainable\n"

# How a method begins, on lines 4 and 5 of its code.
TABLE = "def table(self, length, d):\n    "
AGAIN = "count = 0\ndef table(self, length, d):\n    self.count += 1\n    "
VALUE = "def table(self, length, d):\n    return Trainable(np.ones(d), 0, "

# Parameters of other shapes than what is added: a table of d waves with trained amplitudes, and KERPLE's logarithm.
COMPUTED = """
class Computed(PositionalEncoding):
    name = "computed"
    def table(self, length, d):
        waves = np.sin(np.outer(np.arange(length), 1 / np.arange(1, d + 1)))
        return Trainable(np.full(d, 0.1), 0.02, lambda p: waves * p**2, lambda p, dvalue: 2 * p * (waves * dvalue).sum(axis=0))
    def bias(self, length, heads):
        place = np.arange(length)
        distance = np.maximum(place[:, None] - place, 0)
        def value(p):
            a, b = np.exp(p)[:, :, None, None]
            return -a * np.log(1 + b * distance)
        def gradient(p, dvalue):
            a, b = np.exp(p)[:, :, None, None]
            by_a, by_b = -np.log(1 + b * distance), -a * distance / (1 + b * distance)
            return np.stack([(a * by_a * dvalue).sum(axis=(1, 2)), (b * by_b * dvalue).sum(axis=(1, 2))])
        return Trainable(np.zeros((2, heads)), 0.3, value, gradient)
"""

# One number is all that is trained: the slope of a penalty on distance.
ONE_NUMBER = """
class OneNumber(PositionalEncoding):
    name = "one number"
    def bias(self, length, heads):
        place = np.arange(length)
        distance = np.broadcast_to(np.maximum(place[:, None] - place, 0), (heads, length, length))
        return Trainable(np.array(-0.1), 0.02, lambda p: p * distance, lambda p, dvalue: (distance * dvalue).sum())
"""

# One number for each head, which is added everywhere, also where the mask hides it.
SUMS = """
class Sums(PositionalEncoding):
    def bias(self, length, heads):
        everywhere = np.ones((length, length))
        return Trainable(np.zeros(heads), 0, lambda p: p[:, None, None] * everywhere, lambda p, dvalue: dvalue.sum(axis=(1, 2)))
"""


def mine(body):
    """The code of a class whose methods these are; the first line of them is line 4."""
    return f"{HEAD}class Mine(PositionalEncoding):\n" + "".join(f"    {line}\n" for line in body.splitlines())


def opened(code, **config):
    name = own_encoding.load(code).name
    return worker.open_run("a", {**SMALL, "encoding": OWN + name, **config}, TEXT, None, None, None, code)
