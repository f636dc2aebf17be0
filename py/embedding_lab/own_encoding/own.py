"""The encoding that a reader wrote, as the lab uses it: each of its answers is checked."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CoroutineType
from typing import TYPE_CHECKING

import numpy as np

from ..position_checks import SQUARED, check_added, check_array, check_rotation
from ..positions import PositionalEncoding, PositionError, Trainable
from .gradient import wrong_gradient
from .reader import OwnEncodingError, Reader

if TYPE_CHECKING:
    from typing import Any

    from ..kinds import Floats, Rotation

    Answer = Any  # what a reader's code returned: anything until it is checked when it runs, then what the method supplies
    Fingerprint = tuple[list[tuple[int, ...]], Floats]  # see `_fingerprint`

METHODS = {"table": "length, d", "rotation": "length, head_dim", "bias": "length, heads"}
# Two answers are the same up to rounding, which in NumPy may depend on where in memory an array lies.
ROUNDING = 1e-6  # of the norm


@dataclass
class Made:
    """An object that a reader's code made.

    Attributes:
        reader: runs its code.
        methods: those of METHODS.
        dtypes: as of `Own`.
    """

    reader: Reader
    methods: dict[str, Callable[[int, int], object]]
    dtypes: dict[str, str] = field(default_factory=dict)

    def answer(self, method: str, length: int, size: int, shape: tuple[int, ...] | None, when: str = "") -> Answer:
        """What a method returns, checked, in arrays of its own.

        Args:
            shape: of what is added; None for a rotation.
            when: begins the message of an error.
        """
        reader, function = self.reader, self.methods[method]
        with reader.running(f"{when}{method}", function):
            answer = _plain(function(length, size))
        array = answer.start if isinstance(answer, Trainable) else answer[0] if isinstance(answer, tuple) and answer else answer
        if isinstance(array, np.ndarray):
            self.dtypes[method] = array.dtype.name
        try:
            if shape is None:
                check_rotation(answer, length, size)
            else:
                if isinstance(answer, Trainable):
                    answer = self._watched(method, answer, shape)
                check_added(method, answer, shape)
        except OwnEncodingError:
            raise
        except PositionError as error:
            raise reader.error(f"{when}{error}", function) from None
        return answer

    def _watched(self, method: str, answer: Trainable, shape: tuple[int, ...]) -> Trainable:
        """The same, with `value` and `gradient` that are watched whenever they run."""
        reader, noise = self.reader, answer.noise
        if not isinstance(noise, numbers.Real) or not 0 <= noise <= SQUARED:
            told = noise if isinstance(noise, numbers.Real) else type(noise).__name__
            raise PositionError(
                f"{method} returned a Trainable with noise = {told}: it must be a number from 0 to {SQUARED:g}."
            )
        check_array(f"The start of the Trainable of {method}", answer.start, shape if answer.value is None else None)
        if answer.value is None:
            return answer
        for name in ("value", "gradient"):
            if not callable(getattr(answer, name)):
                kind = type(getattr(answer, name)).__name__
                raise PositionError(f"{method} returned a Trainable with {name} = {kind}: it must be a function.")

        start = answer.start.astype(np.result_type(answer.start.dtype, np.float32))  # of whole numbers: as the model has them
        value = Watched(reader, f"value of {method}", answer.value, shape)
        gradient = Watched(reader, f"gradient of {method}", answer.gradient, start.shape)
        return Trainable(start, noise, value, gradient)


@dataclass
class Watched:
    """`value` or `gradient` of a reader's Trainable: each of its answers is checked.

    Attributes:
        reader: runs the code.
        what: begins the message of an error.
        function: the reader's, whose line an error names.
        shape: of its answers.
    """

    reader: Reader
    what: str
    function: Callable[..., object]
    shape: tuple[int, ...]

    def __call__(self, *arrays: Floats) -> Floats:
        with self.reader.running(self.what, self.function):
            returned: Answer = _plain(self.function(*map(_read_only, arrays)))
        if not all(np.isfinite(array).all() for array in arrays):
            return np.full(self.shape, np.nan)  # the run has diverged, and says so
        try:
            check_array(self.what, returned, self.shape)
        except PositionError as error:
            raise self.reader.error(str(error), self.function) from None
        checked: Floats = returned
        return checked


class Own(PositionalEncoding):
    """The encoding that a reader wrote, each answer checked.

    It must give the same numbers each time it is asked for the same sizes, and so must its code when it runs anew, else
    no run could be restored, and each worker would train another encoding. So the code runs twice: the first answer is
    compared with that of the object of the second run, and with each later one. No answer is kept.

    That finds random numbers without a seed, wherever they are drawn, the time, and what earlier calls left behind. It
    does not find what is the same all through one process and other in the next, such as `hash` of a text: a run that
    is restored there goes on with other numbers.

    Args:
        made, again: what the code made when it ran, and when it ran a second time.

    Attributes:
        name: what the reader calls it; the page may number it.
        code: what they wrote.
        dtypes: by method, of the array that it returned last, or of the start of its Trainable.
    """

    def __init__(self, made: Made, again: Made, name: str, max_length: int | None) -> None:
        self._made, self._again = made, again
        self.name, self.max_length, self.code = name, max_length, made.reader.code
        self.dtypes = made.dtypes
        self._seen: dict[tuple[str, int, int], Fingerprint] = {}
        self._kinds: dict[tuple[str, int], str] = {}

    @property
    def printed(self) -> str:
        """What the code has printed so far: at most 10,000 characters, and how many more there were."""
        return str(self._made.reader.printed)

    def table(self, length: int, d: int) -> Floats | Trainable | None:
        table: Floats | Trainable | None = self._asked("table", length, d, (length, d))
        return table

    def rotation(self, length: int, head_dim: int) -> Rotation | None:
        rotation: Rotation | None = self._asked("rotation", length, head_dim, None)
        return rotation

    def bias(self, length: int, heads: int) -> Floats | Trainable | None:
        bias: Floats | Trainable | None = self._asked("bias", length, heads, (heads, length, length))
        return bias

    def _asked(self, method: str, length: int, size: int, shape: tuple[int, ...] | None) -> Answer:
        made, reader = self._made, self._made.reader
        if self.max_length is not None and length > self.max_length:
            raise reader.error(
                f"{self.name} is defined for at most {self.max_length} positions, as its max_length says, but {length} "
                f"were asked for: use a context of at most {self.max_length}, or change max_length."
            )
        sizes = (method, length, size)
        is_first = (method, size) not in self._kinds
        answer = self._of_one_kind(made.answer(*sizes, shape), method, size)
        told = _fingerprint(answer)
        if sizes in self._seen:
            self._compare(method, self._seen[sizes], told, "it was asked again for the same sizes")
            return answer
        if is_first:  # and not at each further length, since it may be slow
            other = self._of_one_kind(made.answer(*sizes, shape, "Asked a second time, "), method, size)
            self._compare(method, told, _fingerprint(other), "it was asked again for the same sizes")
        other = self._of_one_kind(self._again.answer(*sizes, shape, "When the code ran a second time, "), method, size)
        self._compare(method, told, _fingerprint(other), "the code ran a second time")
        if isinstance(answer, Trainable) and isinstance(answer.gradient, Watched) and shape is not None:
            problem = wrong_gradient(answer, shape, causal=method == "bias")
            if problem:
                raise reader.error(f"gradient of {method} is not that of its value: {problem}", answer.gradient.function)
        self._seen[sizes] = told
        return answer

    def _of_one_kind(self, answer: Answer, method: str, size: int) -> Answer:
        kind = "None" if answer is None else "a Trainable" if isinstance(answer, Trainable) else "fixed numbers"
        before = self._kinds.setdefault((method, size), kind)
        if kind != before:
            raise self._made.reader.error(
                f"{method} returned {before} at first and {kind} later: it must return the same kind at every length.",
                self._made.methods[method],
            )
        return answer

    def _compare(self, method: str, before: Fingerprint, now: Fingerprint, when: str) -> None:
        if not _alike(before, now):
            raise self._made.reader.error(
                f"{method} returned other numbers when {when}: it must return the same each time, else no run could be "
                "restored. Seed your random numbers, for example with np.random.default_rng(0), and change nothing that "
                "later calls use.",
                self._made.methods[method],
            )


def _plain(answer: object) -> Answer:
    """The same with its arrays, and scalars of NumPy, as arrays of NumPy itself that nothing of the reader's can change."""
    if isinstance(answer, (np.ndarray, np.generic)):
        return np.array(answer, subok=False)
    if isinstance(answer, CoroutineType):
        answer.close()  # else Python warns later that nobody waited for it
    if isinstance(answer, Trainable):
        return Trainable(_plain(answer.start), answer.noise, answer.value, answer.gradient)
    return tuple(map(_plain, answer)) if type(answer) is tuple else answer


def _read_only(array: Floats) -> Floats:
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def _fingerprint(answer: Answer) -> Fingerprint:
    """A few sums that tell one answer from another: shapes, then numbers for each array."""
    arrays: tuple[Floats, ...] = answer if isinstance(answer, tuple) else () if answer is None else (answer,)
    if isinstance(answer, Trainable):
        arrays = (answer.start, np.array([float(answer.noise)]))
        arrays += () if answer.value is None else (answer.value(answer.start),)
    sums = []
    for array in arrays:
        row = array.ravel().astype(np.float64)
        sums.append((np.linalg.norm(row), row.sum(), row @ np.cos(np.arange(row.size) ** 2)))
    return [array.shape for array in arrays], np.array(sums)


def _alike(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether two fingerprints are those of one answer, up to rounding."""
    (shapes, sums), (others, numbers) = one, other
    return shapes == others and (not len(sums) or bool((np.abs(sums - numbers) <= ROUNDING * sums[:, :1]).all()))
