"""The operations that the model computes with: one interface, and one module for each way to compute it.

Every function writes into arrays that its caller allocated, so that training allocates nothing from
step to step. A backward function takes the gradient of the loss with respect to what the forward
function wrote (its name starts with d) and
    - overwrites the gradient of an activation; only that of a layer norm's input is added to, since
      the input is the residual stream, whose gradient holds already what bypassed the norm,
    - adds to the gradient of a parameter, since several places may use one parameter.

Shapes: N = B * T positions, B sequences of T characters, d the width, V the size of the vocabulary.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from . import compiled, reference

if TYPE_CHECKING:
    from ..ops.interface import Operations

BACKENDS = (*compiled.BUILDS, reference.NAME)


def load(name: str) -> Operations:
    """One way to compute, by its name.

    Args:
        name: one of `BACKENDS`: "relaxed-simd" and "simd" in the tab, "native" in CPython, "numpy" everywhere.

    Raises:
        OSError: there is no such build here, or this machine cannot run it.
    """
    return reference if name == reference.NAME else compiled.Compiled(name)


@cache
def best() -> Operations:
    """The fastest way that works here."""
    for name in compiled.BUILDS:
        try:
            return load(name)
        except OSError:
            continue
    return reference
