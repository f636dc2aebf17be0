"""Faults around the page that no test of its parts meets: what the browser lacks, what the network changes, a machine that sleeps."""

import contextlib
import fnmatch
import json
import os
import platform
import re
import signal
import time

import pytest
from playwright.sync_api import expect

from harness import call, start
from lab_page import SMALL, STARTING, LabPage

# What the browser does not have


@pytest.mark.parametrize(
    ("missing", "told"),
    [("WebAssembly", "lacks WebAssembly, which Python runs in"), ("Worker", "lacks web workers, which Python runs in")],
)
def test_what_python_cannot_do_without_is_named_and_the_text_is_there(page, site, missing, told):
    page.add_init_script(f"delete globalThis.{missing}")
    page.goto(site.url)
    alert = page.locator("#lab").get_by_role("alert")
    expect(alert).to_contain_text(f"This browser {told}")
    expect(alert).to_contain_text("the text of this page can be read all the same")
    expect(page.get_by_role("heading", name="What the curves mean")).to_be_visible()
    expect(page.get_by_text("They should be here by now")).to_have_count(0)
    expect(page.get_by_role("button", name="Reload the page")).to_be_visible()
    expect(page.get_by_role("button", name="Retry")).to_have_count(0)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="V8 has such a switch for x86 alone")
def test_a_processor_without_simd_trains_with_numpy_and_the_page_says_so(browser_type, browser_type_launch_args, site):
    arguments = {**browser_type_launch_args}
    arguments["args"] = [*arguments["args"], "--js-flags=--no-enable-sse4-1"]
    with contextlib.closing(browser_type.launch(**arguments)) as browser:
        lab = LabPage(browser.new_page(service_workers="block"), cores=1)
        lab.open(site, encodings="none", **SMALL)
        assert lab.told("ready")[0]["backend"] == "numpy"
        expect(lab.page.locator("lab-loading")).to_contain_text(
            "need WebAssembly with SIMD, and this browser does not run them"
        )
        assert lab.run_to_end()["runs"][0]["validationLoss"] < 4


# What comes otherwise than it was sent


@pytest.mark.tolerates("console")  # the browser itself reports what it could not load
def test_a_file_that_was_changed_on_its_way_is_named_by_its_hash(open_harness, site):
    page = open_harness(site)
    patterns = {"pyodide.asm.wasm", "numpy-2*.whl", "embedding_lab-*.whl", "pyodide-lock.json"}
    for pattern in (*patterns, "memory.bin"):
        site.corrupt(pattern)
    while patterns:
        outcome = start(page)
        assert outcome.get("code") == "missing-file", outcome
        assert (
            f"{outcome['file']} could not be loaded: it was changed on its way, since its hash is not that"
            in outcome["message"]
        )
        [pattern] = [each for each in patterns if fnmatch.fnmatch(outcome["file"], each)]
        site.repair(pattern)
        patterns.remove(pattern)
    assert "ready" in start(page)
    assert site.requests.count("python_stdlib.zip") == 1, "it stands in for the memory"
    assert call(page, "status")["numpy"]


def test_on_a_network_of_10_kilobytes_a_second_the_progress_moves(page, site):
    rest = site.trickle("pyodide.asm.wasm", 10_000)
    lab = LabPage(page, cores=1).open(site, ready=False, **SMALL)
    loading = page.locator("lab-loading")
    bar = loading.get_by_role("progressbar")
    expect(loading).to_contain_text("pyodide.asm.wasm", timeout=STARTING)
    seen = []
    patience = time.monotonic() + 60
    while len({value for value, _ in seen}) < 6 or len({word for _, word in seen}) < 3:
        assert time.monotonic() < patience, seen
        seen.append((bar.evaluate("(bar) => bar.value"), re.search(r"[\d.]+(?= of)", loading.inner_text())[0]))
        page.wait_for_timeout(300)
    values = [value for value, _ in seen]
    assert values == sorted(values)
    assert lab.told("error") == []
    rest.set()
    lab.wait_for("name === 'ready'", STARTING)


# What interrupts

# As browsers do with the page of a tab that is not looked at: nothing is drawn, and its timers may wait for a minute.
HIDE = """
() => {
  const { requestAnimationFrame, setTimeout } = window;
  const held = [];
  window.requestAnimationFrame = (draw) => held.push([requestAnimationFrame, draw]);
  window.setTimeout = (act) => held.push([setTimeout, act]);
  window.show = () => {
    Object.assign(window, { requestAnimationFrame, setTimeout });
    for (const [later, act] of held) later(act);
  };
  return new Promise((resolve) => requestAnimationFrame(() => resolve())); // what was asked for before is drawn
}
"""


def test_in_a_hidden_tab_the_runs_go_on_to_their_end_and_are_there_when_it_is_shown(lab_with, site):
    lab = lab_with(2)
    lab.open(site, encodings="none,learned,rope", **SMALL)
    lab.page.evaluate(HIDE)
    lab.button("Run").dispatch_event("click")
    patience = time.monotonic() + 60
    while not lab.told("result"):  # in the page no timer of a test's own would fire either
        assert time.monotonic() < patience, lab.told("progress")
        time.sleep(0.1)
    assert len(lab.told("result")[0]["runs"]) == 3
    expect(lab.runs).to_have_count(0)
    lab.page.evaluate("show()")
    expect(lab.run_row("RoPE")).to_contain_text("40 steps in")
    expect(lab.gaps.get_by_role("table")).to_be_visible()


# Its steps take long however little they compute, so that none ends in the moment in which the machine wakes up.
SLOW = """
import numpy as np
from embedding_lab.positions import PositionalEncoding, Trainable

class Slow(PositionalEncoding):
    name = "slow"

    def table(self, length, d):
        def value(table):
            for _ in range(3_000_000):
                pass
            return table

        return Trainable(np.zeros((length, d)), value=value, gradient=lambda table, dvalue: dvalue)
"""


def test_a_machine_that_sleeps_ends_no_run(browser, lab_with, site):
    """All of the browser's pages are stopped for longer than any call of this run may take."""
    lab = lab_with(1)
    lab.open(site, encodings="none", **SMALL)
    lab.page.evaluate("(code) => void document.querySelector('lab-app').lab.trainOwn('slow', code)", SLOW)
    lab.wait_for("name === 'progress' && detail.step > 0 && detail.encoding === 'own:slow'")
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    pages = [process["id"] for process in processes if process["type"] == "renderer"]
    for number in pages:
        os.kill(number, signal.SIGSTOP)
    try:
        time.sleep(14)
    finally:
        for number in pages:
            os.kill(number, signal.SIGCONT)
    step = lab.told("progress")[-1]["step"]
    lab.wait_for(f"name === 'error' || (name === 'progress' && detail.step > {step + 1} && detail.encoding === 'own:slow')")
    assert lab.told("error") == []
    assert lab.page.evaluate("Math.max(...told.slice(1).map(({ at }, index) => at - told[index].at))") > 13_000, "it slept"
    lab.button("Stop").click()


def heaps(page):
    """What a page and its one worker hold, in bytes, once the browser has collected their garbage; WebAssembly's memory counts."""
    session = page.context.new_cdp_session(page)
    workers, answers = [], {}

    def keep(event):
        answer = json.loads(event["message"])
        if "id" in answer:  # no event
            answers[answer["id"]] = answer["result"]

    session.on("Target.attachedToTarget", lambda event: workers.append(event["sessionId"]))
    session.on("Target.receivedMessageFromTarget", keep)
    session.send("Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": False})
    [worker] = workers
    for number, method in enumerate(("HeapProfiler.collectGarbage", "Runtime.getHeapUsage")):
        message = json.dumps({"id": number, "method": method})
        session.send("Target.sendMessageToTarget", {"sessionId": worker, "message": message})
        session.send(method)
    patience = time.monotonic() + 60
    while len(answers) < 2:
        assert time.monotonic() < patience, answers
        page.wait_for_timeout(50)
    used = [session.send("Runtime.getHeapUsage"), answers[1]]
    session.detach()
    return {
        f"{of} {kind}": each[kind]
        for of, each in zip(("page", "worker"), used, strict=True)
        for kind in ("usedSize", "backingStorageSize")
    }


@pytest.mark.cold
def test_twenty_thousand_steps_hold_no_more_memory_than_the_first_thousand(lab_with, site):
    """But for its losses, which the page draws, and what this test was told of it."""
    lab = lab_with(1)
    lab.open(site, encodings="none", d=8, heads=2, context=8, batch=4, steps=20_000)
    lab.button("Run").click()
    lab.wait_for("name === 'progress' && detail.step >= 1000")
    before = heaps(lab.page)
    lab.wait_for("name === 'result'")
    lab.page.evaluate("told.length = longTasks.length = 0")  # the longer it took, the more was told
    grown = {name: size - before[name] for name, size in heaps(lab.page).items()}
    print(f"bytes at step 1,000 or soon after: {before}; more at the end: {grown}")
    assert lab.curves()["none-1"]["train"]["steps"][-1] == 20_000
    assert all(more < 2**20 for more in grown.values()), (before, grown)
    assert before["worker backingStorageSize"] > 2**24, "Python's memory is counted"


@pytest.mark.tolerates("console")  # the browser itself reports a file with another hash
def test_what_a_reload_interrupts_is_named_and_what_had_ended_is_kept(lab_with, site):
    lab = lab_with(1)
    site.corrupt("alice29.txt")
    lab.open(site, encodings="none,learned,rope", **{**SMALL, "steps": 600})
    lab.button("Run").click()
    expect(lab.control("Text")).to_be_focused()
    assert "alice29.txt could not be loaded (it was changed on its way" in lab.description(lab.control("Text"))
    site.repair()
    lab.page.evaluate(
        """() => document.addEventListener("embedding-lab:progress", ({ detail }) => {
          if (detail.encoding === "learned" && detail.step > 0) document.querySelector("lab-app").lab.pause();
        })"""
    )
    lab.button("Run").click()
    lab.wait_for("name === 'progress' && detail.step === 600 && detail.encoding === 'none'")
    expect(lab.button("Resume")).to_be_visible()
    expect(lab.page.locator("lab-kept")).to_contain_text("Best: ", timeout=30_000)
    lab.page.reload()
    told = lab.page.locator("lab-interrupted")
    expect(told).to_contain_text(re.compile(r"Learned at step \d+ of 600 and RoPE before its first step\."))
    expect(lab.page.locator("lab-kept [data-experiment]")).to_contain_text("None")
    lab.button("Run").click()
    expect(told).to_have_text("")
