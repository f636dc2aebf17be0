"""What the page may call: the functions of embedding_lab.worker, made to take and return plain values.

PyScript exposes every name in __export__. On the way in, JavaScript's objects become dicts and lists, its null becomes
None, and typed arrays and buffers become memoryviews. On the way out, dicts become plain objects, None becomes null,
which the page receives as null, and NumPy arrays become typed arrays (copies, so Python may reuse its buffers).
"""

from functools import wraps

import numpy as np
from embedding_lab import worker
from js import Object
from pyodide.ffi import JsProxy, jsnull, to_js


def _from_page(value):
    """The Python value of an argument: dict, list, str, number, bool or None."""
    if isinstance(value, JsProxy):
        value = value.to_py()
    if isinstance(value, dict):
        return {key: _from_page(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_from_page(item) for item in value]
    return None if value is jsnull else value


def _for_page(value):
    """The same value with what Pyodide would turn into undefined or a BigInt made null or a number."""
    if value is None:
        return jsnull
    if isinstance(value, dict):
        return {key: _for_page(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_for_page(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _exposed(function):
    @wraps(function)
    def call(*arguments):
        result = function(*map(_from_page, arguments))
        return to_js(_for_page(result), dict_converter=Object.fromEntries, create_pyproxies=False)

    return call


__export__ = [
    "status",
    "open_run",
    "advance",
    "probe",
    "check_encoding",
    "source",
    "save_run",
    "checkpoint",
    "read_checkpoint",
    "close_run",
    "compare",
    "read_text",
    "memory_needed",
    "check_encoding",
]
globals().update({name: _exposed(getattr(worker, name)) for name in __export__})
