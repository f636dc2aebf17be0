"""What a reader takes from the page is what the page holds: a link, the numbers, commands, figures, and a run as a file."""

import csv
import io
import json
import re
import zipfile
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from lab_page import SMALL, LabPage, run_line, trained_lab

# Counts how often the content of a file is read.
READS = """() => {
  window.reads = 0;
  for (const name of ["arrayBuffer", "bytes", "stream", "text"]) {
    const read = Blob.prototype[name];
    if (read) Blob.prototype[name] = function (...args) { window.reads += 1; return read.apply(this, args); };
  }
}"""
# Keeps what is copied, as a browser that allows it would.
CLIPBOARD = (
    """Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });"""
)
# Pastes a text and half a character, which no message to the browser can hold.
PASTE = (
    """(field, text) => { field.value = `${text}\\uD83D`; field.dispatchEvent(new InputEvent("input", { bubbles: true })); }"""
)
REFUSED = """Object.defineProperty(navigator, "clipboard", {
  value: { writeText: async () => { throw new DOMException("refused", "NotAllowedError"); } },
});"""


@pytest.fixture
def lab(lab_with):
    """On one core, which is enough for small runs: a second Python would take as long to come as they take."""
    return lab_with(1)


def _field(lab, label):
    return lab.share.get_by_role("textbox", name=label)


def test_before_a_run_only_what_can_be_done_is_offered_and_after_it_the_link_is_to_what_ran(lab, site):
    lab.open(site, **SMALL)
    titles = lab.share.get_by_role("heading", level=3)
    expect(titles).to_have_text(["Share the experiment", "Open a run", "Kept in this browser"])
    lab.run_to_end()
    expect(titles).to_have_text(["Share the experiment", "All runs", "One run", "Open a run", "Kept in this browser"])
    link = _field(lab, "Link to the experiment on this page").input_value()
    lab.set("Steps", 123)
    assert _field(lab, "Link to the experiment on this page").input_value() == link
    assert "steps=40" in link
    lab.button("Reset").click()
    expect(titles).to_have_count(3)


@pytest.fixture(scope="module")
def trained(browser, root_server):
    """An experiment that has run to its end; `.result` is what it told. Only the last of the tests puts another in its place."""
    yield from trained_lab(browser, root_server, cores=1, **SMALL, encodings="none,learned,rope", seeds="1,2", lr=0.004)


def test_the_link_opens_on_the_same_experiment(lab, site):
    lab.page.add_init_script(CLIPBOARD)
    lab.open(site, **SMALL, encodings="rope,alibi", seeds="3,5", tied=0)
    lab.share.get_by_role("button", name=re.compile("^Copy: Link to what the controls hold")).click()
    expect(lab.share).to_contain_text("Copied.")
    link = lab.page.evaluate("window.copied")
    assert link.startswith(site.url + "?")
    other = LabPage(lab.page.context.new_page())
    other.page.goto(link)
    expect(other.chip("RoPE")).to_be_visible()
    other.open_controls()
    for label, value in {"Width d": "16", "Context T": "16", "Batch B": "8", "Steps": "40", "Seeds": "3, 5"}.items():
        expect(other.control(label)).to_have_value(value)
    expect(other.control("Tied output")).not_to_be_checked()
    checked = other.page.locator(".chip input:checked")
    expect(checked).to_have_count(2)
    assert _field(other, "Link to what the controls hold").input_value() == link
    other.page.close()


def test_where_the_clipboard_is_refused_the_text_is_selected(lab, site):
    lab.page.add_init_script(REFUSED)
    lab.open(site, **SMALL)
    lab.share.get_by_role("button", name=re.compile("^Copy: Link")).click()
    expect(lab.share).to_contain_text("the text is selected, press Ctrl+C")
    field = _field(lab, "Link to what the controls hold")
    expect(field).to_be_focused()
    selected = field.evaluate("(field) => field.value.slice(field.selectionStart, field.selectionEnd)")
    assert selected == field.input_value()


def test_csv_and_json_hold_what_the_charts_were_given(trained, tmp_path):
    lab = trained
    curves = lab.curves()
    path = lab.download(lab.button("Curves (CSV)"), tmp_path)
    assert path.name == "curves-none-learned-rope-d16-40steps-2seeds.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))
    for id, curve in curves.items():
        encoding, seed = id.rsplit("-", 1)
        own = [row for row in rows if (row["encoding"], row["seed"]) == (encoding, seed)]
        for part in ("training", "validation"):
            points = [(int(row["step"]), float(row["nats"])) for row in own if row["part"] == part]
            told = curve["train" if part == "training" else part]
            assert points == list(zip(told["steps"], told["loss"], strict=True))
    assert len(rows) == sum(len(c["train"]["loss"]) + len(c["validation"]["loss"]) for c in curves.values())
    results = list(
        csv.DictReader(io.StringIO(lab.download(lab.button("Results (CSV)"), tmp_path).read_text("utf-8"), newline=""))
    )
    told = {(run["encoding"], str(run["seed"])): run for run in lab.result["runs"]}
    assert len(results) == len(told) == 6
    for row in results:
        run = told[row["encoding"], row["seed"]]
        assert (row["d"], row["lr"], row["state"], row["step"]) == ("16", "0.004", "finished", "40")
        assert float(row["validation_nats"]) == run["validationLoss"]
        assert int(row["parameters"]) == run["parameters"]
    whole = json.loads(lab.download(lab.button("Everything (JSON)"), tmp_path).read_text("utf-8"))
    assert whole["config"] == {**lab.result["config"], "encodings": ["none", "learned", "rope"], "seeds": [1, 2]}
    assert [{key: gap[key] for key in ("a", "b", "nats", "low", "high", "seeds", "verdict")} for gap in whole["gaps"]] == [
        {key: gap[key] for key in ("a", "b", "nats", "low", "high", "seeds", "verdict")} for gap in lab.result["gaps"]
    ]
    assert whole["baselines"] == lab.result["baselines"]
    for run in whole["runs"]:
        curve = curves[f"{run['encoding']}-{run['seed']}"]
        assert run["curves"] == {"training": curve["train"], "validation": curve["validation"]}
    assert whole["link"] == _field(lab, "Link to the experiment on this page").input_value()


def test_the_run_that_is_named_is_the_one_that_is_downloaded(trained, tmp_path):
    lab = trained
    choice = lab.share.get_by_label("Run", exact=True)
    choice.select_option("learned-1")
    for encoding in ["None", "RoPE", "Learned"]:
        lab.runs.get_by_role("radio", name=f"Show the table of {encoding}, seed 1").check()
        expect(choice).to_have_value(f"{encoding.lower()}-1")
    choice.select_option("rope-2")
    choice.press("Home")
    expect(choice).to_have_value("none-1")
    assert lab.download(lab.button("Download this run"), tmp_path).name.startswith("none-seed1-")


def test_the_keyboard_stays_at_what_is_done(trained, tmp_path):
    lab = trained
    for name in ["Download this run", "Everything (JSON)"]:
        lab.button(name).focus()
        with lab.page.expect_download(timeout=60_000) as told:
            lab.page.keyboard.press("Enter")
        path = tmp_path / told.value.suggested_filename
        told.value.save_as(path)
        expect(lab.button(name)).to_be_enabled()
        expect(lab.button(name)).to_be_focused()
    file = lab.page.get_by_label("A .zip that")
    file.focus()
    file.set_input_files(path)  # it is no run, and is told to be none
    expect(lab.share.locator("lab-run-file").get_by_role("alert")).not_to_be_empty(timeout=60_000)
    expect(file).to_be_focused()


def test_the_python_lines_reproduce_the_runs(trained, tmp_path):
    lab = trained
    lab.share.get_by_label("Run", exact=True).select_option("rope-2")
    line = "python -m embedding_lab train --encoding rope --seed 2 --d 16 --context 16 --batch 8 --steps 40 --lr 0.004"
    expect(_field(lab, "Copy as Python: trains the same run")).to_have_value(line)
    native = json.loads(run_line(f"{line} --json", tmp_path))
    curve = lab.curves()["rope-2"]
    assert native["losses"]["train"] == pytest.approx(curve["train"]["loss"], abs=1e-3)
    assert [step for step, _ in native["losses"]["validation"]] == curve["validation"]["steps"]
    assert [loss for _, loss in native["losses"]["validation"]] == pytest.approx(curve["validation"]["loss"], abs=1e-3)
    run_line(_field(lab, "Copy as Python: trains them all").input_value(), tmp_path)
    rows = json.loads((tmp_path / "results.json").read_text())
    found = {(row["encoding"], row["seed"]): row for row in rows["rows"]}
    for run in lab.result["runs"]:
        assert found[run["encoding"], run["seed"]]["validation_loss"] == pytest.approx(run["validationLoss"], abs=1e-3)


def test_with_a_text_of_ones_own_the_line_reads_the_file_that_the_page_gives(lab, site, tmp_path):
    text = "“Oh dear!” — sang the café's cat, and sang again. " * 60 + "\r\n the end"
    lab.open(site, **SMALL, encodings="learned")
    lab.open_controls()
    lab.control("Text").select_option("own")
    lab.control("Your own text").evaluate(PASTE, f"\ufeff{text}")
    expect(lab.control("Your own text")).to_have_value(text.replace("\r\n", "\n") + "\ufffd")
    expect(lab.share).to_contain_text("It holds the settings, but not your text")
    lab.run_to_end()
    link = _field(lab, "Link to the experiment on this page").input_value()
    assert "corpus=own" in link and "dear" not in link
    path = lab.download(lab.button("Download text.txt"), tmp_path)
    assert path.name == "text.txt"
    assert path.read_text("utf-8") == text.replace("\r\n", "\n") + "\ufffd"
    line = _field(lab, "Copy as Python").input_value()
    native = json.loads(run_line(f"{line} --json", tmp_path))
    assert native["losses"]["train"] == pytest.approx(lab.curves()["learned-1"]["train"]["loss"], abs=1e-3)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("lab-curves", "loss-none-learned-rope-d16-40steps-2seeds.svg"),
        ("lab-geometry", "table-learned-d16-40steps-seed1.svg"),
        ("probe-card#lookup", "lookup-learned-d16-40steps-seed1-1.svg"),
    ],
)
def test_a_figure_is_saved_with_its_title_and_what_made_it(trained, root_server, tmp_path, place, name):
    lab = trained
    lab.runs.get_by_role("radio", name="Show the table of Learned, seed 1").check()
    figure = lab.page.locator(place)
    figure.evaluate("(figure) => figure.scrollIntoView({ block: 'center' })")
    if place.startswith("probe-card"):
        expect(figure.locator(".looks-at")).to_contain_text("Looks at Learned, seed 1, trained", timeout=60_000)
    figure.get_by_text("Save the figure").click(timeout=60_000)
    svg = lab.download(figure.get_by_role("button", name=re.compile(r"as SVG$")).first, tmp_path)
    assert svg.name == name
    tree = ElementTree.parse(svg).getroot()
    words = " ".join("".join(node.itertext()) for node in tree.iter())
    for part in ("Width d: 16", "Steps: 40", "Seeds: 1", "Learned", "Alice in Wonderland", "Embedding Lab", root_server.url):
        assert part in words, part
    png = lab.download(figure.get_by_role("button", name=re.compile(r"as PNG$")).first, tmp_path)
    assert png.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_a_stopped_run_goes_through_a_file_and_on(lab, site, tmp_path):
    lab.open(site, **{**SMALL, "steps": 2000, "encodings": "learned"})
    lab.button("Run").click()
    lab.wait_for("name === 'progress' && detail.step > 20")
    lab.button("Pause").click()  # or it might end meanwhile
    expect(lab.button("Download this run")).to_be_disabled()
    expect(lab.page.get_by_label("A .zip that")).to_be_disabled()
    expect(lab.share).to_contain_text("An experiment is running: stop it first")
    lab.button("Stop").click()
    expect(lab.button("Download this run")).to_be_enabled(timeout=30_000)
    path = lab.download(lab.button("Download this run"), tmp_path)
    assert re.fullmatch(r"learned-seed1-\d+\.zip", path.name)
    assert {"model.safetensors", "config.json", "tokenizer.json", "README.md"} <= set(zipfile.ZipFile(path).namelist())
    lab.page.goto(f"{site.url}?encodings=none")
    lab.wait_for("name === 'ready'", 180_000)
    lab.page.get_by_label("A .zip that").set_input_files(path)
    expect(lab.run_row("Learned")).to_contain_text("stopped", timeout=60_000)
    lab.open_controls()
    expect(lab.control("Steps")).to_have_value("2000")
    before = lab.curves()["learned-1"]["train"]
    assert len(before["loss"]) == int(path.stem.rsplit("-", 1)[1])
    since = lab.count_told()
    lab.page.get_by_role("button", name=re.compile("^Continue")).first.click()
    lab.wait_for("name === 'result'", since=since)
    after = lab.curves()["learned-1"]["train"]
    assert after["steps"] == list(range(1, 2001))
    assert after["loss"][: len(before["loss"])] == before["loss"]


def test_a_file_that_is_no_run_is_told_beside_the_control_and_changes_nothing_and_one_that_is_can_be_dropped(trained, tmp_path):
    lab = trained
    lab.page.evaluate(READS)
    lab.share.get_by_label("Run", exact=True).select_option("learned-1")
    real = lab.download(lab.button("Download this run"), tmp_path)
    lab.share.get_by_label("Run", exact=True).select_option("rope-2")
    dropped = lab.download(lab.button("Download this run"), tmp_path)
    shown = (lab.curves(), lab.gaps.inner_text())
    files = {"no zip": b"just words", "cut": real.read_bytes()[:-2000], "empty": b""}
    for what, content in files.items():
        path = tmp_path / f"{what}.zip"
        path.write_bytes(content)
        alert = lab.share.locator("lab-run-file").get_by_role("alert")
        before = alert.inner_text() if alert.count() else ""
        lab.page.get_by_label("A .zip that").set_input_files(path)
        expect(alert).to_have_text(re.compile(r"\S"), timeout=60_000)
        expect(alert).not_to_have_text(before, timeout=60_000)
        assert "Traceback" not in alert.inner_text() and "undefined" not in alert.inner_text()
        assert (lab.curves(), lab.gaps.inner_text()) == shown
    huge = tmp_path / "huge.zip"
    with huge.open("wb") as file:
        file.truncate(200_000_000)
    reads = lab.page.evaluate("reads")
    assert reads == len(files)
    lab.page.get_by_label("A .zip that").set_input_files(huge)
    expect(alert).to_contain_text("huge.zip has 200.0 MB; a saved run has at most")
    assert (lab.curves(), lab.gaps.inner_text()) == shown
    assert lab.page.evaluate("reads") == reads, "it is refused unread"
    lab.page.get_by_label("A .zip that").set_input_files(real)
    expect(lab.page.locator("lab-runs tbody tr[data-run]")).to_have_count(1, timeout=60_000)
    assert list(lab.curves()) == ["learned-1"]
    expect(alert).to_have_count(0)
    expect(lab.page.get_by_label("A .zip that")).to_be_enabled()  # what was opened is compared first
    drop = """
    (place, numbers) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(numbers)], "run.zip"));
      place.dispatchEvent(new DragEvent("dragover", { dataTransfer: transfer, bubbles: true, cancelable: true }));
      place.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
    """
    lab.page.locator(".drop").evaluate(drop, list(dropped.read_bytes()))
    expect(lab.run_row("RoPE")).to_be_visible(timeout=60_000)
    assert list(lab.curves()) == ["rope-2"]
