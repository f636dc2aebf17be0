"""The shape of the embedding table: where its rows lie, which lie together, which directions they differ in most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .kinds import Floats, Integers


@dataclass(frozen=True)
class Projection:
    """The rows of a table on a plane.

    Attributes:
        points: (V, axes) float32, in the units of the table; the mean of all rows is the origin.
        explained: (axes,) the share of the table's variance along each axis of the picture.
    """

    points: Floats
    explained: Floats


def project(table: Floats, previous: Floats | None = None, axes: int = 2) -> Projection:
    """Principal component analysis of the rows of a table (Pearson 1901).

    The plane of the first components is unique, but not the axes in it: a sign, or the order of two
    components of similar variance, may change from one moment to the next. So the picture is turned,
    or mirrored, to lie as near to the previous one as it can, which changes no distance in it
    (orthogonal Procrustes: Schoenemann 1966).

    Args:
        table: (V, d).
        previous: the points of the frame before, (V, axes), or None for the first.

    Returns:
        The projection; the share of variance is that along the axes as they are drawn.
    """
    centred = table - table.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)  # ascending
    directions = directions[:, ::-1][:, :axes]
    points = np.zeros((len(table), axes))
    points[:, : directions.shape[1]] = centred @ directions
    if previous is None:
        largest = points[np.abs(points).argmax(axis=0), np.arange(axes)]
        points *= np.where(largest < 0, -1, 1)
    else:
        left, _, right = np.linalg.svd(points.T @ previous)
        points = points @ left @ right
    total = np.sum(centred**2)
    explained = np.sum(points**2, axis=0) / total if total else np.zeros(axes)
    return Projection(points.astype(np.float32), explained)


def unit(rows: Floats) -> Floats:
    """The rows (..., d) at length 1; a row of zeros stays one."""
    length: Floats = np.linalg.norm(rows, axis=-1, keepdims=True)
    divisor: Floats = np.where(length > 0, length, 1)
    return rows / divisor


def distances(rows: Floats, others: Floats, metric: str = "euclidean") -> Floats:
    """How far each row is from each other one: their Euclidean distance, or 1 minus their cosine.

    Args:
        rows, others: (N, d) and (M, d).
        metric: "euclidean" or "cosine".

    Returns:
        (N, M) float64.
    """
    rows, others = rows.astype(np.float64), others.astype(np.float64)
    if metric == "cosine":
        cosine: Floats = unit(rows) @ unit(others).T
        return np.maximum(1 - cosine, 0)
    squared = np.sum(rows**2, axis=1)[:, None] + np.sum(others**2, axis=1) - 2 * rows @ others.T
    distance: Floats = np.sqrt(np.maximum(squared, 0))
    return distance


def nearest(distance: Floats, count: int) -> Integers:
    """The `count` nearest other rows of each row, (N, count), nearest first, from their distances (N, N)."""
    distance = distance.copy()
    np.fill_diagonal(distance, np.inf)
    return np.argsort(distance, axis=1, kind="stable")[:, :count]


def silhouettes(distance: Floats, labels: Integers) -> Floats:
    """How much nearer each row is to its own class than to the nearest other, as a mean over the rows.

    A row's silhouette is (b - a) / max(a, b), with a its mean distance to the others of its class and b the
    smallest mean distance to another class: from -1 to 1, 0 for a class of one (Rousseeuw 1987).

    Args:
        distance: (N, N).
        labels: (S, N), S labellings, classes counted from 0.

    Returns:
        (S,); NaN where there is only one class.
    """
    classes = int(labels.max()) + 1
    member = (labels[:, :, None] == np.arange(classes)).astype(np.float64)  # (S, N, classes)
    size = member.sum(axis=1)[:, None, :]  # (S, 1, classes)
    total = np.moveaxis(np.tensordot(distance, member, axes=(1, 1)), 1, 0)  # (S, N, classes)
    own_size = np.sum(member * size, axis=2)
    own = np.sum(member * total, axis=2) / np.maximum(own_size - 1, 1)
    mean = np.where((member > 0) | (size == 0), np.inf, total / np.maximum(size, 1))
    other = mean.min(axis=2)
    larger = np.maximum(own, other)
    with np.errstate(invalid="ignore"):
        each = np.where((own_size > 1) & (larger > 0), (other - own) / larger, 0.0)
    return np.where(np.isfinite(other).all(axis=1), each.mean(axis=1), np.nan)


def purity(neighbours: Integers, labels: Integers) -> Floats:
    """The share of neighbours that are of the row's own class, as a mean over the rows.

    Args:
        neighbours: (N, k) as from `nearest`.
        labels: (S, N).

    Returns:
        (S,), from 0 to 1.
    """
    shares: Floats = np.mean(labels[:, neighbours] == labels[:, :, None], axis=(1, 2))
    return shares


def without(rows: Floats, quantity: Floats) -> Floats:
    """The rows (N, d) without what a straight line in one quantity (N,) explains of each of their d numbers."""
    quantity = quantity - quantity.mean()
    slope: Floats = quantity @ rows / max(float(quantity @ quantity), np.finfo(float).tiny)
    return rows - quantity[:, None] * slope


def mean_cosine(rows: Floats) -> float:
    """The mean cosine of all pairs of different rows (N, d); NaN for one row. The cosine with a row of zeros is 0."""
    rows = unit(rows.astype(np.float64))
    count = len(rows)
    if count < 2:
        return float("nan")
    total = np.sum(rows.sum(axis=0) ** 2) - np.sum(rows * rows)
    return float(total / (count * (count - 1)))


def principal_directions(rows: Floats, count: int) -> Floats:
    """The directions in which rows (N, d) differ most, (d, at most count), orthonormal, the largest first."""
    centred = rows - rows.mean(axis=0)
    directions: Floats
    _, singular, directions = np.linalg.svd(centred.astype(np.float64), full_matrices=False)
    varies = np.count_nonzero(singular > 1e-6 * max(singular[0], np.finfo(float).tiny))
    return directions[: min(count, varies)].T


def subspace_cosines(a: Floats, b: Floats) -> Floats:
    """The cosines of the principal angles between two subspaces (Bjorck and Golub 1973).

    Args:
        a, b: (d, j) and (d, k), orthonormal columns.

    Returns:
        (min(j, k),), the largest first: 1 for a shared direction, 0 for one at right angles to the other subspace.
    """
    cosines: Floats = np.linalg.svd(a.T @ b, compute_uv=False)
    return np.minimum(cosines, 1.0)
