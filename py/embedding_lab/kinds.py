"""The kinds of arrays and of plain data that signatures name.

Only type checkers read this file: modules import it under TYPE_CHECKING, and the tab's wheel leaves it out. Shapes and
units are in the docstrings of the functions.
"""

from collections.abc import Generator
from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from .positions import Trainable

Floats = NDArray[np.floating]  # float32 where a model trains; float64 in statistics and where gradients are checked
Integers = NDArray[np.integer]  # such as ids of characters
Array = NDArray[Any]  # of either

Rotation = tuple[Floats, Floats]  # cosine and sine of the angles that a positional encoding turns by
Supplied = tuple[Floats | Trainable | None, Rotation | None, Floats | Trainable | None]  # its table, rotation and bias

# A value of a setting, of a probe's argument or of a column of a sweep, and such values by name. The names are data, to
# which `config.parse` and `results.columns` give their types when the lab runs: a type checker cannot know them.
Value = Any
Values = dict[str, Value]
Plain = dict[str, object]  # what becomes JSON or a JavaScript object, and no Python reads again
Work = Generator[float, None, Plain]  # the work of a probe in slices: yields its progress, returns its result

Result = tuple[str, int, float | None]  # encoding, seed, and validation loss in nats per character


class Choice(TypedDict):
    """One value of a setting that is a choice."""

    value: str
    label: str
    help: str
    supplies: NotRequired[list[str]]
    limited: NotRequired[bool]


class Row(TypedDict):
    """A setting as `config.settings_table` tells it, or an argument of a probe."""

    name: str
    label: str
    kind: str
    default: object
    help: str
    low: NotRequired[float]
    high: NotRequired[float]
    choices: NotRequired[list[Choice]]
    own: NotRequired[str]
    of: NotRequired[str]


class Rule(TypedDict):
    """What two settings must be to each other, as `config.RULES` tells it."""

    field: str
    rule: str
    of: str
    encoding: str | None
    text: str


class FieldError(TypedDict):
    """What is wrong with a setting."""

    field: str
    message: str


class Estimate(TypedDict):
    """See `statistics.estimate`."""

    mean: float | None
    deviation: float | None
    low: float | None
    high: float | None


class Summary(Estimate):
    """See `statistics.summaries`."""

    encoding: str
    seeds: int


class Gap(TypedDict):
    """See `statistics.gaps`."""

    a: str
    b: str
    nats: float
    low: float | None
    high: float | None
    seeds: int
    verdict: str
    more: int | None


class Spread(Estimate):
    """See `statistics.spread`."""

    losses: list[float | None]


class Method(TypedDict):
    """What one method of a reader's own encoding supplies: see `own_encoding.examine`."""

    method: str
    shape: list[int]
    dtype: str
    trainable: bool
    parameters: int


class Examined(TypedDict):
    """See `own_encoding.examine`."""

    name: str
    maxLength: int | None
    supplies: list[str]
    parameters: int
    methods: list[Method]
    probes: dict[str, Plain]
    printed: str
    notes: list[str]


class Input(TypedDict):
    """What became of an input: see `console.Console.run`."""

    complete: bool
    value: NotRequired[str | None]
    error: NotRequired[str | None]
    interrupted: NotRequired[bool]
    leftOut: NotRequired[int]
