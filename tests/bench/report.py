"""From measurements to the report: the ratios, the JSON that others read, and the table that people do."""

from tests.bench.rounds import ratio, spread

# What each contender is, in the order of the table.
CONTENDERS = {
    "tab": "tab, compiled",
    "tab_numpy": "tab, NumPy",
    "native": "native, compiled",
    "native_numpy": "native, NumPy with all cores",
    "torch": "PyTorch eager, 1 thread",
    "nanogpt_cpu": "@genai-fi/nanogpt, cpu",
    "nanogpt_webgl": "@genai-fi/nanogpt, webgl",
    "jax_js": "@jax-js/jax, wasm",
}
# The keys of `ratios`, what each compares, and what it should reach: at least, and as an aim.
RATIOS = {
    "tab_over_torch": ("a step: tab, compiled / PyTorch", "1.5", "1.0 or less"),
    "tab_numpy_over_tab": ("a step: tab, NumPy / tab, compiled", "6", "10"),
    "fma_share": ("share of the FMA peak over a step in the tab", "0.40", "0.65"),
    "nanogpt_over_tab": ("a step: nanogpt, its best backend / tab, compiled", "15", "30"),
    "jax_js_over_tab": ("a step: jax-js / tab, compiled", "", ""),
    "native_over_torch": ("a step: native, compiled / PyTorch", "", ""),
    "first_loss_cold_over_plain_start": ("first loss point, cold / plain start", "0.9", "0.6"),
    "first_loss_second_over_plain_start": ("first loss point, second visit / plain start", "0.7", "0.4"),
    "experiment_over_torch": ("default experiment: in the page / PyTorch", "1.3", "0.8"),
}


def ratios(measured: dict) -> dict:
    """The ratios of one bench, each a spread over its rounds, or None where a side of it could not run.

    Args:
        measured: `steps` (seconds per step of each contender), `peak` (operations a second), `flops_per_step`,
            `visits` (seconds: plain_start, cold, second) and `experiment` (seconds: tab, torch); a list is of rounds.
    """
    steps, visits, experiment = measured["steps"], measured["visits"], measured["experiment"]
    best = best_nanogpt(steps)
    sides = {
        "tab_over_torch": (steps, "tab", "torch"),
        "tab_numpy_over_tab": (steps, "tab_numpy", "tab"),
        "nanogpt_over_tab": (steps, best, "tab"),
        "jax_js_over_tab": (steps, "jax_js", "tab"),
        "native_over_torch": (steps, "native", "torch"),
        "first_loss_cold_over_plain_start": (visits, "cold", "plain_start"),
        "first_loss_second_over_plain_start": (visits, "second", "plain_start"),
        "experiment_over_torch": (experiment, "tab", "torch"),
    }
    found = {
        name: ratio(group[over], group[under]) if over in group and under in group else None
        for name, (group, over, under) in sides.items()
    }
    reached = [measured["flops_per_step"] / seconds for seconds in steps["tab"]]
    found["fma_share"] = ratio(reached, measured["peak"])
    return {name: found[name] for name in RATIOS}


def best_nanogpt(steps: dict) -> str | None:
    """The backend of nanogpt that took the least time per step on this machine."""
    ran = [name for name in steps if name.startswith("nanogpt_")]
    return min(ran, key=lambda name: spread(steps[name])["median"], default=None)


def report(machine: dict, measured: dict, more: dict) -> dict:
    """The whole report.

    Args:
        machine: what it was measured on.
        measured: as `ratios` takes it.
        more: results that are no measurements of rounds, such as compressed_bytes; taken over as they are.
    """
    results = {
        "rounds": len(measured["steps"]["tab"]),
        "seconds_per_step": _spreads(measured["steps"]),
        "flops_per_step": measured["flops_per_step"],
        "fma_peak_gflops": spread([peak / 1e9 for peak in measured["peak"]]),
        "seconds_to_first_loss": _spreads(measured["visits"]),
        "experiment_seconds": _spreads(measured["experiment"]),
        **more,
    }
    return {"machine": machine, "results": results, "ratios": ratios(measured)}


def _spreads(group: dict) -> dict:
    return {name: spread(values) for name, values in group.items()}


def table(report: dict) -> str:
    """The report for people."""
    machine, results = report["machine"], report["results"]
    lines = [f"{machine['cpu']}, {machine['cores']} cores, {machine['browser']}, load {machine['load']}", ""]
    lines.append(_row("time per training step, ms", "median", "min", "max"))
    for name, label in CONTENDERS.items():
        lines.append(_measured(label, results["seconds_per_step"].get(name), results["unavailable"].get(name), 1000, ".2f"))
    lines.append(_measured("FMA peak of a core in the tab, GFLOP/s", results["fma_peak_gflops"], None, 1, ".1f"))
    lines += ["", _row("seconds", "median", "min", "max")]
    for name, label in (("plain_start", "plain start"), ("cold", "first loss point, cold"), ("second", "second visit")):
        lines.append(_measured(label, results["seconds_to_first_loss"][name], None, 1, ".2f"))
    for name, label in (("tab", "default experiment in the page"), ("torch", "default experiment in PyTorch")):
        lines.append(_measured(label, results["experiment_seconds"][name], None, 1, ".2f"))
    lines += ["", _row("ratio", "median", "min", "max", "at least", "aim")]
    for name, (label, least, aim) in RATIOS.items():
        lines.append(_measured(label, report["ratios"][name], "see above", 1, ".2f") + f"{least:>10}  {aim}".rstrip())
    lines += ["", _row("steps per second, compiled", "tab", "native")]
    for row in results["growth"]:
        label = f"{row['name']} = {row['value']}"
        lines.append(_row(label, f"{row['tab']['median']:.0f}", f"{row['native']['median']:.0f}"))
    memory = results["worker_memory_mb"]
    lines += [
        "",
        f"compressed bytes to the first loss point: {results['compressed_bytes'] / 1e6:.2f} MB"
        f" ({results['compressed_bytes_second_visit'] / 1e6:.2f} MB on the second visit)",
        f"memory of a worker: {memory['start']:.1f} MB, after {memory['steps']:,} steps {memory['end']:.1f} MB",
    ]
    return "\n".join(lines)


def _measured(label, found, reason, scale, form) -> str:
    if found is None:
        return f"{label:<52}  not measured: {reason}"
    return _row(label, *(format(scale * found[key], form) for key in ("median", "min", "max")))


def _row(label, *cells) -> str:
    return f"{label:<52}" + "".join(f"{cell:>10}" for cell in cells)
