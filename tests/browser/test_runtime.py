"""The Python worker in a real browser: it starts, answers, fails by name, starts again, and ends when told to."""

import gzip
import json
import shutil
from fnmatch import fnmatch

import pytest

import build
from harness import call, start
from tests.conftest import PageGuard

SETTINGS = {"d": 16, "layers": 1, "heads": 2, "context": 8, "batch": 4, "steps": 20000, "encoding": "learned"}
TEXT = "the cat sat on the mat and the dog sat on the log. " * 40

RUNTIME_FILES = [
    "runtime.mjs",
    "lock-down.mjs",
    "pyodide.mjs",
    "pyodide.asm.js",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "numpy-*.whl",
    "embedding_lab-*.whl",
]


@pytest.fixture(scope="module")
def running(shared_page, harness, root_server):
    """The harness with a worker that has started, `outcome` of its start and the `requests` that this took."""
    root_server.reset()
    root_server.overlay = harness
    shared_page.goto(f"{root_server.url}harness.html")
    shared_page.outcome = start(shared_page)
    shared_page.requests_of_start = list(root_server.requests)
    return shared_page


@pytest.fixture(scope="module")
def told_by_build(dist):
    """What the page knows of the runtime's files: `files` and `totalBytes`."""
    return json.loads((build.CACHE / "lab-data.json").read_text())["runtime"]


def test_starts_and_answers(running):
    assert 0 < running.outcome["ready"]["secondsToReady"] < 120
    status = call(running, "status")
    assert status["numpy"] == build.NUMPY_VERSION
    assert status["python"].startswith("3.13.")


def test_loads_each_file_once_and_nothing_else(running, told_by_build):
    loaded = [name for name in running.requests_of_start if not name.startswith(("harness", "favicon", "chunk-"))]
    assert sorted(loaded) == sorted(entry["file"] for entry in told_by_build["files"])


def test_progress_never_goes_back_and_reaches_the_total(running, told_by_build):
    told = running.evaluate("first.progress")
    loaded = [progress["loadedBytes"] for progress in told]
    assert loaded == sorted(loaded)
    assert {progress["totalBytes"] for progress in told} == {told_by_build["totalBytes"]}
    assert loaded[-1] == told_by_build["totalBytes"]
    stages = list(dict.fromkeys(progress["stage"] for progress in told))
    assert stages == ["runtime", "packages", "start", "ready"]


def test_values_keep_their_types(running):
    opened = call(running, "open_run", "r", SETTINGS, TEXT)
    assert opened["config"]["d"] == 16
    assert opened["vocabulary"] == sorted(set(TEXT))
    kinds = running.evaluate(
        """async () => {
          const frame = await first.worker.call("advance", "r", 50, true);
          const next = await first.worker.call("advance", "r", 1, false);
          const kind = (value) => Object.prototype.toString.call(value).slice(8, -1);
          return {
            frame: kind(frame), trainLoss: kind(frame.trainLoss), validationSteps: kind(frame.validationSteps),
            points: kind(frame.geometry.points), explained: kind(frame.geometry.explained), step: kind(frame.step),
            message: kind(frame.message), noGeometry: kind(next.geometry), lossesPerStep: frame.trainLoss.length === frame.step,
            finite: frame.trainLoss.every(Number.isFinite), owned: frame.trainLoss.byteLength === frame.trainLoss.buffer.byteLength,
          };
        }"""
    )
    assert kinds == {
        "frame": "Object",
        "trainLoss": "Float32Array",
        "validationSteps": "Int32Array",
        "points": "Float32Array",
        "explained": "Array",
        "step": "Number",
        "message": "Null",
        "noGeometry": "Null",
        "lossesPerStep": True,
        "finite": True,
        "owned": True,
    }


def test_null_from_the_page_is_none_in_python(running):
    answer = call(running, "advance", None, 1, False)
    assert answer["error"]["code"] == "unknown-run"
    assert "None" in answer["error"]["message"]


def test_an_exception_arrives_with_its_traceback_and_the_worker_lives_on(running):
    error = call(running, "compare", [{}])
    assert "Traceback (most recent call last)" in error["message"]
    assert "embedding_lab/worker/runs.py" in error["message"]
    assert 'row["encoding"]' in error["message"], "the traceback quotes the source"
    assert "KeyError" in error["message"]
    assert call(running, "status")["numpy"]


@pytest.mark.parametrize("pattern", ["pyodide.asm.wasm", "memory.bin", "numpy-*.whl"])
def test_a_large_file_is_counted_while_it_arrives(open_harness, site, pattern):
    page = open_harness(site)
    rest = site.pause(pattern, 1_500_000)
    partly = page.evaluate(
        """(name) => {
          window.outcome = start("first");
          let before = 0;
          const counted = new Promise((resolve) => addEventListener("told", ({ detail: { file, loadedBytes } }) => {
            if (file?.startsWith(name) && loadedBytes > before) resolve(file);
            before = loadedBytes;
          }));
          return Promise.race([counted, outcome.then(JSON.stringify)]);
        }""",
        pattern.partition("*")[0],
    )
    assert fnmatch(partly, pattern)
    rest.set()
    assert "ready" in page.evaluate("outcome")


def test_two_workers_are_apart(open_harness, site):
    page = open_harness(site)
    outcomes = page.evaluate("Promise.all([start('first'), start('second')])")
    assert all("ready" in outcome for outcome in outcomes)
    call(page, "open_run", "r", SETTINGS, TEXT)
    assert page.evaluate("second.worker.call('advance', 'r', 1, false)")["error"]["code"] == "unknown-run"


def test_a_hung_worker_ends_at_once_and_a_fresh_one_starts(open_harness, site):
    page = open_harness(site)
    start(page)
    call(page, "open_run", "r", SETTINGS, TEXT)
    ended = []
    page.workers[0].on("close", lambda worker: ended.append(worker))  # noqa: PLW0108  # Playwright puts a mark on it
    with page.expect_event("console", lambda message: message.text == "ended: terminated"):
        page.evaluate(
            """() => {
              first.worker.call("advance", "r", 1e9, false).catch(({ code }) => console.log(`ended: ${code}`));
              first.worker.terminate();
            }"""
        )
    assert call(page, "status")["code"] == "terminated", "an ended worker refuses, it does not keep one waiting"
    assert "ready" in start(page, "second")
    assert page.evaluate("second.worker.call('status')")["numpy"]
    assert len(ended) == 1
    assert len(page.workers) == 1, "the browser holds the fresh worker alone"


def test_a_worker_that_is_still_loading_ends_at_once(open_harness, site):
    page = open_harness(site)
    site.hold("pyodide.asm.wasm")
    with page.expect_request("**/pyodide.asm.wasm"), page.expect_worker() as started:
        page.evaluate("void (window.outcome = start('first'))")
    with started.value.expect_event("close"):
        page.evaluate("first.worker.ready.catch(() => {}); setTimeout(() => first.worker.terminate(), 500)")
    assert page.evaluate("outcome")["code"] == "terminated"
    assert page.workers == []


@pytest.mark.tolerates("console")  # the browser itself reports what it could not load
@pytest.mark.parametrize("pattern", RUNTIME_FILES)
def test_a_missing_file_is_named(open_harness, site, pattern):
    page = open_harness(site)
    site.fail(pattern, 404)
    outcome = start(page)
    assert outcome.get("code") == "missing-file", outcome
    assert fnmatch(outcome["file"], pattern)
    assert outcome["file"] in outcome["message"] and "HTTP 404" in outcome["message"]


@pytest.mark.tolerates("console")
@pytest.mark.parametrize(
    ("damage", "pattern"),
    [
        ("cut", "pyodide.asm.wasm"),
        ("cut", "numpy-*.whl"),
        ("shorten", "pyodide.asm.js"),
        ("shorten", "pyodide.asm.wasm"),
        ("shorten", "numpy-*.whl"),
    ],
)
def test_a_file_that_does_not_come_whole_is_named(open_harness, site, pattern, damage):
    page = open_harness(site)
    getattr(site, damage)(pattern, 1000)
    outcome = start(page)
    assert outcome.get("code") == "missing-file", outcome
    assert fnmatch(outcome["file"], pattern)


@pytest.mark.tolerates("console")
def test_a_failed_start_can_be_tried_again_without_a_reload(open_harness, site):
    page = open_harness(site)
    site.fail("pyodide.asm.wasm", 503)
    assert "HTTP 503" in start(page)["message"]
    site.repair()
    assert "ready" in start(page)
    assert call(page, "status")["numpy"]
    assert len(page.workers) == 1, "the failed worker is gone"


def test_a_server_that_does_not_know_webassembly_will_do(open_harness, site):
    page = open_harness(site)
    site.retype("*.wasm", "application/octet-stream")
    site.retype("*.whl", "text/plain")
    assert "ready" in start(page)


# The page that readers open: it asks for the files before its scripts have come

READY = """
window.ready = new Promise((resolve) => document.addEventListener("embedding-lab:ready", resolve, { once: true }));
"""


@pytest.fixture
def visitor(browser_type, browser_type_launch_args, tmp_path):
    """A page of a browser whose cache is on disk, as a reader's is; one in memory takes no file as large as these."""
    with browser_type.launch_persistent_context(tmp_path, service_workers="block", **browser_type_launch_args) as context:
        page = context.new_page()
        guard = PageGuard(page)
        page.add_init_script(READY)
        yield page
        assert not guard.found()


def test_the_page_asks_for_each_file_once_and_on_a_second_visit_for_none(visitor, site, told_by_build):
    files = [entry["file"] for entry in told_by_build["files"]]

    def asked_by_a_visit():
        site.requests.clear()
        visitor.goto(site.url)
        visitor.evaluate("ready.then(() => true)")
        return sorted(
            name for name in site.requests if name.endswith((".js", ".mjs", ".wasm", ".bin", ".zip", ".whl", ".json"))
        )

    first = asked_by_a_visit()
    assert set(files) < set(first) == {*files, *(name for name in first if name.endswith(".js"))}
    assert len(first) == len(set(first))
    assert asked_by_a_visit() == []


# The snapshot, and what stands in for it

LOSSES = """
async (settings) => {
  const text = "the cat sat on the mat and the dog sat on the log. ".repeat(40);
  await first.worker.call("open_run", "losses", { ...settings, steps: 20 }, text);
  const losses = [];
  for (;;) {
    const { state, trainLoss } = await first.worker.call("advance", "losses", 1000, false);
    losses.push(...trainLoss);
    if (state !== "training") return losses;
  }
}
"""


def test_with_the_snapshot_nothing_is_fetched_later(running, root_server):
    before = len(root_server.requests)
    assert len(running.evaluate(LOSSES, SETTINGS)) == 20
    assert root_server.requests[before:] == []


@pytest.mark.tolerates("console")
@pytest.mark.parametrize("damage", ["fail", "shorten", "cut"])
def test_without_the_snapshot_it_starts_plainly_with_the_same_losses(running, open_harness, site, told_by_build, damage):
    page = open_harness(site)
    getattr(site, damage)("memory.bin", 404 if damage == "fail" else 1000)
    assert "ready" in start(page)
    assert site.requests.count("python_stdlib.zip") == 1
    told = page.evaluate("first.progress")
    loaded = [progress["loadedBytes"] for progress in told]
    assert loaded == sorted(loaded)
    assert loaded[-1] == told[-1]["totalBytes"]
    snapshot = next(file["bytes"] for file in told_by_build["files"] if file["file"] == "memory.bin")
    came = loaded[-1] - (told_by_build["totalBytes"] - snapshot + told_by_build["fallback"]["bytes"])
    # Of a connection that breaks, the browser hands on what came before, or nothing.
    of_the_snapshot = {"fail": [0], "shorten": [1000], "cut": [0, 1000]}[damage]
    assert came in of_the_snapshot, "what came of the snapshot is counted, too"
    assert page.evaluate(LOSSES, SETTINGS) == running.evaluate(LOSSES, SETTINGS)


# As on a page without HTTPS, which can have no hash computed.
INSECURE = "Object.defineProperty(crypto, 'subtle', { value: undefined })"


def test_a_snapshot_that_python_cannot_start_from_is_left_aside(open_harness, site, dist, harness):
    [folder] = dist.glob("python-*")
    other = bytearray(gzip.decompress((folder / "memory.bin").read_bytes()))
    other[16] ^= 1  # the build of Pyodide that it was made with
    changed = gzip.compress(bytes(other), 9, mtime=0)
    whole = (folder / "memory.bin").stat().st_size
    (harness / folder.name).mkdir()
    (harness / folder.name / "memory.bin").write_bytes(changed[:10] + changed[10:].ljust(whole - 10, b"\0"))
    try:
        page = open_harness(site)
        page.evaluate(INSECURE)  # or its hash is enough to leave it aside
        assert "ready" in start(page)
        assert site.requests.count("python_stdlib.zip") == 1
        assert call(page, "status")["numpy"] == build.NUMPY_VERSION
    finally:
        shutil.rmtree(harness / folder.name)


@pytest.mark.tolerates("console")
def test_without_either_the_file_that_stands_in_is_named(open_harness, site):
    page = open_harness(site)
    site.fail("memory.bin", 404)
    site.fail("python_stdlib.zip", 404)
    outcome = start(page)
    assert (outcome.get("code"), outcome.get("file")) == ("missing-file", "python_stdlib.zip"), outcome


# What no start imports

LATER = """
def later_parts():
    import csv  # of the standard library, and not in the snapshot
    import numpy as np
    import numpy.linalg, numpy.ma, numpy.polynomial, numpy.testing
    masked = numpy.ma.array([1.0, 2.0, 6.0], mask=[False, False, True])
    numpy.testing.assert_allclose(numpy.linalg.inv([[2.0, 0.0], [0.0, 4.0]]), [[0.5, 0.0], [0.0, 0.25]])
    return {
        "fft": np.fft.fft([1.0, 0.0, 0.0, 0.0]).real.tolist(),
        "ma": float(masked.mean()),
        "polynomial": numpy.polynomial.Polynomial([1, 2])(3.0),
        "random": int(np.random.Generator(np.random.Philox(1)).integers(1, 2)),
        "csv": next(csv.reader(["a,b"])),
    }
"""
FOUND = {"fft": [1.0, 1.0, 1.0, 1.0], "ma": 1.5, "polynomial": 7.0, "random": 1, "csv": ["a", "b"]}


@pytest.fixture
def run_python(open_harness, site, harness, dist):
    """Gives the value of a Python expression, after some definitions, in a worker that the first call starts."""
    [folder] = dist.glob("python-*")
    traced = harness / folder.name
    traced.mkdir()
    shutil.copy(folder / "runtime.mjs", traced / "lab-runtime.mjs")
    shutil.copy(build.ROOT / "tests/bench/traced-runtime.mjs", traced / "runtime.mjs")  # it shows its Pyodide
    page = open_harness(site)

    def value_of(expression, definitions=""):
        if not page.workers:
            assert "ready" in start(page)
        code = f"{definitions}\nimport json\njson.dumps({expression})"
        return json.loads(page.workers[0].evaluate("code => pyodide.runPython(code)", code))

    yield value_of
    shutil.rmtree(traced)


def test_what_no_start_imports_comes_when_it_is_imported(run_python, site):
    assert run_python("1 + 1") == 2
    before = len(site.requests)
    assert run_python("later_parts()", LATER) == FOUND
    assert sorted(site.requests[before:]) == ["numpy-later.zip", "python_stdlib.zip"]


@pytest.mark.tolerates("console")
def test_it_comes_without_the_snapshot_too(run_python, site):
    site.fail("memory.bin", 404)
    assert run_python("later_parts()", LATER) == FOUND
    assert (site.requests.count("numpy-later.zip"), site.requests.count("python_stdlib.zip")) == (1, 1)


@pytest.mark.tolerates("console")
def test_a_part_that_does_not_come_is_named_and_can_be_imported_again(run_python, site):
    site.fail("numpy-later.zip", 503)
    attempt = """
def attempt():
    try:
        import numpy.polynomial
    except ImportError as error:
        return str(error)
"""
    told = run_python("attempt()", attempt)
    assert "numpy.polynomial could not be loaded" in told and "numpy-later.zip" in told and "HTTP 503" in told
    site.repair()
    assert run_python("later_parts()", LATER) == FOUND


def test_works_under_a_path(open_harness, subpath_site):
    page = open_harness(subpath_site)
    assert "ready" in start(page)
    assert call(page, "status")["numpy"]
