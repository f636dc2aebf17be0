"""What the tests of the page share: the lab on a fresh page, and experiments trained once for tests that only look."""

import pytest

from lab_page import LabPage
from tests.conftest import PageGuard

FIVE = "none,learned,sinusoidal,rope,alibi"


@pytest.fixture
def lab(page):
    """The lab on a page of its own."""
    return LabPage(page)


@pytest.fixture
def lab_with(page):
    """The lab on a machine with so many cores."""
    return lambda cores: LabPage(page, cores)


def _trained(browser, site, cores=None, watch=None, **query):
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    page.guard = PageGuard(page)
    lab = LabPage(page, cores)
    if watch:
        page.add_init_script(watch)
    lab.open(site, **query)
    lab.result = lab.run_to_end()
    yield lab
    problems = page.guard.found()
    context.close()
    assert not problems


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
def small_experiment(browser, root_server):
    """The default experiment with a small model, trained to its end; `.result` is what it told. To look at only."""
    root_server.reset()
    yield from _trained(browser, root_server, watch=WATCH_GEOMETRY, d=16, context=16, batch=8, steps=200)


@pytest.fixture(scope="session")
def five_encodings(browser, root_server):
    """The default model with all encodings, 50 steps, three runs at a time; `.result` is what it told. To look at only."""
    root_server.reset()
    yield from _trained(browser, root_server, cores=3, encodings=FIVE, steps=50)
