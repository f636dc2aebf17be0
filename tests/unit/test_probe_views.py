"""How the page shows the probes: runs probe_views.test.mjs on a result of every probe, of an untrained and a trained model."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from probe_samples import samples

HERE = Path(__file__).parent


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
