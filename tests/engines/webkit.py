"""WebKitGTK's MiniBrowser on a screen that nobody sees, by Selenium."""

import os
import subprocess
import time

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.keys import Keys

from engine import PATIENCE, REACH, Engine

CANDIDATES = {"button": "button", "textbox": "input, textarea, [role=textbox]"}  # what may have these roles

# Elements for a selector, those within shadow roots among them, that may have an accessible name: to ask for that of each
# element of the page would take seconds.
FIND = """
const [selector, name] = arguments;
const within = (root) => [
  ...root.querySelectorAll(selector),
  ...[...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => (shadowRoot ? within(shadowRoot) : [])),
];
const text = (element) => [element.ariaLabel, ...(element.labels ?? []), element].map((part) => part?.textContent ?? part).join(" ");
return within(document).filter((element) => text(element).includes(name));
"""


class Screen:
    """Xvfb on a display number that it chooses itself."""

    def __init__(self, program):
        reading, writing = os.pipe()
        command = [program, "-displayfd", str(writing), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
        self._process = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        if not number:
            raise RuntimeError(f"Xvfb does not start: exit code {self._process.wait()}")
        self.display = f":{number}"

    def close(self):
        self._process.terminate()
        self._process.wait()


class WebKit(Engine):
    """Args: driver and xvfb, the paths of WebKitWebDriver and Xvfb."""

    name = "webkit"

    def __init__(self, driver, xvfb):
        super().__init__()
        self._screen = Screen(xvfb)
        # In this locale navigator.language is "C", which is no language tag: a page must not stumble over it.
        environment = {**os.environ, "DISPLAY": self._screen.display, "GDK_BACKEND": "x11", "LC_ALL": "C.UTF-8"}
        try:
            service = webdriver.WebKitGTKService(driver, env=environment)
            self._driver = webdriver.WebKitGTK(service=service)
        except BaseException:
            self._screen.close()
            raise
        self._driver.set_script_timeout(PATIENCE + 10)
        self.resize(1440, 1000)

    def go(self, url):
        self._driver.get(url)

    def call(self, function, text):
        script = f"""
            const [text, done] = arguments;
            ({function})(text).then((answer) => done({{ answer }}), (error) => done({{ error: String(error) }}));
        """
        told = self._driver.execute_async_script(script, text)
        if "error" in told:
            raise RuntimeError(told["error"])
        return told["answer"]

    def press(self, name, role="button"):
        element = self._find(name, role)
        self._driver.execute_script("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", element)
        element.click()

    def _find(self, name, role):
        deadline = time.monotonic() + REACH
        while time.monotonic() < deadline:
            try:
                for element in self._driver.execute_script(FIND, CANDIDATES[role], name):
                    if element.accessible_name == name and element.is_displayed():
                        return element
            except StaleElementReferenceException:
                pass  # the page was drawn anew meanwhile
            time.sleep(0.1)
        raise AssertionError(f"nothing on the page is a {role} with the name {name}")

    def type(self, text):
        self._driver.switch_to.active_element.send_keys(text.replace("\n", Keys.ENTER))

    def to_end(self):
        self._driver.switch_to.active_element.send_keys(Keys.CONTROL, Keys.END)

    def resize(self, width, height):
        self._driver.set_window_size(width, height)

    def screenshot(self, path):
        self._driver.save_screenshot(str(path))

    def close(self):
        self._driver.quit()
        self._screen.close()
