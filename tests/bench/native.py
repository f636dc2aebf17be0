"""The lab's own training steps in CPython on this machine."""

import time

from embedding_lab.ops import load
from embedding_lab.training import Run
from tests.bench import subject

WARM_UP = 0.1  # seconds


def first_losses(config, corpus, backend: str) -> list[float]:
    """The loss at the starting weights, and after each of the first updates."""
    run = Run(config, corpus, ops=load(backend))
    for _ in range(subject.UPDATES + 1):
        run.advance(0)
    return run.train_loss


def seconds_per_step(config, corpus, backend: str, seconds: float) -> float:
    """Train a fresh run for about this long."""
    run = Run(config, corpus, ops=load(backend))
    before = run.advance(WARM_UP).step
    started = time.perf_counter()
    frame = run.advance(seconds)
    took = time.perf_counter() - started
    assert not len(frame.validation_steps), "an evaluation fell into what was measured"
    return took / (frame.step - before)
