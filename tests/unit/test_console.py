"""The reader's prompt: what is complete, what is shown, and what cannot be done in a tab."""

import subprocess
import sys

import numpy as np
import pytest

from embedding_lab.config import RunConfig
from embedding_lab.console import MOST_CHARACTERS, Console
from embedding_lab.corpus import Corpus
from embedding_lab.training import Run

TEXT = "The quick brown Fox 9 jumps over the lazy dog.\n" * 40


@pytest.fixture
def prompt():
    """A console on a small run; called with an input, it returns what that gave, with `printed`."""
    opened = Console(Run(RunConfig(d=8, heads=2, context=8, batch=4, steps=20), Corpus.from_text(TEXT)))

    def ask(source):
        printed = []
        answer = opened.run(source, printed.append)
        return {**answer, "printed": "".join(printed)}

    ask.namespace = opened.namespace
    return ask


@pytest.mark.parametrize(
    "source",
    [
        "for i in x:",
        "for i in x:\n    y",
        "f(",
        "'''abc",
        "@decorated",
        "try:\n    x",
        "if a: b\nelse:",
        "class A:\n    b = 1\n\n    c = 2",
        "1 + \\",
    ],
)
def test_what_may_go_on_is_incomplete_and_does_not_run(prompt, source):
    assert prompt(source) == {"complete": False, "printed": ""}


@pytest.mark.parametrize(
    "source",
    [
        "1 + 1",
        "x = 1\ny = 2",
        "for i in []:\n    y\n",
        "for i in []:\n    y\n    ",
        "if 1: x = 2",
        "# nothing",
        "",
        "(1,\n2)",
        "match 1:\n    case _: x = 1\n",
    ],
)
def test_what_is_complete_runs(prompt, source):
    answer = prompt(source)
    assert answer["complete"] and answer["error"] is None


def test_the_value_of_the_last_expression_is_shown_and_kept(prompt):
    assert prompt("a = 20\na + 1")["value"] == "21"
    assert prompt("_ * 2")["value"] == "42"
    assert prompt("'é'")["value"] == "'é'"
    assert prompt("None")["value"] is None
    assert prompt("a = 1")["value"] is None
    assert prompt("print('x')") | {"leftOut": 0} == {
        "complete": True,
        "value": None,
        "error": None,
        "interrupted": False,
        "leftOut": 0,
        "printed": "x\n",
    }


def test_the_run_is_at_hand_and_its_table_is_live(prompt):
    assert prompt("E.shape == (len(vocabulary), 8) and E.dtype == np.float32")["value"] == "True"
    before = prompt.namespace["E"].copy()
    assert prompt("frame = run.advance(0.01); run.step > 0")["value"] == "True"
    assert not np.array_equal(before, prompt.namespace["E"])
    assert (
        prompt("E is run.model.parameters['embedding'] or np.shares_memory(E, run.model.parameters.vector)")["value"] == "True"
    )


def test_what_is_defined_stays_and_functions_see_one_another(prompt):
    prompt("def double(x):\n    return 2 * x\n")
    prompt("def four(x):\n    return double(double(x))\n")
    assert prompt("four(3)")["value"] == "12"


def test_a_traceback_has_the_lines_of_the_reader_and_no_others(prompt):
    prompt("def look(i):\n    return np.take(E, i, axis=7)\n")
    told = prompt("x = 1\nlook(0)")["error"]
    assert told.startswith('Traceback (most recent call last):\n  File "<input 2>", line 2, in <module>\n    look(0)\n')
    assert 'File "<input 1>", line 2, in look\n    return np.take(E, i, axis=7)' in told
    assert "axis 7 is out of bounds" in told
    assert "console.py" not in told and "fromnumeric" not in told


def test_a_chain_of_exceptions_is_told_whole(prompt):
    told = prompt("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('no') from e\n")["error"]
    assert "division by zero" in told and "direct cause" in told and "ValueError: no" in told
    assert "console.py" not in told


def test_an_error_of_syntax_points_at_its_place(prompt):
    told = prompt("a b")["error"]
    assert "a b" in told and "SyntaxError" in told and "console.py" not in told


def test_output_is_handed_on_up_to_a_limit_and_the_rest_counted(prompt):
    answer = prompt("for i in range(100_000): print(i)")
    assert answer["printed"] == "".join(f"{i}\n" for i in range(100_000))[:MOST_CHARACTERS]
    assert answer["leftOut"] == sum(len(f"{i}\n") for i in range(100_000)) - MOST_CHARACTERS
    assert prompt("print('again')")["leftOut"] == 0


def test_output_comes_while_the_input_runs():
    opened = Console(Run(RunConfig(d=8, heads=2, context=8, batch=4, steps=20), Corpus.from_text(TEXT)))
    opened.namespace["seen"] = seen = []
    answer = opened.run("print('first')\nlen(seen)", seen.append)
    assert int(answer["value"]) > 0


def test_a_long_value_is_cut_and_says_so(prompt):
    value = prompt("list(range(100_000))")["value"]
    assert len(value) < MOST_CHARACTERS + 100 and value.endswith("characters more")


def test_standard_error_is_output_too(prompt):
    assert prompt("import sys; print('w', file=sys.stderr)")["printed"] == "w\n"


@pytest.mark.parametrize("source", ["input('name? ')", "import sys; sys.stdin.readline()", "import sys; list(sys.stdin)"])
def test_input_is_refused_in_words(prompt, source):
    stdin = sys.stdin
    assert "input() has nobody to ask here" in prompt(source)["error"]
    assert sys.stdin is stdin


@pytest.mark.parametrize("source", ["import sys; sys.exit()", "raise SystemExit(3)"])
def test_nothing_is_left(prompt, source):
    told = prompt(source)["error"]
    assert "SystemExit" in told and "nothing to leave here" in told
    assert prompt("1")["value"] == "1"


def test_an_interrupt_is_told_and_variables_stay(prompt):
    answer = prompt("kept = 5\nraise KeyboardInterrupt")
    assert answer["interrupted"] and "KeyboardInterrupt" in answer["error"]
    assert prompt("kept")["value"] == "5"


def test_a_repr_that_fails_is_an_error_of_the_reader(prompt):
    prompt("class Bad:\n    def __repr__(self):\n        raise ValueError('no repr')\n")
    told = prompt("Bad()")["error"]
    assert 'File "<input 1>", line 3, in __repr__' in told and "no repr" in told


def test_a_traceback_quotes_the_line_that_it_names(prompt):
    told = prompt("# a form feed \f and a line separator \u2028\r\na = 0\n1 / a\n'last'")["error"]
    assert 'File "<input 1>", line 3, in <module>\n    1 / a\n' in told


def test_errors_that_cause_each_other_are_told_once(prompt):
    told = prompt("a, b = ValueError('first'), ValueError('second')\na.__cause__, b.__cause__ = b, a\nraise a")["error"]
    assert told.count("ValueError: first") == told.count("ValueError: second") == 1 and 'File "<input 1>", line 3' in told


def test_what_is_printed_to_says_what_it_is_and_takes_text_alone(prompt):
    prompt("import sys")
    assert prompt("sys.stdout.writable(), sys.stdout.readable(), sys.stdin.readable()")["value"] == "(True, False, True)"
    answer = prompt("sys.stdout.write(b'x')")
    assert "TypeError: write() takes a text, not bytes." in answer["error"] and answer["printed"] == ""


def test_what_it_takes_over_it_gives_back(prompt):
    before = sys.stdout, sys.stderr, sys.stdin
    prompt("1 / 0")
    prompt("f(")
    assert (sys.stdout, sys.stderr, sys.stdin) == before


def test_a_start_of_the_lab_does_not_import_it():
    code = "import sys, embedding_lab.worker; sys.exit('embedding_lab.console' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
