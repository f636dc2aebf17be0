"""The operations in NumPy: each stands beside its own derivative. This file defines what is right.

The interface, and what "d..." arguments mean, is described in `ops/__init__.py`. Everything here also
runs in float64, which is how the derivatives are checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..kinds import Floats, Integers

NAME = "numpy"
LAYER_NORM_EPSILON = 1e-5


def embedding(out: Floats, table: Floats, ids: Integers) -> None:
    """Look rows up: out[n] = table[ids[n]]. The same as one_hot(ids) @ table, without the zeros.

    Shapes: out (N, d), table (V, d), ids (N,).
    """
    np.take(table, ids, axis=0, out=out, mode="clip")


def embedding_backward(dtable: Floats, dout: Floats, ids: Integers) -> None:
    """Only the rows that were looked up receive a gradient: the sum over their occurrences."""
    np.add.at(dtable, ids, dout)


def unembedding(out: Floats, x: Floats, table: Floats) -> None:
    """Score every character: the logits are the products of the state with each row, out = x @ table.T.

    Shapes: out (N, V), x (N, d), table (V, d). Tied models pass the embedding table (Press and Wolf 2017).
    """
    np.matmul(x, table.T, out=out)


def unembedding_backward(dx: Floats, dtable: Floats, dout: Floats, x: Floats, table: Floats) -> None:
    """Every row receives a gradient, whether its character occurs or not."""
    np.matmul(dout, table, out=dx)
    dtable += dout.T @ x


def linear(out: Floats, x: Floats, weight: Floats, bias: Floats, residual: Floats | None = None) -> None:
    """out = x @ weight + bias, plus the residual stream (N, m) where one is given.

    Shapes: out (N, m), x (N, k), weight (k, m), bias (m,).
    """
    np.matmul(x, weight, out=out)
    out += bias
    if residual is not None:
        out += residual


def linear_backward(dx: Floats, dweight: Floats, dbias: Floats, dout: Floats, x: Floats, weight: Floats) -> None:
    """The chain rule for a product: each factor's gradient is dout times the other factor."""
    np.matmul(dout, weight.T, out=dx)
    dweight += x.T @ dout
    dbias += dout.sum(axis=0)


def layer_norm(out: Floats, mean: Floats, rstd: Floats, x: Floats, gain: Floats, shift: Floats) -> None:
    """Each row to mean 0 and variance 1, then scaled and shifted (Ba et al. 2016).

    Shapes: out and x (N, d); mean and rstd, the reciprocal standard deviation, (N,); gain and shift (d,).
    """
    np.mean(x, axis=1, out=mean)
    centred = x - mean[:, None]
    rstd[:] = 1 / np.sqrt(np.mean(centred**2, axis=1) + LAYER_NORM_EPSILON)
    np.multiply(centred, rstd[:, None], out=out)
    out *= gain
    out += shift


def layer_norm_backward(
    dx: Floats, dgain: Floats, dshift: Floats, dout: Floats, x: Floats, mean: Floats, rstd: Floats, gain: Floats
) -> None:
    """The gradient loses its mean and its part along the normalised row: moving there changes nothing.

    dx is added to.
    """
    normal = (x - mean[:, None]) * rstd[:, None]  # (N, d)
    dgain += np.sum(dout * normal, axis=0)
    dshift += dout.sum(axis=0)
    dnormal = dout * gain
    dnormal -= dnormal.mean(axis=1, keepdims=True) + normal * np.mean(dnormal * normal, axis=1, keepdims=True)
    dx += dnormal * rstd[:, None]


GELU_SLOPE = np.sqrt(2 / np.pi).item()
GELU_CUBIC = 0.044715


def gelu(out: Floats, x: Floats) -> None:
    """A smooth gate, x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) (Hendrycks and Gimpel 2016, section 2)."""
    inner = GELU_SLOPE * (x + GELU_CUBIC * x * x * x)
    np.multiply(0.5 * x, 1 + np.tanh(inner), out=out)


def gelu_backward(dx: Floats, dout: Floats, x: Floats) -> None:
    """The product rule on x / 2 and the gate; the derivative of tanh is 1 - tanh^2."""
    gate = np.tanh(GELU_SLOPE * (x + GELU_CUBIC * x * x * x))
    slope = GELU_SLOPE * (1 + 3 * GELU_CUBIC * x * x)
    np.multiply(dout, 0.5 * (1 + gate) + 0.5 * x * (1 - gate * gate) * slope, out=dx)


def rotate(qkv: Floats, cos: Floats, sin: Floats) -> None:
    """Turn queries and keys, in place: each pair of numbers by the angle of its position (RoPE).

    Shapes: qkv (B, T, 3, heads, head_dim), of which the values are left alone; cos and sin
    (T, head_dim / 2). Pair k is made of the numbers k and k + head_dim / 2.
    """
    half = qkv.shape[-1] // 2
    first, second = qkv[:, :, :2, :, :half], qkv[:, :, :2, :, half:]
    cos, sin = cos[:, None, None, :], sin[:, None, None, :]
    turned = first * cos - second * sin
    second[...] = first * sin + second * cos
    first[...] = turned


def rotate_backward(dqkv: Floats, cos: Floats, sin: Floats) -> None:
    """A rotation is undone by the opposite angle, and so is its gradient."""
    rotate(dqkv, cos, -sin)


def attention(out: Floats, weights: Floats, qkv: Floats, bias: Floats | None, causal: bool) -> None:
    """Each position collects the values of others, weighted by softmax(q . k / sqrt(head_dim) + bias).

    Shapes: out (B, T, heads, head_dim); weights (B, heads, T, T), [b, h, i, j] is how much query i
    takes from key j; qkv (B, T, 3, heads, head_dim); bias (heads, T, T) or None. With `causal`,
    a position sees itself and what came before it, nothing after.
    Vaswani et al. 2017, section 3.2.
    """
    q, k, v = qkv.transpose(2, 0, 3, 1, 4)  # each (B, heads, T, head_dim)
    length, head_dim = q.shape[2:]
    np.matmul(q, k.swapaxes(2, 3), out=weights)
    weights *= head_dim**-0.5
    if bias is not None:
        weights += bias
    if causal:
        weights[:, :, ~np.tri(length, dtype=bool)] = -np.inf
    weights -= weights.max(axis=3, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=3, keepdims=True)
    out[...] = (weights @ v).transpose(0, 2, 1, 3)


def attention_backward(
    dqkv: Floats, dbias: Floats | None, dscores: Floats, dout: Floats, weights: Floats, qkv: Floats, causal: bool
) -> None:
    """Through the weighted sum, then the softmax, then the scores.

    Shapes: dbias (heads, T, T) or None; dscores (B, heads, T, T) is room to work in, and what it holds
    afterwards is not defined. `causal` as in the forward pass: what that masked has the weight 0, which
    passes no gradient on, so there is no second mask here, but there is work that may be skipped.
    """
    q, k, v = qkv.transpose(2, 0, 3, 1, 4)
    dq, dk, dv = dqkv.transpose(2, 0, 3, 1, 4)
    dout = dout.transpose(0, 2, 1, 3)  # (B, heads, T, head_dim)
    dv[...] = weights.swapaxes(2, 3) @ dout
    np.matmul(dout, v.swapaxes(2, 3), out=dscores)  # so far with respect to the weights
    dscores -= np.sum(dscores * weights, axis=3, keepdims=True)
    dscores *= weights
    if dbias is not None:
        dbias += dscores.sum(axis=0)
    dscores *= q.shape[3] ** -0.5
    dq[...] = dscores @ k
    dk[...] = dscores.swapaxes(2, 3) @ q


def cross_entropy(losses: Floats, probabilities: Floats, logits: Floats, targets: Integers) -> None:
    """Softmax, and how surprised it is by what came: losses[n] = -ln p(targets[n]), in nats.

    Shapes: losses (N,), probabilities and logits (N, V), targets (N,).
    """
    np.subtract(logits, logits.max(axis=1, keepdims=True), out=probabilities)
    losses[:] = -probabilities[np.arange(len(targets)), targets]
    np.exp(probabilities, out=probabilities)
    total = probabilities.sum(axis=1)
    probabilities /= total[:, None]
    losses += np.log(total)


def cross_entropy_backward(dlogits: Floats, probabilities: Floats, targets: Integers) -> None:
    """The gradient of the mean loss: what the model believed minus what came, over N."""
    dlogits[...] = probabilities
    dlogits[np.arange(len(targets)), targets] -= 1
    dlogits /= len(targets)


def adamw(
    parameters: Floats,
    gradients: Floats,
    mean: Floats,
    square: Floats,
    step: int,
    lr: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    weight_decay: float,
) -> None:
    """One update of AdamW, in place (Loshchilov and Hutter 2019, algorithm 2).

    The decay is multiplied by the learning rate, as PyTorch does.

    Args:
        parameters, gradients: (P,).
        mean, square: (P,), the running averages of the gradient and of its square.
        step: how many updates this makes, counted from 1.
    """
    mean += (1 - beta1) * (gradients - mean)
    square += (1 - beta2) * (gradients * gradients - square)
    parameters *= 1 - lr * weight_decay
    denominator = np.sqrt(square / (1 - beta2**step)) + epsilon
    parameters -= lr / (1 - beta1**step) * mean / denominator
