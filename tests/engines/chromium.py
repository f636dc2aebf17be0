"""Chromium, by Playwright."""

from engine import REACH, Engine
from tests.conftest import PageGuard


class Chromium(Engine):
    """Args: browser, of Playwright."""

    name = "chromium"

    def __init__(self, browser):
        super().__init__()
        self._page = browser.new_page(viewport={"width": 1440, "height": 1000}, service_workers="allow")
        self._page.set_default_timeout(REACH * 1000)
        self._guard = PageGuard(self._page)

    def go(self, url):
        self._page.goto(url)

    def call(self, function, text):
        return self._page.evaluate(function, text)

    def press(self, name, role="button"):
        self._page.get_by_role(role, name=name, exact=True).first.click()

    def type(self, text):
        self._page.keyboard.type(text)

    def to_end(self):
        self._page.keyboard.press("Control+End")

    def resize(self, width, height):
        self._page.set_viewport_size({"width": width, "height": height})

    def screenshot(self, path):
        self._page.screenshot(path=path)

    def console(self):
        return self._guard.found()

    def close(self):
        self._page.close()
