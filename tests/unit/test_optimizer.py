"""AdamW against PyTorch's and against its own first step, and the shape of the schedule."""

from itertools import pairwise

import numpy as np
import pytest

from embedding_lab.model import Parameters, random_stream
from embedding_lab.optimizer import BETA1, BETA2, EPSILON, WEIGHT_DECAY, AdamW, learning_rate


def made(size=5):
    parameters = Parameters({"a": (size,)}, np.float64)
    gradients = Parameters({"a": (size,)}, np.float64)
    parameters.vector[:] = random_stream(1, "p").normal(size=size)
    return parameters, gradients


def test_thirty_updates_are_those_of_pytorch():
    torch = pytest.importorskip("torch")
    parameters, gradients = made()
    theirs = torch.tensor(parameters.vector.copy(), requires_grad=True)
    peer = torch.optim.AdamW([theirs], betas=(BETA1, BETA2), eps=EPSILON, weight_decay=WEIGHT_DECAY)
    ours, random = AdamW(parameters), random_stream(1, "g")
    for step in range(1, 31):
        gradients.vector[:] = random.normal(size=5)
        theirs.grad = torch.tensor(gradients.vector.copy())
        rate = learning_rate(step, 30, 0.1)
        peer.param_groups[0]["lr"] = rate
        peer.step()
        ours.update(gradients, rate)
    assert parameters.vector == pytest.approx(theirs.detach().numpy(), rel=1e-9)


def test_the_first_update_moves_each_parameter_by_the_learning_rate():
    parameters, gradients = made()
    before = parameters.vector.copy()
    gradients.vector[:] = [3, -0.001, 20, -7, 0.5]
    AdamW(parameters).update(gradients, 0.1)
    moved = parameters.vector - before * (1 - 0.1 * WEIGHT_DECAY)
    assert moved == pytest.approx(-0.1 * np.sign(gradients.vector), rel=1e-4)


def test_the_schedule_warms_up_and_comes_down_to_a_tenth():
    rates = [learning_rate(step, 500, 6e-3) for step in range(1, 501)]
    assert rates[0] == pytest.approx(6e-3 / 20)
    assert rates[19] == max(rates) == pytest.approx(6e-3)
    assert rates[-1] == pytest.approx(6e-4)
    assert rates[259] == pytest.approx(6e-3 * 0.55)
    assert all(a > b for a, b in pairwise(rates[19:]))


@pytest.mark.parametrize("steps", [1, 2, 20, 21])
def test_short_runs_have_a_schedule_too(steps):
    rates = [learning_rate(step, steps, 1.0) for step in range(1, steps + 1)]
    assert max(rates) == 1.0
    assert min(rates) > 0
