"""What a run is said to need is what it takes, and what a tab has no room for is refused before it is taken."""

import tracemalloc
import unicodedata

import pytest

from embedding_lab import memory
from embedding_lab.config import RunConfig, settings_table
from embedding_lab.corpus import Corpus
from embedding_lab.ops import load
from embedding_lab.positions import ENCODINGS
from embedding_lab.training import Run
from tests import texts


def taken(work):
    """The most bytes that were allocated at once in a call."""
    tracemalloc.start()
    try:
        kept = work()  # until it is measured
        return tracemalloc.get_traced_memory()[1], kept
    finally:
        tracemalloc.stop()


WIDE = {"d": 64, "layers": 2, "context": 64, "batch": 64, "encoding": "rope"}
LONG = {"d": 16, "heads": 8, "context": 256, "batch": 16, "encoding": "none"}


@pytest.mark.parametrize(
    "settings, backend",
    [
        ({}, "native"),
        ({"d": 128, "layers": 4, "heads": 8, "context": 128, "batch": 8, "encoding": "alibi"}, "native"),
        ({"d": 96, "layers": 2, "heads": 1, "context": 256, "batch": 4, "tied": False, "encoding": "sinusoidal"}, "native"),
        ({"d": 128, "layers": 4, "heads": 8, "context": 128, "batch": 8, "encoding": "kerple"}, "native"),
        ({"d": 16, "heads": 8, "context": 256, "batch": 1, "encoding": "kerple"}, "native"),
        (WIDE, "native"),
        (WIDE, "numpy"),
        (LONG, "native"),
        (LONG, "numpy"),
    ],
)
def test_a_run_takes_what_was_said(alice_text, settings, backend):
    config, ops = RunConfig(**settings, steps=20), load(backend)

    def train():
        corpus = Corpus.from_text(alice_text)
        run = Run(config, corpus, ops=ops)
        run.advance(0)
        return run

    peak, run = taken(train)
    characters, vocabulary = len(alice_text), len(run.corpus.vocabulary)
    said = memory.needed(config, characters, vocabulary, memory.width(alice_text), compiled=backend == "native")
    assert said == pytest.approx(peak, rel=0.1)
    assert memory.parameters(config, vocabulary) == run.model.size


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("tied", [True, False])
def test_the_parameters_are_counted(alice, encoding, tied):
    config = RunConfig(d=24, layers=3, heads=2, context=40, batch=2, encoding=encoding, tied=tied)
    assert memory.parameters(config, 73) == Run(config, alice, evaluate=False).model.size


DECOMPOSED = {script: unicodedata.normalize("NFD", passage) for script, passage in texts.SCRIPTS.items()}


@pytest.mark.parametrize(
    "text, as_it_is",
    [
        (texts.repeated("the cat sat\n", 1_500_000), True),
        (texts.repeated("the cat sat\r\n", 1_500_000), False),
        (texts.repeated(DECOMPOSED["Greek"], 1_500_000), False),
        (texts.repeated(DECOMPOSED["Latin with accents"] + "😀", 1_500_000), False),
        (texts.repeated(texts.SCRIPTS["Devanagari"], 1_500_000), False),
        (texts.repeated(texts.SCRIPTS["Cyrillic"], 1_500_000), True),
        (texts.repeated(texts.many_characters(), 1_500_000), True),
    ],
    ids=["ASCII", "other line ends", "decomposed", "decomposed, with emoji", "may be composed", "composed", "rare"],
)
def test_a_text_takes_at_most_what_was_said_while_it_is_read(text, as_it_is):
    given = len(text) * memory.width(text)  # was there before
    peak, corpus = taken(lambda: Corpus.from_text(text))
    said = memory.reading(len(text), memory.width(text), as_it_is, len(corpus.replaced))
    assert 0.65 * said < given + peak < said


def test_the_widths_of_texts():
    assert [memory.width(some * 1000) for some in ("a", "é", "ж", "😀")] == [1, 1, 2, 4]


def test_the_largest_model_and_the_largest_file_fit_into_a_tab():
    largest = {
        row["name"]: row["high"] for row in settings_table() if row["name"] in ("d", "layers", "heads", "context", "batch")
    }
    needed = max(memory.needed(RunConfig(**largest, tied=False, encoding=name), 20_000_000, 256) for name in ENCODINGS)
    assert 2e9 < needed < memory.LIMIT
    decoding = memory.LARGEST_FILE  # its bytes are there while it is read
    assert decoding + memory.reading(memory.LARGEST_FILE) < memory.LIMIT
    assert memory.LARGEST_FILE >= 32_000_000
