"""The probes of position: the vectors, rotations and biases that supply it, and what is left past the context."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..geometry import principal_directions, subspace_cosines, unit
from ..positions import PositionalEncoding
from .view import (
    MOST_SHOWN,
    Probe,
    View,
    character_id,
    list_argument,
    number_argument,
    probe_stream,
    text_argument,
    undefined,
)

if TYPE_CHECKING:
    from ..kinds import Floats, Plain, Work

SCORES_SHOWN = 32
BIN = 8  # positions whose losses are averaged into one point
CHARACTERS_AT_ONCE = 2048
QUERY, KEY = "h", "t"
ATTENTION_CHARACTERS = 1024
RANDOM_PAIRS = 50


def position_table(view: View, beyond: int = 8, components: int = 8) -> Plain:
    """A vector for each position, added to the characters (claims 10, 11, 12).

    Adding works if the two can be told apart, that is, if they use different directions: the subspaces of the
    largest principal components of E and of the table are compared by their principal angles. By chance alone, two
    subspaces of k directions in d share k / d: the mean squared cosine.

    Args:
        beyond: how many positions past the context to ask for.
        components: k, of each subspace.

    Returns:
        defined; encoding; context, T; parameters, those of the table; table (N, d) and dots (N, N), the
        products of its rows, of the first N <= 64 positions; norms (T,); tokenNorm, the mean norm of the rows of E;
        rowCosine, the mean |cosine| of a row of E and one of the table, and rowChance, that of random directions;
        subspaces: cosines (the largest first), meanSquaredCosine, chance, tokenComponents, positionComponents,
        randomLargest, the mean of the largest cosine of 50 pairs of random subspaces of the same two sizes;
        beyond: asked, a length; defined; message, why not; tMax and neverLearned, the first and last position.
        Where the encoding adds no table: defined is False, with why, encoding, context and beyond.
    """
    config, encoding = view.config, view.model.encoding
    table = view.model.position(config.context)[0]
    common = {"encoding": view.config.encoding, "context": config.context, "beyond": _beyond(view, config.context + beyond)}
    if table is None:
        return {**undefined(f"The encoding {encoding.name} adds no vector to the characters."), **common}
    some, embedding = table[:MOST_SHOWN].astype(np.float64), view.embedding.astype(np.float64)
    tokens, positions = principal_directions(embedding, components), principal_directions(table, components)
    cosines = subspace_cosines(tokens, positions)
    trained = view.model.parameters.get("position_table")
    return {
        "defined": True,
        **common,
        "parameters": 0 if trained is None else trained.size,
        "table": some,
        "dots": some @ some.T,
        "norms": np.linalg.norm(table, axis=1),
        "tokenNorm": np.linalg.norm(embedding, axis=1).mean(),
        "rowCosine": np.abs(unit(embedding) @ unit(table.astype(np.float64)).T).mean(),
        "rowChance": _mean_absolute_cosine(config.d),
        "subspaces": {
            "cosines": cosines,
            "meanSquaredCosine": np.mean(cosines**2) if len(cosines) else None,
            "chance": max(tokens.shape[1], positions.shape[1]) / config.d,
            "tokenComponents": tokens.shape[1],
            "positionComponents": positions.shape[1],
            "randomLargest": _largest_by_chance(view, tokens.shape, positions.shape) if len(cosines) else None,
        },
    }


def _largest_by_chance(view: View, first: tuple[int, ...], second: tuple[int, ...]) -> float:
    """The mean of the largest cosine between random subspaces of these shapes, (d, j) and (d, k)."""
    stream = probe_stream(view, "position-table")
    a, b = (np.linalg.qr(stream.normal(size=(RANDOM_PAIRS, *shape)))[0] for shape in (first, second))
    return float(np.linalg.svd(a.transpose(0, 2, 1) @ b, compute_uv=False)[:, 0].mean())


def _mean_absolute_cosine(d: int) -> float:
    """E|cos| of a random direction with a fixed one in d dimensions: gamma(d/2) / (sqrt(pi) gamma((d+1)/2))."""
    return math.exp(math.lgamma(d / 2) - math.lgamma((d + 1) / 2)) / math.sqrt(math.pi)


def _beyond(view: View, length: int) -> Plain:
    """Ask the model for this many positions: defined, or the message of its refusal and what was never learned."""
    config, encoding = view.config, view.model.encoding
    try:
        view.model.position(length)
    except (ValueError, IndexError) as error:  # of the lab's encodings a PositionError; a learner's own may do either
        known = getattr(encoding, "max_length", None)
        if known is None and _is_trained(view):
            known = config.context
        if known and known >= length:  # then that is not why
            known = None
        return {
            "asked": length,
            "defined": False,
            "message": str(error),
            "tMax": known,
            "neverLearned": known and [known, length - 1],
        }
    return {"asked": length, "defined": True, "message": None, "tMax": None, "neverLearned": None}


def _is_trained(view: View) -> bool:
    """Whether what the encoding brings was learned, up to the context, and not computed."""
    return any(view.model.parameters.get(name) is not None for name in ("position_table", "position_bias"))


def rotation(view: View, query: str = QUERY, key: str = KEY) -> Plain:
    """Turned queries and keys: their score depends on the distance alone (claim 13; Su et al. 2021, section 3.2).

    The query of one character and the key of another, those of the first block without any position, are put at
    every position of the context and turned there by the operation that the model uses.

    Args:
        query, key: a character each.

    Returns:
        defined; encoding; query, key; context, T; byDistance (H, T), the mean score q . k / sqrt(d / H) of all
        pairs at distance 0, 1, ...; shiftDifference, the largest difference between two scores of the same
        head and distance, to be 0 up to rounding; range, the largest less the smallest of byDistance of any head, to
        compare; scores (H, N, N) of the first N <= 32 positions, [h, i, j] query i, key j; normChange, the largest
        relative change of a query's or key's norm; angles (N, d / H / 2) in radians, from -pi to pi.
        Where the encoding turns nothing: defined is False, with why.
    """
    config, model = view.config, view.model
    turns = model.position(config.context)[1]
    if turns is None:
        return undefined(f"The encoding {model.encoding.name} turns no queries and keys.")
    asked = np.array([[character_id(view, "query", query, QUERY), character_id(view, "key", key, KEY)]])
    qkv, _ = model.beside(PositionalEncoding(), layers=1).attention(asked)[0]  # (1, 2, 3, H, d / H)
    everywhere = np.repeat(np.stack([qkv[0, 0, 0], qkv[0, 1, 1], qkv[0, 1, 2]])[None], config.context, axis=0)[None]
    norms = np.linalg.norm(everywhere[0, 0, :2], axis=-1)
    everywhere = np.ascontiguousarray(everywhere)
    model.ops.rotate(everywhere, *turns)
    queries, keys = everywhere[0, :, 0], everywhere[0, :, 1]  # (T, H, d / H)
    scores = np.einsum("ihc,jhc->hij", queries, keys) * queries.shape[-1] ** -0.5
    diagonals = [np.diagonal(scores, -distance, 1, 2) for distance in range(config.context)]
    by_distance = np.array([diagonal.mean(axis=1) for diagonal in diagonals]).T
    turned_norms = np.linalg.norm(everywhere[0, :, :2], axis=-1)
    cos, sin = turns
    return {
        "defined": True,
        "encoding": view.config.encoding,
        "query": view.corpus.vocabulary[asked[0, 0]],
        "key": view.corpus.vocabulary[asked[0, 1]],
        "context": config.context,
        "byDistance": by_distance,
        "shiftDifference": max(np.ptp(diagonal, axis=1).max() for diagonal in diagonals),
        "range": np.ptp(by_distance, axis=1).max(),
        "scores": scores[:, :SCORES_SHOWN, :SCORES_SHOWN],
        "normChange": np.abs(turned_norms / norms - 1).max(),
        "angles": np.arctan2(sin, cos)[:SCORES_SHOWN],
    }


def distance_bias(view: View) -> Plain:
    """A penalty on attention that grows with distance (claim 14; Press et al. 2021, section 3).

    Beside the bias, how far each head of each block does look: the mean distance of its attention weights on
    stretches of the validation text.

    Returns:
        encoding; attention: for each block, meanDistance (H,) in characters; evenly, the mean distance of a head
        that looked everywhere alike; and, where the encoding has a bias (else defined is False, with why):
        defined; bias (H, N, N) of the first N <= 32 positions, [h, i, j] query i, key j; byDistance (H, T), its mean at
        distance 0, 1, ...; spread, the largest difference between two biases of the same head and distance, 0
        where it depends on distance alone; slopes (H,), of the straight line nearest to byDistance, per character;
        departure, the largest distance of byDistance from these lines.
    """
    config, model = view.config, view.model
    inputs, _ = view.stretches(ATTENTION_CHARACTERS, config.context)
    place = np.arange(config.context)
    distance = np.maximum(place[:, None] - place, 0)  # (T, T)
    common = {
        "encoding": view.config.encoding,
        "attention": [
            {"meanDistance": np.sum(weights * distance, axis=3).mean(axis=(0, 2))} for _, weights in model.attention(inputs)
        ],
        "evenly": place.mean() / 2,
    }
    bias = model.position(config.context)[2]
    if bias is None:
        return {**undefined(f"The encoding {model.encoding.name} adds nothing to the attention scores."), **common}
    diagonals = [np.diagonal(bias, -each, 1, 2) for each in range(config.context)]
    by_distance = np.array([diagonal.mean(axis=1, dtype=np.float64) for diagonal in diagonals]).T
    slopes, starts = np.polyfit(place, by_distance.T, 1)
    return {
        "defined": True,
        **common,
        "bias": bias[:, :SCORES_SHOWN, :SCORES_SHOWN],
        "byDistance": by_distance,
        "spread": max(np.ptp(diagonal, axis=1).max() for diagonal in diagonals),
        "slopes": slopes,
        "departure": np.abs(by_distance - slopes[:, None] * place - starts[:, None]).max(),
    }


def extrapolation(view: View, lengths: Sequence[int] = (32, 64, 128, 256), characters: int = 8192) -> Work:
    """Trained at T, read at more: the loss by position (claims 11, 12, 14; Press et al. 2021).

    Args:
        lengths: contexts to read at; that of the run is always among them.
        characters: of the validation part to read at each, about.

    Yields:
        Progress.

    Returns:
        encoding; trained, T; contexts, in ascending order, each: length; defined; and loss, the mean in nats per
        character; standardError of it, over the stretches; positions, the first of each group of 8, with
        losses and standardErrors of each group; beyond, the mean loss at positions past T, None for none. Where it is
        not defined: message, tMax and neverLearned as in position-table.
    """
    model, trained = view.model.beside(keep=True), view.config.context
    asked = sorted({trained, *lengths})
    contexts = []
    for made, length in enumerate(asked):
        refusal = _refusal(view, length)
        if refusal:
            contexts.append({"length": length, "defined": False, **refusal})
            yield (made + 1) / len(asked)
            continue
        inputs, targets = view.stretches(characters, length)
        read, at_once = [], max(1, CHARACTERS_AT_ONCE // length)
        for first in range(0, len(inputs), at_once):
            part = np.s_[first : first + at_once]
            read.append(model.losses(inputs[part], targets[part]).astype(np.float64))
            yield (made + min(1, (first + at_once) / len(inputs))) / len(asked)
        losses = np.concatenate(read)  # (stretches, length)
        starts = np.arange(0, length, BIN)
        groups = [losses[:, start : start + BIN].mean(axis=1) for start in starts]
        contexts.append(
            {
                "length": length,
                "defined": True,
                "loss": losses.mean(),
                "standardError": _standard_error(losses.mean(axis=1)),
                "positions": starts,
                "losses": [group.mean() for group in groups],
                "standardErrors": [_standard_error(group) for group in groups],
                "beyond": losses[:, trained:].mean() if length > trained else None,
            }
        )
    return {"encoding": view.config.encoding, "trained": trained, "contexts": contexts}


def _refusal(view: View, length: int) -> Plain | None:
    """Why the loss cannot be read at this length, or None."""
    available = len(view.corpus.validation) - 1
    if length > available:
        message = f"The validation part has {available + 1} characters: a context of {length} needs {length + 1}."
        return {"message": message, "tMax": None, "neverLearned": None}
    answer = _beyond(view, length)
    return None if answer["defined"] else {name: answer[name] for name in ("message", "tMax", "neverLearned")}


def _standard_error(values: Floats) -> float | None:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None


PROBES = [
    Probe(
        "position-table",
        "A vector for each position",
        (10, 11, 12),
        position_table,
        [
            number_argument("beyond", 8, 1, 512, "Positions past the context to ask the encoding for."),
            number_argument("components", 8, 1, 32, "Directions of each subspace to compare."),
        ],
    ),
    Probe(
        "rotation",
        "Turned queries and keys see distance",
        (13,),
        rotation,
        [
            text_argument("query", QUERY, "The character that looks back."),
            text_argument("key", KEY, "The character that is looked at."),
        ],
    ),
    Probe("distance-bias", "A penalty for distance", (14,), distance_bias),
    Probe(
        "extrapolation",
        "Trained short, read long",
        (11, 12, 14),
        extrapolation,
        [
            list_argument("lengths", [32, 64, 128, 256], 8, 512, "Contexts to read at."),
            number_argument("characters", 8192, 512, 65_536, "Characters of the validation text to read at each."),
        ],
    ),
]
