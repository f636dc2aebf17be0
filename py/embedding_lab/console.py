"""A Python prompt for the reader: `run`, `E`, `vocabulary` and `np` at hand, and words for what cannot work in a tab.

It is imported when a console is opened, and no sooner.
"""

from __future__ import annotations

import ast
import codeop
import contextlib
import io
import linecache
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NoReturn

import numpy as np

if TYPE_CHECKING:
    from .kinds import Input
    from .training import Run

MOST_CHARACTERS = 20_000  # of what one input prints, and of one value: as much as can be read, and a page can draw
INPUT = "<input {}>"


class _Output(io.TextIOBase):
    """Standard output while an input runs: hands on what fits, and counts the rest."""

    encoding = "utf-8"

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._room = MOST_CHARACTERS
        self.left_out = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() takes a text, not {type(text).__name__}.")
        shown = text[: self._room]
        self._room -= len(shown)
        self.left_out += len(text) - len(shown)
        if shown:
            self._write(shown)
        return len(text)


class _Nobody(io.TextIOBase):
    """Standard input: there is none."""

    def readable(self) -> bool:
        return True

    def _refuse(self, *_: object) -> NoReturn:
        raise EOFError("input() has nobody to ask here: put the value into the code, for example answer = 'yes'")

    read = readline = __next__ = _refuse


class Console:
    """Runs what the reader types, one input after the other, in one namespace.

    Args:
        run: what `run`, `E` and `vocabulary` stand for. E is the embedding table itself, (V, d) float32, not a copy: it
            changes while `run.advance(seconds)` trains, and what is written into it is what the model computes with.
    """

    def __init__(self, run: Run) -> None:
        self.namespace = {
            "__name__": "__main__",
            "np": np,
            "run": run,
            "E": run.model.parameters["embedding"],
            "vocabulary": run.corpus.vocabulary,
        }
        self._inputs = 0

    def run(self, source: str, write: Callable[[str], None]) -> Input:
        """Run an input, if it is complete.

        Args:
            source: statements. A block of several lines is complete when a blank line follows it.
            write: takes what is printed, as it is printed, up to MOST_CHARACTERS.

        Returns:
            complete, and of a complete input: value, the repr of its last expression, or None if there is none or it is
            None; error, the traceback in the reader's own lines, or None; interrupted, whether it ended by
            KeyboardInterrupt; leftOut, how many characters were printed beyond the room for them.
        """
        file = INPUT.format(self._inputs + 1)
        output = _Output(write)
        value = error = None
        interrupted = False
        try:
            if not self._is_complete(source, file):
                return {"complete": False}
            self._inputs += 1
            # A traceback quotes the lines from here, split at line ends alone as Python splits them.
            linecache.cache[file] = (len(source), None, list(io.StringIO(source, newline=None)), file)
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output), _without_input():
                value = self._execute(source, file)
        except KeyboardInterrupt as raised:
            interrupted = True
            error = _told(raised)
        except SystemExit as raised:
            error = _told(raised) + "There is nothing to leave here: the console goes on, and its variables with it.\n"
        except BaseException as raised:
            error = _told(raised)
        return {
            "complete": True,
            "value": value,
            "error": error,
            "interrupted": interrupted,
            "leftOut": output.left_out,
        }

    def _is_complete(self, source: str, file: str) -> bool:
        """Whether nothing is missing; raises the SyntaxError of what no continuation could mend."""
        if codeop.compile_command(source, file, "exec") is None:
            return False
        # A block of several lines may go on with every line, until one is blank.
        statements = ast.parse(source).body
        is_block = bool(statements) and any(hasattr(statements[-1], part) for part in ("body", "cases"))
        goes_on = is_block and (statements[-1].end_lineno or 0) > statements[-1].lineno
        return not goes_on or not source.rpartition("\n")[2].strip()

    def _execute(self, source: str, file: str) -> str | None:
        tree = ast.parse(source, file)
        last = tree.body[-1] if tree.body else None
        if isinstance(last, ast.Expr):
            tree.body.pop()
        exec(compile(tree, file, "exec"), self.namespace)
        if not isinstance(last, ast.Expr):
            return None
        value = eval(compile(ast.Expression(last.value), file, "eval"), self.namespace)
        if value is None:
            return None
        self.namespace["_"] = value
        return _short(repr(value))


def _short(text: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS]} ... and {len(text) - MOST_CHARACTERS:,} characters more"


@contextlib.contextmanager
def _without_input() -> Iterator[None]:
    before, sys.stdin = sys.stdin, _Nobody()
    try:
        yield
    finally:
        sys.stdin = before


def _told(error: BaseException) -> str:
    """The traceback as Python prints it, without the frames that are not the reader's."""
    told = traceback.TracebackException.from_exception(error)
    _keep_own_frames(told)
    return _short("".join(told.format()))


def _keep_own_frames(told: traceback.TracebackException) -> None:
    told.stack[:] = [frame for frame in told.stack if frame.filename.startswith("<input ")]
    for other in (told.__cause__, told.__context__, *(told.exceptions or ())):
        if other is not None:
            _keep_own_frames(other)
