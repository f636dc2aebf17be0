"""How a model is written so that Hugging Face `transformers` opens it: which architecture holds it, and by what names.

What the encoding supplies decides, not its name:

    nothing, or a table                    GPT-2: the table stands in wpe, zeros where there is none
    the rotation of RoPE, with any base    GPT-NeoX, with the MLP after the attention instead of beside it
    the bias of ALiBi, as Bloom has it     Bloom, with its embedding norm made a plain scaling (see `_bloom`)
    anything else                          none: the lab's own names

The other two architectures of `transformers` with the bias of ALiBi cannot hold a model of the lab: MPT has no biases in
its layers and norms, and Falcon divides the bias by the square root of the head size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ..config import RunConfig, settings_table
from ..model import MLP_WIDTH, Transformer
from ..ops.reference import LAYER_NORM_EPSILON
from ..positions import ENCODINGS, OWN, PositionalEncoding, Trainable, build

if TYPE_CHECKING:
    from ..kinds import Floats, Plain, Rotation

S = TypeVar("S")  # what an encoding supplies

MOST_POSITIONS = 1024  # of an encoding without an end: as many as GPT-2 has
# Bloom's embedding norm divides by sqrt(variance + 1e-5). With rows this much smaller the variance does not count: that
# of rows of size 10 adds 4e-13, less than float32 can tell in 1e-5. A power of two, so that nothing is rounded.
BLOOM_SHRINKS = 2.0**-24


@dataclass(frozen=True)
class Layout:
    """Where each number of a model stands in a file, and what the file says the model is.

    Attributes:
        title: the architecture in words.
        held: whether `transformers` can open it.
        why: what is particular about it, in a sentence or two.
        positions: how many the file has.
        config: config.json.
        names: the lab's name of each parameter to the file's.
        to_file, from_file: a parameter as the file has it, and back, given its name in the lab.
        constants: the file's arrays that are no parameters, from the parameters by the lab's names.
    """

    title: str
    held: bool
    why: str
    positions: int
    config: Plain
    names: dict[str, str]
    to_file: Callable[[str, Floats], Floats] = lambda name, array: array
    from_file: Callable[[str, Floats], Floats] = lambda name, array: array
    constants: Callable[[dict[str, Floats]], dict[str, Floats]] = field(default=lambda parameters: {})


def encoding_name(config: RunConfig, encoding: PositionalEncoding) -> str:
    """What a run's encoding is called: a reader's own as its settings have it, which may number the name of its class."""
    return config.encoding.removeprefix(OWN) if config.encoding.startswith(OWN) else encoding.name


def choose(model: Transformer) -> Layout:
    """The layout for a model, from what its encoding supplies."""
    config, encoding = model.config, model.encoding
    context, size = config.context, config.d // config.heads
    positions = max(context, min(getattr(encoding, "max_length", None) or MOST_POSITIONS, MOST_POSITIONS))
    table, rotation, bias = (
        encoding.table(context, config.d),
        encoding.rotation(context, size),
        encoding.bias(context, config.heads),
    )
    if rotation is None and bias is None:
        if table is None:
            return _gpt2(model, np.zeros((positions, config.d), np.float32), "It has no positions: they are zeros.")
        if isinstance(table, Trainable) and table.value is not None:
            return _own(model, "its table of positions is computed from other numbers, which train")
        if isinstance(table, Trainable):
            return _gpt2(model, None, "Its trained table of positions ends at its context.")
        table = _stretched(lambda length: encoding.table(length, config.d), context, positions)
        if table is None:
            return _own(model, "its table depends on how long the text is, and GPT-2 has one table for all lengths")
        return _gpt2(model, table, "Its fixed table of positions is written out.")
    if rotation is not None and bias is None and table is None:
        base = _rope_base(encoding, rotation, context, size)
        if base is not None:
            return _gpt_neox(model, positions, base)
        return _own(model, "it turns queries and keys by other angles than RoPE does")
    if rotation is None and table is None:
        if not isinstance(bias, Trainable) and _is_bloom(encoding, context, config.heads):
            return _bloom(model, positions)
        return _own(
            model,
            f"it adds a bias to its attention scores, and another one than Bloom adds with {config.heads} heads",
        )
    return _own(model, "it supplies position in more than one place")


def architectures() -> dict[str, list[str | None]]:
    """What of `transformers` opens a run, for each encoding of the lab: with 1, 2, ... heads, None where nothing does."""

    def title(encoding: str, heads: int) -> str | None:
        config = RunConfig(encoding=encoding, d=16 * heads, heads=heads, context=8)
        layout = choose(Transformer(config, 2, build(encoding, config.context)))
        return layout.title if layout.held else None

    [most] = [int(row["high"]) for row in settings_table() if row["name"] == "heads"]
    return {encoding: [title(encoding, heads) for heads in range(1, most + 1)] for encoding in ENCODINGS}


def _stretched(supplied: Callable[[int], Floats | Trainable | None], context: int, most: int) -> Floats | None:
    """One table for all lengths, of `most` rows if the encoding goes that far; None if its rows depend on the length."""
    whole = np.asarray(supplied(context), np.float32)
    if not all(_same(_asked(supplied, length), whole[:length]) for length in (1, context // 2, context - 1)):
        return None
    longer = _asked(supplied, most)
    if longer is None:
        return whole
    longer = np.asarray(longer, np.float32)
    same = longer.shape == (most, *whole.shape[1:]) and _same(longer[:context], whole) and np.isfinite(longer).all()
    return longer if same else whole


def _asked(supplied: Callable[[int], S | Trainable | None], length: int) -> S | None:
    """The fixed array that an encoding supplies at another length than its run's; None where it has none, or fails."""
    try:
        found = supplied(length)
    except Exception:  # a reader's own encoding may raise anything where it ends without saying so
        return None
    return None if isinstance(found, Trainable) else found


def _same(one: Floats | None, other: Floats) -> bool:
    """Equal but for rounding: NumPy's sine may differ in its last place with the length of what it is given."""
    return one is not None and np.shape(one) == np.shape(other) and np.allclose(one, other, rtol=1e-6, atol=1e-7)


def _rope_base(encoding: PositionalEncoding, turns: Rotation, context: int, size: int) -> float | None:
    """The base whose powers the rotation turns by, pair k by base^(-2k / head size) a step; None if there is none.

    Args:
        turns: what the encoding supplies at the context.
    """
    cos, sin = turns
    base = 10_000.0  # of a single pair, which is turned by 1 with any base
    if size > 2:
        with np.errstate(all="ignore"):
            base = float(np.arctan2(sin[1, 1], cos[1, 1]) ** (-size / 2))
        if not np.isfinite(base):  # of a second pair that does not turn
            return None
        base = round(base) if abs(base - round(base)) < 1e-6 * base else base  # such as 10,000 after rounding
    if not 1 < base < 1e9:
        return None
    for length in (context, context - 1, 2):
        angle = np.arange(length)[:, None] * base ** (-np.arange(0, size, 2) / size)
        turned = _asked(lambda length: encoding.rotation(length, size), length)
        if turned is None or not (_same(turned[0], np.cos(angle)) and _same(turned[1], np.sin(angle))):
            return None
    return float(base)


def _is_bloom(encoding: PositionalEncoding, context: int, heads: int) -> bool:
    """Whether the bias is that of Bloom, which has ALiBi's slopes for 1, 2, 4 or 8 heads and others for 3, 5, 6 and 7.

    Bloom adds slope times the key's position where the lab subtracts slope times the distance: the two differ by what is
    the same for all keys of a query, and the softmax does not see that.
    """
    slope = 2.0 ** (-8 / heads * np.arange(1, heads + 1))
    for length in (context, context - 1, 2):
        position = np.arange(length)
        behind = np.minimum(position[None, :] - position[:, None], 0)  # of each key, seen from each query
        bias = _asked(lambda length: encoding.bias(length, heads), length)
        if bias is None or not _same(np.tril(bias), slope[:, None, None] * behind):
            return False
    return heads & (heads - 1) == 0


# Per block the lab's names, and those of each architecture.
_BLOCK = ("attention_norm", "qkv", "attention_out", "mlp_norm", "mlp_in", "mlp_out")
_GPT2 = ("ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj")
_FUSED = ("query_key_value", "dense", "post_attention_layernorm", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h")


def _names(model: Transformer, embedding: str, block: str, parts: tuple[str, ...], final: str, output: str) -> dict[str, str]:
    """The file's name of each parameter. A norm's gain and shift are called weight and bias there."""
    names = {"embedding": embedding, "final_norm": final, "unembedding": output}
    for at in range(model.config.layers):
        names |= {f"block{at}.{own}": f"{block}.{at}.{theirs}" for own, theirs in zip(_BLOCK, parts, strict=True)}
    kinds = {"gain": "weight", "shift": "bias"}
    found = {}
    for name in model.parameters.arrays:
        layer, _, kind = name.rpartition(".")
        if layer:
            found[name] = f"{names[layer]}.{kinds.get(kind, kind)}"
        elif name in names:
            found[name] = f"{names[name]}.weight"
    return found


def _about(model: Transformer, architecture: str, model_type: str) -> Plain:
    """What every config.json says."""
    return {
        "architectures": [architecture],
        "model_type": model_type,
        "vocab_size": model.characters,
        "initializer_range": model.config.init_std,
        "bos_token_id": None,
        "eos_token_id": None,
        "tie_word_embeddings": model.config.tied,
        "use_cache": True,
    }


def _gpt2(model: Transformer, fixed: Floats | None, why: str) -> Layout:
    config = model.config
    names = _names(model, "transformer.wte", "transformer.h", _GPT2, "transformer.ln_f", "lm_head")
    table = "transformer.wpe.weight"
    positions = config.context if fixed is None else len(fixed)
    if fixed is None:
        names["position_table"] = table
    return Layout(
        title="GPT-2",
        held=True,
        why=why,
        positions=positions,
        config=_about(model, "GPT2LMHeadModel", "gpt2")
        | {
            "n_positions": positions,
            "n_embd": config.d,
            "n_layer": config.layers,
            "n_head": config.heads,
            "n_inner": MLP_WIDTH * config.d,
            "activation_function": "gelu_new",
            "layer_norm_epsilon": LAYER_NORM_EPSILON,
            "resid_pdrop": 0.0,
            "embd_pdrop": 0.0,
            "attn_pdrop": 0.0,
        },
        names=names,
        constants=lambda parameters: {} if fixed is None else {table: fixed},
    )


def _gpt_neox(model: Transformer, positions: int, base: float) -> Layout:
    config = model.config
    parts = ("input_layernorm", "attention.query_key_value", "attention.dense", *_FUSED[2:])
    return Layout(
        title="GPT-NeoX",
        held=True,
        why="GPT-2 does not turn queries and keys; GPT-NeoX does, and is otherwise the same where its MLP follows its "
        "attention, as it does here.",
        positions=positions,
        config=_about(model, "GPTNeoXForCausalLM", "gpt_neox")
        | {
            "max_position_embeddings": positions,
            "hidden_size": config.d,
            "num_hidden_layers": config.layers,
            "num_attention_heads": config.heads,
            "intermediate_size": MLP_WIDTH * config.d,
            "hidden_act": "gelu_new",
            "layer_norm_eps": LAYER_NORM_EPSILON,
            "use_parallel_residual": False,
            "attention_bias": True,
            "attention_dropout": 0.0,
            "hidden_dropout": 0.0,
            "rope_parameters": {"rope_type": "default", "rope_theta": base, "partial_rotary_factor": 1.0},
            "rotary_emb_base": base,  # this and the next are the names before transformers 5
            "rotary_pct": 1.0,
        },
        names=_names(model, "gpt_neox.embed_in", "gpt_neox.layers", parts, "gpt_neox.final_layer_norm", "embed_out"),
        to_file=lambda name, array: _fused(name, array, config.heads),
        from_file=lambda name, array: _split(name, array, config.heads),
    )


def _bloom(model: Transformer, positions: int) -> Layout:
    """Bloom normalises what it looks up, which the lab does not; but a norm of tiny numbers is only a scaling.

    Rows 2^24 times smaller have a variance that its epsilon drowns, so the norm takes away a row's mean and multiplies by
    1 / sqrt(epsilon); its gain turns that into what the rows were. The mean is never missed, since every later norm takes
    it away too. Logits are read from the rows as they were, so they are in the file a second time.
    """
    config = model.config
    parts = ("input_layernorm", "self_attention.query_key_value", "self_attention.dense", *_FUSED[2:])
    tied, looked_up, read_out = config.tied, "transformer.word_embeddings", "lm_head"
    norm: dict[str, Floats] = {
        f"{looked_up}_layernorm.weight": np.full(config.d, LAYER_NORM_EPSILON**0.5 / BLOOM_SHRINKS, np.float32),
        f"{looked_up}_layernorm.bias": np.zeros(config.d, np.float32),
    }
    # Of a tied model the file's read-out table is the parameter, and the one that is looked up follows from it.
    names = _names(model, read_out if tied else looked_up, "transformer.h", parts, "transformer.ln_f", read_out)

    def to_file(name: str, array: Floats) -> Floats:
        shrinks = name == "embedding" and not tied
        return array * np.float32(BLOOM_SHRINKS) if shrinks else _fused(name, array, config.heads)

    def from_file(name: str, array: Floats) -> Floats:
        grows = name == "embedding" and not tied
        return array / np.float32(BLOOM_SHRINKS) if grows else _split(name, array, config.heads)

    def constants(parameters: dict[str, Floats]) -> dict[str, Floats]:
        small: dict[str, Floats] = {f"{looked_up}.weight": parameters["embedding"] * np.float32(BLOOM_SHRINKS)} if tied else {}
        return norm | small

    return Layout(
        title="Bloom",
        held=True,
        why="GPT-2 adds no bias to its attention scores; Bloom adds that of ALiBi. Bloom also normalises each row that "
        "it looks up, so the rows are stored 2^24 times smaller, where its norm does no more than take away their mean "
        "and make them large again. No later layer sees that mean.",
        positions=positions,
        config=_about(model, "BloomForCausalLM", "bloom")
        | {
            "tie_word_embeddings": False,
            "seq_length": positions,
            "hidden_size": config.d,
            "n_layer": config.layers,
            "n_head": config.heads,
            "layer_norm_epsilon": LAYER_NORM_EPSILON,
            "apply_residual_connection_post_layernorm": False,
            "attention_dropout": 0.0,
            "hidden_dropout": 0.0,
        },
        names=names,
        to_file=to_file,
        from_file=from_file,
        constants=constants,
    )


def _own(model: Transformer, why: str) -> Layout:
    return Layout(
        title="Embedding Lab",
        held=False,
        why=f"GPT-2 cannot hold this model: {why}.",
        positions=model.config.context,
        config={
            "model_type": "embedding-lab",
            "vocab_size": model.characters,
            **asdict(model.config),
            "encoding": encoding_name(model.config, model.encoding),  # without "own:", or that of an object from elsewhere
        },
        names={name: name for name in model.parameters.arrays},
    )


def _fused(name: str, array: Floats, heads: int) -> Floats:
    """A weight as (outputs, inputs), and of qkv the queries, keys and values of each head together."""
    array = array.T if name.endswith(".weight") else array
    if ".qkv." in name:
        array = array.reshape(3, heads, -1, *array.shape[1:]).swapaxes(0, 1).reshape(array.shape)
    return array


def _split(name: str, array: Floats, heads: int) -> Floats:
    """What `_fused` made, as it was."""
    if ".qkv." in name:
        array = array.reshape(heads, 3, -1, *array.shape[1:]).swapaxes(0, 1).reshape(array.shape)
    return array.T if name.endswith(".weight") else array
