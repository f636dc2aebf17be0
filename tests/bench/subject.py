"""What every contender trains: the default model on Alice, from the same weights on the same batches."""

import build
from embedding_lab.config import RunConfig
from embedding_lab.corpus import Corpus
from embedding_lab.model import Transformer, random_stream
from embedding_lab.positions import build as build_encoding

# So many steps that the first evaluation, after a twentieth of them, lies beyond what is measured.
STEPS = 20_000
# How far the losses of two contenders may be apart, in nats: at the same weights, and after ten updates of each.
SAME_LOSS = 1e-4
SAME_AFTER_UPDATES = 1e-3
UPDATES = 10
# How far apart the same run may end, in nats: sums taken in another order drift apart over 500 steps.
SAME_END = 0.1


class UnequalLosses(Exception):
    """Two contenders do not train the same model, so that comparing their times would mean nothing."""


def step_config(**changes) -> RunConfig:
    """The default model without positions, to measure training steps with."""
    return RunConfig(**{"encoding": "none", "steps": STEPS, **changes})


def alice_text() -> str:
    return (build.CORPORA / "alice29.txt").read_text("utf-8")


def starting_model(config: RunConfig, corpus: Corpus) -> Transformer:
    """The model as every run of this config starts."""
    encoding = build_encoding(config.encoding, config.context, config.position_scale)
    return Transformer(config, len(corpus.vocabulary), encoding)


def first_batches(config: RunConfig, corpus: Corpus, count: int) -> list:
    """The batches that a run of this config draws first: (inputs, targets), each (B, T) int32."""
    stream = random_stream(config.seed, "batches")
    return [corpus.batch(stream, config.batch, config.context) for _ in range(count)]


def check_same_losses(losses: dict[str, list[float]]) -> None:
    """Make sure that the contenders train the same model.

    Args:
        losses: for each contender the loss of the first batch at the starting weights, then of the next batches, each
            after one more update. Those with more values than others are compared as far as both go.

    Raises:
        UnequalLosses: naming the two that differ, the step, and by how much.
    """
    (first, expected), *others = losses.items()
    for name, found in others:
        for step, (one, other) in enumerate(zip(expected, found, strict=False)):
            allowed = SAME_LOSS if step == 0 else SAME_AFTER_UPDATES
            if not abs(one - other) <= allowed:  # also true of NaN
                where = "at the same weights" if step == 0 else f"after {step} updates"
                raise UnequalLosses(
                    f"{where} the loss of {name} is {other:.6f} and that of {first} is {one:.6f} nats: they differ by more "
                    f"than {allowed:g}, so they do not train the same model and their times cannot be compared."
                )


def check_same_experiment(one: dict[str, float], other: dict[str, float]) -> None:
    """Make sure that two experiments were of the same runs.

    Args:
        one, other: the validation loss at the end of each run, by its name.

    Raises:
        UnequalLosses: they have other runs, or a run ended elsewhere.
    """
    if one.keys() != other.keys():
        raise UnequalLosses(f"the experiments have other runs: {', '.join(one)} and {', '.join(other)}.")
    for name, loss in one.items():
        if not abs(loss - other[name]) <= SAME_END:
            raise UnequalLosses(f"the run {name} ended at {loss:.3f} and at {other[name]:.3f} nats.")
