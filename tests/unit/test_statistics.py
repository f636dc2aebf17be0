"""Gaps are paired by seed, their intervals are Student's, the verdict follows the rule, and p-values count themselves."""

import math
import warnings

import numpy as np
import pytest
from scipy import stats

from embedding_lab.statistics import (
    SETTLED,
    at_least,
    correlation,
    estimate,
    gaps,
    more_seeds,
    permutation_p,
    rank_correlation,
    ranks,
    spread,
    student_t,
    summaries,
    verdict,
)


def test_gaps_are_paired_by_seed_and_in_order_of_appearance():
    results = [("none", 1, 2.4), ("learned", 1, 2.1), ("none", 2, 2.5), ("learned", 2, 2.1), ("rope", 2, 2.0), ("none", 3, 9.0)]
    found = gaps(results)
    assert [(gap["a"], gap["b"], gap["seeds"]) for gap in found] == [
        ("none", "learned", 2),
        ("none", "rope", 1),
        ("learned", "rope", 1),
    ]
    assert found[0]["nats"] == pytest.approx(0.35)
    assert found[1]["nats"] == pytest.approx(0.5)
    assert found[1]["low"] is found[1]["high"] is None


def test_a_gap_comes_with_its_interval_its_verdict_and_how_many_seeds_would_settle_it():
    [gap] = gaps([("a", 1, 2.4), ("b", 1, 2.3), ("a", 2, 2.5), ("b", 2, 2.3), ("a", 3, 2.6), ("b", 3, 2.3)])
    low, high = stats.ttest_1samp([0.1, 0.2, 0.3], 0).confidence_interval(0.95)
    measured = {"nats": pytest.approx(0.2), "low": pytest.approx(low), "high": pytest.approx(high), "seeds": 3}
    assert gap == {"a": "a", "b": "b", **measured, "verdict": "run more seeds", "more": more_seeds(0.2, 0.1, 3)}
    assert gap["more"] > 0


def test_encodings_that_share_no_seed_are_not_compared_and_others_are():
    assert gaps([("none", 1, 2.4), ("learned", 2, 2.1)]) == []
    found = gaps([("none", 1, 2.4), ("learned", 2, 2.1), ("rope", 1, 2.0), ("rope", 2, 2.0)])
    assert [(gap["a"], gap["b"]) for gap in found] == [("none", "rope"), ("learned", "rope")]


@pytest.mark.parametrize("lost", [None, math.nan, math.inf, -math.inf])
def test_a_loss_that_is_not_finite_is_left_out(lost):
    results = [("none", 1, 2.4), ("none", 2, 2.5), ("none", 3, lost), ("rope", 1, 2.0), ("rope", 2, 2.0), ("rope", 3, 2.0)]
    assert gaps(results) == gaps([row for row in results if row[2] is not lost])
    assert [row["seeds"] for row in summaries(results)] == [2, 3]
    assert gaps([("none", 1, lost), ("rope", 1, 2.0)]) == []


def test_each_encoding_has_a_row_in_order_of_appearance():
    results = [("rope", 1, 2.0), ("none", 1, math.nan), ("rope", 2, 2.2), ("alibi", 5, 2.5), ("rope", 4, 2.4)]
    rope, none, alibi = summaries(results)
    assert (rope["encoding"], rope["seeds"], rope["mean"], rope["deviation"]) == (
        "rope",
        3,
        pytest.approx(2.2),
        pytest.approx(0.2),
    )
    assert (rope["low"], rope["high"]) == pytest.approx((2.2 - 4.3027 * 0.2 / 3**0.5, 2.2 + 4.3027 * 0.2 / 3**0.5), abs=1e-4)
    assert none == {"encoding": "none", "seeds": 0, "mean": None, "deviation": None, "low": None, "high": None}
    assert alibi == {"encoding": "alibi", "seeds": 1, "mean": 2.5, "deviation": None, "low": None, "high": None}


def test_the_points_of_student_t_are_those_of_scipy():
    freedoms = [*range(1, 200), 499, 500, 1001, 1008]
    assert [student_t(freedom) for freedom in freedoms] == pytest.approx(stats.t.ppf(0.975, freedoms), rel=1e-10)


@pytest.mark.parametrize("n", [2, 3, 5, 10, 40])
def test_the_interval_of_a_gap_is_that_of_the_paired_t_test(n):
    losses = np.random.default_rng(n).normal(2, 0.1, (2, n))
    gap = gaps([(name, seed, losses[i, seed]) for i, name in enumerate("ab") for seed in range(n)])[0]
    assert (gap["low"], gap["high"]) == pytest.approx(tuple(stats.ttest_rel(*losses).confidence_interval(0.95)), abs=1e-10)


@pytest.mark.parametrize("n", [3, 5, 10])
def test_95_of_100_intervals_hold_the_true_gap_and_pairing_makes_them_narrow(n):
    """Losses as seeds give them: what a seed does to both encodings alike, and a smaller part that is each one's own."""
    stream, gap, trials = np.random.default_rng(20 + n), 0.25, 2000
    held, paired, unpaired = 0, [], []
    for _ in range(trials):
        shared = stream.normal(0, 0.1, n)
        a, b = 2.3 + gap + shared + stream.normal(0, 0.02, n), 2.3 + shared + stream.normal(0, 0.02, n)
        rows = [("a", seed, a[seed]) for seed in range(n)]
        found = gaps(rows + [("b", seed, b[seed]) for seed in range(n)])[0]
        held += found["low"] <= gap <= found["high"]
        paired.append(found["high"] - found["low"])
        mispaired = gaps(rows + [("b", seed, b[seed - 1]) for seed in range(n)])[0]
        unpaired.append(mispaired["high"] - mispaired["low"])
    assert 0.93 <= held / trials <= 0.97
    # sqrt(2 * (0.1^2 + 0.02^2)) / sqrt(2 * 0.02^2) = 5.1, and as mispaired neighbours share noise, about that.
    assert np.mean(unpaired) > 4 * np.mean(paired)


@pytest.mark.parametrize(
    "nats, low, high, expected",
    [
        (0.3, None, None, "matters, if more seeds agree: one seed is one seed"),
        (-0.3, None, None, "matters, if more seeds agree: one seed is one seed"),
        (0.05, None, None, "too small to call on one seed: run more seeds"),
        (0.004, None, None, "noise, as far as one seed can tell"),
        (0.3, 0.2, 0.4, "matters"),
        (-0.3, -0.4, -0.2, "matters"),
        (0.3, -0.1, 0.7, "run more seeds"),
        (0.002, -0.005, 0.009, "noise"),
        (0.05, 0.03, 0.07, "real but small"),
        (0.15, 0.05, 0.25, "real; run more seeds to see whether it matters"),
        (-0.15, -0.25, -0.05, "real; run more seeds to see whether it matters"),
        (0.03, -0.01, 0.07, "run more seeds"),  # too small to matter, but noise or not is open
        (0.03, 0.005, 0.055, "run more seeds"),  # not 0, but noise or not is open
        (0.1, 0.1, 0.1, "matters"),
        (0.01, 0.01, 0.01, "noise"),
        # On the edges of the rule: what is reached counts, and an interval that touches an edge lies on it.
        (0.1, None, None, "matters, if more seeds agree: one seed is one seed"),
        (-0.01, None, None, "noise, as far as one seed can tell"),
        (0.055, 0.01, 0.1, "run more seeds"),
        (0.06, 0.02, 0.1, "real; run more seeds to see whether it matters"),
        (-0.06, -0.1, -0.02, "real; run more seeds to see whether it matters"),
    ],
)
def test_the_verdict(nats, low, high, expected):
    assert verdict(nats, low, high) == expected


@pytest.mark.parametrize("mean", [0, 0.004, 0.009, 0.0101, 0.012, -0.05, 0.09, 0.099, -0.11, 0.3])
@pytest.mark.parametrize("deviation", [0, 0.005, 0.03, 0.2])
@pytest.mark.parametrize("n", [2, 3, 10])
def test_more_is_the_first_count_of_seeds_that_settles_the_verdict(mean, deviation, n):
    expected = None
    for more in range(1001):
        half = stats.t.ppf(0.975, n + more - 1) * deviation / math.sqrt(n + more)
        if verdict(mean, mean - half, mean + half) in SETTLED:
            expected = more
            break
    assert more_seeds(mean, deviation, n) == expected


def test_more_cannot_be_told_from_one_seed():
    assert gaps([("a", 1, 2.0), ("b", 1, 2.5)])[0]["more"] is None


def test_so_many_seeds_settle_it_in_about_every_second_experiment():
    """As the docstring warns: the mean and the deviation of new seeds differ, so the count is one to start from."""
    stream, mean, deviation, n = np.random.default_rng(7), 0.13, 0.04, 3
    count = n + more_seeds(mean, deviation, n)
    found = [estimate([*stream.normal(mean, deviation, count)]) for _ in range(2000)]
    settled = sum(verdict(each["mean"], each["low"], each["high"]) == "matters" for each in found) / len(found)
    assert count > 5 and 0.4 < settled < 0.65


def test_the_spread_of_several_seeds_and_of_one_that_diverged():
    assert spread([1.0, 2.0, 3.0]) == {"losses": [1.0, 2.0, 3.0], "mean": 2, "low": 1, "high": 3, "deviation": 1}
    assert spread([1.0, 2.0])["deviation"] == pytest.approx(0.5**0.5)
    assert spread([2.0])["deviation"] is None
    nothing = {"mean": None, "low": None, "high": None, "deviation": None}
    assert spread([2.0, None]) == {"losses": [2.0, None], **nothing}


def test_correlations_and_ranks():
    x, y = np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 5])
    assert correlation(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert correlation(np.stack([x, -x]), y) == pytest.approx(np.array([1, -1]) * np.corrcoef(x, y)[0, 1])
    with warnings.catch_warnings(action="error"):
        assert math.isnan(correlation(np.ones(4), y)) and math.isnan(correlation(x, np.ones(4)))
        assert not math.isfinite(correlation(x * 1e-200, y))  # whose squares are too small for a number
    assert ranks(np.array([5, 1, 5, 9])).tolist() == [2.5, 1, 2.5, 4]
    assert rank_correlation(x, np.exp(x)) == pytest.approx(1) and rank_correlation(x, -(x**3)) == pytest.approx(-1)
    assert rank_correlation(x, y) == pytest.approx(0.8)  # 1 - 6 * 2 / (4 * 15)


def test_p_values():
    assert permutation_p(2, np.array([1.0] * 998 + [3])) == 2 / 1000
    assert permutation_p(4, np.array([1.0] * 999)) == 1 / 1000
    assert permutation_p(2, np.array([1.0, 2, 3])) == 3 / 4  # as much as was observed reaches it
    assert at_least(0, 25, 0.1) == 1 and at_least(25, 25, 0.5) == 0.5**25
    assert at_least(2, 3, 0.5) == pytest.approx(0.5)
    assert at_least(0, 2, 0.2) == 1  # where the rounded sum of all terms is more
