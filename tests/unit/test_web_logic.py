"""The page's logic without a page: runs every web_*.test.mjs beside this file with Node's own test runner."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from embedding_lab.config import RULES, settings_table
from embedding_lab.probes import descriptions

HERE = Path(__file__).parent


@pytest.mark.parametrize("file", [path.name for path in sorted(HERE.glob("web_*.test.mjs"))])
def test_logic_of_the_page(file, tmp_path):
    """Each behaviour is named in the file; a failure prints the runner's report."""
    if not shutil.which("node"):
        pytest.fail("Node is missing: the modules of the page run in it.")
    table = tmp_path / "table.json"
    experiment = {"encodings": ["none", "learned", "sinusoidal"], "seeds": [1]}
    page = {"settings": settings_table(), "rules": RULES, "experiment": experiment, "probes": descriptions()}
    table.write_text(json.dumps(page))
    report = subprocess.run(
        ["node", "--test", "--test-reporter=spec", HERE / file],
        env={**os.environ, "LAB_TABLE": str(table)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert report.returncode == 0, report.stdout + report.stderr
