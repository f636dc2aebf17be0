"""The probes: each lab of the chapter is one function that looks at a run and returns plain numbers.

A probe takes a `View`, one moment of one run, and its arguments by name. Most answer at once; those that train
models of their own, or compare with many shuffles, are generators that yield their progress between slices of
some 50 ms. Results hold lists, numbers, texts and None: what was measured, and where a run has nothing to
measure, {"defined": False, "why": ...}.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import numpy as np

from . import comparisons, compressors, generation, order, position, table, tokens
from .view import Probe, ProbeError, View

if TYPE_CHECKING:
    from ..kinds import Plain, Values, Work

__all__ = ["PROBES", "Probe", "ProbeError", "View", "descriptions", "find", "plain", "run_probe"]

PROBES: dict[str, Probe] = {
    probe.name: probe
    for module in (table, tokens, comparisons, order, position, compressors, generation)
    for probe in module.PROBES
}


def find(name: str) -> Probe:
    """The probe of this name.

    Raises:
        ProbeError: there is none.
    """
    if name not in PROBES:
        raise ProbeError("name", f"probe = {name} is unknown: choose {', '.join(PROBES)}.")
    return PROBES[name]


def run_probe(name: str, view: View, arguments: Values) -> Work:
    """Run one probe.

    Args:
        name: one of `PROBES`.
        arguments: by name, as text or plain values; a missing one has its default.

    Yields:
        Progress from 0 to 1; a quick probe yields nothing.

    Returns:
        The result, as the value of StopIteration: see the docstring of the probe.

    Raises:
        ProbeError: the name or an argument cannot be used, or the run has diverged to values that are not numbers.
    """
    probe = find(name)
    values = probe.read_arguments(arguments)
    if probe.needs_model and not np.isfinite(view.model.parameters.vector).all():
        raise ProbeError(
            "run",
            f"The parameters of this run are not finite at step {view.step}, since it diverged: "
            "look at it untrained, or train it with a lower learning rate.",
        )
    result = probe.function(view, **values)
    if isinstance(result, Generator):
        result = yield from result
    return {key: plain(value) for key, value in result.items()}


def plain(value: object) -> object:
    """The same value in lists, numbers, texts and None; what is not a finite number is None."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        finite = value.dtype.kind != "f" or np.isfinite(value).all()
        return value.tolist() if finite else plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


def descriptions() -> list[Plain]:
    """The probes as plain data: name, title, claims, arguments, and needsModel."""
    return [
        {
            "name": probe.name,
            "title": probe.title,
            "claims": list(probe.claims),
            "arguments": probe.arguments,
            "needsModel": probe.needs_model,
        }
        for probe in PROBES.values()
    ]
