"""The encoding that a reader wrote, as the lab uses it: each of its answers is checked."""

import numbers
from collections.abc import Callable
from types import CoroutineType

import numpy as np

from ..position_checks import SQUARED, check_added, check_array, check_rotation
from ..positions import PositionalEncoding, PositionError, Trainable
from .gradient import wrong_gradient
from .reader import OwnEncodingError, Reader

METHODS = {"table": "length, d", "rotation": "length, head_dim", "bias": "length, heads"}
# Two answers are the same up to rounding, which in NumPy may depend on where in memory an array lies.
ROUNDING = 1e-6  # of the norm


class Own(PositionalEncoding):
    """The encoding that a reader wrote, each answer checked.

    It must give the same numbers each time it is asked for the same sizes, else no run could be restored: the first
    answer is asked for twice, and each later one is compared with it. No answer is kept.

    Attributes:
        name: what the reader calls it; the page may number it.
        code: what they wrote.
        dtypes: by method, of the array that it returned last, or of the start of its Trainable.
    """

    def __init__(self, reader: Reader, methods: dict[str, Callable], name: str, max_length: int | None):
        self._reader, self._methods = reader, methods
        self.name, self.max_length, self.code = name, max_length, reader.code
        self.dtypes: dict[str, str] = {}
        self._seen: dict[tuple, tuple] = {}
        self._kinds: dict[tuple, str] = {}

    @property
    def printed(self) -> str:
        """What the code has printed so far: at most 10,000 characters, and how many more there were."""
        return str(self._reader.printed)

    def table(self, length, d):
        return self._asked("table", length, d, (length, d))

    def rotation(self, length, head_dim):
        return self._asked("rotation", length, head_dim, None)

    def bias(self, length, heads):
        return self._asked("bias", length, heads, (heads, length, length))

    def _asked(self, method: str, length: int, size: int, shape: tuple[int, ...] | None):
        if self.max_length is not None and length > self.max_length:
            raise self._reader.error(
                f"{self.name} is defined for at most {self.max_length} positions, as its max_length says, but {length} "
                f"were asked for: use a context of at most {self.max_length}, or change max_length."
            )
        sizes = (method, length, size)
        answer = self._answer(*sizes, shape)
        known, told = self._seen.get(sizes), _fingerprint(answer)
        again = told if known else _fingerprint(self._answer(*sizes, shape, "Asked a second time, "))
        if not _alike(known or told, again):
            raise self._reader.error(
                f"{method} returned other numbers when it was asked again for the same sizes: it must return the same "
                "each time, else no run could be restored. Seed your random numbers, for example with "
                "np.random.default_rng(0), and change nothing that later calls use.",
                self._methods[method],
            )
        if not known and isinstance(answer, Trainable) and answer.value is not None:
            problem = wrong_gradient(answer, shape, causal=method == "bias")
            if problem:
                raise self._reader.error(f"gradient of {method} is not that of its value: {problem}", answer.gradient.reader)
        self._seen[sizes] = told
        return answer

    def _answer(self, method: str, length: int, size: int, shape: tuple[int, ...] | None, when: str = ""):
        """What the method returns, checked, in arrays of its own."""
        reader, function = self._reader, self._methods[method]
        with reader.running(method, function):
            answer = _plain(function(length, size))
        array = answer.start if isinstance(answer, Trainable) else answer[0] if isinstance(answer, tuple) and answer else answer
        if isinstance(array, np.ndarray):
            self.dtypes[method] = array.dtype.name
        try:
            if shape is None:
                check_rotation(answer, length, size)
            else:
                if isinstance(answer, Trainable):
                    answer = self._trainable(method, answer, shape)
                check_added(method, answer, shape)
        except OwnEncodingError:
            raise
        except PositionError as error:
            raise reader.error(f"{when}{error}", function) from None
        kind = "None" if answer is None else "a Trainable" if isinstance(answer, Trainable) else "fixed numbers"
        before = self._kinds.setdefault((method, size), kind)
        if kind != before:
            raise reader.error(
                f"{method} returned {before} at first and {kind} later: it must return the same kind at every length.",
                function,
            )
        return answer

    def _trainable(self, method: str, answer: Trainable, shape: tuple[int, ...]) -> Trainable:
        """The same, with `value` and `gradient` that are watched whenever they run."""
        reader, noise = self._reader, answer.noise
        if not isinstance(noise, numbers.Real) or not 0 <= noise <= SQUARED:
            told = noise if isinstance(noise, numbers.Real) else type(noise).__name__
            raise PositionError(f"{method} returned a Trainable with noise = {told}: it must be a number from 0 to {SQUARED:g}.")
        check_array(f"The start of the Trainable of {method}", answer.start, shape if answer.value is None else None)
        if answer.value is None:
            return answer
        for name in ("value", "gradient"):
            if not callable(getattr(answer, name)):
                kind = type(getattr(answer, name)).__name__
                raise PositionError(f"{method} returned a Trainable with {name} = {kind}: it must be a function.")

        def watched(name: str, returns: tuple[int, ...]):
            function, what = getattr(answer, name), f"{name} of {method}"

            def call(*arrays):
                with reader.running(what, function):
                    returned = _plain(function(*map(_read_only, arrays)))
                if not all(np.isfinite(array).all() for array in arrays):
                    return np.full(returns, np.nan)  # the run has diverged, and says so
                try:
                    check_array(what, returned, returns)
                except PositionError as error:
                    raise reader.error(str(error), function) from None
                return returned

            call.reader = function  # whose line an error names
            return call

        start = answer.start.astype(np.result_type(answer.start.dtype, np.float32))  # of whole numbers: as the model has them
        return Trainable(start, noise, watched("value", shape), watched("gradient", start.shape))


def _plain(answer):
    """The same with its arrays, and scalars of NumPy, as arrays of NumPy itself that nothing of the reader's can change."""
    if isinstance(answer, (np.ndarray, np.generic)):
        return np.array(answer, subok=False)
    if isinstance(answer, CoroutineType):
        answer.close()  # else Python warns later that nobody waited for it
    if isinstance(answer, Trainable):
        return Trainable(_plain(answer.start), answer.noise, answer.value, answer.gradient)
    return tuple(map(_plain, answer)) if type(answer) is tuple else answer


def _read_only(array: np.ndarray) -> np.ndarray:
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def _fingerprint(answer) -> tuple:
    """A few sums that tell one answer from another: shapes, then numbers for each array."""
    arrays = answer if isinstance(answer, tuple) else () if answer is None else (answer,)
    if isinstance(answer, Trainable):
        arrays = (answer.start, np.array([float(answer.noise)]))
        arrays += () if answer.value is None else (answer.value(answer.start),)
    sums = []
    for array in arrays:
        row = array.ravel().astype(np.float64)
        sums.append((np.linalg.norm(row), row.sum(), row @ np.cos(np.arange(row.size) ** 2)))
    return [array.shape for array in arrays], np.array(sums)


def _alike(one: tuple, other: tuple) -> bool:
    """Whether two fingerprints are those of one answer, up to rounding."""
    (shapes, sums), (others, numbers) = one, other
    return shapes == others and (not len(sums) or bool((np.abs(sums - numbers) <= ROUNDING * sums[:, :1]).all()))
