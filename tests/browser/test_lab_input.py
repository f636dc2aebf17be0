"""Settings: each has a label, a help and a range; what cannot be used is said at its control, and nothing is lost."""

import re

import pytest
from playwright.sync_api import expect

import build
from embedding_lab.config import settings_table, validate
from embedding_lab.corpus import Corpus, CorpusError
from embedding_lab.positions import ENCODINGS
from lab_page import SMALL

SETTINGS = [row for row in settings_table() if row["name"] not in ("encoding", "seed")]
LABELS = {row["name"]: row["label"] for row in SETTINGS}


@pytest.fixture
def lab(lab_with):
    """On one core, which is enough for small runs: a second Python would take as long to come as they take."""
    return lab_with(1)


@pytest.fixture
def opened(lab, site):
    """The lab with a small experiment and its controls open, while Python still loads: settings need none."""
    site.hold("pyodide.asm.wasm")
    lab.open(site, ready=False, **SMALL)
    lab.open_controls()
    return lab


def test_every_setting_has_a_control_with_label_help_and_range(opened):
    for row in SETTINGS:
        control = opened.control(row["label"])
        expect(control).to_be_visible()
        about = opened.description(control)
        assert row["help"] in about
        if "low" in row:
            assert f"{row['low']:,} to {row['high']:,}." in about
        for choice in row.get("choices", []):
            expect(control.get_by_role("option", name=choice["label"], exact=True)).to_be_attached()
    expect(opened.control("Seeds")).to_be_visible()
    chips = opened.page.get_by_role("group", name="Positional encodings to compare")
    expect(chips.get_by_role("checkbox")).to_have_count(len(ENCODINGS))
    for encoding in ENCODINGS.values():
        expect(chips.get_by_role("checkbox", name=encoding.label, exact=True)).to_be_visible()


CANNOT_BE_USED = [
    ("d", "200", {}),
    ("d", "abc", {}),
    ("d", "16.5", {}),
    ("steps", "0", {}),
    ("batch", "", {}),
    ("lr", "fast", {}),
    ("lr", "2", {}),
    ("position_scale", "-0.1", {}),
    ("heads", "5", {}),
    ("heads", "9", {}),
    ("heads", "4", {"d": "18"}),
    ("heads", "4", {"d": "12", "encoding": "rope"}),
]


def test_a_setting_that_cannot_be_used_says_so_at_its_control(opened):
    for name, text, others in CANNOT_BE_USED:
        changed = {opened.control(LABELS[each]): others.get(each, text) for each in (*others, name) if each != "encoding"}
        before = {control: control.input_value() for control in changed}
        _, errors = validate({"d": "16", "context": "16", "batch": "8", "steps": "40", **others, name: text})
        assert [error["field"] for error in errors] == [name]
        if "encoding" in others:
            opened.chip("RoPE").click()
        for control, value in changed.items():
            control.fill(value)
        message = " ".join(errors[0]["message"].split())  # as a page shows it
        expect(opened.page.get_by_text(message, exact=True)).to_be_visible()
        opened.page.get_by_text("Change the experiment", exact=True).click()  # closed: Run opens it again
        opened.button("Run").click()
        opened.expect_refused(opened.control(LABELS[name]), message)
        expect(opened.control(LABELS[name])).to_have_value(text)
        expect(opened.runs).to_have_count(0)
        assert opened.curves() == {}
        for control, value in before.items():
            control.fill(value)
        expect(opened.page.get_by_text(message, exact=True)).to_have_count(0)


@pytest.mark.parametrize(("text", "message"), [("x", "seed = x is not a whole number"), ("", "No seed is chosen")])
def test_seeds_that_cannot_be_used_are_told_at_the_seeds(opened, text, message):
    opened.set("Seeds", text)
    opened.button("Run").click()
    expect(opened.control("Seeds")).to_be_focused()
    assert message in opened.description(opened.control("Seeds"))
    expect(opened.runs).to_have_count(0)


def test_no_encoding_at_all_is_told_at_the_encodings(opened):
    chips = opened.page.get_by_role("group", name="Positional encodings to compare")
    for label in ("None", "Learned", "Sinusoidal"):
        opened.chip(label).click()
    opened.button("Run").click()
    expect(chips.get_by_text("choose at least one")).to_be_visible()
    expect(chips.get_by_role("checkbox").first).to_be_focused()
    expect(opened.runs).to_have_count(0)


def test_an_error_goes_when_the_setting_is_mended(opened):
    opened.set("Heads", "5")
    expect(opened.control("Heads")).to_have_attribute("aria-invalid", "true")
    opened.set("Heads", "4")
    expect(opened.control("Heads")).not_to_have_attribute("aria-invalid", "true")
    expect(opened.page.get_by_text("heads = 5")).to_have_count(0)


def test_what_the_address_asks_for_in_vain_is_reported_by_name_and_the_default_used(lab, site):
    site.hold("pyodide.asm.wasm")
    lab.open(site, ready=False, d=200, steps="many", encodings="none,rotary", tied="maybe", colour="red", layers=2)
    note = lab.page.get_by_role("note", name="Address of this page")
    wrong = {"d": "200", "steps": "many", "encoding": "rotary", "tied": "maybe"}
    for error in validate(wrong)[1]:
        expect(note).to_contain_text(error["message"])
    expect(note).to_contain_text("colour is unknown")
    assert note.get_by_role("listitem").count() == 5
    lab.open_controls()
    expect(lab.control("Width d")).to_have_value("48")
    expect(lab.control("Steps")).to_have_value("500")
    expect(lab.control("Layers")).to_have_value("2")
    expect(lab.control("Tied output")).to_be_checked()
    chips = lab.page.get_by_role("group", name="Positional encodings to compare")
    assert chips.get_by_role("checkbox", checked=True).count() == 3


def test_a_link_to_the_experiment_opens_on_it(opened, site):
    opened.set("Heads", "2")
    opened.set("Seeds", "1, 2")
    opened.chip("RoPE").click()
    opened.page.get_by_role("link", name="Link to this experiment").click()
    opened.open_controls()
    values = {"Width d": "16", "Heads": "2", "Seeds": "1, 2", "Steps": "40", "Batch B": "8"}
    for label, value in values.items():
        expect(opened.control(label)).to_have_value(value)
    expect(opened.page.get_by_role("checkbox", name="RoPE")).to_be_checked()
    opened.page.get_by_role("button", name="Restore the defaults").click()
    expect(opened.control("Width d")).to_have_value("48")


def test_what_is_on_the_page_survives_settings_and_texts_that_cannot_be_used(lab, site):
    lab.open(site, **SMALL)
    lab.run_to_end()
    curves, gaps, runs = lab.curves(), lab.gaps.inner_text(), lab.runs.inner_text()

    def expect_nothing_lost():
        assert lab.curves() == curves
        assert lab.gaps.inner_text() == gaps
        assert lab.runs.inner_text() == runs

    lab.set("Width d", "7")
    lab.button("Run").click()
    lab.expect_refused(lab.control("Width d"), validate({"d": "7"})[1][0]["message"])
    expect_nothing_lost()
    lab.set("Width d", "16")

    lab.control(LABELS["corpus"]).select_option(label="Your own text")
    own = lab.page.get_by_role("textbox", name="Your own text")
    for text in (
        "",
        "a",
        "aaaa" * 1000,
        "abcd" * 40,
    ):  # the last: its tenth holds the context of 16 but not the character after it
        own.fill(text)
        since = lab.count_told()
        lab.button("Run").click()
        lab.wait_for("name === 'error'", since=since)
        [*_, error] = lab.told("error", since)
        assert error == {"code": "corpus", "message": refusal(text, context=16)}
        lab.expect_refused(own, error["message"])
        expect_nothing_lost()

    own.fill("abcd" * 43)
    expect(own).not_to_have_attribute("aria-invalid", "true")
    result = lab.run_to_end()
    assert result["config"]["corpus"] == "own"
    assert [run["validation"]["steps"][-1] for run in lab.curves().values()] == [40, 40, 40]


def refusal(text, context):
    """What Python says of a text that cannot be used."""
    with pytest.raises(CorpusError) as refused:
        Corpus.from_text(text).require(context)
    return str(refused.value)


def test_a_learning_rate_that_diverges_stops_the_run_and_keeps_its_curve(lab, site):
    lab.open(site, encodings="none", lr=1, **{**SMALL, "steps": 300})
    lab.button("Run").click()
    row = lab.run_row("None")
    expect(row).to_contain_text(re.compile(r"Diverged at step \d+"), timeout=300_000)
    step = int(re.search(r"Diverged at step (\d+)", row.inner_text())[1])
    assert 50 <= step < 300
    expect(row).to_contain_text("Lower the learning rate")
    [curve] = lab.curves().values()
    assert curve["train"]["steps"] == list(range(1, step + 1))
    limit = lab_baselines()["uniform"] + 1
    assert all(loss > limit for loss in curve["train"]["loss"][-50:])
    expect(lab.button("Run")).to_be_visible()
    assert lab.told("result") == [], "there is none without a run that finished"


def lab_baselines():
    return Corpus.from_text((build.CORPORA / "alice29.txt").read_text("utf-8")).baselines()
