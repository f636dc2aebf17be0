"""A run: one model that trains on one text, a slice of time at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .corpus import Corpus, windows
from .model import MLP_WIDTH, Transformer, random_stream
from .ops import best
from .optimizer import AdamW, learning_rate
from .positions import PositionalEncoding, PositionError, build

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from .config import RunConfig
    from .kinds import Floats, Integers
    from .ops.interface import Operations

VALIDATION_POINTS = 20
STEPS_BETWEEN_VALIDATIONS = 10  # at least: an evaluation costs about five steps
# The validation loss is that of this many characters at most, spread evenly: all of Alice's tenth.
VALIDATION_CHARACTERS = 16_384
# Characters evaluated at once, which bounds the memory of an evaluation.
EVALUATION_CHARACTERS = 4096
DIVERGED_ABOVE_UNIFORM = 1.0
DIVERGED_STEPS = 50
STATES = ("training", "finished", "diverged")
# What a saved run may hold: messages of this file have about a hundred characters, no step takes less than a nanosecond,
# 1e9 seconds are 31 years, and losses are computed in float32.
LONGEST_MESSAGE = 1000
LEAST_SECONDS_PER_STEP = 1e-9
MOST_SECONDS = 1e9
LARGEST_LOSS = float(np.finfo(np.float32).max)


class SavedError(ValueError):
    """A saved run that contradicts itself, or is not one of the settings and the text it is given with."""


def evaluation_steps(step: int, steps: int, state: str) -> list[int]:
    """The steps at which a run that has come this far has been evaluated."""
    due = list(range(0, step + 1, _steps_between(steps)))
    return due + [step] * (state == "finished" and due[-1] != step)


def _steps_between(steps: int) -> int:
    return max(STEPS_BETWEEN_VALIDATIONS, steps // VALIDATION_POINTS)


@dataclass(frozen=True)
class Saved:
    """All of a run that its config and its text do not decide: with those two, `Run.restore` goes on exactly.

    The random stream of the batches is not in it: it is replayed.

    Attributes:
        vector: all parameters, (P,) float32, in the order of `Parameters`.
        mean, square: AdamW's two moments of them, (P,) float32.
        step: updates made so far.
        state: "training", "finished" or "diverged".
        message: why a run diverged, else None.
        seconds: time spent in training and evaluating.
        train_loss: one value a step, (step,) float64, in nats per character.
        validation_steps, validation_loss: the evaluations, int32 and float64; none of a run that makes none.
    """

    vector: Floats
    mean: Floats
    square: Floats
    step: int
    state: str
    message: str | None
    seconds: float
    train_loss: Floats
    validation_steps: Integers
    validation_loss: Floats

    def check(self, parameters: int, steps: int) -> None:
        """Hold what may have come from outside against what a run can be.

        Args:
            parameters: P, of the model of the settings.
            steps: of the settings.

        Raises:
            SavedError: names what is wrong, and what would be right.
        """
        if not isinstance(self.state, str) or self.state not in STATES:
            raise SavedError(f"state = {_short(self.state)} is unknown: a run is {', '.join(STATES)}.")
        if type(self.step) is not int or not 0 <= self.step <= steps:
            raise SavedError(f"step = {_short(self.step)} is not a whole number from 0 to {steps}, as the settings say.")
        possible = {"training": self.step < steps, "finished": self.step == steps, "diverged": self.step > 0}
        if not possible[self.state]:
            raise SavedError(f"A run of {steps} steps cannot be {self.state} at step {self.step}.")
        for name in ("vector", "mean", "square"):
            _check_array(name, getattr(self, name), np.float32, parameters, "parameters of the model of these settings")
        _check_array("train_loss", self.train_loss, np.float64, self.step, "steps made")
        _check_array("validation_steps", self.validation_steps, np.int32)
        _check_array("validation_loss", self.validation_loss, np.float64, len(self.validation_steps), "validation_steps")
        due = evaluation_steps(self.step, steps, self.state)
        if len(self.validation_steps) and not np.array_equal(self.validation_steps, due):
            raise SavedError(f"validation_steps are not those of a run at step {self.step} of {steps}: {due}.")
        self._check_values()

    def _check_values(self) -> None:
        diverged = self.state == "diverged"
        told = isinstance(self.message, str) and len(self.message) <= LONGEST_MESSAGE
        if not (told if diverged else self.message is None):
            raise SavedError(
                f"message = {_short(self.message)}: a run that diverged has a text of at most {LONGEST_MESSAGE} "
                "characters, another has none."
            )
        least = self.step * LEAST_SECONDS_PER_STEP
        # A browser's clock may be so coarse that it sees nothing of a short run.
        if type(self.seconds) not in (int, float) or not (self.seconds == 0 or least <= self.seconds <= MOST_SECONDS):
            raise SavedError(f"seconds = {_short(self.seconds)} is neither 0 nor a number from {least:g} to {MOST_SECONDS:g}.")
        for name in ("train_loss", "validation_loss"):
            losses = getattr(self, name)[: -1 if diverged else None]
            if not ((losses >= 0) & (losses <= LARGEST_LOSS)).all():
                raise SavedError(
                    f"{name} has values that are not from 0 to {LARGEST_LOSS:.3g}; only the last of a run that diverged "
                    "may be others."
                )
        # A gradient beyond 1e19 overflows its square and leaves the rest finite; nothing makes a square negative.
        if not diverged and not (_finite(self.vector) and _finite(self.mean) and (self.square >= 0).all()):
            raise SavedError(
                "vector, mean or square has values that are not finite, or square has negative ones; "
                f"a run that is {self.state} has none."
            )


@dataclass(frozen=True)
class Frame:
    """What happened in one slice of training.

    Attributes:
        step: updates made so far.
        state: "training", "finished" or "diverged".
        message: why a run diverged, else None.
        train_from: the step of the first value of train_loss; steps count from 1.
        train_loss: the loss of the batch at each new step, in nats per character, float32.
        validation_steps, validation_loss: the new evaluations, int32 and float32.
        seconds: time spent in training and evaluating since the start of the run.
    """

    step: int
    state: str
    message: str | None
    train_from: int
    train_loss: Floats
    validation_steps: Integers
    validation_loss: Floats
    seconds: float


class Run:
    """Train one model. The same config and text give the same losses in the tab and in CPython.

    Args:
        config: the settings.
        corpus: the text.
        encoding: an encoding to use instead of the one that the config names.
        ops: the module that computes; by default the fastest that works here.
        evaluate: False leaves out the evaluations on the way; `validation_loss` gives one when asked.

    Attributes:
        model: the `Transformer` as it is at this moment.
        train_loss: one value a step, in nats per character.
        validation: (step, loss) pairs, from step 0 on; empty without evaluations.

    Raises:
        CorpusError: the text is too short for the context.
        PositionError: the encoding cannot be used at these sizes.
    """

    def __init__(
        self,
        config: RunConfig,
        corpus: Corpus,
        encoding: PositionalEncoding | None = None,
        ops: Operations | None = None,
        evaluate: bool = True,
    ):
        corpus.require(config.context)
        ops = ops or best()
        self.config = config
        self.corpus = corpus
        self.encoding = encoding or build(config.encoding, config.context, config.position_scale)
        self.model = Transformer(config, len(corpus.vocabulary), self.encoding, ops=ops)
        self.optimizer = AdamW(self.model.parameters, ops)
        self.step = 0
        self.state = "training"
        self.message: str | None = None
        self.seconds = 0.0
        self.train_loss: list[float] = []
        self.validation: list[tuple[int, float]] = []
        self._batches = random_stream(config.seed, "batches")
        self._uniform = math.log(len(corpus.vocabulary))
        self._told = (0, 0)
        self._evaluates = evaluate
        self._failure: PositionError | None = None
        if evaluate:
            self._timed(self._evaluate)

    def save(self) -> Saved:
        """The run as it is now, in arrays of its own."""
        return Saved(
            vector=self.model.parameters.vector.copy(),
            mean=self.optimizer.mean.copy(),
            square=self.optimizer.square.copy(),
            step=self.step,
            state=self.state,
            message=self.message,
            seconds=self.seconds,
            train_loss=np.array(self.train_loss, np.float64),
            validation_steps=np.array([step for step, _ in self.validation], np.int32),
            validation_loss=np.array([loss for _, loss in self.validation], np.float64),
        )

    def restore(self, saved: Saved) -> None:
        """Take up another run of this config, text and encoding where it was saved, and go on as it would have.

        Nothing is evaluated, and no frame tells again what was saved. The run makes evaluations if the saved one did.

        Raises:
            SavedError: it does not fit; this run is as it was.
        """
        saved.check(self.model.size, self.config.steps)
        self.model.parameters.vector[...] = saved.vector
        self.optimizer.mean[...] = saved.mean
        self.optimizer.square[...] = saved.square
        self.step = self.optimizer.step = saved.step
        self.state, self.message, self.seconds = saved.state, saved.message, float(saved.seconds)
        self.train_loss = saved.train_loss.tolist()
        self.validation = list(zip(saved.validation_steps.tolist(), saved.validation_loss.tolist(), strict=True))
        self._evaluates = bool(self.validation)
        self._told = (len(self.train_loss), len(self.validation))
        self._batches = random_stream(self.config.seed, "batches")
        for _ in range(self.step):
            self.corpus.starts(self._batches, self.config.batch, self.config.context)

    def advance(self, seconds: float) -> Frame:
        """Train for about this long, and at least one step unless the run has ended.

        Raises:
            PositionError: the encoding fails, for good: a frame tells of the steps before it, and then each call raises.
        """
        until = time.perf_counter() + seconds
        before = self.step
        try:
            while self.state == "training" and self._failure is None:
                self._timed(self._train_step)
                if time.perf_counter() >= until:
                    break
        except PositionError as error:
            self._failure = error
        if self._failure and self.step == before:
            raise self._failure
        return self.frame()

    def frame(self) -> Frame:
        """What is new since the last frame."""
        losses, points = self._told
        self._told = (len(self.train_loss), len(self.validation))
        new = self.validation[points:]
        return Frame(
            step=self.step,
            state=self.state,
            message=self.message,
            train_from=losses + 1,
            train_loss=np.array(self.train_loss[losses:], np.float32),
            validation_steps=np.array([step for step, _ in new], np.int32),
            validation_loss=np.array([loss for _, loss in new], np.float32),
            seconds=self.seconds,
        )

    def validation_loss(self) -> float:
        """The loss on the validation part, in nats per character.

        It is read in stretches of the context's length that do not overlap; where the part holds more
        than 16,384 characters, in as many stretches spread evenly over it.
        """
        *_, loss = self.evaluation()
        return loss

    def evaluation(self) -> Iterator[float]:
        """The work of `validation_loss` in slices: yields the loss of all that was read after each 4,096 characters."""
        context, ids = self.config.context, self.corpus.validation
        starts = self.corpus.validation_starts(VALIDATION_CHARACTERS, context)
        at_once = max(1, EVALUATION_CHARACTERS // context)
        total, read = 0.0, 0
        for first in range(0, len(starts), at_once):
            inputs, targets = windows(ids, starts[first : first + at_once], context)
            total += float(self.model.losses(inputs, targets).sum(dtype=np.float64))
            read += inputs.size
            yield total / read

    @property
    def flops_per_step(self) -> int:
        """Floating-point operations of the matrix products of one step: forward, and twice that backward.

        A causal query has on average (T + 1) / 2 keys; what the mask hides is not counted.
        """
        config, d = self.config, self.config.d
        weights = config.layers * (4 + 2 * MLP_WIDTH) * d * d + len(self.corpus.vocabulary) * d
        attention = config.layers * (config.context + 1) * d
        return 3 * 2 * config.batch * config.context * (weights + attention)

    def _timed(self, work: Callable[[], None]) -> None:
        started = time.perf_counter()
        # A learning rate that diverges overflows; the run tells of it in its own words.
        with np.errstate(all="ignore"):
            work()
        self.seconds += time.perf_counter() - started

    def _train_step(self) -> None:
        config, model = self.config, self.model
        inputs, targets = self.corpus.batch(self._batches, config.batch, config.context)
        loss = float(model.losses(inputs, targets).mean(dtype=np.float64))
        model.backward()
        self.step += 1
        self.optimizer.update(model.gradients, learning_rate(self.step, config.steps, config.lr))
        self.train_loss.append(loss)
        self._check_divergence()
        ends = self.state == "training" and self.step == config.steps
        if self._evaluates and (self.step % _steps_between(config.steps) == 0 or ends):
            self._evaluate()
        if ends:  # not before it is evaluated, which an encoding may fail in
            self.state = "finished"

    def _evaluate(self) -> None:
        self.validation.append((self.step, self.validation_loss()))

    def _has_finite_parameters(self) -> bool:
        return _finite(self.model.parameters.vector)

    def _check_divergence(self) -> None:
        limit = self._uniform + DIVERGED_ABOVE_UNIFORM
        recent = self.train_loss[-DIVERGED_STEPS:]
        if not math.isfinite(recent[-1]):
            what = f"the training loss is {recent[-1]}"
        elif not self._has_finite_parameters():
            what = "the update left parameters that are not finite"
        elif len(recent) == DIVERGED_STEPS and min(recent) > limit:
            what = f"the training loss has stayed above ln V + 1 = {limit:.2f} nats for {DIVERGED_STEPS} steps"
        else:
            return
        self.state = "diverged"
        self.message = f"Diverged at step {self.step}: {what}. Lower the learning rate (it is {self.config.lr:g})."


def _finite(array: Floats) -> bool:
    """Whether all float32 values are finite, without another array: their sum in float64 cannot overflow."""
    with np.errstate(invalid="ignore"):
        return math.isfinite(array.sum(dtype=np.float64))


def _check_array(name: str, array: object, dtype: DTypeLike, length: int | None = None, of: str = "") -> None:
    dtype = np.dtype(dtype)
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
        found = f"{array.dtype} of the shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise SavedError(f"{name} is {found}: it must be one row of {dtype} numbers.")
    if length is not None and len(array) != length:
        raise SavedError(f"{name} has {len(array)} numbers; the {of} are {length}.")


def _short(value: object) -> str:
    """A value from outside as a message can hold it."""
    return repr(value)[:40] if isinstance(value, (str, int, float)) or value is None else type(value).__name__
