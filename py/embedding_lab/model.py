"""The transformer, forward and backward, in the order of the mathematics: GPT-2 at the size of a page.

Decoder-only, pre-LayerNorm, tanh-GELU, biases, causal mask: the architecture of Radford et al. 2019.
Shapes: B sequences of T characters, N = B * T, width d, H heads of size d / H, V characters.
"""

from __future__ import annotations

import copy
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.random  # NumPy loads it at its first use, which would keep the first run waiting

from .ops import reference
from .position_checks import check
from .positions import PositionalEncoding, PositionError, Trainable

if TYPE_CHECKING:
    from types import EllipsisType

    from numpy.typing import DTypeLike

    from .config import RunConfig
    from .kinds import Floats, Integers, Rotation, Supplied
    from .ops.interface import Operations

    # What the backward pass of a block needs: stream, normal, qkv, weights, mixed, causal; and stream, normal, inner, gated.
    OfAttention = tuple[Floats, Floats, Floats, Floats, Floats, bool]
    OfMLP = tuple[Floats, Floats, Floats, Floats]

MLP_WIDTH = 4  # the inner layer of the MLP is this many times d
CACHE_LINE = 64  # bytes


def random_stream(seed: int, name: str) -> np.random.Generator:
    """Random numbers that belong to one name.

    Each parameter draws from its own stream, and so do the batches, so that adding or removing one
    parameter changes no other: runs of one seed differ in their encoding alone.
    """
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def aligned(make: Callable[[int, DTypeLike], Floats], shape: tuple[int, ...], dtype: DTypeLike) -> Floats:
    """An array that starts where a line of the processor's cache does, so that fewer loads touch two lines.

    Args:
        make: `np.empty` or `np.zeros`.
    """
    dtype, count = np.dtype(dtype), int(np.prod(shape))
    spare = make(count + CACHE_LINE // dtype.itemsize, dtype)
    start = -spare.ctypes.data % CACHE_LINE // dtype.itemsize
    return spare[start : start + count].reshape(shape)


class Parameters:
    """Named arrays that are views of one vector, so that one call updates all of them.

    Attributes:
        vector: all the numbers, (P,).
    """

    def __init__(self, shapes: dict[str, tuple[int, ...]], dtype: DTypeLike) -> None:
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.vector = aligned(np.zeros, (sum(sizes),), dtype)
        parts = np.split(self.vector, np.cumsum(sizes)[:-1])
        self.arrays = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}

    def __getitem__(self, name: str) -> Floats:
        return self.arrays[name]

    def get(self, name: str) -> Floats | None:
        return self.arrays.get(name)

    def copy(self) -> Parameters:
        """The same numbers in a vector of their own."""
        other = Parameters({name: array.shape for name, array in self.arrays.items()}, self.vector.dtype)
        other.vector[...] = self.vector
        return other


class Workspace:
    """Arrays that are allocated at first use, and used again at every later step."""

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = dtype
        self.arrays: dict[tuple[str, tuple[int, ...]], Floats] = {}

    def __call__(self, name: str, *shape: int) -> Floats:
        key = (name, shape)
        if key not in self.arrays:
            self.arrays[key] = aligned(np.empty, shape, self.dtype)
        return self.arrays[key]


class Transformer:
    """A character-level language model and its gradient.

    Args:
        config: a `RunConfig`; of it the model uses d, layers, heads, context, tied, init_std and seed.
        characters: V, the size of the vocabulary.
        encoding: supplies position; the model knows no encoding by name.
        dtype: float32 to train, float64 to check gradients.
        ops: the module that computes, with the interface of `ops`.

    Attributes:
        parameters, gradients: the same names and shapes.

    Raises:
        PositionError: the encoding is not defined for this context, or returns something unusable.
        TypeError: compiled operations are asked for another dtype than float32.
    """

    def __init__(
        self,
        config: RunConfig,
        characters: int,
        encoding: PositionalEncoding,
        dtype: DTypeLike = np.float32,
        ops: Operations = reference,
    ) -> None:
        if ops is not reference and dtype != np.float32:
            raise TypeError(f"{ops.NAME} computes in float32, not {np.dtype(dtype)}: use ops.reference.")
        self.config = config
        self.characters = characters
        self.encoding = encoding
        self.ops = ops
        self.dtype = dtype
        self._supplied: dict[int, Supplied] = {}
        starts = self._starting_points()
        shapes = {name: start.shape for name, (start, noise) in starts.items()}
        self.parameters = Parameters(shapes, dtype)
        self.gradients = Parameters(shapes, dtype)
        for name, (start, noise) in starts.items():
            self.parameters[name][...] = start
            if noise:
                drawn = random_stream(config.seed, name).normal(0, noise, start.shape)
                self.parameters[name][...] += drawn.astype(dtype)
        self._room = Workspace(dtype)

    def _starting_points(self) -> dict[str, tuple[Floats, float]]:
        """For each parameter where it starts, and the standard deviation of the noise added to that."""
        config, d = self.config, self.config.d
        starts: dict[str, tuple[Floats, float]] = {"embedding": (np.zeros((self.characters, d)), config.init_std)}
        table, _, bias = self._supplies(config.context)
        if isinstance(table, Trainable):
            starts["position_table"] = (table.start, table.noise)
        if isinstance(bias, Trainable):
            starts["position_bias"] = (bias.start, bias.noise)
        for block in range(config.layers):
            for norm in ("attention_norm", "mlp_norm"):
                starts[f"block{block}.{norm}.gain"] = (np.ones(d), 0.0)
                starts[f"block{block}.{norm}.shift"] = (np.zeros(d), 0.0)
            for layer, inputs, outputs in (
                ("qkv", d, 3 * d),
                ("attention_out", d, d),
                ("mlp_in", d, MLP_WIDTH * d),
                ("mlp_out", MLP_WIDTH * d, d),
            ):
                starts[f"block{block}.{layer}.weight"] = (np.zeros((inputs, outputs)), inputs**-0.5)
                starts[f"block{block}.{layer}.bias"] = (np.zeros(outputs), 0.0)
        starts["final_norm.gain"] = (np.ones(d), 0.0)
        starts["final_norm.shift"] = (np.zeros(d), 0.0)
        if not config.tied:
            starts["unembedding"] = (np.zeros((self.characters, d)), config.init_std)
        return starts

    @property
    def size(self) -> int:
        """The number of parameters."""
        return len(self.parameters.vector)

    def position(self, length: int) -> tuple[Floats | None, Rotation | None, Floats | None]:
        """What the encoding adds and turns by at this length, with the parameters as they are now.

        Returns:
            Table (T, d), rotation (cos, sin), bias (H, T, T), or None each.
        """
        table, rotation, bias = self._supplies(length)
        return self._value("position_table", table), rotation, self._value("position_bias", bias)

    def _supplies(self, length: int) -> Supplied:
        """What the encoding returned at this length: fixed arrays of the model's dtype, and Trainables as they are."""
        if length not in self._supplied:
            dtype = self.dtype
            table, rotation, bias = check(self.encoding, length, self.config.d, self.config.heads)
            self._supplied[length] = (
                table if table is None or isinstance(table, Trainable) else np.ascontiguousarray(table, dtype),
                rotation and (np.ascontiguousarray(rotation[0], dtype), np.ascontiguousarray(rotation[1], dtype)),
                bias if bias is None or isinstance(bias, Trainable) else np.ascontiguousarray(bias, dtype),
            )
        return self._supplied[length]

    def _value(self, name: str, supplied: Floats | Trainable | None) -> Floats | None:
        """What is added: fixed, or the parameter of this name, or what `value` makes of it."""
        if not isinstance(supplied, Trainable):
            return supplied
        parameter = self._part(self.parameters, name, supplied)
        return parameter if supplied.value is None else np.ascontiguousarray(supplied.value(parameter), parameter.dtype)

    def _part(self, arrays: Parameters, name: str, supplied: Trainable) -> Floats:
        """Of the parameter of this name, or its gradient, what the encoding uses: at a shorter length, the first entries."""
        shape = np.shape(supplied.start)
        # The dots keep a view of a single number, too: without them it would be a copy, and what is added to it lost.
        corner: tuple[slice | EllipsisType, ...] = (*map(slice, shape), ...)
        part = arrays[name][corner] if len(shape) == arrays[name].ndim else arrays[name]
        if part.shape != shape:
            raise PositionError(
                f"The {name.replace('_', ' ')} of this model was trained for a context of {self.config.context}; "
                f"nothing was learned beyond it: use a context of at most {self.config.context}."
            )
        return part

    # ------------------------------------------------------------------------------------- forward

    def logits(self, ids: Integers, causal: bool = True) -> Floats:
        """Score every possible next character at every position.

        Args:
            ids: (B, T) integers below V.
            causal: False lets every position see the whole sequence.

        Returns:
            (B, T, V). The array is used again by the next call.

        Raises:
            PositionError: the encoding is not defined for T.
            ValueError: an id is not below V.
        """
        ops, room, parameters = self.ops, self._room, self.parameters
        batch, length = ids.shape
        rows, d = batch * length, self.config.d
        ids = self._checked(ids)
        table, rotation, bias = self.position(length)

        stream = room("stream", rows, d)
        ops.embedding(stream, parameters["embedding"], ids)  # the lookup: id i becomes row i of E
        if table is not None:
            stream.reshape(batch, length, d)[...] += table
        self._saved_by_block: list[tuple[OfAttention, OfMLP]] = []
        for block in range(self.config.layers):
            stream, attention = self._attention(f"block{block}.", stream, batch, rotation, bias, causal)
            stream, mlp = self._mlp(f"block{block}.", stream)
            self._saved_by_block.append((attention, mlp))
        normal = self._norm("final_norm", stream)
        logits = room("logits", rows, self.characters)
        ops.unembedding(logits, normal, self._output_table(parameters))

        self._saved = (ids, batch, length, rotation, stream, normal)
        return logits.reshape(batch, length, self.characters)

    def losses(self, ids: Integers, targets: Integers, causal: bool = True) -> Floats:
        """The cross-entropy of each prediction.

        Args:
            ids, targets: (B, T), the targets one character later.

        Returns:
            (B, T), in nats. The array is used again by the next call.
        """
        room = self._room
        logits = self.logits(ids, causal).reshape(-1, self.characters)
        self._targets = self._checked(targets)
        losses = room("losses", len(logits))
        self._probabilities = room("probabilities", *logits.shape)
        self.ops.cross_entropy(losses, self._probabilities, logits, self._targets)
        return losses.reshape(ids.shape)

    def _attention(
        self, name: str, stream: Floats, batch: int, rotation: Rotation | None, bias: Floats | None, causal: bool
    ) -> tuple[Floats, OfAttention]:
        """stream + W_out . attention(rotate(W_qkv . norm(stream))), and what its backward pass needs."""
        ops, room, heads = self.ops, self._room, self.config.heads
        rows, d = stream.shape
        length = rows // batch
        normal = self._norm(name + "attention_norm", stream)
        qkv = self._linear(name + "qkv", normal).reshape(batch, length, 3, heads, d // heads)
        if rotation is not None:
            ops.rotate(qkv, *rotation)
        weights = room(name + "attention_weights", batch, heads, length, length)
        mixed = room(name + "mixed", batch, length, heads, d // heads)
        ops.attention(mixed, weights, qkv, bias, causal)
        after = self._linear(name + "attention_out", mixed.reshape(rows, d), residual=stream)
        return after, (stream, normal, qkv, weights, mixed, causal)

    def _mlp(self, name: str, stream: Floats) -> tuple[Floats, OfMLP]:
        """stream + W_out . gelu(W_in . norm(stream)), and what its backward pass needs."""
        normal = self._norm(name + "mlp_norm", stream)
        inner = self._linear(name + "mlp_in", normal)
        gated = self._room(name + "gated", *inner.shape)
        self.ops.gelu(gated, inner)
        after = self._linear(name + "mlp_out", gated, residual=stream)
        return after, (stream, normal, inner, gated)

    def _checked(self, ids: Integers) -> Integers:
        """The ids in a row, (N,) int32; the operations rely on each being below V."""
        if ids.size and not 0 <= ids.min() <= ids.max() < self.characters:
            raise ValueError(f"ids from {ids.min()} to {ids.max()}: this model knows 0 to {self.characters - 1}.")
        return np.ascontiguousarray(ids, np.int32).reshape(-1)

    def _norm(self, name: str, x: Floats) -> Floats:
        room, parameters = self._room, self.parameters
        out, mean, rstd = room(name, *x.shape), room(name + ".mean", len(x)), room(name + ".rstd", len(x))
        self.ops.layer_norm(out, mean, rstd, x, parameters[name + ".gain"], parameters[name + ".shift"])
        return out

    def _linear(self, name: str, x: Floats, residual: Floats | None = None) -> Floats:
        weight, bias = self.parameters[name + ".weight"], self.parameters[name + ".bias"]
        out = self._room(name, len(x), len(bias))
        self.ops.linear(out, x, weight, bias, residual)
        return out

    def _output_table(self, arrays: Parameters) -> Floats:
        return arrays["embedding" if self.config.tied else "unembedding"]

    # ------------------------------------------------------------------------------------- looking

    def beside(self, encoding: PositionalEncoding | None = None, layers: int | None = None, keep: bool = False) -> Transformer:
        """A model of the same parameters with working memory of its own, to look at without disturbing training.

        Args:
            encoding: the same, or another that brings no parameters of its own; `PositionalEncoding()` is none.
            layers: only the first so many blocks.
            keep: True copies the parameters as they are now; False shares them, as they go on changing.
        """
        other = copy.copy(self)
        if layers:
            other.config = replace(self.config, layers=layers)
        other.encoding = encoding or self.encoding
        other.parameters = self.parameters.copy() if keep else self.parameters
        other.gradients = self.gradients.copy()
        other._room = Workspace(self.dtype)
        other._supplied = {} if encoding else self._supplied
        return other

    def residual_stream(self, ids: Integers, causal: bool = True) -> dict[str, Floats]:
        """The residual stream at every depth, as the forward pass leaves it for the backward pass.

        Args:
            ids: (B, T) integers below V.

        Returns:
            In the order of the computation, each (B, T, d): "embedding", then "position" where a table is
            added, then "block0.attention" and "block0.mlp" and so on after each write, and "final_norm",
            what the logits are read from. The arrays are used again by the next call.
        """
        self.logits(ids, causal)
        rows, _, _, _, last, normal = self._saved
        embedded = self._room("embedded", *last.shape)
        self.ops.embedding(embedded, self.parameters["embedding"], rows)
        depths = {"embedding": embedded}
        entering = [part[0] for saved in self._saved_by_block for part in saved] + [last]
        if self.position(ids.shape[1])[0] is not None:
            depths["position"] = entering[0]
        for block in range(self.config.layers):
            depths[f"block{block}.attention"] = entering[2 * block + 1]
            depths[f"block{block}.mlp"] = entering[2 * block + 2]
        depths["final_norm"] = normal
        return {name: array.reshape(*ids.shape, -1) for name, array in depths.items()}

    def attention(self, ids: Integers, causal: bool = True) -> list[tuple[Floats, Floats]]:
        """What the attention of each block computed.

        Args:
            ids: (B, T) integers below V.

        Returns:
            For each block the queries, keys and values (B, T, 3, H, d / H), turned where the encoding turns
            them, and the weights (B, H, T, T): [b, h, i, j] is how much query i takes from key j. The arrays
            are used again by the next call.
        """
        self.logits(ids, causal)
        return [(qkv, weights) for (_, _, qkv, weights, _, _), _ in self._saved_by_block]

    def embedding_gradients(self) -> tuple[Floats, Floats]:
        """The two gradients that `backward`, called last, sent to the tables: of the lookup, and of the logits.

        Returns:
            Input side and output side, each (V, d). In a tied model both arrive at E, and their sum is its gradient.
        """
        ops, room = self.ops, self._room
        ids, _, _, _, stream, normal = self._saved
        entering, leaving = np.zeros((2, *self.parameters["embedding"].shape), stream.dtype)
        ops.embedding_backward(entering, room("dstream", *stream.shape), ids)
        dlogits = room("dlogits", len(ids), self.characters)
        unused = room("dnormal", *normal.shape)
        ops.unembedding_backward(unused, leaving, dlogits, normal, self._output_table(self.parameters))
        return entering, leaving

    # ------------------------------------------------------------------------------------ backward

    def backward(self) -> None:
        """Fill `gradients` with those of the mean of the `losses` computed last.

        The same steps from the last to the first. dstream is the gradient of the residual stream:
        every `stream + f(stream)` passes it on unchanged, and adds what comes back through f.
        """
        ops, room, gradients = self.ops, self._room, self.gradients
        ids, batch, length, rotation, stream, normal = self._saved
        rows, d = stream.shape
        gradients.vector.fill(0)

        dlogits = room("dlogits", rows, self.characters)
        ops.cross_entropy_backward(dlogits, self._probabilities, self._targets)
        dnormal = room("dnormal", rows, d)
        ops.unembedding_backward(dnormal, self._output_table(gradients), dlogits, normal, self._output_table(self.parameters))
        dstream = room("dstream", rows, d)
        dstream.fill(0)
        self._norm_backward(dstream, "final_norm", dnormal, stream)
        table, _, bias = self._supplies(length)
        dbias = None
        if isinstance(bias, Trainable):
            dbias = room("dbias", self.config.heads, length, length)
            dbias.fill(0)
        for block in reversed(range(self.config.layers)):
            attention, mlp = self._saved_by_block[block]
            self._mlp_backward(f"block{block}.", dstream, *mlp)
            self._attention_backward(f"block{block}.", dstream, rotation, dbias, *attention)
        if isinstance(bias, Trainable) and dbias is not None:
            self._value_backward("position_bias", bias, dbias)
        if isinstance(table, Trainable):
            self._value_backward("position_table", table, dstream.reshape(batch, length, d).sum(axis=0))
        ops.embedding_backward(gradients["embedding"], dstream, ids)

    def _value_backward(self, name: str, supplied: Trainable, dvalue: Floats) -> None:
        """From the gradient of what was added to that of the parameter behind it."""
        gradient = self._part(self.gradients, name, supplied)
        if supplied.gradient is None:
            gradient += dvalue
        else:
            gradient += supplied.gradient(self._part(self.parameters, name, supplied), dvalue)

    def _mlp_backward(self, name: str, dstream: Floats, stream: Floats, normal: Floats, inner: Floats, gated: Floats) -> None:
        room = self._room
        dgated, dinner = room("dgated", *gated.shape), room("dinner", *inner.shape)
        dnormal = room("dnormal", *normal.shape)
        self._linear_backward(dgated, name + "mlp_out", dstream, gated)
        self.ops.gelu_backward(dinner, dgated, inner)
        self._linear_backward(dnormal, name + "mlp_in", dinner, normal)
        self._norm_backward(dstream, name + "mlp_norm", dnormal, stream)

    def _attention_backward(
        self,
        name: str,
        dstream: Floats,
        rotation: Rotation | None,
        dbias: Floats | None,
        stream: Floats,
        normal: Floats,
        qkv: Floats,
        weights: Floats,
        mixed: Floats,
        causal: bool,
    ) -> None:
        ops, room = self.ops, self._room
        dmixed, dqkv = room("dmixed", *mixed.shape), room("dqkv", *qkv.shape)
        dnormal, dscores = room("dnormal", *normal.shape), room("dscores", *weights.shape)
        self._linear_backward(dmixed.reshape(stream.shape), name + "attention_out", dstream, mixed.reshape(stream.shape))
        ops.attention_backward(dqkv, dbias, dscores, dmixed, weights, qkv, causal)
        if rotation is not None:
            ops.rotate_backward(dqkv, *rotation)
        self._linear_backward(dnormal, name + "qkv", dqkv.reshape(len(normal), -1), normal)
        self._norm_backward(dstream, name + "attention_norm", dnormal, stream)

    def _linear_backward(self, dx: Floats, name: str, dout: Floats, x: Floats) -> None:
        weight, gradients = self.parameters[name + ".weight"], self.gradients
        self.ops.linear_backward(dx, gradients[name + ".weight"], gradients[name + ".bias"], dout, x, weight)

    def _norm_backward(self, dx: Floats, name: str, dout: Floats, x: Floats) -> None:
        mean, rstd = self._room(name + ".mean", len(x)), self._room(name + ".rstd", len(x))
        gain, gradients = self.parameters[name + ".gain"], self.gradients
        self.ops.layer_norm_backward(dx, gradients[name + ".gain"], gradients[name + ".shift"], dout, x, mean, rstd, gain)
