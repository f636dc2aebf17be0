"""What the page may call: the functions of embedding_lab.worker, made to take and return plain values.

When this file has run, the worker is locked down (lock-down.mjs): only then does the page send anything of a reader.

PyScript exposes every name in __export__. On the way in, JavaScript's objects become dicts and lists, its null becomes
None, and typed arrays and buffers become memoryviews. On the way out, dicts become plain objects, None becomes null,
which the page receives as null, and NumPy arrays become typed arrays (copies, so Python may reuse its buffers).
"""

import time
from functools import wraps

import lab_runtime
import numpy as np
from js import Object
from pyodide.ffi import JsProxy, jsnull, to_js

from embedding_lab import worker


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


def _interruptible(sleep):
    """`time.sleep` in pieces: between them Python looks whether the page interrupts."""

    @wraps(sleep)
    def sleep_on(seconds):
        until = time.monotonic() + seconds
        sleep(min(seconds, 0))  # what it refuses
        while (left := until - time.monotonic()) > 0:
            sleep(min(left, 0.002))

    return sleep_on


def console_run(signal, source):
    """`worker.console_run`, which the page interrupts by revoking the URL `signal`, and whose output it gets at once."""
    lab_runtime.begin(signal)
    try:
        return worker.console_run(source, lab_runtime.print)
    finally:
        lab_runtime.end()


_calls = {name: getattr(worker, name) for name in worker.__all__} | {"console_run": console_run}
globals().update({name: _exposed(call) for name, call in _calls.items()})
__export__ = worker.__all__
time.sleep = _interruptible(time.sleep)
lab_runtime.lockDown()
