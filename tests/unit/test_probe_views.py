"""How the page shows the probes: runs probe_views.test.mjs on a result of every probe, of an untrained and a trained model."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from embedding_lab.config import RunConfig
from embedding_lab.probes import PROBES, View, run_probe
from embedding_lab.training import Run

HERE = Path(__file__).parent
SMALL = {"d": 16, "context": 16, "batch": 8, "steps": 30}
BRIEF = {
    "geometry": {"shuffles": 49},
    "relabel": {"updates": 5},
    "merges": {"count": 30, "characters": 5000},
    "width": {"widths": [8, 16], "seeds": [1, 2], "updates": 5},
    "tying": {"seeds": [1, 2], "updates": 5},
    "amplitude": {"amplitudes": [0, 0.05, 1], "seeds": [1, 2], "updates": 5},
    "extrapolation": {"lengths": [16, 32], "characters": 512},
    "generate": {"length": 12},
}


def measure(view, name):
    work = run_probe(name, view, BRIEF.get(name, {}))
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def samples(corpus):
    """A result of each probe for each encoding, before and after training; those that are not defined are left out."""
    for encoding in ("none", "learned", "sinusoidal", "rope", "alibi"):
        run = Run(RunConfig(encoding=encoding, **SMALL), corpus, evaluate=False)
        while run.state == "training":
            run.advance(1)
        for untrained in (True, False):
            view = View.of(run, untrained=untrained)
            for name, probe in PROBES.items():
                if not probe.needs_model and (encoding != "learned" or untrained):
                    continue  # these train models of their own, or none: once is enough
                result = measure(view, name)
                if result.get("defined") is not False:
                    yield {"probe": name, "encoding": encoding, "which": view.which, "result": result}


def test_views_of_the_probes(alice, tmp_path):
    """Each behaviour is named in the file; a failure prints the runner's report."""
    if not shutil.which("node"):
        pytest.fail("Node is missing: the modules of the page run in it.")
    results = tmp_path / "results.json"
    results.write_text(json.dumps(list(samples(alice))))
    report = subprocess.run(
        ["node", "--test", "--test-reporter=spec", HERE / "probe_views.test.mjs"],
        env={**os.environ, "LAB_PROBES": str(results)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert report.returncode == 0, report.stdout + report.stderr
