"""The positional encodings: what each paper proposes, as one small class.

Attention sees a set of characters, not a sequence: on its own it cannot tell their order. An
encoding supplies position in one of three places, and the model knows no encoding by name:

    table(length, d)           (length, d)              added to the token embeddings
    rotation(length, head_dim) two (length, head_dim/2) turns the queries and the keys
    bias(length, heads)        (heads, length, length)  added to the attention scores

Each method returns None where an encoding has nothing to say. An array wrapped in `Trainable` is
where training starts from; any other array stays as it is.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .config import OWN


class PositionError(ValueError):
    """An encoding that is not defined for what was asked, or that returned something unusable."""


@dataclass(frozen=True)
class Trainable:
    """Marks an array of an encoding as a parameter of the model.

    By default the parameter itself is what is added, so it has the shape that the method returns. With `value` and
    `gradient` it may have any shape, and what is added is computed from it at every step: as T5's buckets, KERPLE and
    FIRE need it.

    At another length than the context, the model takes of its parameter the first entries along each axis, as many as
    `start` has there; where it has more, nothing was learned for them.

    Attributes:
        start: the parameter before the first step.
        noise: standard deviation of the seeded normal noise that the model adds to it.
        value: takes the parameter, and returns what is added.
        gradient: takes the parameter and the gradient of what is added, summed over the batch and all blocks, and
            returns the gradient of the parameter.

    Raises:
        PositionError: there is one of `value` and `gradient` without the other.
    """

    start: np.ndarray
    noise: float = 0.0
    value: Callable[[np.ndarray], np.ndarray] | None = None
    gradient: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None

    def __post_init__(self):
        if (self.value is None) != (self.gradient is None):
            given, missing = ("value", "gradient") if self.gradient is None else ("gradient", "value")
            raise PositionError(f"Trainable has {given} without {missing}: give both, or neither.")


class PositionalEncoding:
    """No position at all, and the base of every encoding.

    A causal model without an encoding is not blind to order altogether: its mask lets a position
    see only what came before, and from two layers on that leaks the order (Haviv et al. 2022;
    Kazemnejad et al. 2023).

    Attributes:
        name: how the runs are labelled.
        max_length: the longest sequence it is defined for; None where there is no limit.
    """

    name = "none"
    max_length: int | None = None

    def table(self, length: int, d: int) -> np.ndarray | Trainable | None:
        """The vectors added to the token embeddings, (length, d)."""
        return None

    def rotation(self, length: int, head_dim: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Cosine and sine of the angle that turns each pair of a query or key, each (length, head_dim / 2)."""
        return None

    def bias(self, length: int, heads: int) -> np.ndarray | Trainable | None:
        """What is added to the attention scores, (heads, length, length): [h, i, j] is query i, key j."""
        return None


class Learned(PositionalEncoding):
    """One trained vector for each position (GPT-2: Radford et al. 2019).

    Simple and strong, but nothing is defined past the last trained position.
    """

    name = "learned"

    def __init__(self, max_length: int, std: float = 0.02):
        self.max_length = max_length
        self.std = std

    def table(self, length, d):
        if length > self.max_length:
            raise PositionError(
                f"The learned encoding has vectors for positions 0 to {self.max_length - 1}; "
                f"positions {self.max_length} to {length - 1} were never learned: "
                f"use a context of at most {self.max_length}."
            )
        return Trainable(np.zeros((length, d)), noise=self.std)


class Sinusoidal(PositionalEncoding):
    """Fixed sines and cosines of geometrically spaced wavelengths (Vaswani et al. 2017, section 3.5).

    No parameters, and defined at every position. The paper's amplitude of 1 drowns embeddings that
    start at a standard deviation of 0.02, so the amplitude is a setting: `scale`.
    """

    name = "sinusoidal"

    def __init__(self, scale: float = 1.0, base: float = 10_000.0):
        self.scale = scale
        self.base = base

    def table(self, length, d):
        position = np.arange(length)[:, None]  # (length, 1)
        pair = np.arange(0, d, 2)  # (d/2,) rounded up: an odd d ends on a sine
        angle = position / self.base ** (pair / d)  # (length, d/2)
        table = np.zeros((length, d))
        table[:, 0::2] = np.sin(angle)
        table[:, 1::2] = np.cos(angle[:, : d // 2])
        return self.scale * table


class RoPE(PositionalEncoding):
    """Rotary position: pairs of each query and key are turned by an angle (Su et al. 2021, section 3.2).

    Turning both by an angle proportional to their position leaves in their product only the
    difference of the two: the score depends on distance alone. Pair k couples the numbers k and
    k + head_dim/2, as most implementations do; the paper couples neighbours, which is the same up to
    the order of the numbers.
    """

    name = "rope"

    def __init__(self, base: float = 10_000.0):
        self.base = base

    def rotation(self, length, head_dim):
        if head_dim % 2:
            raise PositionError(
                f"RoPE turns pairs of numbers, so it needs an even head size, not {head_dim}: change d or heads."
            )
        frequency = self.base ** (-np.arange(0, head_dim, 2) / head_dim)  # (head_dim/2,)
        angle = np.arange(length)[:, None] * frequency  # (length, head_dim/2)
        return np.cos(angle), np.sin(angle)


class ALiBi(PositionalEncoding):
    """A penalty on each attention score that grows with distance (Press et al. 2021, section 3).

    Each head has its own slope, the geometric sequence that starts at 2^(-8/heads).
    """

    name = "alibi"

    def bias(self, length, heads):
        slope = 2.0 ** (-8 / heads * np.arange(1, heads + 1))  # (heads,)
        position = np.arange(length)
        distance = np.abs(position[:, None] - position[None, :])  # (length, length)
        return -slope[:, None, None] * distance


def build(name: str, context: int, position_scale: float = 0.05) -> PositionalEncoding:
    """The encoding that a run's settings name.

    Args:
        name: one of none, learned, sinusoidal, rope, alibi.
        context: the length that a learned table covers.
        position_scale: the amplitude of the sinusoidal table.

    Raises:
        PositionError: the name is unknown.
    """
    encodings = {
        "none": PositionalEncoding,
        "learned": lambda: Learned(context),
        "sinusoidal": lambda: Sinusoidal(position_scale),
        "rope": RoPE,
        "alibi": ALiBi,
    }
    if name.startswith(OWN):
        raise PositionError(
            f"encoding = {name} is a reader's own, and its code is not here: give it too, on the command line with "
            "--encoding FILE.py instead of the name."
        )
    if name not in encodings:
        raise PositionError(f"encoding = {name} is unknown: choose {', '.join(encodings)}.")
    return encodings[name]()
