"""What the tests of the Python package share: the text, and a worker without runs."""

import pytest

import build
from embedding_lab import worker
from embedding_lab.corpus import Corpus


@pytest.fixture(scope="session")
def alice_text():
    return (build.CORPORA / "alice29.txt").read_text("utf-8")


@pytest.fixture(scope="session")
def alice(alice_text):
    return Corpus.from_text(alice_text)


@pytest.fixture
def no_runs_left():
    """The worker is one for all tests: what one of them opened in it is closed."""
    yield
    for name in list(worker.opened.runs):
        worker.close_run(name)
