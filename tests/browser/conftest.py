"""What the tests of the page share: the lab on a fresh page, and experiments trained once for tests that only look."""

import json

import pytest
from playwright.sync_api import expect

import harness as harness_page
from lab_page import LabPage
from tests.conftest import PageGuard

FIVE = "none,learned,sinusoidal,rope,alibi"

expect.set_options(timeout=20_000)  # ms: a page that trains on a machine under load may take its time to draw


@pytest.fixture
def lab(page):
    """The lab on a page of its own."""
    return LabPage(page)


@pytest.fixture
def lab_with(page):
    """The lab on a machine with so many cores."""
    return lambda cores: LabPage(page, cores)


@pytest.fixture(scope="session")
def harness(dist, tmp_path_factory):
    """A folder to lay over the site: a page with its policy and nothing but `start`."""
    folder = tmp_path_factory.mktemp("harness")
    harness_page.make(dist, folder)
    return folder


@pytest.fixture
def open_harness(page, harness):
    """Opens the harness on a site and returns the page."""

    def open_on(site):
        site.overlay = harness
        page.goto(f"{site.url}harness.html")
        return page

    return open_on


def _trained(browser, site, watch=None, trace=False, **query):
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    page.guard = PageGuard(page)
    lab = LabPage(page)
    if watch:
        page.add_init_script(watch)
    lab.open(site, **query)
    if trace:
        browser.start_tracing(page=page, categories=["toplevel", "blink.user_timing"])
    lab.result = lab.run_to_end()
    if trace:
        page.evaluate(BUSY)
        lab.trace = json.loads(browser.stop_tracing())["traceEvents"]
    yield lab
    problems = page.guard.found()
    context.close()
    assert not problems


# Holds the main thread for 150 ms, after a mark, until the page's own observer has told of it.
BUSY = """
() => {
  performance.mark("trained");
  const before = longTasks.length;
  setTimeout(() => {
    const until = performance.now() + 150;
    while (performance.now() < until);
  });
  return waitUntil("longtask", () => longTasks.slice(before).some(({ duration }) => duration >= 150), 60000);
}
"""

# Keeps where each character stood in every picture of the large chart.
WATCH_GEOMETRY = """
window.pictures = [];
const read = (chart) => ({
  step: chart.step,
  texts: [...chart.querySelectorAll(".gc-marks text")].map((mark) => ({
    text: mark.textContent, fill: getComputedStyle(mark).fill, transform: mark.getAttribute("transform"),
  })),
});
document.addEventListener("DOMContentLoaded", () => {
  new MutationObserver((changes) => {
    const chart = document.querySelector("geometry-chart:not(.gc-compact)");
    if (!chart || !changes.some(({ target }) => chart.contains(target))) return;
    const picture = read(chart);
    if (picture.texts.length && picture.texts[0].transform) pictures.push(picture);
  }).observe(document.body, { subtree: true, attributeFilter: ["transform"] });
});
"""


@pytest.fixture(scope="session")
def default_experiment(browser, root_server):
    """What the page opens on, trained to its end; `.result` is what it told. To look at only."""
    root_server.reset()
    yield from _trained(browser, root_server, watch=WATCH_GEOMETRY)


@pytest.fixture(scope="session")
def five_encodings(browser, root_server):
    """The default model with all encodings, 50 steps; `.result` is what it told, `.trace` Chromium's account of its tasks."""
    root_server.reset()
    yield from _trained(browser, root_server, trace=True, encodings=FIVE, steps=50)
