"""The pictures: curves and baselines that can be read and switched, and a table that moves without flipping."""

import json
import re
import subprocess
from itertools import pairwise

import numpy as np
import pytest
from playwright.sync_api import expect

import build
from embedding_lab.corpus import Corpus, character_class
from embedding_lab.positions import ENCODINGS

LABELS = {"none": "None", "learned": "Learned", "sinusoidal": "Sinusoidal"}
DRAWN = {" ": "␣", "\n": "⏎", "\x1a": "U+001A"}  # the book ends with an old end-of-file mark

# How many pixels of the canvas have a colour that a CSS value stands for, at full strength.
COUNT_PIXELS = """
(color) => {
  const chart = document.querySelector("loss-chart");
  const probe = chart.appendChild(document.createElement("span"));
  probe.style.color = color;
  const [r, g, b] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
  probe.remove();
  const { width, height } = chart.querySelector("canvas");
  const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(chart.querySelector("canvas"), 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) <= 6 && data[i + 3] > 250) count += 1;
  }
  return count;
}
"""


def strong_pixels(lab, encoding):
    """Pixels of the loss chart in the strong colour of an encoding, once it is drawn."""
    lab.page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    return lab.page.evaluate(COUNT_PIXELS, f"var(--encoding-{list(ENCODINGS).index(encoding) + 1})")


def test_every_curve_is_drawn_in_the_colour_of_its_encoding(default_experiment):
    drawn = {name: strong_pixels(default_experiment, name) for name in ENCODINGS}
    assert all(drawn[name] > 200 for name in LABELS), drawn
    assert all(count == 0 for name, count in drawn.items() if name not in LABELS), drawn


def test_the_baselines_are_labelled_with_the_values_that_counting_gives(default_experiment):
    command = [build.venv_python(), "-m", "embedding_lab", "describe", "--corpora", build.CORPORA]
    described = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    [alice] = [corpus for corpus in described["corpora"] if corpus["name"] == "alice29"]
    assert default_experiment.result["baselines"] == pytest.approx(alice["baselines"], abs=1e-9)
    labels = default_experiment.page.locator("loss-chart .lc-baseline")
    expect(labels).to_have_count(len(alice["baselines"]))
    shown = {name: float(value) for name, value in (label.split() for label in labels.all_inner_texts())}
    assert shown == {name: round(value, 2) for name, value in alice["baselines"].items()}
    words = default_experiment.loss_picture.get_attribute("aria-label")
    for name, value in alice["baselines"].items():
        assert f"{name} {value:.2f}" in words


def test_baselines_stand_in_the_chart_before_any_run(lab, site):
    site.hold("pyodide.asm.wasm")
    lab.open(site, ready=False)
    labels = lab.page.locator("loss-chart .lc-baseline")
    expect(labels).to_have_count(3)
    expect(labels.filter(has_text="bigram")).to_contain_text("2.45")
    lab.open_controls()
    lab.control("Text").select_option("plrabn12")
    expect(labels.filter(has_text="bigram")).to_contain_text("2.38")


def test_hovering_the_curves_reads_every_value_at_that_step(default_experiment):
    lab = default_experiment
    picture = lab.loss_picture
    canvas = picture.locator(".u-over").bounding_box()
    lab.page.mouse.move(canvas["x"] + canvas["width"] * 0.5, canvas["y"] + canvas["height"] / 2)
    key = lab.page.locator("loss-chart")
    shown = key.get_by_text(re.compile(r"^Step \d+$"))
    expect(shown).to_be_visible()
    step = int(shown.inner_text().removeprefix("Step "))
    assert abs(step - 250) <= 2
    for curve in lab.curves().values():
        row = key.get_by_role("listitem").filter(has=lab.page.get_by_role("button", name=curve["label"], exact=True))
        measured = max(at for at in curve["validation"]["steps"] if at <= step)
        expect(row).to_contain_text(f"{curve['train']['loss'][step - 1]:.3f}")
        expect(row).to_contain_text(f"{curve['validation']['loss'][measured // 25]:.3f}")
    lab.page.mouse.move(5, 5)
    expect(key.get_by_text("Latest values")).to_be_visible()


def test_the_keyboard_reads_the_curves_too(default_experiment):
    lab = default_experiment
    lab.loss_picture.focus()
    lab.page.keyboard.press("End")
    expect(lab.page.locator("loss-chart").get_by_text("Step 500", exact=True)).to_be_visible()
    lab.page.keyboard.press("Home")
    expect(lab.page.locator("loss-chart").get_by_text("Step 0", exact=True)).to_be_visible()
    lab.page.keyboard.press("Escape")


def test_the_legend_switches_a_run_off_and_on(default_experiment):
    lab = default_experiment
    button = lab.page.locator("loss-chart").get_by_role("button", name="Learned", exact=True)
    box = lab.page.get_by_role("checkbox", name="Show the curve of Learned, seed 1")
    before = strong_pixels(lab, "learned")
    others = strong_pixels(lab, "sinusoidal")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(box).not_to_be_checked()
    assert before > 200
    assert strong_pixels(lab, "learned") == 0
    assert strong_pixels(lab, "sinusoidal") >= others * 0.9
    box.check()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert strong_pixels(lab, "learned") == pytest.approx(before, rel=0.05)


def test_the_marks_of_the_table_are_its_characters_coloured_by_class(default_experiment):
    marks = default_experiment.page.evaluate(
        """() => [...document.querySelectorAll("geometry-chart:not(.gc-compact) .gc-marks text")].map((mark) => ({
          text: mark.textContent, fill: getComputedStyle(mark).fill, size: mark.getBBox().width,
          hidden: mark.getAttribute("visibility") === "hidden",
        }))"""
    )
    vocabulary = _alice().vocabulary
    assert [mark["text"] for mark in marks] == [DRAWN.get(character, character) for character in vocabulary]
    assert all(mark["size"] > 0 and not mark["hidden"] for mark in marks)
    fills = {}
    for mark, character in zip(marks, vocabulary, strict=True):
        fills.setdefault(character_class(character), set()).add(mark["fill"])
    assert all(len(colours) == 1 for colours in fills.values()), fills
    assert len({colour for [colour] in fills.values()}) == len(fills) >= 5, fills
    legend = default_experiment.page.locator("geometry-chart:not(.gc-compact)").get_by_role("listitem")
    assert {item.split()[0] for item in legend.all_inner_texts()} == set(fills)


def test_the_table_moves_with_training_and_does_not_flip(default_experiment):
    pictures = default_experiment.page.evaluate("pictures")
    frames = {}
    for picture in pictures:  # the last drawing of each step
        frames[picture["step"]] = np.array([_place(mark["transform"]) for mark in picture["texts"]])
    steps = sorted(frames)
    assert len(steps) >= 5, "there was something to see on the way"
    assert steps[-1] == 500
    for before, after in pairwise(steps):
        old, new = _normalised(frames[before]), _normalised(frames[after])
        moved = np.abs(new - old).sum()
        assert moved > 0, f"nothing moved from step {before} to {after}"
        mirrored = [np.abs(new * signs - old).sum() for signs in ((-1, 1), (1, -1), (-1, -1))]
        mirrored += [np.abs(new[:, ::-1] * signs - old).sum() for signs in ((1, 1), (-1, -1), (1, -1), (-1, 1))]
        assert moved < min(mirrored), f"flipped from step {before} to {after}"
    first, last = _normalised(frames[steps[0]]), _normalised(frames[steps[-1]])
    assert np.abs(last - first).mean() > 0.1, "training has moved the table"


def test_hovering_a_mark_names_its_character_and_class(default_experiment):
    page = default_experiment.page
    chart = page.locator("geometry-chart:not(.gc-compact)")
    chart.scroll_into_view_if_needed()
    # The characters that stand furthest from all others, so that no neighbour is meant.
    marks = chart.evaluate(
        """(chart) => {
          const all = [...chart.querySelectorAll(".gc-marks text")].map((mark) => {
            const { e, f } = mark.getScreenCTM();
            return { text: mark.textContent, x: e, y: f };
          });
          const alone = (mark) => Math.min(...all.filter((other) => other !== mark).map(({ x, y }) => Math.hypot(x - mark.x, y - mark.y)));
          return all.sort((a, b) => alone(b) - alone(a)).slice(0, 3);
        }"""
    )
    for mark in marks:
        page.mouse.move(mark["x"], mark["y"])
        character = {drawn: blank for blank, drawn in DRAWN.items()}.get(mark["text"], mark["text"])
        name = {" ": "space", "\n": "line break"}.get(character, mark["text"])
        reading = chart.locator(".gc-reading")
        expect(reading).to_contain_text(name)
        expect(reading).to_contain_text(character_class(character))
    page.mouse.move(5, 5)
    expect(chart.locator(".gc-reading")).to_have_text("")


def test_each_run_has_its_small_table_and_a_press_shows_it_large(default_experiment):
    page = default_experiment.page
    large = page.locator("geometry-chart:not(.gc-compact)")
    points = {}
    for label in LABELS.values():
        page.get_by_role("button", name=f"Show the table of {label} large").click()
        expect(large.get_by_text(f"{label}, step 500")).to_be_visible()
        points[label] = tuple(large.evaluate("(chart) => [...chart.points]"))
        expect(page.get_by_role("radio", name=f"Show the table of {label}, seed 1")).to_be_checked()
    assert len(set(points.values())) == 3
    page.get_by_role("button", name="Show the table of Learned large").click()


def _alice():
    return Corpus.from_text((build.CORPORA / "alice29.txt").read_text("utf-8"))


def _place(transform):
    return [float(number) for number in re.fullmatch(r"translate\((\S+),(\S+)\)", transform).groups()]


def _normalised(points):
    """Without where the window lies and how far it reaches."""
    centred = points - points.mean(axis=0)
    return centred / np.abs(centred).mean()
