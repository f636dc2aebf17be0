#!/usr/bin/env python3
"""Builds, serves, tests and measures Embedding Lab, starting from a plain Python >= 3.11 with Node.js >= 20 and npm.

Each step leaves a stamp, written last, that says what it was made from. A step whose stamp still holds is skipped; one
that was interrupted has no stamp and is made again. What ships is checked by hash, npm's packages by their lock file, and
kept in .cache and web/node_modules; the Python packages that build and test are taken by their versions.
"""

import argparse
import base64
import contextlib
import hashlib
import html
import http.server
import itertools
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
WEB = ROOT / "web"
VENV = ROOT / ".venv"
CACHE = ROOT / ".cache"
NODE_MODULES = WEB / "node_modules"
PYODIDE = NODE_MODULES / "pyodide"
CORPORA = ROOT / "py/embedding_lab/corpora"  # within the package, so that a wheel of it has its texts

OLDEST_PYTHON = (3, 11)
OLDEST_NODE = 20

# The official NumPy wheel for Pyodide is on no package index; this npm package, of which nothing else is used, carries it.
NUMPY_PACKAGE = "@bentopdf/pymupdf-wasm@0.11.16"
NUMPY_VERSION = "2.2.5"
NUMPY_WHEEL = "numpy-2.2.5-cp313-cp313-pyodide_2025_0_wasm32.whl"
NUMPY_SHA256 = "125230b4c3ecd08803e5c43f1162e017c0718d9f253146225a705a952b9c16c2"

# Public-domain books, the ones that compressors are measured on, are among the test data of this source distribution.
CORPORA_PACKAGE = "brotli==1.2.1"
CORPORA_SHA256 = {
    "alice29.txt": "7467306ee0feed4971260f3c87421154a05be571d944e9cb021a5713700c38f0",
    "asyoulik.txt": "eaa3526fe53859f34ecdf255712f9ecf0b2c903451d4755b2edaa2e2599cb0fc",
    "plrabn12.txt": "07e2e0b461af78c7c647cb53dab39de560198e16f799b4516eccf0fbd69f764c",
}

# What the tab loads, and the stage of loading that each file belongs to.
RUNTIME_MODULES = ("runtime.mjs", "lock-down.mjs")  # the lab's own, which a worker starts with
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm")
SNAPSHOT = "memory.bin"  # of a Python that has started, made by web/snapshot.mjs
STANDARD_LIBRARY = "python_stdlib.zip"  # where the snapshot fails, and for what is not in it
NUMPY_LATER = "numpy-later.zip"  # what no start imports; py/embedding_lab/later.py brings it when it is imported
RUNTIME_PYTHON = (3, 13)

# Its worker is a text that its makers bundled of what it depends on: esbuild does not see what that is made of.
POLYSCRIPT = "node_modules/polyscript"

# The builds of ops/kernels.c by the clang that ziglang carries, and what each needs; ops/compiled.py loads them.
KERNEL_BUILDS = {
    "kernels-relaxed-simd.wasm": ("-target", "wasm32-freestanding", "-msimd128", "-mrelaxed-simd"),
    "kernels-simd.wasm": ("-target", "wasm32-freestanding", "-msimd128"),
    "kernels-native.so": ("-mcpu=native", "-ffp-contract=fast", "-nostdlib", "-shared"),
}
KERNEL_FLAGS = ("-O3", "-fPIC", "-fno-math-errno", "-Wall", "-Wextra", "-Werror")

SERVICE_WORKER = "sw.js"  # browsers look for it under this name in every version
ELEMENT = "embedding-lab.js"  # the pages of courses name it, so its name never changes either
SITE_FILES = "self.__WB_MANIFEST"  # what stands in it where the list of the site's files comes
# What a visitor can do without when there is no network, by the beginning or the end of its name.
NOT_KEPT = re.compile(r"^(licenses/|\.|_)|(\.map|\.br|\.gz|^sw\.js|^embedding-lab\.js|^404\.html)$")

# What the tab's wheel leaves out: the command line and what only it needs, what only type checkers read, the starting
# points, which the page has from `describe`, and the texts, which it fetches one by one.
STARTING_POINTS = sorted(path.stem for path in (ROOT / "py/embedding_lab/starting_points").glob("*.py"))
OFF_THE_TAB = (
    *("__main__", "cli", "sweep", "journal", "results", "run_files", "encoding_files", "whole_files"),
    *("kinds", "ops/interface", "worker/kinds"),
    *(f"starting_points/{name}" for name in STARTING_POINTS),
)
UNUSED_IN_THE_TAB = re.compile(
    rf"embedding_lab/({'|'.join(OFF_THE_TAB)})\.py|embedding_lab/corpora/.*|.*/(RECORD|entry_points\.txt)"
)

# Folders of the site whose names tell their content, so that browsers may keep what is in them for ever.
HASHED_FOLDERS = ("assets/", "corpora-", "python-")
FOREVER = "public, max-age=31536000, immutable"  # a year, the longest that is meaningful

NO_TESTS = 5  # pytest's exit code where the options choose none: as an option may for one part of the tests

MIME_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".map": "application/json",
    ".py": "text/x-python; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".wasm": "application/wasm",
    ".whl": "application/zip",
    ".zip": "application/zip",
    "": "application/octet-stream",
}
TYPES_TO_TELL = (".mjs", ".wasm", ".webmanifest")  # those that a host may not know


class BuildError(Exception):
    """What is wrong and what to do about it, in one line."""


def say(line):
    print(line, flush=True)


# Stamps and hashes


def sha256(path):
    """The SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def integrity(path):
    """The SHA-256 of a file in the form that browsers take to check what comes."""
    return "sha256-" + base64.b64encode(hashlib.sha256(Path(path).read_bytes()).digest()).decode()


def revision(path):
    """What tells two versions of a file apart whose name stays, in the service worker's list."""
    return sha256(path)[:10]


def fingerprint(paths, *more):
    """One hash of the names and contents of files and of whatever else decides a result."""
    total = hashlib.sha256(repr(more).encode())
    for path in sorted(paths):
        total.update(f"{os.path.relpath(path, ROOT)} {sha256(path)}\n".encode())
    return total.hexdigest()


def read_stamp(path):
    """What a stamp says, or {} if there is none that can be read."""
    try:
        stamp = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_whole(path, content):
    """Write bytes so that the file is either absent or complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_stamp(path, stamp):
    write_whole(path, json.dumps(stamp, indent=1).encode())


# Tools


def run(command, failure, **options):
    """Run a program quietly and return what it printed; if it fails, its last words follow `failure` in one line."""
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    except OSError as error:
        raise BuildError(f"{failure}: {error}") from error
    if done.returncode:
        said = [line.strip() for line in (done.stderr + "\n" + done.stdout).splitlines() if line.strip()]
        telling = [line for line in said if re.search(r"error", line, re.IGNORECASE)]
        raise BuildError(f"{failure}: {(telling or said or [f'exit code {done.returncode}'])[0]}")
    return done.stdout


def tool(name, remedy):
    """The path of a program, or one line that says how to get it."""
    path = shutil.which(name)
    if not path:
        raise BuildError(f"{name} is not on the PATH: {remedy}.")
    return path


def node():
    """The path of a Node.js that is new enough."""
    remedy = f"install Node.js {OLDEST_NODE} or newer, which brings npm"
    path = tool("node", remedy)
    version = run([path, "--version"], "Node.js does not start").strip()
    if int(re.match(r"v?(\d+)", version)[1]) < OLDEST_NODE:
        raise BuildError(f"Node.js {version} is too old: {remedy}.")
    return path


def venv_python():
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


@contextlib.contextmanager
def one_at_a_time():
    """Make a second build.py on this tree wait until the first has built."""
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        with contextlib.suppress(ImportError):  # Windows has no such lock: there, run one at a time
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_venv(*extras):
    """Make .venv hold the lab (editable) and these extras of pyproject.toml; what it holds besides stays."""
    stamp_file = VENV / "stamp.json"
    stamp = read_stamp(stamp_file)
    wanted = sorted({*extras, *stamp.get("extras", [])})
    made_from = fingerprint([ROOT / "pyproject.toml"])
    new_stamp = {"root": str(ROOT), "python": sys.version, "made_from": made_from, "extras": wanted}
    if stamp == new_stamp and venv_python().exists():
        return
    say(f"Installing Python packages into .venv ({', '.join(wanted)}) ...")
    if VENV.is_symlink():  # to another checkout's, which would lose what it has installed
        VENV.unlink()
    stamp_file.unlink(missing_ok=True)
    if (stamp.get("root"), stamp.get("python")) != (str(ROOT), sys.version) or not venv_python().exists():
        run(
            [sys.executable, "-m", "venv", "--clear", VENV],
            "Python cannot make .venv (on Debian and Ubuntu: apt-get install python3-venv)",
        )
    run(
        [venv_python(), "-m", "pip", "install", "--quiet", "--editable", f"{ROOT}[{','.join(wanted)}]"],
        "pip cannot install what pyproject.toml lists; check the network and pip's index, then run this again",
    )
    write_stamp(stamp_file, new_stamp)


def make_node_modules():
    """Install what package-lock.json lists, exactly."""
    node()
    npm = tool("npm", "install it with Node.js")
    stamp_file = NODE_MODULES / "stamp.json"
    made_from = fingerprint([WEB / "package.json", WEB / "package-lock.json", WEB / ".npmrc"])
    if read_stamp(stamp_file).get("made_from") == made_from:
        return
    say("Installing browser packages into web/node_modules ...")
    stamp_file.unlink(missing_ok=True)
    run([npm, "ci"], "npm ci failed; check the network and npm's registry, then run this again", cwd=WEB)
    write_stamp(stamp_file, {"made_from": made_from})


# Downloads


def check_hash(name, content, expected):
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise BuildError(f"{name} has sha256 {found} instead of {expected}: it is not the file that this lab was made with.")


def get_numpy_wheel(given=None):
    """NumPy's wheel for the tab: the given copy, or the one in .cache, or a fresh one from npm."""
    if given:
        if not Path(given).is_file():
            raise BuildError(f"--numpy-wheel {given}: there is no such file.")
        check_hash(given, Path(given).read_bytes(), NUMPY_SHA256)
        return Path(given)
    wheel = CACHE / NUMPY_WHEEL
    if wheel.exists() and sha256(wheel) == NUMPY_SHA256:
        return wheel
    say("Fetching NumPy for the tab ...")
    npm = tool("npm", "install it with Node.js, or give the wheel with --numpy-wheel FILE")
    with tempfile.TemporaryDirectory() as folder:
        run(
            [npm, "pack", "--silent", NUMPY_PACKAGE],
            "npm cannot fetch the package with NumPy's wheel; check the network, or give the wheel with --numpy-wheel FILE",
            cwd=folder,
        )
        content = read_members(next(Path(folder).glob("*.tgz")), [NUMPY_WHEEL])[NUMPY_WHEEL]
    check_hash(NUMPY_WHEEL, content, NUMPY_SHA256)
    write_whole(wheel, content)
    return wheel


def get_corpora():
    """The folder with the three texts."""
    folder = CORPORA
    if all((folder / name).exists() and sha256(folder / name) == known for name, known in CORPORA_SHA256.items()):
        return folder
    say("Fetching the texts ...")
    with tempfile.TemporaryDirectory() as download:
        run(
            [
                *(venv_python(), "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"),
                *("--dest", download, CORPORA_PACKAGE),
            ],
            "pip cannot fetch the package with the texts; check the network and pip's index, then run this again",
        )
        texts = read_members(next(Path(download).glob("*.tar.gz")), CORPORA_SHA256)
    for name, content in texts.items():
        check_hash(name, content, CORPORA_SHA256[name])
        write_whole(folder / name, content)
    return folder


def read_members(archive, names):
    """The contents of some files of a tar archive, by file name without folder."""
    found = {}
    with tarfile.open(archive) as opened:
        for member in opened:
            name = member.name.rsplit("/", 1)[-1]
            if member.isfile() and name in names and name not in found:
                found[name] = opened.extractfile(member).read()
    missing = sorted(set(names) - set(found))
    if missing:
        raise BuildError(f"{archive.name} does not hold {', '.join(missing)}: its version in build.py must be wrong.")
    return found


# Wheels


def find_runtime_python():
    """A working CPython of the tab's version, which alone can write its byte code; None if there is none."""
    name = "python{}.{}".format(*RUNTIME_PYTHON)
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    candidates = [sys.executable, shutil.which(name)]
    candidates += sorted(pyenv.glob("versions/{}.{}*/bin/python".format(*RUNTIME_PYTHON)))
    probe = f"import sys; sys.exit(sys.version_info[:2] != {RUNTIME_PYTHON} or sys.implementation.name != 'cpython')"
    for candidate in filter(None, candidates):
        with contextlib.suppress(OSError):
            if subprocess.run([candidate, "-c", probe], capture_output=True, check=False).returncode == 0:
                return str(candidate)
    return None


def make_byte_compiler(python):
    """The path of `pyodide`, whose `py-compile` turns a wheel's sources into byte code, in a small environment of its own."""
    import tomllib  # not at the top: a Python too old to have it is to be told so in one line

    venv = CACHE / "byte-compiler"
    pyodide = venv / ("Scripts/pyodide.exe" if os.name == "nt" else "bin/pyodide")
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]["byte-compiler"]
    stamp_file, stamp = venv / "stamp.json", {"python": python, "packages": packages}
    if read_stamp(stamp_file) != stamp:
        say("Installing pyodide-build ...")
        run([python, "-m", "venv", "--clear", venv], f"{python} cannot make an environment for pyodide-build")
        run(
            [pyodide.with_name("python"), "-m", "pip", "install", "--quiet", *packages],
            "pip cannot install pyodide-build; check the network and pip's index, then run this again",
        )
        write_stamp(stamp_file, stamp)
    return pyodide


def shrink_wheel(wheel, out, python):
    """Rewrite a wheel without what only compilers and type checkers read, as byte code if there is a `python` for that.

    Byte code starts faster. It leaves tracebacks without source lines, so the lab's own wheel keeps its source.
    """
    unused = re.compile(r"\.(pyi|pxd|pyx|a|h|c|rst)$|/include/|/tests/|/conftest\.py$|/f2py/|/RECORD$")
    with zipfile.ZipFile(wheel) as archive:
        write_wheel(out, {name: archive.read(name) for name in archive.namelist() if not unused.search(name)})
    if not python:
        return
    command = [make_byte_compiler(python), "py-compile", "--silent", out]
    undated = {"SOURCE_DATE_EPOCH": "0"}  # the byte code tells its source by a hash instead of a time
    without_columns = {"PYTHONNODEBUGRANGES": "1"}  # of source that a traceback cannot quote
    environment = {**os.environ, **undated, **without_columns}
    run(command, f"pyodide py-compile cannot compile {wheel.name}", env=environment)
    with zipfile.ZipFile(out) as archive:
        compiled = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}
    write_wheel(out, compiled)


def split_wheel(wheel, first, later):
    """Leave in a wheel what tells of it and the files `first`, and move all others into an archive, `later`."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}
    kept = {name for name in files if name in first or ".dist-info/" in name}
    write_archive(later, {name: files[name] for name in sorted(files.keys() - kept)})
    write_wheel(wheel, {name: files[name] for name in kept})


def write_wheel(out, files):
    """Write a wheel of these files and their RECORD."""
    files = {name: files[name] for name in sorted(files) if not name.endswith("/")}
    record = next(name for name in files if name.endswith(".dist-info/METADATA")).replace("METADATA", "RECORD")
    lines = [f"{name},sha256={record_hash(content)},{len(content)}" for name, content in files.items()]
    write_archive(out, {**files, record: "\n".join([*lines, f"{record},,", ""]).encode()})


def write_archive(out, files):
    """Write files into a zip archive such that the same files give the same bytes."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)  # dated 1980
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def record_hash(content):
    """A hash as RECORD of a wheel writes it: URL-safe base64 without padding."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def processor():
    """What this machine's processor can do, as far as it can be told: code made for another would not run on it."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return sorted({line for line in lines if line.startswith(("flags", "Features", "model name"))})
    return platform.platform(), platform.processor()


def make_kernels():
    """Compile ops/kernels.c beside it: twice for the tab, with and without relaxed SIMD, and once for this machine."""
    source, ops = ROOT / "py/embedding_lab/ops/kernels.c", ROOT / "py/embedding_lab/ops"
    stamp_file = CACHE / "kernels.json"
    made_from = fingerprint([source, ROOT / "pyproject.toml"], KERNEL_BUILDS, KERNEL_FLAGS, processor())
    built = [ops / name for name in KERNEL_BUILDS]
    if read_stamp(stamp_file).get("made_from") == made_from and all(path.exists() for path in built if path.suffix == ".wasm"):
        return
    say("Compiling the operations ...")
    stamp_file.unlink(missing_ok=True)
    zig = [venv_python(), "-m", "ziglang"]
    with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
        for path in built:
            flags, out = KERNEL_BUILDS[path.name], Path(temporary, path.name)
            if path.suffix == ".wasm":
                compiled = out.with_suffix(".o")
                run([*zig, "cc", *KERNEL_FLAGS, *flags, "-c", source, "-o", compiled], "zig cannot compile ops/kernels.c")
                link = ["-shared", "--experimental-pic", "--no-entry", "--export-dynamic", "--strip-all"]
                run([*zig, "wasm-ld", *link, compiled, "-o", out], "zig cannot link ops/kernels.c")
            else:
                try:
                    run([*zig, "cc", *KERNEL_FLAGS, *flags, source, "-o", out], "zig cannot compile ops/kernels.c")
                except BuildError as error:
                    path.unlink(missing_ok=True)  # what is there was compiled from other sources or for another processor
                    say(f"Outside the tab the lab computes with NumPy alone here: {error}")
                    continue
            write_whole(path, out.read_bytes())
    write_stamp(stamp_file, {"made_from": made_from})


def make_lab_wheel(folder, python):
    """Build the lab's wheel for the tab into a folder, with byte code beside its sources if there is a `python` for that.

    It keeps its sources, because readers see them and tracebacks quote them.
    """
    run(
        [venv_python(), "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT],
        "pip cannot build the lab's wheel",
    )
    wheel = next(folder.glob("embedding_lab-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not UNUSED_IN_THE_TAB.fullmatch(name)}
    write_wheel(wheel, files)
    if python:
        with tempfile.TemporaryDirectory() as temporary:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(temporary)
            command = [python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "-s", temporary, temporary]
            run(command, "Python cannot compile the lab")
            files = {path.relative_to(temporary).as_posix(): path for path in Path(temporary).rglob("*") if path.is_file()}
            write_wheel(wheel, {name: path.read_bytes() for name, path in files.items() if path.name != "RECORD"})
    return wheel


# The site


def site_inputs():
    """Every file of this repository that the site is made from."""
    unwanted = {"node_modules", "__pycache__"}
    for top in (ROOT / "py", WEB):
        for folder, folders, files in os.walk(top):
            folders[:] = [name for name in folders if name not in unwanted]
            yield from (Path(folder, name) for name in files if not name.endswith(".so"))  # of this machine, not of the site
    yield from (ROOT / "build.py", ROOT / "pyproject.toml", ROOT / "LICENSE")


def is_complete(out, made_from):
    """Whether `out` was made from exactly this and no file of it was lost or cut since."""
    stamp = read_stamp(out / ".stamp.json")
    return stamp.get("made_from") == made_from and all(
        (out / name).is_file() and (out / name).stat().st_size == size for name, size in stamp["files"].items()
    )


def build(out, numpy_wheel=None, offline=True):
    """Make everything that the site needs and then the site; do nothing where it is made already.

    Without `offline`, browsers do not keep the site, and forget what an earlier version of it had them keep.
    """
    make_venv("build")
    make_node_modules()
    wheel = get_numpy_wheel(numpy_wheel)
    corpora = get_corpora()
    make_kernels()
    python = find_runtime_python()
    made_from = fingerprint(site_inputs(), bool(python), offline, read_stamp(NODE_MODULES / "stamp.json"))
    if is_complete(out, made_from) and (CACHE / "lab-data.json").exists():
        return
    if out.exists() and not out.is_dir():
        raise BuildError(f"--out {out} is a file: choose a folder.")
    if out.exists() and any(out.iterdir()) and not (out / ".stamp.json").exists():
        raise BuildError(f"{out} holds files that this build did not make: empty it, or choose another --out.")
    say(f"Building {os.path.relpath(out)} ...")
    if not python:
        say("No CPython 3.13 was found, so NumPy and the lab ship as source alone, and the page starts later.")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".dist-") as temporary:
        new, old = Path(temporary, "new"), Path(temporary, "old")
        new.mkdir()
        data = assemble(new, wheel, corpora, python, offline)
        sizes = {path.relative_to(new).as_posix(): path.stat().st_size for path in new.rglob("*") if path.is_file()}
        write_stamp(new / ".stamp.json", {"made_from": made_from, "files": sizes})
        write_whole(CACHE / "lab-data.json", data)  # what the site was bundled with, for tests and benchmarks
        if out.exists():
            out.rename(old)
        new.rename(out)


def assemble(site, numpy_wheel, corpora, python, offline=True):
    """Put every file of the site into an empty folder; returns its `lab-data`. All URLs in it are relative.

    What may change keeps its name (the pages, the service worker, the element for the pages of courses, licenses);
    assets, texts and the Python runtime have names that tell their content, so that a host may let browsers keep them
    for ever.
    """
    texts = site / f"corpora-{fingerprint_of_files(corpora.iterdir())}"
    shutil.copytree(corpora, texts)
    runtime = add_runtime(site, numpy_wheel, python)
    described = json.loads(
        run([venv_python(), "-m", "embedding_lab", "describe", "--corpora", texts], "the lab cannot describe itself")
    )
    for corpus in described["corpora"]:
        corpus["integrity"] = integrity(site / corpus["file"])
    data = json.dumps({**described, "runtime": runtime, "offline": offline}).encode()
    packages = add_pages(site, data, runtime["folder"])
    add_licenses(site / "licenses", packages, numpy_wheel)
    list_files(site, offline)
    add_what_hosts_read(site)
    compressed = [node(), WEB / "precompress.mjs", site, CACHE / "compressed"]
    run(compressed, "Node.js cannot compress the site")
    return data


def add_runtime(site, numpy_wheel, python):
    """Add the folder that a Python worker loads from; returns its name and the sizes and hashes of what is loaded, in order."""
    folder = site / "python"
    folder.mkdir()
    for name in (*PYODIDE_FILES, STANDARD_LIBRARY):
        shutil.copy(PYODIDE / name, folder)
    for name in RUNTIME_MODULES:
        shutil.copy(WEB / "lab" / name, folder)
    shrink_wheel(numpy_wheel, folder / NUMPY_WHEEL, python)
    lab_wheel = make_lab_wheel(folder, python)
    write_lock(folder, lab_wheel)
    snapshot = [node(), WEB / "snapshot.mjs", folder, folder / SNAPSHOT]
    needed = json.loads(run(snapshot, "Pyodide cannot make the snapshot that the tab starts from", cwd=WEB))
    split_wheel(folder / NUMPY_WHEEL, set(needed), folder / NUMPY_LATER)
    write_lock(folder, lab_wheel)
    hashed = site / f"python-{fingerprint_of_files(folder.iterdir())}"
    folder.rename(hashed)
    stages = dict.fromkeys([*RUNTIME_MODULES, "pyodide.mjs", "pyodide-lock.json", *PYODIDE_FILES, SNAPSHOT], "runtime")
    stages.update({NUMPY_WHEEL: "packages", lab_wheel.name: "packages"})

    def described(name):
        return {"file": name, "bytes": (hashed / name).stat().st_size, "integrity": integrity(hashed / name)}

    files = [{**described(name), "stage": stage} for name, stage in stages.items()]
    fallback = described(STANDARD_LIBRARY)
    total = sum(file["bytes"] for file in files)
    return {"folder": f"{hashed.name}/", "files": files, "totalBytes": total, "fallback": fallback}


def fingerprint_of_files(paths):
    """Ten hexadecimal digits that change with any of these files."""
    return hashlib.sha256(repr([(path.name, sha256(path)) for path in sorted(paths)]).encode()).hexdigest()[:10]


def write_lock(folder, lab_wheel):
    """Write Pyodide's lock file for the two wheels in a folder."""
    lab_version = lab_wheel.name.split("-")[1]
    lock = {
        "info": json.loads((PYODIDE / "pyodide-lock.json").read_text())["info"],
        "packages": {
            "numpy": lock_entry("numpy", NUMPY_VERSION, folder / NUMPY_WHEEL, []),
            "embedding-lab": lock_entry("embedding-lab", lab_version, lab_wheel, ["numpy"]),
        },
    }
    (folder / "pyodide-lock.json").write_text(json.dumps(lock, indent=1))


def lock_entry(name, version, wheel, depends):
    """A package in the form of Pyodide's lock file."""
    return {
        "name": name,
        "version": version,
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": sha256(wheel),
        "package_type": "package",
        "imports": [name.replace("-", "_")],
        "depends": depends,
        "unvendored_tests": False,
    }


def add_pages(site, data, runtime):
    """Bundle what the pages name, and copy the pages with the bundled names; returns the npm packages within."""
    pages = sorted(WEB.glob("*.html"))
    markup = {page: page.read_text(encoding="utf-8") for page in pages}
    named = re.compile(r'\b(src|href)="((?![a-z]+:|/|#)[^"?#]+\.(?:js|css))"')
    entries = sorted({match[2] for text in markup.values() for match in named.finditer(text)})
    folder = CACHE / "bundle"  # always the same place, since esbuild's hashes and source maps depend on it
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "lab-data.json").write_bytes(data)
    command = [node(), WEB / "bundle.mjs", folder / "lab-data.json", folder / "assets", *entries, SERVICE_WORKER, ELEMENT]
    result = json.loads(run(command, "esbuild cannot bundle the page", cwd=WEB))
    shutil.copytree(folder / "assets", site / "assets")
    for name in (SERVICE_WORKER, ELEMENT):
        (site / "assets" / name).rename(site / name)
    modules = re.compile(r'( *<link rel="modulepreload" href="assets/)([^"]+)(">\n)')
    for page, text in markup.items():
        text = named.sub(lambda match: f'{match[1]}="assets/{result["outputs"][match[2]]}"', text)
        text = modules.sub(lambda match: "".join(f"{match[1]}{name}{match[3]}" for name in result["modules"][match[2]]), text)
        markup[page] = text.replace('href="python/', f'href="{runtime}').replace("{numpy}", NUMPY_WHEEL)
    version = hashlib.sha256("".join(markup.values()).encode()).hexdigest()[:10]  # they name all else by its content
    for page, text in markup.items():
        (site / page.name).write_text(text.replace("{version}", version), encoding="utf-8")
    for file in (*WEB.glob("*.svg"), *WEB.glob("*.png"), *WEB.glob("*.webmanifest")):
        shutil.copy(file, site)
    return result["packages"]


def list_files(site, offline=True):
    """Write into the service worker which files a browser keeps of the site, each with what tells its content.

    A page has no integrity: a browser that lost it asks the server, where a newer page may be, and that may be shown, since
    it names files of its own.
    """
    files = []
    for path in sorted(site.rglob("*")):
        name = path.relative_to(site).as_posix()
        if path.is_file() and not NOT_KEPT.search(name):
            if name.startswith(HASHED_FOLDERS):
                files.append({"url": name, "revision": None, "integrity": integrity(path)})
            else:
                files.append({"url": name, "revision": revision(path)})
    worker = site / SERVICE_WORKER
    source = worker.read_text(encoding="utf-8")
    if source.count(SITE_FILES) != 1:
        raise BuildError(f"{SERVICE_WORKER} must name {SITE_FILES} once: its bundling has changed.")
    worker.write_text(source.replace(SITE_FILES, json.dumps(files if offline else None)), encoding="utf-8")


def add_licenses(folder, packages, numpy_wheel):
    """Add the licence of everything in the site that others made, and a page that lists them."""
    import tomllib  # not at the top: a Python too old to have it is to be told so in one line

    folder.mkdir()
    rows = []

    def add(name, version, license_name, source, texts):
        links = []
        for suffix, content in texts.items():
            file = "-".join(filter(None, [re.sub(r"[^\w.]+", "-", name).strip("-"), suffix])) + ".txt"
            (folder / file).write_bytes(content)
            links.append(f'<a href="{file}">{html.escape(suffix or license_name)}</a>')
        cells = [name, version, ", ".join(links), source]
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")

    own = WEB / "licenses"
    add("Embedding Lab", "", "MIT", "this site", {"": (ROOT / "LICENSE").read_bytes()})
    version = json.loads((PYODIDE / "package.json").read_text())["version"]
    mozilla, psf = (own / "MPL-2.0.txt").read_bytes(), (own / "Python-3.13.txt").read_bytes()
    add("Pyodide", version, "MPL-2.0", "its source: npm package pyodide, and github.com/pyodide/pyodide", {"": mozilla})
    add("CPython", "3.13", "PSF-2.0", "inside Pyodide", {"": psf})
    with zipfile.ZipFile(numpy_wheel) as archive:
        texts = [name for name in archive.namelist() if re.search(r"/LICENSE(\.\w+)?$", name) and "/include/" not in name]
        numpy = {("" if "dist-info" in name else name.split("/")[1]): archive.read(name) for name in texts}
    add("NumPy", NUMPY_VERSION, "BSD-3-Clause", "the wheel that Pyodide's makers built", numpy)
    for part in tomllib.loads((own / "parts.toml").read_text(encoding="utf-8"))["part"]:
        text = own / "inside" / part["text"]
        if not text.exists():
            raise BuildError(f"{part['name']} in {part['inside']} has no licence text: put it into {text.relative_to(ROOT)}.")
        source = f"inside {part['inside']}; its licence text from {part['source']}"
        add(part["name"], part["version"], part["license"], source, {"": text.read_bytes()})
    for package in sorted({*packages, *dependencies(POLYSCRIPT)}):
        described = json.loads((WEB / package / "package.json").read_text())
        author = re.sub(r" *<.*", "", str(described.get("author"))).replace(" ", "-")
        stand_in = own / f"{described['license']}-{author}.txt"  # for packages that name their licence and leave out its text
        text = [*sorted((WEB / package).glob("LICEN[CS]E*")), *([stand_in] if stand_in.exists() else [])][:1]
        if not text:
            raise BuildError(f"{described['name']} carries no licence text: put it into {stand_in.relative_to(ROOT)}.")
        add(described["name"], described["version"], described["license"], "npm package", {"": text[0].read_bytes()})
    page = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta name="viewport" content="width=device-width">
<title>Licences: Embedding Lab</title>
<main>
<h1>What this site is made of</h1>
<p>Each part comes with its licence. The texts to train on are in the public domain.</p>
<table cellpadding="4">
<tr><th>part</th><th>version</th><th>licence</th><th>where from</th></tr>
{rows}
</table>
</main>
</html>
"""
    (folder / "index.html").write_text(page.replace("{rows}", "\n".join(dict.fromkeys(rows))), encoding="utf-8")


def dependencies(package):
    """The folders of what an npm package depends on, directly or not, found as Node.js finds them."""
    found = set()
    for name in json.loads((WEB / package / "package.json").read_text()).get("dependencies", {}):
        places = (folder / "node_modules" / name for folder in (Path(package), *Path(package).parents))
        folder = next(place.as_posix() for place in places if (WEB / place / "package.json").exists())
        found |= {folder, *dependencies(folder)}
    return found


def add_what_hosts_read(site):
    """Add what tells GitHub Pages to leave the site as it is, and `_headers` for Netlify, Cloudflare Pages and their like.

    Where several rules match a file, some hosts join the values of a header and some take one, so no two rules set the same.
    What has no Cache-Control here, those hosts let browsers keep only after asking, which is right.
    """
    (site / ".nojekyll").touch()
    rules = {"/*": ["Access-Control-Allow-Origin: *", "X-Content-Type-Options: nosniff"]}
    for path in sorted(site.rglob("*")):
        address = "/" + path.relative_to(site).as_posix()
        if path.parent == site and f"{path.name}/".startswith(HASHED_FOLDERS):
            rules[f"{address}/*"] = [f"Cache-Control: {FOREVER}"]
        elif path.suffix in TYPES_TO_TELL:
            rules[address] = [f"Content-Type: {MIME_TYPES[path.suffix]}"]
    lines = [line for address, headers in rules.items() for line in (address, *(f"  {header}" for header in headers))]
    (site / "_headers").write_text("\n".join([*lines, ""]))


# Serving


class SiteHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, under a sub-path if asked, so that browsers keep what never changes and ask for the rest each time."""

    protocol_version = "HTTP/1.1"
    extensions_map = MIME_TYPES
    prefix = "/"

    def translate_path(self, path):
        """The file for a URL; outside the sub-path there is none."""
        if not path.startswith(self.prefix):
            return os.path.join(self.directory, "outside the sub-path")
        return super().translate_path(path[len(self.prefix) - 1 :])

    def send_response(self, code, message=None):
        super().send_response(code, message)
        path = getattr(self, "path", "").removeprefix(self.prefix)  # a malformed request has none
        forever = code in (200, 304) and path.startswith(HASHED_FOLDERS)
        self.send_header("Cache-Control", FOREVER if forever else "no-cache")
        self.send_header("Access-Control-Allow-Origin", "*")  # for a frame that a sandbox has given an origin of its own

    def log_message(self, *_):
        """Say nothing: the reader of the terminal wants the address, not each request."""


class SiteServer(http.server.ThreadingHTTPServer):
    """Answers each request in a thread of its own; a browser that hangs up is no error."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def make_server(folder, port=0, path="/", handler=SiteHandler):
    """A server for a folder on this machine only, not yet running; port 0 takes any that is free."""
    prefix = "/" + path.strip("/") + "/" if path.strip("/") else "/"
    bound = type("BoundHandler", (handler,), {"prefix": prefix})

    def handle(*arguments):
        return bound(*arguments, directory=str(folder))

    try:
        server = SiteServer(("127.0.0.1", port), handle)
    except OverflowError as error:
        raise BuildError(f"--port {port} is out of range: choose one from 0 to 65535.") from error
    except OSError as error:
        raise BuildError(f"port {port} is taken ({error.strerror}): choose another with --port.") from error
    server.address = f"http://127.0.0.1:{server.server_port}{prefix}"
    return server


def serve(out, port, path, numpy_wheel, offline):
    with one_at_a_time():
        build(out, numpy_wheel, offline)
    with make_server(out, port, path) as server:
        say(f"Embedding Lab is at {server.address} (Ctrl-C ends it)")
        server.serve_forever()


# Testing and measuring


def ready_for_tests(engines="chromium"):
    """Make what the tests need, the site and the browsers included; returns the environment to start them in."""
    sys.modules["build"] = sys.modules[__name__]  # the tests know it by this name, also where it is what was started
    sys.path.insert(0, str(ROOT / "tests"))
    import programs

    chosen = programs.read_engines(engines)
    with one_at_a_time():
        make_venv("build", "test")
        programs.find_engines(chosen)
        environment = {**os.environ, "EMBEDDING_LAB_BROWSER": programs.find_browser()}
        build(ROOT / "dist")
    return environment


def test(arguments, engines, coverage):
    """Run pytest and return its exit code.

    Where no file or folder is named, all tests run, in two processes: those of the browsers, which mostly wait for them,
    and beside them, with what they leave of the machine, the unit tests, whose report follows.

    `engines` is a list with commas of what tests/engines run in, or None for all. With `coverage` what the unit tests, or
    those that are named, do not reach of the package follows; the whole of the unit tests fail where that is too much.
    """
    values = {value for option, value in itertools.pairwise(arguments) if option in ("-k", "-m", "--deselect", "--ignore")}
    paths = [ROOT / argument.partition("::")[0] for argument in arguments if argument not in values]
    named = any(path.exists() and path.is_relative_to(ROOT / "tests") for path in paths)
    environment = ready_for_tests("chromium" if named and engines is None else engines)
    pytest = ["-m", "pytest", *([] if engines is None else [f"--engines={engines}"])]
    measured = ["-m", "coverage", "run"] if coverage else []
    if coverage:
        subprocess.run([venv_python(), "-m", "coverage", "erase"], cwd=ROOT, check=False)
    if named:
        command = [venv_python(), *measured, *pytest, *arguments]
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    else:
        code = all_tests(pytest, measured, arguments, environment)
    if coverage:
        least = ["--fail-under=0"] if arguments else []  # which may choose tests, and some reach less than all
        subprocess.run([venv_python(), "-m", "coverage", "combine", "--quiet"], cwd=ROOT, check=False)
        report = subprocess.run([venv_python(), "-m", "coverage", "report", *least], cwd=ROOT, check=False)
        code = code or report.returncode
    return code


def all_tests(pytest, measured, arguments, environment):
    """Run those of the browsers and the unit tests, the latter under what is `measured`; returns one exit code for both."""

    def part(name, *folders):
        own = ["--override-ini", f"cache_dir=.cache/pytest/{name}", "--output", f".cache/test-results/{name}"]
        return [*pytest, *own, *folders, *arguments]

    nice = [found, "-n", "10"] if (found := shutil.which("nice")) else []
    with tempfile.TemporaryFile() as report:
        unit = [*nice, venv_python(), *measured, *part("unit", "tests/unit")]
        unit = subprocess.Popen(unit, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=report, stderr=report)
        try:
            browsers = [venv_python(), *part("browsers", "tests/browser", "tests/engines")]
            browsers = subprocess.run(browsers, cwd=ROOT, env=environment, check=False)
        finally:
            unit.wait()
            report.seek(0)
            shutil.copyfileobj(report, sys.stdout.buffer)
            sys.stdout.flush()
    codes = {abs(code) for code in (browsers.returncode, unit.returncode)}  # less than 0 is the number of a signal
    return max(codes - {NO_TESTS} or codes)


def bench(json_file, quick):
    options = [*(["--json", Path(json_file).resolve()] if json_file else []), *(["--quick"] if quick else [])]
    return subprocess.run(
        [venv_python(), "-m", "tests.bench.bench", *options], cwd=ROOT, env=ready_for_tests(), check=False
    ).returncode


def make_wheel(arguments):
    """Do what `python -m build` means elsewhere, which this file's own name hides in its folder; returns the exit code.

    The wheel needs what is not in git, so that is made first; and it does not go into dist, which is the site.
    """
    with one_at_a_time():
        make_venv("build")
        get_corpora()
        make_kernels()
    command = [sys.executable, "-P", "-m", "build"]  # -P: not the one in this folder
    run([*command, "--version"], "python -m build is PyPA's build, which this Python does not have (pip install build)")
    return subprocess.run([*command, "--outdir", ROOT / "wheels", *arguments], check=False).returncode


def read_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, purpose in (("build", "make the site"), ("serve", "make what is missing of the site and serve it")):
        command = commands.add_parser(name, help=purpose)
        command.add_argument("--out", type=Path, default=ROOT / "dist", help="the site's folder (default: dist)")
        command.add_argument("--numpy-wheel", metavar="FILE", help="a copy of NumPy's wheel for the tab")
        command.add_argument("--no-offline", dest="offline", action="store_false", help="browsers keep no copy of the site")
    command.add_argument("--port", type=int, default=8000)
    command.add_argument("--path", default="/", help="serve the site under this path, as a course site might")
    command = commands.add_parser("test", help="run the tests; other arguments go to pytest", add_help=False)
    command.add_argument("--engines", help="a list with commas: the browser engines of tests/engines, if not all")
    command.add_argument("--coverage", action="store_true", help="tell what of the Python package the unit tests do not reach")
    command = commands.add_parser("bench", help="measure")
    command.add_argument("--json", metavar="FILE", help="write the figures to this file")
    command.add_argument("--quick", action="store_true", help="fewer rounds: to see that it works, not to quote")
    chosen, rest = parser.parse_known_args(arguments)
    if rest and chosen.command != "test":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return chosen, rest


def main(arguments):
    """Do what the command line says and return the exit code."""
    try:
        if sys.version_info < OLDEST_PYTHON:
            version, oldest = ("{}.{}".format(*numbers[:2]) for numbers in (sys.version_info, OLDEST_PYTHON))
            raise BuildError(f"Python {version} is too old: run build.py with Python {oldest} or newer.")
        if __name__ == "__main__" and __spec__:  # started as `python -m build`
            return make_wheel(arguments)
        chosen, rest = read_arguments(arguments)
        if chosen.command == "build":
            with one_at_a_time():
                build(chosen.out.resolve(), chosen.numpy_wheel, chosen.offline)
        elif chosen.command == "serve":
            serve(chosen.out.resolve(), chosen.port, chosen.path, chosen.numpy_wheel, chosen.offline)
        elif chosen.command == "test":
            return test(rest, chosen.engines, chosen.coverage)
        else:
            return bench(chosen.json, chosen.quick)
    except BuildError as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
