"""What the tests of the engines share: the site with a recorder on its pages, and one page in each engine."""

import re
import shutil
from pathlib import Path

import pytest

import build
from chromium import Chromium
from firefox import Firefox
from tests import programs
from tests.browser.course_page import CourseSite
from tests.conftest import Site
from webkit import WebKit

HERE = Path(__file__).parent
RECORDER = HERE / "recorder.js"
RUNTIME_RECORDER = """
addEventListener("securitypolicyviolation", ({ effectiveDirective, sample, sourceFile }) =>
  postMessage({ forbidden: `${effectiveDirective} forbids ${sample} of ${sourceFile}` }));
"""


def pytest_generate_tests(metafunc):
    if "engine" in metafunc.fixturenames:
        chosen = programs.read_engines(metafunc.config.getoption("engines"))
        metafunc.parametrize("engine", chosen, indirect=True, scope="module")


@pytest.fixture(scope="module")
def recorded_site(dist, tmp_path_factory):
    """The site, on whose pages `recorder.js` stands before all other scripts; its Python workers tell it what is forbidden."""
    overlay = tmp_path_factory.mktemp("recorded")
    shutil.copy(RECORDER, overlay)
    worker = (dist / build.SERVICE_WORKER).read_text("utf-8")
    for page in dist.glob("*.html"):
        markup, count = re.subn("(?=<title>)", '<script src="recorder.js"></script>', page.read_text("utf-8"), count=1)
        assert count == 1, page
        recorded = overlay / page.name
        recorded.write_text(markup, encoding="utf-8")
        # The service worker keeps the files of its own version alone, so these have to be that.
        worker = worker.replace(build.revision(page), build.revision(recorded))
    [runtime] = dist.glob("python-*/runtime.mjs")
    recorded = overlay / runtime.relative_to(dist)
    recorded.parent.mkdir()
    recorded.write_text(runtime.read_text("utf-8") + RUNTIME_RECORDER, encoding="utf-8")
    worker = worker.replace(build.integrity(runtime), build.integrity(recorded))
    (overlay / build.SERVICE_WORKER).write_text(worker, encoding="utf-8")
    site = Site(dist)
    site.overlay = overlay
    yield site
    site.server.shutdown()
    site.server.server_close()


@pytest.fixture(scope="module")
def course():
    """A server for the pages of a course, of another origin than the lab's, with the recorder for them."""
    site = CourseSite()
    site.put("/recorder.js", RECORDER.read_text("utf-8"), Content_Type="text/javascript")
    yield site
    site.close()


@pytest.fixture(scope="module")
def engine(request):
    """One page in the engine of this name."""
    found = programs.find_engines([request.param])
    if request.param == "chromium":
        opened = Chromium(request.getfixturevalue("browser"))
    elif request.param == "firefox":
        opened = Firefox(found["firefox-esr"])
    else:
        opened = WebKit(found["WebKitWebDriver"], found["Xvfb"])
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def screenshot_of_a_failure(request):
    """Keeps what the engine showed when a test failed, where the other browser tests keep theirs."""
    failed = request.session.testsfailed
    yield
    opened = request.node.funcargs.get("engine")
    if opened and request.session.testsfailed > failed:
        folder = Path(request.config.getoption("output"))
        folder.mkdir(parents=True, exist_ok=True)
        opened.screenshot(folder / f"{re.sub('[^a-z0-9]+', '-', request.node.name)}.png")
