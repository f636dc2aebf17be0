"""The page for those who use it without a mouse, without colours, enlarged, or by ear.

axe-core finds the faults that can be found in the tree of a page: WCAG 2.0 to 2.2, A and AA, and its best practices. What it
cannot see is done here as a reader would: by keyboard alone, at 200 and 400 % zoom, in the reader's own colours. In other
files: the editor is left by Escape and Tab (test_lab_encodings), charts are read by arrow keys (test_lab_charts, test_figures),
a field says what is wrong with it (test_lab_input), what is deleted or saved leaves the keyboard beside it (test_lab_archive,
test_lab_share), text reaches 4.5:1 in each class of characters (web_charts).
"""

import itertools
import re

import pytest
from playwright.sync_api import expect

import build
from lab_page import SMALL, STARTING, TRAINING, LabPage, settled
from test_lab_layout import OUT_OF_REACH, OVERFLOW, SCREENSHOTS
from tests.conftest import PageGuard

AXE = build.NODE_MODULES / "axe-core/axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# The violations in a part of the page, one line each, and the rules that were of use. Left out: marks within a chart, which are
# hidden from whoever hears the page, and the rows of a chart's table after the second, which are like it. The small picture in
# a button is none of the words that the button shows.
RUN_AXE = """
async ([part, tags]) => {
  const { violations, passes } = await axe.run({ include: [part], exclude: [["svg"], [".chart-table tbody tr:nth-child(n + 3)"]] }, {
    preload: false, resultTypes: ["violations"], runOnly: { type: "tag", values: tags }, rules: { "target-size": { enabled: true } },
  });
  const isPicture = (rule, { target }) => rule === "label-content-name-mismatch" && document.querySelector(target[0]).matches(".multiple");
  return {
    found: violations.flatMap(({ id, help, nodes }) => nodes.filter((node) => !isPicture(id, node))
      .map(({ html, failureSummary }) => `${id} (${help}): ${html.slice(0, 150)} ${failureSummary.slice(0, 300)}`)),
    used: passes.map(({ id }) => id),
  };
}
"""


def audit(page, part="html"):
    """What axe-core finds; some rules are seen to be at work, or nothing found would mean nothing."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE.read_text("utf-8") + ";0")
    result = page.evaluate(RUN_AXE, [part, TAGS])
    assert {"color-contrast", "target-size", "button-name"} <= set(result["used"])
    return result["found"]


def show(page, width, scheme="light"):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    settled(page)


# The contrast of two colours (WCAG 2.2), whatever their notation, and what colour lies behind an element, also out of a shadow root.
COLORS = """
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const pixel = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [r, g, b] = pixel(color).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [a, b] = [one, other].map(luminance);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const around = (node) => node.parentElement ?? node.getRootNode().host;
  const ground = (node) => {
    for (; node; node = around(node)) {
      const { backgroundColor } = getComputedStyle(node);
      if (pixel(backgroundColor)[3] === 255) return backgroundColor;
    }
    return "white";
  };
"""
# Where the keyboard is, and what shows that it is there: the element's own outline, or that of what stands for it.
FOCUS = (
    "() => {"
    + COLORS
    + """
  let element = document.activeElement;
  if (!element || element === document.body) return null;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  const ring = [element, ...(element.labels ?? []), element.closest(".cm-editor")].filter(Boolean).find((node) => {
    const { outlineStyle, outlineWidth, opacity } = getComputedStyle(node);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && Number(opacity) > 0;
  });
  const shown = ring ?? element;
  const { left, top, right, bottom, width, height } = shown.getBoundingClientRect();
  return {
    name: `${element.localName} ${(element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent).trim().slice(0, 60)}`,
    ring: Boolean(ring), contrast: ratio(getComputedStyle(shown).outlineColor, ground(around(shown))),
    seen: width > 0 && height > 0 && right > 0 && left < innerWidth && bottom > 0 && top < innerHeight,
    top: top + scrollY, bottom: bottom + scrollY, left, right,
  };
}
"""
)


def focus(page):
    """The element in focus; fails where there is none, or where a reader does not see that it is."""
    for _ in range(30):  # CodeMirror shows its ring 10 ms later, and what is still being drawn moves what is below it
        found = page.evaluate(FOCUS)
        if found and found["ring"] and found["contrast"] >= 3 and found["seen"]:
            return found
        settled(page)
    raise AssertionError(found or "the keyboard has lost its place")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
    return focus(page)


def tab_to(page, locator, backwards=False):
    """Go there by Tab alone."""
    for _ in range(200):
        if locator.evaluate("(element) => element === document.activeElement"):
            return focus(page)
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
    raise AssertionError(f"Tab does not reach {locator}")


# Counts what is said of itself, and how often the words of a chart change.
LISTEN = """
window.said = [];
window.reworded = 0;
window.frames = 0;
const count = () => { window.frames += 1; requestAnimationFrame(count); };
requestAnimationFrame(count);
const LIVE = "[aria-live], [role=status], [role=alert], [role=log]";
new MutationObserver((changes) => {
  const regions = new Set(changes.filter(({ type }) => type !== "attributes").map(({ target }) => (target.nodeType === 1 ? target : target.parentElement)?.closest(LIVE)));
  for (const region of regions) if (region?.textContent.trim()) said.push(region.textContent.trim());
  reworded += changes.filter(({ type, target, oldValue }) => type === "attributes" && target.role === "img" && target.getAttribute("aria-label") !== oldValue).length;
}).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ["aria-label"], attributeOldValue: true });
"""


@pytest.fixture(scope="module")
def reader(browser, root_server):
    """The lab on a phone's width, on one page for the tests that go through it in turn."""
    root_server.reset()
    page = browser.new_page(viewport={"width": 360, "height": 900})
    guard = PageGuard(page)
    lab = LabPage(page)
    page.add_init_script(LISTEN)
    lab.open(root_server, **{**SMALL, "encodings": "none", "batch": 64, "steps": 20_000})  # they outlast an audit
    yield lab
    problems = guard.found()
    page.context.close()
    assert not problems


def test_an_experiment_from_the_first_tab_to_the_copied_link_by_keyboard_alone(reader):
    lab, page = reader, reader.page
    assert press(page, "Tab")["name"].endswith("None")
    press(page, "Tab")
    press(page, "Space")
    expect(page.get_by_role("checkbox", name="Learned")).to_be_checked()
    tab_to(page, page.get_by_text("Change the experiment", exact=True))
    press(page, "Enter")
    tab_to(page, lab.control("Width d"))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("8")
    tab_to(page, lab.button("Run"), backwards=True)
    press(page, "Enter")
    lab.wait_for("name === 'progress' && detail.encoding === 'learned' && detail.step > 20")
    expect(lab.button("Pause")).to_be_focused()
    show(page, 360)
    assert audit(page, "#lab") == []
    press(page, "Enter")
    expect(lab.button("Resume")).to_be_focused()
    show(page, 1440, "dark")
    assert audit(page, "#lab") == []
    show(page, 360)
    press(page, "Enter")
    expect(lab.button("Pause")).to_be_focused()
    assert page.evaluate("document.getAnimations().length") == 0, "nothing moves but the data"
    tab_to(page, lab.button("Stop"))
    press(page, "Enter")
    expect(lab.button("Run")).to_be_focused()
    tab_to(page, lab.control("Steps"))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("2000")
    tab_to(page, lab.button("Run"), backwards=True)

    since = lab.count_told()
    page.evaluate("said.length = reworded = frames = 0")
    page.keyboard.press("Enter")
    expect(lab.button("Pause")).to_be_focused()
    tab_to(page, lab.button("Stop"))  # the runs end under the keyboard
    lab.wait_for("name === 'result'", since=since)
    expect(lab.button("Stop")).to_be_disabled()
    expect(lab.button("Stop")).to_be_focused()
    expect(page.locator("lab-announcer")).to_contain_text("Finished.")
    said, reworded, frames = page.evaluate("[said, reworded, frames]")
    news = [words for words in said if words.startswith(("Training", "25", "50", "75", "Finished"))]
    told = [words.split(".")[0].split(" percent")[0] for words in news]
    # A quarter that passes while the page is held is not said late (web_news).
    assert told == [words for words in ("Training 2 models", "25", "50", "75", "Finished") if words in told], said
    assert told[0].startswith("Training") and told[-1] == "Finished" and len(told) > 2, said
    assert re.search(r"percent done\. None: .* Learned: ", news[-2])
    assert len(said) <= len(news) + 4, said  # what else is told: that the runs are kept, and the like
    assert reworded <= 20 and reworded < frames, (reworded, frames)

    tab_to(page, page.get_by_role("radio", name="nats", exact=True))
    press(page, "ArrowRight")
    expect(page.get_by_role("radio", name="bits", exact=True)).to_be_checked()
    tab_to(page, page.get_by_role("img", name=re.compile("^Loss in bits")))
    press(page, "End")
    expect(page.locator("loss-chart").get_by_text("Step 2,000", exact=True)).to_be_visible()
    press(page, "Escape")
    tab_to(page, page.locator("loss-chart summary"))
    press(page, "Enter")
    row = page.locator("loss-chart").get_by_role("row").filter(has=page.get_by_role("rowheader", name="2,000", exact=True))
    expect(row).to_contain_text(lab.run_row("Learned").locator(".loss").inner_text())
    tab_to(page, page.get_by_role("textbox", name="Link to the experiment on this page"))
    press(page, "Tab", "Enter")
    assert focus(page)["name"].startswith(("button Copy", "input Link"))
    card = page.locator("probe-card#order")
    tab_to(page, card.get_by_label("Second", exact=True))
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("god bites man")
    expect(card.get_by_role("status")).to_contain_text("Measured.", timeout=TRAINING)
    focus(page)


def test_every_lab_filled_and_all_that_unfolds_has_no_fault_and_fits_at_every_zoom(reader):
    lab, page = reader, reader.page
    show(page, 1440)
    for name in page.locator("probe-card").evaluate_all("(cards) => cards.map(({ id }) => id)"):
        card = lab.look_at(name)
        if card.get_by_role("button", name="Train these models").count():
            for label, value in {"Updates": "2", "Widths": "8, 16", "Seeds": "1, 2", "Amplitudes": "0.05, 1"}.items():
                for field in card.get_by_label(label, exact=True).all():
                    field.fill(value)
            train = card.get_by_role("button", name="Train these models")
            train.press("Enter")
            expect(card.locator(".drawing")).to_be_visible(timeout=TRAINING)
            expect(train).to_be_focused()  # and not lost with the Stop that it was meanwhile
            focus(page)
        expect(card.locator(".drawing, .undefined").first).to_be_visible(timeout=TRAINING)
    lab.button("+ Your own").press("Enter")
    expect(page.locator("lab-encoding-workbench .found")).to_be_visible(timeout=TRAINING)
    page.get_by_role("button", name="Start the prompt").press("Enter")
    expect(page.get_by_role("textbox", name="Python", exact=True)).to_be_focused(timeout=STARTING)
    page.get_by_role("tab", name="model.py").press("Enter")
    expect(page.get_by_role("textbox", name="The code of model.py")).to_be_visible(timeout=TRAINING)
    page.locator("details").evaluate_all("(all) => { for (const each of all) each.open = true; }")
    expect(lab.look_at("order").locator("pre")).to_contain_text("def order", timeout=TRAINING)
    show(page, 1440, "light")
    assert audit(page) == []
    page.emulate_media(color_scheme="dark")
    # 200 % and 400 % of 1280 by 1024: as many CSS pixels, each of so many on the screen
    session = page.context.new_cdp_session(page)
    for zoom in (2, 4):
        size = {"width": 1280 // zoom, "height": 1024 // zoom, "deviceScaleFactor": zoom, "mobile": False}
        session.send("Emulation.setDeviceMetricsOverride", size)
        settled(page)
        assert page.evaluate("innerWidth") == 1280 // zoom
        assert page.evaluate(OVERFLOW) == []
    assert page.evaluate(OUT_OF_REACH) == []
    assert audit(page) == []
    session.send("Emulation.clearDeviceMetricsOverride")
    session.detach()
    page.locator("article.text details").evaluate_all("(all) => { for (const each of all) each.open = false; }")


def test_tab_goes_through_the_page_in_the_order_in_which_it_is_read_and_out_of_it(reader):
    """Through the editor, too, which takes Tab for itself until Escape, as is said beside it."""
    page = reader.page
    show(page, 360)
    page.get_by_role("checkbox", name="None", exact=True).focus()  # the first, as was seen
    stops = [focus(page)]
    for _ in range(400):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        stops.append(focus(page))
        if "Python code of your encoding" in stops[-1]["name"]:
            page.keyboard.press("Escape")
    else:
        raise AssertionError(f"Tab never leaves the page; it is at {stops[-1]}")
    assert len(stops) > 100
    for before, after in itertools.pairwise(stops):
        is_below = after["bottom"] > before["top"] + 1 and (
            after["top"] >= before["top"] - 12 or after["left"] >= before["right"]
        )
        assert is_below, (before, after)


# How what is no text stands out: the ratio of each colour to what it lies on, by what it is.
NON_TEXT = (
    "() => {"
    + COLORS
    + """
  const found = {};
  const note = (what, contrast) => (found[what] = Math.min(found[what] ?? Infinity, contrast));
  for (const control of document.querySelectorAll("input[type=text], select, textarea, .button, .chip, .units label, .gs-view, .drop")) {
    const { borderTopColor, borderTopWidth, backgroundColor } = getComputedStyle(control);
    if (control.matches(":disabled, [aria-disabled=true]") || !control.checkVisibility()) continue;
    const outside = ground(control.parentElement);
    const edge = parseFloat(borderTopWidth) > 0 ? ratio(borderTopColor, outside) : 0;
    note(`edge of ${control.localName} .${control.classList[0] ?? ""}`, Math.max(edge, ratio(backgroundColor === "rgba(0, 0, 0, 0)" ? outside : backgroundColor, outside)));
  }
  for (const mark of document.querySelectorAll("encoding-mark, .lc-sign, .lp-sign, .gc-dot, .bl-bar, .bl-dot")) {
    if (!mark.checkVisibility()) continue;
    const { color, backgroundColor } = getComputedStyle(mark);
    note(mark.localName === "encoding-mark" ? "encoding-mark" : mark.classList[0], ratio(mark.matches(".gc-dot") ? backgroundColor : color, ground(mark.parentElement)));
  }
  for (const path of document.querySelectorAll("svg :is(.lp-line, .ip-whisker, .ip-mark, .ip-zero, .ip-matters, .gc-axis path, .lp-tick path)")) {
    const { stroke, fill, display } = getComputedStyle(path);
    if (display !== "none" && path.checkVisibility()) note(path.getAttribute("class") ?? "axis", ratio(stroke === "none" ? fill : stroke, ground(path.closest("div, li"))));
  }
  for (const bar of document.querySelectorAll("progress")) note("progress", ratio(getComputedStyle(bar).color, getComputedStyle(bar).backgroundColor));
  const probe = document.body.appendChild(document.createElement("span"));
  const token = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const names = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).filter(({ selectorText }) => selectorText === ":root")
    .flatMap(({ style }) => [...style]).filter((name) => /^--(encoding|ordinal)-|^--(focus|accent|error|rule-strong|ink-faint)$/.test(name));
  for (const name of new Set(names)) for (const paper of ["--paper", "--paper-raised"]) note(`${name} on ${paper}`, ratio(token(name), token(paper)));
  probe.remove();
  return found;
}
"""
)


def test_what_is_no_text_stands_out_by_three_to_one_in_light_and_dark(reader):
    page = reader.page
    for scheme in ("light", "dark"):
        show(page, 1440, scheme)
        found = page.evaluate(NON_TEXT)
        assert len(found) > 40, found
        assert {name: round(ratio, 2) for name, ratio in found.items() if ratio < 3} == {}, scheme


def test_in_the_colours_of_the_reader_what_is_chosen_and_what_is_data_is_still_seen(reader):
    page = reader.page
    if not reader.told("result"):  # alone, without the tests before it
        reader.chip("Learned").click()
        reader.set("Steps", 40)
        reader.run_to_end()
    for scheme in ("light", "dark"):
        page.emulate_media(forced_colors="active", color_scheme=scheme)
        show(page, 1440, scheme)
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=SCREENSHOTS / f"forced-{scheme}.png")
        ground = "(element) => getComputedStyle(element).backgroundColor"
        chosen = page.locator(".units label").evaluate_all("(all) => all.map((each) => getComputedStyle(each).backgroundColor)")
        assert len(set(chosen)) == 2, chosen
        assert page.locator("progress").first.evaluate(ground) != page.locator("progress").first.evaluate(
            "(bar) => getComputedStyle(bar).color"
        )
        signs = page.locator(".lc-runs .lc-sign").evaluate_all("(all) => all.map((each) => getComputedStyle(each).color)")
        assert len(set(signs)) == len(signs) == 2
        dots = page.locator("lab-geometry geometry-chart:not(.gc-compact) .gc-dot").evaluate_all(
            "(all) => all.map((each) => getComputedStyle(each).backgroundColor)"
        )
        assert len(set(dots)) == len(dots) > 3
        run = reader.button("Run")
        assert run.evaluate(ground) != run.evaluate("(button) => getComputedStyle(button).color")
        assert page.evaluate(NON_TEXT)["--focus on --paper"] >= 3
    page.emulate_media(forced_colors="none", color_scheme="light")


def open_with_faults(lab, site, **query):
    """The page before Python is there, its controls open, with something wrong in each way that can be."""
    site.fail("pyodide.asm.wasm", 404)
    lab.open(site, ready=False, **{"d": 200, "corpus": "own", **query})
    expect(lab.button("Retry")).to_be_visible(timeout=STARTING)
    lab.open_controls()
    lab.set("Heads", "5")
    lab.set("Seeds", "x")
    lab.button("Run").press("Enter")
    expect(lab.control("Heads")).to_have_attribute("aria-invalid", "true")


# What a page shows rarely: a question about code, what cannot be kept, a new version.
RARE = """
() => {
  const { lab } = document.querySelector("lab-app");
  lab.store.set({ own: [{ encoding: "own:mine", code: "class Mine:\\n    pass\\n" }] });
  lab.store.set({ kept: { ...lab.state.kept, state: "ready", message: "The run could not be kept: the disk is full.", unreadable: [{ key: "a", why: "it is empty" }] } });
  const notice = document.querySelector("lab-update-notice");
  notice.updates = { news: "ready", held: "It waits until the runs of the other tabs have ended.", use() {} };
}
"""


@pytest.mark.tolerates("console")  # the file that is missing
def test_what_is_wrong_or_asked_has_no_fault_and_leaves_the_keyboard_in_its_place(lab, site):
    page = lab.page
    open_with_faults(lab, site)
    page.evaluate(RARE)
    expect(page.get_by_role("heading", name="An encoding waits for your leave")).to_be_visible()
    expect(page.get_by_role("button", name="Use it now")).to_be_visible()
    for width, scheme in ((360, "light"), (1440, "dark")):
        show(page, width, scheme)
        page.screenshot(path=SCREENSHOTS / f"faults-{width}-{scheme}.png")
        assert audit(page) == []
    came = lab.button("Reset") if lab.button("Reset").count() else lab.button("Run")
    came.focus()
    page.get_by_role("button", name="Later").focus()
    assert press(page, "Enter")["name"].endswith(came.inner_text()), "it goes back to where it came from"
    lab.button("Try to keep them again").press("Enter")
    focus(page)
    site.repair()
    lab.button("Retry").press("Enter")
    focus(page)
    lab.wait_for("name === 'ready'", STARTING)
    focus(page)
    page.get_by_role("button", name="Allow this code to run: mine").press("Enter")
    expect(page.get_by_role("heading", name="An encoding waits for your leave")).to_have_count(0)
    expect(lab.button("Run")).to_be_focused()
    focus(page)


def test_the_lab_in_a_frame_and_the_pages_beside_have_no_fault(page, site):
    site.hold("pyodide.asm.wasm")
    panels = "loss,geometry,gaps,controls,probe:order,code"
    page.goto(f"{site.url}embed.html?panels={panels}&locks=steps,encodings,seeds&expect=none-learned%3E0.1&d=200")
    expect(page.locator("lab-task")).to_contain_text("None")
    page.get_by_text("Change the experiment", exact=True).click()
    for width, scheme in ((360, "dark"), (1440, "light")):
        show(page, width, scheme)
        page.screenshot(path=SCREENSHOTS / f"embed-{width}-{scheme}.png")
        assert audit(page) == []
        assert page.evaluate(OVERFLOW) == []
    for beside in ("404.html", "licenses/index.html"):
        page.goto(site.url + beside)
        page.evaluate(AXE.read_text("utf-8") + ";0")
        assert page.evaluate(RUN_AXE, ["html", TAGS])["found"] == []
