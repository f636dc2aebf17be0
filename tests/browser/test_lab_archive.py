"""What the browser keeps of the runs: there after a reload, opened as it was, deleted for good, and never a reason to fail."""

import re

import pytest
from playwright.sync_api import expect

from lab_page import SMALL, LabPage

FULL = """
window.isFull = true;
const put = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (...row) {
  if (window.isFull) throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
  return put.apply(this, row);
};
"""
CONTINUE = "Continue Learned, seed 1"
DENIED = """IDBFactory.prototype.open = () => { throw new DOMException("The operation is insecure.", "SecurityError"); };"""

# Changes every row of a store of the archive behind the page's back.
TAMPER = """
([name, change]) => new Promise((resolve, reject) => {
  const request = indexedDB.open("embedding-lab");
  request.onerror = reject;
  request.onsuccess = () => {
    const transaction = request.result.transaction(name, "readwrite");
    transaction.objectStore(name).openCursor().onsuccess = ({ target: { result: cursor } }) => {
      if (!cursor) return;
      const row = cursor.value;
      if (change === "settings") row.config.d = 4000;
      else delete row.saved;
      cursor.update(row);
      cursor.continue();
    };
    transaction.oncomplete = () => { request.result.close(); resolve(); };
  };
})
"""

# Keeps which probes the page asks its Pythons.
ASKED = """
window.asked = [];
for (const { prototype } of [Worker, MessagePort]) {
  const post = prototype.postMessage;
  prototype.postMessage = function (message, ...rest) {
    const text = JSON.stringify(message, (name, value) => (ArrayBuffer.isView(value) ? null : value));
    if (text?.includes('"probe"')) window.asked.push(text);
    return post.call(this, message, ...rest);
  };
}
"""

# Resolves when a run is kept with what a probe found out about it.
FOUND = """
async (name) => {
  const read = () => new Promise((resolve, reject) => {
    const request = indexedDB.open("embedding-lab");
    request.onerror = reject;
    request.onsuccess = () => {
      const database = request.result;
      database.transaction("findings").objectStore("findings").getAll().onsuccess = ({ target }) => {
        database.close();
        resolve(target.result.some(({ found }) => found.some((finding) => finding.name === name)));
      };
    };
  });
  const patience = performance.now() + 60_000;
  while (!(await read())) {
    if (performance.now() > patience) throw new Error(`nothing of ${name} was kept`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
"""


@pytest.fixture
def lab(lab_with):
    """On one core, which is enough for small runs: a second Python would take as long to come as they take."""
    return lab_with(1)


def _kept(lab):
    """The experiments in the list."""
    return lab.page.locator("lab-kept [data-experiment]")


def _trained(lab, site, **query):
    """An experiment that has ended and is kept, three runs of it."""
    lab.open(site, **{**SMALL, **query})
    lab.run_to_end()
    expect(_kept(lab).first.get_by_text("3 runs", exact=True)).to_be_visible(timeout=30_000)


def _open(lab, index=0):
    lab.button("Run").wait_for()
    _kept(lab).nth(index).get_by_role("button", name=re.compile("^Open the experiment")).click()
    expect(_kept(lab).nth(index)).to_contain_text("on the page", timeout=60_000)


def _delete(lab, name):
    lab.page.locator("lab-kept").get_by_role("button", name=name).click()


def _names(lab):
    """What the buttons of the list are called."""
    return lab.page.evaluate(
        "[...document.querySelectorAll('lab-kept li button')].map((button) => button.ariaLabel ?? button.textContent.trim())"
    )


def _asked(lab, probe):
    """How often the page has asked a probe since it was loaded."""
    return lab.page.evaluate('(name) => window.asked.filter((text) => text.includes(`"${name}"`)).length', probe)


def _stop_after(lab, step, press="Run"):
    """Let the one run train past a step and stop it there, within its next answer; returns its training curve."""
    lab.page.evaluate(
        """(step) => {
          window.hasStopped = new Promise((resolve) => {
            const stop = ({ detail }) => {
              if (detail.step <= step) return;
              document.removeEventListener("embedding-lab:progress", stop);
              document.querySelector("lab-app").lab.stop();
              requestAnimationFrame(() => requestAnimationFrame(() => resolve())); // its button to go on is gone
            };
            document.addEventListener("embedding-lab:progress", stop);
          });
        }""",
        step,
    )
    lab.button(press).click()
    lab.page.evaluate("hasStopped")
    expect(lab.button(CONTINUE)).to_be_visible(timeout=60_000)
    return lab.curves()["learned-1"]["train"]


def _geometry(lab):
    """What the large picture of the table is given."""
    return lab.page.evaluate(
        """(({ points, explained, step }) => ({ points: [...points], explained, step }))(
          document.querySelector("lab-geometry geometry-chart:not([compact])"))"""
    )


def test_what_was_trained_is_there_after_a_reload_as_it_was(lab, site):
    lab.page.add_init_script(ASKED)
    _trained(lab, site)
    card = lab.look_at("order")
    expect(card.locator(".measured")).to_be_visible(timeout=60_000)
    lab.page.evaluate(FOUND, "order")
    assert _asked(lab, "order") > 0
    before = {
        "curves": lab.curves(),
        "gaps": lab.gaps.inner_text(),
        "table": _geometry(lab),
        "order": card.locator(".measured").inner_text(),
    }
    lab.page.evaluate("scrollTo(0, 0)")
    lab.page.reload()
    lab.wait_for("name === 'ready'", 180_000)
    assert lab.page.locator("lab-runs table").count() == 0
    item = _kept(lab)
    expect(item).to_contain_text("Width d 16, Context T 16, Batch B 8, Steps 40")
    expect(item).to_contain_text(re.compile(r"Best: \d\.\d{3} nats per character"))
    expect(lab.page.locator("lab-kept")).to_contain_text(re.compile(r"kept in this browser.*take about \d+\.\d MB, of \d+"))
    _open(lab)
    asked = _asked(lab, "order")  # about the settings in the controls, if its lab was in sight before
    expect(lab.gaps.get_by_role("table")).to_be_visible()
    expect(lab.gaps.locator("[data-encoding=learned] .verdict")).not_to_be_empty(timeout=30_000)
    card = lab.look_at("order")
    expect(card.locator(".measured")).to_have_text(before["order"], use_inner_text=True, timeout=60_000)
    after = {
        "curves": lab.curves(),
        "gaps": lab.gaps.inner_text(),
        "table": _geometry(lab),
        "order": card.locator(".measured").inner_text(),
    }
    assert after == before
    assert lab.told("error") == []
    scrubber = lab.look_at("geometry")
    expect(scrubber.get_by_role("slider").first).to_be_visible(timeout=60_000)
    assert _asked(lab, "order") == asked, "it is known already"


def test_a_run_and_an_experiment_can_be_deleted_and_all_of_them(lab, site):
    _trained(lab, site)
    lab.set("Steps", 20)
    lab.run_to_end()
    expect(_kept(lab)).to_have_count(2, timeout=30_000)
    expect(_kept(lab).get_by_text("3 runs", exact=True)).to_have_count(2, timeout=30_000)
    names = _names(lab)
    assert len(set(names)) == len(names) == 10, "two experiments of one minute"
    first = _kept(lab).first
    first.get_by_text("3 runs", exact=True).click()
    _delete(lab, re.compile("^Delete Learned, seed 1"))
    expect(first.get_by_text("2 runs", exact=True)).to_be_visible()
    assert len(lab.curves()) == 3, "on the page it stays"
    first.get_by_role("button", name=re.compile("^Delete the experiment")).click()
    expect(_kept(lab)).to_have_count(1)
    _delete(lab, "Delete all …")
    expect(lab.page.locator("lab-kept")).to_contain_text("Delete 3 kept runs for good?")
    expect(lab.button("Keep them")).to_be_focused()
    lab.button("Keep them").click()
    expect(_kept(lab)).to_have_count(1)
    _delete(lab, "Delete all …")
    lab.button("Delete all 3").click()
    expect(_kept(lab)).to_have_count(0)
    lab.page.reload()
    expect(lab.page.locator("lab-kept")).to_contain_text("Nothing is kept yet.", timeout=60_000)


def test_two_tabs_see_the_same_and_hinder_each_other_in_nothing(lab, site):
    _trained(lab, site)
    other = LabPage(lab.page.context.new_page())
    other.open(site, **{**SMALL, "steps": 20})
    expect(_kept(other)).to_have_count(1)
    other.run_to_end()
    expect(_kept(lab)).to_have_count(2, timeout=30_000)
    _open(other, index=1)
    curves = other.curves()
    _delete(lab, "Delete all …")
    lab.button("Delete all 6").click()
    expect(_kept(other)).to_have_count(0)
    assert other.curves() == curves
    expect(other.run_row("Learned")).to_contain_text("40 steps in")
    other.set("Steps", 10)
    other.run_to_end()
    expect(_kept(lab)).to_have_count(1, timeout=30_000)
    other.page.close()


def test_a_stopped_run_is_kept_and_goes_on_after_a_reload(lab, site):
    lab.open(site, **{**SMALL, "steps": 4000, "encodings": "learned"})
    curve = _stop_after(lab, 20)
    expect(_kept(lab)).to_contain_text("1 run unfinished", timeout=30_000)
    lab.page.reload()
    lab.wait_for("name === 'ready'", 180_000)
    _open(lab)
    kept = lab.curves()["learned-1"]["train"]
    assert len(kept["loss"]) >= len(curve["loss"]), "a frame that was dropped when it stopped may be in it, too"
    assert kept["loss"][: len(curve["loss"])] == curve["loss"]
    continued = _stop_after(lab, len(kept["loss"]) + 20, CONTINUE)
    assert continued["loss"][: len(kept["loss"])] == kept["loss"]
    assert continued["steps"] == list(range(1, len(continued["steps"]) + 1))
    expect(_kept(lab)).to_contain_text(re.compile(r"1 run unfinished"))


def test_two_tabs_that_continue_one_run_keep_what_each_has_trained(lab, site):
    lab.open(site, **{**SMALL, "steps": 20_000, "encodings": "learned"})
    begun = len(_stop_after(lab, 20)["loss"])
    expect(_kept(lab)).to_contain_text("1 run unfinished", timeout=30_000)
    other = LabPage(lab.page.context.new_page())
    other.open(site)
    _open(other)
    _stop_after(other, begun + 1000, CONTINUE)
    other.page.evaluate(  # the longer one is kept first
        """(step) => new Promise((resolve) => {
          const { lab } = document.querySelector("lab-app");
          const look = () => lab.state.kept.experiments.some(({ runs }) => runs.some((run) => run.step > step)) && resolve();
          lab.store.observe(look);
          look();
        })""",
        begun + 1000,
    )
    _stop_after(lab, begun, CONTINUE)
    expect(_kept(other)).to_contain_text("2 runs unfinished", timeout=30_000)
    further = len(other.curves()["learned-1"]["train"]["loss"])
    assert len(lab.curves()["learned-1"]["train"]["loss"]) < further
    other.page.reload()
    other.wait_for("name === 'ready'", 180_000)
    _open(other)
    assert len(other.curves()["learned-1"]["train"]["loss"]) >= further
    other.page.close()


def test_a_full_browser_is_told_beside_the_list_and_keeps_the_runs_when_there_is_room(lab, site):
    lab.page.add_init_script(FULL)
    lab.open(site, **SMALL)
    lab.run_to_end()
    alert = lab.page.locator("lab-kept").get_by_role("alert")
    expect(alert).to_contain_text(
        "3 runs could not be kept: this browser has no room left. They are lost when this page is closed.", timeout=30_000
    )
    assert len(lab.curves()) == 3
    expect(_kept(lab)).to_have_count(0)
    lab.page.evaluate("window.isFull = false")
    lab.button("Try to keep them again").click()
    expect(_kept(lab).get_by_text("3 runs", exact=True)).to_be_visible(timeout=30_000)
    expect(alert).to_have_count(0)


def test_what_cannot_be_deleted_stays_in_the_list_with_the_keyboard(lab, site):
    lab.open(site, **{**SMALL, "encodings": "learned"})
    lab.run_to_end()
    expect(_kept(lab)).to_have_count(1, timeout=30_000)
    lab.page.evaluate(
        """() => {
          for (const name of ["delete", "clear"]) IDBObjectStore.prototype[name] = () => {
            throw new DOMException(`The disk refused to ${name}.`, "UnknownError");
          };
        }"""
    )
    delete = _kept(lab).get_by_role("button", name=re.compile("^Delete the experiment"))
    two_frames = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"
    delete.click()
    alert = lab.page.locator("lab-kept").get_by_role("alert")
    expect(alert).to_contain_text("It could not be deleted: The disk refused to delete.")
    lab.page.evaluate(two_frames)
    expect(delete).to_be_focused()
    _delete(lab, "Delete all …")
    lab.button("Delete all 1").click()
    expect(alert).to_contain_text("It could not be deleted: The disk refused to clear.")
    lab.page.evaluate(two_frames)
    expect(lab.button("Delete all 1")).to_be_focused()
    expect(_kept(lab)).to_have_count(1)


@pytest.mark.tolerates("console")  # PyScript has a database of its own, and lets the page's console know that it cannot open it
def test_a_browser_that_keeps_nothing_is_told_and_everything_else_works(lab, site):
    lab.page.add_init_script(DENIED)
    lab.open(site, **SMALL)
    told = lab.page.locator("lab-kept")
    expect(told).to_contain_text(
        "Runs cannot be kept here: this browser lets the page store nothing, as in some private windows"
    )
    expect(told).to_contain_text("Runs stay on this page until it is closed")
    assert len(lab.run_to_end()["runs"]) == 3


def test_records_that_were_tampered_with_are_told_and_can_be_deleted(lab, site):
    _trained(lab, site)
    lab.page.evaluate(TAMPER, ["contents", "saved"])
    lab.page.reload()
    lab.wait_for("name === 'ready'", 180_000)
    unreadable = lab.page.locator("[data-unreadable]")
    expect(unreadable).to_have_count(0)
    _kept(lab).get_by_role("button", name=re.compile("^Open the experiment")).click()
    expect(unreadable).to_have_count(3)
    expect(unreadable.first).to_contain_text("what it has learned is missing")
    expect(_kept(lab)).to_have_count(0)
    assert lab.page.locator("lab-runs table").count() == 0
    lab.page.evaluate(TAMPER, ["runs", "settings"])
    lab.page.reload()
    expect(unreadable).to_have_count(3)
    assert len(set(_names(lab))) == 3
    expect(unreadable.first).to_contain_text("d = 4000 is out of range")
    expect(_kept(lab)).to_have_count(0)
    unreadable.first.get_by_role("button", name="Delete what cannot be read").click()
    expect(unreadable).to_have_count(2)
    assert len(lab.run_to_end()["runs"]) == 3
