"""A run: one model that trains on one text, a slice of time at a time."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .config import RunConfig
from .corpus import Corpus, windows
from .model import MLP_WIDTH, Transformer, random_stream
from .ops import best
from .optimizer import AdamW, learning_rate
from .positions import PositionalEncoding, build

VALIDATION_POINTS = 20
STEPS_BETWEEN_VALIDATIONS = 10  # at least: an evaluation costs about five steps
# The validation loss is that of this many characters at most, spread evenly: all of Alice's tenth.
VALIDATION_CHARACTERS = 16_384
# Characters evaluated at once, which bounds the memory of an evaluation.
EVALUATION_CHARACTERS = 4096
DIVERGED_ABOVE_UNIFORM = 1.0
DIVERGED_STEPS = 50


class WeightsError(ValueError):
    """Weights that do not fit the settings they are given with."""


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
    train_loss: np.ndarray
    validation_steps: np.ndarray
    validation_loss: np.ndarray
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
        ops=None,
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
        if evaluate:
            self._timed(self._evaluate)

    def restore(self, weights: np.ndarray, step: int) -> None:
        """Take up the parameters of another run of this config, as a run that has ended: to look at, not to train on.

        Args:
            weights: the vector of all parameters, (P,).
            step: the step they are of.

        Raises:
            WeightsError: the weights are not as many as this model's.
        """
        vector = self.model.parameters.vector
        if np.shape(weights) != vector.shape:
            raise WeightsError(
                f"weights has the shape {np.shape(weights)}; the model of these settings has {vector.shape}: "
                "give the settings and the text of the run that the weights are from."
            )
        vector[...] = weights
        self.step = step
        self.state = "finished"

    def advance(self, seconds: float) -> Frame:
        """Train for about this long, and at least one step unless the run has ended."""
        until = time.perf_counter() + seconds
        while self.state == "training":
            self._timed(self._train_step)
            if time.perf_counter() >= until:
                break
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

    def _timed(self, work) -> None:
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
        if self.state == "training" and self.step == config.steps:
            self.state = "finished"
        every = max(STEPS_BETWEEN_VALIDATIONS, config.steps // VALIDATION_POINTS)
        if self._evaluates and (self.step % every == 0 or self.state == "finished"):
            self._evaluate()

    def _evaluate(self) -> None:
        self.validation.append((self.step, self.validation_loss()))

    def _check_divergence(self) -> None:
        limit = self._uniform + DIVERGED_ABOVE_UNIFORM
        recent = self.train_loss[-DIVERGED_STEPS:]
        if not math.isfinite(recent[-1]):
            what = f"the training loss is {recent[-1]}"
        elif len(recent) == DIVERGED_STEPS and min(recent) > limit:
            what = f"the training loss has stayed above ln V + 1 = {limit:.2f} nats for {DIVERGED_STEPS} steps"
        else:
            return
        self.state = "diverged"
        self.message = f"Diverged at step {self.step}: {what}. Lower the learning rate (it is {self.config.lr:g})."
