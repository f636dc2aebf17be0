"""Sweeps: the same rows in every format, in every number of processes and on a cluster, whatever was killed on the way."""

import csv
import json
import logging
import os
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import fields
from pathlib import Path

import psutil
import pyarrow.parquet
import pytest
from distributed import Client

from embedding_lab import __version__, cli, results, sweep
from embedding_lab.config import RunConfig
from embedding_lab.journal import Journal
from embedding_lab.ops import best
from embedding_lab.positions import ENCODINGS
from embedding_lab.results import columns

SMALL = ["--d", "8", "--heads", "2", "--context", "8", "--batch", "4", "--steps", "5"]
TIMES = ("seconds", "steps_per_second")


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text("The quick brown Fox 9 jumps over the lazy dog.\n" * 40)
    return str(path)


def run(*arguments):
    """Sweep in this process; returns its exit code, 0 or what it was."""
    try:
        cli.main(["sweep", *map(str, arguments)])
    except SystemExit as end:
        return end.code
    return 0


def start(*arguments):
    """Sweep in a process of its own, at the head of a group of its own as a shell would have it."""
    command = [sys.executable, "-m", "embedding_lab", "sweep", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_until(condition):
    for _ in range(1200):
        if found := condition():
            return found
        time.sleep(0.05)
    pytest.fail("What the test waits for did not happen within a minute.")


def journalled(out):
    """The keys of the whole lines of a sweep's journal, as they were written."""
    path = out.with_name(out.name + ".journal")
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line)["key"] for line in lines]


def rows_of(path):
    if path.suffix == ".json":
        return json.loads(path.read_text(), parse_constant=pytest.fail)["rows"]
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path).to_pylist()
    return [{name: _from_csv(row[name], kind) for name, kind in columns().items()} for row in csv.DictReader(path.open())]


def _from_csv(field, kind):
    if field == "":
        return None
    return json.loads(field) if isinstance(kind, list) else field == "True" if kind is bool else kind(field)


def untimed(rows):
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


# ------------------------------------------------------------------------------------ rows


def test_the_three_formats_hold_the_same_rows_and_those_are_what_train_prints(text, tmp_path, capsys):
    options = [
        "--encodings",
        "none,sinusoidal",
        "--seeds",
        "3-4",
        "--layers",
        "1,2",
        "--tied",
        "yes,no",
        "--corpus",
        text,
        *SMALL,
    ]
    outs = [tmp_path / name for name in ("a.json", "a.CSV", "a.parquet")]
    filters = [*warnings.filters]
    for out, jobs in zip(outs, ("1", "2", "auto"), strict=True):
        assert run(*options, "--jobs", jobs, "--out", out) == 0
    assert warnings.filters == filters
    rows, of_csv, of_parquet = map(rows_of, outs)
    assert untimed(rows) == untimed(of_csv) == untimed(of_parquet)
    assert all(list(row) == list(columns()) for row in rows + of_csv + of_parquet)
    expected = [(layers, tied, encoding, seed) for layers in (1, 2) for tied in (True, False)
                for encoding in ("none", "sinusoidal") for seed in (3, 4)]  # fmt: skip
    assert [(row["layers"], row["tied"], row["encoding"], row["seed"]) for row in rows] == expected
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        cli.main(
            [
                "train",
                "--encoding",
                "sinusoidal",
                "--seed",
                "4",
                "--layers",
                "2",
                "--tied",
                "no",
                "--corpus",
                text,
                *SMALL,
                "--json",
            ]
        )
    assert end.value.code == 0
    trained = json.loads(capsys.readouterr().out)
    row = rows[-1]
    assert {name: row[name] for name in trained["config"]} == trained["config"]
    assert (row["state"], row["parameters"]) == (trained["state"], trained["parameters"])
    assert row["validation_loss"] == round(trained["validationLoss"], 6) and row["train_loss"] == round(trained["trainLoss"], 6)
    assert [list(point) for point in zip(row["validation_steps"], row["validation_losses"], strict=True)] == [
        [step, round(loss, 6)] for step, loss in trained["losses"]["validation"]
    ]
    about = json.loads(outs[0].read_text())
    assert about["texts"][0]["text_sha256"] == row["text_sha256"] and about["texts"][0]["file"] == "small.txt"
    assert about["texts"][0]["baselines"]["unigram"] == round(trained["baselines"]["unigram"], 6)


def test_the_file_holds_the_command_that_makes_it_again(text, tmp_path):
    out = tmp_path / "a b.json"
    run("--out", out, "--jobs", "1", "--seeds", "1", *SMALL, "--corpus", text, "--encodings", "none")
    command = json.loads(out.read_text())["command"]
    assert command.startswith("python -m embedding_lab sweep --encodings none --d 8 --heads 2 ") and f"--out '{out}'" in command
    first = untimed(rows_of(out))
    out.unlink()
    out.with_name(out.name + ".journal").unlink()
    subprocess.run(command.replace("python", sys.executable, 1), shell=True, check=True, capture_output=True)
    assert untimed(rows_of(out)) == first


def test_the_command_names_the_folder_of_the_texts_that_it_was_given(text, tmp_path):
    out, options = tmp_path / "a.json", ["--encodings", "none", "--jobs", "1", *SMALL]
    (tmp_path / "alice29.txt").write_text(Path(text).read_text())
    assert run(*options, "--corpora", tmp_path, "--out", out) == 0
    content = json.loads(out.read_text())
    assert f" --corpora {tmp_path} " in content["command"] and content["texts"][0]["characters"] == 1880
    assert run(*options, "--corpus", text, "--out", out) == 0
    assert "--corpora" not in json.loads(out.read_text())["command"]


def test_every_setting_has_an_option():
    told = subprocess.run(
        [sys.executable, "-m", "embedding_lab", "sweep", "--help"], capture_output=True, text=True, check=True
    ).stdout
    options = {"--" + field.name.replace("_", "-") for field in fields(RunConfig)} - {"--encoding", "--seed"}
    assert all(f"  {option} LIST" in told for option in options | {"--encodings", "--seeds"})


def test_a_setting_that_is_not_given_has_its_default_and_the_encodings_are_all(text, tmp_path):
    assert run(*SMALL, "--corpus", text, "--jobs", "1", "--out", tmp_path / "a.json") == 0
    rows = rows_of(tmp_path / "a.json")
    assert [row["encoding"] for row in rows] == list(ENCODINGS)
    assert {row["lr"] for row in rows} == {RunConfig().lr} and {row["seed"] for row in rows} == {RunConfig().seed}
    assert (
        {row["backend"] for row in rows} == {best().NAME}
        and {row["version"] for row in rows} == {__version__}
        and {row["corpus"] for row in rows} == {"own"}
    )


def test_two_texts_of_ones_own_are_told_apart_by_their_hash(text, tmp_path, capsys):
    other = tmp_path / "other.txt"
    other.write_text("Never odd or even. " * 80)
    run("--encodings", "none,rope", *SMALL, "--corpus", f"{text},{other}", "--jobs", "1", "--out", tmp_path / "a.json")
    assert len({row["text_sha256"] for row in rows_of(tmp_path / "a.json")}) == 2
    headings = [line for line in capsys.readouterr().out.splitlines() if line and not line.startswith("|")]
    assert len(headings) == 2 and all(line.startswith("text ") for line in headings)
    other.write_text(Path(text).read_text())  # and one text is one text, whatever its files are called
    run("--encodings", "none,rope", *SMALL, "--corpus", f"{text},{other}", "--jobs", "1", "--out", tmp_path / "a.json")
    assert len(rows_of(tmp_path / "a.json")) == 2


def test_an_encoding_of_ones_own_is_swept_in_other_processes(text, tmp_path, capsys):
    file = tmp_path / "ramp.py"
    source = (
        "import numpy as np\n"
        "class Ramp:\n"
        "    def table(self, length, d): return np.arange(length * d).reshape(length, d) % 7 / 100\n"
        "    def rotation(self, length, head_dim): return None\n"
        "    def bias(self, length, heads): return None\n"
    )
    file.write_text(source)
    options = ["--encodings", f"none,{file}", *SMALL, "--corpus", text, "--out", tmp_path / "a.json"]
    assert run(*options, "--jobs", "2") == 0
    assert run("--encodings", f"rope,all,{file}", *options[2:-1], tmp_path / "all.json", "--jobs", "1") == 0
    assert [row["encoding"] for row in rows_of(tmp_path / "all.json")] == [
        "rope", *(name for name in ENCODINGS if name != "rope"), "own:ramp",
    ]  # fmt: skip
    none, ramp = rows_of(tmp_path / "a.json")
    assert (none["encoding"], ramp["encoding"]) == ("none", "own:ramp") and none["validation_losses"] != ramp[
        "validation_losses"
    ]
    file.write_text(source.replace("100", "50"))  # another encoding of the same name is another run
    assert run(*options, "--jobs", "2") == 0
    assert rows_of(tmp_path / "a.json")[0] == none and rows_of(tmp_path / "a.json")[1] != ramp
    assert "--dask takes the lab's own encodings" in run(*options, "--dask", "tcp://127.0.0.1:1")


def test_files_whose_encodings_have_one_name_are_numbered_as_the_page_does(text, tmp_path):
    source = "class Own(PositionalEncoding):\n    name = NAME\n    def table(self, length, d): return np.arange(length * d).reshape(length, d) % 7 * SIZE\n"
    head = "import numpy as np\nfrom embedding_lab.positions import PositionalEncoding\n"
    names = {"a": "a counter", "b": "a counter", "c": "n" * 40, "d": "n" * 40}
    for size, (file, name) in enumerate(names.items()):
        (tmp_path / f"{file}.py").write_text(head + source.replace("NAME", repr(name)).replace("SIZE", str(size / 100)))
    files = ",".join(str(tmp_path / f"{file}.py") for file in "abacd")  # a file given twice is one encoding
    assert run("--encodings", files, *SMALL, "--corpus", text, "--jobs", "1", "--out", tmp_path / "a.json") == 0
    rows = rows_of(tmp_path / "a.json")
    assert [row["encoding"] for row in rows] == ["own:a counter", "own:a counter 2", f"own:{'n' * 40}", f"own:{'n' * 38} 2"]
    assert len({row["validation_loss"] for row in rows}) == 4


def test_a_run_that_diverges_is_a_row_with_its_state(text, tmp_path, capsys):
    wild = ["--d", "48", "--context", "8", "--batch", "4", "--steps", "100", "--lr", "1", "--init-std", "1"]
    assert (
        run("--encodings", "none", *wild, "--corpus", text, "--seeds", "1,2", "--jobs", "1", "--out", tmp_path / "a.json") == 0
    )
    rows = rows_of(tmp_path / "a.json")
    assert [row["state"] for row in rows] == ["diverged"] * 2 and rows[0]["validation_steps"][0] == 0
    assert "| none | 0 (2 diverged) |" in capsys.readouterr().out


# ------------------------------------------------------------------------------------ what is told before anything trains


@pytest.mark.parametrize(
    "options, message",
    [
        (
            ["--heads", "2,3"],
            f"heads = 3 does not divide d = 8: choose heads from 1, 2, 4, 8. ({len(ENCODINGS) - 1} of the combinations)",
        ),
        (["--d", "8,12", "--heads", "4"], "RoPE turns pairs of numbers, so it needs an even head size: d / heads = 12 / 4"),
        (["--context", "8,200"], "a context of 200 needs 201 there"),
        (
            ["--encodings", "none,rotary"],
            f"encoding = rotary is unknown: choose {', '.join(ENCODINGS)} or a Python file, FILE.py.",
        ),
        (
            ["--encodings", "none,own:mine"],
            "own:mine is the name of a reader's own encoding: give the file of its code, --encoding FILE.py",
        ),
        (["--seeds", "1-x"], "seed = 1-x is not a whole number"),
        (["--seeds", "9-1"], "seed = 9-1 counts down: write 1-9."),
        (["--layers", "1-5"], "layers = 5 is out of range: choose a whole number from 1 to 4."),
        (["--lr", "0.1,2"], "lr = 2 is out of range"),
        (["--corpus", "nowhere"], "corpus = nowhere is neither"),
        (["--jobs", "0"], "--jobs 0 is no number of processes: choose auto, or 1 to 9999."),
        (["--jobs", "2", "--dask", "tcp://127.0.0.1:1"], "give one of them"),
        (["--out", "rows.xlsx"], "--out rows.xlsx names no format: let it end in .json, .csv or .parquet."),
        (["--out", "/nonexistent/rows.csv"], "/nonexistent is no folder"),
    ],
)
def test_what_cannot_be_trained_is_one_line_before_anything_trains(text, tmp_path, monkeypatch, options, message):
    monkeypatch.setattr(sweep, "_train_all", lambda *_: pytest.fail("It trains."))
    told = run("--corpus", text, *SMALL, "--out", tmp_path / "a.json", *options)
    assert told.startswith("embedding_lab: ") and message in told and "\n" not in told


@pytest.mark.parametrize(
    "package, options, message",
    [
        ("pyarrow", ["--out", "rows.parquet"], "--out rows.parquet needs the package pyarrow: install it with `python -m pip"),
        (
            "distributed",
            ["--dask", "tcp://127.0.0.1:1"],
            "--dask needs the package distributed: install it with `python -m pip",
        ),
    ],
)
def test_a_package_that_is_not_installed_is_told_before_anything_trains(text, tmp_path, monkeypatch, package, options, message):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(sweep, "_train_all", lambda *_: pytest.fail("It trains."))
    told = run("--corpus", text, *SMALL, "--out", tmp_path / "a.json", *options)
    assert message in told and "\n" not in told


def test_a_cluster_that_does_not_answer_is_one_line(text, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep, "WAIT", 0.5)
    told = run("--corpus", text, *SMALL, "--out", tmp_path / "a.json", "--dask", "tcp://127.0.0.1:1")
    assert logging.root.manager.disable == logging.NOTSET
    assert "--dask tcp://127.0.0.1:1 does not answer: " in told and "\n" not in told


def test_what_the_tab_lacks_is_imported_only_when_it_is_needed():
    lacks = {"joblib", "tqdm", "pyarrow", "dask", "distributed", "scipy"}
    code = "import sys, embedding_lab.worker, embedding_lab.probes, embedding_lab.sweep; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "numpy" in loaded and not lacks & set(loaded)


# ------------------------------------------------------------------------------------ what goes wrong on the way


def test_a_run_that_raises_is_told_and_the_others_go_on(text, tmp_path, monkeypatch, capsys):
    train = sweep.train

    def sometimes(task, corpus):
        if task.config.seed == 2:
            raise MemoryError("no room")
        return train(task, corpus)

    monkeypatch.setattr(sweep, "train", sometimes)
    out = tmp_path / "a.json"
    options = ["--encodings", "none,rope", "--seeds", "1-3", *SMALL, "--corpus", text, "--jobs", "1", "--out", out]
    assert "2 of 6 runs raised an error" in run(*options)
    told = capsys.readouterr().err
    assert (
        "embedding_lab: the run with encoding rope, d 8, " in told
        and ", seed 2, corpus own raised MemoryError: no room" in told
    )
    content = json.loads(out.read_text())
    assert [row["seed"] for row in content["rows"]] == [1, 3, 1, 3]
    assert [(each["encoding"], each["seed"], each["error"]) for each in content["failed"]] == [
        ("none", 2, "MemoryError: no room"), ("rope", 2, "MemoryError: no room"),
    ]  # fmt: skip
    monkeypatch.setattr(sweep, "train", train)
    assert run(*options) == 0 and len(rows_of(out)) == 6 and json.loads(out.read_text())["failed"] == []


LATE = """
import numpy as np
from embedding_lab.positions import PositionalEncoding, Trainable
class Late(PositionalEncoding):
    calls = 0
    def table(self, length, d):
        return Trainable(np.zeros((length, d)), value=self.value, gradient=lambda a, dvalue: dvalue)
    def value(self, a):
        self.calls += 1
        if self.calls > 60:
            raise ValueError("not so often")
        return a
"""


def test_an_encoding_that_fails_on_the_way_is_no_result(text, tmp_path):
    (tmp_path / "late.py").write_text(LATE)
    out = tmp_path / "a.json"
    options = ["--encodings", f"none,{tmp_path / 'late.py'}", *SMALL, "--steps", "200", "--corpus", text, "--jobs", "1"]
    for _ in range(2):  # nor is it one for the journal
        assert "1 of 2 runs raised an error" in run(*options, "--out", out)
        content = json.loads(out.read_text())
        assert [row["encoding"] for row in content["rows"]] == ["none"]
        failed = [(each["encoding"], each["error"]) for each in content["failed"]]
        assert failed == [("own:late", "OwnEncodingError: value of table raised ValueError in line 11: not so often")]


def test_another_version_of_the_lab_does_not_train(text, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep.Task, "version", "0.0.9")
    monkeypatch.setattr(sweep, "_task", lambda *given, make=sweep._task: _of_version(make(*given), "0.0.9"))
    out = tmp_path / "a.json"
    run("--encodings", "none", *SMALL, "--corpus", text, "--jobs", "1", "--out", out)
    assert "version 0.0.9 of the lab asks, and" in json.loads(out.read_text())["failed"][0]["error"]


def _of_version(task, version):
    object.__setattr__(task, "version", version)
    return task


# An encoding with which no run begins while there is a file hold, but for the process that plans, which leads its group.
WAITS = """
import os, time
from pathlib import Path
class Waits:
    def table(self, length, d):
        while Path(__file__).with_name("hold").exists() and os.getpid() != os.getpgrp():
            Path(__file__).with_name(f"{os.getpid()}.waits").touch()
            time.sleep(0.01)
    def rotation(self, length, head_dim): return None
    def bias(self, length, heads): return None
"""


@pytest.fixture
def held(text, tmp_path):
    """The options of a sweep of 12 runs, the last 6 of which wait for what the other value does."""
    (tmp_path / "waits.py").write_text(WAITS)
    (tmp_path / "hold").touch()
    options = ["--encodings", f"none,{tmp_path / 'waits.py'}", "--seeds", "1-6", *SMALL, "--corpus", text, "--jobs", "2"]
    return options, (tmp_path / "hold").unlink


def test_a_sweep_that_was_killed_repeats_nothing_and_ends_as_if_it_had_not_been(held, tmp_path, capsys):
    options, release = held
    out = tmp_path / "a.json"
    killed = start(*options, "--out", out)
    wait_until(lambda: killed.poll() is not None or len(journalled(out)) >= 2)
    children = psutil.Process(killed.pid).children(recursive=True)
    killed.kill()
    killed.communicate(timeout=60)
    before = journalled(out)
    assert 2 <= len(before) <= 6 and not out.exists()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert len(children) >= 2 and not alive  # what it started does not go on without it
    release()
    assert run(*options, "--out", out) == 0
    after = journalled(out)
    assert after[: len(before)] == before and len(after) == len(set(after)) == 12
    assert f"{len(before)} of 12 runs are finished already" in capsys.readouterr().err
    assert run(*options, "--out", tmp_path / "straight.json") == 0
    assert untimed(rows_of(out)) == untimed(rows_of(tmp_path / "straight.json"))


def test_a_process_that_starts_when_its_sweep_is_gone_ends_by_itself():
    script = (
        "import sys, time; from embedding_lab.sweep import _start_process; _start_process(int(sys.argv[1])); time.sleep(60)"
    )
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert subprocess.run([sys.executable, "-c", script, str(gone.pid)], timeout=30).returncode == 1


def test_ctrl_c_is_one_line_and_finished_runs_are_kept(held, tmp_path):
    options, _ = held
    out = tmp_path / "a.csv"
    stopped = start(*options, "--out", out)
    # Both processes: one that is only starting would tell of it in its own words.
    wait_until(lambda: stopped.poll() is not None or len([*tmp_path.glob("*.waits")]) == 2)
    os.killpg(stopped.pid, signal.SIGINT)  # as a terminal does: to the sweep and all that it started
    _, told = stopped.communicate(timeout=60)
    assert stopped.returncode == 130 and "Traceback" not in told
    kept = len(journalled(out))
    last = told.replace("\r", "\n").strip().splitlines()[-1]
    assert last.startswith(f"embedding_lab: interrupted; {kept} of 12 finished runs are kept in {out}.journal: ")
    assert not out.exists()


def test_a_process_that_is_ended_from_outside_ends_the_sweep_in_one_line(held, tmp_path):
    options, release = held
    out = tmp_path / "a.json"
    sweeping = start(*options, "--out", out)
    wait_until(lambda: sweeping.poll() is not None or journalled(out))
    for child in psutil.Process(sweeping.pid).children():
        if "resource_tracker" not in " ".join(child.cmdline()):
            child.kill()
            break
    _, told = sweeping.communicate(timeout=60)
    assert sweeping.returncode == 1 and "embedding_lab: A process that trained was ended from outside" in told
    release()
    assert run(*options, "--out", out) == 0 and len(rows_of(out)) == 12


def test_the_same_command_again_trains_nothing_and_more_seeds_train_the_new_ones(text, tmp_path, monkeypatch):
    trained = []
    train = sweep.train
    monkeypatch.setattr(sweep, "train", lambda task, corpus: trained.append(task.config.seed) or train(task, corpus))
    options = ["--encodings", "none", *SMALL, "--corpus", text, "--jobs", "1", "--out", tmp_path / "a.json"]
    run(*options, "--seeds", "1,2")
    run(*options, "--seeds", "1,2")
    run(*options, "--seeds", "0-3")
    assert trained == [1, 2, 0, 3]
    assert [row["seed"] for row in rows_of(tmp_path / "a.json")] == [0, 1, 2, 3]
    Path(text).write_text("Another text altogether, however short. " * 50)
    run(*options, "--seeds", "0")
    assert trained == [1, 2, 0, 3, 0] and len(rows_of(tmp_path / "a.json")) == 1


@pytest.mark.parametrize("torn", [b'{"key": "c", "row": {"seed"', b"{", b"\xff\xfe", b'{"key": "c", "row": {}}'])
def test_a_torn_last_line_is_ignored_and_the_next_one_is_whole(tmp_path, torn):
    path = tmp_path / "journal"
    one, two, three = (dict.fromkeys(columns(), at) for at in range(3))
    with Journal(path) as journal:
        journal.add("a", one)
        journal.add("b", two)
    path.write_bytes(path.read_bytes() + torn)
    with Journal(path) as journal:
        assert journal.rows == {"a": one, "b": two}
        journal.add("c", three)
    with Journal(path) as journal:
        assert journal.rows == {"a": one, "b": two, "c": three}


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: b"\x00\x00\x00",
        lambda line: b"[]",
        lambda line: b'"row"',
        lambda line: json.dumps({"key": line["key"]}).encode(),
        lambda line: json.dumps({**line, "key": ["x"]}).encode(),
        *(lambda line, row=row: json.dumps({**line, "row": row}).encode() for row in ({}, 5, None, [], "row", {"seed": 1})),
        lambda line: json.dumps({**line, "row": {**line["row"], "more": 1}}).encode(),
    ],
)
def test_a_damaged_line_is_a_run_to_train_again(text, tmp_path, damage):
    out = tmp_path / "a.json"
    options = ["--encodings", "none", "--seeds", "1-3", *SMALL, "--corpus", text, "--jobs", "1", "--out", out]
    assert run(*options) == 0
    before, path = rows_of(out), out.with_name("a.json.journal")
    first, second, third = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([first, damage(json.loads(second)), third, b""]))
    assert run(*options) == 0
    after = rows_of(out)
    assert (after[0], after[2]) == (before[0], before[2]) and untimed(after) == untimed(before)
    assert len(path.read_bytes().splitlines()) == 4  # the one that was trained again is the last


def test_two_sweeps_do_not_write_to_one_file(text, tmp_path):
    with Journal(tmp_path / "a.json.journal"):
        told = run("--encodings", "none", *SMALL, "--corpus", text, "--jobs", "1", "--out", tmp_path / "a.json")
    assert "a.json.journal is in use by another sweep" in told


def test_a_file_that_cannot_be_written_whole_stays_as_it_was(tmp_path, monkeypatch):
    out = tmp_path / "a.json"
    out.write_text("what was there")

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        results.write(out, [], {})
    assert out.read_text() == "what was there" and list(tmp_path.iterdir()) == [out]


def test_the_progress_bar_counts_runs_and_those_of_before(text, tmp_path):
    options = ["--encodings", "none,rope", *SMALL, "--corpus", text, "--jobs", "1", "--out", tmp_path / "a.json"]
    _, told = start(*options, "--seeds", "1").communicate(timeout=60)
    assert "sweep: 100%" in told and " 0/2 " in told and " 2/2 " in told
    _, told = start(*options, "--seeds", "1,2").communicate(timeout=60)
    assert "2 of 4 runs are finished already" in told and " 2/4 " in told and " 4/4 " in told and " 0/4 " not in told


# ------------------------------------------------------------------------------------ on a cluster


ON_THE_CLUSTER = ["--encodings", "none,rope", "--seeds", "1-6", *SMALL]  # 12 runs

# What the first worker loads: it never ends the first run that it is given, so that no sweep ends while it is there.
NEVER_ENDS = """
import time
from pathlib import Path
from embedding_lab import sweep
def train(task, corpus):
    Path("begun").touch()
    time.sleep(3600)
sweep.train = train
"""


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers, each a process of its own: the address, the workers and the scheduler."""
    (tmp_path / "never_ends.py").write_text(NEVER_ENDS)
    started, file = [], tmp_path / "scheduler.json"

    def launch(kind, *options):
        command = [
            sys.executable,
            "-m",
            f"distributed.cli.dask_{kind}",
            "--scheduler-file",
            str(file),
            "--no-dashboard",
            *options,
        ]
        with (tmp_path / f"{kind}{len(started)}.log").open("w") as log:
            started.append(subprocess.Popen(command, stdout=log, stderr=log, cwd=tmp_path))
        return started[-1]

    try:
        launch("scheduler", "--host", "127.0.0.1", "--port", "0")
        address = wait_until(
            lambda: file.exists() and file.read_text().endswith("}") and json.loads(file.read_text())["address"]
        )
        options = ["--no-nanny", "--nthreads", "1", "--host", "127.0.0.1", "--local-directory", str(tmp_path)]
        workers = [launch("worker", *options, "--preload", str(tmp_path / "never_ends.py")), launch("worker", *options)]
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)  # else the quicker one might train everything
        yield address, workers, started[0]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def test_a_cluster_that_is_gone_ends_the_sweep_in_one_line(text, tmp_path, cluster):
    address, _, scheduler = cluster
    out = tmp_path / "a.json"
    sweeping = start(*ON_THE_CLUSTER, "--corpus", text, "--dask", address, "--out", out)
    wait_until(lambda: sweeping.poll() is not None or journalled(out))
    scheduler.kill()
    _, told = sweeping.communicate(timeout=120)
    last = told.replace("\r", "\n").strip().splitlines()[-1]
    assert sweeping.returncode == 1 and "Traceback" not in told and not out.exists()
    assert last.startswith(
        f"embedding_lab: The cluster at {address} is gone or has cancelled the sweep; finished runs are kept in"
    )


def test_a_cluster_that_loses_a_worker_trains_every_run_once(text, tmp_path, cluster):
    address, workers, _ = cluster
    out = tmp_path / "a.json"
    sweeping = start(*ON_THE_CLUSTER, "--corpus", text, "--dask", address, "--out", out)
    wait_until(lambda: sweeping.poll() is not None or ((tmp_path / "begun").exists() and len(journalled(out)) >= 3))
    workers[0].kill()
    assert len(journalled(out)) < 12
    _, told = sweeping.communicate(timeout=120)
    assert sweeping.returncode == 0, told
    assert len(journalled(out)) == len(set(journalled(out))) == 12
    assert run(*ON_THE_CLUSTER, "--corpus", text, "--jobs", "1", "--out", tmp_path / "straight.json") == 0
    assert untimed(rows_of(out)) == untimed(rows_of(tmp_path / "straight.json"))
