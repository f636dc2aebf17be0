"""The probe that gives the losses a scale: what zlib, bz2 and xz need for each character of the same text."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .view import Probe, View

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Protocol

    class Compressor(Protocol):
        """What `compressobj` of zlib and the compressors of bz2 and lzma have in common."""

        def compress(self, data: bytes, /) -> bytes: ...

        def flush(self) -> bytes: ...

    from ..kinds import Work

PIECE = 1 << 16  # characters that are compressed between two reports of progress
# By the name of each: its module, and what makes of that a compressor that tries hardest.
COMPRESSORS: dict[str, tuple[str, Callable[[ModuleType], Compressor]]] = {
    "zlib": ("zlib", lambda module: module.compressobj(9)),
    "bz2": ("bz2", lambda module: module.BZ2Compressor(9)),
    "xz": ("lzma", lambda module: module.LZMACompressor(preset=9)),
}


def compressors(view: View) -> Work:
    """What general compressors need per character of the run's text (claim 16).

    To predict is to compress: a model with a loss of L nats, driving an arithmetic coder, writes L / ln 2 bits a
    character. So the numbers are in one unit, but they are not one experiment. A compressor reads the whole text once
    and learns as it goes; its size counts what it had to learn, and its header. The model and the counts of the
    baselines are measured on the last tenth alone, after the rest was there to learn from, for the model many times
    over, and nothing is charged for its parameters. And a compressor looks further back than the model's context.
    Both get the same text: where rare characters share one symbol, the compressor reads that symbol too.

    Yields:
        Progress, after each 65,536 characters.

    Returns:
        characters; bytes, of the text in UTF-8; compressors: for each, name ("zlib", "bz2", "xz", each at its
        highest level), bytes, and nats per character (8 ln 2 times bytes / characters), both None where missing says
        why it is not here; baselines, uniform, unigram and bigram, in nats per character of the validation part.
    """
    characters = len(view.corpus.train) + len(view.corpus.validation)
    rows = []
    for at, (name, (module, make)) in enumerate(COMPRESSORS.items()):
        size, missing = None, None
        try:
            work = make(importlib.import_module(module))
            size = 0
            for done, piece in enumerate(_pieces(view), 1):
                size += len(work.compress(piece))
                yield (at + min(1, done * PIECE / characters)) / len(COMPRESSORS)
            size += len(work.flush())
        except ImportError as error:
            missing = f"Python cannot load its module {module} here ({str(error).splitlines()[0]})."
        except MemoryError:
            size, missing = None, f"There is no memory for {name} at its highest level."
        nats = None if size is None else 8 * math.log(2) * size / characters
        rows.append({"name": name, "nats": nats, "bytes": size, "missing": missing})
    return {
        "characters": characters,
        "bytes": sum(map(len, _pieces(view))),
        "compressors": rows,
        "baselines": view.corpus.baselines(),
    }


def _pieces(view: View) -> Iterator[bytes]:
    """The text in UTF-8, a stretch at a time."""
    for text in view.corpus.as_read():
        for first in range(0, len(text), PIECE):
            yield text[first : first + PIECE].encode("utf-8", "surrogatepass")


PROBES = [Probe("compressors", "What compressors need", (16,), compressors, needs_model=False)]
