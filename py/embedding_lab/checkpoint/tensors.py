"""The safetensors format: named arrays in one file, which anyone can read without running what is in it.

A file is 8 bytes that say how long the header is (unsigned, little-endian), the header in JSON, and the numbers of all
arrays one after another. The header says for each name its dtype, shape and data_offsets [begin, end], counted from
the end of the header. (https://github.com/huggingface/safetensors, under "Format")
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, NoReturn

import numpy as np

if TYPE_CHECKING:
    from typing import TypeGuard

    from ..kinds import Floats

DTYPES: dict[str, np.dtype[np.generic]] = {"F64": np.dtype("<f8"), "F32": np.dtype("<f4"), "I32": np.dtype("<i4")}
LONGEST_HEADER = 1 << 16  # that of the lab's largest model has 6 KB
DEEPEST_JSON = 32  # lists and objects in one another; a header needs 3
MOST_DIMENSIONS = 8
LARGEST_NUMBER = 1 << 31  # an index has 32 bits in the tab


class TensorsError(ValueError):
    """Bytes that are no safetensors file, or one with what this reader does not take; the message says where."""


def write(tensors: dict[str, Floats], about: dict[str, str] | None = None) -> bytes:
    """A file of these arrays.

    Args:
        tensors: of one of `DTYPES`; the same arrays give the same bytes.
        about: what the header says besides, under __metadata__.
    """
    header: dict[str, object] = {"__metadata__": about} if about else {}
    names = {dtype: name for name, dtype in DTYPES.items()}
    # The largest numbers come first, so that each array starts at a multiple of its own.
    ordered = sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    at = 0
    for name, array in ordered:
        begin, at = at, at + array.nbytes
        dtype = names[array.dtype.newbyteorder("<")]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [begin, at]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    numbers = [np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes() for _, array in ordered]
    return b"".join([len(text).to_bytes(8, "little"), text, *numbers])


def read(data: bytes) -> dict[str, Floats]:
    """The arrays of a file, each a copy in this machine's byte order.

    Nothing in the header is believed before it is checked: each array must have the size that its shape asks for,
    and together they must fill the rest of the file without a gap or an overlap.

    Raises:
        TensorsError: it is not such a file.
    """
    header, body = _split(data)
    arrays, spans = {}, []
    for name, entry in header.items():
        if name == "__metadata__":
            if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
                raise TensorsError("__metadata__ is not made of names and texts.")
            continue
        dtype, shape, (begin, end) = _entry(name, entry)
        if end - begin != math.prod(shape) * dtype.itemsize:
            raise TensorsError(
                f"{name[:80]!r} has {end - begin} bytes; its shape {shape} of {dtype.name} needs "
                f"{math.prod(shape) * dtype.itemsize}."
            )
        if end > len(body):
            raise TensorsError(f"{name[:80]!r} ends at byte {end} of the numbers, of which the file holds {len(body)}.")
        spans.append((begin, end))
        array = np.frombuffer(body, dtype, math.prod(shape), begin) if end > begin else np.zeros(0, dtype)
        arrays[name] = array.reshape(shape).astype(dtype.newbyteorder("="))
    at = 0
    for begin, end in sorted(spans):
        if begin != at:
            raise TensorsError(f"Its arrays leave a gap or overlap at byte {min(at, begin)} of the numbers.")
        at = end
    if at != len(body):
        raise TensorsError(f"Its arrays end at byte {at} of the numbers; the file holds {len(body)}.")
    return arrays


def _split(data: bytes) -> tuple[dict[str, object], memoryview]:
    """The header as it was read, and the bytes after it."""
    if len(data) < 8:
        raise TensorsError(f"It has {len(data)} bytes; a safetensors file begins with 8 that say how long its header is.")
    length = int.from_bytes(data[:8], "little")
    if length > min(LONGEST_HEADER, len(data) - 8):
        raise TensorsError(
            f"Its first bytes announce a header of {length} bytes; {len(data) - 8} follow, and a header has at most "
            f"{LONGEST_HEADER}."
        )
    header = read_json(bytes(data[8 : 8 + length]), "Its header", TensorsError)
    if not isinstance(header, dict):
        raise TensorsError("Its header is not a JSON object.")
    return header, memoryview(data)[8 + length :]


def _entry(name: str, entry: object) -> tuple[np.dtype[np.generic], list[int], tuple[int, int]]:
    """dtype, shape and offsets of one array, each of the kind that it must be."""
    where = f"{name[:80]!r} in its header"
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise TensorsError(f"{where} does not have exactly dtype, shape and data_offsets.")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        shown = repr(dtype)[:20] if isinstance(dtype, str) else type(dtype).__name__
        raise TensorsError(f"{where} has the dtype {shown}; this reader takes {', '.join(DTYPES)}.")
    if not _whole_numbers(shape) or len(shape) > MOST_DIMENSIONS:
        raise TensorsError(f"{where} has a shape that is not up to {MOST_DIMENSIONS} whole numbers from 0.")
    if math.prod(max(1, size) for size in shape) >= LARGEST_NUMBER:
        raise TensorsError(f"{where} has a shape of {LARGEST_NUMBER} numbers or more.")
    if not _whole_numbers(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise TensorsError(f"{where} has data_offsets that are not two whole numbers from 0, in order.")
    return DTYPES[dtype], shape, (offsets[0], offsets[1])


def _whole_numbers(value: object) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(number) is int and 0 <= number < LARGEST_NUMBER for number in value)


def read_json(data: bytes, what: str, error: type[ValueError]) -> object:
    """The value of a JSON text that may be anything.

    Args:
        what: what it is, to begin a message with.
        error: raised where it is not UTF-8, not JSON, nested too deeply, or has a name twice or a number like NaN.
    """

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) != len(pairs):
            raise error(f"{what} has the same name twice.")
        return dict(pairs)

    def no_constant(name: str) -> NoReturn:
        raise error(f"{what} has {name}, which is no number of JSON.")

    if _depth(data) > DEEPEST_JSON:
        raise error(f"{what} is nested too deeply.")
    try:
        value: object = json.loads(data.decode(), object_pairs_hook=unique, parse_constant=no_constant)
    except error:
        raise
    except ValueError as problem:  # not UTF-8, not JSON, or a number of thousands of digits
        raise error(f"{what} is not JSON: {problem}.") from None
    return value


def _depth(data: bytes) -> int:
    """How deep a JSON text is nested, as far as that is allowed and one more.

    It is asked before the text is read: in the tab CPython's own limit comes after the end of the stack, which ends all
    of Python there.
    """
    deepest = depth = 0
    in_text = False
    for token in re.findall(rb'\\.|["{}\[\]]', data, re.DOTALL):
        if token == b'"':
            in_text = not in_text
        elif in_text:
            continue
        elif token in b"{[":
            depth += 1
            deepest = max(deepest, depth)
        elif token in b"}]":
            depth -= 1
        if deepest > DEEPEST_JSON:
            break
    return deepest
