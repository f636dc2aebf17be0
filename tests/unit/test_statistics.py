"""Gaps are paired by seed, their intervals are Student's, and the verdict follows the rule."""

import numpy as np
import pytest

from embedding_lab.statistics import gaps, interval, student_t, verdict


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
