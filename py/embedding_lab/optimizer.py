"""AdamW and the schedule of its step size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .ops import reference

if TYPE_CHECKING:
    from .model import Parameters
    from .ops.interface import Operations

BETA1, BETA2 = 0.9, 0.99
EPSILON = 1e-8
WEIGHT_DECAY = 0.01
WARM_UP_STEPS = 20
FINAL_SHARE = 0.1


def learning_rate(step: int, steps: int, peak: float) -> float:
    """Linear warm-up over 20 steps, then half a cosine from the peak down to a tenth of it.

    Args:
        step: which update this is, from 1 to `steps`.
    """
    warm_up = min(WARM_UP_STEPS, steps)
    if step <= warm_up:
        return peak * step / warm_up
    progress = (step - warm_up) / (steps - warm_up)
    return peak * (FINAL_SHARE + (1 - FINAL_SHARE) * 0.5 * (1 + math.cos(math.pi * progress)))


class AdamW:
    """Adam with decoupled weight decay on every parameter (Loshchilov and Hutter 2019)."""

    def __init__(self, parameters: Parameters, ops: Operations = reference) -> None:
        self.parameters = parameters
        self.ops = ops
        self.mean = np.zeros_like(parameters.vector)
        self.square = np.zeros_like(parameters.vector)
        self.step = 0

    def update(self, gradients: Parameters, lr: float) -> None:
        """Move the parameters once against their gradients, by steps of about `lr`."""
        self.step += 1
        self.ops.adamw(
            self.parameters.vector,
            gradients.vector,
            self.mean,
            self.square,
            self.step,
            lr,
            BETA1,
            BETA2,
            EPSILON,
            WEIGHT_DECAY,
        )
