"""The network fails at each file in turn: the page names it, Retry goes on from there without a reload, and all works."""

import json
import os
import re

import pytest
from playwright.sync_api import expect

import build
from lab_page import SMALL, STARTING, settled

pytestmark = [pytest.mark.cold, pytest.mark.tolerates("console")]  # the browser itself reports what it could not load

CUT = 20  # bytes that come before the connection breaks: less than any file has


def modules_of(dist):
    """The entry of the page's scripts and all that it imports at once, in the order in which the page lists them."""
    return re.findall(r'rel="modulepreload" href="assets/([^"]+)"', (dist / "index.html").read_text())


def same_document(page):
    """Marks the page; returns how to ask whether it was loaded anew since."""
    page.evaluate("window.sameDocument = true")
    return lambda: page.evaluate("window.sameDocument === true")


def test_each_script_and_the_stylesheet_cut_on_their_way_are_named_in_turn(page, site, dist):
    [style] = [path.name for path in (dist / "assets").glob("main-*.css")]
    modules = modules_of(dist)
    assert len(modules) > 2
    for file in (style, *modules):
        site.cut(file, CUT)
    page.goto(site.url)
    is_same = same_document(page)
    expect(page.get_by_role("heading", name="What the curves mean")).to_be_visible()
    alerts = page.get_by_role("alert")
    looks = alerts.filter(has_text=style)
    expect(looks).to_contain_text("looks")
    site.repair(style)
    looks.locator("..").get_by_role("button", name="Retry").click()
    expect(looks).to_have_count(0)
    expect(page.get_by_text("They should be here by now")).to_have_count(0)
    expect(page.locator("html")).to_have_css("background-color", "rgb(252, 252, 250)")
    asked = {}
    for at, file in enumerate(modules):
        expect(page.locator("#lab")).to_contain_text(f"{file} could not be loaded")
        expect(page.get_by_role("button", name="Reload the page")).to_have_count(int(at > 0))
        site.repair(file)
        page.get_by_role("button", name="Retry").click()
        if at:
            asked[modules[at - 1]] = site.requests.count(modules[at - 1])
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    expect(page.locator("#lab [role=alert]")).to_have_count(0)
    assert {file: site.requests.count(file) for file in asked} == asked, "what has come is not asked for again"
    assert is_same()


def test_each_file_of_python_is_named_in_turn_and_then_a_run_outlasts_the_network(lab_with, site):
    """Without the memory that Python starts from, the standard library stands in for it: the last to be missing."""
    lab = lab_with(1)
    runtime = json.loads((build.CACHE / "lab-data.json").read_text())["runtime"]
    names = {file["file"] for file in runtime["files"]} - {"memory.bin"} | {runtime["fallback"]["file"]}
    for at, file in enumerate(sorted({*names, "memory.bin"})):
        site.cut(file, CUT) if at % 2 else site.fail(file, 404)
    lab.open(site, ready=False, **SMALL)
    is_same = same_document(lab.page)
    told = []
    alert = lab.page.locator("lab-loading").get_by_role("alert")
    while len(told) < len(names):
        expect(alert).to_contain_text("could not be loaded", timeout=STARTING)
        file = alert.inner_text().split(" could not be loaded")[0]
        told.append(file)
        site.repair(file)
        before = len(site.requests)
        since = lab.count_told()
        lab.button("Retry").click()
        lab.wait_for("name === 'ready' || name === 'error'", STARTING, since=since)
        settled(lab.page)  # the alert is of this failure
        again = [name for name in told[:-1] if name in site.requests[before:]]
        assert not again, f"{again} had come before {file}"
    assert sorted(told) == sorted(names)
    lab.wait_for("name === 'ready'", STARTING)
    assert {detail["code"] for detail in lab.told("error")} == {"missing-file"}
    expect(alert).to_have_count(0)
    since = lab.count_told()
    lab.set("Steps", 150)
    lab.button("Run").click()
    lab.wait_for("name === 'progress' && detail.step > 0", since=since)
    site.fail("*", 503)
    lab.page.context.set_offline(True)
    lab.wait_for("name === 'result'", since=since)
    assert [run["encoding"] for run in lab.told("result")[0]["runs"]] == ["none", "learned", "sinusoidal"]
    assert is_same()


def test_parts_that_come_later_are_named_and_tried_again_while_the_runs_go_on(lab_with, site):
    lab = lab_with(1)
    for part in ("chapter-*.js", "encoding-workbench-*.js", "code-editor-*.js", "console-*.js"):
        site.cut(part, CUT)
    lab.open(site, encodings="none", steps=20_000)  # of the default size: it lasts longer than all this
    page = lab.page
    is_same = same_document(page)
    lab.button("Run").click()
    lab.wait_for("name === 'progress' && detail.step > 0")

    def retry(place, words, part, after):
        """It fails once more, so that a reload is offered too, and then comes."""
        expect(place).to_contain_text(f"{words} could not be loaded")
        expect(place.get_by_role("button", name="Reload the page")).to_have_count(0)
        place.get_by_role("button", name="Retry").click()
        expect(place.get_by_role("button", name="Reload the page")).to_have_count(1)
        site.repair(part)
        place.get_by_role("button", name="Retry").click()
        expect(after).to_be_attached(timeout=60_000)
        expect(place.get_by_role("button", name="Retry")).to_have_count(0)

    card = page.locator("probe-card#order")
    expect(page.locator("lab-code")).to_contain_text("The scripts of this lab could not be loaded")
    retry(card, "The scripts of this lab", "chapter-*.js", page.locator("probe-card#order article"))
    editor = page.locator("lab-encoding-editor")
    editor.get_by_text("Write your own encoding").click()
    retry(editor, "The editor", "encoding-workbench-*.js", editor.get_by_role("textbox", name="Python code of your encoding"))
    code = page.locator("lab-code")
    code.get_by_role("tab", name="model.py").click()
    retry(code, "The scripts that show code", "code-editor-*.js", code.locator(".cm-content"))
    prompt = page.locator("lab-console")
    prompt.get_by_role("button", name="Start the prompt").click()
    retry(prompt, "The scripts of the prompt", "console-*.js", prompt.get_by_role("textbox", name="Python"))
    assert is_same()
    lab.button("Stop").click()
    assert lab.told("error") == []


def test_a_missing_text_is_named_at_its_control_and_the_next_run_asks_again(lab, site):
    site.cut("asyoulik.txt", CUT)
    lab.open(site, corpus="asyoulik", **SMALL)
    lab.button("Run").click()
    control = lab.control("Text")
    expect(control).to_be_focused()
    assert "asyoulik.txt could not be loaded" in lab.description(control)
    expect(lab.runs).to_have_count(0)
    site.repair()
    assert lab.run_to_end()["config"]["corpus"] == "asyoulik"


@pytest.mark.parametrize("kept", [False, True])
def test_an_old_page_whose_scripts_are_gone_from_the_server_says_what_to_do(page, site, dist, tmp_path, kept):
    """As where a browser's cache holds an old page: without any script, and with the entry from the cache as well."""
    old = (dist / "index.html").read_text().replace("main-", "main-OLD")
    (tmp_path / "index.html").write_text(old if kept else old.replace("boot-", "boot-OLD"))
    os.utime(tmp_path / "index.html", (0, 0))  # older than the new one, or the server takes them for the same
    site.overlay = tmp_path
    page.goto(f"{site.url}index.html")
    if kept:
        alert = page.locator("#lab").get_by_role("alert")
        expect(alert).to_contain_text(
            re.compile(r"main-OLD\w+\.js could not be loaded: HTTP 404.*newer version.*reload the page")
        )
        site.overlay = None
        page.get_by_role("button", name="Reload the page").click()
    else:
        late = page.get_by_text("Reload the page: its address may have kept an older version than its scripts.")
        expect(late).to_be_visible(timeout=60_000)
        site.overlay = None
        page.reload()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()


def test_what_is_late_is_said_late(page, site):
    scripts = site.hold("*.js")
    page.goto(site.url, wait_until="commit")
    late = page.get_by_text("They should be here by now.")
    expect(late).to_be_attached()
    expect(late).to_be_hidden()
    page.evaluate("for (const animation of document.getAnimations()) animation.finish()")
    expect(late).to_be_visible()
    scripts.set()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=60_000)
    expect(late).to_have_count(0)


def test_python_that_is_gone_with_an_older_version_says_so(lab, site, dist, tmp_path):
    scripts = site.hold("main-*.js")
    site.fail("pyodide.asm.wasm", 404)
    lab.page.goto(f"{site.url}index.html", wait_until="commit")
    expect(lab.page.get_by_role("heading", level=1)).to_be_visible()
    newer = re.sub(r'data-version="\w+"', 'data-version="newer"', (dist / "index.html").read_text())
    (tmp_path / "index.html").write_text(newer)
    site.overlay = tmp_path
    scripts.set()
    alert = lab.page.locator("lab-loading").get_by_role("alert")
    expect(alert).to_contain_text("The site has a newer version of this page by now", timeout=STARTING)
    expect(lab.button("Reload the page")).to_be_visible()


def test_in_a_frame_without_an_origin_the_header_that_is_missing_is_named(page, site, tmp_path):
    course = '<!doctype html><title>A course</title><iframe sandbox="allow-scripts" src="index.html"></iframe>'
    (tmp_path / "course.html").write_text(course)
    site.overlay = tmp_path
    site.withhold("Access-Control-Allow-Origin")
    page.goto(f"{site.url}course.html")
    alert = page.frame_locator("iframe").locator("#lab").get_by_role("alert")
    expect(alert).to_contain_text("Access-Control-Allow-Origin: *")
    expect(alert).to_contain_text("allow-same-origin")
