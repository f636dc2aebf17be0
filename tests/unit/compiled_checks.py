"""Compares a compiled build with the reference, operation by operation; runs in CPython and, through Node, in Pyodide.

Every array that an operation is given lies between guard bands, whose every bit is checked afterwards.
"""

import numpy as np

from embedding_lab.model import random_stream
from embedding_lab.ops import load, reference

GUARD = 64
TOLERANCE = 1e-5


class Guarded:
    """Hands out float32 and int32 arrays with guard bands around them, and checks the bands."""

    def __init__(self):
        self.buffers = []

    def __call__(self, values):
        values = np.asarray(values)
        dtype = np.int32 if values.dtype.kind == "i" else np.float32
        buffer = np.full(values.size + 2 * GUARD, 0x5A5A5A5A, np.int32)
        inner = buffer[GUARD : GUARD + values.size].view(dtype).reshape(values.shape)
        inner[...] = values
        self.buffers.append(buffer)
        return inner

    def check(self):
        for buffer in self.buffers:
            assert (buffer[:GUARD] == 0x5A5A5A5A).all() and (buffer[-GUARD:] == 0x5A5A5A5A).all(), "wrote outside"


def compare(ops, name, outputs, inputs, *others, tolerance=TOLERANCE, sums=False):
    """Run one operation twice, compiled in float32 and as the reference in float64, and compare what they wrote.

    Args:
        outputs: the arrays that it writes or adds to, with what they hold before.
        inputs: the arrays that it reads.
        sums: it adds products up; its error is then relative to the sum of their magnitudes, for where they cancel
            each other, what is left has no precision in float32.
    """
    guarded = Guarded()
    ours = [None if values is None else guarded(values) for values in outputs]
    read = [None if values is None else guarded(values) for values in inputs]
    kept = [None if values is None else values.copy() for values in read]
    getattr(ops, name)(*ours, *read, *others)
    guarded.check()
    for values, before in zip(read, kept, strict=True):
        assert values is None or np.array_equal(values, before, equal_nan=True), f"{name} changed what it reads"

    def wide(values):
        return None if values is None else values.astype(np.float64) if values.dtype.kind == "f" else values

    # The reference starts from the same float32 numbers.
    theirs = [None if v is None else np.asarray(v, np.float32).astype(np.float64) for v in outputs]
    magnitudes = theirs
    if sums:
        magnitudes = [np.abs(values) for values in theirs]
        getattr(reference, name)(*magnitudes, *[np.abs(wide(values)) for values in kept if values is not None], *others)
    getattr(reference, name)(*theirs, *[wide(values) for values in kept], *others)
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if a is not None:
            scale = max(np.abs(magnitudes[i]).max(initial=0), 1e-3)
            error = np.abs(a - b).max(initial=0) / scale
            assert error <= tolerance, f"{name}, output {i}, shape {a.shape}: relative error {error:.1e}"


def check_products(ops, n, k, m, seed=0):
    r = random_stream(seed, "products")
    x, weight, bias, dout = r.normal(size=(n, k)), r.normal(size=(k, m)), r.normal(size=m), r.normal(size=(n, m))
    residual, ids, empty = r.normal(size=(n, m)), r.integers(0, m, n), np.full
    compare(ops, "linear", [empty((n, m), np.nan)], [x, weight, bias], sums=True)
    compare(ops, "linear", [empty((n, m), np.nan)], [x, weight, bias, residual], sums=True)
    outputs = [empty((n, k), np.nan), r.normal(size=(k, m)), r.normal(size=m)]
    compare(ops, "linear_backward", outputs, [dout, x, weight], sums=True)
    table = r.normal(size=(m, k))
    compare(ops, "unembedding", [empty((n, m), np.nan)], [x, table], sums=True)
    compare(ops, "unembedding_backward", [empty((n, k), np.nan), r.normal(size=(m, k))], [dout, x, table], sums=True)
    compare(ops, "embedding", [empty((n, k), np.nan)], [table, ids], tolerance=0)
    compare(ops, "embedding_backward", [r.normal(size=(m, k))], [x, ids], sums=True)


def check_rows(ops, n, d, seed=0):
    r = random_stream(seed, "rows")
    x, dout, gain, shift = r.normal(1, 2, (n, d)), r.normal(size=(n, d)), r.normal(size=d), r.normal(size=d)
    x = x.astype(np.float32)
    nothing = np.full(n, np.nan)
    mean, rstd = np.empty(n), np.empty(n)
    reference.layer_norm(np.empty((n, d)), mean, rstd, x.astype(float), np.ones(d), np.zeros(d))
    # Where a row's numbers are nearly equal, dividing by their deviation magnifies the rounding of float32.
    magnified = 4 * np.finfo(np.float32).eps * float((np.abs(x).max(axis=1) * rstd).max())
    outputs = [np.full((n, d), np.nan), nothing, nothing]
    compare(ops, "layer_norm", outputs, [x, gain, shift], tolerance=max(TOLERANCE, magnified))
    if d > 1:
        outputs = [r.normal(size=(n, d)), r.normal(size=d), r.normal(size=d)]
        inputs = [dout, x, mean, rstd, gain]
        compare(ops, "layer_norm_backward", outputs, inputs, tolerance=max(TOLERANCE, magnified))
    compare(ops, "gelu", [np.full((n, d), np.nan)], [3 * x])
    compare(ops, "gelu_backward", [np.full((n, d), np.nan)], [dout, 3 * x])
    targets = r.integers(0, d, n)
    compare(ops, "cross_entropy", [nothing, np.full((n, d), np.nan)], [3 * x, targets])
    probabilities = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    compare(ops, "cross_entropy_backward", [np.full((n, d), np.nan)], [probabilities, targets])


def check_attention(ops, batch, length, heads, size, causal, biased, seed=0):
    r = random_stream(seed, "attention")
    qkv, dout = r.normal(size=(batch, length, 3, heads, size)), r.normal(size=(batch, length, heads, size))
    bias = r.normal(size=(heads, length, length)) if biased else None
    square = (batch, heads, length, length)
    outputs = [np.full(dout.shape, np.nan), np.full(square, np.nan)]
    compare(ops, "attention", outputs, [qkv, bias], causal)
    weights = np.empty(square)
    reference.attention(np.empty(dout.shape), weights, qkv.astype(np.float32).astype(float), bias, causal)
    dbias = None if bias is None else r.normal(size=bias.shape)
    room = Guarded()
    dscores = room(np.zeros(square))

    class Backward:  # dscores is room to work in: what it holds afterwards is not defined, so it is not compared
        @staticmethod
        def attention_backward(dqkv, dbias, dout, weights, qkv, causal):
            ops.attention_backward(dqkv, dbias, dscores, dout, weights, qkv, causal)

    with_room, reference_backward = Backward(), reference.attention_backward
    try:
        reference.attention_backward = lambda dqkv, dbias, *rest: reference_backward(dqkv, dbias, np.empty(square), *rest)
        compare(with_room, "attention_backward", [np.full(qkv.shape, np.nan), dbias], [dout, weights, qkv], causal)
    finally:
        reference.attention_backward = reference_backward
    room.check()
    if size % 2 == 0:
        angle = r.normal(size=(length, size // 2)).astype(np.float32)
        compare(ops, "rotate", [qkv], [np.cos(angle), np.sin(angle)])
        compare(ops, "rotate_backward", [qkv], [np.cos(angle), np.sin(angle)])


def check_adamw(ops, n, step, seed=0):
    r = random_stream(seed, "adamw")
    parameters, gradients = r.normal(size=n), r.normal(size=n)
    mean, square = r.normal(size=n), r.normal(size=n) ** 2
    guarded = Guarded()
    ours = [guarded(values) for values in (parameters, mean, square)]
    theirs = [values.astype(np.float64) for values in ours]
    gradients = guarded(gradients)
    rest = (step, 0.01, 0.9, 0.99, 1e-8, 0.01)
    ops.adamw(ours[0], gradients, ours[1], ours[2], *rest)
    reference.adamw(theirs[0], gradients.astype(np.float64), theirs[1], theirs[2], *rest)
    guarded.check()
    for a, b in zip(ours, theirs, strict=True):
        assert np.abs(a - b).max(initial=0) <= TOLERANCE * max(1, np.abs(b).max(initial=0))


def check_extremes(ops):
    """Large logits stay finite, NaN stays NaN, and no result is a denormal number that would slow the next step."""
    logits = np.array([[1e5, 0, -1e5, 3], [0, 0, 0, 0], [np.nan, 1, 2, 3]], np.float32)
    losses, probabilities = np.empty(3, np.float32), np.empty((3, 4), np.float32)
    ops.cross_entropy(losses, probabilities, logits, np.array([2, 0, 1], np.int32))
    assert abs(losses[0] / 2e5 - 1) < 1e-6 and abs(losses[1] - np.log(4)) < 1e-6 and np.isnan(losses[2])
    assert np.isfinite(probabilities[:2]).all() and np.isnan(probabilities[2]).any()

    out, x = np.empty((1, 64), np.float32), np.linspace(-60, 60, 64, dtype=np.float32)[None]
    ops.gelu(out, x)
    assert np.abs(out[0, -8:] - x[0, -8:]).max() < 1e-5 and np.abs(out[0, :8]).max() < 1e-6

    smallest = np.finfo(np.float32).tiny
    logits = np.linspace(-200, 0, 256, dtype=np.float32)[None].copy()
    losses, probabilities = np.empty(1, np.float32), np.empty((1, 256), np.float32)
    ops.cross_entropy(losses, probabilities, logits, np.array([0], np.int32))
    assert not ((probabilities != 0) & (np.abs(probabilities) < smallest)).any()
    assert (probabilities == 0).any() and abs(probabilities.sum() - 1) < 1e-5

    mean, square = np.full(8, 1e-19, np.float32), np.full(8, 1e-38, np.float32)
    parameters, zero = np.ones(8, np.float32), np.zeros(8, np.float32)
    for step in range(1, 400):
        ops.adamw(parameters, zero, mean, square, step, 0.01, 0.9, 0.99, 1e-8, 0.0)
    assert not mean.any() and not square.any()


def check_all(name, shapes=60, seed=0):
    """Everything above on `shapes` random sizes of each kind: 1, primes, and what is no multiple of 4."""
    ops = load(name)
    assert name == ops.NAME
    r = random_stream(seed, "shapes")
    check_extremes(ops)
    for i in range(shapes):
        n, k, m = (int(size) for size in r.choice([1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16, 23, 48, 73, 97, 300], 3))
        check_products(ops, n, k, m, seed=i)
        check_rows(ops, n, m, seed=i)
        batch, length, heads, size = (int(r.integers(1, most)) for most in (4, 40, 5, 17))
        check_attention(ops, batch, length, heads, size, bool(i % 2), bool(i % 3), seed=i)
        check_adamw(ops, n * k, i + 1, seed=i)
