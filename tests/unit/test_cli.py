"""The command line as its user runs it: a result, one JSON object, or one line that says what is wrong."""

import json
import math
import os
import signal
import subprocess
import sys
import time
import zipfile

import pytest

import build
from embedding_lab import checkpoint, cli, memory, run_files
from embedding_lab.config import RunConfig, settings_table
from embedding_lab.positions import ENCODINGS
from embedding_lab.probes import PROBES
from embedding_lab.training import Run
from tests import texts

CORPORA = build.CORPORA
SMALL = ["--d", "8", "--heads", "2", "--context", "8", "--batch", "4", "--steps", "20"]


def lab(*arguments):
    return subprocess.run([sys.executable, "-m", "embedding_lab", *arguments], capture_output=True, text=True, timeout=120)


def train(*arguments):
    return lab("train", "--corpora", str(CORPORA), *SMALL, *arguments)


def test_json_is_one_object_with_the_fields_of_a_run():
    done = train("--encoding", "learned", "--seed", "3", "--json")
    assert done.returncode == 0 and done.stderr == ""
    result = json.loads(done.stdout)
    assert result["encoding"] == "learned" and result["seed"] == 3 and result["state"] == "finished"
    assert len(result["losses"]["train"]) == 20
    assert result["losses"]["validation"][-1] == [20, result["validationLoss"]]
    assert result["validationLoss"] < result["losses"]["validation"][0][1]
    assert result["config"]["d"] == 8 and result["config"]["lr"] == RunConfig().lr
    assert result["parameters"] > 0 and result["stepsPerSecond"] > 0


def test_without_json_there_is_a_progress_bar_and_a_sentence():
    done = train("--encoding", "rope")
    assert done.returncode == 0
    assert "20/20" in done.stderr
    assert "rope, seed 1: " in done.stdout and "nats per character" in done.stdout and "bigram 2.451" in done.stdout


def test_a_text_file_can_be_the_corpus(tmp_path):
    (tmp_path / "mine.txt").write_text("\ufeffHello, world. " * 100, "utf-8")
    result = json.loads(train("--corpus", str(tmp_path / "mine.txt"), "--json").stdout)
    assert result["config"]["corpus"] == "own"
    assert result["baselines"]["uniform"] < 3


def test_what_was_changed_in_a_text_file_is_told_beside_the_result(tmp_path):
    (tmp_path / "old.txt").write_bytes("Le café – là.\r\n".encode("cp1252") * 100)
    done = train("--corpus", str(tmp_path / "old.txt"), "--json")
    assert done.stderr.count("\n") == 1 and "old.txt: The file is not UTF-8 (its byte 6 cannot be)" in done.stderr
    assert json.loads(done.stdout)["baselines"]["uniform"] == pytest.approx(math.log(len(set("Le café – là.\n"))))
    (tmp_path / "many.txt").write_text(texts.many_characters(distinct=1000), "utf-8")
    for command in (("train",), ("sweep", "--out", str(tmp_path / "results.json"), "--encoding", "none")):
        done = lab(*command, "--corpora", str(CORPORA), *SMALL, "--corpus", str(tmp_path / "many.txt"))
        assert done.returncode == 0, done.stderr
        assert "has 1,000 distinct characters, and the lab learns 256 at most: the 745 rarest" in done.stderr


def test_a_run_on_rare_characters_is_saved_and_goes_on(tmp_path):
    text = texts.many_characters(distinct=1000)
    (tmp_path / "many.txt").write_text(text, "utf-8")
    done = lab("export", "--corpora", str(CORPORA), *SMALL, "--corpus", str(tmp_path / "many.txt"), "--at", "10",
               "--out", str(tmp_path / "half.zip"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    whole = json.loads(train("--corpus", str(tmp_path / "many.txt"), "--json").stdout)
    on = json.loads(lab("train", "--from", str(tmp_path / "half.zip"), "--json").stdout)
    assert on["losses"] == whole["losses"]


def test_an_encoding_can_come_from_a_file(tmp_path):
    (tmp_path / "count.py").write_text(
        "import numpy as np\n"
        "class Count:\n"
        "    name = 'count'\n"
        "    def table(self, length, d): return np.tile(np.arange(length)[:, None] / 100, (1, d))\n"
        "    def rotation(self, length, head_dim): return None\n"
        "    def bias(self, length, heads): return None\n"
    )
    result = json.loads(train("--encoding", str(tmp_path / "count.py"), "--json").stdout)
    assert result["encoding"] == result["config"]["encoding"] == "own:count"
    assert result["losses"]["train"] != json.loads(train("--encoding", "none", "--json").stdout)["losses"]["train"]
    for name in ("count.PY", "count"):  # a file all the same
        (tmp_path / "count.py").rename(tmp_path / name)
        found = json.loads(train("--encoding", str(tmp_path / name), "--json").stdout)
        assert found["losses"] == result["losses"]
        (tmp_path / name).rename(tmp_path / "count.py")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--heads", "3"], "heads = 3 does not divide d = 8: choose heads from 1, 2, 4, 8."),
        (["--steps", "many"], "steps = many is not a whole number: choose one from 1 to 20000."),
        (["--encoding", "rotary"], f"encoding = rotary is unknown: choose {', '.join(ENCODINGS)} or a Python file, FILE.py."),
        (["--encoding", "nowhere.py"], "nowhere.py: there is no such file"),
        (
            ["--encoding", "own:mine"],
            "own:mine is the name of a reader's own encoding: give the file of its code, --encoding FILE.py",
        ),
        (["--corpus", "nowhere"], "corpus = nowhere is neither alice29, asyoulik, plrabn12 nor a text file"),
        (["--corpus", "own"], "corpus = own is neither"),
        (["--corpora", "/nonexistent"], "is missing: run `python build.py build` once"),
    ],
)
def test_what_is_wrong_is_one_line(arguments, message):
    done = train(*arguments)
    assert done.returncode == 1 and done.stdout == ""
    assert message in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "content, message",
    [
        (b"\xff\xfe\0\xd8a\0", "bad.txt: The file begins as UTF-16 does, but its byte 2 cannot be"),
        (b"%PDF-1.7 " * 100, "bad.txt: This is no text but a PDF document: choose a text file"),
        (b"", "The text is empty"),
        (b"aaaa", "one distinct"),
        (b"ab", "at least 90"),
    ],
)
def test_unusable_text_files_are_one_line(tmp_path, content, message):
    (tmp_path / "bad.txt").write_bytes(content)
    done = train("--corpus", str(tmp_path / "bad.txt"))
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1


def test_a_file_that_defines_no_encoding_says_what_it_must_define(tmp_path):
    (tmp_path / "empty.py").write_text("x = 1\n")
    done = train("--encoding", str(tmp_path / "empty.py"))
    assert done.returncode == 1 and "one class with the methods table, rotation, bias; it defines none" in done.stderr


def test_what_the_code_of_an_encoding_prints_and_raises_is_told_with_its_line(tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(
        "from embedding_lab.positions import PositionalEncoding\nprint('begins')\nclass Wrong(PositionalEncoding):\n    def table(self, length, d):\n        return 1 / 0\n"
    )
    done = train("--encoding", str(file), "--json")
    assert done.returncode == 1 and done.stdout == ""
    begins, *trace, last = done.stderr.splitlines()
    assert begins == "begins" and trace[0] == "Traceback (most recent call last):" and "return 1 / 0" in trace[2]
    assert last == "embedding_lab: table raised ZeroDivisionError in line 5: division by zero"
    file.write_text(file.read_text().replace("1 / 0", "None"))
    done = train("--encoding", str(file), "--json")
    assert done.returncode == 0 and done.stderr == "begins\n" and json.loads(done.stdout)["encoding"] == "own:wrong"
    file.write_bytes(b"\xff\xfe")
    assert "is not UTF-8 text" in train("--encoding", str(file)).stderr


WAITS = """
import time
from pathlib import Path
import numpy as np
from embedding_lab.positions import PositionalEncoding, Trainable
class Waits(PositionalEncoding):
    calls = 0
    def table(self, length, d):
        return Trainable(np.zeros((length, d)), value=self.value, gradient=lambda a, dvalue: dvalue)
    def value(self, a):
        self.calls += 1
        if self.calls > 60:
            Path(__file__).with_name("waits").touch()
            time.sleep(60)
        return a
"""


@pytest.mark.parametrize("command", [["train"], ["sweep", "--jobs", "1", "--out", "a.json"]], ids=["train", "sweep"])
def test_ctrl_c_in_the_code_of_an_encoding_ends_the_command(tmp_path, command):
    (tmp_path / "waits.py").write_text(WAITS)
    (tmp_path / "text.txt").write_text("The quick brown Fox 9 jumps over the lazy dog. " * 40)
    options = [*SMALL, "--steps", "200", "--encoding", "waits.py", "--corpus", "text.txt"]
    command = [sys.executable, "-m", "embedding_lab", *command, *options]
    stopped = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while stopped.poll() is None and not (tmp_path / "waits").exists() and time.monotonic() < until:
        time.sleep(0.05)
    stopped.send_signal(signal.SIGINT)
    _, told = stopped.communicate(timeout=60)
    assert stopped.returncode == 130 and "Traceback" not in told
    assert not (tmp_path / "a.json").exists()
    journal = tmp_path / "a.json.journal"
    assert not journal.exists() or not journal.read_bytes()


def test_a_run_that_diverges_exits_with_its_message():
    done = lab("train", "--corpora", str(CORPORA), "--lr", "1", "--encoding", "none", "--steps", "400")
    assert done.returncode == 1 and "Diverged at step" in done.stderr
    done = train("--lr", "1", "--init-std", "1", "--steps", "200", "--encoding", "none", "--json")
    result = json.loads(done.stdout, parse_constant=pytest.fail)
    assert done.returncode == int(result["state"] == "diverged")


def probe(name, *arguments):
    return lab("probe", name, "--corpora", str(CORPORA), *SMALL, *arguments)


def test_the_list_of_probes_has_a_title_for_each():
    done = lab("probe", "--list")
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(PROBES)
    assert all(len(line.split()) > 2 for line in done.stdout.splitlines())
    done = lab("probe")
    assert done.returncode == 1 and "probe takes a name: choose lookup, sparse-gradient" in done.stderr


def test_a_probe_trains_its_run_and_prints_one_object():
    done = probe("lookup", "--encoding", "rope", "--text", "Alice", "--json")
    assert done.returncode == 0 and done.stderr == ""
    answer = json.loads(done.stdout, parse_constant=pytest.fail)
    assert set(answer) == {"probe", "which", "step", "state", "message", "encoding", "config", "result"}
    assert (answer["probe"], answer["which"], answer["step"], answer["encoding"]) == ("lookup", "trained", 20, "rope")
    assert answer["config"]["d"] == 8 and answer["result"]["largestDifference"] == 0
    untrained = json.loads(probe("lookup", "--text", "Alice", "--untrained", "--json").stdout)
    assert (untrained["which"], untrained["step"]) == ("untrained", 0)
    assert untrained["result"]["rows"] != answer["result"]["rows"]


def test_a_probe_that_needs_no_model_trains_none():
    done = probe("merges", "--count", "5", "--characters", "5000", "--json")
    answer = json.loads(done.stdout)
    assert (answer["which"], answer["step"]) == ("untrained", 0) and answer["result"]["merges"] == 5
    done = probe("width", "--widths", "8,16", "--seeds", "1", "--updates", "3", "--json")
    assert [row["d"] for row in json.loads(done.stdout)["result"]["widths"]] == [8, 16]


def test_without_json_a_probe_shows_its_progress_and_lines():
    done = probe("generate", "--length", "5")
    assert done.returncode == 0 and "20/20" in done.stderr and "100%" in done.stderr
    assert done.stdout.startswith("Let it write (generate, learned, trained, step 20)\n")
    assert "temperature: 0.8\n" in done.stdout
    done = probe("residual-stream", "--untrained")
    assert "depths[0].values: 8 x 8 numbers; --json prints them" in done.stdout


@pytest.mark.parametrize(
    "name, arguments, message",
    [
        ("generate", ["--length", "0"], "length = 0 is out of range: choose a whole number from 1 to 500."),
        ("order", ["--second", "cat"], "give the same characters in another order"),
        ("lookup", ["--heads", "3"], "heads = 3 does not divide d = 8"),
    ],
)
def test_what_is_wrong_with_a_probe_is_one_line(name, arguments, message):
    done = probe(name, "--json", *arguments)
    assert done.returncode == 1 and done.stdout == "" and message in done.stderr and done.stderr.count("\n") == 1


def test_a_probe_of_a_run_that_diverged_says_so():
    settings = ["--encoding", "none", "--lr", "1", "--init-std", "1", "--batch", "4", "--steps", "120"]
    done = lab("probe", "lookup", "--corpora", str(CORPORA), *settings, "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 1 and answer["state"] == "diverged" and "Lower the learning rate" in answer["message"]
    said = lab("probe", "lookup", "--corpora", str(CORPORA), *settings)
    assert said.returncode == 1 and said.stdout and said.stderr.endswith(f"\nembedding_lab: {answer['message']}\n")


def test_describe_is_what_the_page_is_built_from():
    description = json.loads(lab("describe", "--corpora", str(CORPORA)).stdout)
    assert description["settings"] == settings_table()
    assert [row["name"] for row in description["probes"]] == list(PROBES)
    assert {"name", "title", "claims", "arguments", "needsModel"} == set(description["probes"][0])
    assert [corpus["name"] for corpus in description["corpora"]] == ["alice29", "asyoulik", "plrabn12"]
    assert description["corpora"][0]["vocabulary"] == 73
    assert description["corpora"][0]["baselines"]["bigram"] == pytest.approx(2.451, abs=1e-3)
    assert description["largestFile"] == checkpoint.LARGEST_FILE
    assert description["largestText"] == memory.LARGEST_FILE
    assert [each["encoding"] for each in description["measured"]["encodings"]] == list(ENCODINGS)
    opened_by = {name: set(titles) for name, titles in description["architectures"].items()}
    known = {"rope": {"GPT-NeoX"}, "alibi": {"Bloom", None}}
    for name, encoding in ENCODINGS.items():
        others = {"GPT-2"} if set(encoding.supplies()) <= {"table"} else {None}
        assert opened_by[name] == known.get(name, others), name
    bloom = [heads for heads, title in enumerate(description["architectures"]["alibi"], 1) if title]
    assert bloom == [1, 2, 4, 8]  # heads from 1 to 8
    points = description["startingPoints"]
    assert len(points) == 9 and all(set(point) == {"file", "name", "title", "teaches", "code"} for point in points)
    assert description["measured"]["command"].startswith("python -m embedding_lab sweep ")


def export(*arguments):
    return lab("export", "--corpora", str(CORPORA), *SMALL, *arguments)


def test_export_writes_a_folder_or_a_zip_that_hold_the_same(tmp_path):
    done = export("--encoding", "sinusoidal", "--seed", "2", "--out", str(tmp_path / "new" / "folder"))
    assert done.returncode == 0 and done.stdout.endswith("folder: sinusoidal, seed 2, after 20 of 20 steps.\n")
    folder = tmp_path / "new" / "folder"
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["GPT2LMHeadModel"]
    assert (folder / "README.md").read_text().startswith("# sinusoidal, seed 2\n")
    export("--encoding", "sinusoidal", "--seed", "2", "--out", str(tmp_path / "run.zip"))
    with zipfile.ZipFile(tmp_path / "run.zip") as archive:
        for name in archive.namelist():
            if "run.json" not in name:  # it says how many seconds the run took
                assert archive.read(name) == (folder / name).read_bytes(), name


def test_a_run_that_was_stopped_goes_on_to_the_same_end(tmp_path):
    straight = json.loads(train("--encoding", "rope", "--json").stdout)
    for place in ("half.zip", "half"):
        done = export("--encoding", "rope", "--at", "10", "--out", str(tmp_path / place))
        assert done.stdout.endswith("rope, seed 1, after 10 of 20 steps.\n")
        saved = str(tmp_path / place)
        done = lab("train", "--corpora", str(CORPORA), "--from", saved, "--json", "--save", str(tmp_path / "end.zip"))
        result = json.loads(done.stdout)
        assert result["losses"] == straight["losses"] and result["config"] == straight["config"]
    again = json.loads(lab("train", "--corpora", str(CORPORA), "--from", str(tmp_path / "end.zip"), "--json").stdout)
    assert again["losses"] == straight["losses"] and again["seconds"] == result["seconds"]


def test_a_run_of_a_text_of_its_own_takes_it_along(tmp_path):
    (tmp_path / "mine.txt").write_text("Hello, world. " * 100, "utf-8")
    export("--corpus", str(tmp_path / "mine.txt"), "--at", "10", "--out", str(tmp_path / "half.zip"))
    (tmp_path / "mine.txt").unlink()
    done = lab("train", "--from", str(tmp_path / "half.zip"), "--json")
    assert json.loads(done.stdout)["state"] == "finished"


def test_an_encoding_from_a_file_is_exported_and_opened_again_with_leave_alone(tmp_path):
    code = (
        "import numpy as np\n"
        f"open({str(tmp_path / 'trace')!r}, 'a').write('ran')\n"
        "class Ramp:\n"
        "    def table(self, length, d): return np.tile(np.arange(length)[:, None] / 100, (1, d))\n"
        "    def rotation(self, length, head_dim): return None\n"
        "    def bias(self, length, heads): return None\n"
    )
    (tmp_path / "ramp.py").write_text(code)
    arguments = ["--encoding", str(tmp_path / "ramp.py")]
    assert export(*arguments, "--at", "10", "--out", str(tmp_path / "ramp")).returncode == 0
    config = json.loads((tmp_path / "ramp" / "config.json").read_text())
    assert (config["model_type"], config["n_positions"]) == ("gpt2", 1024)
    (tmp_path / "ramp.py").unlink()
    (tmp_path / "trace").unlink()
    again = ["train", "--corpora", str(CORPORA), "--from", str(tmp_path / "ramp")]
    done = lab(*again)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert f"ramp has a positional encoding of its own, ramp: {len(code)} characters of Python in its" in done.stderr
    assert "give --run-code to let them run" in done.stderr
    assert not (tmp_path / "trace").exists()
    result = json.loads(lab(*again, "--run-code", "--json", "--save", str(tmp_path / "end.zip")).stdout)
    (tmp_path / "ramp.py").write_text(code)
    straight = json.loads(train(*arguments, "--json").stdout)
    assert result["losses"] == straight["losses"] and result["config"] == straight["config"]
    assert result["config"]["encoding"] == "own:ramp"
    done = lab("train", "--run-code", "--steps", "1")
    assert done.returncode == 1 and "--run-code goes with --from" in done.stderr


def test_what_export_and_from_refuse_is_one_line(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("years of work")
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder.zip").mkdir()
    for arguments, message in [
        (["--out", str(tmp_path / "full")], "full holds other files, such as thesis.tex: choose an empty folder"),
        (["--out", str(tmp_path / "file")], "file is a file: choose a folder, or a name that ends in .zip."),
        (["--out", str(tmp_path / "folder.zip")], "folder.zip is a folder: choose another name for the zip."),
        (["--out", str(tmp_path / "no" / "a.zip")], "no is not a folder: make it first."),
        (["--out", str(tmp_path / "new"), "--at", "21"], "at = 21 is out of range: choose a whole number from 0 to 20."),
    ]:
        done = export(*arguments)
        assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert [entry.name for entry in (tmp_path / "full").iterdir()] == ["thesis.tex"] and not (tmp_path / "new").exists()
    with (tmp_path / "large.zip").open("wb") as file:
        file.truncate(200_000_000)
    for arguments, message in [
        (["--from", str(tmp_path / "large.zip")], "The file has 200,000,000 bytes; a saved run has at most"),
        (["--from", str(tmp_path / "file")], "not a saved run but another kind of file, which begins with x"),
        (["--from", str(tmp_path / "nowhere.zip")], "No such file"),
        (["--from", str(tmp_path / "full")], "This holds no saved run"),
        (["--from", str(tmp_path / "file"), "--d", "48", "--lr", "0.1"], "takes all settings from"),
        (["--from", str(tmp_path / "file"), "--d", "48", "--lr", "0.1"], "leave out --d, --lr."),
        (["--save", str(tmp_path / "full")], "full holds other files"),
    ]:
        done = lab("train", "--corpora", str(CORPORA), *arguments)
        assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize(
    "there, place, message",
    [
        (
            ["README.md", "config.json", "model.safetensors"],
            "there",
            "there holds (README.md|config.json|model.safetensors) but no saved run of the lab",
        ),
        (["embedding-lab/text.txt"], "there", "there holds embedding-lab/text.txt but no saved run of the lab"),
        ([*checkpoint.FILES, "data/1.csv"], "there", "there holds other files, such as data/1.csv: choose an empty folder"),
        (["album/1.jpg"], "there.zip", "there.zip is there already, and no saved run of the lab: choose another name"),
        ([], "there.zip", "there.zip is there already, and no saved run of the lab: choose another name"),
        (None, "there.zip", "there.zip is there already, and no saved run of the lab: choose another name"),
    ],
)
def test_what_is_no_run_is_not_overwritten(tmp_path, there, place, message):
    path = tmp_path / place
    if there is None:
        path.write_bytes(b"no zip at all")
    elif path.suffix:
        path.write_bytes(checkpoint.pack(dict.fromkeys(there, b"mine")))
    else:
        for name in there:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text("mine")
    with pytest.raises(checkpoint.CheckpointError, match=message):
        run_files.check_place(path)


def test_what_a_system_adds_to_a_folder_is_let_pass(tmp_path):
    for name in (*checkpoint.FILES, ".DS_Store", "embedding-lab/Thumbs.db"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    run_files.check_place(tmp_path)
    (tmp_path / "empty" / "folders").mkdir(parents=True)
    run_files.check_place(tmp_path / "empty")


def test_a_folder_of_others_is_not_read_to_its_end(tmp_path):
    (tmp_path / "a").touch()
    for at in range(50):
        (tmp_path / f"{at}").mkdir()
    looked = []
    walk = os.scandir
    with pytest.MonkeyPatch.context() as patch, pytest.raises(checkpoint.CheckpointError, match="such as a: "):
        patch.setattr(os, "scandir", lambda path: looked.append(path) or walk(path))
        run_files.check_place(tmp_path)
    assert len(looked) <= 1


@pytest.mark.parametrize("place", ["run.zip", "run"])
def test_a_run_that_cannot_be_written_leaves_the_one_that_is_there(tmp_path, alice, monkeypatch, place):
    path = tmp_path / place
    run = Run(RunConfig(**{name.strip("-"): int(value) for name, value in zip(SMALL[::2], SMALL[1::2], strict=True)}), alice)
    run_files.write(run, path)
    before = contents_of(tmp_path)
    run.advance(0)
    fsync, written = os.fsync, []

    def full(file):
        written.append(file)
        if len(written) == (1 if path.suffix else 4):
            raise OSError("No space left on device")
        fsync(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            run_files.write(run, path)
    assert contents_of(tmp_path) == before
    run_files.write(run, path)
    assert run_files.open_run(path, lambda name: alice.text).step == 1


def test_a_folder_is_a_run_only_once_it_is_whole(tmp_path, alice, monkeypatch):
    """Whatever ends the lab while it puts the files in their places."""
    run = Run(RunConfig(steps=20), alice)
    run_files.write(run, tmp_path / "run")
    run.advance(0)
    replace = os.replace
    for most in range(len(checkpoint.files(run, "x"))):
        placed = []

        def ended(part, path, placed=placed, most=most):
            if len(placed) == most:
                raise KeyboardInterrupt
            placed.append(path)
            replace(part, path)

        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(os, "replace", ended)
            run_files.write(run, tmp_path / "run")
        with pytest.raises(checkpoint.CheckpointError):
            checkpoint.read_folder(tmp_path / "run")
    run_files.write(run, tmp_path / "run")
    assert checkpoint.read_folder(tmp_path / "run").saved.step == 1


@pytest.mark.parametrize("command", [["train", "--save"], ["export", "--out"]])
def test_a_text_that_cannot_be_saved_is_told_before_anything_trains(tmp_path, monkeypatch, command):
    (tmp_path / "mine.txt").write_text("Hello, world. " * 100, "utf-8")
    monkeypatch.setattr("embedding_lab.checkpoint.saving.LARGEST_TEXT", 100)
    monkeypatch.setattr(Run, "advance", lambda *_: pytest.fail("It trains."))
    name, option = command
    with pytest.raises(SystemExit) as end:
        cli.main([name, *SMALL, "--corpus", str(tmp_path / "mine.txt"), option, str(tmp_path / "run.zip")])
    assert "The text has 1,400 bytes; a saved run holds at most 100" in end.value.code


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_result_that_cannot_be_saved_is_printed_all_the_same(tmp_path, monkeypatch, capsys, options):
    (tmp_path / "mine.txt").write_text("Hello, world. " * 100, "utf-8")

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SystemExit) as end:
        cli.main(["train", *SMALL, "--corpus", str(tmp_path / "mine.txt"), "--save", str(tmp_path / "run.zip"), *options])
    printed = capsys.readouterr().out
    assert end.value.code == "embedding_lab: No space left on device"
    assert json.loads(printed)["state"] == "finished" if options else "after 20 steps" in printed


def contents_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_exporting_again_replaces_what_was_exported(tmp_path):
    (tmp_path / "mine.txt").write_text("Hello, world. " * 100, "utf-8")
    out = ["--out", str(tmp_path / "run")]
    export("--corpus", str(tmp_path / "mine.txt"), *out)
    assert (tmp_path / "run" / "embedding-lab" / "text.txt").is_file()
    assert export("--encoding", "none", *out).returncode == 0
    assert not (tmp_path / "run" / "embedding-lab" / "text.txt").exists()


def test_a_text_that_changed_since_is_told(tmp_path):
    export("--at", "10", "--out", str(tmp_path / "half.zip"))
    (tmp_path / "alice29.txt").write_text("Another Alice. " * 500)
    done = lab("train", "--corpora", str(tmp_path), "--from", str(tmp_path / "half.zip"))
    assert done.returncode == 1 and "alice29 here is not the one that this run trained on" in done.stderr
