"""A model before its first step: where each parameter starts, how its arrays lie in memory, and what it refuses."""

from types import SimpleNamespace

import numpy as np
import pytest

from embedding_lab.config import RunConfig
from embedding_lab.model import CACHE_LINE, Parameters, Transformer, Workspace, aligned, random_stream
from embedding_lab.positions import PositionalEncoding, PositionError, Trainable, build

CHARACTERS = 11


def made(encoding=None, dtype=np.float64, **settings):
    config = RunConfig(**{"d": 24, "heads": 2, "context": 8, "layers": 2, **settings})
    return Transformer(config, CHARACTERS, encoding or PositionalEncoding(), dtype)


@pytest.mark.parametrize("tied", [True, False])
def test_parameters_start_where_gpt_2_has_them_but_for_the_spread_of_the_weights(tied):
    d, parameters = 24, made(tied=tied, init_std=0.3).parameters
    spreads = {"embedding": ((CHARACTERS, d), 0.3)} | ({} if tied else {"unembedding": ((CHARACTERS, d), 0.3)})
    fixed = {}
    for block in ("block0.", "block1."):
        for layer, inputs, outputs in (("qkv", d, 3 * d), ("attention_out", d, d), ("mlp_in", d, 4 * d), ("mlp_out", 4 * d, d)):
            spreads[f"{block}{layer}.weight"] = ((inputs, outputs), 1 / inputs**0.5)
            fixed[f"{block}{layer}.bias"] = (outputs, 0)
    for norm in ("block0.attention_norm", "block0.mlp_norm", "block1.attention_norm", "block1.mlp_norm", "final_norm"):
        fixed |= {f"{norm}.gain": (d, 1), f"{norm}.shift": (d, 0)}
    assert set(parameters.arrays) == {*spreads, *fixed}
    for name, (size, value) in fixed.items():
        assert np.array_equal(parameters[name], np.full(size, value)), name
    for name, (shape, spread) in spreads.items():
        assert parameters[name].shape == shape, name
        # Of n normal numbers the deviation is within 4 / sqrt(2n) of its own, and the mean within 4 / sqrt(n).
        n = parameters[name].size
        assert parameters[name].std() == pytest.approx(spread, rel=4 / (2 * n) ** 0.5), name
        assert abs(parameters[name].mean()) < 4 * spread / n**0.5, name


def test_each_parameter_draws_from_a_stream_of_its_own_that_the_seed_decides():
    one, again, other = made(seed=1).parameters, made(seed=1).parameters, made(seed=2).parameters
    assert np.array_equal(one.vector, again.vector)
    assert not np.array_equal(one["block0.qkv.weight"], one["block1.qkv.weight"])
    assert not np.array_equal(one["embedding"], other["embedding"])
    assert random_stream(1, "embedding").normal(0, 0.02, 3) == pytest.approx(one["embedding"][0, :3], abs=0)


def test_what_is_trained_of_an_encoding_starts_where_it_says_with_its_noise():
    class Both(PositionalEncoding):
        def table(self, length, d):
            return Trainable(np.full((length, d), 5.0), noise=0.1)

        def bias(self, length, heads):
            return Trainable(np.full((heads, length, length), -3.0))

    parameters = made(Both()).parameters
    assert np.array_equal(parameters["position_bias"], np.full((2, 8, 8), -3.0))
    assert parameters["position_table"].mean() == pytest.approx(5, abs=0.03)
    assert parameters["position_table"].std() == pytest.approx(0.1, rel=0.2)  # of 192 draws


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1,), (3, 5), (7, 1, 2), (129,)])
def test_arrays_start_where_a_cache_line_does_and_have_their_size_and_kind(dtype, shape):
    kept = []  # lest the same place, by chance a good one, is given again and again
    for make in (np.empty, np.zeros) * 8:
        array = aligned(make, shape, dtype)
        kept += [array, np.empty(3)]
        assert array.ctypes.data % CACHE_LINE == 0
        assert (array.shape, array.dtype) == (shape, dtype) and array.flags.c_contiguous
    assert not aligned(np.zeros, shape, dtype).any()


def test_all_that_a_model_computes_in_starts_where_a_cache_line_does():
    model = made(build("learned", 8), np.float32)
    ids = random_stream(1, "ids").integers(0, CHARACTERS, (2, 7))
    model.losses(ids, ids)
    model.backward()
    arrays = [model.parameters.vector, model.gradients.vector, *model._room.arrays.values()]
    assert len(arrays) > 20
    assert all(array.ctypes.data % CACHE_LINE == 0 and array.dtype == np.float32 for array in arrays)


def test_what_looks_at_a_model_computes_in_its_kind_of_number():
    model, ids = made(dtype=np.float32), random_stream(1, "ids").integers(0, CHARACTERS, (2, 6))
    assert model.beside().logits(ids).dtype == np.float32
    model.losses(ids, ids)
    model.backward()
    assert [gradient.dtype for gradient in model.embedding_gradients()] == [np.float32, np.float32]


def test_a_parameter_of_another_number_of_axes_at_another_length_is_refused():
    class Unsteady(PositionalEncoding):
        def table(self, length, d):
            start = np.ones(d) if length == 8 else np.ones((length, d))
            return Trainable(start, 0, lambda p: np.broadcast_to(p, (length, d)), lambda p, dvalue: dvalue)

    model = made(Unsteady())
    assert model.position(8)[0].shape == (8, 24)
    with pytest.raises(
        PositionError, match=r"^The position table of this model was trained for a context of 8; .* at most 8\.$"
    ):
        model.position(4)


def test_parameters_are_views_of_one_vector_and_a_copy_is_of_its_own():
    parameters = Parameters({"a": (2, 3), "b": (), "c": (4,)}, np.float32)
    parameters["a"][...], parameters["b"][...], parameters["c"][...] = 1, 2, 3
    assert parameters.vector.tolist() == [1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3] and parameters.vector.dtype == np.float32
    other = parameters.copy()
    parameters.vector += 1
    assert {name: array.shape for name, array in other.arrays.items()} == {"a": (2, 3), "b": (), "c": (4,)}
    assert other["c"].tolist() == [3, 3, 3, 3] and other.vector.dtype == np.float32
    assert other.get("b") == 2 and other.get("d") is None


def test_a_workspace_gives_the_same_array_for_the_same_name_and_shape_alone():
    room = Workspace(np.float64)
    first = room("a", 2, 3)
    assert room("a", 2, 3) is first and first.shape == (2, 3) and first.dtype == np.float64
    assert room("a", 3, 2) is not first and not np.shares_memory(room("b", 2, 3), first)


def test_compiled_operations_are_asked_for_float32_alone():
    compiled = SimpleNamespace(NAME="quick")
    for dtype in (np.float64, np.float16):
        with pytest.raises(TypeError, match=rf"^quick computes in float32, not {np.dtype(dtype)}: use ops.reference\.$"):
            Transformer(RunConfig(), CHARACTERS, PositionalEncoding(), dtype, compiled)
    assert Transformer(RunConfig(), CHARACTERS, PositionalEncoding(), np.float32, compiled).ops is compiled


@pytest.mark.parametrize("wrong", [-1, CHARACTERS])
def test_ids_that_the_model_does_not_know_are_refused_before_it_looks_them_up(wrong):
    model, known = made(), np.array([[0, CHARACTERS - 1]])
    model.losses(known, known)
    low, high = min(0, wrong), max(0, wrong)
    for ids, targets in ((np.array([[0, wrong]]), known), (known, np.array([[wrong, 0]]))):
        with pytest.raises(ValueError, match=rf"^ids from {low} to {high}: this model knows 0 to 10\.$"):
            model.losses(ids, targets)


def test_what_an_encoding_supplies_is_computed_with_in_the_kind_of_the_model():
    class Untidy(PositionalEncoding):
        """Arrays of another kind and in another order than the operations read."""

        def table(self, length, d):
            return Trainable(np.ones(d), 0, lambda p: np.asfortranarray(np.outer(np.arange(length), p), float), lambda p, d: p)

        def rotation(self, length, head_dim):
            angles = np.outer(np.arange(length), np.ones(head_dim // 2))
            return np.asfortranarray(np.cos(angles)), np.asfortranarray(np.sin(angles))

        def bias(self, length, heads):
            return np.asfortranarray(np.ones((heads, length, length), int))

    class Fixed(Untidy):
        def table(self, length, d):
            return np.asfortranarray(np.outer(np.arange(length), np.ones(d)))

    for encoding in (Untidy(), Fixed()):
        table, (cos, sin), bias = made(encoding, np.float32).position(5)
        for array in (table, cos, sin, bias):
            assert array.dtype == np.float32 and array.flags.c_contiguous
        assert table[:, 0].tolist() == [0, 1, 2, 3, 4]
        assert (cos[1, 0], sin[1, 0]) == (np.float32(np.cos(1)), np.float32(np.sin(1)))


def test_looking_without_the_mask_sees_the_whole_sequence():
    model, ids = made(), random_stream(1, "ids").integers(0, CHARACTERS, (1, 6))
    hidden = ~np.tri(6, dtype=bool)
    for causal, seen in ((True, False), (False, True)):
        assert all(weights[..., hidden].all() == seen for _, weights in model.attention(ids, causal))
        depth = model.residual_stream(ids, causal)["final_norm"][0, 0].copy()
        losses = model.losses(ids, ids, causal)[0, 0]
        changed = np.where(np.arange(6) == 5, (ids + 1) % CHARACTERS, ids)
        assert np.array_equal(model.residual_stream(changed, causal)["final_norm"][0, 0], depth) != seen
        assert (model.losses(changed, ids, causal)[0, 0] == losses) != seen
    assert not any(weights[..., hidden].any() for _, weights in model.attention(ids))
    depth = model.residual_stream(ids)["final_norm"][0, 0].copy()
    assert np.array_equal(model.residual_stream(changed)["final_norm"][0, 0], depth)


def test_the_gradients_of_a_model_beside_another_are_its_own():
    model, ids = made(), random_stream(1, "ids").integers(0, CHARACTERS, (2, 6))
    model.losses(ids, ids)
    model.backward()
    before, beside = model.gradients.vector.copy(), model.beside()
    beside.losses(ids[:1], ids[:1])
    beside.backward()
    assert beside.gradients.vector.any() and not np.array_equal(beside.gradients.vector, before)
    assert np.array_equal(model.gradients.vector, before)
