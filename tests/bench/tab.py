"""The contenders in the tab: the lab's own worker, with each way to compute, and the FMA peak of a core."""

import os
from dataclasses import asdict

from playwright.sync_api import Browser

from tests.bench import subject
from tests.bench.site import FOLDER, Site
from tests.conftest import BROWSER_FLAGS

PATIENCE = 180_000  # ms until Python is there, on a loaded machine

# Without a GPU Chromium has WebGL only in software and only where it is asked for, and peers should have their best;
# a page that waits for its turn must not be slowed down for lying in the background.
FLAGS = [
    *BROWSER_FLAGS,
    "--enable-unsafe-swiftshader",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
]


def launch_options() -> dict:
    """How Playwright starts the browser that build.py found; as root it cannot start with its sandbox."""
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return {"executable_path": os.environ.get("EMBEDDING_LAB_BROWSER") or None, "args": [*sandbox, *FLAGS]}


class Tab:
    """A page with one Python worker.

    Attributes:
        status: what the worker says of itself.
        flops_per_step: floating-point operations of the matrix products of the step measured last.
        parameters: how many that model has.
    """

    def __init__(self, browser: Browser, site: Site):
        self.page = browser.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.goto(f"{site.url}{FOLDER}/index.html")
        self.status = self.page.evaluate("text => startWorker(text)", subject.alice_text())
        self.flops_per_step = self.parameters = 0

    def first_losses(self, config, backend: str) -> list[float]:
        """The loss at the starting weights, and after each of the first updates."""
        return self.page.evaluate("args => firstLosses(...args)", [asdict(config), backend, subject.UPDATES])

    def seconds_per_step(self, config, backend: str, seconds: float) -> float:
        """Train a fresh run for about this long, called as the page calls it."""
        measured = self.page.evaluate("args => measureSteps(...args)", [asdict(config), backend, seconds])
        self.flops_per_step, self.parameters = measured["flopsPerStep"], measured["parameters"]
        return measured["secondsPerStep"]

    def peak_flops(self, seconds: float) -> float:
        """Floating-point operations a second of one core that does nothing but multiply and add."""
        return self.page.evaluate("seconds => measurePeak(seconds)", seconds)

    def train_until(self, config, step: int) -> float:
        """The seconds until a run has made this many steps, its evaluations included."""
        return self.page.evaluate("args => trainUntil(...args)", [asdict(config), step])

    def in_worker(self, script: str):
        """The value of a JavaScript expression in the worker, which knows its Python as `pyodide`."""
        [worker] = self.page.workers
        return worker.evaluate(script)

    def memory_mb(self) -> float:
        """The memory of the worker's Python, which grows and never shrinks."""
        return self.in_worker("pyodide._module.HEAP8.length") / 2**20

    def close(self) -> None:
        self.page.close()
