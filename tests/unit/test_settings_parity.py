"""The controls of the page and Python judge settings alike: the same config, the same errors in the same words."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embedding_lab.config import RULES, settings_table, validate

ROOT = Path(__file__).resolve().parents[2]
TABLE = {
    "settings": settings_table(),
    "rules": RULES,
    "experiment": {"encodings": ["none", "learned", "sinusoidal"], "seeds": [1]},
}

# Answers one JSON line with another: [name of a function, its arguments after the table].
SERVER = """
import readline from "node:readline";
const { validate, experimentConfigs } = await import(process.argv[1] + "/settings.js");
const { fromQuery, toQuery } = await import(process.argv[1] + "/query.js");
const functions = {
  validate, experimentConfigs, toQuery,
  fromQuery: (table, query) => fromQuery(table, new URLSearchParams(query)),
};
let table = null;
for await (const line of readline.createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (table === null) table = message;
  else process.stdout.write(JSON.stringify(functions[message[0]](table, ...message.slice(1))) + "\\n");
}
"""


@pytest.fixture(scope="module")
def page():
    """A function that calls one of the page's own, in Node."""
    if not shutil.which("node"):
        pytest.fail("Node is missing: the settings of the page are checked in it.")
    node = subprocess.Popen(
        ["node", "--input-type=module", "--eval", SERVER, str(ROOT / "web" / "lab")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )

    def say(message):
        node.stdin.write(json.dumps(message) + "\n")
        node.stdin.flush()

    def call(name, *arguments):
        say([name, *arguments])
        return json.loads(node.stdout.readline())

    say(TABLE)
    yield call
    node.stdin.close()
    assert node.wait(timeout=10) == 0


NAMES = [row["name"] for row in TABLE["settings"]]
ENCODINGS = [choice["value"] for choice in TABLE["settings"][0]["choices"]]
KNOWN_WORDS = sorted({c["value"] for row in TABLE["settings"] for c in row.get("choices", [])})
NUMBERS = st.one_of(
    st.integers(-10, 300).map(str),
    st.integers(-(10**40), 10**40).map(str),
    st.floats(allow_nan=True, allow_infinity=True).map(repr),
    st.floats(0, 1).map(repr),
    st.from_regex(r"[+-]?[0-9]{0,3}\.?[0-9]{0,3}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.text("0123456789", min_size=1, max_size=40),
)
WORDS = st.one_of(
    st.sampled_from([*KNOWN_WORDS, "true", "True", "YES", "no", "0", "1", "", " "]),
    st.sampled_from(["-0", "+4", "0x10", "1_000", "٣", "４8", "1,5"]),
    st.text(max_size=12),
)
SPACE = st.sampled_from(["", " ", "\t", "\r\n", "  ", "\u00a0", "\u2028", "\ufeff"])
VALUES = st.one_of(
    st.tuples(SPACE, st.one_of(NUMBERS, WORDS), SPACE).map("".join),
    st.integers(-10, 200),
    st.booleans().map(lambda value: str(value).lower()),
)


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(values=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6))
def test_page_and_python_judge_the_same_values_alike(page, values):
    config, errors = validate(values)
    answer = page("validate", values)
    assert answer["errors"] == errors
    assert answer["config"] == config


# The engines may know other versions of Unicode: a character that this Python does not know is left out.
OWN_NAMES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cn",)), max_size=42),
    st.text("aZ9é ._+-()λक\u093fع,'=\"<", min_size=1, max_size=42),
)


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(name=OWN_NAMES)
def test_page_and_python_judge_the_names_of_own_encodings_alike(page, name):
    config, errors = validate({"encoding": f"own:{name}"})
    assert page("validate", {"encoding": f"own:{name}"}) == {"config": config, "errors": errors}


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(d=st.integers(8, 128), heads=st.integers(1, 8), encoding=st.sampled_from(ENCODINGS))
def test_page_and_python_apply_the_rules_alike(page, d, heads, encoding):
    config, errors = validate({"d": d, "heads": heads, "encoding": encoding})
    assert page("validate", {"d": d, "heads": heads, "encoding": encoding}) == {"config": config, "errors": errors}


def test_page_reports_an_unknown_setting_in_the_words_of_python(page):
    assert page("validate", {"widht": "48"})["errors"] == validate({"widht": "48"})[1]


@pytest.mark.parametrize(
    ("query", "name", "part"),
    [
        ("d=200", "d", "d = 200 is out of range: choose a whole number from 8 to 128."),
        ("position-scale=abc", "position-scale", "position_scale = abc is not a number"),
        ("encodings=none,rotary", "encodings", "encoding = rotary is unknown"),
        ("seeds=1,x", "seeds", "seed = x is not a whole number"),
        ("theme=sepia", "theme", "theme = sepia is unknown"),
        ("wdith=1", "wdith", "wdith is unknown"),
        ("heads=5", "heads", "heads = 5 does not divide d = 48"),
        ("d=49", "heads", "heads = 4 does not divide d = 49"),
    ],
)
def test_query_reports_what_cannot_be_had_by_name_and_uses_the_default(page, query, name, part):
    answer = page("fromQuery", query)
    assert [problem["name"] for problem in answer["problems"]] == [name]
    assert part in answer["problems"][0]["message"]
    untouched = page("fromQuery", "")
    assert {**answer, "problems": []} == untouched


def test_query_of_an_experiment_reads_back_as_that_experiment(page):
    query = "encodings=none,rope&seeds=1,2,3&d=64&heads=8&corpus=plrabn12&lr=0.01&position-scale=0.5&tied=0"
    answer = page("fromQuery", query)
    assert answer["problems"] == []
    assert answer["encodings"] == ["none", "rope"]
    assert answer["values"]["position_scale"] == 0.5
    assert answer["values"]["tied"] is False
    written = page("toQuery", answer)
    assert page("fromQuery", written) == answer
    assert page("toQuery", page("fromQuery", "")) == ""


def test_an_experiment_is_every_encoding_at_every_seed(page):
    answer = page("experimentConfigs", {"values": {"d": "32"}, "encodings": ["none", "rope"], "seeds": "2, 1 2"})
    assert answer["errors"] == []
    assert [(c["seed"], c["encoding"]) for c in answer["configs"]] == [(2, "none"), (2, "rope"), (1, "none"), (1, "rope")]
    assert all(validate(config) == (config, []) for config in answer["configs"])


def test_an_experiment_with_a_fault_has_no_runs_and_names_each_fault_once(page):
    answer = page("experimentConfigs", {"values": {"d": "4"}, "encodings": ["none", "rope"], "seeds": "1"})
    assert answer["configs"] == []
    assert [error["field"] for error in answer["errors"]] == ["d"]
    empty = page("experimentConfigs", {"values": {}, "encodings": [], "seeds": ""})
    assert {error["field"] for error in empty["errors"]} == {"encodings", "seeds"}
