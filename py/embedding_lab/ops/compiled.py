"""The operations in C, called through ctypes: the functions of `reference.py`, with the same arguments.

One source, `kernels.c`, is built three times; the tab loads the WebAssembly as CPython loads a shared
library. Arrays must be float32 and contiguous, and ids int32: nothing is converted or copied on the way.
"""

from __future__ import annotations

import ctypes
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .reference import LAYER_NORM_EPSILON

if TYPE_CHECKING:
    from ..kinds import Array, Floats, Integers

BUILDS = {
    "relaxed-simd": "kernels-relaxed-simd.wasm",
    "simd": "kernels-simd.wasm",
    "native": "kernels-native.so",
}
# The arguments of each function: its arrays (P), then its real numbers (F), then its sizes (I).
_ARGUMENTS = {
    "embedding": "PPPII",
    "embedding_backward": "PPPII",
    "unembedding": "PPPIII",
    "unembedding_backward": "PPPPPIII",
    "linear": "PPPPPIII",
    "linear_backward": "PPPPPPIII",
    "layer_norm": "PPPPPPFII",
    "layer_norm_backward": "PPPPPPPPII",
    "gelu": "PPI",
    "gelu_backward": "PPPI",
    "rotate": "PPPFIIII",
    "attention": "PPPPIIIII",
    "attention_backward": "PPPPPPIIIII",
    "cross_entropy": "PPPPII",
    "cross_entropy_backward": "PPPII",
    "adamw": "PPPPFFFFFFFI",
}
_TYPES = {"P": ctypes.c_void_p, "F": ctypes.c_float, "I": ctypes.c_int64}


class Compiled:
    """One build of the kernels, with the interface of `ops`.

    Args:
        name: one of `BUILDS`.

    Raises:
        OSError: the build is not there, or this machine cannot run it.
    """

    def __init__(self, name: str) -> None:
        self.NAME = name
        self._library = ctypes.CDLL(str(Path(__file__).parent / BUILDS[name]))
        for function, arguments in _ARGUMENTS.items():
            call = getattr(self._library, function)  # which the library keeps
            call.argtypes = [_TYPES[kind] for kind in arguments]
            call.restype = None

    def embedding(self, out: Floats, table: Floats, ids: Integers) -> None:
        self._library.embedding(_at(out), _at(table), _at(ids), *out.shape)

    def embedding_backward(self, dtable: Floats, dout: Floats, ids: Integers) -> None:
        self._library.embedding_backward(_at(dtable), _at(dout), _at(ids), *dout.shape)

    def unembedding(self, out: Floats, x: Floats, table: Floats) -> None:
        self._library.unembedding(_at(out), _at(x), _at(table), *x.shape, len(table))

    def unembedding_backward(self, dx: Floats, dtable: Floats, dout: Floats, x: Floats, table: Floats) -> None:
        self._library.unembedding_backward(_at(dx), _at(dtable), _at(dout), _at(x), _at(table), *x.shape, len(table))

    def linear(self, out: Floats, x: Floats, weight: Floats, bias: Floats, residual: Floats | None = None) -> None:
        self._library.linear(_at(out), _at(x), _at(weight), _at(bias), _at(residual), *x.shape, len(bias))

    def linear_backward(self, dx: Floats, dweight: Floats, dbias: Floats, dout: Floats, x: Floats, weight: Floats) -> None:
        arrays = _at(dx), _at(dweight), _at(dbias), _at(dout), _at(x), _at(weight)
        self._library.linear_backward(*arrays, *x.shape, len(dbias))

    def layer_norm(self, out: Floats, mean: Floats, rstd: Floats, x: Floats, gain: Floats, shift: Floats) -> None:
        arrays = _at(out), _at(mean), _at(rstd), _at(x), _at(gain), _at(shift)
        self._library.layer_norm(*arrays, LAYER_NORM_EPSILON, *x.shape)

    def layer_norm_backward(
        self, dx: Floats, dgain: Floats, dshift: Floats, dout: Floats, x: Floats, mean: Floats, rstd: Floats, gain: Floats
    ) -> None:
        arrays = _at(dx), _at(dgain), _at(dshift), _at(dout), _at(x), _at(mean), _at(rstd), _at(gain)
        self._library.layer_norm_backward(*arrays, *x.shape)

    def gelu(self, out: Floats, x: Floats) -> None:
        self._library.gelu(_at(out), _at(x), x.size)

    def gelu_backward(self, dx: Floats, dout: Floats, x: Floats) -> None:
        self._library.gelu_backward(_at(dx), _at(dout), _at(x), x.size)

    def rotate(self, qkv: Floats, cos: Floats, sin: Floats, sign: float = 1.0) -> None:
        batch, length, _, heads, size = qkv.shape
        self._library.rotate(_at(qkv), _at(cos), _at(sin), sign, batch, length, heads, size // 2)

    def rotate_backward(self, dqkv: Floats, cos: Floats, sin: Floats) -> None:
        self.rotate(dqkv, cos, sin, sign=-1.0)

    def attention(self, out: Floats, weights: Floats, qkv: Floats, bias: Floats | None, causal: bool) -> None:
        bias = None if bias is None else np.ascontiguousarray(bias)
        self._library.attention(_at(out), _at(weights), _at(qkv), _at(bias), causal, *out.shape)

    def attention_backward(
        self, dqkv: Floats, dbias: Floats | None, dscores: Floats, dout: Floats, weights: Floats, qkv: Floats, causal: bool
    ) -> None:
        arrays = _at(dqkv), _at(dbias), _at(dscores), _at(dout), _at(weights), _at(qkv)
        self._library.attention_backward(*arrays, causal, *dout.shape)

    def cross_entropy(self, losses: Floats, probabilities: Floats, logits: Floats, targets: Integers) -> None:
        self._library.cross_entropy(_at(losses), _at(probabilities), _at(logits), _at(targets), *logits.shape)

    def cross_entropy_backward(self, dlogits: Floats, probabilities: Floats, targets: Integers) -> None:
        self._library.cross_entropy_backward(_at(dlogits), _at(probabilities), _at(targets), *probabilities.shape)

    def adamw(
        self,
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
        arrays = _at(parameters), _at(gradients), _at(mean), _at(square)
        corrections = 1 / (1 - beta1**step), 1 / (1 - beta2**step)
        self._library.adamw(*arrays, lr, 1 - lr * weight_decay, beta1, beta2, *corrections, epsilon, parameters.size)


_addresses: dict[int, tuple[weakref.ref[Array], int]] = {}


def _at(array: Array | None) -> int | None:
    """The address of an array's first number.

    Asking NumPy takes the tab some microseconds, so the answer is kept, with a weak reference that tells whether the
    array of this id is still the same. A model's arrays are the same at every step; what piles up are the batches
    and views made for one step, which are forgotten from time to time.
    """
    if array is None:
        return None
    known = _addresses.get(id(array))
    if known and known[0]() is array:
        return known[1]
    if len(_addresses) >= 1000:
        _addresses.clear()
    address: int = array.__array_interface__["data"][0]
    _addresses[id(array)] = weakref.ref(array), address
    return address
