"""The folder that the bench serves: the built site, unchanged, and beside it in bench/ what is compared with it."""

import contextlib
import gzip
import json
import os
import shutil
import threading
from pathlib import Path

import build

HERE = Path(__file__).parent
FOLDER = "bench"
PAGE = '<!doctype html><meta charset="utf-8"><title>Bench</title><link rel="icon" href="data:,">{script}\n'

# Resolves to the milliseconds since the navigation when the worker is ready, or rejects with what it could not do.
PLAIN_START = """
const worker = new Worker("plain-start.mjs", { type: "module" });
window.plainStart = new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => (data.failed ? reject(new Error(data.failed)) : resolve(performance.now()));
  worker.onerror = ({ message }) => reject(new Error(message));
});
"""


def assemble(folder: Path) -> None:
    """Fill an empty folder with the built site and the bench's own pages.

    Raises:
        build.BuildError: a program that makes a part of it failed.
    """
    shutil.copytree(build.ROOT / "dist", folder, dirs_exist_ok=True, copy_function=os.link)
    bench = folder / FOLDER
    _add_harness(folder, bench)
    _add_peak(bench)
    _add_plain_start(bench / "plain")


def _add_harness(folder: Path, bench: Path) -> None:
    """The page that drives one worker; its runtime is the site's, but lets the bench look into it."""
    data = json.loads((build.CACHE / "lab-data.json").read_text())
    runtime = bench / "python"
    shutil.copytree(folder / data["runtime"]["folder"], runtime, copy_function=os.link)
    (runtime / "runtime.mjs").rename(runtime / "lab-runtime.mjs")
    shutil.copy(HERE / "traced-runtime.mjs", runtime / "runtime.mjs")
    for file in data["runtime"]["files"]:
        file["bytes"] = (runtime / file["file"]).stat().st_size
    data["runtime"]["folder"] = "python/"
    told = bench / "lab-data.json"
    told.write_text(json.dumps(data))
    command = [build.node(), build.WEB / "bundle.mjs", told, bench / "assets", HERE / "harness.js"]
    build.run(command, "esbuild cannot bundle the bench's page", cwd=build.WEB)
    script = next((bench / "assets").glob("harness-*.js")).name
    (bench / "index.html").write_text(PAGE.format(script=f'<script type="module" src="assets/{script}"></script>'))


def _add_peak(bench: Path) -> None:
    flags = [*build.KERNEL_FLAGS, *build.KERNEL_BUILDS["kernels-relaxed-simd.wasm"], "-nostdlib", "-Wl,--no-entry"]
    command = [build.venv_python(), "-m", "ziglang", "cc", *flags, HERE / "fma_peak.c", "-o", bench / "fma_peak.wasm"]
    build.run(command, "zig cannot compile tests/bench/fma_peak.c")


def _add_plain_start(plain: Path) -> None:
    """Pyodide as npm has it and NumPy's wheel as its makers built it; only the lock file has to name that wheel."""
    plain.mkdir()
    for name in (*build.PYODIDE_FILES, build.STANDARD_LIBRARY):
        shutil.copy(build.PYODIDE / name, plain)
    wheel = build.get_numpy_wheel()
    shutil.copy(wheel, plain)
    lock = json.loads((build.PYODIDE / "pyodide-lock.json").read_text())
    lock["packages"]["numpy"].update(file_name=wheel.name, sha256=build.sha256(wheel))
    (plain / "pyodide-lock.json").write_text(json.dumps(lock))
    shutil.copy(HERE / "plain-start.mjs", plain)
    (plain / "index.html").write_text(PAGE.format(script=f"<script>{PLAIN_START}</script>"))


class RecordingHandler(build.SiteHandler):
    """The site's own handler, which keeps the files that it sent whole."""

    sent: list

    def send_response(self, code, message=None):
        if code == 200:
            self.sent.append(Path(self.translate_path(self.path)))
        super().send_response(code, message)


class Site:
    """What a server serves and has sent.

    Attributes:
        url: the address of the built site's root, which ends with a slash.
        sent: every file sent since `sent` was last cleared; what a browser had already is not among them.
    """

    def __init__(self, url: str, sent: list[Path]):
        self.url, self.sent = url, sent

    def compressed(self) -> dict[str, int]:
        """The bytes of each file sent, were it compressed: gzip, level 9."""
        files = {(file / "index.html" if file.is_dir() else file) for file in self.sent}
        return {file.name: len(gzip.compress(file.read_bytes(), 9)) for file in sorted(files)}


@contextlib.contextmanager
def served(folder: Path):
    """A running server for a folder: a `Site`."""
    sent: list[Path] = []
    with build.make_server(folder, handler=type("Handler", (RecordingHandler,), {"sent": sent})) as server:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        yield Site(server.address, sent)
        server.shutdown()
