"""The reader's Python prompt, on a run of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .answers import failure
from .opened import runs
from .runs import open_run

if TYPE_CHECKING:
    from ..console import Console
    from ..kinds import Input, Values
    from .kinds import ConsoleOpened, Failure

CONSOLE = "console"  # the name of its run
_console: Console | None = None


def console_open(config: Values, text: str, saved: Values | None = None, code: str | None = None) -> ConsoleOpened | Failure:
    """Open a run for the reader's prompt, `console_run`; a second call begins anew, with other variables.

    Args:
        config, text, saved, code: as `open_run` takes them; without `saved` the run is untrained.

    Returns:
        run, the name by which `close_run` and others know it; step; shape, of E. Or an error as that of `open_run`.
    """
    global _console  # noqa: PLW0603  # a worker has one, as it has one `runs`
    _console = None  # frees its run and its variables before there is another
    opened = open_run(CONSOLE, config, text, saved=saved, code=code)
    if "error" in opened:
        return opened
    from ..console import Console  # a reader's prompt brings what no start waits for

    np.set_printoptions(precision=4, suppress=True, linewidth=80)  # what a reader can take in
    run = runs[CONSOLE]
    _console = Console(run)
    return {"run": CONSOLE, "step": run.step, "shape": list(run.model.parameters["embedding"].shape)}


def console_run(source: str, write: Callable[[str], None]) -> Input | Failure:
    """Run what the reader typed, if it is complete: see `console.Console.run`.

    Returns:
        What that returns. Or an error with the code "console" where none is open.
    """
    if _console is None:
        return failure("console", None, "This worker has no console: open it first.")
    return _console.run(source, write)
