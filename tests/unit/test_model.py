"""The model's gradients against PyTorch and against finite differences, and what its forward pass promises."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embedding_lab.config import RunConfig
from embedding_lab.model import Transformer, random_stream
from embedding_lab.positions import ENCODINGS, PositionalEncoding, PositionError, Trainable, build

CHARACTERS = 11


class EverythingTrainable(PositionalEncoding):
    """A learned table on top of a sinusoid, a trainable bias, and a rotation: every way in at once."""

    name = "everything"

    def table(self, length, d):
        return Trainable(0.1 * np.sin(np.arange(length * d).reshape(length, d)), noise=0.02)

    def rotation(self, length, head_dim):
        return build("rope", length).rotation(length, head_dim)

    def bias(self, length, heads):
        return Trainable(build("alibi", length).bias(length, heads), noise=0.1)


def make(encoding, layers=1, tied=True, batch=3, length=7, d=12, heads=2, context=None, dtype=np.float64):
    config = RunConfig(layers=layers, tied=tied, d=d, heads=heads, context=max(8, context or length), init_std=0.3)
    encoding = build(encoding, config.context, 0.3) if isinstance(encoding, str) else encoding
    model = Transformer(config, CHARACTERS, encoding, dtype=dtype)
    for name, array in model.parameters.arrays.items():
        if name.endswith(("gain", "shift", "bias")):  # away from 1 and 0, where mistakes hide
            array += random_stream(7, name).normal(0, 0.3, array.shape)
    ids, targets = random_stream(7, "test").integers(0, CHARACTERS, (2, batch, length))
    return model, ids, targets


def relative_error(a, b):
    return np.abs(a - b).max() / max(np.abs(b).max(), 1e-300)


CASES = [
    (encoding, layers, tied, batch, length)
    for encoding in [*ENCODINGS, EverythingTrainable()]
    for layers, tied, batch, length in [(1, True, 3, 7), (1, False, 5, 9), (2, True, 5, 13), (2, False, 1, 9), (1, True, 1, 1)]
]


def case_name(value):
    return value.name if isinstance(value, PositionalEncoding) else None


@pytest.mark.parametrize("encoding, layers, tied, batch, length", CASES, ids=case_name)
def test_every_gradient_is_that_of_pytorch(encoding, layers, tied, batch, length):
    torch = pytest.importorskip("torch")
    from torch_reference import COMPUTED_BIAS, losses

    model, ids, targets = make(encoding, layers, tied, batch, length)
    ours = model.losses(ids, targets).copy()
    model.backward()

    parameters = {name: torch.tensor(a, requires_grad=True) for name, a in model.parameters.arrays.items()}
    config, encoding = model.config, model.encoding
    fixed = {"table": encoding.table(length, config.d), "bias": encoding.bias(length, config.heads)}
    if "position_table" in parameters:
        fixed["table"] = parameters["position_table"][:length]
    if "position_bias" in parameters:
        bias = parameters["position_bias"]
        computed = COMPUTED_BIAS.get(encoding.name)
        fixed["bias"] = computed(bias, length) if computed else bias[:, :length, :length]
    given = {name: torch.as_tensor(value) for name, value in fixed.items() if value is not None}
    if encoding.rotation(length, config.d // config.heads):
        frequencies = [10_000.0 ** (-2 * k * config.heads / config.d) for k in range(config.d // config.heads // 2)]
        given["angles"] = torch.outer(torch.arange(length, dtype=torch.float64), torch.tensor(frequencies).double())
    theirs = losses(parameters, config, torch.tensor(ids), torch.tensor(targets), **given)
    theirs.mean().backward()

    assert relative_error(ours, theirs.detach().numpy()) <= 1e-8
    # Some gradients are 0 in theory (a bias on all keys changes no softmax), so the scale has a floor.
    for name, parameter in parameters.items():
        assert np.abs(model.gradients[name] - parameter.grad.numpy()).max() <= 1e-8 * max(
            1e-3, parameter.grad.abs().max().item()
        ), name


@pytest.mark.parametrize("encoding", [*ENCODINGS, EverythingTrainable()], ids=case_name)
@pytest.mark.parametrize("tied", [True, False])
def test_every_gradient_is_a_finite_difference(encoding, tied):
    model, ids, targets = make(encoding, layers=2, tied=tied, batch=2, length=5)
    model.losses(ids, targets)
    model.backward()
    gradients = {name: array.copy() for name, array in model.gradients.arrays.items()}
    random, step = random_stream(3, "directions"), 1e-5
    for name, array in model.parameters.arrays.items():
        start, direction = array.copy(), random.normal(size=array.shape)
        array[...] = start + step * direction
        above = model.losses(ids, targets).mean()
        array[...] = start - step * direction
        below = model.losses(ids, targets).mean()
        array[...] = start
        measured, expected = (above - below) / (2 * step), np.sum(gradients[name] * direction)
        assert abs(measured - expected) <= 1e-7 * max(1, abs(expected)), name


def test_an_untrained_model_is_near_the_uniform_loss():
    config = RunConfig()
    model = Transformer(config, 73, build("none", 32))
    ids, targets = random_stream(1, "test").integers(0, 73, (2, 8, 32))
    assert abs(model.losses(ids, targets).mean() - math.log(73)) < 0.05


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 12), st.integers(1, 3), st.sampled_from(list(ENCODINGS)))
def test_a_causal_model_does_not_see_the_future(cut, layers, encoding):
    model, ids, _ = make(encoding, layers, batch=2, length=13)
    before = model.logits(ids)[:, :cut].copy()
    changed = ids.copy()
    changed[:, cut:] = (changed[:, cut:] + 1) % CHARACTERS
    assert np.abs(model.logits(changed)[:, :cut] - before).max() < 1e-12


def test_without_a_mask_or_an_encoding_the_model_permutes_with_its_input():
    model, ids, _ = make("none", layers=2, batch=1, length=9)
    order = random_stream(5, "order").permutation(9)
    straight = model.logits(ids, causal=False).copy()
    permuted = model.logits(ids[:, order], causal=False)
    assert np.abs(permuted - straight[:, order]).max() < 1e-12
    with_position, _, _ = make("learned", layers=2, batch=1, length=9)
    straight = with_position.logits(ids, causal=False).copy()
    assert np.abs(with_position.logits(ids[:, order], causal=False) - straight[:, order]).max() > 1e-3


def test_one_causal_layer_is_blind_to_the_order_of_the_past_and_two_are_not():
    for layers, sees in [(1, False), (2, True)]:
        model, _, _ = make("none", layers=layers)
        last = [model.logits(np.array([ids]))[0, -1].copy() for ids in ([1, 2, 3, 4], [3, 1, 2, 4])]
        difference = np.abs(last[0] - last[1]).max()
        assert difference > 1e-3 if sees else difference < 1e-12


def test_rope_scores_depend_on_distance_alone():
    random = random_stream(2, "qk")
    cos, sin = build("rope", 64).rotation(64, 12)
    model, _, _ = make("rope", d=12, heads=1)
    q, k = random.normal(size=(2, 12))

    def score(i, j):
        qkv = np.zeros((1, 64, 3, 1, 12))
        qkv[0, i, 0, 0], qkv[0, j, 1, 0] = q, k
        model.ops.rotate(qkv, cos, sin)
        return qkv[0, i, 0, 0] @ qkv[0, j, 1, 0]

    assert abs(score(10, 3) - score(50, 43)) < 1e-12
    assert abs(score(10, 3) - score(10, 4)) > 1e-3


def test_runs_of_one_seed_share_every_parameter_but_the_encoding():
    models = {name: make(name)[0] for name in ENCODINGS}
    for name, model in models.items():
        for parameter, array in models["none"].parameters.arrays.items():
            assert np.array_equal(model.parameters[parameter], array), (name, parameter)
    assert set(models["learned"].parameters.arrays) - set(models["none"].parameters.arrays) == {"position_table"}
    assert models["learned"].parameters["position_table"].std() == pytest.approx(0.02, rel=0.3)  # 96 draws


def test_beyond_the_learned_table_is_an_error_that_names_its_length():
    model, _, _ = make("learned", context=8)
    with pytest.raises(PositionError, match=r"positions 8 to 8 were never learned.*at most 8"):
        model.logits(np.zeros((1, 9), int))
    trainable, _, _ = make(EverythingTrainable(), context=8)
    with pytest.raises(PositionError, match="The position table of this model was trained for a context of 8"):
        trainable.logits(np.zeros((1, 9), int))


@pytest.mark.parametrize("encoding", [name for name in ENCODINGS if name != "learned"])
def test_other_encodings_are_defined_beyond_the_training_context(encoding):
    model, _, _ = make(encoding, context=8)
    assert np.isfinite(model.logits(np.zeros((1, 40), int))).all()


def test_training_allocates_nothing_after_the_first_step():
    model, ids, targets = make("learned")
    model.losses(ids, targets)
    model.backward()
    arrays = len(model._room.arrays)
    first = model.logits(ids)
    model.losses(ids, targets)
    model.backward()
    assert len(model._room.arrays) == arrays
    assert np.shares_memory(first, model.logits(ids))


@pytest.mark.parametrize("encoding", [*ENCODINGS, EverythingTrainable()], ids=case_name)
@pytest.mark.parametrize("tied", [True, False])
def test_the_two_sides_of_the_embedding_gradient_add_up(encoding, tied):
    model, ids, targets = make(encoding, layers=2, tied=tied)
    model.losses(ids, targets)
    model.backward()
    entering, leaving = model.embedding_gradients()
    assert set(np.flatnonzero(entering.any(axis=1))) == set(ids.ravel())
    if tied:
        assert relative_error(entering + leaving, model.gradients["embedding"]) < 1e-12
    else:
        assert np.array_equal(entering, model.gradients["embedding"])
        assert np.array_equal(leaving, model.gradients["unembedding"])


@pytest.mark.parametrize("encoding", [*ENCODINGS, EverythingTrainable()], ids=case_name)
def test_the_residual_stream_begins_with_the_row_and_ends_in_the_logits(encoding):
    model, ids, _ = make(encoding, layers=3)
    logits = model.logits(ids).copy()
    depths = {name: array.copy() for name, array in model.residual_stream(ids).items()}
    blocks = [f"block{block}.{part}" for block in range(3) for part in ("attention", "mlp")]
    table, _, _ = model.position(ids.shape[1])
    assert list(depths) == ["embedding", *["position"] * (table is not None), *blocks, "final_norm"]
    assert np.array_equal(depths["embedding"], model.parameters["embedding"][ids])
    if table is not None:
        assert np.array_equal(depths["position"], depths["embedding"] + table)
    assert relative_error(depths["final_norm"] @ model.parameters["embedding"].T, logits) < 1e-12
    # Without its later blocks a model ends where this one was.
    first = model.beside(layers=1).residual_stream(ids)
    assert np.array_equal(first["block0.mlp"], depths["block0.mlp"])
    assert list(first) == ["embedding", *["position"] * (table is not None), *blocks[:2], "final_norm"]


def test_a_part_that_writes_nothing_leaves_the_residual_stream_as_it_was():
    model, ids, _ = make("learned", layers=3)
    for silent in ("block1.attention_out", "block2.mlp_out"):
        model.parameters[silent + ".weight"][...] = model.parameters[silent + ".bias"][...] = 0
    depths = {name: array.copy() for name, array in model.residual_stream(ids).items()}
    names = list(depths)[:-1]
    same = {after for before, after in pairwise(names) if np.array_equal(depths[before], depths[after])}
    assert same == {"block1.attention", "block2.mlp"}


def test_the_attention_of_a_block_is_a_softmax_of_its_scores():
    model, ids, _ = make("rope", layers=2)
    for qkv, weights in model.attention(ids):
        q, k = qkv[:, :, 0], qkv[:, :, 1]
        scores = np.einsum("bihc,bjhc->bhij", q, k) / math.sqrt(6)
        scores[:, :, ~np.tri(7, dtype=bool)] = -np.inf
        powers = np.exp(scores - scores.max(axis=3, keepdims=True))
        assert weights == pytest.approx(powers / powers.sum(axis=3, keepdims=True))


def test_a_model_beside_another_shares_or_keeps_its_parameters_and_never_its_memory():
    model, ids, targets = make("learned", layers=2)
    shared, kept, bare = model.beside(), model.beside(keep=True), model.beside(PositionalEncoding())
    first = model.logits(ids).copy()
    assert np.array_equal(shared.logits(ids), first) and not np.array_equal(bare.logits(ids), first)
    model.losses(ids, targets)
    shared.logits(ids[:1, :3])
    model.backward()
    gradients = model.gradients.vector.copy()
    model.losses(ids, targets)
    model.backward()
    assert np.array_equal(model.gradients.vector, gradients)
    model.parameters.vector *= 2
    assert np.array_equal(kept.logits(ids), first) and not np.array_equal(shared.logits(ids), first)
