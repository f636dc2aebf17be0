"""What the tests of the page share: the lab on a fresh page, and experiments trained once for tests that only look."""

import contextlib

import pytest
from playwright.sync_api import Error, expect

import harness as harness_page
from course_page import CourseSite
from embedding_lab.positions import ENCODINGS
from lab_page import LabPage, trained_lab
from tests.conftest import served
from warm_context import WarmContext

expect.set_options(timeout=20_000)  # ms: a page that trains on a machine under load may take its time to draw


@pytest.fixture(scope="session")
def keeper_server(dist):
    """The site at an address of its own, so that what a page of it keeps or locks concerns no other."""
    yield from served(dist, "/")


@pytest.fixture(scope="session")
def warm(browser, browser_context_args, keeper_server):
    return WarmContext(lambda: browser.new_context(**browser_context_args), keeper_server)


@pytest.fixture
def context(request, output_path):
    """A browser context without anything that earlier tests have left, where WebAssembly is compiled, but for tests that are `cold`."""
    if request.node.get_closest_marker("cold"):
        yield request.getfixturevalue("new_context")()
        return
    warm = request.getfixturevalue("warm")
    yield warm.context
    if getattr(request.node, "rep_call", None) and request.node.rep_call.failed:
        keep_pictures(warm.pages, output_path)
    warm.clean()


def keep_pictures(pages, folder):
    """Screenshots of what a test has failed on, as Playwright's own fixture takes them of the contexts that it closes."""
    for number, page in enumerate(pages, start=1):
        with contextlib.suppress(Error):  # one that has crashed has no picture
            page.screenshot(path=f"{folder}/test-failed-{number}.png", timeout=5000)


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
    yield from trained_lab(browser, root_server, watch=WATCH_GEOMETRY)


@pytest.fixture(scope="session")
def all_encodings(browser, root_server):
    """The default model with all encodings, 50 steps; `.result` is what it told, `.trace` Chromium's account of its tasks."""
    yield from trained_lab(browser, root_server, trace=True, encodings=",".join(ENCODINGS), steps=50)


@pytest.fixture(scope="module")
def course():
    """The server of a course, of another origin than the lab's."""
    site = CourseSite()
    yield site
    site.close()


@pytest.fixture
def lab_of_a_course(page, site):
    """Lets the page, a course's, ask the lab's site."""
    page.guard.allow(site.url)
