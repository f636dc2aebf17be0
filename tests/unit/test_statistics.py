"""Gaps are paired by seed, their intervals are Student's, the verdict follows the rule, and p-values count themselves."""

import math

import numpy as np
import pytest

from embedding_lab.statistics import (
    at_least,
    correlation,
    gaps,
    interval,
    permutation_p,
    rank_correlation,
    ranks,
    spread,
    student_t,
    verdict,
)


def test_gaps_are_paired_by_seed_and_in_order_of_appearance():
    results = [("none", 1, 2.4), ("learned", 1, 2.1), ("none", 2, 2.5), ("learned", 2, 2.1), ("rope", 2, 2.0), ("none", 3, 9.0)]
    found = gaps(results)
    assert [(gap["a"], gap["b"], gap["seeds"]) for gap in found] == [("none", "learned", 2), ("none", "rope", 1), ("learned", "rope", 1)]
    assert found[0]["nats"] == pytest.approx(0.35)
    assert found[1]["nats"] == pytest.approx(0.5)
    assert found[1]["low"] is found[1]["high"] is None


def test_encodings_that_share_no_seed_are_not_compared():
    assert gaps([("none", 1, 2.4), ("learned", 2, 2.1)]) == []


@pytest.mark.parametrize("freedom, point", [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (29, 2.045), (200, 1.972)])
def test_the_points_of_student_t_are_those_of_the_tables(freedom, point):
    assert student_t(freedom) == pytest.approx(point, abs=6e-4)


def test_the_interval_of_three_differences():
    low, high = interval(np.array([0.2, 0.3, 0.4]))
    assert (low, high) == pytest.approx((0.3 - 4.3027 * 0.1 / 3**0.5, 0.3 + 4.3027 * 0.1 / 3**0.5), abs=1e-4)


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
    ],
)
def test_the_verdict(nats, low, high, expected):
    assert verdict(nats, low, high) == expected


def test_the_spread_of_several_seeds_and_of_one_that_diverged():
    assert spread([1.0, 2.0, 3.0]) == {"losses": [1.0, 2.0, 3.0], "mean": 2, "low": 1, "high": 3, "deviation": 1}
    assert spread([2.0])["deviation"] is None
    assert spread([2.0, None])["mean"] is None


def test_correlations_and_ranks():
    x, y = np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 5])
    assert correlation(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert correlation(np.stack([x, -x]), y) == pytest.approx(np.array([1, -1]) * np.corrcoef(x, y)[0, 1])
    assert math.isnan(correlation(np.ones(4), y))
    assert ranks(np.array([5, 1, 5, 9])).tolist() == [2.5, 1, 2.5, 4]
    assert rank_correlation(x, np.exp(x)) == pytest.approx(1) and rank_correlation(x, -(x**3)) == pytest.approx(-1)
    assert rank_correlation(x, y) == pytest.approx(0.8)  # 1 - 6 * 2 / (4 * 15)


def test_p_values():
    assert permutation_p(2, np.array([1.0] * 998 + [3])) == 2 / 1000
    assert permutation_p(4, np.array([1.0] * 999)) == 1 / 1000
    assert at_least(0, 25, 0.1) == 1 and at_least(25, 25, 0.5) == 0.5**25
    assert at_least(2, 3, 0.5) == pytest.approx(0.5)
