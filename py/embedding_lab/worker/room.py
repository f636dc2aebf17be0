"""Whether a run has room in the memory that Python has in a tab, asked before anything is allocated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import memory
from ..config import RunConfig, validate
from ..ops import reference
from .answers import failure, mb, model
from .opened import runs

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..kinds import Values
    from ..ops.interface import Operations
    from .kinds import Failure, Memory


def memory_needed(config: Values, characters: int, vocabulary: int) -> Memory | Failure:
    """How much memory a run of these settings would take, before anything is spent on it.

    Args:
        config: settings, as in `RunConfig`.
        characters: of the text.
        vocabulary: V.

    Returns:
        bytes, at most; limit, of what Python in a tab has. Or an error with the code "config".
    """
    values, errors = validate(config)
    if errors:
        return failure("config", **errors[0])
    return {"bytes": memory.needed(RunConfig(**values), characters, vocabulary), "limit": memory.LIMIT}


def too_large(values: Values, corpus: Corpus, text: str, ops: Operations) -> Failure | None:
    """The error for a run that has no room beside those that are open, or None."""
    needed = _needed(RunConfig(**values), corpus, ops, memory.width(text))
    open_now = sum(_needed(run.config, run.corpus, run.model.ops, width=1) for run in runs.values())
    if needed + open_now <= memory.LIMIT:
        return None
    beside = f" beside the {mb(open_now)} of what is open here" if open_now else ""
    return failure(
        "memory",
        "batch",
        f"This run ({model(values)}, a text of {len(corpus.train) + len(corpus.validation):,} characters) needs "
        f"{mb(needed)}{beside}, and Python in a tab has {mb(memory.LIMIT)}: choose a smaller batch or context, or a "
        "shorter text.",
    )


def _needed(config: RunConfig, corpus: Corpus, ops: Operations, width: int) -> int:
    characters = len(corpus.train) + len(corpus.validation)
    compiled = ops.NAME != reference.NAME
    return memory.needed(config, characters, len(corpus.vocabulary), width, len(corpus.replaced), compiled)
