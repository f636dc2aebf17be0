"""What can go wrong around the page: files that do not come, workers that hang or die. The rest goes on."""

import re

import pytest
from playwright.sync_api import expect

from lab_page import SMALL


@pytest.mark.tolerates("console")  # the browser itself reports what it could not load
@pytest.mark.parametrize("pattern", ["pyodide.asm.wasm", "embedding_lab-*.whl"])
def test_a_missing_file_is_named_and_retry_works_without_a_reload(lab, site, pattern):
    site.fail(pattern, 404)
    lab.open(site, ready=False, **SMALL)
    alert = lab.page.get_by_role("alert")
    expect(alert).to_contain_text(re.compile(pattern.replace("*", ".*")), timeout=180_000)
    expect(alert).to_contain_text("HTTP 404")
    assert lab.told("error")[0]["code"] == "missing-file"
    lab.page.evaluate("window.sameDocument = true")
    site.repair()
    lab.button("Retry").click()
    lab.wait_for("name === 'ready'", 180_000)
    expect(alert).to_have_count(0)
    assert len(lab.run_to_end()["runs"]) == 3
    assert lab.page.evaluate("window.sameDocument")


@pytest.mark.tolerates("console")
def test_a_script_that_does_not_arrive_is_told_and_the_text_can_be_read(lab, site):
    site.fail("main-*.js", 404)
    lab.open(site, ready=False)
    expect(lab.page.get_by_role("alert")).to_contain_text("scripts could not be loaded")
    expect(lab.page.get_by_role("heading", name="What the curves mean")).to_be_visible()
    site.repair()
    lab.button("Retry").click()
    expect(lab.button("Run")).to_be_visible()


@pytest.mark.tolerates("console")
def test_the_chapters_labs_whose_scripts_do_not_arrive_say_so_and_can_be_tried_again(lab, site):
    site.fail("chapter-*.js", 404)
    lab.open(site)
    card = lab.page.locator("probe-card#order")
    expect(card).to_contain_text("scripts of this lab could not be loaded")
    expect(lab.button("Run")).to_be_visible()
    site.repair()
    card.get_by_role("button", name="Retry").click()
    expect(lab.page.locator("probe-card#order article")).to_be_attached(timeout=60_000)


@pytest.mark.tolerates("console")
def test_a_missing_text_is_named_at_its_control_and_the_next_run_asks_again(lab, site):
    site.fail("asyoulik.txt", 404)
    lab.open(site, corpus="asyoulik", **SMALL)
    lab.button("Run").click()
    control = lab.control("Text")
    expect(control).to_be_focused()
    assert re.search(r"asyoulik\.txt could not be loaded \(HTTP 404\)", lab.description(control))
    expect(lab.runs).to_have_count(0)
    site.repair()
    assert lab.run_to_end()["config"]["corpus"] == "asyoulik"


# Keeps every worker that the page makes.
KEEP_WORKERS = """
window.workers = [];
window.Worker = class extends Worker {
  constructor(...args) {
    super(...args);
    workers.push(this);
  }
};
"""


def test_a_worker_that_dies_costs_its_own_run_alone(lab_with, site):
    """One that hangs is met with in the tests of own encodings: a locked worker runs no JavaScript that a test gives it."""
    lab = lab_with(2)
    lab.page.add_init_script(KEEP_WORKERS)
    lab.open(site, **{**SMALL, "steps": 3000})
    lab.button("Run").click()
    for name in ("none", "learned"):
        lab.wait_for(f"name === 'progress' && detail.step > 0 && detail.encoding === '{name}'")
    lab.page.evaluate("workers[0].terminate()")
    lab.wait_for("name === 'error' && detail.code === 'hung'")
    lab.wait_for("name === 'result'")
    states = lab.runs.get_by_role("row").all_inner_texts()[1:]
    assert sum("did not answer within" in state for state in states) == 1, states
    assert sum("3,000 steps in" in state for state in states) == 2, states
    assert len(lab.told("result")[0]["runs"]) == 2
    assert len(lab.page.workers) <= 2
    lab.set("Steps", 20)
    assert len(lab.run_to_end()["runs"]) == 3, "the next experiment has all that it needs"
    assert len(lab.page.workers) == 2


def test_the_page_can_be_read_and_set_before_python_is_there(lab, site):
    wasm = site.hold("pyodide.asm.wasm")
    lab.open(site, ready=False, **SMALL)
    expect(lab.page.get_by_role("heading", level=1)).to_be_visible()
    expect(lab.page.get_by_role("heading", name="What the curves mean")).to_be_visible()
    expect(lab.button("Run")).to_be_enabled()
    loading = lab.page.locator("lab-loading")
    expect(loading).to_contain_text("Loading Python")
    expect(loading).to_contain_text(re.compile(r"\d+\.\d of \d+\.\d MB"))
    expect(loading.get_by_role("progressbar")).to_be_visible()
    assert lab.told("ready") == []
    wasm.set()
    lab.wait_for("name === 'ready'", 180_000)
    expect(loading).to_contain_text("Python ready in")


def test_the_text_can_be_read_without_the_scripts(page, site):
    scripts = site.hold("*.js")
    page.goto(site.url, wait_until="commit")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("heading", name="What trains here")).to_be_visible()
    scripts.set()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=60_000)
