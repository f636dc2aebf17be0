"""The probe of token ids: byte-pair merges in miniature, where an id is the order in which a token was learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..statistics import rank_correlation
from .view import Probe, View, number_argument

if TYPE_CHECKING:
    from ..kinds import Integers, Work


def merges(view: View, count: int = 200, characters: int = 100_000) -> Work:
    """Learn byte-pair merges on the run's text (claim 6; Sennrich et al. 2016, section 3.2).

    The most frequent pair of neighbouring tokens becomes a token, again and again, and takes the next id. So an
    id tells when a token was learned, and that by itself only how frequent its pair was then: later merges take
    occurrences away from it. Merges go across spaces here, as in no tokenizer that is used; equal counts go to the
    pair of smaller ids.

    Args:
        count: merges to learn.
        characters: how much of the training part to read.

    Yields:
        Progress.

    Returns:
        characters, read; tokens, what is left of them after the merges; charactersPerToken;
        merges: how many were learned, fewer than asked where no pair occurs twice; ids, counts and ranks (each a
        list, one entry a merge): counts in the text as it is tokenized at the end, rank 1 is the most frequent;
        countsWhenLearned; pieces, the tokens as text, and parts, the two texts that each was made of;
        rankCorrelation, Spearman's coefficient between id and rank at the end; rankCorrelationWhenLearned,
        the same with the counts at the moment of the merge, which is near 1 by construction.
    """
    tokens: Integers = view.corpus.train[:characters].astype(np.int64)
    read = len(tokens)
    pieces = list(view.corpus.vocabulary)
    first_id = len(pieces)
    parts, counts_then = [], []
    for made in range(count):
        pair, occurrences = _most_frequent(tokens, len(pieces))
        if occurrences < 2:
            break
        tokens = merge(tokens, *pair, len(pieces))
        parts.append([pieces[pair[0]], pieces[pair[1]]])
        pieces.append("".join(parts[-1]))
        counts_then.append(occurrences)
        yield (made + 1) / count
    ids = np.arange(first_id, len(pieces))
    counts = np.bincount(tokens, minlength=len(pieces))[first_id:]
    enough = len(ids) > 1
    return {
        "characters": read,
        "tokens": len(tokens),
        "charactersPerToken": read / len(tokens),
        "merges": len(ids),
        "ids": ids,
        "pieces": pieces[first_id:],
        "parts": parts,
        "counts": counts,
        "ranks": np.argsort(np.argsort(-counts, kind="stable")) + 1,
        "countsWhenLearned": counts_then,
        "rankCorrelation": rank_correlation(ids, -counts) if enough else None,
        "rankCorrelationWhenLearned": rank_correlation(ids, -np.array(counts_then)) if enough else None,
    }


def _most_frequent(tokens: Integers, size: int) -> tuple[tuple[int, int], int]:
    """The pair of neighbours that occurs most often, and how often."""
    pairs = np.bincount(tokens[:-1] * size + tokens[1:])
    most = int(pairs.argmax())
    return divmod(most, size), int(pairs[most])


def merge(tokens: Integers, left: int, right: int, id: int) -> Integers:
    """Replace each pair (left, right) by one token, from the left: of three equal ones, the first two merge."""
    at = np.flatnonzero((tokens[:-1] == left) & (tokens[1:] == right))
    if left == right and len(at):
        # In a run of overlapping pairs every second one is taken, counted from where the run begins.
        begins = np.concatenate([[True], np.diff(at) > 1])
        run_start = at[np.flatnonzero(begins)][np.cumsum(begins) - 1]
        at = at[(at - run_start) % 2 == 0]
    merged = tokens.copy()
    merged[at] = id
    return np.delete(merged, at + 1)


PROBES = [
    Probe(
        "merges",
        "Byte-pair merges: an id is the order of learning",
        (6,),
        merges,
        [
            number_argument("count", 200, 1, 1000, "Merges to learn."),
            number_argument("characters", 100_000, 1000, 1_000_000, "Characters of the training text to read."),
        ],
        needs_model=False,
    )
]
