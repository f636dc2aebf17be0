"""Holds the `gradient` of a Trainable against finite differences of its `value`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..kinds import Floats
    from ..positions import Trainable

# Relative steps: a small one is exact, a large one is not lost where `value` rounds to float32.
STEPS = (1e-6, 1e-4, 1e-2)
DIRECTIONS = 3
GRADIENT_ERROR = 0.01  # of the gradient's norm
ENTRIES_TRIED = 200  # of a parameter, to tell where its gradient is wrong


def wrong_gradient(trainable: Trainable, shape: tuple[int, ...], causal: bool) -> str | None:
    """Where `gradient` and `value` disagree, with the numbers; None where they agree.

    They are compared beside the start, where there may be a kink.

    Args:
        trainable: has both; of one that has neither there is nothing to say.
        shape: of what `value` returns.
        causal: what is added reaches no later position, so that its gradient there is always 0.
    """
    value, derivative = trainable.value, trainable.gradient
    if value is None or derivative is None:
        return None
    random = np.random.default_rng(0)
    start = trainable.start.astype(np.float64)
    near = np.where(start == 0, max(trainable.noise, 0.01), 0.01 * np.abs(start))
    parameter = np.asarray(start + near * random.normal(size=start.shape))  # NumPy makes a scalar of a single number
    unit = np.maximum(np.abs(parameter), 0.01)  # of a change: a hundredth of it takes nothing positive below 0
    dvalue = random.normal(size=shape)
    if causal:
        dvalue = np.tril(dvalue)
    gradient = derivative(parameter, dvalue)

    def slope(direction: Floats, step: float) -> float:
        above, below = (value(parameter + sign * step * direction) for sign in (1, -1))
        return float(np.sum((above - below) * dvalue)) / (2 * step)

    for _ in range(DIRECTIONS):
        direction = unit * random.normal(size=start.shape)
        told = float(np.sum(gradient * direction))
        measured = [slope(direction, step) for step in STEPS]
        size = max(float(np.linalg.norm(gradient * unit)), min(map(abs, measured)))
        if min(abs(each - told) for each in measured) > GRADIENT_ERROR * size:
            return _worst(slope, gradient, unit)
    return None


def _worst(slope: Callable[[Floats, float], float], gradient: Floats, unit: Floats) -> str:
    """Where a gradient is most wrong, of as many entries as can be tried, with its numbers."""
    measured = {}
    for entry in list(np.ndindex(gradient.shape))[:ENTRIES_TRIED]:
        direction = np.zeros(gradient.shape)
        direction[entry] = unit[entry]
        measured[entry] = slope(direction, STEPS[1]) / unit[entry]
    worst = max(measured, key=lambda entry: abs(measured[entry] - gradient[entry]))
    return (
        f"for the entry {list(worst)} of the parameter it returned {gradient[worst] + 0.0:.4g}, and a small step of that entry "
        f"measures {measured[worst] + 0.0:.4g}."
    )
