"""What the page may call, called as the page calls it: results are plain, and expected failures are values."""

import gc
import hashlib
import math
import re
import tracemalloc
import weakref

import numpy as np
import pytest

import build
from embedding_lab import memory, probes, worker
from embedding_lab.corpus import Corpus
from embedding_lab.ops import best
from embedding_lab.training import Run
from node_tests import run_in_node
from tests import texts

SMALL = {"d": 8, "heads": 2, "context": 8, "batch": 4, "steps": 20, "encoding": "learned"}
TEXT = "The quick brown Fox 9 jumps over the lazy dog.\n" * 40


@pytest.fixture(autouse=True)
def no_runs_left():
    yield
    for name in list(worker.opened.runs):
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
    assert "points3" not in frame["geometry"]
    assert worker.advance("a", 1, True, True)["geometry"]["points3"].size == 3 * len(worker.opened.runs["a"].corpus.vocabulary)


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
    worker.opened.runs["a"].model.parameters["embedding"][0, 0] = np.nan
    frame = worker.advance("a", 0, True)
    assert frame["geometry"] is None and frame["state"] == "diverged" and "Diverged at step 1" in frame["message"]


def test_a_run_can_use_another_backend_than_the_best():
    worker.open_run("a", SMALL, TEXT, "numpy")
    assert worker.opened.runs["a"].model.ops.NAME == "numpy"


def finish_probe(name, id, arguments=None, **options):
    for _ in range(10_000):
        answer = worker.probe(name, id, arguments, **options)
        if "error" in answer or answer["result"] is not None:
            return answer
        assert 0 <= answer["progress"] < 1
    pytest.fail(f"{name} does not end.")


def test_a_quick_probe_answers_at_once_and_says_which_moment_it_looked_at():
    worker.open_run("a", SMALL, TEXT)
    answer = worker.probe("lookup", "a", {"text": "fox"})
    assert (answer["probe"], answer["run"], answer["which"], answer["step"]) == ("lookup", "a", "untrained", 0)
    assert answer["progress"] == 1 and answer["result"]["largestDifference"] == 0
    worker.advance("a", 0)
    assert (worker.probe("lookup", "a")["which"], worker.probe("lookup", "a")["step"]) == ("now", 1)
    assert worker.probe("lookup", "a", untrained=True)["which"] == "untrained"
    worker.advance("a", 60_000)
    assert (worker.probe("lookup", "a")["which"], worker.probe("lookup", "a")["step"]) == ("trained", 20)


def test_a_long_probe_goes_on_where_it_was_and_begins_anew_with_other_arguments():
    worker.open_run("a", SMALL, TEXT)
    arguments = {"length": 20, "prompt": "The "}
    first = worker.probe("generate", "a", arguments, 0)
    assert first["result"] is None and first["progress"] == pytest.approx(1 / 20)
    assert worker.probe("generate", "a", dict(arguments), 0)["progress"] == pytest.approx(2 / 20)
    worker.advance("a", 0)  # the run goes on; the probe keeps to its moment
    assert worker.probe("generate", "a", arguments, 0)["step"] == 0
    assert worker.probe("generate", "a", {**arguments, "sample": 2}, 0)["progress"] == pytest.approx(1 / 20)
    done = finish_probe("generate", "a", {**arguments, "sample": 2}, budget_ms=0)
    assert done["progress"] == 1 and len(done["result"]["text"]) == 20 and done["step"] == 1
    assert worker.probe("generate", "a", {**arguments, "sample": 2}, 0)["progress"] == pytest.approx(1 / 20)


def test_probes_that_train_models_leave_the_run_alone():
    worker.open_run("a", SMALL, TEXT)
    before = worker.save_run("a")["vector"]
    answer = finish_probe("relabel", "a", {"updates": 5}, budget_ms=0)
    assert answer["result"]["largestDifference"] == 0
    assert np.array_equal(worker.save_run("a")["vector"], before)
    assert worker.advance("a", 0)["step"] == 1


@pytest.mark.parametrize(
    "name, arguments, field, message",
    [
        ("nowhere", {}, "name", "probe = nowhere is unknown"),
        ("generate", {"length": 0}, "length", "length = 0 is out of range"),
        ("lookup", {"text": "éé"}, "text", "has 0 characters that this model knows"),
        ("context-free", {"first": "ab", "second": "cd", "index": 1}, "index", "change one of the texts"),
        ("width", {"seeds": "one"}, "seeds", "seeds = one is not a whole number"),
    ],
)
def test_what_a_probe_cannot_use_is_a_value(name, arguments, field, message):
    worker.open_run("a", SMALL, TEXT)
    error = worker.probe(name, "a", arguments)["error"]
    assert (error["code"], error["field"]) == ("probe", field) and message in error["message"]
    assert worker.probe(name, "b", arguments)["error"]["code"] == "unknown-run"
    assert worker.save_run("b")["error"]["code"] == "unknown-run"


def test_a_probe_that_runs_out_of_memory_tells_it_and_keeps_the_run(monkeypatch):
    worker.open_run("a", SMALL, TEXT)

    def no_memory(name, view, arguments):
        raise MemoryError

    monkeypatch.setattr(probes, "run_probe", no_memory)
    assert worker.probe("lookup", "a")["error"]["code"] == "memory"
    assert worker.advance("a", 0)["step"] == 1


def from_page(saved):
    """As it comes back from the page: a typed array arrives as a memoryview."""
    return {name: memoryview(value) if isinstance(value, np.ndarray) else value for name, value in saved.items()}


def test_a_restored_run_gives_the_same_answers():
    worker.open_run("a", SMALL, TEXT)
    worker.advance("a", 60_000)
    saved = worker.save_run("a")
    kinds = {name: value.dtype.name for name, value in saved.items() if isinstance(value, np.ndarray)}
    assert kinds == {
        "vector": "float32", "mean": "float32", "square": "float32",
        "trainLoss": "float64", "validationSteps": "int32", "validationLoss": "float64",
    }  # fmt: skip
    assert (saved["step"], saved["state"], saved["message"]) == (20, "finished", None) and saved["seconds"] > 0
    expected = {name: worker.probe(name, "a") for name in ("residual-stream", "case-offset", "order")}
    opened = worker.open_run("a", SMALL, TEXT, None, from_page(saved))
    assert opened["frame"]["state"] == "finished" and opened["frame"]["step"] == 20
    assert len(opened["frame"]["validationLoss"]) == 0 and opened["frame"]["geometry"] is not None
    assert {name: worker.probe(name, "a") for name in expected} == expected
    assert worker.advance("a", 1)["step"] == 20


def test_a_run_goes_on_in_another_worker_as_if_it_had_not_been_stopped():
    worker.open_run("a", SMALL, TEXT)
    while worker.advance("a", 0)["step"] < 10:
        pass
    saved = from_page(worker.save_run("a"))
    assert saved["state"] == "training"
    opened = worker.open_run("b", SMALL, TEXT, None, saved)
    assert (opened["frame"]["state"], opened["frame"]["step"], opened["frame"]["trainFrom"]) == ("training", 10, 11)
    assert worker.probe("lookup", "b")["which"] == "now"
    rest, whole = worker.advance("b", 60_000), worker.advance("a", 60_000)
    assert rest["trainLoss"].tolist() == whole["trainLoss"].tolist() and len(rest["trainLoss"]) == 10
    assert rest["validationLoss"].tolist() == whole["validationLoss"].tolist()
    assert np.array_equal(worker.save_run("a")["vector"], worker.save_run("b")["vector"])


def test_a_saved_run_that_does_not_fit_is_a_value():
    worker.open_run("a", SMALL, TEXT)
    saved = worker.save_run("a")
    error = worker.open_run("b", {**SMALL, "d": 16}, TEXT, None, saved)["error"]
    assert error["code"] == "saved" and "the parameters of the model of these settings are" in error["message"]
    assert worker.advance("b", 1)["error"]["code"] == "unknown-run"
    del saved["mean"], saved["trainLoss"]
    error = worker.open_run("b", SMALL, TEXT, None, saved)["error"]
    assert error["code"] == "saved" and "mean, trainLoss is missing" in error["message"]


def test_a_run_becomes_a_file_and_a_file_a_run():
    worker.open_run("a", {**SMALL, "corpus": "own"}, TEXT)
    while worker.advance("a", 0)["step"] < 10:
        pass
    made = worker.checkpoint("a", "Learned, seed 1")
    assert made["name"] == "learned-seed1-10.zip" and made["bytes"].dtype == np.uint8
    found = worker.read_checkpoint(memoryview(made["bytes"]))
    assert set(found) == {"config", "text", "textHash", "saved", "version", "code"} and found["code"] is None
    assert found["text"] == TEXT and found["config"]["d"] == 8 and found["version"] == worker.status()["version"]
    opened = worker.open_run("b", found["config"], found["text"], None, from_page(found["saved"]))
    assert (opened["frame"]["state"], opened["frame"]["step"]) == ("training", 10)
    rest, whole = worker.advance("b", 60_000), worker.advance("a", 60_000)
    assert rest["trainLoss"].tolist() == whole["trainLoss"].tolist() and rest["state"] == "finished"


def test_a_run_of_a_text_of_the_lab_names_it():
    worker.open_run("a", {**SMALL, "corpus": "asyoulik"}, TEXT)
    found = worker.read_checkpoint(memoryview(worker.checkpoint("a", "x")["bytes"]))
    assert found["text"] is None and found["config"]["corpus"] == "asyoulik"
    assert found["textHash"] == hashlib.sha256(TEXT.encode()).hexdigest()
    restored = ["b", found["config"], None, None, from_page(found["saved"]), found["textHash"]]
    restored[2] = TEXT
    assert worker.open_run(*restored)["frame"]["step"] == found["saved"]["step"]
    restored[2] = TEXT[::-1]  # the same characters, so that nothing else would tell
    error = worker.open_run(*restored)["error"]
    assert error["code"] == "checkpoint" and "The text asyoulik here is not the one" in error["message"]


def test_what_cannot_be_a_file_or_a_run_is_a_value():
    assert worker.checkpoint("a", "x")["error"]["code"] == "unknown-run"
    worker.open_run("a", SMALL, TEXT + "\ud83d")
    error = worker.checkpoint("a", "x")["error"]
    assert error["code"] == "checkpoint" and "half a surrogate pair" in error["message"]
    for data in (b"", b"PK", np.zeros(200_000_000, np.uint8)):
        error = worker.read_checkpoint(memoryview(data))["error"]
        assert error["code"] == "checkpoint" and len(error["message"]) > 20
    assert worker.advance("a", 0)["step"] == 1


@pytest.mark.parametrize(
    "broken, call, message",
    [
        ("training.Run.save", lambda made: worker.save_run("a"), "to save this run: "),
        ("checkpoint.pack", lambda made: worker.checkpoint("a", "x"), "with its text of 1,880 characters: "),
        ("checkpoint.saving._text_bytes", lambda made: worker.checkpoint("a", "x"), "with its text of 1,880 characters: "),
        ("checkpoint.opening.Archive.read", worker.read_checkpoint, r"this file of \d+,\d+ bytes with its text: "),
        ("text_files.read", worker.read_text, "to read this file of 0 MB: "),
    ],
)
def test_what_memory_is_too_small_for_is_a_value_and_the_run_goes_on(monkeypatch, broken, call, message):
    worker.open_run("a", SMALL, TEXT)
    made = memoryview(worker.checkpoint("a", "x")["bytes"])

    def no_memory(*_):
        raise MemoryError

    monkeypatch.setattr(f"embedding_lab.{broken}", no_memory)
    error = call(made)["error"]
    assert error["code"] == "memory" and re.search(message, error["message"])
    assert worker.advance("a", 0)["step"] == 1


def test_a_probe_that_was_interrupted_begins_anew(monkeypatch):
    worker.open_run("a", SMALL, TEXT)

    def interrupted(*_):
        yield 0.1
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(probes, "run_probe", interrupted)
        with pytest.raises(KeyboardInterrupt):
            worker.probe("lookup", "a")
    assert worker.probe("lookup", "a")["result"]["text"]


def test_a_width_gets_the_heads_that_the_encoding_takes_and_one_without_any_is_told():
    worker.open_run("a", {**SMALL, "encoding": "rope"}, TEXT)
    asked = {"seeds": "1", "updates": "2"}
    [width] = worker.probe("width", "a", {**asked, "widths": "10"}, 1e6)["result"]["widths"]
    assert width["heads"] == 1, "of two heads each would have five numbers, which are no pairs"
    error = worker.probe("width", "a", {**asked, "widths": "9"}, 1e6)["error"]
    assert error["code"] == "probe" and "even head size" in error["message"] and "not 9" in error["message"]


CODE = "from embedding_lab.positions import PositionalEncoding\nclass Mine(PositionalEncoding): pass\n"


@pytest.mark.parametrize(
    "broken, call",
    [
        ("worker.runs.about", lambda made, code: worker.open_run("a", {**SMALL, "encoding": "own:mine"} if code else SMALL, TEXT, code=code)),
        ("worker.runs.project", lambda made, code: worker.advance("a", 0, True)),
        ("training.Run.save", lambda made, code: worker.save_run("a")),
        ("checkpoint.pack", lambda made, code: worker.checkpoint("a", "x")),
        ("checkpoint.opening.Archive.read", lambda made, code: worker.read_checkpoint(made, code is not None)),
    ],
)  # fmt: skip
def test_what_breaks_in_the_lab_is_put_down_to_a_readers_code_if_some_ran(monkeypatch, broken, call):
    worker.open_run("a", SMALL, TEXT)
    made = memoryview(worker.checkpoint("a", "x")["bytes"])

    def breaks(*_, **__):
        raise TypeError("of the lab")

    monkeypatch.setattr(f"embedding_lab.{broken}", breaks)
    with pytest.raises(TypeError):
        call(made, None)
    monkeypatch.undo()
    worker.open_run("a", {**SMALL, "encoding": "own:mine"}, TEXT, code=CODE)
    made = memoryview(worker.checkpoint("a", "x")["bytes"])
    monkeypatch.setattr(f"embedding_lab.{broken}", breaks)
    error = call(made, CODE)["error"]
    assert error["code"] == "encoding" and error["line"] is error["traceback"] is None
    assert error["message"].startswith("The lab failed after your code had run in it (TypeError: of the lab): the code must")


@pytest.fixture
def no_console():
    yield
    worker.console_open({"d": 1}, "")  # fails, and so leaves none


def test_the_prompt_opens_a_run_with_a_readers_own_encoding(no_console):
    config, code = {**SMALL, "encoding": "own:mine"}, CODE.replace("pass", "name = 'in the class'")
    assert worker.console_run("1", print)["error"]["code"] == "console"
    assert "code is not here" in worker.console_open(config, TEXT)["error"]["message"]
    assert worker.console_open(config, TEXT, None, code) == {"run": "console", "step": 0, "shape": [31, 8]}
    asked = worker.console_run("run.encoding.name, run.encoding.table(8, 8)", print)
    assert asked["value"] == "('mine', None)"
    worker.advance("console", 60_000)
    saved = from_page(worker.save_run("console"))
    assert worker.console_open(config, TEXT, saved, code)["step"] == 20
    assert worker.console_run("run.state", print)["value"] == "'finished'"
    error = worker.console_open(config, TEXT, None, "1 / 0")["error"]
    assert (error["code"], error["line"]) == ("encoding", 1) and "ZeroDivisionError" in error["traceback"]
    assert worker.console_run("1", print)["error"]["code"] == "console"


def test_the_code_of_a_probe_is_shown_as_it_runs():
    shown = worker.source("case-offset")
    assert shown["file"] == "embedding_lab/probes/table.py"
    assert shown["code"].startswith("def case_offset(view: View") and "return {" in shown["code"]
    assert worker.source("tea-leaves")["error"]["code"] == "probe"


# ------------------------------------------------------------------------------------ texts of readers


def test_a_text_that_was_read_opens_with_the_facts_that_were_told():
    text = texts.many_characters(distinct=1000)
    read = worker.read_text(memoryview(b"\xef\xbb\xbf" + text.replace("\u4e00", "\u4e00\r\n").encode()))
    facts, corpus = read["facts"], Corpus.from_text(read["text"])
    assert read["encoding"] == "UTF-8" and read["text"] == text.replace("\u4e00", "\u4e00\n")
    ends = text.count("\u4e00")
    assert facts["changed"] == {"encoding": "UTF-8", "bom": True, "lineEnds": ends, "nfc": False, "undefined": 0, "cut": 0}
    assert facts["distinct"] == 1001 and len(facts["vocabulary"]) == len(facts["classes"]) == 256
    rare = facts["rare"]
    assert rare["characters"] == [list(each) for each in corpus.rare] and rare["threshold"] == corpus.rare[0][1]
    assert rare["share"] == len(corpus.replaced) / len(read["text"])
    assert facts["bytes"]["text"] == len(read["text"].encode())
    opened = worker.open_run("a", {**SMALL, "corpus": "own"}, read["text"])
    for name in ("vocabulary", "classes", "characters", "baselines", "rare"):
        assert opened[name] == facts[name]
    assert worker.open_run("a", SMALL, TEXT)["rare"] is None


def test_what_a_worker_is_said_to_take_for_a_text_is_what_it_takes():
    text = texts.repeated(texts.SCRIPTS["Greek"], 2_000_000)
    said = worker.read_text(text.encode())["facts"]["bytes"]["perWorker"]
    tracemalloc.start()
    try:
        again = text[:1] + text[1:]  # the text that the worker was given
        Corpus.from_text(again)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert said == pytest.approx(peak, rel=0.2)


@pytest.mark.parametrize("kind", texts.KINDS)
def test_texts_of_every_kind_are_read(kind):
    read = worker.read_text(texts.KINDS[kind].encode())
    assert read["facts"]["distinct"] == len(set(read["text"])) and read["facts"]["baselines"]["bigram"] > 0


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "The text is empty"),
        (b"a" * 1000, "one distinct character, 'a'"),
        (b"ab" * 40, r"The text has 80 characters.* use a text of at least 90 characters\.$"),
        (b"\x89PNG\r\n\x1a\n\0\0", "This is no text but a PNG picture"),
        (bytes(memory.LARGEST_FILE + 1), "has 134 MB; Python in a tab has the memory to read 134 MB: use a part of it"),
    ],
)
def test_a_text_that_cannot_be_trained_on_says_why(data, message):
    error = worker.read_text(memoryview(data))["error"]
    assert (error["code"], error["field"]) == ("corpus", "corpus") and re.search(message, error["message"])


def test_a_file_that_is_too_large_is_refused_before_it_is_decoded(monkeypatch):
    monkeypatch.setattr("embedding_lab.text_files.read", lambda data: pytest.fail("was read"))
    assert "use a part of it" in worker.read_text(bytes(memory.LARGEST_FILE + 1))["error"]["message"]


def test_a_run_over_the_limit_is_refused_before_anything_is_allocated(monkeypatch):
    told = worker.memory_needed(SMALL, len(TEXT), 40)
    assert told["limit"] == memory.LIMIT > told["bytes"]
    assert worker.memory_needed({"d": 1}, 1, 1)["error"]["code"] == "config"
    worker.open_run("a", SMALL, TEXT)
    monkeypatch.setattr(memory, "LIMIT", 100_000_000)
    monkeypatch.setattr("embedding_lab.worker.runs.Run", lambda *_, **__: pytest.fail("was made"))
    error = worker.open_run("b", {**SMALL, "d": 64, "batch": 128, "context": 256}, TEXT)["error"]
    assert (error["code"], error["field"]) == ("memory", "batch")
    assert re.search(
        r"This run \(batch 128, context 256, layers 1, heads 2, d 64, a text of 1,880 characters\) needs \d{3} MB beside "
        r"the \d+ MB of what is open here, and Python in a tab has 100 MB: choose a smaller batch or context",
        error["message"],
    )
    assert "b" not in worker.opened.runs and worker.advance("a", 0)["step"] == 1


def test_closing_a_run_frees_its_memory():
    worker.open_run("a", SMALL, TEXT)
    worker.advance("a", 1)
    assert worker.probe("generate", "a", {}, 0)["result"] is None
    vector = weakref.ref(worker.opened.runs["a"].model.parameters.vector)
    worker.close_run("a")
    gc.collect()
    assert vector() is None


def test_compare_gives_the_gaps():
    found = worker.compare(
        [{"encoding": "none", "seed": 1, "validationLoss": 2.4}, {"encoding": "rope", "seed": 1, "validationLoss": 2.0}]
    )
    assert found["gaps"][0]["nats"] == pytest.approx(0.4)
    assert [(row["encoding"], row["seeds"], row["mean"]) for row in found["encodings"]] == [("none", 1, 2.4), ("rope", 1, 2.0)]


def test_compare_leaves_out_runs_without_a_loss():
    runs = [("none", 1, 2.4), ("none", 2, 2.5), ("rope", 1, 2.0), ("rope", 2, math.nan), ("alibi", 1, None)]
    found = worker.compare([{"encoding": encoding, "seed": seed, "validationLoss": loss} for encoding, seed, loss in runs])
    assert [(gap["a"], gap["b"], gap["seeds"]) for gap in found["gaps"]] == [("none", "rope", 1)]
    assert [(row["encoding"], row["seeds"]) for row in found["encodings"]] == [("none", 2), ("rope", 1), ("alibi", 0)]
    assert worker.compare([]) == {"gaps": [], "encodings": []}


def test_status_says_what_computes():
    assert worker.status()["backend"] == best().NAME and worker.status()["numpy"] == np.__version__


def test_a_probe_that_broke_begins_anew(monkeypatch):
    worker.open_run("a", SMALL, TEXT)

    def breaks(*_):
        yield 0.5
        raise RuntimeError("a fault of the probe")

    monkeypatch.setattr("embedding_lab.probes.run_probe", breaks)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="a fault of the probe"):
            worker.probe("lookup", "a")


def test_values_travel_between_the_page_and_python_as_they_are():
    run_in_node("start.test.mjs", NUMPY_WHEEL=str(build.CACHE / build.NUMPY_WHEEL))
