"""The shape of the embedding table: where its rows lie, seen from the directions in which they differ most."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Projection:
    """The rows of a table on a plane.

    Attributes:
        points: (V, axes) float32, in the units of the table; the mean of all rows is the origin.
        explained: (axes,) the share of the table's variance along each axis of the picture.
    """

    points: np.ndarray
    explained: np.ndarray


def project(table: np.ndarray, previous: np.ndarray | None = None, axes: int = 2) -> Projection:
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
