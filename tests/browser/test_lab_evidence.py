"""What a reader's runs prove: more seeds and their intervals, what was measured elsewhere, and the unit of every loss."""

import math
import re

import pytest
from playwright.sync_api import expect

from lab_page import SMALL, TRAINING, settled

TWO = {**SMALL, "encodings": "none,learned"}


@pytest.fixture
def lab(lab_with):
    """On one core, which is enough for small runs: a second Python would take as long to come as they take."""
    return lab_with(1)


def test_more_seeds_join_those_that_are_there(lab, site):
    lab.open(site, **TWO)
    expect(_form(lab)).to_have_count(0)
    first = lab.run_to_end()
    expect(_cells(lab, "Learned")).not_to_contain_text("95 %")
    expect(_form(lab)).to_contain_text("One seed tells nothing of the spread: 2 more give a first interval.")
    since = lab.count_told()
    lab.button("Run 2 more seeds").press("Enter")
    expect(lab.gaps.locator(".note").first).to_be_focused()
    lab.wait_for("name === 'result'", since=since)
    result = lab.told("result", since)[-1]
    assert [(run["seed"], run["encoding"]) for run in result["runs"]] == [
        (seed, name) for seed in (1, 2, 3) for name in ("none", "learned")
    ]
    assert result["runs"][:2] == first["runs"], "what was there stays"
    assert {run["seed"] for run in lab.told("progress", since)} == {2, 3}, "and is not trained again"
    # The mean with its interval, the gap with its, and what would settle it
    [gap] = result["gaps"]
    assert gap["seeds"] == 3
    losses = [run["validationLoss"] for run in result["runs"] if run["encoding"] == "learned"]
    learned = _cells(lab, "Learned")
    expect(learned).to_contain_text(f"{sum(losses) / 3:.3f}")
    expect(learned).to_contain_text("3 seeds, SD")
    expect(learned).to_contain_text(gap["verdict"])
    low, high = sorted((gap["low"], gap["high"]) if gap["b"] == "none" else (-gap["high"], -gap["low"]))
    expect(learned).to_contain_text(f"95 %: {_signed(low)} to {_signed(high)}")
    expect(lab.gaps.get_by_role("img", name=re.compile("^Gaps in loss with their 95 % intervals"))).to_be_visible()
    # The curves are a mean with a band, and the controls hold the seeds
    expect(lab.loss_picture).to_have_attribute(
        "aria-label", re.compile(r"Learned, mean of 3 seeds [\d.]+ \(from [\d.]+ to [\d.]+\)")
    )
    lab.open_controls()
    expect(lab.control("Seeds")).to_have_value("1, 2, 3")


def test_the_runs_of_an_encoding_are_one_row_that_unfolds(lab, site):
    lab.open(site, **TWO, seeds="1,2,3")
    lab.run_to_end()
    rows = lab.runs.locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(lab.run_row("Learned")).to_contain_text("3 finished")
    unfold = lab.runs.get_by_role("button", name="Learned", exact=True)
    unfold.press("Enter")
    expect(unfold).to_have_attribute("aria-expanded", "true")
    expect(rows).to_have_count(5)
    lab.runs.get_by_role("checkbox", name="Show the curve of Learned, seed 2").uncheck()
    group = lab.runs.get_by_role("checkbox", name="Show the curves of Learned")
    expect(group).to_have_js_property("indeterminate", True)
    expect(lab.loss_picture).to_have_attribute("aria-label", re.compile("Learned, mean of 2 seeds"))
    unfold.press("Enter")
    expect(rows).to_have_count(2)


def test_a_stopped_run_goes_on_from_where_it_was(lab_with, site):
    lab = lab_with(2)  # both runs have begun when they are stopped
    lab.open(site, **{**TWO, "steps": 20_000, "batch": 32})
    lab.button("Run").click()
    lab.wait_for("name === 'progress' && detail.encoding === 'learned' && detail.step > 20")
    lab.button("Stop").click()
    settled(lab.page)
    stopped = lab.curves()["learned-1"]["train"]["steps"][-1]
    since = lab.count_told()
    lab.button("Continue Learned, seed 1").press("Enter")
    expect(lab.button("Pause")).to_be_focused()
    lab.wait_for(f"name === 'progress' && detail.encoding === 'learned' && detail.step > {stopped + 20}", since=since)
    assert {run["encoding"] for run in lab.told("progress", since)} == {"learned"}
    steps = lab.curves()["learned-1"]["train"]["steps"]
    assert steps == list(range(1, len(steps) + 1)), "no step is lost or doubled"
    expect(lab.page.get_by_role("button", name=re.compile("^Continue"))).to_have_count(0)
    lab.button("Stop").click()
    expect(lab.button("Continue None, seed 1")).to_be_visible(timeout=TRAINING)


def test_twenty_seeds_are_the_most(lab, site):
    seeds = ",".join(str(seed) for seed in range(1, 20))
    lab.open(site, **{**SMALL, "steps": 1, "encodings": "none", "seeds": seeds})
    lab.run_to_end()
    field = _form(lab).get_by_role("textbox", name="More seeds")
    expect(field).to_have_value("1")
    field.fill("2")
    expect(_form(lab)).to_contain_text("Choose a whole number from 1 to 1.")
    expect(_form(lab).get_by_role("button")).to_be_disabled()
    field.fill("1")
    since = lab.count_told()
    lab.button("Run 1 more seed").click()
    lab.wait_for("name === 'result'", since=since)
    expect(_form(lab)).to_contain_text("20 seeds are the most of one experiment.")
    expect(_form(lab).get_by_role("button")).to_be_disabled()


def test_every_loss_follows_the_unit_that_the_keyboard_chose(lab, site):
    lab.open(site, **TWO, seeds="1,2")
    result = lab.run_to_end()
    [gap] = result["gaps"]
    nats = gap["nats"] if gap["b"] == "none" else -gap["nats"]
    mean = sum(run["validationLoss"] for run in result["runs"] if run["encoding"] == "learned") / 2
    uniform = result["baselines"]["uniform"]
    announcer = lab.page.locator("lab-announcer")
    lab.page.get_by_role("radio", name="nats", exact=True).focus()
    axes = [_axis(lab)]

    lab.page.keyboard.press("ArrowRight")
    expect(lab.page.get_by_role("radio", name="bits", exact=True)).to_be_checked()
    expect(announcer).to_have_text("Losses are written in bits per character.")
    expect(_cells(lab, "Learned")).to_contain_text(f"{mean / math.log(2):.3f}")
    expect(_cells(lab, "Learned")).to_contain_text(_signed(nats / math.log(2)))
    expect(lab.run_row("Learned")).to_contain_text(f"{mean / math.log(2):.3f}")
    expect(lab.number("baseline-uniform").first).to_have_text(f"{uniform / math.log(2):.3f} bits")
    expect(lab.page.get_by_role("img", name=re.compile("^Loss in bits per character"))).to_be_visible()
    expect(lab.page.get_by_role("img", name=re.compile("^Gaps in loss .*, bits: "))).to_be_visible()
    axes.append(_axis(lab))

    lab.page.keyboard.press("ArrowRight")
    expect(announcer).to_have_text("Losses are written as perplexity.")
    expect(_cells(lab, "Learned")).to_contain_text(f"{math.exp(mean):.1f}")
    expect(_cells(lab, "Learned")).to_contain_text(f"× {math.exp(nats):.2f}")
    expect(lab.number("baseline-uniform").first).to_have_text(f"perplexity {math.exp(uniform):.1f}")
    expect(lab.page.get_by_role("img", name=re.compile("^Perplexity per character"))).to_be_visible()
    assert len({*axes, _axis(lab)}) == 3, "the ticks are those of the unit"
    expect(lab.number("best-nats")).to_contain_text("nats per character")  # this sentence has all three side by side


def test_compressors_stand_on_the_scale_of_the_losses(lab, site):
    lab.open(site, **TWO)
    result = lab.run_to_end()
    best = min(run["validationLoss"] for run in result["runs"])
    lab.page.get_by_role("radio", name="bits", exact=True).check()
    card = lab.look_at("compressors")
    expect(card.get_by_role("row", name=re.compile("^zlib"))).to_contain_text("2.878")
    expect(card.get_by_role("row", name=re.compile("bz2"))).to_contain_text("2.322")
    expect(card.locator(".measured")).to_contain_text("is what bz2 needs")
    expect(card.get_by_role("row", name=re.compile("seed 1"))).to_contain_text(f"{best / math.log(2):.3f}")
    expect(card.get_by_role("row", name=re.compile("xz"))).to_contain_text(re.compile(r"2\.58|not there"))
    expect(lab.number("compressor-zlib")).to_have_text("2.878 bits")
    lab.page.get_by_role("radio", name="perplexity", exact=True).check()
    lab.look_at("compressors")  # what cannot be seen is not drawn again
    expect(card.locator(".measured")).to_contain_text("perplexity")
    expect(lab.number("compressor-bz2")).to_have_text("perplexity 5.00")


def test_what_was_measured_elsewhere_is_shown_for_its_own_settings_alone(lab, site):
    lab.open(site, encodings="none,learned")
    measured = lab.page.get_by_role("checkbox", name="Show what was measured elsewhere over 10 seeds")
    expect(measured).to_have_count(0)  # before a run it would give the answer away
    told = re.compile(r"Measured elsewhere: 10 seeds, least to greatest; at step 500: None [\d.]+ .*Learned [\d.]+")
    lab.button("Run").click()
    expect(measured).to_be_checked()
    expect(lab.loss_picture).to_have_attribute("aria-label", told)
    lab.page.locator("lab-curves").get_by_text("How that was measured").click()
    expect(lab.page.locator("lab-curves code")).to_have_text(re.compile(r"^python -m embedding_lab sweep .*--seeds 0-9"))
    measured.uncheck()
    expect(lab.loss_picture).not_to_have_attribute("aria-label", re.compile("elsewhere"))
    lab.button("Reset").click()
    lab.set("Width d", 24)
    lab.button("Run").click()
    expect(lab.run_row("None")).to_be_visible()
    expect(measured).to_have_count(0)


def test_the_table_sets_the_run_beside_what_was_measured_elsewhere(default_experiment):
    lab = default_experiment
    row = lab.gaps.locator('tr[data-encoding="learned"] + tr.elsewhere')
    expect(row).to_contain_text("10 seeds, measured elsewhere")
    [run] = [run for run in lab.result["runs"] if run["encoding"] == "learned"]
    [mean] = re.findall(r"\d\.\d{3}", row.locator('[data-label="Final validation loss"]').inner_text())[:1]
    assert float(mean) == pytest.approx(run["validationLoss"], abs=0.15), "seed 1 is one of the ten"
    expect(row.locator('[data-label="Against None"]')).to_contain_text(re.compile(r"−0\.\d+\s*95 %: −0\.\d+ to −0\.\d+"))
    expect(row).to_contain_text("matters")


def _axis(lab):
    """The loss axis as it is drawn: the left edge of the canvas, once the next frame has been drawn."""
    return lab.page.locator("loss-chart canvas").evaluate(
        """async (canvas) => {
          for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
          const edge = Object.assign(document.createElement("canvas"), { width: 24 * devicePixelRatio, height: canvas.height });
          edge.getContext("2d").drawImage(canvas, 0, 0);
          return edge.toDataURL();
        }"""
    )


def _form(lab):
    return lab.gaps.locator("lab-more-seeds form")


def _cells(lab, encoding):
    header = lab.page.get_by_role("rowheader", name=encoding, exact=True)
    return lab.gaps.get_by_role("row").filter(has=header)


def _signed(gap):
    written = f"{abs(gap):.{3 if abs(gap) < 0.1 else 2}f}"
    return written if float(written) == 0 else f"{'−' if gap < 0 else '+'}{written}"
