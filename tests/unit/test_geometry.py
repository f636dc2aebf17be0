"""The picture of the table: it is the principal plane, and it does not flip from frame to frame."""

import numpy as np
import pytest

from embedding_lab.geometry import (
    distances,
    mean_cosine,
    nearest,
    principal_directions,
    project,
    purity,
    silhouettes,
    subspace_cosines,
    without,
)
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


def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def test_distances_are_those_of_each_pair():
    rows, others = table(7, 5), table(4, 5, "others")
    euclidean = [[np.linalg.norm(a - b) for b in others] for a in rows]
    assert distances(rows, others) == pytest.approx(np.array(euclidean))
    assert distances(rows, others, "cosine") == pytest.approx(np.array([[1 - cosine(a, b) for b in others] for a in rows]))


def test_the_silhouette_is_that_of_its_definition():
    rows = table(12, 3)
    distance, labels = distances(rows, rows), np.array([[0, 1, 2, 0, 1, 2, 0, 1, 0, 1, 0, 3]])
    each = []
    for i, own in enumerate(labels[0]):
        to = {c: [distance[i, j] for j in range(12) if j != i and labels[0, j] == c] for c in range(4)}
        if not to[own]:
            each.append(0)
            continue
        a, b = np.mean(to[own]), min(np.mean(to[c]) for c in range(4) if c != own)
        each.append((b - a) / max(a, b))
    assert silhouettes(distance, labels) == pytest.approx([np.mean(each)])
    assert silhouettes(distance, np.repeat(labels, 3, axis=0)) == pytest.approx([np.mean(each)] * 3)
    assert np.isnan(silhouettes(distance, np.zeros((1, 12), int)))


def test_two_clusters_have_a_silhouette_near_1_and_pure_neighbours():
    rows = np.concatenate([table(6, 4) * 0.01, table(6, 4) * 0.01 + 5])
    distance, labels = distances(rows, rows), np.repeat([[0, 1]], 6, axis=1)
    assert silhouettes(distance, labels)[0] > 0.95
    neighbours = nearest(distance, 3)
    assert not np.any(neighbours == np.arange(12)[:, None])
    assert purity(neighbours, labels) == 1
    assert purity(neighbours, np.tile([0, 1], 6)[None]) < 1


def test_what_a_line_explains_is_removed():
    quantity = np.arange(9.0)
    rows = table(9, 4)
    left = without(rows + (quantity - 4)[:, None] * [1, -2, 0, 3], quantity)
    assert left == pytest.approx(without(rows, quantity))
    assert (quantity - quantity.mean()) @ left == pytest.approx(0, abs=1e-9)
    assert without(rows, np.ones(9)) == pytest.approx(rows)


def test_the_mean_cosine_is_over_all_pairs():
    rows = table(8, 3)
    pairs = [cosine(rows[i], rows[j]) for i in range(8) for j in range(8) if i != j]
    assert mean_cosine(rows) == pytest.approx(np.mean(pairs))
    assert mean_cosine(np.ones((4, 3))) == pytest.approx(1)
    assert np.isnan(mean_cosine(rows[:1]))


def test_subspaces_that_share_a_direction_and_subspaces_at_right_angles():
    axes = np.eye(6)
    assert subspace_cosines(axes[:, :2], axes[:, 1:3]) == pytest.approx([1, 0])
    assert subspace_cosines(axes[:, :2], axes[:, 2:5]) == pytest.approx([0, 0])
    rows = table(20, 6)
    directions = principal_directions(rows, 3)
    assert directions.T @ directions == pytest.approx(np.eye(3))
    along = np.abs((rows - rows.mean(axis=0)) @ directions)
    assert np.abs(project(rows, axes=3).points) == pytest.approx(along, abs=1e-5)
    assert principal_directions(np.outer(np.arange(5), np.ones(6)), 3).shape == (6, 1)
