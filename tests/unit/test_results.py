"""The tables of a sweep say what its rows say, and so do the summary that ships with the page and the table in the README."""

import json
import statistics
from dataclasses import asdict
from pathlib import Path

import pytest

from embedding_lab.config import RunConfig
from embedding_lab.positions import ENCODINGS
from embedding_lab.results import MEASURED, SweepError, columns, encoding_table, measured, pair_table, report, write
from embedding_lab.training import Run

ROOT = Path(__file__).parents[2]


def row(encoding, seed, loss, state="finished", **settings):
    config = asdict(RunConfig(encoding=encoding, seed=seed, **settings))
    ends = {"validation_steps": [0, 500], "validation_losses": [4.0 + seed / 10, loss]}
    return {**config, "state": state, "validation_loss": loss, **ends, "text_sha256": "0123456789abcdef", "version": "1"}


LOSSES = {"rope": [2.0, 2.02, 1.98], "none": [2.4, 2.43, 2.37], "alibi": [2.1, 2.1, 2.16]}
ROWS = [row(encoding, seed, loss) for encoding, losses in LOSSES.items() for seed, loss in enumerate(losses)]


def cells(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_the_table_of_encodings_has_means_and_gaps_to_the_control():
    head, ruler, rope, none, alibi = cells(encoding_table(ROWS))
    assert len({len(line) for line in (head, ruler, rope, none, alibi)}) == 1 and head[5] == "gap to none"
    # Half of the interval: 4.303 * 0.02 / sqrt(3) = 0.050; of the gap 4.303 * 0.01 / sqrt(3) = 0.025.
    assert rope == ["rope", "3", "2.000", "0.020", "1.950 to 2.050", "-0.400", "-0.425 to -0.375", "matters", ""]
    assert none == ["none", "3", "2.400", "0.030", "2.325 to 2.475", "", "", "", ""]
    assert alibi[:2] == ["alibi", "3"] and alibi[5] == "-0.280"


def test_pairs_without_the_control_have_a_table_of_their_own():
    _, _, pair = cells(pair_table(ROWS))
    assert pair[:3] == ["rope - alibi", "3", "-0.120"] and pair[4].startswith("run more seeds") and int(pair[5]) > 0
    assert pair_table([each for each in ROWS if each["encoding"] != "alibi"]) == ""


def test_without_a_control_the_first_encoding_is_it():
    table = encoding_table([each for each in ROWS if each["encoding"] != "none"])
    assert "gap to rope" in table and cells(table)[3][5] == "+0.120"


def test_runs_that_diverged_are_counted_and_left_out():
    table = cells(
        encoding_table([*ROWS, row("rope", 3, 9.0, "diverged"), row("alibi", 4, None, "diverged"), row("none", 3, 2.4)])
    )
    assert table[2][1] == "3 (1 diverged)" and table[2][2] == "2.000" and table[3][1] == "4" and table[4][1] == "3 (1 diverged)"


def test_one_seed_has_no_interval():
    table = cells(encoding_table([each for each in ROWS if each["seed"] == 0]))
    assert table[2][2:] == ["2.000", "", "", "-0.400", "", "matters, if more seeds agree: one seed is one seed", ""]


def test_each_combination_of_other_settings_has_its_tables_under_what_tells_it_apart():
    text = report([*ROWS, row("none", 0, 2.5, d=16, layers=2)])
    parts = [part for part in text.split("\n\n") if not part.startswith("|")]
    assert parts == ["d = 48, layers = 1", "d = 16, layers = 2"]
    assert not report(ROWS).startswith("d =") and report(ROWS) == encoding_table(ROWS) + "\n\n" + pair_table(ROWS)


# ------------------------------------------------------------------------------------ what ships with the page


def test_the_summary_has_the_mean_and_the_extremes_at_each_step(tmp_path):
    write(tmp_path / "m.json", ROWS, {"command": "python -m embedding_lab sweep"})
    summary = measured(tmp_path / "m.json")
    assert summary["command"] == "python -m embedding_lab sweep" and summary["seeds"] == [0, 1, 2]
    assert summary["config"] == {name: value for name, value in asdict(RunConfig()).items() if name not in ("encoding", "seed")}
    rope = summary["encodings"][0]
    final = rope.pop("final")
    assert rope == {
        "encoding": "rope",
        "seeds": 3,
        "steps": [0, 500],
        "mean": [4.1, 2.0],
        "low": [4.0, 1.98],
        "high": [4.2, 2.02],
    }
    assert (final["mean"], final["deviation"]) == (2.0, 0.02) and final["low"] == pytest.approx(1.9503, abs=1e-4)
    assert [(gap["a"], gap["b"], gap["seeds"]) for gap in summary["gaps"]] == [
        ("rope", "none", 3),
        ("rope", "alibi", 3),
        ("none", "alibi", 3),
    ]


def test_without_a_file_there_is_no_summary(tmp_path):
    assert measured(tmp_path / "m.json") is None


@pytest.mark.parametrize(
    "rows, message",
    [
        ([*ROWS, row("none", 0, 2.4, d=16)], "it holds 2 combinations of settings"),
        (ROWS[1:], "its 8 runs are not one of each of 3 encodings and 3 seeds"),
        ([*ROWS[1:], ROWS[1]], "its 9 runs are not one of each"),
        ([*ROWS[1:], row("rope", 0, 9.0, "diverged")], "1 of its runs did not finish"),
        ([*ROWS[1:], ROWS[0] | {"validation_steps": [0, 250]}], "were not evaluated at the same steps"),
        ([*ROWS[1:], ROWS[0] | {"validation_losses": [4.0]}], "it is not what a sweep writes"),
        ([each | {"d": 7} for each in ROWS], "it is not what a sweep writes"),
        ([], "it holds 0 combinations"),
        ([{"encoding": "none"}], "it is not what a sweep writes (KeyError('d'))"),
    ],
)
def test_a_file_that_does_not_fit_says_why(tmp_path, rows, message):
    (tmp_path / "m.json").write_text(json.dumps({"command": "", "rows": rows}))
    with pytest.raises(SweepError, match=r"does not fit the page: .*; sweep again, or remove it.") as error:
        measured(tmp_path / "m.json")
    assert message in str(error.value)


@pytest.mark.parametrize("content", ["", "[]", "{", "null", '{"rows": 3, "command": ""}', '{"rows": [3], "command": ""}'])
def test_a_file_of_another_kind_says_so(tmp_path, content):
    (tmp_path / "m.json").write_text(content)
    with pytest.raises(SweepError, match="it is not what a sweep writes"):
        measured(tmp_path / "m.json")


@pytest.fixture(scope="module")
def shipped():
    return json.loads(MEASURED.read_text())


def test_the_shipped_file_is_a_sweep_of_the_defaults_over_ten_seeds(shipped):
    summary = measured()
    assert summary["seeds"] == list(range(10)) and summary["command"] == shipped["command"]
    assert [each["encoding"] for each in summary["encodings"]] == list(ENCODINGS)
    assert RunConfig(**summary["config"]) == RunConfig()
    assert all(list(row) == list(columns()) for row in shipped["rows"])
    for each in summary["encodings"]:
        losses = [row["validation_loss"] for row in shipped["rows"] if row["encoding"] == each["encoding"]]
        assert each["steps"] == list(range(0, 501, 25)) and len(each["mean"]) == len(each["low"]) == len(each["high"]) == 21
        assert each["final"]["mean"] == pytest.approx(statistics.mean(losses), abs=1e-6)
        assert each["final"]["deviation"] == pytest.approx(statistics.stdev(losses), abs=1e-6)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_shipped_losses_are_those_that_training_gives_today(alice, shipped, encoding):
    run = Run(RunConfig(encoding=encoding, seed=3), alice)
    while run.step < 50:
        run.advance(0)
    found = next(row for row in shipped["rows"] if (row["encoding"], row["seed"]) == (encoding, 3))
    assert [step for step, _ in run.validation] == found["validation_steps"][:3]
    assert [loss for _, loss in run.validation] == pytest.approx(found["validation_losses"][:3], abs=1e-3)


def test_the_readme_shows_the_table_of_the_shipped_file_and_its_command(shipped):
    readme = (ROOT / "README.md").read_text("utf-8")
    assert encoding_table(shipped["rows"]) in readme
    assert shipped["command"] in readme
