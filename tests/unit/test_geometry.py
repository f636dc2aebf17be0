"""The picture of the table: it is the principal plane, and it does not flip from frame to frame."""

import numpy as np
import pytest

from embedding_lab.geometry import project
from embedding_lab.model import random_stream


def table(rows=73, d=48, name="table"):
    return random_stream(1, name).normal(size=(rows, d)) * np.linspace(2, 0.5, d)


def test_the_plane_holds_the_two_largest_variances():
    centred = table() - table().mean(axis=0)
    singular = np.linalg.svd(centred, compute_uv=False)
    projection = project(table())
    assert projection.explained == pytest.approx(singular[:2] ** 2 / np.sum(singular**2))
    assert projection.points.shape == (73, 2) and projection.points.dtype == np.float32
    assert projection.points.mean(axis=0) == pytest.approx(0, abs=1e-6)


def test_turning_the_picture_changes_no_distance_and_no_total_variance():
    first = project(table())
    turned = project(table(), previous=first.points @ [[0.6, -0.8], [0.8, 0.6]])
    assert np.linalg.norm(turned.points, axis=1) == pytest.approx(np.linalg.norm(first.points, axis=1), rel=1e-4)
    assert turned.explained.sum() == pytest.approx(first.explained.sum())
    assert not np.allclose(turned.points, first.points, atol=0.1)


def test_a_table_whose_axes_are_mirrored_or_swapped_gives_the_same_picture():
    rows = table()
    first = project(rows)
    left, singular, right = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    right = right[[1, 0, *range(2, 48)]] * np.where(np.arange(48) % 2, 1, -1)[:, None]
    same = project(left * singular @ right, previous=first.points)
    assert same.points == pytest.approx(first.points, abs=1e-4)


def test_components_that_swap_order_do_not_flip_the_picture():
    # Two directions of nearly equal variance exchange rank halfway: unaligned, the axes would swap there.
    base = random_stream(2, "unit").normal(size=(40, 2))
    base = np.linalg.qr(base - base.mean(axis=0))[0]
    directions = np.linalg.qr(random_stream(2, "directions").normal(size=(10, 2)))[0].T
    previous, moves = None, []
    for t in np.linspace(0, 1, 50):
        rows = base * [3 + 0.2 * (t - 0.5), 3 - 0.2 * (t - 0.5)] @ directions
        points = project(rows, previous).points
        if previous is not None:
            moves.append(np.abs(points - previous).max())
        previous = points
    assert max(moves) < 0.02


def test_three_axes_and_tables_narrower_than_the_picture():
    assert project(table(), axes=3).points.shape == (73, 3)
    flat = project(table(d=1))
    assert flat.points.shape == (73, 2) and not flat.points[:, 1].any()


def test_a_table_of_equal_rows_has_no_variance_to_explain():
    projection = project(np.ones((5, 8)))
    assert not projection.points.any() and not projection.explained.any()
