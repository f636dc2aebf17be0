"""The page's logic without a page: runs every web_*.test.mjs beside this file with Node's own test runner."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from embedding_lab.config import ENCODINGS, RULES, RunConfig, settings_table
from embedding_lab.corpus import Corpus
from embedding_lab.probes import PROBES, View, descriptions, run_probe
from embedding_lab.training import Run

HERE = Path(__file__).parent
TEXT = "The cat sat on the mat. A Dog bites a Man; his bank, the bank. " * 40
FEW = {
    "relabel": {"updates": 2},
    "width": {"updates": 1, "widths": [8, 16], "seeds": [1, 2]},
    "tying": {"updates": 1, "seeds": [1, 2]},
    "amplitude": {"updates": 1, "amplitudes": [0.05, 1], "seeds": [1]},
    "extrapolation": {"lengths": [8, 32], "characters": 512},
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """What the modules take from Python, in a file: the page's data, and what each probe answers on a run of each encoding."""
    results = {name: {} for name in PROBES}
    for encoding in ENCODINGS:
        run = Run(RunConfig(encoding=encoding, d=16, context=16, batch=4, steps=3), Corpus.from_text(TEXT), evaluate=False)
        run.advance(60)
        for name in PROBES:
            results[name][encoding] = _answer(run_probe(name, View.of(run), FEW.get(name, {})))
    experiment = {"encodings": ["none", "learned", "sinusoidal"], "seeds": [1]}
    table = {"settings": settings_table(), "rules": RULES, "experiment": experiment, "probes": descriptions()}
    file = tmp_path_factory.mktemp("page") / "table.json"
    file.write_text(json.dumps({**table, "results": results}))
    return file


def _answer(work):
    try:
        while True:
            next(work)
    except StopIteration as end:
        return end.value


@pytest.mark.parametrize("file", [path.name for path in sorted(HERE.glob("web_*.test.mjs"))])
def test_logic_of_the_page(file, page):
    """Each behaviour is named in the file; a failure prints the runner's report."""
    if not shutil.which("node"):
        pytest.fail("Node is missing: the modules of the page run in it.")
    report = subprocess.run(
        ["node", "--test", "--test-reporter=spec", HERE / file],
        env={**os.environ, "LAB_TABLE": str(page)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert report.returncode == 0, report.stdout + report.stderr
