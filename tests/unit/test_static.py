"""What Ruff and mypy say of the Python of the lab and tsc of its JavaScript, and that annotations change nothing of a start.

The rules, and the reasons for them, stand in pyproject.toml and in web/tsconfig.json.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from build import NODE_MODULES, ROOT, WEB


def says(*command):
    """What a tool of this environment prints of the whole repository, once it has found nothing."""
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)} (exit code {done.returncode})\n{done.stdout}{done.stderr}"
    return done.stdout


def test_ruff_finds_no_fault():
    says("ruff", "check", "--output-format", "concise")


def test_ruff_would_format_nothing_otherwise():
    says("ruff", "format", "--diff")


def test_mypy_finds_no_fault_in_any_module_of_the_package():
    modules = list((ROOT / "py" / "embedding_lab").rglob("*.py"))
    assert f"no issues found in {len(modules)} source files" in says("mypy")


def test_tsc_finds_no_fault_in_any_script_of_ours():
    checked = set()
    for config in WEB.glob("tsconfig*.json"):
        command = ["node", NODE_MODULES / "typescript" / "bin" / "tsc", "-p", config, "--listFiles", "--pretty", "false"]
        done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, encoding="utf-8")
        assert done.returncode == 0, f"tsc of {config.name} (exit code {done.returncode})\n{done.stdout}{done.stderr}"
        checked |= {Path(line) for line in done.stdout.splitlines()}
    ours = {path for kind in ("*.js", "*.mjs", "*.ts") for path in WEB.rglob(kind) if NODE_MODULES not in path.parents}
    assert ours <= checked


def test_a_start_loads_nothing_for_types_and_all_that_a_first_run_needs():
    # An annotation that Python evaluates may load a module: `np.random.Generator` did so with numpy.random.
    script = """
import json, sys
from embedding_lab import worker
started = set(sys.modules)
assert "error" not in worker.open_run("run", {"steps": 2}, "to be or not to be, that is the question. " * 400)
worker.advance("run", 1000, True)
print(json.dumps([sorted(started), sorted(set(sys.modules) - started)]))
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "py")}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    started, later = json.loads(done.stdout)
    read_by_type_checkers = {"numpy.typing", "embedding_lab.kinds", "embedding_lab.ops.interface", "embedding_lab.worker.kinds"}
    assert not read_by_type_checkers & {*started, *later}
    assert [name for name in later if not name.startswith("encodings.")] == []
