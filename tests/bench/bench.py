"""Measures the lab beside PyTorch and its peers, prints a table and writes JSON; `python build.py bench` runs it.

Times are of this machine, so what is kept are ratios: contenders are measured in turn, round by round, and each ratio is
taken within a round. Nothing here asserts a time.
"""

import argparse
import contextlib
import functools
import json
import os
import platform
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from playwright.sync_api import sync_playwright

import build
from embedding_lab.config import RunConfig
from embedding_lab.corpus import Corpus
from tests.bench import growth, native, peers, report, rounds, site, subject, tab, torch_eager, visits


@dataclass(frozen=True)
class Effort:
    """How long to measure: rounds that count, turns of the quick contenders in each, and seconds of training in a turn."""

    rounds: int
    turns: int
    visits: int
    growth: int
    seconds: float


FULL = Effort(rounds=7, turns=8, visits=7, growth=3, seconds=0.15)
QUICK = Effort(rounds=3, turns=4, visits=1, growth=1, seconds=0.1)

PEERS = {
    "nanogpt_cpu": functools.partial(peers.nanogpt, backend="cpu"),
    "nanogpt_webgl": functools.partial(peers.nanogpt, backend="webgl"),
    "jax_js": peers.jax_js,
}


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def add_peers(folder: Path) -> dict[str, str]:
    """Make the peers' pages; returns why each of them cannot run, if they cannot be had."""
    try:
        peers.add_pages(folder)
    except rounds.Unavailable as reason:
        return dict.fromkeys(PEERS, str(reason))
    return {}


def measure_steps(browser, served, lab, corpus, unavailable, effort) -> tuple[dict, dict]:
    """A training step of every contender, after making sure that they train the same model.

    Args:
        unavailable: the reason why a contender is missing; takes what is found here.

    Returns:
        Of the measurements `steps`, `peak` and `flops_per_step`; of the results `backend`, `parameters` and
        `unavailable`.
    """
    config, seconds, backend = subject.step_config(), effort.seconds, lab.status["backend"]
    others = open_peers(browser, served, config, corpus, unavailable)
    losses = {
        "PyTorch": torch_eager.first_losses(config, corpus),
        "the tab": lab.first_losses(config, backend),
        "the tab with NumPy": lab.first_losses(config, "numpy"),
        "the native build": native.first_losses(config, corpus, "native"),
    }
    if "jax_js" in others:
        losses["jax-js"] = others["jax_js"].losses
    subject.check_same_losses(losses)

    steps_in_torch = torch_eager.TorchSteps(config, corpus)
    contenders = {
        "tab": lambda: lab.seconds_per_step(config, backend, seconds),
        "torch": lambda: steps_in_torch.seconds_per_step(seconds),
        "native": lambda: native.seconds_per_step(config, corpus, "native", seconds),
        "peak": lambda: 1 / lab.peak_flops(seconds),  # seconds, as of the others, since means are taken
        "tab_numpy": lambda: lab.seconds_per_step(config, "numpy", seconds),
        "native_numpy": lambda: native.seconds_per_step(config, corpus, "numpy", seconds),
        **{name: lambda peer=peer: peer.seconds_per_step(4 * seconds) for name, peer in others.items()},
    }
    steps = rounds.interleave(
        contenders,
        effort.rounds,
        tell=lambda line: say(f"steps: {line}"),
        dropped=unavailable,
        turns=dict.fromkeys(("tab", "tab_numpy", "torch", "native", "peak"), effort.turns),
    )
    peak = [1 / seconds_per_flop for seconds_per_flop in steps.pop("peak")]
    for peer in others.values():
        peer.close()
    parameters = {name: peer.parameters for name, peer in others.items()}
    told = {"backend": backend, "parameters": {"lab": lab.parameters, **parameters}, "unavailable": unavailable}
    return {"steps": steps, "peak": peak, "flops_per_step": lab.flops_per_step}, told


def open_peers(browser, served, config, corpus, unavailable) -> dict:
    """The peers that start here; why another does not goes into `unavailable`."""
    opened = {}
    for name, start in PEERS.items():
        if name in unavailable:
            continue
        try:
            opened[name] = start(browser, served, config, corpus)
        except rounds.Unavailable as reason:
            unavailable[name] = str(reason)
    return opened


def measure_visits(playwright, served, effort) -> tuple[dict, dict]:
    """A plain start, a cold visit and a second one, in turn.

    Returns:
        Of the measurements `visits`; of the results `compressed_bytes` and what they consist of.
    """
    first = visits.FirstVisits(playwright, served)
    contenders = {"plain_start": first.plain_start, "visits": first.both_visits}
    measured = rounds.interleave(contenders, effort.visits, tell=lambda line: say(f"visits: {line}"))
    both = measured.pop("visits")
    told = {
        "compressed_bytes": sum(first.compressed.values()),
        "compressed_bytes_second_visit": sum(first.sent_again.values()),
        "compressed_files": first.compressed,
    }
    return {"visits": {**measured, **{name: [visit[name] for visit in both] for name in ("cold", "second")}}}, told


def measure_experiment(browser, served, corpus, effort) -> tuple[dict, dict]:
    """The experiment that the page opens on, and the same runs in PyTorch one after another.

    Returns:
        Of the measurements `experiment`; of the results `experiment_losses`: the validation loss of each run.

    Raises:
        subject.UnequalLosses: they did not end where the page's did.
    """
    experiment = json.loads((build.CACHE / "lab-data.json").read_text())["experiment"]
    configs = [RunConfig(encoding=name, seed=seed) for name in experiment["encodings"] for seed in experiment["seeds"]]
    losses = {"tab": {}, "torch": {}}

    def in_page():
        seconds, result = visits.experiment(browser, served)
        losses["tab"] = {f"{run['encoding']}-{run['seed']}": run["validationLoss"] for run in result["runs"]}
        return seconds

    def in_torch():
        runs = {f"{config.encoding}-{config.seed}": torch_eager.train_to_the_end(config, corpus) for config in configs}
        losses["torch"] = {name: loss for name, (_, loss) in runs.items()}
        return sum(seconds for seconds, _ in runs.values())

    contenders = {"tab": in_page, "torch": in_torch}
    measured = rounds.interleave(contenders, effort.visits, tell=lambda line: say(f"experiment: {line}"))
    subject.check_same_experiment(losses["tab"], losses["torch"])
    return {"experiment": measured}, {"experiment_losses": losses}


def describe_machine(browser, load) -> dict:
    """What it was measured on, as far as it can be told."""
    return {
        "cpu": processor_name(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "browser": f"Chromium {browser.version}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "load": f"{load[0]:.1f} before, {os.getloadavg()[0]:.1f} after",
    }


def processor_name() -> str:
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return platform.processor() or platform.machine()


def bench(effort: Effort) -> dict:
    """Measure everything; returns the report."""
    corpus = Corpus.from_text(subject.alice_text())
    load = os.getloadavg()
    with tempfile.TemporaryDirectory(dir=build.CACHE) as folder, sync_playwright() as playwright:
        site.assemble(Path(folder))
        unavailable = add_peers(Path(folder))
        with site.served(Path(folder)) as served, playwright.chromium.launch(**tab.launch_options()) as browser:
            lab = tab.Tab(browser, served)
            steps, about_steps = measure_steps(browser, served, lab, corpus, unavailable, effort)
            grown = growth.steps_per_second(lab, corpus, effort.seconds, effort.growth, say)
            lab.close()
            memory = growth.memory_of_long_run(browser, served)
            experiment, about_experiment = measure_experiment(browser, served, corpus, effort)
            seen, about_visits = measure_visits(playwright, served, effort)
            machine = describe_machine(browser, load)
    more = {**about_steps, **about_visits, **about_experiment, "growth": grown, "worker_memory_mb": memory}
    return report.report(machine, {**steps, **seen, **experiment}, more)


def main(arguments) -> int:
    """Measure, print the table, write the JSON; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures to this file")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: to see that it works, not to quote")
    chosen = parser.parse_args(arguments)
    try:
        figures = bench(QUICK if chosen.quick else FULL)
    except (build.BuildError, subject.UnequalLosses) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print(report.table(figures))
    if chosen.json:
        build.write_whole(chosen.json.resolve(), json.dumps(figures, indent=1).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
