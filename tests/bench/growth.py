"""How the cost of a step grows with the model, and the memory of a worker that trains for long."""

from tests.bench import native, rounds, subject
from tests.bench.tab import Tab

SIZES = {
    "d": (16, 32, 48, 64, 96, 128),
    "context": (16, 32, 64, 128, 256),
    "batch": (8, 16, 32, 64, 128),
    "layers": (1, 2, 3, 4),
}
# A model so small that 20,000 of its steps take seconds: what leaks, leaks with the number of calls.
SMALL = {"d": 8, "heads": 2, "context": 8, "batch": 4}
LONG = 20_000


def steps_per_second(tab, corpus, seconds: float, count: int, tell) -> list[dict]:
    """Compiled steps a second with one setting changed at a time.

    Returns:
        A row for each size: the setting's `name` and `value`, and `tab` and `native`, each a spread.
    """
    rows = []
    for name, values in SIZES.items():
        for value in values:
            config = subject.step_config(**{name: value})
            measured = rounds.interleave(
                {
                    "tab": lambda config=config: 1 / tab.seconds_per_step(config, tab.status["backend"], seconds),
                    "native": lambda config=config: 1 / native.seconds_per_step(config, corpus, "native", seconds),
                },
                count,
                warm_up=0,  # every measurement warms up by itself
            )
            rows.append({"name": name, "value": value, **{where: rounds.spread(found) for where, found in measured.items()}})
        tell(f"growth with {name}")
    return rows


def memory_of_long_run(browser, served) -> dict[str, float]:
    """Megabytes of a fresh worker's memory after the first step and after 20,000, and how long that took."""
    config = subject.step_config(**SMALL)
    tab = Tab(browser, served)
    tab.train_until(config, 1)
    start = tab.memory_mb()
    seconds = tab.train_until(config, LONG)
    end = tab.memory_mb()
    tab.close()
    return {"start": start, "end": end, "steps": LONG, "seconds": seconds}
