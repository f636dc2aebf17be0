"""The Python package as whoever installs its wheel has it: complete without the repository."""

import json
import shlex
import subprocess
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import build
from tests import readme

SMALL = ["--d", "8", "--heads", "2", "--context", "8", "--batch", "4", "--steps", "5", "--encoding", "learned"]
NEEDED = ("numpy", "numpy.libs", "tqdm", "joblib")


@pytest.fixture(scope="module")
def made(dist, tmp_path_factory):
    """The folder with the wheel and the source distribution, made by the README's command but for the isolation."""
    folder = tmp_path_factory.mktemp("wheels")
    command = "python3 -m build"
    assert command in readme.block("sh", f"{command}\n").splitlines()
    arguments = [*shlex.split(command)[1:], "--no-isolation", "--outdir", folder]  # no second download of the backend
    done = subprocess.run([build.venv_python(), *arguments], cwd=build.ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def installed(made, tmp_path_factory):
    """A fresh environment with the wheel; what that needs comes from the tests' environment, and nothing else of it."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder)
    [wheel] = made.glob("*.whl")
    command = [build.venv_python(), "-m", "pip", "--python", folder / "bin/python", "install", "--quiet"]
    done = subprocess.run([*command, "--no-deps", "--no-index", wheel], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    for name in NEEDED:
        (packages / name).symlink_to(Path(sysconfig.get_path("purelib"), name))
    return folder


def lab(environment, *arguments, folder):
    """Run the installed command far from the repository."""
    command = [environment / "bin/embedding-lab", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_it_needs_no_more_than_what_the_tests_lend_it():
    told = tomllib.loads((build.ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {entry.split("==")[0] for entry in told} == {name for name in NEEDED if "." not in name}


def test_the_wheel_holds_the_texts_and_nothing_that_was_made_for_one_machine(made):
    [wheel] = made.glob("*.whl")
    [source] = made.glob("*.tar.gz")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = {name: archive.read(name) for name in archive.namelist() if name.startswith("embedding_lab/")}
    for name, known in build.CORPORA_SHA256.items():
        build.check_hash(name, in_wheel[f"embedding_lab/corpora/{name}"], known)
    assert not [name for name in in_wheel if name.endswith((".so", ".pyc"))]
    py = build.ROOT / "py"
    sources = {path.relative_to(py).as_posix(): path.read_bytes() for path in (py / "embedding_lab").rglob("*.py")}
    assert sources == {name: content for name, content in in_wheel.items() if name.endswith(".py")}
    with tarfile.open(source) as archive:
        names = {member.name.split("/", 1)[1] for member in archive if member.isfile()}
    assert {name.removeprefix("py/") for name in names if name.startswith("py/")} == set(in_wheel)
    assert {"pyproject.toml", "LICENSE", "PKG-INFO"} <= names - {f"py/{name}" for name in in_wheel}
    assert not [name for name in names if name.startswith(("web/", "tests/", ".cache"))]


def test_installed_it_trains_as_the_repository_does_and_says_what_it_computes_with(installed, tmp_path):
    done = lab(installed, "train", *SMALL, "--json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    there = json.loads(done.stdout)
    command = [build.venv_python(), "-m", "embedding_lab", "train", *SMALL, "--json"]
    here = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout)
    assert there["backend"] == "numpy"
    assert there["config"] == here["config"] and there["baselines"] == here["baselines"]
    assert there["losses"]["train"] == pytest.approx(here["losses"]["train"], abs=1e-3)
    assert there["validationLoss"] == pytest.approx(here["validationLoss"], abs=1e-3)
    assert "s, with NumPy, far slower than compiled)" in lab(installed, "train", *SMALL, folder=tmp_path).stdout


def test_installed_it_lists_and_runs_the_labs_of_the_chapter(installed, tmp_path):
    listed = lab(installed, "probe", "--list", folder=tmp_path)
    assert listed.returncode == 0 and len(listed.stdout.splitlines()) > 5
    done = lab(installed, "probe", "lookup", "--untrained", *SMALL, "--json", folder=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout)["result"]


def test_a_text_that_was_not_packaged_is_named_with_what_to_do(installed, tmp_path):
    [text] = installed.rglob("corpora/alice29.txt")
    text.rename(tmp_path / "alice29.txt")
    try:
        done = lab(installed, "train", *SMALL, folder=tmp_path)
        assert done.returncode == 1 and done.stdout == ""
        [line] = done.stderr.splitlines()
        assert str(text) in line and "build.py build" in line and "name a text file" in line
        assert lab(installed, "train", *SMALL, "--corpora", tmp_path, folder=tmp_path).returncode == 0
        assert lab(installed, "train", *SMALL, "--corpus", "alice29.txt", folder=tmp_path).returncode == 0
    finally:
        (tmp_path / "alice29.txt").rename(text)
