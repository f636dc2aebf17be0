"""Figures on a page of their own, under the site's policy: what they show of seeds and units, and the files they become."""

import base64
import re
import struct
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from playwright.sync_api import expect

import build

PAGE = """<!doctype html><meta charset="utf-8">{head}<title>Figures</title>
<link rel="icon" href="favicon.svg"><script type="module" src="assets/{script}"></script>
"""
SVG = "{http://www.w3.org/2000/svg}"
LEARNED = "#0072b2"  # --encoding-2 of web/styles/tokens.css in light colours
ALL = ["loss", "gaps", "line", "bars", "heat", "plane", "space"]

# A text that each figure must show of its axes and its key.
SHOWN = {
    "loss": ["Loss, nats per character", "training step", "Learned, mean of 3 seeds", "uniform", "4.29", "500"],
    "gaps": ["gap in loss, nats; left of 0 is better", "RoPE", "−0.28", "gap with its 95 % interval", "one seed: no interval"],
    "line": ["context →", "↑ loss, nats", "Learned"],
    "bars": ["character", "share", "space", "chance"],
    "heat": ["↓ from → to", "head 1", "a", "attention"],
    "plane": ["principal plane, axis 1 (30\u00a0% of variance) →", "vowel", "q"],
    "space": ["axis 3, 10\u00a0%", "vowel", "q", "What is farther away is paler."],
}


@pytest.fixture(scope="module")
def harness(dist, tmp_path_factory):
    """A folder to lay over the site: a page with its policy, its styles and the charts of figures.js."""
    folder = tmp_path_factory.mktemp("figures")
    entry = Path(__file__).with_name("figures.js")
    command = [build.node(), build.WEB / "bundle.mjs", build.CACHE / "lab-data.json", folder / "assets", entry]
    subprocess.run(command, check=True, capture_output=True, cwd=build.WEB)
    lines = (dist / "index.html").read_text().splitlines()
    head = "".join(line.strip() for line in lines if "Content-Security" in line or 'rel="stylesheet"' in line)
    script = next((folder / "assets").glob("figures-*.js")).name
    (folder / "figures.html").write_text(PAGE.format(head=head, script=script))
    return folder


@pytest.fixture
def figures(page, harness, site):
    """The page of charts, drawn."""
    site.overlay = harness
    page.goto(f"{site.url}figures.html")
    expect(page.locator("loss-chart canvas")).to_be_visible()
    expect(page.locator("geometry-space .gc-title")).to_have_text("Learned, step 500")
    return page


def figure(page, name, *about):
    """The root of a chart's figure as an XML parser sees it."""
    return ET.fromstring(page.evaluate("([name, ...about]) => svgOf(name, ...about)", [name, *about]))


def texts(root):
    return [text.text for text in root.iter(f"{SVG}text")]


def parts(root, name):
    return [path for path in root.iter(f"{SVG}path") if path.get("data-part") == name]


@pytest.mark.parametrize("name", ALL)
def test_a_figure_has_its_title_its_axes_its_key_and_the_settings_in_small_print(figures, name):
    note = "encodings none, learned; seeds 1, 2, 3; d 48, layers 1, heads 4, context 32, batch 32, steps 500; " * 2
    root = figure(figures, name, "What position buys", [note.strip(), "second line"])
    assert root.find(f"{SVG}title").text == "What position buys"
    assert root.get("role") == "img" and root.get("aria-labelledby").split() == ["title", "description"]
    assert note.strip() in root.find(f"{SVG}desc").text
    shown = texts(root)
    assert shown[0] == "What position buys" and shown[-1] == "second line"
    small = [text.text for text in root.iter(f"{SVG}text") if text.get("font-size") == "10.5"]
    assert len(small) > 2 and " ".join(small) == f"{note.strip()} second line"
    for text in SHOWN[name]:
        assert text in shown, (text, shown)


@pytest.mark.parametrize("name", ALL)
def test_a_figure_stands_alone(figures, name):
    svg = figures.evaluate("name => svgOf(name)", name)
    root = ET.fromstring(svg)
    assert not re.search(r"var\(|color-mix|oklab|currentcolor|light-dark", svg, re.IGNORECASE)
    for element in root.iter():
        assert element.tag.startswith(SVG) and element.tag != f"{SVG}style"
        assert not {"class", "style", "href", "{http://www.w3.org/1999/xlink}href"} & set(element.keys())
        for attribute in ("fill", "stroke"):
            assert re.fullmatch(r"none|#[0-9a-f]{6}", element.get(attribute, "none")), element.attrib
        assert element.get("font-family") in (None, "sans-serif", "monospace")
        assert element.get("clip-path") in (None, "url(#loss-plot)")
    paper = root.find(f"{SVG}rect")
    assert paper.get("fill") == "#ffffff"
    assert (paper.get("width"), paper.get("height")) == (root.get("width"), root.get("height"))


@pytest.mark.parametrize("name", ALL)
def test_a_figure_is_the_same_in_the_dark_and_on_a_phone(figures, name):
    light = figures.evaluate("name => svgOf(name)", name)
    figures.emulate_media(color_scheme="dark")
    figures.set_viewport_size({"width": 360, "height": 700})
    assert figures.evaluate("name => svgOf(name)", name) == light


def test_the_curves_of_the_figure_are_those_of_the_chart(figures):
    root = figure(figures, "loss")
    assert len(parts(root, "validation")) == len(parts(root, "marks")) == 3  # two means and one run
    assert len(parts(root, "seeds-band")) == 2
    assert len(parts(root, "training")) == 1  # of the run that is alone
    assert len(parts(root, "measured-edge")) == len(parts(root, "measured-hatch")) == 2  # ALiBi is not among the runs
    [learned] = [path for path in parts(root, "validation") if path.get("stroke") == LEARNED]
    assert learned.get("d").count("L") == 20  # a value every 25 of 500 steps


def test_bars_cells_and_the_dots_of_a_legend_are_in_their_figures(figures):
    def boxes(name):
        return [(box.get("fill"), float(box.get("width"))) for box in figure(figures, name).iter(f"{SVG}rect")]

    [learned] = [width for fill, width in boxes("bars") if fill == LEARNED]
    widest = max(width for fill, width in boxes("bars") if fill not in ("#ffffff", LEARNED))
    assert learned / widest == pytest.approx(0.12 / 0.2, abs=0.01)
    cells = [fill for fill, width in boxes("heat") if width == pytest.approx(14.4)]  # a square of 14 px and a hair
    assert len(cells) == 3 and cells[0] == "#b04e0b"  # the largest value; one of the four cells is empty
    assert {"#c24a00", "#2f4b7c", "#8a3fa0", "#b0005a"} <= {fill for fill, _ in boxes("plane")}  # the classes that occur


def test_a_hidden_run_is_not_in_the_figure(figures):
    figures.evaluate("charts.loss.runs = charts.loss.runs.map((run) => ({ ...run, visible: run.encoding !== 'rope' }))")
    root = figure(figures, "loss")
    assert len(parts(root, "validation")) == 2 and "RoPE, seed 1" not in texts(root)


def test_the_figure_is_in_the_unit_that_is_chosen(figures):
    figures.evaluate("setUnit('perplexity')")
    root = figure(figures, "loss")
    shown = texts(root)
    assert "Perplexity per character" in shown and {"10", "20", "73.0"} <= set(shown)
    assert "× 0.76" in texts(figure(figures, "gaps"))


def test_the_space_is_saved_as_it_is_turned(figures):
    before = figures.evaluate("svgOf('space')")
    figures.locator("geometry-space .gc-surface").press("ArrowRight")
    figures.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    assert figures.evaluate("svgOf('space')") != before


def test_a_figure_is_well_formed_whatever_its_texts_hold(figures):
    figures.evaluate("""charts.loss.runs = charts.loss.runs.filter(({ encoding }) => encoding === "rope")
      .map((run) => ({ ...run, label: "</text>]]>&amp; \\u0001\\u0000\\ud800 \\u{1f600}" }))""")
    odd = "<script>\"'&\u0008\u000b\ufffe\r\n</svg> שלום"
    root = figure(figures, "loss", odd, [odd])
    assert root.find(f"{SVG}title").text.startswith("<script>\"'&\ufffd\ufffd\ufffd")
    assert any("</text>]]>&amp; " in text and "\U0001f600" in text for text in texts(root))


def test_saving_a_figure_leaves_nothing_on_the_page(figures):
    before = figures.evaluate("document.body.children.length")
    figures.evaluate("svgOf('loss')")
    assert figures.evaluate("document.body.children.length") == before


def test_a_figure_becomes_a_png_under_the_policy_of_the_page(figures):
    svg = figure(figures, "loss")
    png = figures.evaluate("color => pngOf('loss', 2, color)", LEARNED)
    content = base64.b64decode(png["bytes"])
    assert png["type"] == "image/png" and content.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", content[16:24]) == (2 * int(svg.get("width")), 2 * int(svg.get("height")))
    assert png["corner"] == [255, 255, 255, 255]
    assert png["pixels"] > 1000  # the curve of the learned positions alone is some 1,200 px long and 4 px wide


def test_seeds_share_a_row_of_the_key_and_its_button_names_them_all(figures):
    figures.evaluate("charts.loss.addEventListener('toggle-run', ({ detail }) => (window.toggled = detail))")
    figures.locator("loss-chart").get_by_role("button", name="Learned, mean of 3 seeds", exact=True).click()
    assert figures.evaluate("toggled") == {"ids": ["learned-1", "learned-2", "learned-3"]}
    figures.locator("loss-chart").get_by_role("button", name="RoPE, seed 1", exact=True).click()
    assert figures.evaluate("toggled") == {"ids": ["rope-1"]}


def test_reading_a_step_of_several_seeds_gives_their_mean_and_range_in_the_unit(figures):
    figures.locator("loss-chart .lc-surface").press("End")
    row = figures.locator("loss-chart .lc-group").filter(has_text="Learned")
    expect(row).to_contain_text("2.077")
    expect(row).to_contain_text("2.051 to 2.101")
    figures.evaluate("setUnit('perplexity')")
    expect(row).to_contain_text("7.98")
    expect(row).to_contain_text("7.77 to 8.17")


def test_the_keyboard_reads_the_gaps_and_a_table_holds_them(figures):
    plot = figures.locator("interval-plot")
    plot.locator(".ip-surface").press("ArrowDown")
    told = "Learned: −0.28, 95 % interval −0.33 to −0.23; matters. Measured elsewhere: −0.29, 95 % interval −0.30 to −0.27."
    expect(plot.locator(".ip-live")).to_have_text(told)
    plot.locator(".ip-surface").press("End")
    expect(plot.locator(".ip-at")).to_have_text("RoPE: −0.36, without an interval; matters, if more seeds agree.")
    plot.get_by_text("The numbers as a table").click()
    rows = plot.get_by_role("row")
    for number, cells in enumerate(
        [
            ["Learned", "−0.28", "−0.33", "−0.23", "matters", "−0.29", "−0.30", "−0.27"],
            ["RoPE", "−0.36", "–", "–", "matters, if more seeds agree", "–", "–", "–"],
        ],
        start=1,
    ):
        expect(rows.nth(number).locator("th, td")).to_have_text(cells)


def test_the_gaps_are_hidden_until_there_are_some(figures):
    plot = figures.locator("interval-plot")
    figures.evaluate("[window.rows, charts.gaps.rows] = [charts.gaps.rows, []]")
    expect(plot).to_be_hidden()
    figures.evaluate("charts.gaps.rows = rows")
    expect(plot.locator(".ip-mark").first).to_be_visible()
