"""The page on a phone, a tablet and a wide screen, light and dark; keeps screenshots in .cache/screenshots."""

import pytest
from playwright.sync_api import expect

import build
from lab_page import settled

SCREENSHOTS = build.CACHE / "screenshots"
WIDTHS = [360, 768, 1440]
THEMES = ["light", "dark"]

# Controls that a reader cannot see whole or cannot press where they stand, in words.
OUT_OF_REACH = """
() => {
  const problems = [];
  for (const control of document.querySelectorAll("button, input, select, textarea, summary, a[href]")) {
    if (!control.checkVisibility({ checkVisibilityCSS: true, checkOpacity: false })) continue;
    const shown = control.labels?.[0]?.classList.contains("chip") ? control.labels[0] : control;
    shown.scrollIntoView({ block: "center", inline: "nearest" });
    const { left, right, top, bottom, width, height } = shown.getBoundingClientRect();
    const name = `${control.localName} "${(control.getAttribute("aria-label") ?? control.name ?? "") || control.textContent.trim()}"`;
    if (width < 8 || height < 8) problems.push(`${name} is ${width} by ${height}`);
    if (left < -0.5 || right > document.documentElement.clientWidth + 0.5) problems.push(`${name} lies from ${left} to ${right}`);
    if (control.localName !== "input" && control.scrollWidth > control.clientWidth + 1 && control.clientWidth > 0
        && getComputedStyle(control).overflow !== "visible") problems.push(`${name} is cut`);
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!there || !(shown.contains(there) || there.contains(shown) || control.labels && [...control.labels].some((label) => label.contains(there)))) {
      problems.push(`${name} is covered by ${there?.outerHTML.slice(0, 80)}`);
    }
  }
  window.scrollTo(0, 0);
  return problems;
}
"""

OVERFLOW = """
() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > width + 0.5)
    .map((element) => element.outerHTML.slice(0, 100)).slice(0, 5).concat(`${document.documentElement.scrollWidth} of ${width}`);
}
"""


def keep(page, moment, **options):
    """Screenshots of a moment in both themes."""
    width = page.viewport_size["width"]
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        settled(page)
        page.screenshot(path=SCREENSHOTS / f"{moment}-{width}-{theme}.png", **options)


def expect_fits(page):
    assert page.evaluate(OVERFLOW) == []
    assert page.evaluate(OUT_OF_REACH) == []


def lab_above_the_chapter(page):
    """What a screenshot needs to be of the lab and to end where the chapter begins."""
    page.evaluate("scrollTo(0, 0)")
    width = page.viewport_size["width"]
    height = page.locator("article.text").bounding_box()["y"] - 20
    return {"full_page": True, "clip": {"x": 0, "y": 0, "width": width, "height": height}}


@pytest.mark.parametrize("width", WIDTHS)
def test_before_a_run_the_page_fits_and_every_control_can_be_pressed(lab, site, width):
    site.hold("pyodide.asm.wasm")
    page = lab.page
    page.set_viewport_size({"width": width, "height": 900})
    lab.open(site, ready=False)
    expect(lab.button("Run")).to_be_in_viewport(ratio=1)
    keep(page, "before")
    lab.open_controls()
    settled(page)
    expect_fits(page)


@pytest.mark.parametrize("width", WIDTHS)
def test_after_a_run_the_page_fits_and_every_control_can_be_pressed(default_experiment, width):
    page = default_experiment.page
    try:
        page.set_viewport_size({"width": width, "height": 900})
        settled(page)
        # The README's picture, .github/lab.png, is the upper half of after-1440-light.png in 96 colours.
        keep(page, "after", **lab_above_the_chapter(page))
        expect_fits(page)
    finally:
        page.set_viewport_size({"width": 1440, "height": 1000})
        page.emulate_media(color_scheme="light")
        settled(page)


def test_during_a_run_the_page_fits_at_every_width(lab, site):
    page = lab.page
    lab.open(site, steps=20000)
    lab.button("Run").click()
    lab.wait_for("name === 'progress' && detail.encoding === 'learned' && detail.step > 200")
    for width in reversed(WIDTHS):
        page.set_viewport_size({"width": width, "height": 900})
        settled(page)
        keep(page, "during", **lab_above_the_chapter(page))
        expect_fits(page)
    expect(lab.button("Pause")).to_be_visible()  # still training


def test_light_and_dark_follow_the_system_unless_the_address_decides(lab, site):
    site.hold("pyodide.asm.wasm")
    page = lab.page

    def brightness():
        return sum(
            page.evaluate("getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)")
        )

    seen = {}
    for asked in ("auto", "light", "dark"):
        lab.open(site, ready=False, theme=asked)
        expect(lab.button("Run")).to_be_visible()
        for system in THEMES:
            page.emulate_media(color_scheme=system)
            seen[asked, system] = "light" if brightness() > 600 else "dark" if brightness() < 150 else brightness()
    assert seen == {
        ("auto", "light"): "light",
        ("auto", "dark"): "dark",
        ("light", "light"): "light",
        ("light", "dark"): "light",
        ("dark", "light"): "dark",
        ("dark", "dark"): "dark",
    }
