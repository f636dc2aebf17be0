"""What a number is worth: gaps paired by seed and their verdict, spreads, correlations, and comparisons with chance."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .kinds import Array, Estimate, Floats, Gap, Result, Spread, Summary

MATTERS = 0.1  # nats
NOISE = 0.01  # nats
SETTLED = ("matters", "noise", "real but small")  # verdicts that more seeds would not change, if nothing else changes
MOST_MORE = 1000  # further seeds that are worth naming


def gaps(results: list[Result]) -> list[Gap]:
    """Compare every pair of encodings on the seeds that both have.

    Runs of one seed share their other parameters and their batches, so the difference is taken
    seed by seed, and only then averaged. Each interval is for its pair alone: the more pairs, the likelier
    that one of them misses.

    Args:
        results: (encoding, seed, validation loss in nats per character); one that is None or not finite, of a run
            that diverged, is left out.

    Returns:
        One dict a pair, in the order of appearance: a, b; nats, the mean of loss(a) - loss(b); low and
        high, its 95 % interval (None for a single seed); seeds, how many; verdict, in words; more, as
        `more_seeds` gives it.
    """
    losses = _by_encoding(results)
    names = list(losses)
    compared: list[Gap] = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            shared = sorted(losses[a].keys() & losses[b].keys())
            found = estimate([losses[a][seed] - losses[b][seed] for seed in shared])
            if found["mean"] is None:  # there is no such seed
                continue
            compared.append(
                {
                    "a": a,
                    "b": b,
                    "nats": found["mean"],
                    "low": found["low"],
                    "high": found["high"],
                    "seeds": len(shared),
                    "verdict": verdict(found["mean"], found["low"], found["high"]),
                    "more": more_seeds(found["mean"], found["deviation"], len(shared)),
                }
            )
    return compared


def summaries(results: list[Result]) -> list[Summary]:
    """What the seeds of each encoding gave.

    Args:
        results: as `gaps` takes them.

    Returns:
        One dict an encoding, in the order of appearance: encoding; seeds, how many have a finite loss; and mean,
        deviation, low and high of those, as in `estimate`.
    """
    rows = _by_encoding(results).items()
    return [{"encoding": encoding, "seeds": len(losses), **estimate([*losses.values()])} for encoding, losses in rows]


def _by_encoding(results: list[Result]) -> dict[str, dict[int, float]]:
    """The finite losses by encoding and seed; an encoding that has none is there all the same."""
    losses: dict[str, dict[int, float]] = {}
    for encoding, seed, loss in results:
        of_encoding = losses.setdefault(encoding, {})
        if loss is not None and math.isfinite(loss):
            of_encoding[seed] = loss
    return losses


def estimate(values: list[float]) -> Estimate:
    """A mean and how sure it is.

    Returns:
        mean; deviation, the sample standard deviation; low and high, the 95 % confidence interval of the mean by
        Student's t ("Student" 1908). The mean of no value is None, and so are the others of less than two.
    """
    n = len(values)
    if n == 0:
        return {"mean": None, "deviation": None, "low": None, "high": None}
    mean = float(np.mean(values))
    if n == 1:
        return {"mean": mean, "deviation": None, "low": None, "high": None}
    deviation = float(np.std(values, ddof=1))
    low, high = _interval(mean, deviation, n)
    return {"mean": mean, "deviation": deviation, "low": low, "high": high}


def _interval(mean: float, deviation: float, n: int) -> tuple[float, float]:
    half = student_t(n - 1) * deviation / math.sqrt(n)
    return mean - half, mean + half


@cache
def student_t(freedom: int) -> float:
    """The 97.5 % point of Student's t, by bisection of its distribution function."""
    low, high = 1.9, 13.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _two_sided(middle, freedom) < 0.95 else (low, middle)
    return low


def _two_sided(t: float, freedom: int) -> float:
    """P(|T| < t): Abramowitz and Stegun 1964, formulas 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, total = math.cos(angle), 0.0
    term = cosine if freedom % 2 else 1.0
    for k in range(2 if freedom % 2 else 1, freedom, 2):
        total += term
        term *= cosine * cosine * k / (k + 1)
    if freedom % 2:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total


def verdict(nats: float, low: float | None, high: float | None) -> str:
    """The rule in words: 0.1 nats matters, 0.01 is noise, and an interval that straddles asks for more seeds."""
    if low is None or high is None:
        if abs(nats) >= MATTERS:
            return "matters, if more seeds agree: one seed is one seed"
        if abs(nats) <= NOISE:
            return "noise, as far as one seed can tell"
        return "too small to call on one seed: run more seeds"
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    if nearest >= MATTERS:
        return "matters"
    if max(abs(low), abs(high)) <= NOISE:
        return "noise"
    if nearest > NOISE:
        return "real but small" if max(abs(low), abs(high)) < MATTERS else "real; run more seeds to see whether it matters"
    return "run more seeds"


def more_seeds(mean: float, deviation: float | None, n: int) -> int | None:
    """How many more seeds would settle the verdict on a gap, if mean and deviation stay as they are.

    They will not quite, so in about every second experiment it takes more than that.

    Args:
        mean, deviation: of the gap over the seeds that there are, in nats.
        n: how many those are.

    Returns:
        0 where it is settled; None where it cannot be told, of one seed, or where `MOST_MORE` would not do.
    """
    if deviation is None:
        return None

    def settled(more: int) -> bool:
        return verdict(mean, *_interval(mean, deviation, n + more)) in SETTLED

    # With more seeds the interval shrinks into itself, so what is settled stays settled.
    return bisect_left(range(MOST_MORE), True, key=settled) if settled(MOST_MORE) else None


def spread(losses: list[float | None]) -> Spread:
    """What several seeds gave: losses as they are; mean, low and high; deviation, the sample standard deviation.

    A run that diverged is None, and then so is everything else; the deviation of one value is None too.
    """
    if None in losses:
        return {"losses": losses, "mean": None, "low": None, "high": None, "deviation": None}
    values = np.array(losses)
    return {
        "losses": losses,
        "mean": float(values.mean()),
        "low": float(values.min()),
        "high": float(values.max()),
        "deviation": float(values.std(ddof=1)) if len(values) > 1 else None,
    }


def correlation(x: Array, y: Array) -> Floats:
    """Pearson's coefficient of x (..., n) with y (n,), (...,); NaN where one of them does not vary."""
    x = x - x.mean(axis=-1, keepdims=True)
    y = y - y.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        coefficient: Floats = (x @ y) / np.sqrt(np.sum(x * x, axis=-1) * np.sum(y * y))
    return coefficient


def ranks(values: Array) -> Floats:
    """The rank of each value, from 1; equal values share the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[place]


def rank_correlation(x: Array, y: Array) -> float:
    """Spearman's coefficient: that of Pearson on the ranks (Spearman 1904)."""
    return float(correlation(ranks(x), ranks(y)))


def permutation_p(observed: float, shuffled: Floats) -> float:
    """The p-value of a permutation test, one-sided: the share of all arrangements, the observed one
    included, that reach the observed value (Phipson and Smyth 2010)."""
    return float((1 + np.count_nonzero(shuffled >= observed)) / (1 + len(shuffled)))


def at_least(hits: int, trials: int, chance: float) -> float:
    """The probability of so many hits or more by chance alone (the upper tail of the binomial distribution)."""
    terms = (math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(hits, trials + 1))
    return min(1.0, math.fsum(terms))
