"""What the tests ask of a browser engine, whichever it is: one page in it, opened, asked, pressed and written into."""

import json
from abc import ABC, abstractmethod

PATIENCE = 240  # s until something that a page does must have come: a deadline for hanging, no measure of speed
REACH = 30  # s within which what is to be pressed must be there


class Engine(ABC):
    """One page in a browser of its own.

    Pages under test load `recorder.js`, whose `told`, `problems` and `until` this relies on.
    """

    name: str

    def __init__(self):
        self._problems = []  # of pages that were left

    @abstractmethod
    def go(self, url):
        """Load a page."""

    @abstractmethod
    def call(self, function, text):
        """The text that the promise of an asynchronous JavaScript function (its source) of one text resolves to."""

    @abstractmethod
    def press(self, name, role="button"):
        """Press, as a pointer would, the first element with this role and accessible name, once it is there."""

    @abstractmethod
    def type(self, text):
        """Press the keys of this text, wherever the focus is."""

    @abstractmethod
    def to_end(self):
        """Press Control and End, which takes the caret of an editor behind its text."""

    @abstractmethod
    def resize(self, width, height):
        """Give the page about this size, in CSS pixels."""

    @abstractmethod
    def screenshot(self, path):
        """Write a PNG of what can be seen of the page."""

    @abstractmethod
    def close(self):
        """End the browser and all that was started for it."""

    def console(self):
        """Errors and warnings that the browser itself has reported, where an engine can tell them."""
        return []

    def open(self, url):
        """Load a page; what went wrong on the one before stays known."""
        self._problems = self.problems()
        self.go(url)

    def evaluate(self, function, *arguments):
        """What a JavaScript function (its source) returns for these arguments, or what its promise resolves to.

        Arguments and answer travel as JSON, since each driver has another form for values.
        """
        wrapped = f"async (given) => JSON.stringify((await ({function})(...JSON.parse(given))) ?? null)"
        return json.loads(self.call(wrapped, json.dumps(arguments)))

    def wait_for(self, condition):
        """What a JavaScript expression is, once that is neither null nor false."""
        return self.evaluate(f"(patience) => until(() => {condition}, patience)", PATIENCE * 1000)

    def problems(self):
        """What has gone wrong in all pages so far."""
        return [*self._problems, *self.evaluate("() => window.problems ?? []"), *self.console()]
