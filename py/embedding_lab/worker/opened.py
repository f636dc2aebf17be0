"""The runs that are open in this worker, and what is kept beside each."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..training import Run

if TYPE_CHECKING:
    from ..probes import View


@dataclass
class Job:
    """A probe that is not done: what was asked, what it looks at, and the work that is left."""

    asked: tuple[dict, bool]
    view: "View"
    work: Iterator[float]
    progress: float = 0.0


runs: dict[str, Run] = {}
jobs: dict[str, dict[str, Job]] = {}  # by run, then by probe
pictures: dict[str, dict[int, np.ndarray]] = {}  # by run and axes, the last projection, which the next one aligns with


def has_code(id: str) -> bool:
    """Whether the encoding of a run is a reader's own, whose code has run."""
    return hasattr(runs[id].encoding, "code")


def close_run(id: str) -> dict:
    """Forget a run, and free what it holds."""
    runs.pop(id, None)
    jobs.pop(id, None)
    pictures.pop(id, None)
    return {}
