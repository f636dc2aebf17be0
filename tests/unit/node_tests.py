"""Runs a file of tests in JavaScript with Node's own test runner."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def run_in_node(file: str, **environment: str) -> None:
    """Run one file of this folder. Each behaviour is named in it; a failure prints the runner's report.

    Args:
        environment: variables that the file reads.
    """
    if not shutil.which("node"):
        pytest.fail("Node is missing: the modules of the page run in it.")
    report = subprocess.run(
        ["node", "--test", "--test-reporter=spec", HERE / file],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert report.returncode == 0, report.stdout + report.stderr
