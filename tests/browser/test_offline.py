"""The site without a network, as an app, and beside a new version of itself: whole versions, and never a swap under a run."""

import contextlib
import json
import os
import re
import shutil

import pytest
from playwright.sync_api import expect

import build
from lab_page import SMALL, STARTING, LabPage
from tests.conftest import PageGuard, Site

KEEPING = 180_000  # ms until the browser has kept the site, on a loaded machine


class Host:
    """A web host of the test's own, whose site can be replaced by another version, and which can go away."""

    def __init__(self, version, folder, path="/"):
        self.link = folder / f"site-{version.name}"
        self.publish(version)
        self.site = Site(self.link, path)
        self.url = self.site.url

    def publish(self, version):
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(version)

    def close(self):
        if self.site:
            self.site.reset()
            self.site.server.shutdown()
            self.site.server.server_close()
        self.site = None


def next_version(dist, folder, offline=True):
    """Another version of the site: the lab and its editor have other content and so other names.

    It sets `data-next` on the page.
    """
    shutil.copytree(dist, folder, copy_function=os.link)
    assets = folder / "assets"
    texts = {path: path.read_text() for path in [*folder.glob("*.html"), *assets.glob("*.js")]}
    changing = {next(assets.glob(pattern)).name for pattern in ("main-*.js", "encoding-workbench-*.js")}
    while True:  # a script that names one whose name changes has another content, and so another name, too
        naming = {path.name for path, text in texts.items() if path.suffix == ".js" and any(name in text for name in changing)}
        if naming <= changing:
            break
        changing |= naming
    names = {name: re.sub(r"-\w{4}(\w{4}\.js)$", r"-NEXT\1", name) for name in changing}
    for path, text in texts.items():
        changed = re.sub("|".join(map(re.escape, names)), lambda match: names[match[0]], text)
        if path.name.startswith("main-"):
            changed += '\ndocument.documentElement.dataset.next = "yes";'
        if path.suffix == ".html":
            changed = re.sub(r'data-version="\w+"', 'data-version="next"', changed)
        if changed != text:
            path.unlink()
            path.with_name(names.get(path.name, path.name)).write_text(changed)
    worker = folder / build.SERVICE_WORKER
    source = re.sub(r'\[\{"url".*?\}\]', build.SITE_FILES, worker.read_text())
    worker.unlink()
    worker.write_text(source)
    build.list_files(folder, offline)
    return folder


@pytest.fixture
def host(dist, tmp_path):
    made = Host(dist, tmp_path)
    yield made
    made.close()


@contextlib.contextmanager
def guarded(context, request):
    """A context whose pages may do no more than `page` of other tests."""
    guards = []
    context.on("page", lambda page: guards.append(PageGuard(page)))
    with context:
        yield context
    tolerated = {kind for marker in request.node.iter_markers("tolerates") for kind in marker.args}
    assert not [problem for guard in guards for problem in guard.found(tolerated)]


@pytest.fixture
def visitor(browser_type, browser_type_launch_args, tmp_path, request):
    """A browser whose storage and cache are on disk, as a reader's are, and which keeps sites."""
    with guarded(browser_type.launch_persistent_context(tmp_path / "profile", **browser_type_launch_args), request) as context:
        yield context


def visit(visitor, host, **query):
    """The lab on a page of the visitor's, with one Python, in a browser that has kept the site."""
    lab = LabPage(visitor.new_page(), cores=1).open(host, **query)
    expect(lab.page.locator(".kept-offline")).to_be_visible(timeout=KEEPING)
    return lab


def is_next(lab):
    return expect(lab.page.locator("html[data-next]"))


def kept(page):
    """The paths of all that the browser keeps for the site."""
    return page.evaluate(
        """async () => {
          const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
          const requests = (await Promise.all(caches_.map((cache) => cache.keys()))).flat();
          return requests.map(({ url }) => new URL(url).pathname);
        }"""
    )


@pytest.mark.tolerates("console")  # the browser reports that the server takes no POST
def test_after_one_visit_the_whole_lab_works_without_a_network(dist, visitor, host):
    lab = visit(visitor, host, **SMALL)
    page = lab.page
    listed = {entry["url"] for entry in json.loads(re.search(r'\[\{"url".*?\}\]', (dist / "sw.js").read_text())[0])}
    assert {path.lstrip("/") for path in kept(page)} == listed
    python = [url.split("/")[-1] for url in listed if url.startswith("python-")]
    assert {name: host.site.requests.count(name) for name in python} == dict.fromkeys(python, 1), "nothing comes twice"

    host.site.requests.clear()
    told = page.evaluate(
        """async () => {
          const whole = await fetch("favicon.svg?x=1");
          const part = await fetch("favicon.svg", { headers: { range: "bytes=0-9" }, cache: "no-store" });
          const sent = await fetch("index.html", { method: "POST", body: "x" });
          const other = await fetch("licenses/index.html");
          return [whole.status, part.status, sent.status, other.status];
        }"""
    )
    assert told == [200, 200, 501, 200]
    assert sorted(host.site.requests) == ["favicon.svg", "index.html"], "the server answers for parts, and for what is not kept"

    host.close()
    visitor.set_offline(True)
    lab.open(host, encodings="none,rope", corpus="asyoulik", **SMALL)
    assert [run["encoding"] for run in lab.run_to_end()["runs"]] == ["none", "rope"]
    lab.look_at("order")
    expect(page.locator("probe-card#order .figure, probe-card#order svg").first).to_be_visible(timeout=60_000)
    page.get_by_text("Write your own encoding", exact=True).click()
    expect(page.get_by_role("textbox", name="Python code of your encoding")).to_be_visible()
    page.locator("lab-code").get_by_role("tab", name="model.py").click()
    expect(page.locator("lab-code .cm-content")).to_contain_text("class")
    expect(page.get_by_text("A new version of this page is ready")).to_have_count(0)


@pytest.mark.tolerates("console")  # the browser reports the old tab's script that is gone
def test_a_new_version_waits_for_the_runs_of_all_tabs_and_none_is_ever_mixed(dist, visitor, host, tmp_path):
    reader = visit(visitor, host, **SMALL)
    other = visit(visitor, host, **{**SMALL, "steps": 3000, "encodings": "none"})
    host.publish(next_version(dist, tmp_path / "next"))
    since = other.count_told()
    other.button("Run").click()
    other.wait_for("name === 'progress' && detail.step > 0", since=since)
    other.button("Pause").click()

    reader.open(host, encodings="none,rope", **SMALL)
    is_next(reader).to_have_count(0)
    ready = "A new version of this page is ready."
    for lab in (reader, other):
        expect(lab.page.get_by_text(ready)).to_be_visible(timeout=KEEPING)
    reader.button("Use it now").click()
    expect(reader.page.get_by_text("An experiment is under way in another tab")).to_be_visible()
    other.button("Use it now").click()
    expect(other.page.get_by_text("An experiment is under way on this page")).to_be_visible()
    other.button("Resume").click()
    other.wait_for("name === 'result'", since=since)
    assert other.told("error") == []
    for lab in (reader, other):
        is_next(lab).to_have_count(0)

    reader.button("Use it now").click()
    is_next(reader).to_have_count(1)
    expect(other.page.get_by_text("this page is of the old")).to_be_visible()
    is_next(other).to_have_count(0)
    assert len(other.run_to_end()["runs"]) == 1, "the old tab goes on with what it has"
    # Where the browser's own cache still has the old editor, it comes from there.
    visitor.new_cdp_session(other.page).send("Network.clearBrowserCache")
    other.page.get_by_text("Write your own encoding", exact=True).click()
    editor = other.page.locator("lab-encoding-editor")
    expect(editor).to_contain_text("The editor could not be loaded")
    expect(editor).to_contain_text("The site has a newer version of this page by now")
    editor.get_by_role("button", name="Reload the page").click()
    is_next(other).to_have_count(1)

    reader.wait_for("name === 'ready'")
    assert len(reader.run_to_end()["runs"]) == 2
    left = [path for path in kept(reader.page) if not (tmp_path / "next" / path.lstrip("/")).exists()]
    assert left == [], "of the old version nothing stays"


def test_a_site_that_is_kept_no_longer_leaves_nothing_behind(dist, visitor, host, tmp_path):
    page = visit(visitor, host).page
    host.publish(next_version(dist, tmp_path / "next", offline=False))
    page.reload()
    expect(page.get_by_text("this page is of the old")).to_be_visible(timeout=KEEPING)
    page.get_by_role("button", name="Reload the page").click()
    expect(page.locator("html[data-next]")).to_have_count(1)
    for _ in range(100):  # the worker removes it beside the page
        if not kept(page):
            break
        page.wait_for_timeout(100)
    assert kept(page) == []


# Resolves to what becomes of the service worker that the page registers first: "installed", or "redundant" if it is given up.
WATCH_INSTALLING = """
window.outcome = new Promise((resolve) => {
  const { register } = ServiceWorkerContainer.prototype;
  ServiceWorkerContainer.prototype.register = async function (...args) {
    const registration = await register.apply(this, args);
    registration.installing?.addEventListener("statechange", ({ target }) => resolve(target.state), { once: true });
    return registration;
  };
});
"""


@pytest.mark.tolerates("console")  # the browser reports that the worker was given up
def test_a_page_of_another_version_than_the_service_worker_beside_it_is_not_kept(dist, visitor, host, tmp_path):
    """As a host gives them for a while that has not replaced all files at once; the browser tries again later."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "index.html").write_text((dist / "index.html").read_text().replace("</title>", " of before</title>"))
    os.utime(other / "index.html", (0, 0))  # older than the new one, or the server takes them for the same
    host.site.overlay = other
    page = visitor.new_page()
    page.add_init_script(WATCH_INSTALLING)
    lab = LabPage(page, cores=1)
    page.goto(f"{host.url}index.html")
    assert page.title().endswith("of before")
    lab.wait_for("name === 'ready'", STARTING)
    assert page.evaluate("outcome") == "redundant"
    assert "/index.html" not in kept(page)
    expect(page.locator(".kept-offline")).to_be_hidden()
    host.site.overlay = None
    page.goto(f"{host.url}index.html")
    assert not page.title().endswith("of before")
    expect(page.locator(".kept-offline")).to_be_visible(timeout=KEEPING)
    assert "/index.html" in kept(page)


def test_it_can_be_installed_as_an_app(visitor, host):
    page = visitor.new_page()
    page.goto(host.url)
    session = visitor.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert json.loads(manifest["data"])["name"] == page.title()
    assert session.send("Page.getInstallabilityErrors")["installabilityErrors"] == []


@pytest.mark.tolerates("other-origin")  # the lab in a frame of a course's site
def test_in_a_frame_of_another_site_that_may_store_nothing_all_works_and_nothing_is_kept(browser, host, tmp_path, request):
    """In a context of its own, which is incognito, Chromium refuses all storage to frames of other sites."""
    course = tmp_path / "course"
    course.mkdir()
    query = "&".join(f"{name}={value}" for name, value in {**SMALL, "autorun": 1}.items())
    (course / "index.html").write_text(
        '<!doctype html><title>A course</title><link rel="icon" href="data:">'
        f'<iframe width="1000" height="900" src="{host.url}?{query}"></iframe>'
    )
    other = Host(course, tmp_path)
    with contextlib.closing(other), guarded(browser.new_context(service_workers="allow"), request) as visitor:
        page = visitor.new_page()
        page.goto(other.url.replace("127.0.0.1", "localhost"))
        frame = page.frames[1]
        expect(frame.get_by_text("3 runs ended")).to_be_visible(timeout=STARTING)
        blocked = "new Promise((resolve) => { indexedDB.open('x').onerror = () => resolve(true) })"
        assert frame.evaluate(blocked), "or this shows nothing"
        assert "sw.js" not in host.site.requests
