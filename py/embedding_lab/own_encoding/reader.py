"""Runs what a reader wrote: what it prints is kept, and whatever it raises is told with its line."""

import io
import linecache
import opcode
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from types import FunctionType, MethodType, ModuleType

from ..positions import PositionError

MODULE = "your_encoding"
MOST_PRINTED = 10_000  # characters
LONGEST_TRACEBACK = 10_000  # characters
LONGEST_MESSAGE = 500  # characters of what the code raised
RAISE = opcode.opmap["RAISE_VARARGS"]  # what a `raise` is compiled to


class OwnEncodingError(PositionError):
    """What a reader's code did wrong.

    Attributes:
        line: of their code, from 1; None where no line is to blame.
        traceback: as Python prints it, but of their code alone; None where nothing was raised.
        printed: what their code had printed until then.
    """

    def __init__(self, message: str, line: int | None = None, traceback: str | None = None, printed: str = "") -> None:
        super().__init__(message)
        self.line, self.traceback, self.printed = line, traceback, printed


class Printed(io.TextIOBase):
    """Stands for standard output, and keeps the beginning of what is printed."""

    def __init__(self) -> None:
        self.kept, self.room, self.more = "", MOST_PRINTED, 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        length = len(text)
        if self.room:
            self.kept += text[: self.room]
            fits = min(length, self.room)
            self.room -= fits
            self.more += length - fits
        else:  # quick, since an endless loop prints much
            self.more += length
        return length

    def __str__(self) -> str:
        return self.kept + (f"\n... and {self.more:,} characters more" if self.more else "")


class Reader:
    """Runs what a reader wrote: what it prints is kept, and whatever it raises becomes an `OwnEncodingError`.

    Attributes:
        module: that the code runs as.
    """

    def __init__(self, code: str, file: str) -> None:
        self.code, self.file = code, file
        self.module = ModuleType(MODULE)
        self.module.__file__ = file
        self.printed = Printed()

    @contextmanager
    def running(self, what: str, function: object = None) -> Iterator[None]:
        """The reader's code runs inside.

        Args:
            what: begins the message, such as "table".
            function: is to blame where nothing of the reader's code had begun, as with a wrong number of arguments.

        Raises:
            OwnEncodingError: tells what the code raised, its own KeyboardInterrupt too.
            KeyboardInterrupt: of a signal, such as that of Ctrl-C, which ends the lab wherever it arrives.
        """
        sys.modules[MODULE] = self.module  # where dataclasses and pickle look for the module of a class
        try:
            with redirect_stdout(self.printed), redirect_stderr(self.printed):
                yield
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and not self._raised(error):
                raise
            raise self._told(what, error, function) from None

    def error(self, message: str, function: object = None) -> OwnEncodingError:
        """What this function of the reader's did wrong without raising anything."""
        return OwnEncodingError(message, self.line_of(function), None, str(self.printed))

    def line_of(self, function: object) -> int | None:
        """Where a function of the reader's begins."""
        code = function.__code__ if isinstance(function, (FunctionType, MethodType)) else None
        return code.co_firstlineno if code and code.co_filename == self.file else None

    def _raised(self, error: BaseException) -> bool:
        """Whether a `raise` of the reader's raised it: a signal arrives at other instructions."""
        last = error.__traceback__
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        if last is None:
            return False
        code = last.tb_frame.f_code
        return code.co_filename == self.file and code.co_code[last.tb_lasti] == RAISE

    def _told(self, what: str, error: BaseException, function: object) -> OwnEncodingError:
        # The lines, which Python would look for in a file, are those of the code, split where Python splits it: at line
        # ends alone, and not at a form feed, as `splitlines` does.
        code = io.StringIO(self.code, newline=None).read().split("\n")
        linecache.cache[self.file] = (len(self.code), None, [line + "\n" for line in code], self.file)
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == self.file]
        line = frames[-1].lineno if frames else self.line_of(function)
        if isinstance(error, SyntaxError) and error.filename == self.file:
            given = error.lineno  # the code may raise one that says anything
            line = given if type(given) is int and 1 <= given <= len(code) else line
        try:
            lines = traceback.format_exception_only(error)
        except Exception:
            lines = [f"{type(error).__name__}\n"]
        traceback.clear_frames(error.__traceback__)  # else what the code had allocated stays as long as this error
        if frames:
            lines = ["Traceback (most recent call last):\n", *traceback.format_list(frames), *lines]
        told = "".join(lines)
        if len(told) > LONGEST_TRACEBACK:
            half = LONGEST_TRACEBACK // 2
            told = f"{told[:half]}\n... and {len(told) - 2 * half:,} characters more ...\n{told[-half:]}"
        at = f" in line {line}" if line else ""
        return OwnEncodingError(_in_words(what, error, at), line, told, str(self.printed))


def _in_words(what: str, error: BaseException, at: str) -> str:
    """What was raised, in one sentence."""
    if isinstance(error, SystemExit):
        return f"{what} called sys.exit{at}: an encoding returns its numbers and leaves Python running."
    if isinstance(error, KeyboardInterrupt):
        return f"{what} was interrupted{at}."
    if isinstance(error, RecursionError):
        return f"{what} calls itself without an end{at} (RecursionError): give it a case in which it stops."
    doing = "asked for more memory than there is" if isinstance(error, MemoryError) else f"raised {type(error).__name__}"
    try:
        told = (error.msg if isinstance(error, SyntaxError) else str(error)).strip()
    except BaseException:  # the text of a reader's own exception is the reader's code, too
        told = ""
    told = told if len(told) <= LONGEST_MESSAGE else f"{told[:LONGEST_MESSAGE]} ..."
    return f"{what} {doing}{at}{f': {told}' if told else ' without a message.'}"
