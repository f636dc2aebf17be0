"""What the tests share: the built site, servers for it that can be told to fail, and a page that tolerates no noise.

The pages' Content-Security-Policy forbids eval, so Playwright's `wait_for_function` fails on them: wait with locators,
`expect`, events, or a promise inside `page.evaluate`, which the browser lets through.
"""

import fnmatch
import functools
import os
import threading
from types import MappingProxyType
from urllib.parse import urlsplit

import hypothesis
import pytest
from hypothesis import strategies

import build
from tests import programs

# NumPy's threads wait for each other in loops, which takes most of the time on arrays as small as here. This comes before
# NumPy is imported, and holds for the programs that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

BROWSER_FLAGS = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
# The pages of one context are in one process, where WebAssembly is compiled once for all that are open (see `WarmContext`).
ONE_PROCESS = "--process-per-site"


def pytest_addoption(parser):
    parser.addoption(
        "--engines", help=f"a list with commas: what tests/engines run in, if not in all of {', '.join(programs.ENGINES)}"
    )


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "tolerates(what): the page may do what fails other tests: 'console', 'policy' or 'other-origin'"
    )
    config.addinivalue_line("markers", "cold: in a process of its own, which has compiled nothing yet")


class Site:
    """A running server for the built site, with a list of what was asked of it, and faults to order.

    Attributes:
        url: the address of the site's root, which ends with a slash.
        requests: the file name of every request since the test began.
        overlay: a folder whose files are served as if they were in the site, or None.
    """

    def __init__(self, folder, path="/"):
        self.overlay = None
        self.reset()
        self.server = build.make_server(folder, path=path, handler=type("Handler", (FaultyHandler,), {"site": self}))
        self.url = self.server.address
        threading.Thread(target=self.server.serve_forever, args=[0.02], daemon=True).start()

    def reset(self):
        """Forget requests and faults, and let go whoever is held."""
        for fault in getattr(self, "_faults", {}).values():
            if "until" in fault:
                fault["until"].set()
        self.requests = []
        self.withheld = None
        self._faults = {}

    def fail(self, pattern, status):
        """Answer with this HTTP status for files whose name matches."""
        self._faults[pattern] = {"status": status}

    def cut(self, pattern, size):
        """Break the connection after this many bytes, though all were announced."""
        self._faults[pattern] = {"cut": size}

    def shorten(self, pattern, size):
        """Send only this many bytes, as if the file had no more."""
        self._faults[pattern] = {"shorten": size}

    def corrupt(self, pattern):
        """Change one bit in the middle of the file."""
        self._faults[pattern] = {"corrupt": True}

    def retype(self, pattern, mime_type):
        """Call the file by another MIME type."""
        self._faults[pattern] = {"type": mime_type}

    def withhold(self, header):
        """Send no such header until the test ends."""
        self.withheld = header

    def hold(self, pattern):
        """Answer only when the returned event is set, or when the test ends."""
        until = threading.Event()
        self._faults[pattern] = {"until": until}
        return until

    def pause(self, pattern, size):
        """Send this many bytes, and the rest when the returned event is set or the test ends."""
        until = threading.Event()
        self._faults[pattern] = {"pause": size, "until": until}
        return until

    def trickle(self, pattern, rate):
        """Send so many bytes a second, and the rest at once when the returned event is set or the test ends."""
        until = threading.Event()
        self._faults[pattern] = {"trickle": rate, "until": until}
        return until

    def repair(self, *patterns):
        """Answer everything as it should be from now on, or only what was ordered by these patterns."""
        for pattern in patterns or list(self._faults):
            del self._faults[pattern]

    def fault_of(self, name):
        for pattern, fault in self._faults.items():
            if fnmatch.fnmatch(name, pattern):
                return fault
        return {}


class FaultyHandler(build.SiteHandler):
    """The site's own handler, except where its `site` has ordered a fault."""

    site = None
    fault = MappingProxyType({})

    def translate_path(self, path):
        found = super().translate_path(path)
        if self.site.overlay:
            laid_over = os.path.join(self.site.overlay, os.path.relpath(found, self.directory))
            if os.path.isfile(laid_over):
                return laid_over
        return found

    def guess_type(self, path):
        return self.fault.get("type") or super().guess_type(path)

    def send_header(self, keyword, value):
        if keyword == "Content-Length" and "shorten" in self.fault:
            value = str(self.fault["shorten"])
        if keyword != self.site.withheld:
            super().send_header(keyword, value)

    def copyfile(self, source, outputfile):
        if "pause" in self.fault:
            outputfile.write(source.read(self.fault["pause"]))
            if self.fault["until"].wait(30):
                super().copyfile(source, outputfile)
            else:
                self.close_connection = True
            return
        if "trickle" in self.fault:
            while not self.fault["until"].wait(0.1) and (part := source.read(self.fault["trickle"] // 10)):
                outputfile.write(part)
            super().copyfile(source, outputfile)
            return
        if "corrupt" in self.fault:
            content = bytearray(source.read())
            content[len(content) // 2] ^= 1
            outputfile.write(content)
            return
        size = self.fault.get("cut", self.fault.get("shorten"))
        if size is None:
            super().copyfile(source, outputfile)
            return
        outputfile.write(source.read(size))
        self.close_connection = True

    def do_GET(self):
        name = os.path.basename(urlsplit(self.path).path)
        self.site.requests.append(name)
        self.fault = self.site.fault_of(name)
        if "until" in self.fault and not {"pause", "trickle"} & self.fault.keys():
            self.fault["until"].wait(60)
        if "status" in self.fault:
            self.send_error(self.fault["status"])
        else:
            super().do_GET()


@pytest.fixture(scope="session", autouse=True)
def tables_of_unicode():
    """Hypothesis makes them once on a machine, and whichever test draws the first text would be told that it is slow."""
    hypothesis.find(strategies.text(), lambda _: True)


@pytest.fixture(scope="session")
def dist():
    """The folder of the built site, current with its sources."""
    folder = build.ROOT / "dist"
    with build.one_at_a_time():
        build.build(folder)
    return folder


def served(folder, path):
    """A fixture's server for a folder under a path: a `Site`."""
    site = Site(folder, path)
    yield site
    site.reset()
    site.server.shutdown()
    site.server.server_close()


@pytest.fixture(scope="session")
def root_server(dist):
    yield from served(dist, "/")


@pytest.fixture(scope="session")
def subpath_server(dist):
    yield from served(dist, "/courses/spring/lab/")


def _for_one_test(site):
    site.reset()
    yield site
    site.reset()
    site.overlay = None


@pytest.fixture
def site(root_server):
    """The site at the root of a server: a `Site` without faults."""
    yield from _for_one_test(root_server)


@pytest.fixture
def subpath_site(subpath_server):
    """The site under a path, as on a course's pages: a `Site` without faults."""
    yield from _for_one_test(subpath_server)


@pytest.fixture(scope="session")
def browser(browser):
    """The browser; a context of it has no service worker unless it asks for one, or each page would keep 20 MB."""
    for name in ("new_context", "new_page"):
        setattr(browser, name, functools.partial(getattr(browser, name), service_workers="block"))
    return browser


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Playwright's own browser, or the one that build.py found; as root it cannot start with its sandbox."""
    path = os.environ.get("EMBEDDING_LAB_BROWSER")
    if path is None:
        path = programs.find_browser()
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return {**browser_type_launch_args, "executable_path": path or None, "args": [*sandbox, *BROWSER_FLAGS, ONE_PROCESS]}


# What Playwright says where a context has no service workers.
BLOCKED = "Service Worker registration blocked by Playwright"


class PageGuard:
    """Collects what no page of the site may do: ask another origin, write errors to the console, break its policy.

    A page of a course may ask the lab's origin too, once `allow` has named it.
    """

    def __init__(self, page):
        self.problems = {"console": [], "policy": [], "other-origin": []}
        self._origins = set()
        page.on("framenavigated", lambda frame: frame == page.main_frame and self._origins.add(_origin(frame.url)))
        page.on("request", lambda request: self._requests.append(request.url))
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.problems["console"].append(f"uncaught: {error}"))
        self._requests = []

    def allow(self, url):
        """Let the page ask the origin of this address as it may ask its own."""
        self._origins.add(_origin(url))

    def _on_console(self, message):
        if message.type not in ("error", "warning") or message.text == BLOCKED:
            return
        kind = "policy" if "Content Security Policy" in message.text else "console"
        self.problems[kind].append(f"{message.type}: {message.text} ({message.location.get('url')})")

    def found(self, tolerated=()):
        """Every problem so far but the tolerated kinds, in words."""
        own = self._origins | {"null"}  # blob: and data: have no host
        strangers = [url for url in self._requests if _origin(url) not in own]
        problems = {**self.problems, "other-origin": strangers}
        return [f"{kind}: {problem}" for kind, all_of_it in problems.items() if kind not in tolerated for problem in all_of_it]


def _origin(url):
    parts = urlsplit(url.removeprefix("blob:"))
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else "null"


@pytest.fixture(scope="module")
def shared_page(browser):
    """One page for all tests of a module, which fails the module's last test for what `page` fails its own."""
    page = browser.new_page()
    guard = PageGuard(page)
    yield page
    page.context.close()
    assert not guard.found()


@pytest.fixture
def page(page, request):
    """A page that fails its test if it asks another origin, writes an error to the console or breaks its policy.

    `page.guard.allow(url)` lets it ask one more origin.
    """
    page.guard = guard = PageGuard(page)
    yield page
    tolerated = {kind for marker in request.node.iter_markers("tolerates") for kind in marker.args}
    assert not guard.found(tolerated)
