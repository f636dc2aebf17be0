"""What the page may call, called as the page calls it: results are plain, and expected failures are values."""

import gc
import weakref

import numpy as np
import pytest

from embedding_lab import worker
from embedding_lab.ops import best
from embedding_lab.training import Run

SMALL = {"d": 8, "heads": 2, "context": 8, "batch": 4, "steps": 20, "encoding": "learned"}
TEXT = "The quick brown Fox 9 jumps over the lazy dog.\n" * 40


@pytest.fixture(autouse=True)
def no_runs_left():
    yield
    for name in list(worker._runs):
        worker.close_run(name)


def test_a_run_from_opening_to_its_end():
    opened = worker.open_run("a", SMALL, TEXT)
    assert opened["config"]["d"] == 8 and opened["parameters"] > 0
    assert len(opened["vocabulary"]) == len(opened["classes"]) and "9" in opened["vocabulary"]
    assert opened["classes"][opened["vocabulary"].index("9")] == "digit"
    assert opened["frame"]["step"] == 0 and opened["frame"]["validationSteps"].tolist() == [0]
    assert opened["frame"]["geometry"]["points"].size == 2 * len(opened["vocabulary"])
    losses, frame = [], opened["frame"]
    while frame["state"] == "training":
        frame = worker.advance("a", 1, True)
        assert frame["trainFrom"] == len(losses) + 1
        losses += frame["trainLoss"].tolist()
    assert len(losses) == frame["step"] == frame["steps"] == 20
    assert frame["geometry"]["points"].dtype == np.float32
    assert worker.advance("a", 1)["geometry"] is None


def test_two_runs_do_not_touch_each_other():
    worker.open_run("a", SMALL, TEXT)
    alone = [worker.advance("a", 0)["trainLoss"].tolist() for _ in range(5)]
    worker.open_run("a", SMALL, TEXT)
    worker.open_run("b", {**SMALL, "seed": 2}, TEXT)
    mixed = []
    for _ in range(5):
        mixed.append(worker.advance("a", 0)["trainLoss"].tolist())
        worker.advance("b", 0)
    assert mixed == alone


@pytest.mark.parametrize(
    "config, text, code, field, message",
    [
        ({"heads": 3}, TEXT, "config", "heads", "does not divide"),
        ({"d": "wide"}, TEXT, "config", "d", "not a whole number"),
        ({"encoding": "rope", "d": 12, "heads": 4}, TEXT, "config", "heads", "even head size"),
        ({}, "", "corpus", "corpus", "empty"),
        ({}, "zzzzzz", "corpus", "corpus", "one distinct character"),
        ({"context": 256}, TEXT, "corpus", "corpus", "context of 256 needs 257"),
    ],
)
def test_failures_that_the_reader_can_mend_are_values(config, text, code, field, message):
    error = worker.open_run("a", {**SMALL, **config}, text)["error"]
    assert (error["code"], error["field"]) == (code, field)
    assert message in error["message"]
    assert worker.advance("a", 1)["error"]["code"] == "unknown-run"


def test_running_out_of_memory_is_told_and_frees_the_run(monkeypatch):
    worker.open_run("a", SMALL, TEXT)

    def no_memory(self, seconds):
        raise MemoryError

    monkeypatch.setattr(Run, "advance", no_memory)
    error = worker.advance("a", 1)["error"]
    assert error["code"] == "memory" and "batch 4, context 8" in error["message"]
    assert worker.advance("a", 1)["error"]["code"] == "unknown-run"


def test_a_table_that_is_no_longer_finite_has_no_picture():
    worker.open_run("a", SMALL, TEXT)
    worker._runs["a"].model.parameters["embedding"][0, 0] = np.nan
    frame = worker.advance("a", 0, True)
    assert frame["geometry"] is None and frame["state"] == "diverged" and "Diverged at step 1" in frame["message"]


def test_a_run_can_use_another_backend_than_the_best():
    worker.open_run("a", SMALL, TEXT, "numpy")
    assert worker._runs["a"].model.ops.NAME == "numpy"


def test_closing_a_run_frees_its_memory():
    worker.open_run("a", SMALL, TEXT)
    worker.advance("a", 1)
    vector = weakref.ref(worker._runs["a"].model.parameters.vector)
    worker.close_run("a")
    gc.collect()
    assert vector() is None


def test_compare_gives_the_gaps():
    found = worker.compare(
        [{"encoding": "none", "seed": 1, "validationLoss": 2.4}, {"encoding": "rope", "seed": 1, "validationLoss": 2.0}]
    )
    assert found["gaps"][0]["nats"] == pytest.approx(0.4)


def test_status_says_what_computes():
    assert worker.status()["backend"] == best().NAME and worker.status()["numpy"] == np.__version__
