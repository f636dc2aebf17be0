"""A run with a reader's own encoding is saved with its code, which runs only where whoever opens the run says so."""

import io
import json
import re
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embedding_lab import checkpoint, own_encoding, run_files, worker
from embedding_lab.checkpoint import contents, layouts, opening, tensors
from embedding_lab.config import RunConfig
from embedding_lab.corpus import Corpus
from embedding_lab.own_encoding import OwnEncodingError
from embedding_lab.training import Run

SMALL = {"d": 8, "heads": 2, "context": 8, "batch": 4, "steps": 20, "corpus": "own"}
TEXT = "The quick brown Fox 9 jumps over the lazy d\u00f6g.\n" * 5
RUN, CODE = contents.RUN, contents.CODE
HEAD = """# \u03b1\u03b2\u03b3 \u0639 \U0001f600 <script>alert("x")</script>\r
import numpy as np
from embedding_lab.positions import PositionalEncoding, Trainable


class Own(PositionalEncoding):
    name = "in the class"

"""
METHODS = {
    "a fixed table": """
    def table(self, length, d):
        return np.tile(np.arange(length)[:, None] / 100, (1, d))
""",
    "a trained table": """
    def table(self, length, d):
        return Trainable(np.zeros((length, d)), noise=0.02)
""",
    "a table that is computed": """
    def table(self, length, d):
        place = np.arange(length)[:, None]
        return Trainable(np.full(d, 0.01), value=lambda a: place * a, gradient=lambda a, dvalue: (place * dvalue).sum(axis=0))
""",
    "a fixed bias": """
    def bias(self, length, heads):
        place = np.arange(length)
        return -np.abs(place[:, None] - place)[None] * np.linspace(0.1, 1, heads)[:, None, None]
""",
    "a trained bias": """
    def bias(self, length, heads):
        return Trainable(np.zeros((heads, length, length)), noise=0.1)
""",
    "a bias that is computed": """
    def bias(self, length, heads):
        place = np.arange(length)
        bucket = np.clip(place[:, None] - place, 0, 3)
        def gradient(a, dvalue):
            return np.stack([np.bincount(bucket.ravel(), each.ravel(), 4) for each in dvalue])
        return Trainable(np.zeros((heads, 4)), noise=0.1, value=lambda a: a[:, bucket], gradient=gradient)
""",
    "a rotation": """
    def rotation(self, length, head_dim):
        angle = np.arange(length)[:, None] * np.linspace(1, 0.5, head_dim // 2)
        return np.cos(angle), np.sin(angle)
""",
    "a rotation of the first pair alone": """
    def rotation(self, length, head_dim):
        angle = np.arange(length)[:, None] * (np.arange(head_dim // 2) == 0)
        return np.cos(angle), np.sin(angle)
""",
    "a rotation of no pair": """
    def rotation(self, length, head_dim):
        return np.ones((length, head_dim // 2)), np.zeros((length, head_dim // 2))
""",
    "a trained table and a rotation": """
    def table(self, length, d):
        return Trainable(np.zeros((length, d)), noise=0.02)

    def rotation(self, length, head_dim):
        angle = np.arange(length)[:, None] * np.ones(head_dim // 2)
        return np.cos(angle), np.sin(angle)
""",
    "nothing": """
    pass
""",
}


def made(methods, name="binary counter", steps=12):
    """A run with an encoding of such methods, trained so far; methods with a class of their own stand alone."""
    code = methods if "class" in methods else HEAD + methods
    run = Run(RunConfig(**SMALL, encoding=f"own:{name}"), Corpus.from_text(TEXT), own_encoding.load(code))
    while run.step < steps:
        run.advance(0)
    return run


@pytest.fixture(scope="module")
def files():
    return checkpoint.files(made(METHODS["a fixed table"]), "x")


@pytest.fixture(scope="module")
def valid(files):
    return lambda: files  # short where Hypothesis prints what a test was given


def changed(files, path=None, content=None, **about):
    """The zip with other values in run.json, ... taking one away, or with another file."""
    values = {**json.loads(files[RUN]), **about}
    values = {name: value for name, value in values.items() if value is not ...}
    return checkpoint.pack({**files, RUN: json.dumps(values).encode(), **({path: content} if path else {})})


def refused(data, message):
    """Nothing of its code runs, whether it may or not."""
    ran = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(own_encoding, "load", lambda *given: ran.append(given))
        for run_code in (False, True):
            with pytest.raises(checkpoint.CheckpointError, match=message) as told:
                checkpoint.read(data, run_code)
            assert not isinstance(told.value, checkpoint.ConsentError)
    assert not ran


# ------------------------------------------------------------------------------------ as it was


@pytest.mark.parametrize("methods", METHODS.values(), ids=METHODS)
def test_a_zip_on_the_way_leads_where_training_straight_through_does(methods):
    straight = made(methods)
    packed = checkpoint.pack(checkpoint.files(straight, "x"))
    found = checkpoint.read(packed, run_code=True)
    assert found.config == straight.config and found.config.encoding == "own:binary counter"
    assert found.encoding.code == straight.encoding.code == zipfile.ZipFile(io.BytesIO(packed)).read(CODE).decode()
    continued = Run(found.config, Corpus.from_text(found.text), found.encoding, evaluate=False)
    continued.restore(found.saved)
    straight.advance(60)
    continued.advance(60)
    one, other = continued.save(), straight.save()
    assert one.step == 20 and one.state == "finished"
    for name in ("vector", "mean", "square", "train_loss", "validation_steps", "validation_loss"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name


@pytest.mark.parametrize("point", own_encoding.starting_points(), ids=lambda point: point["file"])
@pytest.mark.parametrize("sizes", [{"d": 8, "heads": 1}, {"d": 8, "heads": 2}, {"d": 8, "heads": 4}], ids=str)
def test_a_starting_point_is_saved_and_opened_at_every_head_size(point, sizes):
    config = RunConfig(**SMALL | sizes, encoding=f"own:{point['name']}")
    run = Run(config, Corpus.from_text(TEXT), own_encoding.load(point["code"]))
    found = checkpoint.read(checkpoint.pack(checkpoint.files(run, "x")), run_code=True)
    assert found.config == config and np.array_equal(found.saved.vector, run.save().vector)


def test_what_is_computed_from_parameters_is_kept_under_the_labs_own_names():
    for methods in ("a table that is computed", "a bias that is computed"):
        run = made(METHODS[methods])
        assert not layouts.choose(run.model).held
        files = checkpoint.files(run, "x")
        arrays = tensors.read(files[contents.MODEL])
        assert all(np.array_equal(arrays[name], array) for name, array in run.model.parameters.arrays.items())
        assert json.loads(files[contents.CONFIG])["encoding"] == "binary counter"


def test_a_table_is_what_transformers_has_as_well(files):
    assert json.loads(files[contents.CONFIG])["model_type"] == "gpt2"
    table = tensors.read(files[contents.MODEL])["transformer.wpe.weight"]
    assert table.shape == (1024, 8) and np.allclose(table[:, 0], np.arange(1024) / 100)


def test_an_encoding_that_fails_at_every_other_length_is_saved_and_opened():
    only = "        if length != 8: raise ValueError('only 8')\n"
    for methods in ("a fixed table", "a fixed bias", "a rotation"):
        definition, *rest = METHODS[methods].strip("\n").split("\n")
        run = made("\n".join([definition, only, *rest]))
        found = checkpoint.read(checkpoint.pack(checkpoint.files(run, "x")), run_code=True)
        assert np.array_equal(found.saved.vector, run.model.parameters.vector)


def test_the_readme_says_that_code_has_to_run_and_what_is_called_how(files):
    readme = re.sub(r"\s+", " ", files[contents.README].decode())
    assert 'with the positional encoding "binary counter"' in readme
    assert "The encoding is the Python code in `embedding-lab/encoding.py`" in readme and "`--run-code`" in readme
    assert "that is not here" not in readme


@pytest.mark.parametrize(
    "name, file",
    [
        ("x" * 40, "x" * 40),
        ("\u03b4\u03c5\u03b1\u03b4\u03b9\u03ba\u03cc\u03c2", "encoding"),
        ("\u0639\u062f\u0627\u062f 2", "2"),
        ("1.5 + (2)", "1.5-2"),
        ("none", "none"),
    ],
)
def test_every_name_comes_back_and_gives_a_file_that_can_be_written(name, file):
    run = made(METHODS["a fixed table"], name)
    assert checkpoint.name(run) == f"{file}-seed1-12.zip"
    found = checkpoint.read(checkpoint.pack(checkpoint.files(run, name)), run_code=True)
    assert found.config.encoding == f"own:{name}"


# ------------------------------------------------------------------------------------ the reader's leave


def test_without_leave_no_line_of_the_code_runs_and_no_model_is_made_of_it(tmp_path, monkeypatch):
    trace = tmp_path / "trace"
    code = f"open({str(trace)!r}, 'a').write('ran')\n" + HEAD + METHODS["a fixed table"]
    run = made(code)
    assert trace.read_text() == "ranran"  # as often as `own_encoding.load` runs it
    trace.unlink()
    packed = checkpoint.pack(checkpoint.files(run, "x"))
    (tmp_path / "run.zip").write_bytes(packed)
    run_files.write(run, tmp_path / "run")
    monkeypatch.setattr(opening, "Transformer", None)
    monkeypatch.setattr(layouts, "choose", None)
    for read, where in (
        (checkpoint.read, packed),
        (checkpoint.read_file, tmp_path / "run.zip"),
        (checkpoint.read_folder, tmp_path / "run"),
    ):
        with pytest.raises(checkpoint.ConsentError, match=r"of its own, binary counter: [0-9]+ characters of Python") as told:
            read(where)
        assert (told.value.code, told.value.name, told.value.config) == (code, "binary counter", run.config)
    for path in ("run.zip", "run"):
        message = rf"{path} has a positional encoding of its own, binary counter: {len(code)} characters .* give --run-code"
        with pytest.raises(checkpoint.CheckpointError, match=message):
            run_files.open_run(tmp_path / path, lambda name: TEXT)
    found = worker.read_checkpoint(memoryview(packed))
    assert set(found) == {"config", "code", "name", "version", "needsConsent"} and found["needsConsent"] is True
    assert (found["code"], found["name"], found["config"]["encoding"]) == (code, "binary counter", "own:binary counter")
    assert not trace.exists()


def test_with_leave_a_run_goes_on_from_a_zip_and_from_a_folder(tmp_path):
    run = made(METHODS["a bias that is computed"])
    for path in (tmp_path / "run.zip", tmp_path / "run"):
        run_files.write(run, path)
        opened = run_files.open_run(path, lambda name: TEXT, run_code=True)
        assert np.array_equal(opened.model.parameters.vector, run.model.parameters.vector)
        opened.advance(60)
        assert opened.state == "finished"


def test_a_run_without_own_code_takes_the_code_of_the_one_before_out_of_its_folder(tmp_path):
    run_files.write(made(METHODS["a fixed table"]), tmp_path / "run")
    assert (tmp_path / "run" / CODE).is_file()
    run_files.write(Run(RunConfig(**SMALL), Corpus.from_text(TEXT)), tmp_path / "run")
    assert not (tmp_path / "run" / CODE).exists()
    assert checkpoint.read_folder(tmp_path / "run").config.encoding == "learned"


def test_code_beside_an_encoding_of_the_lab_is_not_even_looked_at():
    files = checkpoint.files(Run(RunConfig(**SMALL), Corpus.from_text(TEXT)), "x")
    for content in (b"raise SystemExit", b"\xff"):
        assert checkpoint.read(checkpoint.pack({**files, CODE: content}), run_code=True).config.encoding == "learned"


# ------------------------------------------------------------------------------------ what is not as it was saved


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "encoding.py has 0 characters"),
        (b"import os\n", "is not the code that this run trained with"),
        (b"\xff\xfe", "encoding.py is not UTF-8 text: invalid start byte at byte 0"),
        (b"#" * 100_001, "encoding.py has 100,001 characters; a saved run has from 1 to 100,000"),
        (b"#" * 400_001, "encoding.py has 400,001 bytes in the zip; a saved run has at most 400,000"),
    ],
    ids=["empty", "other", "not UTF-8", "too long", "far too long"],
)
def test_code_that_is_not_what_was_saved(files, content, message):
    refused(changed(files, CODE, content), message)


def test_every_changed_byte_of_the_code_is_noticed(files):
    code = files[CODE]
    for at in range(0, len(code), 40):
        refused(changed(files, CODE, code[:at] + bytes([code[at] ^ 1]) + code[at + 1 :]), "is not the code|is not UTF-8")


def test_code_that_is_missing(files):
    packed = checkpoint.pack({path: content for path, content in files.items() if path != CODE})
    refused(packed, "whose Python code is not among its files")


HASH = "0" * 64


@pytest.mark.parametrize(
    "about, message",
    [
        ({"name": "binary counter", "ofTheLab": False}, "whose Python code is not among its files"),
        ({"name": "binary counter", "ofTheLab": True, "codeHash": HASH}, "says otherwise of its encoding than its config"),
        ({"name": "another", "ofTheLab": False, "codeHash": HASH}, "says otherwise of its encoding than its config"),
        ({"name": "binary counter", "ofTheLab": False, "codeHash": HASH, "more": 1}, "says otherwise of its encoding"),
        ({"name": "binary counter", "ofTheLab": False, "codeHash": HASH}, "is not the code that this run trained with"),
        ({"name": "binary counter", "ofTheLab": False, "codeHash": [HASH]}, "is not the code that this run trained with"),
        ({"codeHash": None}, "says otherwise of its encoding than its config"),
        ({}, "whose Python code is not among its files"),
        ([], "must have format 1"),
        (..., "must have format 1"),
    ],
)
def test_what_run_json_may_not_say_of_code(files, about, message):
    refused(changed(files, encoding=about), message)


@pytest.mark.parametrize("name", ["", "=1+1", "a,b", "<b>", '"', "x" * 41, " a", "-a", "a\nb", "a\u202eb", "\u0301a"])
def test_a_name_that_the_rule_refuses(files, name):
    config = {**json.loads(files[RUN])["config"], "encoding": f"own:{name}"}
    refused(changed(files, config=config), "(?s)cannot be: encoding = own:.* has a name that cannot be used")


def test_an_own_encoding_whose_config_names_one_of_the_lab(files):
    config = {**json.loads(files[RUN])["config"], "encoding": "learned"}
    refused(changed(files, config=config), "whose Python code is not among its files")


def replaced(files, code):
    """The zip with other code, of which run.json knows."""
    about = {**json.loads(files[RUN])["encoding"], "codeHash": contents.code_hash(code.encode())}
    return changed(files, CODE, code.encode(), encoding=about)


@pytest.mark.parametrize(
    "code, line, message",
    [
        ("1 +\n", 1, "raised SyntaxError"),
        ("x = 1\n1 / 0\n", 2, "ZeroDivisionError"),
        ("import sys\nsys.exit(3)\n", 2, "sys.exit"),
        (HEAD + METHODS["a fixed table"] + "\n" + HEAD.replace("Own", "Other") + METHODS["nothing"], None, "Own"),
        (HEAD + METHODS["a fixed table"].replace("(1, d)", "(1, d + 1)"), 10, r"table returned the shape \(8, 9\)"),
        (HEAD + METHODS["a fixed table"].replace("/ 100", "/ 100 + np.inf"), None, "table"),
    ],
    ids=["no Python", "raises", "leaves", "two encodings", "another shape", "not finite"],
)
def test_code_that_fails_is_told_with_its_line(files, code, line, message):
    with pytest.raises(OwnEncodingError, match=message) as told:
        checkpoint.read(replaced(files, code), run_code=True)
    assert line is None or told.value.line == line
    error = worker.read_checkpoint(memoryview(replaced(files, code)), True)["error"]
    assert error["code"] == "encoding" and error["line"] == told.value.line and re.search(message, error["message"])


def test_code_that_takes_away_a_part_of_the_lab_is_told(files, monkeypatch):
    monkeypatch.setattr(opening, "Transformer", opening.Transformer)  # brings it back afterwards
    code = "from embedding_lab.checkpoint import opening\nopening.Transformer = None\n" + HEAD + METHODS["a fixed table"]
    error = worker.read_checkpoint(replaced(files, code), True)["error"]
    assert error["code"] == "encoding" and "failed after your code had run in it (TypeError: " in error["message"]


def test_code_of_another_model_is_not_filled_with_these_numbers(files):
    other = HEAD + METHODS["a trained bias"]
    with pytest.raises(checkpoint.CheckpointError, match=r"model.safetensors does not fit the settings"):
        checkpoint.read(replaced(files, other), run_code=True)
    other = HEAD + METHODS["a fixed table"].replace("/ 100", "/ 101")
    with pytest.raises(checkpoint.CheckpointError, match=r"wpe.weight in model.safetensors is not what these settings give"):
        checkpoint.read(replaced(files, other), run_code=True)


# ------------------------------------------------------------------------------------ what cannot be saved


def test_more_parameters_than_a_file_holds_are_told_before_training():
    many = "        return Trainable(np.zeros(3_000_000), value=lambda a: np.zeros((length, d)), gradient=lambda a, dvalue: a * 0)\n"
    run = made(f"    def table(self, length, d):\n{many}", steps=0)
    with pytest.raises(checkpoint.CheckpointError, match=r"has 3,[0-9]{3},[0-9]{3} parameters; a saved run holds at most"):
        checkpoint.check_run(run)


def test_the_page_gets_a_run_as_a_file_and_back():
    config = {**SMALL, "encoding": "own:binary counter"}
    code = HEAD + METHODS["a trained table"]
    assert "error" not in worker.open_run("a", config, TEXT, None, None, None, code)
    while worker.advance("a", 0)["step"] < 10:
        pass
    packed = memoryview(worker.checkpoint("a", "binary counter, seed 1")["bytes"])
    found = worker.read_checkpoint(packed, True)
    assert found["code"] == code and "needsConsent" not in found
    saved = {name: memoryview(value) if isinstance(value, np.ndarray) else value for name, value in found["saved"].items()}
    opened = worker.open_run("b", found["config"], found["text"], None, saved, found["textHash"], found["code"])
    assert (opened["frame"]["state"], opened["frame"]["step"]) == ("training", 10)
    rest, whole = worker.advance("b", 60_000), worker.advance("a", 60_000)
    assert rest["trainLoss"].tolist() == whole["trainLoss"].tolist() and rest["state"] == "finished"


# ------------------------------------------------------------------------------------ anything at all

FUZZ = settings(max_examples=200, deadline=None)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def opens_or_says_why(data, code):
    """Only the code that was saved runs, and that only where it may."""
    load, ran = own_encoding.load, []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(own_encoding, "load", lambda *given: ran.append(given[0]) or load(*given))
        for run_code in (False, True):
            try:
                checkpoint.read(data, run_code)
            except checkpoint.CheckpointError as error:
                assert 20 < len(str(error)) < 700
            assert not ran or (run_code and set(ran) == {code})


@FUZZ
@given(
    st.dictionaries(st.sampled_from(["name", "ofTheLab", "codeHash", "more"]), json_values, max_size=3),
    st.text(max_size=5) | st.sampled_from(["binary counter", "another"]),
    st.binary(max_size=8),
    st.floats(0, 1),
)
def test_run_json_and_code_with_anything_in_them(valid, about, name, put, place):
    files = valid()
    code = files[CODE]
    said = json.loads(files[RUN])
    at = int(place * len(code))
    other = changed(
        files,
        CODE,
        code[:at] + put + code[at:],
        encoding=said["encoding"] | about,
        config=said["config"] | {"encoding": f"own:{name}"},
    )
    opens_or_says_why(other, code.decode())
