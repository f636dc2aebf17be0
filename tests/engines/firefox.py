"""Firefox as distributions ship it, by WebDriver BiDi, which it speaks without geckodriver."""

import base64
import re
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.websocket_connection import WebSocketConnection

from engine import PATIENCE, REACH, Engine

# Where to look for elements: Firefox looks into no shadow root by itself.
PLACES = """() => {
  const within = (root) => [
    root,
    ...[...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => (shadowRoot ? within(shadowRoot) : [])),
  ];
  return within(document);
}"""

# What Firefox writes to its console though the page did nothing wrong.
NOT_OF_THE_PAGE = (
    # A worker was ended while Python ran in it; what a page or a worker throws itself, `recorder.js` hears too.
    "uncaught exception: undefined",
    # A formula was laid out before the rest of it had come; test_chapter.py counts the children of them all.
    "Invalid markup: Incorrect number of children for",
)


class LogEntries:
    """The event of that name, as Selenium's connection takes one."""

    event_class = "log.entryAdded"

    @staticmethod
    def from_json(params):
        return params


class Firefox(Engine):
    """Args: program, the path of Firefox."""

    name = "firefox"

    def __init__(self, program):
        super().__init__()
        self._console = []
        self._profile = tempfile.mkdtemp(prefix="firefox-")
        command = [program, "--headless", "--no-remote", "--profile", self._profile, "--remote-debugging-port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            self._connection = WebSocketConnection(self._address() + "/session", timeout=PATIENCE + 10, interval=0.01)
            self._send("session.new", capabilities={})
            self._send("session.subscribe", events=[LogEntries.event_class])
            self._connection.add_callback(LogEntries, self._keep)
            self._context = self._send("browsingContext.getTree")["contexts"][0]["context"]
            self.resize(1440, 1000)
        except BaseException:
            self._end()
            raise

    def _address(self):
        """Where Firefox listens, which it says on its standard error; that is read on, so that it never fills up."""
        said = []
        for line in self._process.stderr:
            said.append(line)
            found = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
            if found:
                threading.Thread(target=self._process.stderr.read, daemon=True).start()
                return found[1]
        raise RuntimeError(f"Firefox does not start: {''.join(said)}")

    def _send(self, method, **parameters):
        """The result of a command of WebDriver BiDi."""
        answer = self._connection.send_cmd(method, parameters)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}: {answer['message']}")
        return answer["result"]

    def _keep(self, entry):
        if entry["level"] in ("error", "warn") and not entry["text"].startswith(NOT_OF_THE_PAGE):
            self._console.append(f"{entry['level']}: {entry['text']}")

    def console(self):
        return list(self._console)

    def go(self, url):
        self._send("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def call(self, function, text):
        return self._run(function, {"type": "string", "value": text})

    def _run(self, function, *arguments):
        """The value of what a JavaScript function returns, or what its promise resolves to; values are in BiDi's form."""
        target = {"context": self._context}
        call = {"functionDeclaration": function, "arguments": arguments, "target": target, "awaitPromise": True}
        answer = self._send("script.callFunction", **call)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def press(self, name, role="button"):
        element = {"sharedId": self._find({"type": "accessibility", "value": {"role": role, "name": name}})}
        self._run("(element) => element.scrollIntoView({ block: 'center', behavior: 'instant' })", element)
        move = {"type": "pointerMove", "x": 0, "y": 0, "origin": {"type": "element", "element": element}}
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._act({"type": "pointer", "id": "mouse", "actions": [move, *press]})

    def _find(self, locator):
        deadline = time.monotonic() + REACH
        while time.monotonic() < deadline:
            places = [{"sharedId": place["sharedId"]} for place in self._run(PLACES)]
            found = self._send("browsingContext.locateNodes", context=self._context, locator=locator, startNodes=places)
            if found["nodes"]:
                return found["nodes"][0]["sharedId"]
            time.sleep(0.1)
        raise AssertionError(f"nothing on the page is {locator['value']}")

    def _act(self, source):
        self._send("input.performActions", context=self._context, actions=[source])

    def type(self, text):
        keys = text.replace("\n", Keys.ENTER)
        self._press_keys([(kind, key) for key in keys for kind in ("keyDown", "keyUp")])

    def to_end(self):
        self._press_keys([("keyDown", Keys.CONTROL), ("keyDown", Keys.END), ("keyUp", Keys.END), ("keyUp", Keys.CONTROL)])

    def _press_keys(self, moves):
        self._act({"type": "key", "id": "keyboard", "actions": [{"type": kind, "value": key} for kind, key in moves]})

    def resize(self, width, height):
        self._send("browsingContext.setViewport", context=self._context, viewport={"width": width, "height": height})

    def screenshot(self, path):
        Path(path).write_bytes(base64.b64decode(self._send("browsingContext.captureScreenshot", context=self._context)["data"]))

    def close(self):
        self._connection.send_cmd("browser.close", {})
        self._end()
        self._connection.close()  # last: a Firefox that is about to end may answer nothing for 10 s

    def _end(self):
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)
