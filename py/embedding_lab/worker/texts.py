"""Texts: reads what a reader gave, and says what the page shows of any text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import memory
from ..corpus import SHORTEST_CONTEXT, Corpus, CorpusError, character_class, normalised
from .answers import failure, mb, no_memory_to

if TYPE_CHECKING:
    from ..text_files import TextFile
    from .kinds import About, Changed, Facts, Failure, Rare, TextRead


def read_text(bytes: memoryview) -> TextRead | Failure:
    """Read a text that a reader gave, and what there is to say of it before it trains.

    Args:
        bytes: of a file that may be anything, or of what was pasted, in UTF-8.

    Returns:
        text, as `corpus.normalised` makes it; encoding, "UTF-8", "UTF-16" or "Windows-1252"; facts: characters,
        vocabulary, classes and baselines as in `open_run`; distinct, how many characters there are before the rare ones
        are one; rare, None where there are none, else characters, a list of [character, count], the most frequent
        first, threshold, how often that occurs, and share, theirs of the text; changed: encoding, bom and nfc (whether
        there was a byte order mark, and anything to normalise), lineEnds (how many became a newline), undefined (how
        many bytes Windows-1252 does not define) and cut (how many at the end only begin a character); bytes: text, in
        UTF-8, and perWorker, the most that a worker needs to read it. Or an error with the code "corpus" or "memory".
    """
    from .. import text_files  # no first loss waits for it

    if len(bytes) > memory.LARGEST_FILE:
        return failure(
            "corpus",
            "corpus",
            f"The file has {mb(len(bytes))}; Python in a tab has the memory to read {mb(memory.LARGEST_FILE)}: "
            "use a part of it.",
        )
    try:
        file = text_files.read(bytes)
        corpus = Corpus.from_text(file.text)
        corpus.require(SHORTEST_CONTEXT)
        facts: Facts = {
            **about(corpus),
            "distinct": corpus.distinct,
            "changed": _changed(file),
            "bytes": _sizes(file.text, corpus),
        }
    except CorpusError as error:
        return failure("corpus", "corpus", str(error))
    except MemoryError:
        return no_memory_to(f"read this file of {mb(len(bytes))}")
    return {"text": file.text, "encoding": file.encoding, "facts": facts}


def _changed(file: TextFile) -> Changed:
    return {
        "encoding": file.encoding,
        "bom": file.bom,
        "lineEnds": file.line_ends,
        "nfc": file.nfc,
        "undefined": file.undefined,
        "cut": file.cut,
    }


def _sizes(text: str, corpus: Corpus) -> dict[str, int]:
    as_it_is = normalised(text) is text  # Python saw at a glance that there is nothing to compose
    needed = memory.reading(len(text), memory.width(text), as_it_is, len(corpus.replaced))
    return {"text": len(text.encode()), "perWorker": needed}


def about(corpus: Corpus) -> About:
    """What the page shows of a text: vocabulary, classes, characters, baselines, rare."""
    rare: Rare | None = None
    if corpus.rare:
        rare = {"threshold": corpus.rare[0][1], "characters": [list(each) for each in corpus.rare], "share": corpus.rare_share}
    return {
        "vocabulary": list(corpus.vocabulary),
        "classes": [character_class(character) for character in corpus.vocabulary],
        "characters": {"train": len(corpus.train), "validation": len(corpus.validation)},
        "baselines": corpus.baselines(),
        "rare": rare,
    }
