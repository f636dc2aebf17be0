"""The bench: its ratios are taken round by round, its JSON has the promised shape, and unequal models stop it. No times."""

import json

import pytest

from tests.bench import bench, growth, report, rounds, subject

PROMISED = {
    "tab_over_torch",
    "tab_numpy_over_tab",
    "fma_share",
    "nanogpt_over_tab",
    "jax_js_over_tab",
    "native_over_torch",
    "first_loss_cold_over_plain_start",
    "first_loss_second_over_plain_start",
    "experiment_over_torch",
}

# Three rounds on a machine that was ten times slower in the second.
MEASURED = {
    "steps": {
        "tab": [2.0, 20.0, 2.0],
        "tab_numpy": [12.0, 120.0, 16.0],
        "native": [1.0, 10.0, 1.0],
        "native_numpy": [4.0, 40.0, 4.0],
        "torch": [4.0, 40.0, 2.0],
        "nanogpt_cpu": [200.0, 2000.0, 200.0],
        "nanogpt_webgl": [80.0, 800.0, 60.0],
        "jax_js": [30.0, 300.0, 30.0],
    },
    "peak": [50.0, 5.0, 50.0],
    "flops_per_step": 60,
    "visits": {"plain_start": [4.0], "cold": [3.0], "second": [2.0]},
    "experiment": {"tab": [6.0, 8.0], "torch": [12.0, 10.0]},
}
MORE = {
    "unavailable": {},
    "compressed_bytes": 6_000_000,
    "compressed_bytes_second_visit": 0,
    "growth": [{"name": "d", "value": 8, "tab": rounds.spread([9.0]), "native": rounds.spread([10.0])}],
    "worker_memory_mb": {"start": 60.0, "end": 61.0, "steps": growth.LONG, "seconds": 5.0},
}
MACHINE = {"cpu": "made up", "cores": 2, "browser": "Chromium 1", "load": "0 before, 0 after"}


def without(measured, *names):
    return {**measured, "steps": {name: values for name, values in measured["steps"].items() if name not in names}}


def test_a_ratio_is_taken_round_by_round():
    assert rounds.ratio([1.0, 100.0, 3.0], [1.0, 10.0, 1.0]) == {"median": 3.0, "min": 1.0, "max": 10.0}
    assert rounds.ratio([2.0, 40.0], [1.0, 10.0]) == {"median": 3.0, "min": 2.0, "max": 4.0}


def test_a_machine_that_slows_down_moves_no_ratio():
    found = report.ratios(MEASURED)
    assert found["tab_over_torch"] == {"median": 0.5, "min": 0.5, "max": 1.0}
    assert found["tab_numpy_over_tab"] == {"median": 6.0, "min": 6.0, "max": 8.0}
    assert found["fma_share"] == pytest.approx({"median": 0.6, "min": 0.6, "max": 0.6})


def test_measurements_of_other_rounds_are_refused():
    with pytest.raises(ValueError, match="shorter"):
        rounds.ratio([1.0, 2.0], [1.0])


def test_every_contender_is_measured_once_a_round_in_turns():
    order = []

    def contender(name):
        return lambda: order.append(name) or len(order)

    measured = rounds.interleave({name: contender(name) for name in "abc"}, 3)
    by_round = [order[start : start + 3] for start in range(0, 12, 3)]
    assert all(sorted(names) == ["a", "b", "c"] for names in by_round)
    assert len({names[0] for names in by_round[1:]}) == 3, "each is first once"
    assert {name: len(values) for name, values in measured.items()} == {"a": 3, "b": 3, "c": 3}, "the first round is not kept"


def test_quick_contenders_take_several_turns_a_round_and_count_by_their_mean():
    order = []
    quick = iter(range(100))
    contenders = {"quick": lambda: order.append("quick") or next(quick), "slow": lambda: order.append("slow") or 7}
    measured = rounds.interleave(contenders, 2, warm_up=0, turns={"quick": 3})
    assert measured == {"quick": [1, 4], "slow": [7, 7]}
    assert order[:4].count("slow") == order[4:].count("slow") == 1


def test_a_contender_that_cannot_run_is_left_out_with_its_reason():
    calls = []

    def fails_in_the_second_round():
        calls.append(1)
        if len(calls) == 3:
            raise rounds.Unavailable("the graphics context was lost")
        return 1.0

    dropped = {}
    measured = rounds.interleave({"good": lambda: 2.0, "bad": fails_in_the_second_round}, 3, dropped=dropped)
    assert measured == {"good": [2.0] * 3}
    assert dropped == {"bad": "the graphics context was lost"}


def test_the_best_backend_of_nanogpt_counts():
    assert report.ratios(MEASURED)["nanogpt_over_tab"] == {"median": 40.0, "min": 30.0, "max": 40.0}
    only_cpu = report.ratios(without(MEASURED, "nanogpt_webgl"))
    assert only_cpu["nanogpt_over_tab"] == {"median": 100.0, "min": 100.0, "max": 100.0}


def test_the_report_has_the_promised_shape():
    made = json.loads(json.dumps(report.report(MACHINE, MEASURED, MORE)))
    assert set(made) == {"machine", "results", "ratios"}
    assert set(made["ratios"]) == PROMISED
    for name, ratio in made["ratios"].items():
        assert set(ratio) == {"median", "min", "max"}, name
        assert ratio["min"] <= ratio["median"] <= ratio["max"]
    results = made["results"]
    assert results["compressed_bytes"] == 6_000_000
    assert results["worker_memory_mb"]["end"] == 61.0
    assert set(results["seconds_per_step"]) == set(report.CONTENDERS)
    assert results["seconds_per_step"]["torch"] == {"median": 4.0, "min": 2.0, "max": 40.0}


def test_a_missing_peer_is_in_the_report_and_in_the_table():
    reasons = dict.fromkeys(bench.PEERS, "npm ci failed: no network")
    made = report.report(MACHINE, without(MEASURED, *bench.PEERS), {**MORE, "unavailable": reasons})
    assert made["ratios"]["nanogpt_over_tab"] is None and made["ratios"]["jax_js_over_tab"] is None
    assert made["results"]["unavailable"] == reasons
    lines = report.table(made).splitlines()
    for name in bench.PEERS:
        [line] = [line for line in lines if line.startswith(report.CONTENDERS[name])]
        assert line.endswith("not measured: npm ci failed: no network")


def test_the_table_names_every_contender_and_ratio():
    shown = report.table(report.report(MACHINE, MEASURED, MORE))
    for label in [*report.CONTENDERS.values(), *(label for label, *_ in report.RATIOS.values())]:
        assert label in shown


def test_equal_losses_pass():
    subject.check_same_losses({"one": [4.28026, 4.1, 4.0], "other": [4.28030, 4.1004], "third": [4.28026]})


@pytest.mark.parametrize(
    ("found", "where"),
    [
        ([4.2806, 4.1], "at the same weights"),
        ([4.28, 4.102], "after 1 updates"),
        ([float("nan"), 4.1], "at the same weights"),
    ],
)
def test_unequal_losses_stop_the_bench(found, where):
    with pytest.raises(subject.UnequalLosses, match=f"{where} the loss of other"):
        subject.check_same_losses({"one": [4.28, 4.1], "other": found})


def test_an_experiment_that_ends_elsewhere_stops_the_bench():
    subject.check_same_experiment({"none-1": 2.36, "learned-1": 2.08}, {"learned-1": 2.09, "none-1": 2.36})
    with pytest.raises(subject.UnequalLosses, match=r"learned-1 ended at 2.080 and at 2.300"):
        subject.check_same_experiment({"learned-1": 2.08}, {"learned-1": 2.30})
    with pytest.raises(subject.UnequalLosses, match="other runs"):
        subject.check_same_experiment({"learned-1": 2.08}, {"none-1": 2.08})


def test_the_bench_ends_in_one_line_when_models_differ(monkeypatch, capsys):
    def unequal(effort):
        raise subject.UnequalLosses("they do not train the same model")

    monkeypatch.setattr(bench, "bench", unequal)
    assert bench.main(["--quick"]) == 1
    assert capsys.readouterr().err == "bench: they do not train the same model\n"


def test_pytorch_trains_the_same_model_with_every_kind_of_table(alice):
    from embedding_lab.training import Run
    from tests.bench import torch_eager

    for encoding in ("none", "learned", "sinusoidal"):
        config = subject.step_config(encoding=encoding, layers=2, d=16, heads=2, context=8, batch=4)
        run = Run(config, alice)
        for _ in range(subject.UPDATES + 1):
            run.advance(0)
        subject.check_same_losses({"PyTorch": torch_eager.first_losses(config, alice), "the lab": run.train_loss})
