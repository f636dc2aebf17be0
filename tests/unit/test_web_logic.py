"""The page's logic without a page: runs every web_*.test.mjs beside this file with Node's own test runner."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from embedding_lab.config import RULES, settings_table
from embedding_lab.probes import descriptions
from probe_samples import samples

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def page(alice, tmp_path_factory):
    """What the modules take from Python, in a file: the page's data, and what the probes answer."""
    experiment = {"encodings": ["none", "learned", "sinusoidal"], "seeds": [1]}
    table = {"settings": settings_table(), "rules": RULES, "experiment": experiment, "probes": descriptions()}
    file = tmp_path_factory.mktemp("page") / "table.json"
    file.write_text(json.dumps({**table, "results": list(samples(alice))}))
    return file


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
