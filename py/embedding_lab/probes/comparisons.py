"""The probes that train models of their own: relabelled ids, widths, tied and untied, amplitudes of the sinusoid."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..corpus import Corpus, character_class
from ..geometry import distances, nearest, purity, silhouettes
from ..position_checks import check
from ..positions import PositionalEncoding, PositionError, Sinusoidal
from ..statistics import gaps, spread
from ..training import Run
from .view import NEIGHBOURS, Probe, View, list_argument, number_argument, probe_stream

if TYPE_CHECKING:
    from typing import Any

    from ..config import RunConfig
    from ..kinds import Floats, Integers, Plain, Result, Work
    from ..ops.interface import Operations

SLICE = 0.03  # seconds of training between two reports of progress
UPDATES = number_argument("updates", 200, 1, 5000, "Updates of the parameters in each training.")
SEEDS = list_argument("seeds", [1, 2, 3], 0, 9999, "Each model is trained once with each of these seeds.")


@dataclass
class _Progress:
    """How far several trainings are, as one number."""

    total: int
    done: int = 0

    def train(self, run: Run) -> Generator[float, None, float | None]:
        """Train a run to its end; returns its validation loss in nats per character, None if it diverged."""
        before = self.done
        while run.state == "training":
            run.advance(SLICE)
            self.done = before + run.step
            yield min(self.done / self.total, 1.0)
        self.done = before + run.config.steps
        if run.state == "diverged":
            return None
        for loss in run.evaluation():  # noqa: B007  # the last one is that of the run
            yield self.done / self.total
        return loss if math.isfinite(loss) else None


class Relabelled:
    """The operations of a relabelled model, with its sums over the vocabulary in the order of the first model.

    A floating-point sum depends on the order of its terms. So the rows of the table that the logits are made
    with are taken in their old order, and everything from the logits to the loss is the sum that it was; only
    lookups, the table and its updates know the new ids.

    Args:
        ops: what computes.
        new_of: (V,), the new id of each old one.
    """

    def __init__(self, ops: Operations, new_of: Integers) -> None:
        self._ops = ops
        self._new_of = new_of
        self._old_of = np.argsort(new_of).astype(np.int32)

    def __getattr__(self, operation: str) -> Any:
        return getattr(self._ops, operation)

    def unembedding(self, out: Floats, x: Floats, table: Floats) -> None:
        self._ops.unembedding(out, x, table[self._new_of])

    def unembedding_backward(self, dx: Floats, dtable: Floats, dout: Floats, x: Floats, table: Floats) -> None:
        in_old_order = np.zeros_like(dtable)
        self._ops.unembedding_backward(dx, in_old_order, dout, x, table[self._new_of])
        dtable[self._new_of] += in_old_order

    def cross_entropy(self, losses: Floats, probabilities: Floats, logits: Floats, targets: Integers) -> None:
        self._ops.cross_entropy(losses, probabilities, logits, self._old_of[targets])

    def cross_entropy_backward(self, dlogits: Floats, probabilities: Floats, targets: Integers) -> None:
        self._ops.cross_entropy_backward(dlogits, probabilities, self._old_of[targets])


def relabel(view: View, updates: int = 100) -> Work:
    """Shuffle the ids, carry the rows along, train again: the same loss curve (claim 6).

    Three trainings from the same start. The second has shuffled ids, and its E (and unembedding) the rows in
    the new order; its sums over the vocabulary run in the old order (see `Relabelled`), so that every loss must
    be the same number to the last bit. The third takes those sums in the new order too, as it comes, and is the
    same up to rounding.

    Args:
        updates: of the parameters.

    Yields:
        Progress.

    Returns:
        characters (V); newIds (V,), of each; updates; losses and relabelledLosses, the training loss in nats
        at each update; largestDifference between them, to be 0; newOrderLosses and newOrderDifference, of the
        third; validationLoss, relabelledValidationLoss, newOrderValidationLoss, None where it diverged;
        tableDifference, the largest between the trained E and the relabelled one with its rows put back, to be 0.
    """
    corpus, config = view.corpus, replace(view.config, steps=updates)
    new_of = probe_stream(view, "relabel").permutation(len(corpus.vocabulary)).astype(corpus.train.dtype)
    old_of = np.argsort(new_of)
    renamed = Corpus(tuple(corpus.vocabulary[id] for id in old_of), new_of[corpus.train], new_of[corpus.validation])
    ops, encoding = view.model.ops, view.model.encoding
    progress = _Progress(3 * updates)
    runs, validation = [], []
    for text, computes in ((corpus, ops), (renamed, Relabelled(ops, new_of)), (renamed, ops)):
        run = Run(config, text, encoding, computes, evaluate=False)
        if text is renamed:
            for name in {"embedding", "unembedding"} & run.model.parameters.arrays.keys():
                run.model.parameters[name][...] = run.model.parameters[name][old_of]
        validation.append((yield from progress.train(run)))
        runs.append(run)
    first, second, third = (np.array(run.train_loss) for run in runs)
    put_back = runs[1].model.parameters["embedding"][new_of]
    shortest = min(len(first), len(second), len(third))
    return {
        "characters": list(corpus.vocabulary),
        "newIds": new_of,
        "updates": updates,
        "losses": first,
        "relabelledLosses": second,
        "largestDifference": _largest(first[:shortest], second[:shortest]),
        "newOrderLosses": third,
        "newOrderDifference": _largest(first[:shortest], third[:shortest]),
        "validationLoss": validation[0],
        "relabelledValidationLoss": validation[1],
        "newOrderValidationLoss": validation[2],
        "tableDifference": _largest(runs[0].model.parameters["embedding"], put_back),
    }


def _largest(a: Floats, b: Floats) -> float:
    return float(np.abs(a - b).max())


def width(
    view: View, widths: Sequence[int] = (8, 16, 24, 48, 96), seeds: Sequence[int] = (1, 2, 3), updates: int = 200
) -> Work:
    """What a wider residual stream buys on this text, in this many updates (claim 8).

    Every other setting is that of the run, but that the heads are as many of the run's as divide d and as the
    encoding takes.

    Yields:
        Progress.

    Returns:
        encoding; updates; seeds; baselines in nats per character; widths: for each d, heads, parameters and the
        validation loss in nats per character: losses (one a seed), mean, low, high, deviation as in
        `statistics.spread`; best, the d of the lowest mean; gaps, each pair of widths as in `statistics.gaps`.
    """
    encoding = view.model.encoding
    measured: list[Plain] = []
    means: dict[float, float | None] = {}
    pairs: list[Result] = []
    progress = _Progress(len(widths) * len(seeds) * updates)
    for d in widths:
        heads = _heads_for(view.config, encoding, d)
        losses: list[float | None] = []
        for seed in seeds:
            config = replace(view.config, d=d, heads=heads, seed=seed, steps=updates)
            run = Run(config, view.corpus, encoding, view.model.ops, evaluate=False)
            losses.append((yield from progress.train(run)))
            pairs.append((f"d = {d}", seed, losses[-1]))
        found = spread(losses)
        means[d] = found["mean"]
        measured.append({"d": d, "heads": heads, "parameters": run.model.size, **found})
    return {
        "encoding": view.config.encoding,
        "updates": updates,
        "seeds": list(seeds),
        "baselines": view.corpus.baselines(),
        "widths": measured,
        "best": _lowest(means),
        "gaps": gaps(pairs),
    }


def _heads_for(config: RunConfig, encoding: PositionalEncoding, d: int) -> int:
    """The most heads, up to those of the run, that divide d and that the encoding takes.

    Raises:
        PositionError: the encoding takes no number of heads at this width.
    """
    for heads in range(config.heads, 0, -1):
        if d % heads:
            continue
        try:
            check(encoding, config.context, d, heads)
        except PositionError as error:
            refused = error
            continue
        return heads
    raise refused


def _lowest(means: dict[float, float | None]) -> float | None:
    """What the lowest mean belongs to, the first of several; None where no mean is known."""
    known = {value: mean for value, mean in means.items() if mean is not None}
    return min(known, key=lambda value: known[value]) if known else None


def tying(view: View, seeds: Sequence[int] = (1, 2, 3), updates: int = 200) -> Work:
    """One table for both jobs, or two (claim 19; Press and Wolf 2017).

    Yields:
        Progress.

    Returns:
        encoding; updates; seeds; saved, the parameters that tying saves; tied and untied, each: parameters;
        the validation loss in nats per character as in `statistics.spread`; silhouette and purity of E by
        class of character (see the probe geometry), one a seed, None where it diverged; gap, untied minus tied as in
        `statistics.gaps`: positive where tying is better, None where a run diverged.
    """
    encoding = view.model.encoding
    labels = np.unique([character_class(each) for each in view.corpus.vocabulary], return_inverse=True)[1][None]
    progress = _Progress(2 * len(seeds) * updates)
    measured: dict[str, Plain] = {}
    parameters: dict[str, int] = {}
    pairs: list[Result] = []
    for name, tied in (("untied", False), ("tied", True)):
        losses: list[float | None] = []
        separation, pureness = [], []
        for seed in seeds:
            config = replace(view.config, tied=tied, seed=seed, steps=updates)
            run = Run(config, view.corpus, encoding, view.model.ops, evaluate=False)
            losses.append((yield from progress.train(run)))
            pairs.append((name, seed, losses[-1]))
            table = run.model.parameters["embedding"]
            distance = distances(table, table)
            finished = losses[-1] is not None
            separation.append(silhouettes(distance, labels)[0] if finished else None)
            pureness.append(purity(nearest(distance, NEIGHBOURS), labels)[0] if finished else None)
        parameters[name] = run.model.size
        measured[name] = {
            "parameters": run.model.size,
            **spread(losses),
            "silhouette": separation,
            "purity": pureness,
        }
    return {
        "encoding": view.config.encoding,
        "updates": updates,
        "seeds": list(seeds),
        "saved": parameters["untied"] - parameters["tied"],
        **measured,
        "gap": None if any(loss is None for *_, loss in pairs) else next(iter(gaps(pairs)), None),
    }


def amplitude(
    view: View,
    amplitudes: Sequence[float] = (0.0, 0.02, 0.05, 0.2, 1.0),
    seeds: Sequence[int] = (1, 2, 3),
    updates: int = 500,
) -> Work:
    """A sinusoid much larger than E drowns it (claim 12; the table of Vaswani et al. 2017 has the amplitude 1).

    Every other setting is that of the run. Both effects depend on the updates: at amplitude 1 the default run is still
    at the unigram entropy after 200 and has left it after 500; and what a quiet sinusoid gains over none, at amplitude
    0, does not show after 200.

    Yields:
        Progress.

    Returns:
        initStd, the standard deviation that E starts with; updates; seeds; baselines in nats per character;
        amplitudes: for each amplitude the validation loss as in `statistics.spread`; best, the amplitude of the
        lowest mean.
    """
    measured: list[Plain] = []
    means: dict[float, float | None] = {}
    progress = _Progress(len(amplitudes) * len(seeds) * updates)
    for scale in amplitudes:
        losses: list[float | None] = []
        for seed in seeds:
            config = replace(view.config, encoding="sinusoidal", position_scale=scale, seed=seed, steps=updates)
            run = Run(config, view.corpus, Sinusoidal(scale), view.model.ops, evaluate=False)
            losses.append((yield from progress.train(run)))
        found = spread(losses)
        means[scale] = found["mean"]
        measured.append({"amplitude": scale, **found})
    return {
        "initStd": view.config.init_std,
        "updates": updates,
        "seeds": list(seeds),
        "baselines": view.corpus.baselines(),
        "amplitudes": measured,
        "best": _lowest(means),
    }


PROBES = [
    Probe(
        "relabel",
        "Shuffled ids train alike",
        (6,),
        relabel,
        [number_argument("updates", 100, 1, 5000, "Updates of the parameters in each of three trainings.")],
        needs_model=False,
    ),
    Probe(
        "width",
        "How wide is wide enough?",
        (8,),
        width,
        [list_argument("widths", [8, 16, 24, 48, 96], 8, 128, "Widths d to train."), SEEDS, UPDATES],
        needs_model=False,
    ),
    Probe(
        "tying",
        "One table, two jobs",
        (19,),
        tying,
        [SEEDS, UPDATES],
        needs_model=False,
    ),
    Probe(
        "amplitude",
        "A loud position drowns the character",
        (12,),
        amplitude,
        [
            list_argument("amplitudes", [0.0, 0.02, 0.05, 0.2, 1.0], 0, 1, "Amplitudes of the sinusoidal table to train."),
            SEEDS,
            {**UPDATES, "default": 500},
        ],
        needs_model=False,
    ),
]
