"""The positional encodings: what each paper proposes, as one small class.

Attention sees a set of characters, not a sequence: on its own it cannot tell their order. An
encoding supplies position in one of three places, and the model knows no encoding by name:

    table(length, d)           (length, d)              added to the token embeddings
    rotation(length, head_dim) two (length, head_dim/2) turns the queries and the keys
    bias(length, heads)        (heads, length, length)  added to the attention scores

Each method returns None where an encoding has nothing to say. An array wrapped in `Trainable` is
where training starts from; any other array stays as it is.

A class here that derives from `PositionalEncoding` is one of the lab's, in the order of this file: the settings, the
command line and the page read `ENCODINGS`, and name none themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from .kinds import Floats, Integers, Rotation

PLACES = ("table", "rotation", "bias")  # where an encoding can supply position: its methods
OWN = "own:"  # begins the encoding of a run that a reader wrote: its name follows, and its code travels beside the config


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

    start: Floats
    noise: float = 0.0
    value: Callable[[Floats], Floats] | None = None
    gradient: Callable[[Floats, Floats], Floats] | None = None

    def __post_init__(self) -> None:
        if (self.value is None) != (self.gradient is None):
            given, missing = ("value", "gradient") if self.gradient is None else ("gradient", "value")
            raise PositionError(f"Trainable has {given} without {missing}: give both, or neither.")


class PositionalEncoding:
    """No position at all, and the base of every encoding.

    A causal model without an encoding is not blind to order altogether: its mask lets a position
    see only what came before, and from two layers on that leaks the order (Haviv et al. 2022;
    Kazemnejad et al. 2023).

    Attributes:
        name: of the encoding in settings, addresses and files.
        label: its name as the page writes it.
        help: what it is, in a few words.
        max_length: the longest sequence it is defined for; None where there is no limit.
    """

    name = "none"
    label = "None"
    help = "no position at all: the control of the experiment"
    max_length: int | None = None

    @classmethod
    def of(cls, context: int, position_scale: float) -> Self:
        """The encoding as the settings of a run have it: see `config.RunConfig`."""
        return cls()

    @classmethod
    def supplies(cls) -> list[str]:
        """Those of `PLACES` where it supplies position."""
        return [place for place in PLACES if getattr(cls, place) is not getattr(PositionalEncoding, place)]

    @classmethod
    def is_limited(cls) -> bool:
        """Whether a run's context is the longest sequence it is defined for."""
        return cls.of(context=1, position_scale=1.0).max_length == 1

    def table(self, length: int, d: int) -> Floats | Trainable | None:
        """The vectors added to the token embeddings, (length, d)."""
        return None

    def rotation(self, length: int, head_dim: int) -> Rotation | None:
        """Cosine and sine of the angle that turns each pair of a query or key, each (length, head_dim / 2)."""
        return None

    def bias(self, length: int, heads: int) -> Floats | Trainable | None:
        """What is added to the attention scores, (heads, length, length): [h, i, j] is query i, key j."""
        return None


class Learned(PositionalEncoding):
    """One trained vector for each position (GPT-2: Radford et al. 2019).

    Simple and strong, but nothing is defined past the last trained position.
    """

    name = "learned"
    label = "Learned"
    help = "one trained vector for each position, as in GPT-2"
    max_length: int

    def __init__(self, max_length: int, std: float = 0.02) -> None:
        self.max_length = max_length
        self.std = std

    @classmethod
    def of(cls, context: int, position_scale: float) -> Self:
        return cls(context)

    def table(self, length: int, d: int) -> Trainable:
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
    label = "Sinusoidal"
    help = "fixed sines and cosines, as in the first transformer"

    def __init__(self, scale: float = 1.0, base: float = 10_000.0) -> None:
        self.scale = scale
        self.base = base

    @classmethod
    def of(cls, context: int, position_scale: float) -> Self:
        return cls(position_scale)

    def table(self, length: int, d: int) -> Floats:
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
    label = "RoPE"
    help = "queries and keys turned by an angle that grows with position"

    def __init__(self, base: float = 10_000.0) -> None:
        self.base = base

    def rotation(self, length: int, head_dim: int) -> Rotation:
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
    label = "ALiBi"
    help = "attention scores lowered in proportion to distance"

    def bias(self, length: int, heads: int) -> Floats:
        slope: Floats = 2.0 ** (-8 / heads * np.arange(1, heads + 1))  # (heads,)
        position = np.arange(length)
        distance: Integers = np.abs(position[:, None] - position[None, :])  # (length, length)
        return -slope[:, None, None] * distance


class KERPLE(PositionalEncoding):
    """A penalty that grows with the logarithm of distance, as each head learns it (Chi et al. 2022, section 4).

    The logarithmic variant: head h adds -r1 log(1 + r2 |i - j|) to its scores, so that near distances are told apart better
    than far ones. r1 and r2 have to stay above 0, so their logarithms are what is trained. They start evenly spread over
    the ranges that the authors' code draws them from, 0 to 2 and 0 to 1. The paper divides the penalty by the root of the
    head size along with the product of query and key; here it is added after that, as ALiBi's is, and r1 takes it up.
    """

    name = "kerple"
    label = "KERPLE"
    help = "attention scores lowered by a logarithm of distance that each head learns"

    def bias(self, length: int, heads: int) -> Trainable:
        position = np.arange(length)
        distance: Integers = np.abs(position[:, None] - position[None, :])  # (length, length)

        def value(parameter: Floats) -> Floats:
            r1, r2 = np.exp(parameter)[..., None, None]  # (heads, 1, 1) each
            penalty: Floats = r1 * np.log1p(r2 * distance.astype(parameter.dtype))  # (heads, length, length)
            return -penalty

        def gradient(parameter: Floats, dvalue: Floats) -> Floats:
            r1, r2 = np.exp(parameter)[..., None, None]
            reach = r2 * distance.astype(parameter.dtype)
            # Of r exp has the derivative r: d/d log r1 is the value itself, d/d log r2 is -r1 reach / (1 + reach).
            by_r1, by_r2 = -r1 * np.log1p(reach), -r1 * reach / (1 + reach)
            return np.stack([np.sum(dvalue * by_r1, axis=(1, 2)), np.sum(dvalue * by_r2, axis=(1, 2))])

        spread = (np.arange(heads) + 0.5) / heads  # of 4 heads: 1/8, 3/8, 5/8, 7/8
        return Trainable(np.log([2 * spread, spread]), value=value, gradient=gradient)  # (2, heads)


ENCODINGS: dict[str, type[PositionalEncoding]] = {
    encoding.name: encoding
    for encoding in list(globals().values())
    if isinstance(encoding, type) and issubclass(encoding, PositionalEncoding)
}


def build(name: str, context: int, position_scale: float = 0.05) -> PositionalEncoding:
    """The encoding that a run's settings name.

    Args:
        name: one of `ENCODINGS`.
        context: the length that a learned table covers.
        position_scale: the amplitude of the sinusoidal table.

    Raises:
        PositionError: the name is unknown.
    """
    if name.startswith(OWN):
        raise PositionError(
            f"encoding = {name} is a reader's own, and its code is not here: give it too, on the command line with "
            "--encoding FILE.py instead of the name."
        )
    if name not in ENCODINGS:
        raise PositionError(f"encoding = {name} is unknown: choose {', '.join(ENCODINGS)}.")
    return ENCODINGS[name].of(context, position_scale)
