"""Each operation's derivative against finite differences, on its own, at odd shapes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embedding_lab.model import random_stream
from embedding_lab.ops import reference as ops

SIZES = st.integers(1, 7)


def normal(*shape, name="x"):
    return random_stream(1, f"{name}{shape}").normal(size=shape)


def assert_derivative(forward, arrays, backward, step=1e-5):
    """Compare <backward, direction> with the change of <forward, dout> along a random direction of each array.

    Args:
        forward: takes the arrays, returns the output.
        backward: takes dout, returns one gradient for each array.
    """
    out = forward(*arrays)
    dout = normal(*out.shape, name="dout")
    gradients = backward(dout)
    for i, (array, gradient) in enumerate(zip(arrays, gradients, strict=True)):
        direction = normal(*array.shape, name=f"direction{i}")
        above, below = list(arrays), list(arrays)
        above[i], below[i] = array + step * direction, array - step * direction
        measured = np.sum((forward(*above) - forward(*below)) * dout) / (2 * step)
        expected = np.sum(gradient * direction)
        assert abs(measured - expected) <= 1e-6 * max(1, abs(expected)), i


@settings(max_examples=30, deadline=None)
@given(SIZES, SIZES, SIZES)
def test_linear(n, k, m):
    x, weight, bias = normal(n, k), normal(k, m, name="w"), normal(m, name="b")

    def forward(x, weight, bias):
        out = np.empty((n, m))
        ops.linear(out, x, weight, bias)
        return out

    def backward(dout):
        dx, dweight, dbias = np.empty((n, k)), np.zeros((k, m)), np.zeros(m)
        ops.linear_backward(dx, dweight, dbias, dout, x, weight)
        return dx, dweight, dbias

    assert_derivative(forward, [x, weight, bias], backward)


@settings(max_examples=30, deadline=None)
@given(SIZES, st.integers(2, 9))
def test_layer_norm(n, d):
    x, gain, shift = 3 * normal(n, d), normal(d, name="g"), normal(d, name="s")
    mean, rstd = np.empty(n), np.empty(n)

    def forward(x, gain, shift):
        out = np.empty((n, d))
        ops.layer_norm(out, np.empty(n), np.empty(n), x, gain, shift)
        return out

    def backward(dout):
        dx, dgain, dshift = np.zeros((n, d)), np.zeros(d), np.zeros(d)
        ops.layer_norm(np.empty((n, d)), mean, rstd, x, gain, shift)
        ops.layer_norm_backward(dx, dgain, dshift, dout, x, mean, rstd, gain)
        return dx, dgain, dshift

    assert_derivative(forward, [x, gain, shift], backward)
    plain = forward(x, np.ones(d), np.zeros(d))
    assert np.abs(plain.mean(axis=1)).max() < 1e-12
    assert np.all(plain.var(axis=1) <= 1)


@settings(max_examples=20, deadline=None)
@given(SIZES, SIZES)
def test_gelu(n, m):
    x = 2 * normal(n, m)

    def forward(x):
        out = np.empty_like(x)
        ops.gelu(out, x)
        return out

    def backward(dout):
        dx = np.empty_like(x)
        ops.gelu_backward(dx, dout, x)
        return (dx,)

    assert_derivative(forward, [x], backward)


def test_gelu_is_a_gate():
    out = np.empty(3)
    ops.gelu(out, np.array([-10.0, 0.0, 10.0]))
    assert out == pytest.approx([0, 0, 10], abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 3), st.integers(1, 6), st.integers(1, 3), st.integers(1, 4), st.booleans(), st.booleans())
def test_attention(batch, length, heads, head_dim, causal, biased):
    qkv = normal(batch, length, 3, heads, head_dim)
    bias = normal(heads, length, length, name="bias") if biased else None
    shape = (batch, length, heads, head_dim)

    def forward(qkv, bias=None):
        out, weights = np.empty(shape), np.empty((batch, heads, length, length))
        ops.attention(out, weights, qkv, bias, causal)
        assert weights.sum(axis=3) == pytest.approx(1)
        assert not causal or np.all(weights[:, :, ~np.tri(length, dtype=bool)] == 0)
        return out

    def backward(dout):
        weights = np.empty((batch, heads, length, length))
        ops.attention(np.empty(shape), weights, qkv, bias, causal)
        dqkv, dbias = np.empty_like(qkv), np.zeros((heads, length, length)) if biased else None
        ops.attention_backward(dqkv, dbias, np.empty_like(weights), dout, weights, qkv, causal)
        return (dqkv, dbias) if biased else (dqkv,)

    assert_derivative(forward, [qkv, bias] if biased else [qkv], backward)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 3), st.integers(1, 6), st.integers(1, 3), st.integers(1, 3))
def test_rotate(batch, length, heads, half):
    qkv, angle = normal(batch, length, 3, heads, 2 * half), normal(length, half, name="angle")

    def forward(qkv):
        out = qkv.copy()
        ops.rotate(out, np.cos(angle), np.sin(angle))
        return out

    def backward(dout):
        dqkv = dout.copy()
        ops.rotate_backward(dqkv, np.cos(angle), np.sin(angle))
        return (dqkv,)

    assert_derivative(forward, [qkv], backward)
    assert np.array_equal(forward(qkv)[:, :, 2], qkv[:, :, 2])
    assert np.linalg.norm(forward(qkv)) == pytest.approx(np.linalg.norm(qkv))


@settings(max_examples=20, deadline=None)
@given(SIZES, st.integers(2, 9))
def test_cross_entropy(n, characters):
    logits, targets = 3 * normal(n, characters), np.arange(n) % characters

    def mean_loss(logits):
        losses = np.empty(n)
        ops.cross_entropy(losses, np.empty((n, characters)), logits, targets)
        return losses.mean(keepdims=True)

    def backward(dout):
        probabilities, dlogits = np.empty((n, characters)), np.empty((n, characters))
        ops.cross_entropy(np.empty(n), probabilities, logits, targets)
        ops.cross_entropy_backward(dlogits, probabilities, targets)
        return (dlogits * dout,)

    assert_derivative(mean_loss, [logits], backward)


def test_cross_entropy_of_large_logits_is_finite():
    losses, probabilities = np.empty(2, np.float32), np.empty((2, 3), np.float32)
    ops.cross_entropy(losses, probabilities, np.array([[1e5, 0, -1e5], [0, 0, 0]], np.float32), np.array([2, 0]))
    assert losses == pytest.approx([2e5, np.log(3)])
    assert np.isfinite(probabilities).all()


def test_a_lookup_is_the_one_hot_product_exactly():
    table, ids = normal(9, 5), np.array([3, 3, 0, 8])
    out = np.empty((4, 5))
    ops.embedding(out, table, ids)
    assert np.array_equal(out, np.eye(9)[ids] @ table)


def test_a_lookup_passes_gradient_to_the_rows_it_touched_and_no_other():
    dtable, dout = np.zeros((9, 5)), normal(4, 5)
    ops.embedding_backward(dtable, dout, np.array([3, 3, 0, 8]))
    assert np.array_equal(np.flatnonzero(dtable.any(axis=1)), [0, 3, 8])
    assert dtable[3] == pytest.approx(dout[0] + dout[1])


def test_unembedding():
    x, table, n = normal(4, 5), normal(9, 5, name="t"), 4

    def forward(x, table):
        out = np.empty((n, 9))
        ops.unembedding(out, x, table)
        return out

    def backward(dout):
        dx, dtable = np.empty_like(x), np.zeros_like(table)
        ops.unembedding_backward(dx, dtable, dout, x, table)
        return dx, dtable

    assert_derivative(forward, [x, table], backward)


def test_gradients_of_parameters_are_added_to():
    x, weight, dout = normal(4, 5), normal(5, 3, name="w"), normal(4, 3, name="dout")
    once, twice = np.zeros((5, 3)), np.zeros((5, 3))
    bias, dx = np.zeros(3), np.empty_like(x)
    ops.linear_backward(dx, once, bias, dout, x, weight)
    for _ in range(2):
        ops.linear_backward(dx, twice, bias, dout, x, weight)
    assert twice == pytest.approx(2 * once)
