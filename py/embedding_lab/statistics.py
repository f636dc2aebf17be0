"""What a number is worth: gaps paired by seed and their verdict, spreads, correlations, and comparisons with chance."""

import math

import numpy as np

MATTERS = 0.1  # nats
NOISE = 0.01  # nats


def gaps(results: list[tuple[str, int, float]]) -> list[dict]:
    """Compare every pair of encodings on the seeds that both have.

    Runs of one seed share their other parameters and their batches, so the difference is taken
    seed by seed, and only then averaged.

    Args:
        results: (encoding, seed, validation loss in nats per character).

    Returns:
        One dict a pair, in the order of appearance: a, b; nats, the mean of loss(a) - loss(b); low and
        high, its 95 % interval (None for a single seed); seeds, how many; verdict, in words.
    """
    losses: dict[str, dict[int, float]] = {}
    for encoding, seed, loss in results:
        losses.setdefault(encoding, {})[seed] = loss
    names = list(losses)
    compared = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            shared = sorted(losses[a].keys() & losses[b].keys())
            if not shared:
                continue
            differences = np.array([losses[a][seed] - losses[b][seed] for seed in shared])
            nats = float(differences.mean())
            low, high = interval(differences)
            compared.append(
                {
                    "a": a,
                    "b": b,
                    "nats": nats,
                    "low": low,
                    "high": high,
                    "seeds": len(shared),
                    "verdict": verdict(nats, low, high),
                }
            )
    return compared


def interval(differences: np.ndarray) -> tuple[float, float] | tuple[None, None]:
    """The 95 % confidence interval of a mean by Student's t ("Student" 1908), or None for one value."""
    n = len(differences)
    if n < 2:
        return None, None
    half = student_t(n - 1) * float(differences.std(ddof=1)) / math.sqrt(n)
    return float(differences.mean()) - half, float(differences.mean()) + half


def student_t(freedom: int) -> float:
    """The 97.5 % point of Student's t, by bisection of its distribution function."""
    low, high = 1.9, 13.0
    for _ in range(60):
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


def spread(losses: list[float | None]) -> dict:
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


def correlation(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's coefficient of x (..., n) with y (n,), (...,); NaN where one of them does not vary."""
    x = x - x.mean(axis=-1, keepdims=True)
    y = y - y.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        return (x @ y) / np.sqrt(np.sum(x * x, axis=-1) * np.sum(y * y))


def ranks(values: np.ndarray) -> np.ndarray:
    """The rank of each value, from 1; equal values share the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[place]


def rank_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's coefficient: that of Pearson on the ranks (Spearman 1904)."""
    return float(correlation(ranks(x), ranks(y)))


def permutation_p(observed: float, shuffled: np.ndarray) -> float:
    """The p-value of a permutation test, one-sided: the share of all arrangements, the observed one
    included, that reach the observed value (Phipson and Smyth 2010)."""
    return float((1 + np.count_nonzero(shuffled >= observed)) / (1 + len(shuffled)))


def at_least(hits: int, trials: int, chance: float) -> float:
    """The probability of so many hits or more by chance alone (the upper tail of the binomial distribution)."""
    terms = (math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(hits, trials + 1))
    return min(1.0, math.fsum(terms))
