"""Checks what an encoding returns before the model computes with it, and says what it should be."""

from __future__ import annotations

from types import CoroutineType, GeneratorType
from typing import TYPE_CHECKING

import numpy as np

from .positions import PositionalEncoding, PositionError, Trainable

if TYPE_CHECKING:
    from .kinds import Supplied

LARGEST = float(np.finfo(np.float32).max)
SQUARED = 1e18  # the most in what the model takes squares of, as LayerNorm does, and the picture of the table


def check(encoding: PositionalEncoding, length: int, d: int, heads: int) -> Supplied:
    """Ask an encoding for all three parts once, and check what it returns.

    Returns:
        Table, rotation and bias, as the encoding returned them.

    Raises:
        PositionError: names the method, what it returned and what it should return.
    """
    table, rotation, bias = encoding.table(length, d), encoding.rotation(length, d // heads), encoding.bias(length, heads)
    check_added("table", table, (length, d))
    check_rotation(rotation, length, d // heads)
    check_added("bias", bias, (heads, length, length))
    return table, rotation, bias


def check_added(method: str, returned: object, shape: tuple[int, ...]) -> None:
    """Check what `table` or `bias` returned: None, an array of this shape, or a Trainable that gives one."""
    largest = SQUARED if method == "table" else LARGEST
    if isinstance(returned, Trainable):
        if returned.value is None:
            check_array(method, returned.start, shape, largest)
        else:
            check_array(f"the start of {method}", returned.start)
            check_array(f"value of {method}", returned.value(returned.start), shape, largest)
    elif returned is not None:
        check_array(method, returned, shape, largest)


def check_rotation(returned: object, length: int, head_dim: int) -> None:
    """Check what `rotation` returned: None, or (cos, sin), each (length, head_dim / 2)."""
    if returned is None:
        return
    if head_dim % 2:
        raise PositionError(
            f"rotation turns pairs of numbers, so it needs an even head size, d / heads, not {head_dim}: change d or heads."
        )
    parts = returned if isinstance(returned, tuple) else ()
    pair = len(parts) == 2
    if isinstance(returned, Trainable) or (pair and any(isinstance(part, Trainable) for part in parts)):
        raise PositionError("rotation returned a Trainable; angles cannot be trained here: return (cos, sin) as arrays.")
    if not pair:
        what = f"a tuple of {len(returned)}" if isinstance(returned, tuple) else _kind(returned)
        raise PositionError(f"rotation returned {what}; it returns (cos, sin) or None.")
    for part in parts:
        check_array("rotation", part, (length, head_dim // 2), SQUARED)


def check_array(what: str, array: object, shape: tuple[int, ...] | None = None, largest: float = LARGEST) -> None:
    """Check that this is an array of finite real numbers, with which float32 can compute, and of this shape.

    Args:
        what: returned it.
        shape: None where any will do that is not empty.
        largest: the most that a number may be, up or down.

    Raises:
        PositionError: says what it is, and what it should be.
    """
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iufc":
        raise PositionError(f"{what} returned {_kind(array)}; it returns an array of numbers or None.{_hint(array)}")
    if shape is None and not array.size:
        raise PositionError(f"{what} returned an empty array of the shape {array.shape}: there is nothing to train.")
    if shape is not None and array.shape != shape:
        raise PositionError(f"{what} returned the shape {array.shape}; for these arguments it must be {shape}.")
    if np.iscomplexobj(array):
        raise PositionError(f"{what} returned complex numbers; the model computes with real ones: take .real or np.abs.")
    bad = ~np.isfinite(array)
    if bad.any():
        raise PositionError(
            f"{what} returned values that are not finite real numbers ({bad.sum()} of {bad.size}, the first at "
            f"{tuple(map(int, np.argwhere(bad)[0]))}): check for 0/0, log 0 and overflow."
        )
    found = np.abs(array.astype(np.result_type(array.dtype, np.float32))).max(initial=0)  # the least int64 has no abs
    if found > largest:
        raise PositionError(
            f"{what} returned {found:.3g}, more than the {largest:.2g} that the model, in float32, can compute with."
        )


def _kind(value: object) -> str:
    """What something is that should have been an array of numbers."""
    return f"an array of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__


def _hint(value: object) -> str:
    """What may make an array of numbers of it."""
    if isinstance(value, (list, tuple, int, float)):
        return " np.array makes one of it."
    if isinstance(value, GeneratorType):
        return " A method with `yield` makes a generator: use `return`."
    if isinstance(value, CoroutineType):
        return " A method of `async def` makes a coroutine: use `def`."
    if isinstance(value, np.ndarray) and value.dtype == object:
        return " An array of objects comes from rows of different lengths, or from what is no number."
    return " .astype(float) makes numbers of them." if isinstance(value, np.ndarray) and value.dtype == bool else ""
