"""An encoding that a reader wrote goes with its runs into the browser and into files, and its code waits there for them."""

import json
import re

import pytest
from playwright.sync_api import expect

from lab_page import SMALL, STARTING, TRAINING, LabPage, run_line, settled, trained_lab

NAME = "δ عداد (2)"
MARK = "counts-in-hundredths"
CODE = f'''"""</pre><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"> {MARK}"""
import numpy as np
from embedding_lab.positions import PositionalEncoding, Trainable


near = 1{" " * 3000}; far = 2


class Hundredths(PositionalEncoding):
    def table(self, length, d):
        place = np.arange(length)[:, None] / 100
        return Trainable(np.ones(d), value=lambda a: place * a, gradient=lambda a, dvalue: (place * dvalue).sum(axis=0))
'''

# Counts the messages to Pythons with the code in them, or the leave to run what is in a file: what has not got either cannot run.
HANDED = f"""
window.handed = 0;
for (const {{ prototype }} of [Worker, MessagePort]) {{
  const post = prototype.postMessage;
  prototype.postMessage = function (message, ...rest) {{
    const text = JSON.stringify(message, (name, value) => (ArrayBuffer.isView(value) ? null : value)) ?? "";
    if (text.includes("{MARK}") || (text.includes('"read_checkpoint"') && text.includes("true"))) window.handed += 1;
    return post.call(this, message, ...rest);
  }};
}}
"""


def _handed(lab):
    """How often code was handed to Python since the page was loaded; nothing that the code says of itself has run."""
    assert lab.page.evaluate("window.hacked") is None
    return lab.page.evaluate("window.handed")


def _losses(lab):
    return lab.curves()[f"own:{NAME}-1"]["train"]["loss"]


def _train(lab):
    """As the editor's own button does."""
    since = lab.count_told()
    lab.page.evaluate("([name, code]) => document.querySelector('lab-app').lab.trainOwn(name, code)", [NAME, CODE])
    lab.wait_for("name === 'result'", since=since)
    settled(lab.page)
    assert [run["encoding"] for run in lab.told("result", since)[-1]["runs"]] == ["none", f"own:{NAME}"]


@pytest.fixture
def lab(lab_with):
    """On one core, which is enough for small runs: a second Python would take as long to come as they take."""
    return lab_with(1)


@pytest.fixture(scope="module")
def trained(browser, root_server):
    """An experiment with an encoding of the reader's own; one of the tests reloads its page, after the one that does not."""
    for lab in trained_lab(browser, root_server, watch=HANDED, cores=1, **SMALL, encodings="none"):
        assert _handed(lab) == 0
        _train(lab)
        assert _handed(lab) > 0, "the count sees code that runs"
        yield lab


def test_what_is_taken_from_the_page_has_the_code_where_it_is_needed_and_nowhere_else(trained, tmp_path):
    lab = trained
    # The commands, with the file that they read
    lab.share.get_by_label("Run", exact=True).select_option(f"own:{NAME}-1")
    assert lab.download(lab.button("Download encoding-2.py"), tmp_path).read_text("utf-8") == CODE
    line = lab.share.get_by_role("textbox", name="Copy as Python: trains the same run").input_value()
    assert line.startswith("python -m embedding_lab train --encoding encoding-2.py --seed 1 ")
    native = json.loads(run_line(f"{line} --json", tmp_path))
    assert native["losses"]["train"] == pytest.approx(_losses(lab), abs=1e-3)
    expect(lab.share).to_contain_text("It reads encoding-2.py, which “One run” gives.")
    run_line(lab.share.get_by_role("textbox", name="Copy as Python: trains them all").input_value(), tmp_path)
    rows = json.loads((tmp_path / "results.json").read_text())["rows"]
    told = {run["encoding"]: run["validationLoss"] for run in lab.told("result")[-1]["runs"]}
    assert [row["validation_loss"] for row in rows] == pytest.approx(list(told.values()), abs=1e-3)
    # The numbers
    rows = lab.download(lab.button("Results (CSV)"), tmp_path).read_text("utf-8").splitlines()
    assert rows[2].startswith(f"own:{NAME},16,")
    path = lab.download(lab.button("Everything (JSON)"), tmp_path)
    assert path.name == "experiment-none-2-d16-40steps-seed1.json"
    whole = json.loads(path.read_text("utf-8"))
    assert whole["ownEncodings"] == [{"encoding": f"own:{NAME}", "file": "encoding-2.py", "code": CODE}]
    assert [run["command"] for run in whole["runs"]][1] == line
    # The link
    expect(lab.share).to_contain_text(f"It holds the settings, but not your encoding {NAME}: no link carries code.")
    link = lab.share.get_by_role("textbox", name="Link to the experiment on this page").input_value()
    assert "own" not in link and MARK not in link and link == whole["link"]
    other = LabPage(lab.page.context.new_page())
    other.page.goto(link)
    expect(other.page.locator(".chip input:checked")).to_have_count(1)
    expect(other.chip("None")).to_be_visible()
    assert other.page.locator(".problem, lab-controls .error").count() == 0
    other.page.close()


def test_what_the_browser_kept_is_shown_and_its_code_waits_for_the_reader(trained):
    lab = trained
    kept = lab.page.locator("lab-kept [data-experiment]")
    expect(kept.get_by_text("2 runs", exact=True)).to_be_visible(timeout=30_000)
    losses = _losses(lab)
    gaps = lab.gaps.inner_text()
    lab.page.reload()
    lab.wait_for("name === 'ready'", STARTING)
    expect(lab.look_at("lookup")).to_contain_text("Looks at None, seed 1, untrained.", timeout=60_000)
    expect(kept).to_contain_text(NAME)
    kept.get_by_role("button", name=re.compile("^Open the experiment")).click()
    expect(kept).to_contain_text("on the page", timeout=60_000)
    # Everything that was measured is there, and nothing runs
    question = lab.page.get_by_role("region", name="An encoding waits for your leave")
    expect(question.locator("pre")).to_have_text(CODE)
    assert question.locator("pre").evaluate("(pre) => pre.scrollWidth <= pre.clientWidth"), "nothing is out of sight beside it"
    assert _losses(lab) == losses
    expect(lab.run_row(NAME)).to_contain_text("40 steps in")
    expect(lab.gaps.locator(f"[data-encoding='own:{NAME}'] .verdict")).not_to_be_empty(timeout=30_000)
    assert lab.gaps.inner_text() == gaps
    lab.runs.get_by_role("radio", name=f"Show the table of {NAME}, seed 1").check()
    card = lab.look_at("lookup")
    expect(card.locator(".looks-at")).to_contain_text("This encoding is code that waits for you to allow it.")
    expect(lab.button("Download this run")).to_be_disabled()
    expect(lab.share).to_contain_text("Python has to run its code for that: allow it first.")
    since = lab.count_told()
    lab.button("Run 2 more seeds").click()
    expect(lab.page.locator("#encodings-error")).to_contain_text("code that you have not allowed to run")
    question.get_by_role("button", name=f"Edit a copy: {NAME}").click()
    workbench = lab.page.locator("lab-encoding-workbench")
    expect(workbench.locator(".state")).to_have_text(
        "This is a copy of the code of a run. It runs when you edit it or press “Check it”."
    )
    expect(workbench.get_by_label("Start from").locator("option:checked")).to_have_text("encoding-my-encoding.py")
    expect(workbench.get_by_role("textbox")).to_contain_text(MARK)
    assert _handed(lab) == 0
    # With the reader's leave it goes on
    allow = question.get_by_role("button", name=f"Allow this code to run: {NAME}")
    allow.press("Enter")
    expect(question).to_have_count(0)
    expect(lab.page.locator("lab-run-bar .primary")).to_be_focused()
    card = lab.look_at("lookup")
    expect(card.locator(".looks-at")).to_have_text(f"Looks at {NAME}, seed 1, trained, at step 40.", timeout=60_000)
    assert _handed(lab) > 0
    lab.button("Run 2 more seeds").click()
    lab.wait_for("name === 'result'", since=since)
    settled(lab.page)
    assert len(lab.told("result", since)[-1]["runs"]) == 6
    assert _losses(lab) == losses


def test_a_file_with_code_is_opened_when_the_reader_has_seen_the_code_and_said_so(lab, site, tmp_path):
    code = CODE.replace("    def table", f"    name = '{NAME}'\n\n    def table")
    (tmp_path / "mine.py").write_text(code, "utf-8")
    options = " ".join(f"--{name} {value}" for name, value in SMALL.items())
    line = f"python -m embedding_lab export --encoding mine.py {options}"
    run_line(f"{line} --at 20 --out half.zip", tmp_path)
    native = json.loads(run_line(f"python -m embedding_lab train --encoding mine.py {options} --json", tmp_path))["losses"][
        "train"
    ]
    lab.page.add_init_script(HANDED)
    lab.open(site, **SMALL, encodings="none")
    lab.run_to_end()
    settled(lab.page)
    shown = (lab.curves(), lab.gaps.inner_text(), lab.page.url)
    file = lab.page.get_by_label("A .zip that")
    question = lab.page.get_by_role("group", name="Run this code?")
    for refuse in (lambda: question.get_by_role("button", name="Cancel").click(), lambda: lab.page.keyboard.press("Escape")):
        file.set_input_files(tmp_path / "half.zip")
        expect(question.get_by_role("heading")).to_be_focused(timeout=60_000)
        expect(question.locator("pre")).to_have_text(code)
        expect(question).to_contain_text(f"an encoding of its own, {NAME}")
        expect(question).to_contain_text("It sees neither this page nor your files")
        refuse()
        expect(question).to_have_count(0)
        expect(file).to_be_focused()
        expect(file).to_be_enabled()
        assert (lab.curves(), lab.gaps.inner_text(), lab.page.url) == shown
        assert lab.page.locator("lab-run-file").get_by_role("alert").count() == 0
    assert _handed(lab) == 0
    file.set_input_files(tmp_path / "half.zip")
    question.get_by_role("button", name="Run this code").click(timeout=60_000)
    expect(lab.run_row(NAME)).to_contain_text("20 of 40 · stopped", timeout=60_000)
    assert _handed(lab) > 0
    assert _losses(lab) == pytest.approx(native[:20], abs=1e-3)
    assert lab.page.locator("lab-consent section").count() == 0, "it is allowed"
    since = lab.count_told()
    lab.button(f"Continue {NAME}, seed 1").click()
    lab.wait_for("name === 'result'", TRAINING, since)
    settled(lab.page)
    assert _losses(lab) == pytest.approx(native, abs=1e-3)
    path = lab.download(lab.button("Download this run"), tmp_path)
    assert path.name == "2-seed1-40.zip"
    again = json.loads(run_line(f"python -m embedding_lab train --from {path.name} --run-code --json", tmp_path))
    assert again["state"] == "finished" and again["config"]["encoding"] == f"own:{NAME}"
    assert again["losses"]["train"] == pytest.approx(_losses(lab), abs=1e-6)
