"""What a visitor waits for: the first loss point, a plain start to hold it against, and the default experiment."""

import contextlib
import tempfile

from playwright.sync_api import Browser, BrowserContext, Playwright

from tests.bench.site import FOLDER, Site
from tests.bench.tab import PATIENCE, launch_options
from tests.browser.lab_page import LabPage

# How long a reader looks at the page before pressing Run, in milliseconds: the other workers start meanwhile.
READING = 5000

# Resolves when the curves have their first point of training; the time is in milliseconds since the navigation.
FIRST_LOSS = (
    """
window.firstLoss = new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error("no point of training came: " + document.body.innerText.slice(0, 500))), %d);
  const look = () => {
    const chart = document.querySelector("loss-chart");
    if (chart?.runs?.some(({ train }) => train.steps.length)) resolve(performance.now());
    else requestAnimationFrame(look);
  };
  look();
});
"""
    % PATIENCE
)


@contextlib.contextmanager
def new_visitor(playwright: Playwright):
    """A browser that has never been anywhere, with its cache on disk as a reader's is."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        context = playwright.chromium.launch_persistent_context(folder, **launch_options())
        try:
            context.set_default_timeout(PATIENCE)
            yield context
        finally:
            context.close()


def seconds_to_first_loss(context: BrowserContext, site: Site) -> float:
    """From navigation to the first point of training, with autorun."""
    page = context.new_page()
    page.add_init_script(FIRST_LOSS)
    page.goto(f"{site.url}?autorun=1")
    seconds = page.evaluate("firstLoss") / 1000
    page.close()
    return seconds


def seconds_of_plain_start(context: BrowserContext, site: Site) -> float:
    """From navigation to stock Pyodide in a worker with its stock NumPy imported."""
    page = context.new_page()
    page.goto(f"{site.url}{FOLDER}/plain/index.html")
    seconds = page.evaluate("plainStart") / 1000
    page.close()
    return seconds


class FirstVisits:
    """A plain start, a cold visit and a second one, each measured in its turn; the second needs the cold one before it.

    Attributes:
        compressed: the bytes of each file that the last cold visit was sent up to its first loss point, compressed.
        sent_again: the same of the second visit: nothing, where the cache may answer.
    """

    def __init__(self, playwright: Playwright, site: Site):
        self._playwright, self._site = playwright, site
        self._second = 0.0

    def plain_start(self) -> float:
        with new_visitor(self._playwright) as context:
            return seconds_of_plain_start(context, self._site)

    def both_visits(self) -> dict[str, float]:
        """Seconds to the first loss point, {"cold", "second"}, of one new visitor."""
        with new_visitor(self._playwright) as context:
            self._site.sent.clear()
            cold = seconds_to_first_loss(context, self._site)
            self.compressed = self._site.compressed()
            self._site.sent.clear()
            second = seconds_to_first_loss(context, self._site)
            self.sent_again = self._site.compressed()
        return {"cold": cold, "second": second}


def experiment(browser: Browser, site: Site) -> tuple[float, dict]:
    """The experiment that the page opens on.

    Returns:
        The seconds from the click on Run to the result, and the result.
    """
    context = browser.new_context()
    lab = LabPage(context.new_page()).open(site)
    lab.page.wait_for_timeout(READING)
    clicked = lab.button("Run").evaluate("(button) => { const at = performance.now(); button.click(); return at; }")
    lab.wait_for("name === 'result'")
    result = lab.page.evaluate("told.findLast(({ name }) => name === 'result')")
    context.close()
    return (result["at"] - clicked) / 1000, result["detail"]
