"""What the tests of the Python package share: the text, and small models in float64."""

from pathlib import Path

import pytest

from embedding_lab.corpus import Corpus

CORPORA = Path(__file__).parents[2] / ".cache" / "corpora"


@pytest.fixture(scope="session")
def alice_text():
    return (CORPORA / "alice29.txt").read_text("utf-8")


@pytest.fixture(scope="session")
def alice(alice_text):
    return Corpus.from_text(alice_text)
