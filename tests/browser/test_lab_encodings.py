"""Encodings that a reader writes: each starting point is typed, seen and trained, and each fault of the code is survived."""

import re

from playwright.sync_api import expect

from editor_page import EditorPage
from embedding_lab.own_encoding import load, starting_points
from lab_page import SMALL, STARTING, settled
from test_lab_layout import OUT_OF_REACH, OVERFLOW

POINTS = starting_points()
HEADINGS = {"table": "Added to the characters", "rotation": "Turns queries and keys", "bias": "Added to the attention scores"}


def supplies(code, d=SMALL["d"], heads=4, context=SMALL["context"]):
    """The methods of an encoding that do not return None, in CPython."""
    own = load(code)
    asked = {"table": own.table(context, d), "rotation": own.rotation(context, d // heads), "bias": own.bias(context, heads)}
    return [method for method, answer in asked.items() if answer is not None]


def own_runs(lab):
    return {curve["encoding"]: curve for curve in lab.curves().values() if curve["encoding"].startswith("own:")}


def test_each_starting_point_is_typed_and_seen_and_trains_in_a_colour_of_its_own(lab, site):
    lab.open(site, encodings="none", **SMALL)
    editor = EditorPage(lab)
    for point in POINTS:
        editor.write_good(point["code"], point["name"])
        assert editor.pictures.all_inner_texts() == [HEADINGS[method] for method in supplies(point["code"])], point["name"]
        expect(editor.place.locator(":is(heat-map, line-plot) svg, heat-map canvas").first).to_be_visible()
        editor.train()
    lab.wait_for(f"name === 'result' && detail.runs.length === {1 + len(POINTS)}")
    settled(lab.page)
    assert {curve["validation"]["steps"][-1] for curve in own_runs(lab).values()} == {40}
    assert set(own_runs(lab)) == {f"own:{point['name']}" for point in POINTS}
    marks = lab.runs.locator("tbody encoding-mark").evaluate_all(
        "(marks) => marks.map((mark) => `${getComputedStyle(mark).color} ${mark.querySelector('path').getAttribute('d')}`)"
    )
    assert len(set(marks)) == 1 + len(POINTS), marks
    # The longest name there may be, as wide as one can be, and without a space to break it at
    longest = "W" * 40
    editor.write_good(GOOD.replace('"good"', f'"{longest}"'), longest)
    editor.train()
    expect(lab.run_row(longest)).to_contain_text("40 steps in", timeout=STARTING)
    expect(lab.page.locator("lab-kept")).to_contain_text(longest, timeout=30_000)
    for width in (360, 768, 1280):
        lab.page.set_viewport_size({"width": width, "height": 900})
        settled(lab.page)
        assert lab.page.evaluate(OVERFLOW) == []
        assert lab.page.evaluate(OUT_OF_REACH) == []


def test_code_is_written_by_keyboard_and_a_draft_outlasts_a_reload_but_runs_when_the_reader_says_so(lab_with, site, tmp_path):
    lab = lab_with(1)  # the pool's other workers would come while it is asked whether one was started
    lab.open(site, **SMALL)
    editor = EditorPage(lab)
    keyboard = lab.page.keyboard
    editor.box.focus()
    keyboard.press("ControlOrMeta+End")
    keyboard.type("\n    def bi")
    expect(editor.offered.first).to_have_text(re.compile("def bias"))
    expect(editor.place.locator(".cm-completionInfo")).to_contain_text("added to the attention scores")
    lab.page.wait_for_timeout(150)  # CodeMirror lets nobody choose from a list that has just come
    keyboard.press("Enter")
    keyboard.type("return 0 * np.on")
    expect(editor.offered.first).to_have_text("ones(shape)")
    keyboard.press("Escape")
    keyboard.type("es((heads, length, length))")
    keyboard.press("Escape")
    lab.page.wait_for_timeout(2500)  # there is no hurry
    keyboard.press("Tab")
    expect(editor.box).not_to_be_focused()
    expect(editor.button("Train it")).to_be_focused()
    editor.expect_checked()
    assert editor.pictures.all_inner_texts() == [HEADINGS["table"], HEADINGS["bias"]]
    with lab.page.expect_download() as given:
        editor.button("Download encoding-binary-counter.py").click()
    written = given.value.path().read_text()
    assert (
        written
        == POINTS[0]["code"] + "\n    def bias(self, length, heads):\n        return 0 * np.ones((heads, length, length))"
    )

    lab.open(site, **SMALL)
    started = []
    lab.page.on("worker", lambda worker: started.append(worker.url))
    editor = EditorPage(lab)
    expect(editor.state).to_contain_text("draft from before")
    expect(editor.button("Train it")).to_have_attribute("aria-disabled", "true")
    expect(editor.place.get_by_label("Start from").locator("option:checked")).to_have_text(
        f"{POINTS[0]['title']} (your version)"
    )
    lab.set("Width d", 8)
    lab.set("Width d", 16)
    editor.box.focus()
    lab.page.wait_for_timeout(1000)
    assert not started, "nothing runs by itself"
    editor.button("Check it").click()
    editor.expect_checked()
    assert started
    assert editor.pictures.all_inner_texts() == [HEADINGS["table"], HEADINGS["bias"]]
    editor.button("Back to the original").click()
    expect(editor.pictures).to_have_count(1, timeout=STARTING)
    editor.button("Bring back my version").click()
    expect(editor.pictures).to_have_count(2, timeout=STARTING)
    # A file that is dropped is a draft of its own, which waits as well
    chosen = editor.place.get_by_label("Start from").locator("option:checked")
    lab.drop(editor.box, tmp_path / "found.py", GOOD.encode())
    expect(chosen).to_have_text("found.py")
    expect(editor.state).to_contain_text("code from a file")
    assert editor.box.inner_text().split() == GOOD.split()
    expect(editor.pictures).to_have_count(2)
    editor.button("Delete this draft").click()
    expect(chosen).to_have_text(f"{POINTS[0]['title']} (your version)")
    expect(editor.state).to_contain_text("it works", timeout=STARTING)


GOOD = """
import numpy as np
from embedding_lab.positions import PositionalEncoding

class Good(PositionalEncoding):
    name = "good"

    def table(self, length, d):
        return 0.05 * np.sin(np.arange(length)[:, None] * np.arange(d))
"""


def tabled(body):
    """Code whose `table` does this, in line 6."""
    return f"import numpy as np\nfrom embedding_lab.positions import PositionalEncoding\n\nclass Faulty(PositionalEncoding):\n    def table(self, length, d):\n        {body}\n"


def test_whatever_the_code_does_in_its_check_it_is_told_and_the_page_goes_on(lab, site):
    lab.open(site, encodings="none", **{**SMALL, "steps": 20_000, "batch": 128})  # it lasts longer than all the checks
    lab.button("Run").click()
    lab.wait_for("name === 'progress' && detail.step > 0")
    lab.button("Pause").click()  # until it could be disturbed
    editor = EditorPage(lab)
    editor.write_good(GOOD, "good")
    settled(lab.page)  # charts write their words when they are drawn
    picture = editor.place.locator(".found").inner_text()

    def expect_kept():
        """What worked last is still drawn, and marked as of the code before."""
        expect(editor.state).to_contain_text("of the code before")
        expect(editor.place.locator(".found")).to_have_attribute("data-stale", "")
        assert editor.place.locator(".found").inner_text() == picture

    def expect_marked(line):
        expect(editor.marked).to_have_count(1)
        expect(editor.box).to_have_attribute("aria-invalid", "true")
        editor.button(f"Go to line {line}").click()
        expect(editor.box).to_be_focused()
        expect(editor.place.locator(".cm-error-line")).to_have_text(re.compile(r"\S"))

    editor.write_bad("class Faulty:\n    def table(self, length, d)\n        return None\n")
    expect(editor.failure).to_contain_text("SyntaxError")
    expect_marked(2)
    expect_kept()
    expect(editor.button("Train it")).to_have_attribute("aria-disabled", "true")

    editor.write_bad(tabled("return 'a \u202e'"))
    expect(editor.place.locator(".cm-hidden-sign")).to_have_text("U+202E")

    editor.write_bad(tabled("return np.ones((length, d)) / length[0]"))
    expect(editor.failure.locator("pre").first).to_contain_text("TypeError")
    expect_marked(6)

    for width in (360, 768, 1440):
        lab.page.set_viewport_size({"width": width, "height": 900})
        settled(lab.page)
        assert lab.page.evaluate(OVERFLOW) == []
        assert lab.page.evaluate(OUT_OF_REACH) == []

    editor.write_bad(tabled("import sys; sys.exit(3)"))
    expect(editor.failure).to_contain_text("sys.exit")
    expect_marked(6)

    editor.write_bad(tabled("return np.ones((length, d + 1))"))
    expect(editor.failure).to_contain_text("(16, 17)")
    expect_marked(5)

    editor.write_bad(tabled("return np.full((length, d), np.nan)"))
    expect(editor.failure).to_contain_text("finite")

    editor.write_bad(tabled("self.asked = getattr(self, 'asked', -1) + 1; return np.ones((length, d + self.asked))"))
    expect(editor.failure).to_contain_text("shape")

    lab.button("Resume").click()
    editor.write_bad(tabled("while True: pass"))
    expect(editor.failure).to_contain_text("did not answer within")
    expect_kept()

    editor.write_bad(tabled("held = [np.empty(2**27) for _ in range(1000)]"))
    expect(editor.failure).to_contain_text(re.compile("memory", re.IGNORECASE))

    printing = tabled("[print('x' * 9) for _ in range(100_000)]; return np.ones((length, d))").replace(
        "    def", '    name = "loud"\n    def', 1
    )
    editor.write_good(printing, "loud")
    printed = editor.place.get_by_label("What it printed")
    expect(printed).to_contain_text("characters more")
    assert len(printed.inner_text()) < 11_000

    expect(lab.button("Pause")).to_be_visible()
    step = lab.told("progress")[-1]["step"]
    lab.wait_for(f"name === 'progress' && detail.step > {step}")
    lab.button("Stop").click()


def trained(name, body):
    """Code that works until its bias has learned something, and then does this."""
    return f"""import numpy as np
from embedding_lab.positions import PositionalEncoding, Trainable

class Faulty(PositionalEncoding):
    name = "{name}"

    def bias(self, length, heads):
        position = np.arange(length)
        distance = -np.abs(position[:, None] - position)

        def value(slopes):
            if np.abs(slopes).max() > 0.05:
                {body}
            return slopes[:, None, None] * distance

        def gradient(slopes, dvalue):
            return (dvalue * distance).sum(axis=(1, 2))

        return Trainable(np.zeros(heads), value=value, gradient=gradient)
"""


FAULTS = {
    "raises": ("raise KeyError('in the middle')", "KeyError"),
    "leaves": ("raise SystemExit", "sys.exit"),
    "shifts": ("return np.zeros((heads, length, length + 1))", "shape"),
    "blows up": ("return np.full((heads, length, length), np.nan)", "finite"),
    "eats": ("held = [np.empty(2**27) for _ in range(1000)]", "memory"),
    "hangs": ("while True: pass", "did not answer within"),
}

# A model without position would have one in this Python, and others would have other sines.
PATCHING = """
import numpy as np
from embedding_lab import positions

positions.PositionalEncoding.table = lambda self, length, d: np.arange(length * d).reshape(length, d) % 7
np.sin = np.cos

class Patches:
    name = "patches"

    def table(self, length, d):
        return 0.05 * np.sin(np.arange(length)[:, None] * np.arange(d))

    def rotation(self, length, head_dim):
        return None

    def bias(self, length, heads):
        return None
"""


def test_whatever_the_code_does_in_training_costs_its_own_run_alone(lab, site):
    lab.open(site, encodings="none", lr=0.03, **SMALL)
    lab.run_to_end()
    before = lab.curves()["none-1"]
    editor = EditorPage(lab)
    for name, (body, told) in FAULTS.items():
        editor.write_good(trained(name, body), name)
        editor.train()
        expect(lab.run_row(name)).to_contain_text(re.compile(told, re.IGNORECASE), timeout=STARTING)
    for name in ("raises", "leaves"):
        assert "line 13" in lab.run_row(name).locator(".traceback").text_content()
    expect(editor.place.locator(".failure")).to_have_count(0)
    editor.write_good(trained("raises again", FAULTS["raises"][0]), "raises again")
    editor.train()
    expect(editor.failure).to_contain_text("KeyError", timeout=STARTING)
    expect(editor.marked).to_have_count(1)

    editor.write_good(GOOD, "good")
    editor.train()
    expect(lab.run_row("good")).to_contain_text("40 steps in", timeout=STARTING)
    editor.write_good(PATCHING, "patches")
    editor.train()
    expect(lab.run_row("patches")).to_contain_text("40 steps in", timeout=STARTING)
    expect(lab.page.locator(".run-bar")).to_have_attribute("data-phase", "finished", timeout=STARTING)
    assert lab.curves()["none-1"] == before, "what had finished is as it was"

    for name in [*FAULTS, "raises again", "good", "patches"]:
        lab.chip(name).click()
    lab.run_to_end()
    assert lab.curves() == {"none-1": before}, "bit for bit"
