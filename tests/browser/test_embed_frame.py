"""The lab in a plain iframe of a course page of another origin: its events, its commands, and what it refuses.

The course page keeps every message of the frame; the lab has its own policy, the course page none.
"""

import json
import re
import threading
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

import build
from lab_page import SMALL, STARTING, TRAINING
from tests.conftest import PageGuard

# `told`: what the frame has sent, each with the origin that the browser gives it; the frame is as high as it says.
COURSE = """<!doctype html><meta charset="utf-8"><title>A lesson</title><link rel="icon" href="data:,">
<style>body {{ margin: 0; color-scheme: {scheme} }} iframe {{ border: 0; inline-size: 100%; block-size: 100px }}</style>
<h1>A lesson</h1>
<iframe id="lab" title="Embedding Lab" {attributes} src="{src}"></iframe>
<iframe id="other" title="Another frame" src="{other}"></iframe>
<script>
const told = [];
const lab = document.getElementById("lab");
addEventListener("message", ({{ source, origin, data }}) => {{
  if (source !== lab.contentWindow) return;
  told.push({{ origin, ...data }});
  if (data.type === "embedding-lab:size") lab.style.blockSize = `${{data.detail.height}}px`;
  dispatchEvent(new Event("told"));
}});
const say = (type, detail) => lab.contentWindow.postMessage({{ type: `embedding-lab:${{type}}`, detail }}, "*");
const count = (type) => told.filter((message) => message.type === `embedding-lab:${{type}}`).length;
const until = (type, least, patience) => new Promise((resolve, reject) => {{
  const look = () => count(type) >= least && resolve();
  setTimeout(() => reject(new Error(`no ${{type}}: ${{JSON.stringify(told.slice(-3))}}`)), patience);
  addEventListener("told", look);
  look();
}});
</script>
"""
# A frame of another origin beside the lab, which tries to command it.
OTHER = """<!doctype html><meta charset="utf-8"><title>Another frame</title>
<script>for (const name of ["reset", "stop", "nonsense"]) parent.frames[0].postMessage({ type: `embedding-lab:${name}` }, "*");
parent.postMessage("sent", "*");</script>"""
# In the lab's frame: resolves when the last of those commands has come there, and whoever listened before has heard it.
HEAR_NONSENSE = """() => ({ nonsense: new Promise((resolve) => {
  addEventListener("message", ({ data }) => data.type === "embedding-lab:nonsense" && resolve());
}) })"""
LET_OTHER_COMMAND = """() => new Promise((resolve) => {
  addEventListener("message", ({ data }) => data === "sent" && resolve());
  document.getElementById("other").src += "?again";
})"""

QUERY = {"encodings": "none,learned", "expect": "none<9,learned-none>8", "locks": "d,encodings", **SMALL}


class Lesson:
    """A course page with the lab in it, and what the lab has told the page."""

    def __init__(self, page, url, name):
        self.page = page
        page.goto(f"{url}{name}")
        self.frame = page.frame_locator("#lab")

    def say(self, command, detail=None):
        self.page.evaluate("([command, detail]) => say(command, detail ?? undefined)", [command, detail])

    def told(self, name):
        """Details of the messages of one type, in order."""
        return self.page.evaluate(f"told.filter(({{ type }}) => type === 'embedding-lab:{name}').map(({{ detail }}) => detail)")

    def wait_for(self, name, least=1, patience=TRAINING):
        self.page.evaluate("([name, least, patience]) => until(name, least, patience)", [name, least, patience])
        return self.told(name)

    def problems(self):
        return self.frame.locator(".problems li")


@pytest.fixture(scope="module")
def course(root_server, tmp_path_factory):
    """Writes a lesson onto a server of its own and returns its address."""
    folders = [tmp_path_factory.mktemp(name) for name in ("course", "other")]
    servers = [build.make_server(folder) for folder in folders]
    for server in servers:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
    (folders[1] / "index.html").write_text(OTHER)

    def write(name, attributes="", other=False, scheme="light", **query):
        asked = "&".join(f"{key}={quote(str(value))}" for key, value in query.items())
        values = {"attributes": attributes, "scheme": scheme, "src": f"{root_server.url}embed.html?{asked}"}
        text = COURSE.format(**values, other=servers[1].address if other else "about:blank")
        (folders[0] / name).write_text(text)
        return servers[0].address

    yield write
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def lesson(browser, course):
    """One lesson for all tests of this file that look at the same lab one after the other, opened and trained once."""
    url = course("index.html", **QUERY)
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    guard = PageGuard(page)
    opened = Lesson(page, url, "index.html")
    opened.wait_for("ready", patience=STARTING)
    yield opened
    problems = guard.found(["other-origin"])  # the lab is one
    page.context.close()
    assert not problems


def test_the_page_is_told_the_height_first_and_then_that_python_is_ready(lesson, root_server):
    origins, types = lesson.page.evaluate("[[...new Set(told.map(({ origin }) => origin))], told.map(({ type }) => type)]")
    assert origins == [root_server.url.rstrip("/")]
    assert types[0] == "embedding-lab:size"
    assert lesson.told("ready")[0].keys() == {"backend", "version", "secondsToReady"}


def test_fixed_settings_are_shown_and_cannot_be_changed(lesson):
    frame = lesson.frame
    chips = frame.get_by_role("group", name="Positional encodings to compare")
    expect(chips.get_by_role("checkbox", name="RoPE")).to_be_disabled()
    expect(chips).to_have_accessible_description("This page has fixed the encodings.")
    expect(frame.get_by_role("button", name="+ Your own")).to_have_count(0)
    expect(frame.get_by_text("Write your own encoding")).to_be_hidden()
    frame.get_by_text("Change the experiment", exact=True).click()
    width = frame.get_by_role("textbox", name="Width d")
    expect(width).to_be_disabled()
    expect(width).to_have_accessible_description(re.compile("^This page has fixed it. 8 to 128"))
    frame.get_by_role("textbox", name="Steps").fill("77")
    frame.get_by_role("button", name="Restore the defaults").click()
    expect(frame.get_by_role("textbox", name="Steps")).to_have_value(str(SMALL["steps"]))
    expect(width).to_have_value(str(SMALL["d"]))
    frame.get_by_text("Change the experiment", exact=True).click()


def test_run_trains_and_tells_its_progress_its_result_and_the_task(lesson):
    task = lesson.frame.get_by_role("region", name="Task")
    expect(task).to_contain_text("The validation loss of None is less than 9 nats per character.")
    expect(task).to_contain_text("It is judged when the experiment has ended.")
    lesson.say("run")
    [judged] = lesson.wait_for("task")
    [result] = lesson.told("result")
    assert {run["encoding"] for run in result["runs"]} == {"none", "learned"}
    assert lesson.told("progress")[-1]["steps"] == SMALL["steps"]
    first, second = judged["checks"]
    losses = {run["encoding"]: run["validationLoss"] for run in result["runs"]}
    assert first == {"condition": "none<9", "nats": losses["none"], "low": None, "high": None, "passed": True, "reason": None}
    assert second["nats"] == pytest.approx(losses["learned"] - losses["none"], abs=1e-6)
    assert (second["passed"], judged["passed"], judged["expect"]) == (False, False, QUERY["expect"])
    expect(task).to_contain_text("✗ Not yet. 1 of 2 conditions hold.")
    expect(task).to_contain_text(f"Holds: {losses['none']:.3f} nats.")


def test_configure_changes_settings_panels_locks_theme_and_task_at_once(lesson):
    frame = lesson.frame
    lesson.say(
        "configure", {"panels": ["gaps", "probe:order"], "locks": None, "theme": "dark", "expect": "none<9", "seeds": [3, 4]}
    )
    task = frame.get_by_role("region", name="Task")
    expect(task).to_contain_text("✓ Passed.")  # the result that is there
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
    expect(frame.get_by_role("heading", name="Loss", exact=True)).to_have_count(0)
    expect(frame.get_by_role("checkbox", name="RoPE")).to_be_enabled()
    card = frame.locator("probe-card#order")
    expect(card.get_by_role("link", name="This lab in the chapter")).to_have_attribute("href", "index.html#order")
    expect(card.locator(".measured")).to_be_visible(timeout=TRAINING)  # asked by itself, since it is near the screen
    errors = len(lesson.told("error"))
    lesson.say("configure", {"d": 9999, "step": 3, "encodings": ["none"], "steps": 60, "theme": None})
    expect(lesson.problems()).to_have_count(2)
    expect(lesson.problems().first).to_contain_text("d = 9999 is out of range")
    [error] = lesson.wait_for("error", errors + 1)[errors:]
    assert error["code"] == "config" and "step is unknown" in error["message"]
    expect(frame.locator("html")).not_to_have_attribute("data-theme", "dark")
    before = len(lesson.told("result"))
    lesson.say("run")
    result = lesson.wait_for("result", before + 1)[-1]
    assert [(run["encoding"], run["seed"]) for run in result["runs"]] == [("none", 3), ("none", 4)]
    assert (result["config"]["steps"], result["config"]["d"]) == (60, 48)


def test_the_frame_is_as_high_as_its_content_and_that_settles(lesson):
    scrolls = "() => document.body.scrollHeight - document.body.clientHeight"
    for width in (360, 768, 1000):
        lesson.page.set_viewport_size({"width": width, "height": 900})
        frame = lesson.page.frames[1]
        expect(lesson.frame.locator("lab-app")).to_be_visible()
        for _ in range(60):  # the frame follows in its own time; then nothing is left to tell
            told = len(lesson.told("size"))
            lesson.page.wait_for_timeout(500)
            if len(lesson.told("size")) == told and frame.evaluate(scrolls) == 0:
                break
        else:
            raise AssertionError("the height never settles")
        assert frame.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_what_is_malformed_oversized_or_a_flood_is_answered_and_the_run_goes_on_to_its_end(lesson):
    lesson.say("configure", {"steps": 400, "d": 16})
    results = len(lesson.told("result"))
    progress = len(lesson.told("progress"))
    lesson.say("run")
    lesson.wait_for("progress", progress + 3)
    errors = len(lesson.told("error"))
    for data in (None, 7, "embedding-lab:stop", {"type": "webpackOk"}, {"type": 3}):
        lesson.page.evaluate("(data) => lab.contentWindow.postMessage(data, '*')", data)
    lesson.say("train")
    lesson.say("configure", ["steps"])
    lesson.say("configure", {f"n{index}": 1 for index in range(51)})
    lesson.say("configure", {"corpus": "x" * 2001, "steps": 1})
    answers = lesson.wait_for("error", errors + 4)[errors:]
    assert {answer["code"] for answer in answers} == {"message"}
    for words, answer in zip(("train is unknown", "no object", "51 names", "2001"), answers, strict=True):
        assert words in answer["message"]
    lesson.page.evaluate("() => { for (let sent = 0; sent < 10000; sent += 1) say('pause' + sent); }")
    lesson.page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 1500))")
    flood = lesson.told("error")[errors + 4 :]
    assert any(answer["message"].startswith("More than 50 messages") for answer in flood)
    assert len(flood) < 400  # 50 answers and one more for each second that it took to take them all in
    result = lesson.wait_for("result", results + 1)[-1]
    assert result["config"]["steps"] == 400
    assert len(lesson.told("result")) == results + 1


def test_pause_and_reset_are_obeyed(lesson):
    lesson.say("configure", {"steps": 20000, "seeds": 1})
    progress = len(lesson.told("progress"))
    lesson.say("run")
    lesson.wait_for("progress", progress + 2)
    lesson.say("pause")
    expect(lesson.frame.get_by_role("button", name="Resume")).to_be_visible()
    lesson.say("reset")
    expect(lesson.frame.get_by_role("button", name="Reset")).to_have_count(0)


# A frame without an origin of its own, and what another frame tries


@pytest.mark.tolerates("other-origin")
def test_a_sandbox_without_an_origin_runs_too_and_hears_no_other_frame(page, course):
    url = course("sandboxed.html", 'sandbox="allow-scripts"', other=True, panels="gaps,generate,code", **SMALL)
    lesson = Lesson(page, url, "sandboxed.html")
    assert page.frames[1].evaluate("self.origin") == "null"
    lesson.wait_for("ready", patience=STARTING)
    lesson.say("configure", {"encodings": "none,learned", "steps": 5000})
    lesson.say("run")
    lesson.wait_for("progress")
    lesson.say("pause")
    resume = lesson.frame.get_by_role("button", name="Resume")
    expect(resume).to_be_visible()
    heard = page.frames[1].evaluate_handle(HEAR_NONSENSE)
    page.evaluate(LET_OTHER_COMMAND)
    heard.evaluate("({ nonsense }) => nonsense")
    lesson.say("run")
    assert len(lesson.wait_for("result")[0]["runs"]) == 2
    begun = [progress["encoding"] for progress in lesson.told("progress") if progress["step"] == 0]
    assert sorted(begun) == ["learned", "none"], "none was stopped or reset, and so none began anew"
    assert lesson.told("error") == []
    assert page.evaluate("[...new Set(told.map(({ origin }) => origin))]") == ["null"]
    lesson.frame.get_by_role("tab", name="positions.py").click()
    expect(lesson.frame.locator(".cm-content")).to_contain_text("The positional encodings")
    expect(lesson.frame.locator("probe-card#generate")).to_be_visible()


@pytest.mark.tolerates("other-origin")
def test_what_the_address_asks_for_wrongly_is_told_by_name(page, course):
    query = {"panels": "loss,curves", "locks": "width", "expect": "none-rotary>0", "step": "3"}
    lesson = Lesson(page, course("wrong.html", **query), "wrong.html")
    expect(lesson.problems()).to_have_count(4)
    told = {item.get_attribute("data-name"): item.inner_text() for item in lesson.problems().all()}
    assert told.keys() == query.keys()
    assert "probe:NAME" in told["panels"] and "position-scale" in told["locks"] and "bigram" in told["expect"]
    expect(lesson.frame.get_by_role("heading", name="Loss", exact=True)).to_be_visible()
    assert json.dumps(lesson.told("error")) == "[]"
