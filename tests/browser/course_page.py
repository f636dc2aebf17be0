"""Pages of a course that hold the lab, on a server of their own; and a stand-in for the lab's page, which does as told."""

import http.server
import threading
from types import MappingProxyType
from urllib.parse import urlsplit

from playwright.sync_api import expect

import build

# Takes the place of embed.html: keeps what it is told, and says what a test wants it to.
STAND_IN = """<!doctype html>
<title>stand-in</title>
<script>
window.heard = [];
addEventListener("message", ({ data, origin }) => heard.push({ ...data, origin }));
const say = (name, detail) => parent.postMessage({ type: `embedding-lab:${name}`, detail }, "*");
if (!new URLSearchParams(location.search).has("silent")) say("size", { height: 320.5 });
</script>
"""

# Keeps what the elements of a page tell its document.
RECORDER = """
window.told = [];
for (const name of ["ready", "progress", "result", "error", "task", "size"]) {
  document.addEventListener(`embedding-lab:${name}`, ({ target, detail }) => {
    told.push({ name, id: target.id, detail, at: performance.now() });
    window.dispatchEvent(new Event("told"));
  });
}
window.waitUntil = (condition, patience) => new Promise((resolve, reject) => {
  const look = () => condition() && resolve();
  addEventListener("told", look);
  setTimeout(() => reject(new Error(`never came: ${condition}; told: ${JSON.stringify(told.slice(-3))}`)), patience);
  look();
});
"""


class CourseSite:
    """A running server for pages that a test writes.

    Attributes:
        origin: its own, which is another than the lab's since its port is another.
    """

    def __init__(self):
        self._pages = {"/favicon.ico": ("", {"Content-Type": "image/svg+xml"})}
        handler = type("Handler", (CourseHandler,), {"pages": self._pages})
        self._server = build.SiteServer(("127.0.0.1", 0), handler)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()

    def put(self, path, content, **headers):
        """Serve this text under a path from now on; the names of headers have underscores. Returns its address."""
        self._pages[path] = content, {name.replace("_", "-"): value for name, value in headers.items()}
        return self.origin + path

    def put_page(self, body, head="", **headers):
        """Serve a page with this in its body; returns its address."""
        markup = f'<!doctype html><html lang="en"><head><title>Lesson 3</title>{head}</head><body>{body}</body></html>'
        return self.put("/lessons/3.html", markup, Content_Type="text/html; charset=utf-8", **headers)

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class CourseHandler(http.server.BaseHTTPRequestHandler):
    pages = MappingProxyType({})

    def do_GET(self):
        content, headers = self.pages.get(urlsplit(self.path).path, (None, {}))
        if content is None:
            self.send_error(404)
            return
        body = content.encode()
        self.send_response(200)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


def origin(site):
    """The origin of the lab's site, as a policy names it."""
    parts = urlsplit(site.url)
    return f"{parts.scheme}://{parts.netloc}"


def strict_policy(site):
    """The least that the element asks of the policy of a course page."""
    return (
        f"default-src 'none'; script-src {origin(site)}; frame-src {origin(site)}; style-src 'self'; base-uri 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def tag(site, attributes="", content=""):
    """What a course author writes."""
    script = f'<script async src="{site.url}embedding-lab.js"></script>'
    return f"{script}<embedding-lab {attributes}>{content}</embedding-lab>"


class Lesson:
    """A page of the course, opened."""

    def __init__(self, page, url, wait_until="load"):
        self.page = page
        page.add_init_script(RECORDER)
        page.goto(url, wait_until=wait_until)

    def frame(self, element="embedding-lab"):
        """The frame within an element, once its scripts listen."""
        iframe = self.page.locator(element).locator("iframe")
        expect(iframe).to_be_attached()
        handle = iframe.element_handle()
        frame = handle.content_frame()
        handle.dispose()  # it would keep what is removed
        frame.wait_for_function("window.heard !== undefined")
        return frame

    def query(self, element="embedding-lab"):
        """The settings that the frame was made with."""
        address = self.page.locator(element).locator("iframe").get_attribute("src")
        return dict(part.split("=") for part in address.partition("?")[2].split("&"))

    def heard(self, count, element="embedding-lab"):
        """The first messages that the frame was sent, [type without prefix, detail or None]."""
        frame = self.frame(element)
        frame.wait_for_function(f"heard.length >= {count}")
        return [[message["type"].removeprefix("embedding-lab:"), message.get("detail")] for message in frame.evaluate("heard")]

    def told(self, count, patience=20_000):
        """The events that reached the document, at least so many: [name, id of the element, detail]."""
        self.page.evaluate("([count, patience]) => waitUntil(() => told.length >= count, patience)", [count, patience])
        return [[event["name"], event["id"], event["detail"]] for event in self.page.evaluate("told")]

    def do(self, script):
        """Run this on the first element, `lab`."""
        return self.page.locator("embedding-lab").first.evaluate(f"(lab) => {{ {script} }}")

    @property
    def iframes(self):
        return self.page.locator("embedding-lab iframe")
