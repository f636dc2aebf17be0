"""What a reader's Python can reach: neither the network, nor what the browser keeps, nor other workers, nor the page."""

import ast

import pytest

from harness import call, start

SETTINGS = {"d": 16, "layers": 1, "heads": 2, "context": 8, "batch": 4, "steps": 20000, "encoding": "learned"}
TEXT = "the cat sat on the mat and the dog sat on the log. " * 40

# PyScript's name for the call that reads, changes and calls anything in the page (coincident/src/window/constants.js).
REFLECT = "=59317780"


@pytest.fixture(scope="module")
def console(shared_page, harness, root_server):
    """A page whose worker has a console."""
    root_server.reset()
    root_server.overlay = harness
    shared_page.goto(f"{root_server.url}harness.html")
    assert "ready" in start(shared_page)
    assert "error" not in call(shared_page, "console_open", SETTINGS, TEXT)
    run(shared_page, "import js")
    return shared_page


@pytest.fixture
def unasked(root_server):
    """Sees to it that the site is asked for nothing during the test."""
    before = list(root_server.requests)
    yield
    assert root_server.requests == before


def run(page, source):
    """What the console answers to an input, with what it printed."""
    page.evaluate("first.printed.length = 0")
    answer = call(page, "console_run", source)
    return {**answer, "printed": page.evaluate("first.printed.join('')")}


def value(page, source):
    """The value of an input's last expression."""
    answer = run(page, source)
    assert answer["error"] is None, answer["error"]
    return answer["value"]


GONE = """
fetch XMLHttpRequest WebSocket WebSocketStream WebTransport EventSource Worker SharedWorker importScripts indexedDB caches
BroadcastChannel navigator eval Request Response Blob File FileReader URL location close FontFace fonts Notification
RTCPeerConnection createImageBitmap OffscreenCanvas ReadableStream WorkerGlobalScope DedicatedWorkerGlobalScope
EventTarget requestAnimationFrame cookieStore StorageManager LockManager ServiceWorkerContainer webkitRequestFileSystem
webkitRequestFileSystemSync webkitResolveLocalFileSystemURL
""".split()


def test_nothing_that_reaches_out_is_left(console):
    found = value(console, f"[name for name in {GONE!r} if hasattr(js, name) or hasattr(js.self, name)]")
    assert found == "[]"


LANGUAGE = """
globalThis undefined NaN Infinity isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI
encodeURIComponent escape unescape Object Function Boolean Symbol Number BigInt Math Date String RegExp Array Map Set WeakMap
WeakSet WeakRef FinalizationRegistry Iterator Promise Proxy Reflect JSON Intl Atomics DataView ArrayBuffer SharedArrayBuffer
Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array
Float16Array Float32Array Float64Array Error AggregateError EvalError RangeError ReferenceError SuppressedError SyntaxError
TypeError URIError DisposableStack AsyncDisposableStack WebAssembly
""".split()
PLATFORM = """
self console performance crypto TextDecoder TextEncoder setTimeout clearTimeout setInterval clearInterval queueMicrotask
scheduler MessageChannel postMessage addEventListener removeEventListener dispatchEvent when constructor TEMPORARY PERSISTENT
""".split()  # the last two are numbers that cannot be deleted

WALK = """
scope, names = js.globalThis, []
while scope != js.Object.prototype:
    names += js.Object.getOwnPropertyNames(scope).to_py()
    scope = js.Object.getPrototypeOf(scope)
sorted(names)
"""


def test_of_all_that_the_browser_gives_a_worker_only_the_list_is_left(console):
    left = ast.literal_eval(value(console, WALK))
    assert set(left) <= {*LANGUAGE, *PLATFORM}
    assert value(console, "js.self.constructor.name") == "'EventTarget'"


@pytest.mark.parametrize(
    "source",
    [
        "js.fetch('x')",
        "js.XMLHttpRequest.new()",
        "js.eval('1')",
        "js.Function('return 1')()",
        "js.setTimeout.constructor('return 1')()",
        "js.Object.getPrototypeOf(js.setTimeout).constructor('return 1')()",
        "js.indexedDB.open('embedding-lab')",
        "js.self.constructor.constructor('return 1')()",
        "js.Reflect.construct(js.self.constructor, js.Array.new()).fetch('x')",
        "import pyodide.code; pyodide.code.run_js('1')",
        "import pyodide.http; pyodide.http.open_url('harness.html')",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1/')",
        "import socket; socket.create_connection(('127.0.0.1', 80), 1)",
        "import embedding_lab.later, sys; sys.meta_path[-1]._fetch('harness.html')",
        "import lab_runtime; lab_runtime.begin('harness.html')",
        "from pyscript import window; window.title",
        "from pyscript import document; document.body",
        "from polyscript import xworker; xworker.window.document",
    ],
)
def test_what_would_reach_out_fails(console, unasked, source):
    answer = run(console, source)
    assert answer["error"], answer


PROMISED = """
said = []
def ask(make):
    try:
        make().then(lambda value: said.append(f"yes: {value}"), lambda error: said.append(f"no: {error}"))
    except Exception as error:
        said.append(f"no: {error}")
"""


@pytest.mark.parametrize(
    "source",
    [
        "import pyodide_js; ask(lambda: pyodide_js.loadPackage('micropip'))",
        "import pyodide.http; ask(lambda: pyodide.http.pyfetch('harness.html'))",
        "from polyscript import IDBMap; ask(lambda: IDBMap.new('x').set('a', 1))",
        "from pyscript import fetch; ask(lambda: fetch('harness.html'))",
    ],
)
def test_what_would_reach_out_later_fails_too(console, unasked, source):
    run(console, PROMISED)
    run(console, source)
    said = settled(console, 1)
    assert said and all(line.startswith("no") for line in said), said


def settled(page, number):
    """What the promises of `ask` came to; asked for until so many have come to something, or for half a minute."""
    for _ in range(600):
        said = ast.literal_eval(value(page, "said"))
        if len(said) >= number:
            break
        page.wait_for_timeout(50)
    return said


FORGED = """
from polyscript import xworker
from pyodide.ffi import to_js
plain = lambda value: to_js(value, dict_converter=js.Object.fromEntries)
call = lambda name, *arguments: ask(lambda: getattr(xworker.sync, name)(*arguments))
null = js.JSON.parse("null")
call("REFLECT", 1, null, plain([2, {"taken": True}]))  # assigns to the page's globalThis
call("REFLECT", 9, null, "document")  # gets the document
call("REFLECT", 2, null, "() => (globalThis.taken = true)", plain([]))  # evaluates
call("importJS", "SITEassets/", "module")
call("importCSS", "SITEx.css")
call("storeFSHandler", "x")
call("getFSHandler", plain({}))
call("deleteFSHandler", "x")
call("sleep", 0)
for name in ("__proto__", "constructor", "valueOf", "toString", "then"):
    call(name)
""".replace("REFLECT", REFLECT)


def test_a_forged_call_to_the_page_is_refused(console, root_server, unasked):
    run(console, PROMISED)
    assert run(console, FORGED.replace("SITE", root_server.url))["error"] is None
    said = settled(console, 13)
    assert len(said) >= 13 and all(line.startswith("no") for line in said), said
    assert console.evaluate("'taken' in window || 'taken' in Object.prototype") is False


RAW = """
from pyodide.ffi import to_js
plain = lambda value: to_js(value, dict_converter=js.Object.fromEntries)
got = []
for wanted in ("index.html", "../index.html", "memory.bin"):
    channel = js.MessageChannel.new()
    channel.port1.onmessage = lambda event: got.append(event.data)
    js.postMessage(plain({"embeddingLab": {"wanted": wanted}}), plain([channel.port2]))
for message in ({"stage": "runtime"}, {"imported": ["x"]}, {"printed": 5}, {"printed": None}, {}, 5):
    js.postMessage(plain({"embeddingLab": message}))
for message in ("polyscript:done", js.Error.new("forged"), js.JSON.parse("null"), 5, plain([1, 2, 3])):
    js.postMessage(message)
"""


def test_a_forged_message_gets_no_file_and_moves_nothing(console, unasked):
    progress = console.evaluate("first.progress.length")
    assert run(console, RAW)["error"] is None
    console.wait_for_timeout(300)
    assert value(console, "got") == "[]"
    assert console.evaluate("first.progress.length") == progress
    assert call(console, "status")["numpy"]


def test_what_patches_the_objects_that_are_left_gains_nothing(console, root_server):
    """The requests that a worker still makes rest on nothing that a reader's code can change."""
    patched = """
import lab_runtime, sys
always = js.Object  # a function whose answer counts as true
kept = js.String.prototype.startsWith
refused = []
js.String.prototype.startsWith = always
js.Object.prototype.other = "SITEindex.html"
try:
    for attempt in (lambda: lab_runtime.begin("SITEindex.html"), lambda: sys.meta_path[-1]._fetch("other")):
        try:
            attempt()
        except Exception as error:
            refused.append(str(error))
finally:
    js.String.prototype.startsWith = kept
    js.Reflect.deleteProperty(js.Object.prototype, "other")
refused
""".replace("SITE", root_server.url)
    before = list(root_server.requests)
    first, second = ast.literal_eval(value(console, patched))
    assert "by revoking a blob: URL" in first and "other is no archive of this site" in second
    assert root_server.requests == before


# What still works


def test_python_still_computes_imports_and_trains(console, root_server):
    assert value(console, "import numpy.fft; numpy.fft.fft([1.0, 0.0]).real.tolist()") == "[1.0, 1.0]"
    assert value(console, "import csv, statistics; statistics.mean([1, 2, 3])") == "2"
    assert {"numpy-later.zip", "python_stdlib.zip"} <= set(root_server.requests)
    assert value(console, "step = run.step; frame = run.advance(0.05); run.step > step") == "True"
    assert value(console, "import random, os, uuid; len(os.urandom(4)), uuid.uuid4().version") == "(4, 4)"
    assert call(console, "open_run", "r", SETTINGS, TEXT)["vocabulary"]
    assert call(console, "advance", "r", 20, False)["step"] > 0


# Interrupting


def interrupted(page, source, after=400):
    """What an input answers that is interrupted after so many milliseconds, and when it did."""
    return page.evaluate(
        """([source, after]) => {
          const started = performance.now();
          setTimeout(() => first.worker.interrupt(), after);
          return first.worker.call("console_run", source).then((answer) => ({ ...answer, took: performance.now() - started }));
        }""",
        [source, after],
    )


@pytest.mark.parametrize(
    "source",
    [
        "kept = 7\nwhile True: pass",
        "kept = 7\nwhile True: E @ E.T",
        "kept = 7\ndef f(n): return 1 if n < 2 else f(n - 1) + f(n - 2)\nf(90)",
        "kept = 7\nrun.advance(300)",
        "kept = 7\nimport time; time.sleep(300)",
        "kept = 7\n[i for i in iter(int, 1)]",
    ],
)
def test_an_interrupt_ends_the_input_and_keeps_the_variables(console, source):
    value(console, "kept = 0")
    answer = interrupted(console, source)
    assert answer["interrupted"] and "KeyboardInterrupt" in answer["error"]
    assert answer["took"] < 60_000
    assert value(console, "kept") == "7"


def test_an_interrupt_between_inputs_does_nothing(console):
    console.evaluate("first.worker.interrupt()")
    assert value(console, "sum(range(1_000_000))") == "499999500000"


def test_all_that_was_printed_is_told_before_the_answer_in_few_messages(console):
    answer = run(console, "for i in range(100_000): print(i)")
    assert len(answer["printed"]) + answer["leftOut"] == sum(len(f"{i}\n") for i in range(100_000))
    assert console.evaluate("first.printed.length") < 200
