"""The recipes for course authors: each site is built by its tool and opened under its own policy, and its lab is run.

The lab is on one origin and the course on another. What a lesson says of a result comes from its own script, which had
it from the lab by event or message; it is compared with what CPython computes.
"""

import re

import pytest
from playwright.sync_api import expect

import build
from embedding_lab.config import RunConfig
from embedding_lab.corpus import Corpus
from embedding_lab.training import Run
from lab_page import STARTING, TRAINING
from recipe_sites import LAB, RECIPES, Course, load

SMALL = {"d": 16, "context": 16, "batch": 8}

# A score that does not come from the frame; resolves when all that listen to the page's window have had it.
FORGED = """
new Promise((resolve) => {
  addEventListener("message", ({ source }) => source === window && resolve());
  postMessage({ type: "embedding-lab:task", detail: { expect: "", passed: false, checks: [] } });
})
"""


@pytest.fixture(scope="session")
def courses(dist, subpath_server, tmp_path_factory):
    """Opens a course by its name, built once."""
    made = {}

    def course(name):
        if name not in made:
            made[name] = Course(name, subpath_server.url, tmp_path_factory.mktemp("course"))
        return made[name]

    yield course
    for one in made.values():
        one.close()


@pytest.fixture(scope="session")
def losses():
    """Gives the validation loss of a run in CPython, in nats per character: of the tab's to 1e-3."""
    corpus = Corpus.from_text((build.CORPORA / "alice29.txt").read_text("utf-8"))

    def loss(encoding, steps=40):
        run = Run(RunConfig(encoding=encoding, seed=1, steps=steps, **SMALL), corpus)
        while run.state == "training":
            run.advance(1)
        return run.validation[-1][1]

    return loss


@pytest.fixture
def lesson(page, courses, subpath_site):
    """Opens a page of a course, which may ask the lab's origin; returns it."""

    def opened(name, path):
        course = courses(name)
        page.guard.allow(subpath_site.url)
        page.goto(course.url + path)
        return page

    return opened


def lab_in(page):
    """The frame that holds the lab; the locators of frames look into open shadow roots."""
    return page.frame_locator("iframe[src*='/embed.html']")


def run(frame):
    """Press Run as soon as the lab is there."""
    frame.get_by_role("button", name="Run", exact=True).click(timeout=STARTING)


def numbers(output, pattern, patience=TRAINING):
    """What a lesson says, once it fits the pattern: the groups, as numbers."""
    expect(output).to_have_text(re.compile(pattern), timeout=patience)
    return [float(number.replace("−", "-")) for number in re.search(pattern, output.inner_text()).groups()]


def is_near(losses):
    return pytest.approx(losses, abs=2e-3)  # the lesson says three digits


def test_a_plain_page_runs_the_lab_by_its_own_buttons(lesson, losses):
    page = lesson("html", "index.html")
    page.get_by_label("Position is supplied by").select_option("rope")
    page.get_by_role("button", name="Train both").click()
    output = page.locator("output[for=lab]")
    said = numbers(output, r"^After 40 steps, in nats per character: none ([\d.]+), rope ([\d.]+)$")
    assert said == is_near([losses("none"), losses("rope")])
    gaps = lab_in(page).get_by_role("region", name="What does position buy?")
    expect(gaps).to_contain_text(f"{said[1]:.3f}")
    expect(lab_in(page).locator("loss-chart")).to_be_visible()
    expect(lab_in(page).locator("geometry-chart")).to_have_count(0)


def test_the_lab_of_a_plain_page_is_as_light_or_dark_as_the_page(lesson):
    page = lesson("html", "index.html")
    html = lab_in(page).locator("html")
    expect(html).to_have_css("color-scheme", "light")
    page.emulate_media(color_scheme="dark")
    expect(html).to_have_css("color-scheme", "dark")


def test_a_lesson_without_the_script_has_a_link_where_the_lab_would_be(browser, courses, subpath_site):
    for name, path in [("html", "index.html"), ("mkdocs", "unigram/"), ("sphinx", "order.html")]:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(courses(name).url + path)
        link = page.get_by_role("link", name=re.compile("^Open the lab"))
        expect(link).to_be_visible()
        assert link.get_attribute("href").startswith(subpath_site.url)
        context.close()


def test_a_material_lesson_sets_a_task_and_says_when_it_is_done(lesson, losses):
    page = lesson("mkdocs", "")
    page.evaluate("window.isSameDocument = true")
    to_lesson = page.get_by_role("link", name="lesson 2", exact=True)
    to_lesson.click()
    frame = lab_in(page)
    expect(frame.locator("html")).to_have_css("color-scheme", "light", timeout=STARTING)
    page.locator("label[title='Switch to dark mode']").click()
    expect(frame.locator("html")).to_have_css("color-scheme", "dark")

    run(frame)
    output = page.locator("output[for=unigram]")
    [short] = numbers(output, r"^Not yet \(learned-unigram<-0\.3: (.[\d.]+) nats\)$")
    frame.get_by_text("Change the experiment", exact=True).click()
    expect(frame.get_by_label("Width d", exact=True)).to_be_disabled()
    frame.get_by_label("Steps", exact=True).fill("300")
    run(frame)
    [long] = numbers(output, r"^Task done \(learned-unigram<-0\.3: (.[\d.]+) nats\)$")
    assert short - long == is_near(losses("learned", 40) - losses("learned", 300))

    page.get_by_role("link", name="Start", exact=True).first.click()
    expect(to_lesson).to_be_visible()
    expect(page.locator("embedding-lab")).to_have_count(0)
    to_lesson.click()
    expect(frame.get_by_role("button", name="Run", exact=True)).to_be_enabled(timeout=STARTING)
    expect(frame.locator("html")).to_have_css("color-scheme", "dark")
    assert page.evaluate("window.isSameDocument"), "the lesson came and went without a reload"


def test_a_book_shows_a_single_lab_in_its_own_light(lesson, losses):
    page = lesson("sphinx", "order.html")
    frame = lab_in(page)
    expect(frame.locator("html")).to_have_css("color-scheme", "light", timeout=STARTING)
    run(frame)
    [gap] = numbers(page.locator("output[for=order]"), r"none less learned: (.?[\d.]+) nats")
    assert gap == is_near(losses("none") - losses("learned"))
    card = frame.locator("probe-card")
    expect(card).to_have_count(1)
    expect(card).to_contain_text("dog bites man")
    expect(frame.locator("loss-chart, geometry-chart")).to_have_count(0)
    page.get_by_role("button", name="Color mode").click()
    page.get_by_role("button", name="Dark", exact=True).click()
    expect(frame.locator("html")).to_have_css("color-scheme", "dark")


def test_a_learning_platform_takes_the_score_from_a_frame(lesson, losses):
    page = lesson("lms", "lesson.html")
    frame = lab_in(page)
    run(frame)
    [nats] = numbers(page.locator("output"), r"^1 of 1 \(none-uniform<-1: (.[\d.]+)\)$")
    assert -1.2 < nats == is_near(losses("none") - 4.290)
    page.evaluate(FORGED)
    expect(page.locator("output")).to_have_text(re.compile("^1 of 1"))


@pytest.mark.parametrize("name", ["html", "mkdocs", "sphinx", "lms", "notebook"])
def test_a_policy_names_two_files_of_the_lab_and_nothing_else_of_others(courses, subpath_site, name):
    policy = courses(name).policy
    sources = {source for directive in policy.split(";") for source in directive.split()[1:]}
    own = re.compile(r"'(none|self|unsafe-hashes|script|sha256-[\w+/]{43}=)'|data:")
    foreign = {source for source in sources if not own.fullmatch(source)}
    by_script = {f"{subpath_site.url}embedding-lab.js"} if name in ("html", "mkdocs", "sphinx") else set()
    assert foreign == {f"{subpath_site.url}embed.html"} | by_script


def test_a_learning_platform_lets_nothing_through_but_text_and_frames(subpath_site):
    platform = load(RECIPES / "lms" / "platform.py")
    lesson = (RECIPES / "mkdocs" / "docs" / "unigram.md").read_text("utf-8") + (
        "\n<script>alert(1)</script>\n\n"
        f"<iframe src='{LAB}embed.html?steps=40' onload='alert(1)' style='color: red' allow='camera'></iframe>\n"
        "<iframe src='https://elsewhere.example/'></iframe>\n"
    )
    page = platform.render(lesson, LAB)
    assert f'<a href="{LAB}" rel="noopener noreferrer">Open the lab on a page of its own</a>' in page
    assert f'<iframe src="{LAB}embed.html?steps=40"></iframe>' in page
    for unwanted in ("embedding-lab id", "alert", "onload", "style=", "camera", "elsewhere"):
        assert unwanted not in page


def test_a_notebook_places_the_lab_and_hears_its_result(lesson, losses):
    page = lesson("notebook", "lesson.html")
    frame = lab_in(page)
    run(frame)
    said = numbers(page.locator("#lab-said"), r"^In nats per character: none ([\d.]+), learned ([\d.]+)$")
    assert said == is_near([losses("none"), losses("learned")])
    holder = page.locator("iframe[src*='/embed.html']")
    expect(holder).not_to_have_attribute("height", "700")
    inner = frame.locator("html").evaluate(
        """async (html) => {
          const hidden = () => html.scrollHeight - html.clientHeight;
          for (let frames = 0; frames < 600 && hidden() > 1; frames += 1) await new Promise(requestAnimationFrame);
          return hidden();
        }"""
    )
    assert inner <= 1, "the page gave the frame the height that it asked for"
