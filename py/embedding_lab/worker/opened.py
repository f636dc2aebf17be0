"""The runs that are open in this worker, and what is kept beside each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..kinds import Floats, Plain, Values, Work
    from ..probes import View
    from ..training import Run


@dataclass
class Job:
    """A probe that is not done: what was asked, what it looks at, and the work that is left."""

    asked: tuple[Values, bool]
    view: View
    work: Work
    progress: float = 0.0


runs: dict[str, Run] = {}
jobs: dict[str, dict[str, Job]] = {}  # by run, then by probe
pictures: dict[str, dict[int, Floats]] = {}  # by run and axes, the last projection, which the next one aligns with


def has_code(id: str) -> bool:
    """Whether the encoding of a run is a reader's own, whose code has run."""
    return hasattr(runs[id].encoding, "code")


def close_run(id: str) -> Plain:
    """Forget a run, and free what it holds."""
    runs.pop(id, None)
    jobs.pop(id, None)
    pictures.pop(id, None)
    return {}
