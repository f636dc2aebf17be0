"""The compiled operations against the reference: natively, in both WebAssembly builds, and under the sanitizers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import compiled_checks as checks
from embedding_lab.config import RunConfig
from embedding_lab.ops import best, compiled, load, reference
from embedding_lab.positions import ENCODINGS
from embedding_lab.training import Run

ROOT = Path(__file__).parents[2]
SIZE = st.integers(1, 90)


@pytest.fixture(scope="module")
def native():
    return load("native")


def test_the_first_build_that_there_is_computes_and_without_any_numpy(native, monkeypatch):
    asked = best.__wrapped__  # which keeps no answer
    assert asked().NAME == native.NAME
    monkeypatch.setattr(compiled, "BUILDS", {"none-such": "none-such.so", "another": "another.so"})
    assert asked() is reference


@settings(max_examples=60, deadline=None)
@given(n=SIZE, k=st.integers(1, 300), m=SIZE)
def test_products_of_matrices(native, n, k, m):
    checks.check_products(native, n, k, m)


@settings(max_examples=60, deadline=None)
@given(n=SIZE, d=SIZE)
def test_rows(native, n, d):
    checks.check_rows(native, n, d)


@settings(max_examples=60, deadline=None)
@given(
    batch=st.integers(1, 3),
    length=st.integers(1, 40),
    heads=st.integers(1, 4),
    size=st.integers(1, 17),
    causal=st.booleans(),
    biased=st.booleans(),
)
def test_attention(native, batch, length, heads, size, causal, biased):
    checks.check_attention(native, batch, length, heads, size, causal, biased)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 200), step=st.integers(1, 5000))
def test_adamw(native, n, step):
    checks.check_adamw(native, n, step)


def test_large_values_nan_and_denormals(native):
    checks.check_extremes(native)


@pytest.mark.parametrize("build", ["relaxed-simd", "simd"])
def test_the_webassembly_builds_in_pyodide(build):
    done = subprocess.run(
        ["node", "--experimental-wasm-relaxed-simd", ROOT / "tests/unit/in_pyodide.mjs", build],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["checked", build]


def test_an_engine_that_refuses_a_build_gets_the_next_one():
    """Node without the flag has no relaxed SIMD; a module that no engine takes stands for an engine without SIMD."""
    for refused, flags, expected in [
        ([], [], "simd"),
        (["simd"], [], "numpy"),
        (["relaxed-simd", "simd"], ["--experimental-wasm-relaxed-simd"], "numpy"),
        ([], ["--experimental-wasm-relaxed-simd"], "relaxed-simd"),
    ]:
        command = ["node", *flags, ROOT / "tests/unit/in_pyodide.mjs", "best", *refused]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        assert done.stdout.split() == ["best", expected], done.stderr[-2000:]


def test_memory_is_handled_as_the_sanitizers_ask(tmp_path):
    if not shutil.which("gcc") or sys.platform != "linux":
        pytest.skip("needs gcc on Linux for its address and undefined-behaviour sanitizers")
    library = tmp_path / "kernels.so"
    flags = ["-O1", "-g", "-shared", "-fPIC", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    source = ROOT / "py/embedding_lab/ops/kernels.c"
    subprocess.run(["gcc", *flags, "-Wno-psabi", "-mavx2", "-mfma", source, "-o", library], check=True)
    runtime = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from embedding_lab.ops import compiled\n"
        "compiled.BUILDS['sanitized'] = sys.argv[1]\n"
        "from compiled_checks import check_all\n"
        "check_all('sanitized', shapes=40)\n"
        "print('clean')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, library, ROOT / "tests/unit", ROOT / "py"],
        env={**os.environ, "LD_PRELOAD": runtime, "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.stdout.strip() == "clean", done.stderr[-3000:]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    "sizes", [{}, {"layers": 2, "d": 26, "heads": 1, "context": 13, "batch": 5, "tied": False}], ids=["default", "odd"]
)
def test_gradients_of_the_model_are_those_of_numpy(alice, native, encoding, sizes):
    config = RunConfig(encoding=encoding, **sizes)
    runs = [Run(config, alice, ops=ops) for ops in (reference, native)]
    stream = np.random.default_rng(1)
    inputs, targets = alice.batch(stream, config.batch, config.context)
    for run in runs:
        run.model.losses(inputs, targets)
        run.model.backward()
    expected, found = (run.model.gradients for run in runs)
    for name, gradient in expected.arrays.items():
        assert np.abs(found[name] - gradient).max() <= 1e-5 * max(1e-3, np.abs(gradient).max()), name


def test_gradients_of_the_model_are_those_of_pytorch(alice, native):
    torch = pytest.importorskip("torch")
    from torch_reference import losses

    config = RunConfig(encoding="none", layers=2)
    run = Run(config, alice, ops=native)
    inputs, targets = alice.batch(np.random.default_rng(1), 5, 31)
    ours = run.model.losses(inputs, targets).mean()
    run.model.backward()
    parameters = {n: torch.tensor(a.astype(float), requires_grad=True) for n, a in run.model.parameters.arrays.items()}
    theirs = losses(parameters, config, torch.tensor(inputs).long(), torch.tensor(targets).long()).mean()
    theirs.backward()
    assert abs(ours - theirs.item()) < 1e-5
    for name, parameter in parameters.items():
        difference = np.abs(run.model.gradients[name] - parameter.grad.numpy()).max()
        assert difference <= 1e-5 * max(1e-3, parameter.grad.abs().max().item()), name


def test_ids_of_any_kind_of_integer_and_in_any_order_of_memory_are_looked_up(alice, native):
    model = Run(RunConfig(), alice, ops=native, evaluate=False).model
    ids = alice.validation[:18].reshape(2, 9)
    expected = model.logits(ids).copy()
    for other in (ids.astype(np.int64), ids.astype(np.uint8), np.asfortranarray(ids), np.repeat(ids, 2, axis=1)[:, ::2]):
        assert np.array_equal(model.logits(other), expected)


def test_five_hundred_steps_end_at_the_same_loss(alice, native):
    ends = []
    for ops in (reference, native):
        run = Run(RunConfig(encoding="learned"), alice, ops=ops)
        while run.state == "training":
            run.advance(60)
        ends.append(run.validation[-1][1])
    assert abs(ends[0] - ends[1]) < 0.02


def test_a_trainable_bias_trains_at_a_length_below_the_context(alice, native):
    from test_model import EverythingTrainable

    gradients = []
    for ops in (reference, native):
        run = Run(RunConfig(d=12, heads=2), alice, EverythingTrainable(), ops=ops)
        run.model.losses(*alice.batch(np.random.default_rng(1), 3, 9))
        run.model.backward()
        gradients.append(run.model.gradients["position_bias"])
    assert np.abs(gradients[0] - gradients[1]).max() <= 1e-5 * np.abs(gradients[0]).max()
    assert not gradients[1][:, 9:].any() and gradients[1][:, :9, :9].any()
