"""The lab as a reader meets it, for the tests: opened on an experiment, run, and asked what it told and shows."""

import json
import re
import shlex
import subprocess

from playwright.sync_api import Page, expect

import build
from tests.conftest import PageGuard

# A loaded machine takes several times as long as a quiet one; these are no assertions.
STARTING = 180_000  # ms until Python is there
TRAINING = 300_000  # ms until a run ends

# Keeps what the page tells, and every task that holds its main thread, from the first moment on.
RECORDER = """
window.told = [];
for (const name of ["ready", "progress", "result", "error"]) {
  document.addEventListener(`embedding-lab:${name}`, ({ detail }) => {
    told.push({ name, detail: structuredClone(detail), at: performance.now() });
    window.dispatchEvent(new Event("told"));
  });
}
window.longTasks = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) longTasks.push({ startTime, duration });
  window.dispatchEvent(new Event("longtask"));
}).observe({ type: "longtask", buffered: true });
window.waitUntil = (event, condition, patience) => new Promise((resolve, reject) => {
  const look = () => {
    if (!condition()) return;
    window.removeEventListener(event, look);
    resolve();
  };
  setTimeout(() => reject(new Error(`never came: ${condition}; told: ${JSON.stringify(told.slice(-3))}`)), patience);
  window.addEventListener(event, look);
  look();
});
"""

SMALL = {"d": 16, "context": 16, "batch": 8, "steps": 40}


def settled(page):
    """Return when the page shows what it has told: an element does so in the next frame, a chart up to two later."""
    page.evaluate(
        """async () => {
          await document.fonts.ready;
          for (let frames = 0; frames < 4; frames += 1) await new Promise(requestAnimationFrame);
        }"""
    )


class LabPage:
    """A page of the lab.

    Args:
        page: where it is opened.
        cores: what the browser says about the machine, where the number of workers matters.
    """

    def __init__(self, page: Page, cores: int | None = None):
        self.page = page
        page.add_init_script(RECORDER)
        if cores:
            page.add_init_script(f"Object.defineProperty(navigator, 'hardwareConcurrency', {{ value: {cores} }})")
        self.most_workers = 0
        page.on("worker", lambda _: setattr(self, "most_workers", max(self.most_workers, len(page.workers))))

    def open(self, site, ready=True, **query):
        """Open the page on an experiment, and wait for Python."""
        asked = "&".join(f"{name.replace('_', '-')}={value}" for name, value in query.items())
        self.page.goto(f"{site.url}?{asked}" if asked else site.url)
        if ready:
            self.wait_for("name === 'ready'", STARTING)
        return self

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def told(self, name, since=0):
        """Details of the events of one name, in order; `since` counts all events."""
        return self.page.evaluate(
            f"told.slice({since}).filter(({{ name }}) => name === '{name}').map(({{ detail }}) => detail)"
        )

    def wait_for(self, condition, patience=TRAINING, since=0):
        """Wait until the page has told an event for which a condition on `name` and `detail` holds, in JavaScript."""
        self.page.evaluate(
            f"""([since, patience]) => waitUntil("told", () => told.slice(since).some(({{ name, detail }}) => {condition}),
              patience)""",
            [since, patience],
        )

    def count_told(self):
        return self.page.evaluate("told.length")

    def run_to_end(self):
        """Press Run and wait for the result; returns it."""
        since = self.count_told()
        self.button("Run").click()
        self.wait_for("name === 'result'", since=since)
        settled(self.page)
        return self.told("result", since)[-1]

    def drop(self, target, path, content):
        """Drop a file, as the browser itself lets go of one: beside what takes it, it would be opened."""
        path.write_bytes(content)
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        session = self.page.context.new_cdp_session(self.page)
        for step in ("dragEnter", "dragOver", "drop"):
            session.send(
                "Input.dispatchDragEvent",
                {
                    "type": step,
                    "x": box["x"] + box["width"] / 2,
                    "y": box["y"] + box["height"] / 2,
                    "data": {"items": [], "files": [str(path)], "dragOperationsMask": 1},
                },
            )
        session.detach()

    def download(self, button, folder):
        """Press a button; the file that it makes."""
        with self.page.expect_download(timeout=60_000) as told:
            button.click()
        path = folder / told.value.suggested_filename
        told.value.save_as(path)
        return path

    @property
    def pool_size(self):
        return min(max(self.page.evaluate("navigator.hardwareConcurrency"), 1), 8)

    def curves(self):
        """What the loss chart is given: {run id: {train, validation, ...}}."""
        rows = self.page.evaluate(
            """document.querySelector("loss-chart").runs.map(({ id, label, encoding, train, validation, visible }) => ({
              id, label, encoding, visible,
              train: { steps: [...train.steps], loss: [...train.loss] },
              validation: { steps: [...validation.steps], loss: [...validation.loss] },
            }))"""
        )
        return {row["id"]: row for row in rows}

    @property
    def runs(self):
        """The table of runs."""
        return self.page.get_by_role("table", name="Runs")

    def run_row(self, label):
        return self.runs.get_by_role("row").filter(has=self.page.get_by_role("rowheader", name=label, exact=True))

    @property
    def gaps(self):
        """The section that says what position buys."""
        return self.page.get_by_role("region", name="What does position buy?")

    @property
    def share(self):
        """The section of what can be taken along, of files to open, and of what the browser keeps."""
        return self.page.get_by_role("region", name="Keep it, share it, check it elsewhere")

    @property
    def loss_picture(self):
        return self.page.get_by_role("img", name=re.compile("^Loss in nats"))

    def open_controls(self):
        summary = self.page.get_by_text("Change the experiment", exact=True)
        if not self.page.get_by_role("textbox", name="Width d").is_visible():
            summary.click()

    def control(self, label):
        return self.page.locator("lab-controls").get_by_label(label, exact=True)

    def set(self, label, value):
        """Type a value into a control, as a reader would."""
        self.open_controls()
        self.control(label).fill(str(value))

    def description(self, control):
        """What assistive technology reads after the name of a control."""
        ids = (control.get_attribute("aria-describedby") or "").split()
        return " ".join(self.page.locator(f"[id='{name}']").inner_text() for name in ids)

    def chip(self, encoding):
        """The label to press for an encoding to take part or not, by its own label."""
        return self.page.get_by_role("group", name="Positional encodings to compare").get_by_text(encoding, exact=True)

    def expect_refused(self, control, message):
        """The message stands at the control and describes it, and the control is the one in focus."""
        message = " ".join(message.split())  # as a page shows it
        expect(self.page.get_by_text(message, exact=True)).to_be_visible()
        expect(control).to_be_focused()
        expect(control).to_have_attribute("aria-invalid", "true")
        assert message in self.description(control)

    def look_at(self, probe):
        """Bring the lab of a probe onto the screen, and return it."""
        card = self.page.locator(f"probe-card#{probe}")
        card.evaluate("(card) => card.scrollIntoView({ block: 'center' })")
        return card

    def number(self, name):
        """The places of one of the reader's numbers."""
        return self.page.locator(f'reader-number[name="{name}"]')


def run_line(line, folder):
    """Run a line that the page shows with the lab's own Python, in a folder; what it prints."""
    command, *rest = shlex.split(line)
    assert command == "python"
    python = [str(build.venv_python()), *rest]
    done = subprocess.run(python, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


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


def trained_lab(browser, site, watch=None, trace=False, cores=None, **query):
    """A fixture's lab on a page of its own with an experiment trained to its end; `.result` is what it told.

    `watch` is JavaScript that runs before the page's own, and `trace` asks for Chromium's account of its tasks as `.trace`;
    `cores` is what the browser says about the machine.
    """
    site.reset()
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    page.guard = PageGuard(page)
    lab = LabPage(page, cores)
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


def main_thread_tasks(trace):
    """The tasks of the main threads of pages in a trace of Chromium's category "toplevel"."""
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in trace if event["name"] == "thread_name"}
    main = {thread for thread, name in names.items() if name == "CrRendererMain"}
    whole = [event for event in trace if event["name"].endswith("RunTask") and "dur" in event]
    tasks = [event for event in whole if (event["pid"], event["tid"]) in main]
    assert len(tasks) > 100
    return tasks
