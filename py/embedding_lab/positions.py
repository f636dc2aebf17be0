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
from types import CoroutineType, GeneratorType

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
        raise PositionError(f"encoding = {name} is a reader's own, and its code is not here: give it too.")
    if name not in encodings:
        raise PositionError(f"encoding = {name} is unknown: choose {', '.join(encodings)}.")
    return encodings[name]()


def check(encoding, length: int, d: int, heads: int) -> tuple:
    """Ask an encoding for all three parts once, and check what it returns.

    Returns:
        Table, rotation and bias, as the encoding returned them.

    Raises:
        PositionError: names the method, what it returned and what it should return.
    """
    table, rotation, bias = encoding.table(length, d), encoding.rotation(length, d // heads), encoding.bias(length, heads)
    check_added("table", table, (length, d))
    check_rotation(rotation, length, d // heads)
    check_added("bias", bias, (heads, length, length))
    return table, rotation, bias


def check_added(method: str, returned, shape: tuple[int, ...]) -> None:
    """Check what `table` or `bias` returned: None, an array of this shape, or a Trainable that gives one."""
    if isinstance(returned, Trainable):
        if returned.value is None:
            check_array(method, returned.start, shape)
        else:
            check_array(f"the start of {method}", returned.start)
            check_array(f"value of {method}", returned.value(returned.start), shape)
    elif returned is not None:
        check_array(method, returned, shape)


def check_rotation(returned, length: int, head_dim: int) -> None:
    """Check what `rotation` returned: None, or (cos, sin), each (length, head_dim / 2)."""
    if returned is None:
        return
    if head_dim % 2:
        raise PositionError(
            f"rotation turns pairs of numbers, so it needs an even head size, d / heads, not {head_dim}: change d or heads."
        )
    pair = isinstance(returned, tuple) and len(returned) == 2
    if isinstance(returned, Trainable) or (pair and any(isinstance(part, Trainable) for part in returned)):
        raise PositionError("rotation returned a Trainable; angles cannot be trained here: return (cos, sin) as arrays.")
    if not pair:
        what = f"a tuple of {len(returned)}" if isinstance(returned, tuple) else _kind(returned)
        raise PositionError(f"rotation returned {what}; it returns (cos, sin) or None.")
    for part in returned:
        check_array("rotation", part, (length, head_dim // 2))


def check_array(what: str, array, shape: tuple[int, ...] | None = None) -> None:
    """Check that this is an array of finite real numbers, as float32 holds them, and of this shape.

    Args:
        what: returned it.
        shape: None where any will do that is not empty.

    Raises:
        PositionError: says what it is, and what it should be.
    """
    if not isinstance(array, np.ndarray) or not np.issubdtype(array.dtype, np.number):
        raise PositionError(f"{what} returned {_kind(array)}; it returns an array of numbers or None.{_hint(array)}")
    if shape is None and not array.size:
        raise PositionError(f"{what} returned an empty array of the shape {array.shape}: there is nothing to train.")
    if shape is not None and array.shape != shape:
        raise PositionError(f"{what} returned the shape {array.shape}; for these arguments it must be {shape}.")
    if np.iscomplexobj(array):
        raise PositionError(f"{what} returned complex numbers; the model computes with real ones: take .real or np.abs.")
    bad = ~np.isfinite(array)
    if bad.any():
        raise PositionError(
            f"{what} returned values that are not finite real numbers ({bad.sum()} of {bad.size}, the first at "
            f"{tuple(map(int, np.argwhere(bad)[0]))}): check for 0/0, log 0 and overflow."
        )
    largest = np.abs(array).max(initial=0)
    if largest > np.finfo(np.float32).max:
        raise PositionError(f"{what} returned {largest:.3g}, more than the 3.4e+38 that a float32 of the model can hold.")


def _kind(value) -> str:
    """What something is that should have been an array of numbers."""
    return f"an array of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__


def _hint(value) -> str:
    """What may make an array of numbers of it."""
    if isinstance(value, (list, tuple)):
        return " np.array makes one of it."
    if isinstance(value, GeneratorType):
        return " A method with `yield` makes a generator: use `return`."
    if isinstance(value, CoroutineType):
        return " A method of `async def` makes a coroutine: use `def`."
    if isinstance(value, np.ndarray) and value.dtype == object:
        return " An array of objects comes from rows of different lengths, or from what is no number."
    return " .astype(float) makes numbers of them." if isinstance(value, np.ndarray) and value.dtype == bool else ""
