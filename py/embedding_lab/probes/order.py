"""The probes of the residual stream: what order changes in it, what context adds to it, and which way it points."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..geometry import mean_cosine, unit
from ..model import Transformer
from ..positions import PositionalEncoding
from .view import LONGEST_TEXT, MOST_SHOWN, Probe, ProbeError, Reading, View, matched, number_argument, read, text_argument

if TYPE_CHECKING:
    from ..kinds import Floats, Integers, Plain

DOG, MAN = "dog bites man", "man bites dog"
RIVER, MONEY = "the bank", "his bank"
STREAM_TEXT = "the cat sat on the mat"
REORDERED = 8  # characters, where none of the default sentences is in the vocabulary


def order(view: View, first: str = DOG, second: str = MAN) -> Plain:
    """Attention sees a set: permute the inputs, and the outputs permute (claim 9).

    Two sentences of the same characters are read, each followed by the same last character. With the mask off
    and no encoding, the logits of each character are the same in both, wherever it stands (permutation
    equivariance). With a causal mask, the last character alone sees all others; after one layer its logits cannot
    depend on their order either, but after two they can, since the mask has let earlier characters see different
    sets: no position is not no order (Haviv et al. 2022; Kazemnejad et al. 2023).

    Args:
        first, second: the same characters in two orders; what does not fit the context is left out of both.

    Returns:
        first and second (see `Reading.told`; cut counts characters left out of both); last, the character
        added to both; encoding, the name of the run's; cases: for one and two layers (and as many as the run has),
        without and with the run's encoding, mask off and on: layers; causal; encoding, "none" or its name; weights,
        "run", or "untrained" where the run has fewer layers and the model was made for this; equivarianceError, the
        largest difference of the logits after undoing the permutation; lastDifference, that at the last character;
        scale, the largest logit, to compare both with.
    """
    ids, source, told = _reordered(view, first, second)
    last = int(view.corpus.counts().argmax())
    one, other = np.append(ids, last)[None], np.append(ids[source], last)[None]
    own, none = view.model.encoding, PositionalEncoding()
    supplies = any(part is not None for part in view.model.position(one.shape[1]))
    cases = []
    for layers in sorted({1, 2, view.config.layers}):
        if layers <= view.config.layers:
            model, weights = view.model.beside(layers=layers), "run"
        else:
            config = replace(view.config, layers=layers)
            model, weights = Transformer(config, view.model.characters, own, ops=view.model.ops), "untrained"
        for encoding in [none, own] if supplies else [none]:
            looking = model.beside(encoding)
            for causal in (False, True):
                before = looking.logits(one, causal)[0].copy()
                after = looking.logits(other, causal)[0]
                cases.append(
                    {
                        "layers": layers,
                        "causal": causal,
                        "encoding": "none" if encoding is none else view.config.encoding,
                        "weights": weights,
                        "equivarianceError": np.abs(after[:-1] - before[source]).max(),
                        "lastDifference": np.abs(after[-1] - before[-1]).max(),
                        "scale": np.abs(before).max(),
                    }
                )
    return {**told, "last": view.corpus.vocabulary[last], "encoding": own.name, "cases": cases}


def _reordered(view: View, first: str, second: str) -> tuple[Integers, Integers, Plain]:
    """The ids of the first sentence, where in it each character of the second stands, and what to tell of both."""
    one = read(view, "first", first, DOG, least=2, most=LONGEST_TEXT)
    other = read(view, "second", second, MAN, least=2, most=LONGEST_TEXT)
    most = view.config.context - 1  # one place is for the last character
    if one.instead and other.instead:
        ids: Integers = np.arange(min(len(view.corpus.vocabulary), REORDERED, most), dtype=np.int32)
        source: Integers = ids[::-1]
    else:
        source = matched(one, other)
        ids, source = one.ids[:most], source[source < most]
    if np.array_equal(ids[source], ids):
        if len(one.ids) > most:
            raise ProbeError(
                "second",
                f"The first {most} characters, all that a context of {view.config.context} has room for, are in the same "
                "order in both: change the order of those, or train with a longer context.",
            )
        raise ProbeError("second", f"second = {second[:40]!r} has its characters in the same order: give another order.")
    text = "".join(view.corpus.vocabulary[id] for id in ids)
    again = "".join(text[place] for place in source)
    cut = max(0, len(one.ids) - most)
    told: Plain = {
        "first": {**one.told(), "used": text, "characters": list(text), "ids": ids, "cut": cut},
        "second": {**other.told(), "used": again, "characters": list(again), "ids": ids[source], "cut": cut},
    }
    return ids, source, told


def context_free(view: View, first: str = RIVER, second: str = MONEY, index: int = 5) -> Plain:
    """A row of E knows nothing of its sentence: the same character at the same position enters the same (claim 17).

    The residual stream of two texts is compared at one index. Before the first block, it is row plus position, the
    same computation on the same numbers, so it must be equal bit for bit; what differs after the last norm comes
    from context. At another index the position differs too, which is why the index must match: `shifted`
    reads the first text again with its first character doubled, so that the same character stands one place later.

    Args:
        first, second: texts with the same character at `index`.
        index: counted from 0.

    Returns:
        first, second (see `Reading.told`); index; character; sameContext, True where everything before it is
        the same too; depths: name (see `Transformer.residual_stream`), largestDifference, differing, how many of
        the d numbers differ at all, cosine of the two states; bitIdentical, of the state before the first block;
        before and after (d), both states of the first text; shifted: index, largestDifference and bitIdentical
        before the first block, None where the context has no room for it.

    Raises:
        ProbeError: the index is beyond a text, or the characters at it differ.
    """
    one = read(view, "first", first, RIVER, least=2)
    other = read(view, "second", second, MONEY, least=2)
    if one.instead and other.instead:
        one, other, index = _two_contexts(view)
    shortest = min(len(one.ids), len(other.ids))
    if not 0 <= index < shortest:
        raise ProbeError(
            "index", f"index = {index} is beyond the shorter text: choose a whole number from 0 to {shortest - 1}."
        )
    if one.ids[index] != other.ids[index]:
        same = np.flatnonzero(one.ids[:shortest] == other.ids[:shortest])
        choose = f"choose one of {', '.join(map(str, same))}" if len(same) else "change one of the texts"
        raise ProbeError(
            "index",
            f"At index = {index} the texts have {one.text[index]!r} and {other.text[index]!r}: a different character, "
            f"or the same one at another index, has another state from the start; {choose}.",
        )
    first_states = {name: each[0, index].copy() for name, each in view.model.residual_stream(one.ids[None]).items()}
    second_states = {name: each[0, index].copy() for name, each in view.model.residual_stream(other.ids[None]).items()}
    entering = "position" if "position" in first_states else "embedding"
    shifted = None
    if index + 2 <= view.config.context:
        later = np.concatenate([one.ids[:1], one.ids[: index + 1]])
        moved = view.model.residual_stream(later[None])[entering][0, index + 1]
        shifted = {"index": index + 1, **_compared(first_states[entering], moved)}
    return {
        "first": one.told(),
        "second": other.told(),
        "index": index,
        "character": one.text[index],
        "sameContext": np.array_equal(one.ids[:index], other.ids[:index]),
        "depths": [
            {
                "name": name,
                "largestDifference": np.abs(state - second_states[name]).max(),
                "differing": np.count_nonzero(state != second_states[name]),
                "cosine": unit(state) @ unit(second_states[name]),
            }
            for name, state in first_states.items()
        ],
        "bitIdentical": _compared(first_states[entering], second_states[entering])["bitIdentical"],
        "before": first_states[entering],
        "after": first_states["final_norm"],
        "shifted": shifted,
    }


def _compared(a: Floats, b: Floats) -> Plain:
    return {"largestDifference": np.abs(a - b).max(), "bitIdentical": a.tobytes() == b.tobytes()}


def _two_contexts(view: View) -> tuple[Reading, Reading, int]:
    """Two texts of the first characters of the vocabulary that differ before the index, and that index."""
    first, second = view.corpus.vocabulary[:2]
    texts = (first * 3 + second, first + second * 3)
    one, other = (replace(read(view, "first", text), instead=True) for text in texts)
    return one, other, 3


def residual_stream(view: View, text: str = STREAM_TEXT) -> Plain:
    """One array [T, d] goes through the model; each part reads it and adds to it (claim 7).

    Returns:
        text (see `Reading.told`; at most 64 characters are read); width, d; depths: name (see
        `Transformer.residual_stream`), values (N, d), norms (N,) of the state at each position, meanNorm, and
        meanWrite, the mean norm of what this write added: None for the first, and for "final_norm", which
        rescales and adds nothing.
    """
    reading = read(view, "text", text, STREAM_TEXT, most=min(view.config.context, MOST_SHOWN))
    states = view.model.residual_stream(reading.ids[None])
    depths, previous = [], None
    for name, state in states.items():
        norms = np.linalg.norm(state[0], axis=1)
        adds = previous is not None and name != "final_norm"
        depths.append(
            {
                "name": name,
                "values": state[0],
                "norms": norms,
                "meanNorm": norms.mean(),
                "meanWrite": np.linalg.norm(state[0] - previous, axis=1).mean() if adds else None,
            }
        )
        previous = state[0]
    return {"text": reading.told(), "width": view.config.d, "depths": depths}


def cosine_cone(view: View, characters: int = 512) -> Plain:
    """Cosine can mislead: do the states of a depth crowd into a cone? (claim 18; Ethayarajh 2019)

    The mean cosine of all pairs of states, for the rows of E and for the stream at every depth on stretches of
    the validation text; then once more after subtracting the mean state, which removes what all have in
    common. In the stream a character occurs several times, and at "embedding" with the same state each time.

    Args:
        characters: about how many to read.

    Returns:
        states, how many the stream has; depths: name ("table" for the rows of E, then as in
        `Transformer.residual_stream`); raw and centred, mean cosines; meanShare, the norm of the mean state over
        the mean norm: 0 where the states point everywhere, 1 where they are all the same.
    """
    inputs, _ = view.stretches(characters, view.config.context)
    states = {"table": view.embedding, **view.model.residual_stream(inputs)}
    depths = []
    for name, state in states.items():
        rows = state.reshape(-1, view.config.d).astype(np.float64)
        mean = rows.mean(axis=0)
        depths.append(
            {
                "name": name,
                "raw": mean_cosine(rows),
                "centred": mean_cosine(rows - mean),
                "meanShare": np.linalg.norm(mean) / np.linalg.norm(rows, axis=1).mean(),
            }
        )
    return {"states": inputs.size, "depths": depths}


PROBES = [
    Probe(
        "residual-stream",
        "One stream, that every part adds to",
        (7,),
        residual_stream,
        [text_argument("text", STREAM_TEXT, "The characters to follow through the model.")],
    ),
    Probe(
        "order",
        "Does the model see that dog bites man?",
        (9,),
        order,
        [
            text_argument("first", DOG, "A sentence."),
            text_argument("second", MAN, "The same characters in another order."),
        ],
    ),
    Probe(
        "context-free",
        "A row knows nothing of its sentence",
        (17,),
        context_free,
        [
            text_argument("first", RIVER, "A text."),
            text_argument("second", MONEY, "Another text, with the same character at the same index."),
            number_argument("index", 5, 0, 255, "Where to compare, counted from 0."),
        ],
    ),
    Probe(
        "cosine-cone",
        "Do the states crowd into a cone?",
        (18,),
        cosine_cone,
        [number_argument("characters", 512, 16, 8192, "Characters of the validation text to read.")],
    ),
]
