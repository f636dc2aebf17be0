"""What can go wrong around the page: workers that hang or die, a Python that comes late. The rest goes on."""

import re

from playwright.sync_api import expect

from lab_page import SMALL

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
    rows = lab.runs.get_by_role("row")
    expect(rows.filter(has_text="did not answer within")).to_have_count(1)
    expect(rows.filter(has_text="3,000 steps in")).to_have_count(2)
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
    expect(loading).to_contain_text(re.compile(r"\d+\.\d\d of \d+\.\d\d MB"))
    expect(loading.get_by_role("progressbar")).to_be_visible()
    assert lab.told("ready") == []
    wasm.set()
    lab.wait_for("name === 'ready'", 180_000)
    expect(loading).to_contain_text("Python ready in")
