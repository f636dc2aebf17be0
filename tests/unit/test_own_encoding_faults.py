"""Whatever the code of a reader's encoding does wrong is told in words, with its line, and ends nothing else."""

import subprocess
import sys

import numpy as np
import pytest

from embedding_lab import own_encoding, worker
from embedding_lab.own_encoding import OwnEncodingError
from own_code import AGAIN, HEAD, SMALL, SUMS, TABLE, TEXT, VALUE, mine, opened

pytestmark = pytest.mark.usefixtures("no_runs_left")

FAULTS = {
    "syntax": ("class Mine:\n    def table(self, length, d)\n        pass\n", 2, "The code raised SyntaxError in line 2: expected ':'"),
    "indentation": ("def f():\nreturn 1\n", 2, "IndentationError in line 2"),
    "null byte": ("a = 1\0\n", None, "null bytes"),
    "import": ("import torch_of_mine\n", 1, "ModuleNotFoundError in line 1: No module named 'torch_of_mine'"),
    "exit": ("import sys\nsys.exit(3)\n", 2, "The code called sys.exit in line 2"),
    "interrupt": ("raise KeyboardInterrupt\n", 1, "The code was interrupted in line 1"),
    "interrupt in a method": (mine(TABLE + "raise KeyboardInterrupt"), 5, "table was interrupted in line 5"),
    "memory": (mine(TABLE + "return np.zeros((10**8, 10**8))"), 5, "table asked for more memory than there is in line 5: Unable to allocate"),
    "memory of their own": (mine(TABLE + "raise MemoryError"), 5, "table asked for more memory than there is in line 5 without a message."),
    "memory for a copy": (mine(TABLE + "return np.broadcast_to(0.0, (10**8, 10**8))"), 4, "table asked for more memory than there is in line 4"),
    "nested": ("x = " + "-" * 50_000 + "1\n", None, "The code raised SyntaxError: it is nested too deeply for Python to read"),
    "a little nested": ("x = " + "-" * 5_000 + "1\n", None, "nested too deeply"),
    "syntax of their own": ("\nraise SyntaxError('x', ('your_encoding.py', 'lineno', 3, 'text'))\n", 2, "The code raised SyntaxError in line 2: x"),
    "syntax elsewhere": ("\nraise SyntaxError('x', ('your_encoding.py', 10**6, 'offset', 'text'))\n", 2, "The code raised SyntaxError in line 2: x"),
    "syntax at the end": ("def f(", 1, "The code raised SyntaxError in line 1: '(' was never closed"),
    "base": ("class E(BaseException): pass\nraise E('base')\n", 2, "The code raised E in line 2: base"),
    "stop": (mine(TABLE + "raise StopIteration"), 5, "table raised StopIteration in line 5 without a message."),
    "generator exit": (mine(TABLE + "raise GeneratorExit"), 5, "table raised GeneratorExit in line 5"),
    "text of an error": (mine(TABLE + "class E(Exception):\n        def __str__(self): raise SystemExit\n    raise E"), 7, "raised E in line 7 without"),
    "long text": (mine(TABLE + "raise ValueError('x' * 10**6)"), 5, "x ..."),
    "recursion": (mine(TABLE + "return self.table(length, d)"), 5, "table calls itself without an end in line 5"),
    "division": (mine("def bias(self, length, heads):\n    return 1 / 0"), 5, "bias raised ZeroDivisionError in line 5: division by zero"),
    "in numpy": (mine(TABLE + "return np.zeros((2, 3)) @ np.zeros((2, 3))"), 5, "table raised ValueError in line 5: matmul"),
    "exit in rotation": (mine("def rotation(self, length, head_dim):\n    exit()"), 5, "rotation called sys.exit in line 5"),
    "no class": ("x = 1\n", None, "must define one class with the methods table, rotation, bias; it defines none."),
    "part of a class": ("class Mine:\n    def table(self, length, d): return None\n", None, "Mine lacks rotation and bias. Write class Mine(PositionalEncoding)"),
    "two classes": (HEAD + "class A(PositionalEncoding): pass\nclass B(PositionalEncoding): pass\n", None, "it defines 2: A, B. Leave one."),
    "arguments": (mine("def __init__(self, base):\n    self.base = base"), 4, "Mine(), made without arguments, raised TypeError in line 4:"),
    "making": (mine("def __init__(self):\n    self.x = undefined"), 5, "raised NameError in line 5"),
    "parameters": (mine("def table(self, length):\n    return None"), 4, "table raised TypeError in line 4: Mine.table() takes 2 positional"),
    "not callable": (mine("bias = 5"), None, "bias is int: it must be a method, def bias(self, length, heads)."),
    "none for a method": (mine("bias = None"), None, "bias is NoneType: it must be a method"),
    "property": (mine("@property\ndef table(self):\n    return 1 / 0"), 6, "Looking at Mine raised ZeroDivisionError in line 6"),
    "name of a number": (mine("name = 5"), None, "name is int: it must be a text"),
    "name with a comma": (mine("name = 'a,b'"), None, "name = 'a,b' cannot be used: a name has 1 to 40 letters"),
    "empty name": (mine("name = ''"), None, "name = '' cannot be used"),
    "name that raises": (mine("@property\ndef name(self):\n    raise OSError('no')"), 6, "Looking at Mine raised OSError in line 6: no"),
    "max_length": (mine("max_length = 'long'"), None, "max_length = str: it must be a whole number from 1 on, or None"),
    "context": (mine("max_length = 7"), None, "defined for at most 7 positions, as its max_length says, but 8"),
    "shape": (mine(TABLE + "return np.zeros((d, length + 1))"), 4, "table returned the shape (8, 9); for these arguments it must be (8, 8)."),
    "list": (mine(TABLE + "return [[0.0] * d] * length"), 4, "table returned list; it returns an array of numbers or None. np.array makes one of it."),
    "generator": (mine(TABLE + "yield np.zeros(d)"), 4, "table returned generator"),
    "coroutine": (mine("async def table(self, length, d):\n    return None"), 4, "table returned coroutine; it returns an array of numbers or None. A method of `async def`"),
    "nan": (mine(TABLE + "return np.full((length, d), np.nan)"), 4, "not finite real numbers (64 of 64, the first at (0, 0))"),
    "inf": (mine("def bias(self, length, heads):\n    b = np.zeros((heads, length, length))\n    b[1, 2, 3] = -np.inf\n    return b"), 4, "(1 of 128, the first at (1, 2, 3))"),
    "too large": (mine(TABLE + "return np.full((length, d), 1e60)"), 4, "more than the 1e+18"),
    "complex": (mine(TABLE + "return np.full((length, d), 1j)"), 4, "complex numbers"),
    "objects": (mine(TABLE + "return np.full((length, d), None)"), 4, "an array of object"),
    "text": (mine(TABLE + "return np.full((length, d), 'a')"), 4, "an array of <U1"),
    "one rotation": (mine("def rotation(self, length, head_dim):\n    return np.zeros((length, 2))"), 4, "it returns (cos, sin) or None"),
    "trained rotation": (mine("def rotation(self, length, head_dim):\n    return Trainable(np.zeros((length, 2)))"), 4, "angles cannot be trained"),
    "rotation of the head": (mine("def rotation(self, length, head_dim):\n    return (np.zeros((length, head_dim)),) * 2"), 4, "must be (8, 2)"),
    "other shape": (mine(AGAIN + "return np.zeros((length, d + self.count - 1))"), 5, "Asked a second time, table returned the shape (8, 9)"),
    "other kind": (mine(AGAIN + "t = np.zeros((length, d))\n    return Trainable(t) if self.count == 1 else t"), 5, "returned a Trainable at first and fixed numbers later"),
    "other numbers": (mine(TABLE + "return np.random.default_rng().normal(size=(length, d))"), 4, "Seed your random numbers, for example with np.random.default_rng(0)"),
    "the same array, changed": (mine("t = np.zeros((8, 8))\ndef table(self, length, d):\n    self.t += 1\n    return self.t"), 5, "returned other numbers"),
    "a vector drawn when it was made": (mine("def __init__(self):\n    self.t = np.random.normal(size=(8, 8))\ndef table(self, length, d):\n    return self.t"), 6, "table returned other numbers when the code ran a second time: it must return the same each time"),
    "a slope drawn by the module": ("import numpy as np\nSLOPE = np.random.uniform()\n" + mine("def bias(self, length, heads):\n    return np.full((heads, length, length), -SLOPE)"), 6, "bias returned other numbers when the code ran a second time"),
    "a learned slope drawn by the module": ("import numpy as np\nSLOPE = np.random.uniform()\n" + mine(VALUE + "lambda p: SLOPE * p + np.zeros((8, 8)), lambda p, dvalue: SLOPE * dvalue.sum(axis=0))"), 6, "table returned other numbers when the code ran a second time"),
    "a little other": (mine(AGAIN + "return np.full((length, d), 1 + 1e-4 * self.count)"), 5, "table returned other numbers when it was asked again"),
    "value alone": (mine(VALUE + "value=lambda p: p)"), 5, "table raised PositionError in line 5: Trainable has value without gradient"),
    "start": (mine(TABLE + "return Trainable([1, 2])"), 4, "The start of the Trainable of table returned list"),
    "noise": (mine(TABLE + "return Trainable(np.zeros((length, d)), noise=-1)"), 4, "noise = -1: it must be a number from 0 to 1e+18"),
    "noise that drowns float32": (mine(TABLE + "return Trainable(np.zeros((length, d)), noise=1e38)"), 4, "noise = 1e+38: it must be a number from 0 to 1e+18"),
    "noise of text": (mine(TABLE + "return Trainable(np.zeros((length, d)), noise='some')"), 4, "noise = str"),
    "value of a number": (mine(VALUE + "5, 6)"), 4, "a Trainable with value = int: it must be a function"),
    "value of another shape": (mine(VALUE + "lambda p: p, lambda p, dvalue: p)"), 5, "value of table returned the shape (8,); for these arguments it must be (8, 8)."),
    "value raises": (mine(VALUE + "lambda p: p[99], lambda p, dvalue: p)"), 5, "value of table raised IndexError in line 5"),
    "value changes": (mine(VALUE + "self.drawn, lambda p, dvalue: p)\ndef drawn(self, p):\n    return np.random.default_rng().normal(size=(8, 8))"), 4, "returned other numbers"),
    "value writes": (mine(VALUE + "self.write, lambda p, dvalue: p)\ndef write(self, p):\n    p += 1\n    return p + np.zeros((8, 8))"), 7, "read-only"),
    "gradient raises": (mine(VALUE + "lambda p: p + np.zeros((8, 8)),\n    lambda p, dvalue: {}[0])"), 6, "gradient of table raised KeyError in line 6: 0"),
    "gradient of another shape": (mine(VALUE + "lambda p: p + np.zeros((8, 8)),\n    lambda p, dvalue: dvalue)"), 6, "gradient of table returned the shape (8, 8); for these arguments it must be (8,)."),
    "wrong gradient": (mine(VALUE + "lambda p: p**2 + np.zeros((8, 8)),\n    lambda p, dvalue: (p * dvalue).sum(axis=0))"), 6, "gradient of table is not that of its value: for the entry ["),
    "too long": ("#" * 100_001, None, "The code has 100,001 characters: at most 100,000 are run."),
    "megabyte": ("x = 1\n" * 200_000, None, "at most 100,000"),
}  # fmt: skip


@pytest.mark.parametrize("code, line, message", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_told_in_words_and_with_its_line(code, line, message):
    for answer in (
        worker.open_run("a", {**SMALL, "encoding": "own:mine"}, TEXT, None, None, None, code),
        worker.check_encoding(code, SMALL),
    ):
        error = answer["error"]
        assert (error["code"], error["field"]) == ("encoding", "encoding")
        assert message in error["message"] and len(error["message"]) < 800
        assert error["line"] == line
    assert worker.advance("a", 0)["error"]["code"] == "unknown-run"
    assert "error" not in worker.open_run("a", SMALL, TEXT) and worker.advance("a", 0)["step"] == 1


def test_other_numbers_are_told_however_late_they_come():
    code = mine(AGAIN + "return np.full((length, d), float(self.count > 3))")
    opened(code)
    assert worker.probe("lookup", "a", untrained=True)["progress"] == 1
    error = worker.probe("lookup", "a", untrained=True)["error"]
    assert (
        error["code"] == "encoding"
        and error["line"] == 5
        and "table returned other numbers when it was asked again" in error["message"]
    )


def test_the_code_runs_a_second_time_and_what_it_prints_then_is_dropped():
    own = own_encoding.load("print('module')\n" + mine(TABLE + "print('asked', length)\n    return None"))
    assert own.printed == "module\n"
    own.table(8, 8)
    own.table(9, 8)
    assert own.printed == "module\nasked 8\nasked 8\nasked 9\n"
    once = "import sys\nassert not hasattr(sys, 'ran')\nsys.ran = True\n" + mine("pass")
    try:
        with pytest.raises(OwnEncodingError, match="The code, run a second time, raised AssertionError in line 2"):
            own_encoding.load(once)
    finally:
        del sys.ran


def test_random_numbers_of_another_length_are_found_when_it_is_asked_for():
    drawn = "def __init__(self):\n    self.more = np.random.normal(size=(16, 8))\n"
    own = own_encoding.load(mine(drawn + TABLE + "return np.ones((8, 8)) if length == 8 else self.more"))
    own.table(8, 8)
    with pytest.raises(OwnEncodingError, match="table returned other numbers when the code ran a second time"):
        own.table(16, 8)


def test_code_that_seeds_or_pickles_is_the_same_when_it_runs_again():
    seeds = "np.random.seed(3)\ndef __init__(self):\n    self.t = np.random.normal(size=(8, 8))\n"
    pickles = "import pickle\n    return pickle.loads(pickle.dumps(self)).t"
    assert own_encoding.load(mine(seeds + TABLE + pickles)).table(8, 8).shape == (8, 8)


def test_a_start_of_whole_numbers_comes_to_value_as_the_model_has_it():
    code = mine(
        "def table(self, length, d):\n"
        "    def value(p):\n"
        "        return p**-1 + np.zeros((length, d))\n"  # NumPy has no negative powers of whole numbers
        "    return Trainable(np.arange(1, d + 1), 0, value, lambda p, dvalue: -p**-2 * dvalue.sum(axis=0))"
    )
    assert "error" not in opened(code) and worker.advance("a", 0)["step"] == 1


def test_a_gradient_may_ignore_what_the_mask_hides():
    for hidden in ("np.tril(dvalue)", "dvalue"):
        assert "error" not in worker.check_encoding((HEAD + SUMS).replace("dvalue.sum", f"{hidden}.sum"), SMALL)
    visible = (HEAD + SUMS).replace("dvalue.sum", "np.triu(dvalue).sum")
    assert "gradient of bias is not that of its value" in worker.check_encoding(visible, SMALL)["error"]["message"]


def test_a_wrong_gradient_is_not_forgiven_when_it_is_asked_again():
    own = own_encoding.load(mine(VALUE + "lambda p: p + np.zeros((8, 8)),\n    lambda p, dvalue: dvalue.sum(axis=1))"))
    for _ in range(2):
        with pytest.raises(OwnEncodingError, match="gradient of table is not that of its value"):
            own.table(8, 8)


def test_code_that_is_no_text_is_refused():
    assert "The code is int: it must be a text." in worker.check_encoding(5, SMALL)["error"]["message"]


def test_a_wrong_gradient_is_told_with_its_numbers():
    code = mine(
        VALUE + "lambda p: 3 * p + np.zeros((8, 8)),\n    lambda p, dvalue: 3 * dvalue.sum(axis=0) * (np.arange(8) != 5))"
    )
    message = worker.check_encoding(code, SMALL)["error"]["message"]
    assert "for the entry [5] of the parameter it returned 0, and a small step of that entry measures " in message
    right = code.replace(" * (np.arange(8) != 5)", "")
    assert "error" not in worker.check_encoding(right, SMALL)
    # In float32, and with a kink at the start, right gradients still are.
    rounds = right.replace("3 * p + np.zeros((8, 8))", "(3 * p + np.zeros((8, 8))).astype(np.float32)")
    kink = mine(
        VALUE.replace("np.ones", "np.zeros")
        + "lambda p: abs(p) + np.zeros((8, 8)),\n    lambda p, dvalue: np.sign(p) * dvalue.sum(axis=0))"
    )
    assert "error" not in worker.check_encoding(rounds, SMALL) and "error" not in worker.check_encoding(kink, SMALL)


def test_a_traceback_is_that_of_the_readers_code_alone():
    code = mine(
        "def table(self, length, d):\n    return self.helped(length)\ndef helped(self, length):\n    return np.zeros(3) @ np.zeros(length)"
    )
    error = worker.check_encoding(code, SMALL)["error"]
    lines = error["traceback"].splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert [line.strip() for line in lines if line.startswith("  File")] == [
        'File "your_encoding.py", line 5, in table',
        'File "your_encoding.py", line 7, in helped',
    ]
    assert "    return np.zeros(3) @ np.zeros(length)" in lines and lines[-1].startswith("ValueError: matmul")
    deep = worker.check_encoding(mine(TABLE + "return self.table(length, d)"), SMALL)["error"]["traceback"]
    assert "Previous line repeated" in deep and len(deep) < 2000
    assert "^" in worker.check_encoding("a b\n", SMALL)["error"]["traceback"]


def test_a_hundred_thousand_prints_are_cut():
    code = mine("def table(self, length, d):\n    for at in range(100_000):\n        print('line', at)\n    return None")
    printed = worker.check_encoding(code, SMALL)["printed"]
    assert printed.startswith("line 0\nline 1\n") and len(printed) < 10_100
    assert printed.splitlines()[-1].startswith("... and ") and printed.endswith("characters more")
    before = worker.check_encoding("print('here')\n1 / 0\n", SMALL)["error"]
    assert before["printed"] == "here\n" and before["line"] == 2


def test_a_warning_of_numpy_is_among_what_is_printed():
    code = mine(TABLE + "return np.nan_to_num(np.zeros((length, d)) / 0)")
    ask = f"from embedding_lab import worker\nprint(worker.check_encoding({code!r}, {SMALL})['printed'])"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, timeout=60)
    assert "your_encoding.py:5: RuntimeWarning: invalid value" in done.stdout and done.stderr == ""


@pytest.mark.parametrize("method", ["value", "gradient"])
@pytest.mark.parametrize(
    "fault, message",
    [
        ("raise ValueError('late')", "raised ValueError in line {line}: late"),
        ("raise SystemExit", "called sys.exit in line {line}"),
        ("raise MemoryError", "asked for more memory than there is in line {line} without"),
        ("return None", "returned NoneType; it returns an array of numbers or None"),
        ("return np.zeros(3)", "returned the shape (3,); for these arguments it must be"),
        ("return right * np.nan", "not finite real numbers"),
    ],
)
def test_an_error_on_the_way_has_its_line_and_loses_no_step(method, fault, message):
    late = {"value": "", "gradient": ""} | {method: f"if self.late: {fault}"}
    code = mine(
        "late = False\n"
        "def table(self, length, d):\n"
        "    return Trainable(np.zeros(d), 0.02, self.value, self.gradient)\n"
        "def value(self, p):\n"
        "    right = p + np.zeros((8, 8))\n"
        f"    {late['value']}\n"
        "    return right\n"
        "def gradient(self, p, dvalue):\n"
        "    right = dvalue.sum(axis=0)\n"
        f"    {late['gradient']}\n"
        "    return right"
    )
    assert "error" not in opened(code, steps=500)
    own = worker.opened.runs["a"].encoding
    step = worker.opened.runs["a"]._train_step

    def until_300():
        own._made.methods["table"].__self__.late = worker.opened.runs["a"].step == 299
        step()

    worker.opened.runs["a"]._train_step = until_300
    frames = [worker.advance("a", 60_000)]
    assert frames[0]["step"] == 299 and len(frames[0]["trainLoss"]) == 299 and frames[0]["state"] == "training"
    begins = {"value": 7, "gradient": 11}[method]
    raised = message.format(line=begins + 2)
    for _ in range(2):
        error = worker.advance("a", 60_000)["error"]
        assert error["code"] == "encoding" and error["message"].startswith(f"After step 299: {method} of table ")
        assert raised in error["message"] and error["line"] == (begins + 2 if "line" in raised else begins)
        assert (error["traceback"] is None) == ("line" not in raised)
    worker.open_run("b", SMALL, TEXT)
    assert worker.advance("b", 0)["step"] == 1


def test_parameters_that_diverge_are_told_as_those_of_the_run():
    code = mine(
        "def table(self, length, d):\n    zeros = np.zeros((length, d))\n    return Trainable(np.ones(d), 0, lambda p: p + zeros, lambda p, dvalue: dvalue.sum(axis=0))"
    )
    opened(code)
    worker.opened.runs["a"].model.parameters["position_table"][0] = np.nan
    frame = worker.advance("a", 60_000)
    assert frame["state"] == "diverged" and "Diverged at step 1" in frame["message"]


def test_code_that_patches_numpy_is_told_and_ends_with_its_process():
    """In one process it cannot be undone: the page gives such code a worker of its own."""
    code = (
        "from embedding_lab import worker\n"
        "code = 'import numpy as np\\nfrom embedding_lab.positions import PositionalEncoding\\n'\n"
        "code += 'class Mine(PositionalEncoding): pass\\ndef broken(*_, **__): raise OSError(\"patched\")\\n'\n"
        "code += 'np.arange = np.zeros = np.isfinite = broken\\n'\n"
        f"print(worker.check_encoding(code, {SMALL})['error']['message'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The lab failed after your code had run in it (OSError: patched)")


def test_memory_that_ends_in_the_lab_is_the_machines(monkeypatch):
    def full(self, *sizes):
        raise MemoryError

    monkeypatch.setattr(own_encoding.Own, "bias", full)
    assert worker.check_encoding(mine(TABLE + "return np.zeros((length, d))"), SMALL)["error"]["code"] == "memory"


def test_what_the_code_had_allocated_is_free_once_its_error_is_told():
    """Though its frames hold it, and the run keeps the error."""
    code = "import weakref\nheld = []\n" + mine(
        TABLE + "big = np.zeros(1000)\n    held.append(weakref.ref(big))\n    raise MemoryError"
    )
    with pytest.raises(OwnEncodingError) as caught:
        own_encoding.load(code).table(8, 8)
    assert sys.modules["your_encoding"].held[0]() is None and caught.value.line == 9


@pytest.mark.parametrize("body", ["signal.raise_signal(signal.SIGINT)", "_thread.interrupt_main()\n    while True: pass"])
def test_ctrl_c_in_the_code_interrupts_the_lab(body):
    own = own_encoding.load("import signal, _thread\n" + mine(TABLE + body))
    with pytest.raises(KeyboardInterrupt):
        own.table(8, 8)


def test_a_traceback_quotes_its_line_whatever_characters_the_code_has():
    code = mine(TABLE + "a = 1  # @ end no line\n    return a / 0").replace("@", "\f\v\x1c\x1d\x1e\x85\u2028\u2029")
    for lines in (code, code.replace("\n", "\r\n"), code.replace("\n", "\r")):
        error = worker.check_encoding(lines, SMALL)["error"]
        assert error["line"] == 6 and "line 6, in table\n    return a / 0\n" in error["traceback"]
