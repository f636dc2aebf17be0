"""What a worker's functions answer: failures that the reader can mend, and values as the page has them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from ..training import Saved, SavedError

if TYPE_CHECKING:
    from ..kinds import Plain, Values
    from ..positions import PositionError
    from .kinds import Failure


def failure(code: str, field: str | None, message: str) -> Failure:
    return {"error": {"code": code, "field": field, "message": message}}


def position_failure(error: PositionError, before: str = "", code: str = "config", field: str | None = "encoding") -> Failure:
    """What an encoding refused, or what a reader's own did wrong.

    Args:
        before: begins the message of a reader's own.
        code, field: of the lab's encodings.
    """
    from ..own_encoding import OwnEncodingError

    if not isinstance(error, OwnEncodingError):
        return failure(code, field, str(error))
    told = failure("encoding", "encoding", before + str(error))
    told["error"] |= {"line": error.line, "traceback": error.traceback}
    return told


def broken(error: Exception, ran_code: bool) -> Failure:
    """Tells a failure of the lab after a reader's code ran in it; without such code it is a bug, and raised."""
    if not ran_code:
        raise error
    told = failure(
        "encoding",
        "encoding",
        f"The lab failed after your code had run in it ({type(error).__name__}: {error}): the code must change nothing of "
        "NumPy or of the lab itself.",
    )
    told["error"] |= {"line": None, "traceback": None}
    return told


def unknown_run(id: str) -> Failure:
    return failure("unknown-run", None, f"This worker has no run {id}: open it first.")


def memory_failure(config: Values) -> Failure:
    return failure(
        "memory",
        "batch",
        f"The tab has no memory left for this model ({model(config)}): choose a smaller batch or context.",
    )


def no_memory_to(do: str) -> Failure:
    return failure("memory", None, f"The tab has no memory left to {do}: close other tabs, or use a shorter text.")


def model(config: Values) -> str:
    return ", ".join(f"{name} {config[name]}" for name in ("batch", "context", "layers", "heads", "d"))


def mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def for_page(saved: Saved) -> Plain:
    return {_camel(field.name): getattr(saved, field.name) for field in fields(Saved)}


def from_page(saved: Values) -> Saved:
    """Typed arrays come as memoryviews, which keep what kind of number they hold."""
    values: Values = {name: np.asarray(value) if isinstance(value, memoryview) else value for name, value in saved.items()}
    missing = [name for field in fields(Saved) if (name := _camel(field.name)) not in values]
    if missing:
        raise SavedError(f"{', '.join(missing)} is missing: give all that save_run gave.")
    return Saved(**{field.name: values[_camel(field.name)] for field in fields(Saved)})


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))
