"""Measures contenders side by side: every one in each round, so that a machine that drifts hits all of them alike."""

import statistics
from collections.abc import Callable
from typing import Any


class Unavailable(Exception):
    """A contender that cannot run on this machine; the message says why."""


def interleave(
    contenders: dict[str, Callable[[], Any]], rounds: int, warm_up=1, tell=lambda line: None, dropped=None, turns=None
):
    """Measure every contender in each round, once or in as many turns as it is given.

    Args:
        contenders: names to functions that return one measurement.
        rounds: how many count.
        warm_up: how many come before these and do not count.
        tell: takes a line for each round.
        dropped: a dict that takes the reason of each contender that raised Unavailable; it is left out from then on.
        turns: of some contenders how many times they are measured in a round; its measurement is then their mean. A
            machine whose speed changes within a second hits contenders alike only if they take short turns.

    Returns:
        A dict of the measurements of each contender that lasted, in order: index i is round i for all of them.
    """
    turns = turns or {}
    alive = dict(contenders)
    measured: dict[str, list] = {name: [] for name in contenders}
    for index in range(-warm_up, rounds):
        taken: dict[str, list] = {name: [] for name in alive}
        for turn in range(max([turns.get(name, 1) for name in alive], default=0)):
            for name in _rotated([name for name in alive if turn < turns.get(name, 1)], index + turn):
                try:
                    taken[name].append(alive[name]())
                except Unavailable as reason:
                    if dropped is None:
                        raise
                    dropped[name] = str(reason)
                    del alive[name], measured[name]
        if index >= 0:
            for name in alive:
                measured[name].append(taken[name][0] if turns.get(name, 1) == 1 else statistics.mean(taken[name]))
        tell("warmed up" if index < 0 else f"round {index + 1} of {rounds}")
    return measured


def _rotated(names: list[str], index: int) -> list[str]:
    """The names from another start each round, so that none always follows the same neighbour's heat."""
    start = index % len(names) if names else 0
    return names[start:] + names[:start]


def spread(values: list[float]) -> dict[str, float]:
    """The median of measurements, and the range they lie in."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def ratio(over: list[float], under: list[float]) -> dict[str, float]:
    """How many times the second the first is: taken round by round, and only then summed up.

    Raises:
        ValueError: they are not of the same rounds.
    """
    return spread([above / below for above, below in zip(over, under, strict=True)])
