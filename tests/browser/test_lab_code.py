"""The code that runs, and the reader's prompt, on the page."""

import pytest
from playwright.sync_api import expect

from lab_page import STARTING, LabPage
from tests.conftest import PageGuard


@pytest.fixture(scope="module")
def reading(browser, root_server):
    """The page with Python loaded and nothing trained, shared by what only reads."""
    root_server.reset()
    page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
    guard = PageGuard(page)
    lab = LabPage(page, cores=1)
    lab.open(root_server, d=16, context=16, batch=8, steps=40, encodings="rope")
    yield lab
    page.context.close()
    assert not guard.found()


def test_nothing_is_loaded_before_the_reader_asks(reading):
    assert (
        reading.page.evaluate(
            "performance.getEntriesByType('resource').filter(({ name }) => name.includes('code-editor')).length"
        )
        == 0
    )
    assert len(reading.page.workers) == 1


def test_a_link_of_the_chapter_shows_the_step_and_leads_back(reading):
    page = reading.page
    link = page.get_by_role("link", name="the lookup in the forward pass")
    link.click()
    expect(page.locator(".code-place")).to_contain_text("is marked: the lookup in the forward pass.")
    code = page.get_by_role("textbox", name="The code of model.py")
    expect(code).to_be_focused()
    expect(page.locator("lab-code .cm-shown-line")).to_contain_text('ops.embedding(stream, parameters["embedding"], ids)')
    expect(page.locator("lab-code .cm-shown-line")).to_be_in_viewport()
    expect(code).to_have_attribute("aria-readonly", "true")
    page.get_by_role("button", name="Back to the text").click()
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()


def test_a_function_is_marked_whole_and_files_have_tabs(reading):
    page = reading.page
    page.get_by_role("link", name="the turn", exact=True).click()
    expect(page.locator(".code-place")).to_contain_text("are marked: the turn.")
    expect(page.get_by_role("tab", name="ops/reference.py")).to_have_attribute("aria-selected", "true")
    expect(page.locator("lab-code .cm-shown-line").first).to_contain_text("def rotate(")
    page.get_by_role("tab", name="ops/reference.py").press("ArrowRight")
    expect(page.get_by_role("tab", name="positions.py")).to_be_focused()
    expect(page.get_by_role("textbox", name="The code of positions.py")).to_contain_text("The positional encodings")
    expect(page.get_by_role("button", name="Back to the text")).to_have_count(0)


def log(page):
    return page.get_by_role("log", name="What was typed and answered")


def type_in(page, source):
    """Type an input and Enter, as soon as the one before was answered."""
    prompt = page.get_by_role("textbox", name="Python", exact=True)
    expect(prompt).to_be_editable(timeout=STARTING)  # a fresh Python may be on its way
    prompt.fill(source)
    prompt.press("Enter")
    return prompt


def test_the_prompt_has_the_run_at_hand_and_its_own_ways(reading):
    page = reading.page
    page.get_by_role("button", name="Start the prompt").click()
    expect(log(page)).to_contain_text("untrained, with the settings of the controls, since no run has ended", timeout=120_000)
    prompt = page.get_by_role("textbox", name="Python", exact=True)
    expect(prompt).to_be_focused()

    type_in(page, "E.shape, len(vocabulary), run.step")
    expect(log(page)).to_contain_text("((73, 16), 73, 0)")

    type_in(page, "def twice(x):")
    expect(prompt).to_have_value("def twice(x):\n    ")
    prompt.press_sequentially("return 2 * x")
    prompt.press("Enter")
    expect(prompt).to_have_value("def twice(x):\n    return 2 * x\n    ")
    prompt.press("Enter")
    expect(prompt).to_have_value("")
    type_in(page, "twice(21)")
    expect(log(page).locator(".value").last).to_have_text("Value: 42\n")

    expect(prompt).to_be_editable()
    prompt.press("ArrowUp")
    expect(prompt).to_have_value("twice(21)")
    prompt.press("ArrowUp")
    assert prompt.input_value().startswith("def twice")
    prompt.press("ArrowDown")  # within the lines of an input it moves the caret, at their end it goes on
    expect(prompt).to_have_value("twice(21)")
    prompt.press("ArrowDown")
    expect(prompt).to_have_value("")

    type_in(page, "1 / 0")
    expect(log(page).locator(".error").last).to_contain_text('File "<input 4>", line 1')
    type_in(page, "for i in range(100_000): print(i)\n")
    expect(log(page)).to_contain_text("characters more were printed")
    page.get_by_role("button", name="Clear").click()
    expect(log(page).locator(".entry")).to_have_count(0)


def test_an_input_can_be_interrupted_and_where_python_does_not_listen_it_is_ended(reading):
    page = reading.page
    type_in(page, "kept = 7\nwhile True: pass\n")
    page.get_by_role("button", name="Interrupt").click()
    expect(log(page)).to_contain_text("Interrupted: your variables are as they were at that moment")
    type_in(page, "kept")
    expect(log(page).locator(".value").last).to_have_text("Value: 7\n")
    type_in(page, "while True:\n    try:\n        while True: pass\n    except BaseException: pass\n")
    page.get_by_role("button", name="Interrupt").click()
    expect(log(page)).to_contain_text("did not stop within 2 s, so it was ended: your variables are gone")
    type_in(page, "'kept' in globals(), E.shape")
    expect(log(page).locator(".value").last).to_have_text("Value: (False, (73, 16))\n")
    assert reading.button("Run").is_enabled()


def test_it_holds_the_selected_run_as_it_ended(reading):
    page = reading.page
    reading.run_to_end()
    page.get_by_role("button", name="Start anew").click()
    expect(log(page)).to_contain_text("RoPE, seed 1, as it was after 40 of 40 steps")
    type_in(page, "run.step, round(run.validation[-1][1], 3)")
    loss = reading.told("result")[-1]["runs"][0]["validationLoss"]
    expect(log(page).locator(".value").last).to_contain_text(f"(40, {loss:.3f}".rstrip("0"))


@pytest.mark.tolerates("console")
def test_without_python_it_says_so(page, site):
    site.fail("pyodide.asm.wasm", 404)
    lab = LabPage(page)
    lab.open(site, ready=False)
    expect(page.locator("lab-console")).to_contain_text("Python could not be loaded", timeout=60_000)
    page.get_by_role("link", name="the lookup in the forward pass").click()
    expect(page.locator("lab-code")).to_contain_text("model.py cannot be shown: Python could not be loaded")
