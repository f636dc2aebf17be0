"""A reader's own encoding trains, is restored and is looked at as one of the lab's is."""

import inspect
import math
import subprocess
import sys

import numpy as np
import pytest

from embedding_lab import own_encoding, positions, worker
from embedding_lab.config import OWN, RunConfig, is_own_name
from embedding_lab.corpus import Corpus
from embedding_lab.model import Transformer, random_stream
from embedding_lab.ops import best, load
from embedding_lab.own_encoding import OwnEncodingError
from embedding_lab.positions import ENCODINGS, Trainable
from embedding_lab.probes import PROBES, View, run_probe
from embedding_lab.training import Run
from own_code import COMPUTED, HEAD, ONE_NUMBER, POINTS, SMALL, TABLE, TEXT, mine, opened

pytestmark = pytest.mark.usefixtures("no_runs_left")

# The lab's own encodings, as a reader would write them.
REWRITTEN = {
    "none": "class Mine(PositionalEncoding):\n    pass\n",
    "learned": """
class Mine(PositionalEncoding):
    def table(self, length, d):
        return Trainable(np.zeros((length, d)), noise=0.02)
""",
    "sinusoidal": """
class Mine:
    name = "mine"
    def table(self, length, d):
        angle = np.arange(length)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
        both = np.stack([np.sin(angle), np.cos(angle)], axis=2).reshape(length, -1)
        return 0.05 * both[:, :d]
    def rotation(self, length, head_dim):
        return None
    def bias(self, length, heads):
        return None
""",
    "rope": """
class Mine(PositionalEncoding):
    def rotation(self, length, head_dim):
        angle = np.outer(np.arange(length), 10000.0 ** (-np.arange(0, head_dim, 2) / head_dim))
        return np.cos(angle), np.sin(angle)
""",
    "alibi": """
class Mine(PositionalEncoding):
    def bias(self, length, heads):
        place = np.arange(length)
        return np.array([-abs(place[:, None] - place) * 2 ** (-8 * (head + 1) / heads) for head in range(heads)])
""",
    "kerple": """
class Mine(PositionalEncoding):
    def bias(self, length, heads):
        place = np.arange(length)
        distance = abs(place[:, None] - place)

        def value(parameter):
            return np.array([-np.exp(a) * np.log(1 + np.exp(b) * distance) for a, b in parameter.T])

        def gradient(parameter, dvalue):
            r1, r2 = np.exp(parameter)
            by_r1 = [-np.sum(dvalue[head] * np.log(1 + r2[head] * distance)) for head in range(heads)]
            by_r2 = [-np.sum(dvalue[head] * r1[head] * distance / (1 + r2[head] * distance)) for head in range(heads)]
            return np.array([by_r1 * r1, by_r2 * r2])

        start = [[2 * (head + 0.5) / heads, (head + 0.5) / heads] for head in range(heads)]
        return Trainable(np.log(start).T, value=value, gradient=gradient)
""",
}


# ------------------------------------------------------------------------------------ the same path as the lab's own


@pytest.mark.parametrize("backend", ["numpy", best().NAME])
@pytest.mark.parametrize("name", ENCODINGS)
def test_an_encoding_of_the_lab_rewritten_by_a_reader_trains_to_the_same_losses(name, backend):
    config = {**SMALL, "d": 12, "layers": 2, "heads": 3, "context": 16}
    corpus, ops = Corpus.from_text(TEXT), load(backend)
    lab = Run(RunConfig(**config, encoding=name), corpus, ops=ops)
    own = Run(RunConfig(**config, encoding="own:mine"), corpus, own_encoding.load(HEAD + REWRITTEN[name]), ops)
    lab.advance(math.inf)
    own.advance(math.inf)
    assert len(lab.train_loss) == 20 and lab.train_loss[-1] < lab.train_loss[0]
    assert np.abs(np.subtract(own.train_loss, lab.train_loss)).max() < 1e-6
    assert np.abs(np.subtract(own.validation, lab.validation)).max() < 1e-6
    if name in ("none", "learned", "rope", "alibi"):  # the sinusoid's formula rounds otherwise than the lab's
        assert own.train_loss == lab.train_loss


@pytest.mark.parametrize(
    "code",
    [HEAD + COMPUTED, HEAD + ONE_NUMBER, POINTS["t5_buckets"]["code"]],
    ids=["computed", "one number", "t5_buckets"],
)
@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("length", [9, 6])  # the context, and less
def test_the_gradient_through_value_is_a_finite_difference_of_the_loss(code, layers, length):
    own = own_encoding.load(code)
    config = RunConfig(layers=layers, d=12, heads=2, context=9, init_std=0.3, encoding=OWN + own.name)
    model = Transformer(config, 11, own, dtype=np.float64)
    random = random_stream(7, "test")
    names = [name for name in ("position_table", "position_bias") if name in model.parameters.arrays]
    for name in names:
        model.parameters[name][...] += random.normal(0, 0.3, model.parameters[name].shape)
    ids, targets = random.integers(0, 11, (2, 3, length))
    model.losses(ids, targets)
    model.backward()
    gradients = {name: model.gradients[name].copy() for name in names}
    for name in names:
        array, step = model.parameters[name], 1e-5
        start, direction = array.copy(), random.normal(size=array.shape)
        losses = []
        for sign in (1, -1):
            array[...] = start + sign * step * direction
            losses.append(model.losses(ids, targets).mean())
        array[...] = start
        measured, expected = (losses[0] - losses[1]) / (2 * step), np.sum(gradients[name] * direction)
        assert abs(expected) > 1e-4 and abs(measured - expected) < 1e-8, name


def test_a_single_number_trains_and_a_wrong_gradient_of_it_is_told():
    opened(HEAD + ONE_NUMBER)
    before = worker.opened.runs["a"].model.parameters["position_bias"].copy()
    worker.advance("a", 60_000)
    assert before.shape == () and worker.opened.runs["a"].model.parameters["position_bias"] != before
    wrong = (HEAD + ONE_NUMBER).replace("(distance * dvalue)", "(-distance * dvalue)")
    assert "for the entry [] of the parameter it returned" in worker.check_encoding(wrong, SMALL)["error"]["message"]
    plain = (HEAD + ONE_NUMBER).replace("(distance * dvalue).sum()", "float((distance * dvalue).sum())")
    assert (
        "returned float; it returns an array of numbers or None. np.array makes"
        in worker.check_encoding(plain, SMALL)["error"]["message"]
    )


def test_value_is_computed_at_every_step_and_gradient_runs_once_a_step():
    own = own_encoding.load(HEAD + COMPUTED)
    run = Run(RunConfig(**SMALL, layers=3, encoding="own:computed"), Corpus.from_text(TEXT), own, evaluate=False)
    supplied, calls = run.model._supplies(8)[2], []
    watched = Trainable(
        supplied.start,
        value=lambda p: calls.append("value") or supplied.value(p),
        gradient=lambda p, dvalue: calls.append("gradient") or supplied.gradient(p, dvalue),
    )
    run.model._supplied[8] = (*run.model._supplies(8)[:2], watched)
    before = run.model.position(8)[2].copy()
    calls.clear()
    run.advance(0)
    run.advance(0)
    assert calls == ["value", "gradient"] * 2
    assert not np.array_equal(run.model.position(8)[2], before)


@pytest.mark.parametrize("name", POINTS)
def test_a_run_with_an_own_encoding_is_restored_exactly(name):
    code = POINTS[name]["code"]
    assert opened(code)["frame"]["step"] == 0
    config = {**SMALL, "encoding": worker.opened.runs["a"].config.encoding}
    while worker.advance("a", 0)["step"] < 10:
        pass
    saved = worker.save_run("a")
    saved = {key: memoryview(value) if isinstance(value, np.ndarray) else value for key, value in saved.items()}
    assert worker.open_run("b", config, TEXT, None, saved, None, code)["frame"]["step"] == 10
    rest, whole = worker.advance("b", 60), worker.advance("a", 60)
    while rest["state"] == "training":
        rest = worker.advance("b", 60_000)
    while whole["state"] == "training":
        whole = worker.advance("a", 60_000)
    assert np.array_equal(worker.save_run("a")["vector"], worker.save_run("b")["vector"])
    losses = worker.save_run("a")["trainLoss"].tolist()
    assert losses == worker.save_run("b")["trainLoss"].tolist() and losses[-1] < losses[0]


def test_open_run_says_what_an_encoding_supplies():
    for name, supplies in [("none", []), ("learned", ["table"]), ("rope", ["rotation"]), ("alibi", ["bias"])]:
        assert worker.open_run("a", {**SMALL, "encoding": name}, TEXT)["supplies"] == supplies
    assert opened(HEAD + COMPUTED)["supplies"] == ["table", "bias"]


def test_the_settings_name_the_encoding_and_the_code_comes_beside_them():
    code = POINTS["binary_counter"]["code"]
    answer = worker.open_run("a", {**SMALL, "encoding": "own:binary counter 2"}, TEXT, None, None, None, code)
    assert answer["config"]["encoding"] == "own:binary counter 2"
    told = worker.probe("distance-bias", "a")["result"]["why"]
    assert told == "The encoding binary counter 2 adds nothing to the attention scores."
    error = worker.open_run("a", {**SMALL, "encoding": "own:mine"}, TEXT)["error"]
    assert (error["code"], error["field"]) == ("config", "encoding") and "its code is not here" in error["message"]
    error = worker.open_run("a", {**SMALL, "encoding": "rope"}, TEXT, None, None, None, code)["error"]
    assert error["code"] == "config" and "encoding = rope is the lab's own and takes no code" in error["message"]


# ------------------------------------------------------------------------------------ the starting points


def test_the_starting_points_come_in_order_and_say_what_they_teach():
    assert list(POINTS) == [
        "binary_counter", "random_vectors", "squeezed_one_hot", "sinusoid_other_base", "learned_on_sinusoid",
        "alibi_other_slopes", "rope_on_half", "t5_buckets", "single_number",
    ]  # fmt: skip
    names = [point["name"] for point in POINTS.values()]
    assert len(set(names)) == 9 and all(map(is_own_name, names)) and "my encoding" not in names
    for point in POINTS.values():
        assert 5 < len(point["title"]) < 60 and len(point["teaches"]) > 100 and "\n" not in point["teaches"]
        assert all(len(line) <= 120 for line in point["code"].splitlines())


@pytest.mark.parametrize("sizes", [(48, 4, 32), (9, 1, 8), (9, 3, 8), (8, 8, 16), (8, 1, 256)], ids=str)
@pytest.mark.parametrize("name", POINTS)
def test_a_starting_point_is_defined_at_all_sizes(name, sizes):
    d, heads, context = sizes
    own = own_encoding.load(POINTS[name]["code"])
    config = RunConfig(d=d, heads=heads, context=context, encoding=OWN + own.name)
    if name == "rope_on_half" and d // heads % 2:
        with pytest.raises(OwnEncodingError, match="pairs need an even head size"):
            Transformer(config, 11, own)
        return
    model = Transformer(config, 11, own)
    ids = np.arange(context)[None] % 11
    assert np.isfinite(model.losses(ids, ids)).all()
    model.backward()
    assert np.isfinite(model.gradients.vector).all()


def test_the_buckets_of_t5_are_those_of_the_paper():
    """Against the algorithm as T5's own code states it, distance by distance."""
    parameter = np.arange(32.0)[None].repeat(2, axis=0)
    bias = own_encoding.load(POINTS["t5_buckets"]["code"]).bias(256, 2).value(parameter)
    for distance in range(256):
        bucket = distance if distance < 16 else min(31, 16 + int(math.log(distance / 16) / math.log(128 / 16) * 16))
        assert bias[1, 255, 255 - distance] == bucket, distance
    assert len(np.unique(bias)) == 32


# ------------------------------------------------------------------------------------ probes


@pytest.mark.parametrize("code", [HEAD + COMPUTED, POINTS["learned_on_sinusoid"]["code"], POINTS["rope_on_half"]["code"]])
def test_every_probe_works_with_an_own_encoding(code):
    own = own_encoding.load(code)
    run = Run(RunConfig(**SMALL, encoding=OWN + own.name), Corpus.from_text(TEXT), own)
    run.advance(math.inf)
    small = {"seeds": [1], "widths": [8, 16], "scales": [0.1], "lengths": [8, 16]}
    for name, probe in PROBES.items():
        given = {row["name"]: row["low"] for row in probe.arguments if row["name"] in ("updates", "characters", "shuffles")}
        given |= {row["name"]: small[row["name"]] for row in probe.arguments if row["name"] in small}
        for untrained in (False, True):
            work = run_probe(name, View.of(run, untrained), given)
            with pytest.raises(StopIteration) as end:
                while True:
                    next(work)
            assert isinstance(end.value.value, dict), name


def test_an_own_encoding_that_ends_says_so_where_more_is_asked_of_it():
    code = mine(
        "max_length = 10\n"
        "def table(self, length, d):\n"
        "    if length > 9:\n"
        "        raise ValueError('nothing beyond nine')\n"
        "    return np.ones((length, d)) / 100"
    )
    assert "error" not in opened(code)
    beyond = worker.probe("position-table", "a", {"beyond": 2})["result"]["beyond"]
    assert not beyond["defined"] and beyond["tMax"] is beyond["neverLearned"] is None
    assert beyond["message"] == "table raised ValueError in line 7: nothing beyond nine"
    assert worker.probe("position-table", "a", {"beyond": 3})["result"]["beyond"]["message"].startswith(
        "my encoding is defined for at most 10 positions, as its max_length says, but 11 were asked for"
    )
    answer = worker.probe("extrapolation", "a", {"lengths": [8, 16]}, 60_000)["result"]
    assert [context["defined"] for context in answer["contexts"]] == [True, False]


def test_an_error_in_a_probe_has_the_line_of_the_code():
    code = mine(
        "def table(self, length, d):\n    if length == 4:\n        raise ValueError('four')\n    return np.ones((length, d))"
    )
    opened(code)
    error = worker.probe("order", "a", {"first": "the", "second": "eht"})["error"]
    assert (error["code"], error["field"], error["line"]) == ("encoding", "encoding", 6)
    assert worker.advance("a", 0)["step"] == 1


# ------------------------------------------------------------------------------------ what is taken


def test_numbers_of_every_kind_are_taken():
    for kind in ("float16", "float32", "int64", "uint8", "longdouble"):
        own = own_encoding.load(mine(TABLE + f"return np.eye(length, d).astype('{kind}')"))
        model = Transformer(RunConfig(**SMALL, encoding="own:mine"), 5, own)
        assert np.array_equal(model.position(8)[0], np.eye(8, dtype=np.float32))
    own = own_encoding.load(mine("def table(self, length, d):\n    return Trainable(np.eye(length, d, dtype=int))"))
    assert np.array_equal(Transformer(RunConfig(**SMALL, encoding="own:mine"), 5, own).position(8)[0], np.eye(8))


def test_a_name_comes_from_the_class_and_else_from_where_the_code_does():
    assert own_encoding.load(mine("name = 'mein Zähler'")).name == "mein Zähler"
    assert own_encoding.load(mine("pass")).name == "my encoding"
    assert own_encoding.load(mine("pass"), fallback="file").name == "file"
    learned = (
        "from embedding_lab.positions import Learned\nclass Longer(Learned):\n    def __init__(self): super().__init__(64)\n"
    )
    assert own_encoding.load(learned).name == "my encoding" and own_encoding.load(learned).max_length == 64


@pytest.mark.parametrize(
    "stem, name",
    [
        ("_under", "under"), ("-dash", "dash"), ("a,b", "a b"), ("it's", "it s"), ("my_file.v2", "my_file.v2"),
        ("x" * 39 + "'yz", "x" * 39), ("___", "my encoding"), ("", "my encoding"),
    ],
)  # fmt: skip
def test_any_file_gives_its_encoding_a_name(stem, name):
    assert own_encoding.load(mine("pass"), fallback=stem).name == name and is_own_name(name)


def test_a_name_that_the_code_gives_is_kept_though_the_lab_has_it_too():
    rope = "from embedding_lab.positions import RoPE\nclass Mine(RoPE):\n    "
    for code, name in [
        (mine("name = 'none'"), "none"),
        (rope + "name = 'rope'\n", "rope"),
        (rope + "pass\n", "my encoding"),
        (rope + "pass\n\nclass Other(Mine):\n    name = 'rope'\n\ndel Mine\n", "rope"),
        (mine("def __init__(self):\n    self.name = 'none'"), "none"),
        (mine("name = None"), "my encoding"),
    ]:
        assert own_encoding.load(code).name == name


def test_a_dataclass_with_postponed_annotations_works():
    code = "from __future__ import annotations\nfrom dataclasses import dataclass\n" + mine("base: float = 2.0").replace(
        "class", "@dataclass\nclass"
    )
    assert own_encoding.load(code).name == "my encoding"


def test_no_start_imports_what_only_an_own_encoding_needs():
    code = (
        "import sys\nfrom embedding_lab import worker\n"
        f"worker.open_run('a', {SMALL}, {TEXT!r})\nworker.advance('a', 0)\n"
        "print(*(name for name in sys.modules if name.startswith('embedding_lab.own_encoding')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.strip() == "", done.stderr


@pytest.mark.parametrize("copied", [positions.Sinusoidal, positions.RoPE, positions.ALiBi])
def test_a_class_that_is_copied_from_the_lab_loads_as_it_is(copied):
    """Its annotations name types that only type checkers know."""
    head = "import numpy as np\nfrom embedding_lab.positions import PositionalEncoding\n"
    assert own_encoding.load(f"{head}\n\n{inspect.getsource(copied)}").name == copied.name
