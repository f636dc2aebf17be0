"""The probes of the table E itself: a lookup, which of its rows learn, where they lie, and what they have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..corpus import character_class
from ..geometry import distances, nearest, project, purity, silhouettes, without
from ..statistics import at_least, correlation, permutation_p
from .view import (
    NEIGHBOURS,
    Probe,
    ProbeError,
    View,
    character_id,
    choice_argument,
    number_argument,
    probe_stream,
    read,
    shown,
    text_argument,
    undefined,
)

if TYPE_CHECKING:
    from ..kinds import Floats, Integers, Plain, Work

LOOKUP_TEXT = "the cat sat"
CHARACTER = "e"
LETTER = "a"
AXES = 3
# Products of one slice of shuffled labels: some 20 ms in the tab.
PRODUCTS_AT_ONCE = 4_000_000
METRIC = choice_argument(
    "metric",
    {"euclidean": "how far apart the rows lie, as in the picture", "cosine": "1 minus the cosine: direction alone"},
    "How far apart two rows are.",
)


def lookup(view: View, text: str = LOOKUP_TEXT) -> Plain:
    """A lookup in E is a product with one-hot vectors, and so a linear layer (claims 1 and 2).

    Both are computed by the operations that train the model: `embedding`, and `linear` on the one-hot vectors
    with E as its weight and a bias of 0. Every term of that product but one is 0, so the two must be equal
    exactly. Their gradients are the same sums over the occurrences of a character, in another order, so
    these agree up to rounding.

    Returns:
        text (see `Reading.told`); characters, V; width, d; table, E (V, d); rows (N, d), looked up;
        largestDifference between rows and product, to be 0; gradientDifference, the largest between the two
        gradients of E for one random gradient of the rows, over the largest entry.
    """
    reading = read(view, "text", text, LOOKUP_TEXT)
    table, ops = view.embedding, view.model.ops
    size, d = table.shape
    rows, product = np.zeros((2, len(reading.ids), d), table.dtype)
    ops.embedding(rows, table, reading.ids)
    one_hot = np.zeros((len(reading.ids), size), table.dtype)
    one_hot[np.arange(len(reading.ids)), reading.ids] = 1
    ops.linear(product, one_hot, table, np.zeros(d, table.dtype))

    arriving = probe_stream(view, "lookup").normal(size=rows.shape).astype(table.dtype)
    of_lookup, of_product = np.zeros((2, size, d), table.dtype)
    ops.embedding_backward(of_lookup, arriving, reading.ids)
    ops.linear_backward(np.empty_like(one_hot), of_product, np.zeros(d, table.dtype), arriving, one_hot, table)
    return {
        "text": reading.told(),
        "characters": list(view.corpus.vocabulary),
        "width": d,
        "table": table,
        "rows": rows,
        "largestDifference": np.abs(rows - product).max(),
        "gradientDifference": np.abs(of_lookup - of_product).max() / np.abs(of_lookup).max(),
    }


def sparse_gradient(view: View, text: str = "", sequences: int = 1, draw: int = 1) -> Plain:
    """One step touches only the rows of E whose characters are in the batch (claim 3).

    That is the gradient of the lookup. Where the same table also scores the next character (tied), the
    logits send every row a gradient: each row's probability is to be lowered or raised.

    Args:
        text: the batch; empty for stretches of the training part.
        sequences: how many of those, each as long as the context.
        draw: which batch; another number draws another.

    Returns:
        tied; instead (see `Reading`), leftOut and cut of the text; batch, its characters; distinct, how many are;
        input, the gradient of the lookup alone: rows, how many have a gradient that is not 0; norms (V,);
        untouched, the characters in the batch without one; strangers, those with one that are not in it;
        output, the gradient by way of the logits: rows, norms; both, what arrives at E: rows, norms;
        sumDifference, the largest between both and the gradient that training uses, to be 0 up to rounding;
        why, in words.
    """
    model, corpus = view.model, view.corpus
    told: Plain = {"instead": False, "leftOut": [], "cut": 0}
    if text:
        reading = read(view, "text", text, least=2, most=view.config.context + 1)
        told = {name: value for name, value in reading.told().items() if name in told}
        inputs, targets = reading.ids[None, :-1], reading.ids[None, 1:]
    else:
        stream = probe_stream(view, f"sparse-gradient {draw}")
        inputs, targets = corpus.batch(stream, sequences, view.config.context)
    model.losses(inputs, targets)
    model.backward()
    entering, leaving = model.embedding_gradients()
    arriving = entering + leaving if view.config.tied else entering
    touched = np.flatnonzero(np.any(entering != 0, axis=1))
    present = np.unique(inputs)
    return {
        "tied": view.config.tied,
        **told,
        "characters": list(corpus.vocabulary),
        "batch": ["".join(corpus.vocabulary[id] for id in row) for row in inputs],
        "distinct": len(present),
        "input": {
            **_side(entering),
            "untouched": [corpus.vocabulary[id] for id in np.setdiff1d(present, touched)],
            "strangers": [corpus.vocabulary[id] for id in np.setdiff1d(touched, present)],
        },
        "output": _side(leaving),
        "both": _side(arriving),
        "sumDifference": np.abs(arriving - model.gradients["embedding"]).max(),
        "why": "E is tied to the unembedding: through the logits every row is told to be more or less probable."
        if view.config.tied
        else "E is used for the lookup alone: a row that was not looked up changes no loss, so its gradient is 0. "
        "(The optimizer may move it all the same, by the momentum of earlier steps and by weight decay.)",
    }


def _side(gradient: Floats) -> Plain:
    return {"rows": int(np.any(gradient != 0, axis=1).sum()), "norms": np.linalg.norm(gradient, axis=1)}


def geometry(
    view: View,
    character: str = CHARACTER,
    metric: str = "euclidean",
    frequency: str = "kept",
    shuffles: int = 999,
) -> Work:
    """Where the rows of E lie, and whether the classes of characters lie together (claim 4).

    Class separation is measured by the mean silhouette and by the purity of the 5 nearest rows, beside the
    same two for labels shuffled among the characters: the p-values are those of a permutation test. How often
    a character occurs is a confounder, since vowels are frequent and capitals rare, so the correlation of
    the first components with log frequency is given, and `frequency="removed"` measures everything on E without
    what a straight line in log frequency explains of each column.

    Args:
        character: whose neighbours to list.
        metric: of the neighbours and the silhouette.
        frequency: "kept" or "removed".
        shuffles: of the labels, and of the frequencies.

    Yields:
        Progress.

    Returns:
        characters (V), classes (V), counts (V) in the training part; metric; frequency;
        points2, explained2 and points3, explained3 as in `geometry.Projection`;
        neighbours: character, and nearest, 5 of {character, class, distance};
        separation: silhouette and purity, each {value, p, shuffled: {mean, low, high}}, p and shuffled None
        without shuffles, value None for a single class; k, the neighbours of the purity; shuffles;
        logFrequency: components, the correlation of each of the first three with ln(1 + count), and p, the
        two-sided p-values, None without shuffles.
    """
    vocabulary, corpus = view.corpus.vocabulary, view.corpus
    classes = [character_class(each) for each in vocabulary]
    labels = np.unique(classes, return_inverse=True)[1]
    counts = corpus.counts()
    logarithm = np.log1p(counts)
    table: Floats = view.embedding.astype(np.float64)  # a copy: training may go on between two slices
    if frequency == "removed":
        table = without(table, logarithm)
    distance = distances(table, table, metric)
    neighbours = nearest(distance, NEIGHBOURS)
    chosen = character_id(view, "character", character, CHARACTER)
    flat, solid = project(table), project(table, axes=AXES)
    axes = solid.points.T.astype(np.float64)  # (axes, V)
    components = correlation(axes, logarithm)

    stream = probe_stream(view, "geometry")
    at_once = max(1, PRODUCTS_AT_ONCE // (len(table) ** 2 * len(set(classes))))
    shuffled: dict[str, list[Floats]] = {"silhouette": [], "purity": [], "components": []}
    for first in range(0, shuffles, at_once):
        count = min(at_once, shuffles - first)
        order = stream.permuted(np.tile(np.arange(len(table)), (count, 1)), axis=1)
        shuffled["silhouette"].append(silhouettes(distance, labels[order]))
        shuffled["purity"].append(purity(neighbours, labels[order]))
        shuffled["components"].append(np.abs([correlation(logarithm[order], axis) for axis in axes]).T)
        yield (first + count) / shuffles
    return {
        "characters": list(vocabulary),
        "classes": classes,
        "counts": counts,
        "metric": metric,
        "frequency": frequency,
        "points2": flat.points,
        "explained2": flat.explained,
        "points3": solid.points,
        "explained3": solid.explained,
        "neighbours": {
            "character": vocabulary[chosen],
            "nearest": [
                {"character": vocabulary[id], "class": classes[id], "distance": distance[chosen, id]}
                for id in neighbours[chosen]
            ],
        },
        "separation": {
            "silhouette": _chance(silhouettes(distance, labels[None])[0], shuffled["silhouette"]),
            "purity": _chance(purity(neighbours, labels[None])[0], shuffled["purity"]),
            "k": neighbours.shape[1],
            "shuffles": shuffles,
        },
        "logFrequency": {
            "components": components,
            "p": [_chance(size, shuffled["components"], axis)["p"] for axis, size in enumerate(np.abs(components))],
        },
    }


def _chance(value: float, shuffled: list[Floats], part: int | slice = np.s_[:]) -> Plain:
    """A value beside those of shuffled labels: p, and their mean, low and high; both None without shuffles."""
    values = np.concatenate(shuffled)[..., part].ravel() if shuffled else np.array([])
    if not np.isfinite(value) or not len(values):
        return {"value": value, "p": None, "shuffled": None}
    among = {"mean": values.mean(), "low": values.min(), "high": values.max()}
    return {"value": value, "p": permutation_p(value, values), "shuffled": among}


def case_offset(view: View, letter: str = LETTER, metric: str = "euclidean") -> Plain:
    """Is 'A' - 'a' a direction that makes capitals? (claim 5; Mikolov et al. 2013)

    The offset of one pair, added to the row of another letter, should land near that letter's capital. The
    row of the letter that is asked is excluded from the candidates, as it is in the literature: short offsets
    leave the sum nearest to where it began, and `selfNearest` says how often. Everything else is a candidate.

    Args:
        letter: the small letter of the pair.
        metric: of "nearest".

    Returns:
        letter, capital; metric; pairs, of a letter and its capital in the vocabulary; excluded, in words;
        oneOffset: the offset of this pair on the other letters; meanOffset: for each letter the mean offset of all
        other pairs. Each of the two: trials; hits, how often the right capital is nearest; chance of one;
        p, the probability of so many hits by chance; anyCapital, how often the nearest is a capital at all, and
        capitalChance; amongCapitals: hits, chance and p where capitals are the only candidates;
        meanRank of the right capital, from 1, and chanceRank; selfNearest; letters: {letter, capital,
        nearest, rank, hit} each. Or undefined, where fewer than two pairs are in the vocabulary.
    """
    vocabulary = view.corpus.vocabulary
    rank = {character: id for id, character in enumerate(vocabulary)}
    capitals = {c for c in vocabulary if character_class(c) == "capital"}  # circled letters have others, of another class
    pairs = [(c, c.upper()) for c in vocabulary if c.upper() in capitals - {c} and c.upper().lower() == c]
    if len(pairs) < 2:
        return undefined(f"This text has {len(pairs)} letters that occur both small and capital; the probe needs two.")
    letters = [small for small, _ in pairs]
    if letter not in letters:
        if letter != LETTER:
            raise ProbeError("letter", f"letter = {letter[:40]!r} has no pair here: choose one of {shown(letters)}.")
        letter = letters[0]
    chosen = letters.index(letter)
    table = view.embedding.astype(np.float64)
    small, capital = np.array([[rank[a], rank[b]] for a, b in pairs]).T
    offsets = table[capital] - table[small]
    others = np.delete(np.arange(len(pairs)), chosen)
    of_others = (offsets.sum(axis=0) - offsets) / (len(pairs) - 1)
    return {
        "letter": letter,
        "capital": letter.upper(),
        "metric": metric,
        "pairs": len(pairs),
        "excluded": "the row of the letter that is asked; every other row is a candidate",
        "oneOffset": _applied(view, table, small[others], capital[others], offsets[chosen], metric),
        "meanOffset": _applied(view, table, small, capital, of_others, metric),
    }


def _applied(view: View, table: Floats, small: Integers, capital: Integers, offsets: Floats, metric: str) -> Plain:
    """How often table[small] + offset is nearest to table[capital], small itself excluded."""
    vocabulary = view.corpus.vocabulary
    trials, candidates = np.arange(len(small)), len(table) - 1
    distance = distances(table[small] + offsets, table, metric)  # (trials, V)
    self_nearest = np.count_nonzero(distance.argmin(axis=1) == small)
    distance[trials, small] = np.inf
    ranks = 1 + np.count_nonzero(distance < distance[trials, capital, None], axis=1)
    found = distance.argmin(axis=1)
    capitals = np.array([character_class(character) == "capital" for character in vocabulary])
    among = np.where(capitals, distance, np.inf).argmin(axis=1) == capital
    hits, hits_among, capital_count = np.count_nonzero(found == capital), np.count_nonzero(among), capitals.sum()
    return {
        "trials": len(small),
        "hits": hits,
        "chance": 1 / candidates,
        "p": at_least(hits, len(small), 1 / candidates),
        "anyCapital": np.count_nonzero(capitals[found]),
        "capitalChance": capital_count / candidates,
        "amongCapitals": {
            "hits": hits_among,
            "chance": 1 / capital_count,
            "p": at_least(hits_among, len(small), 1 / capital_count),
        },
        "meanRank": ranks.mean(),
        "chanceRank": (candidates + 1) / 2,
        "selfNearest": self_nearest,
        "letters": [
            {
                "letter": vocabulary[small[each]],
                "capital": vocabulary[capital[each]],
                "nearest": vocabulary[found[each]],
                "rank": ranks[each],
                "hit": found[each] == capital[each],
            }
            for each in trials
        ],
    }


PROBES = [
    Probe(
        "lookup",
        "A lookup is a product with one-hot vectors",
        (1, 2),
        lookup,
        [text_argument("text", LOOKUP_TEXT, "The characters to look up.")],
    ),
    Probe(
        "sparse-gradient",
        "One step touches the rows of its batch",
        (3,),
        sparse_gradient,
        [
            text_argument("text", "", "The batch; left empty, stretches of the training text."),
            number_argument("sequences", 1, 1, 128, "Stretches of text in the batch."),
            number_argument("draw", 1, 1, 20_000, "Which batch: another number draws another."),
        ],
    ),
    Probe(
        "geometry",
        "Characters of one kind lie together",
        (4,),
        geometry,
        [
            text_argument("character", CHARACTER, "Whose neighbours to list."),
            METRIC,
            choice_argument(
                "frequency",
                {
                    "kept": "the rows as they are",
                    "removed": "without what log frequency explains of each of the d numbers",
                },
                "What to do about how often each character occurs.",
            ),
            number_argument("shuffles", 999, 0, 9999, "Shuffled labels to compare the class separation with."),
        ],
    ),
    Probe(
        "case-offset",
        "From a to A: does one offset make every capital?",
        (5,),
        case_offset,
        [
            text_argument("letter", LETTER, "The small letter whose step to its capital is applied to the others."),
            METRIC,
        ],
    ),
]
