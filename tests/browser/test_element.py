"""The element in pages of a course, of another origin than the lab's: with a frame that does as told."""

import pytest
from playwright.sync_api import expect

from course_page import STAND_IN, Lesson, origin, strict_policy, tag

pytestmark = pytest.mark.usefixtures("lab_of_a_course")


@pytest.fixture
def lab_site(site, tmp_path):
    """The lab's site with the stand-in as its embed.html."""
    (tmp_path / "embed.html").write_text(STAND_IN)
    site.overlay = tmp_path
    return site


def settled(page):
    """Let the page draw twice, so that what it does when it draws has been done."""
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))")


def test_under_the_strictest_policy_it_tells_what_the_lab_tells_and_passes_on_what_it_is_told(page, course, lab_site):
    body = tag(lab_site, 'encodings="none,learned" steps="300"', '<a href="https://lab.example/">Open the lab</a>')
    lesson = Lesson(page, course.put_page(body, Content_Security_Policy=strict_policy(lab_site)))
    frame = lesson.frame()
    expect(page.get_by_title("Embedding Lab")).to_be_visible()
    expect(page.get_by_role("link", name="Open the lab")).to_be_hidden()
    assert lesson.query() == {"encodings": "none,learned", "steps": "300", "theme": "light"}
    assert lesson.do("return lab.results") is None
    details = {name: {"of": name} for name in ("ready", "progress", "error", "result", "task")}
    for name, detail in [*details.items(), ("size", {"height": 10}), ("unknown", {})]:
        frame.evaluate("([name, detail]) => say(name, detail)", [name, detail])
    frame.evaluate("say('progress', { of: 'last' })")
    assert lesson.told(6) == [*([name, "", detail] for name, detail in details.items()), ["progress", "", {"of": "last"}]]
    assert lesson.do("return lab.results") == {"of": "result"}
    lesson.do("lab.run(); lab.pause(); lab.stop(); lab.reset();")
    assert lesson.heard(4) == [["run", None], ["pause", None], ["stop", None], ["reset", None]]
    assert {message["origin"] for message in frame.evaluate("heard")} == {course.origin}


def test_without_its_script_it_shows_what_stands_inside(page, course, site):
    Lesson(page, course.put_page('<embedding-lab><a href="https://lab.example/">Open the lab</a></embedding-lab>'))
    expect(page.get_by_role("link", name="Open the lab")).to_be_visible()


def test_every_attribute_but_htmls_own_is_a_setting(page, course, lab_site):
    of_html = (
        "id=a class=b lang=en dir=ltr role=region tabindex=0 data-x=1 aria-label='The order lab' slot=s part=p _ngcontent-a1"
    )
    of_lab = "autorun position-scale=0.05 position_scale=0.1 stepps=3 theme=dark expect='none-learned>0.1'"
    lesson = Lesson(page, course.put_page(tag(lab_site, f"{of_html} {of_lab}")))
    lesson.frame()
    assert lesson.query() == {
        "autorun": "1",
        "position-scale": "0.05",
        "position_scale": "0.1",
        "stepps": "3",
        "theme": "dark",
        "expect": "none-learned%3E0.1",
    }
    expect(page.get_by_title("The order lab")).to_be_attached()
    lesson.do("lab.setAttribute('aria-label', 'The lab of turns')")
    expect(page.get_by_title("The lab of turns")).to_be_attached()
    lesson.do("lab.removeAttribute('aria-label'); lab.title = 'Lab 4'")
    expect(lesson.iframes).to_have_attribute("title", "Lab 4")


def test_what_changes_is_told_at_once_and_in_order(page, course, lab_site):
    """Also what was asked for before the frame listens."""
    held = lab_site.hold("embed.html")
    lesson = Lesson(page, course.put_page(tag(lab_site, "steps=300 seeds=1")), wait_until="commit")
    expect(lesson.iframes).to_be_attached()
    lesson.do("lab.setAttribute('steps', 20); lab.run(); lab.run(); lab.removeAttribute('seeds'); lab.setAttribute('d', 16)")
    held.set()
    assert lesson.heard(3) == [["configure", {"steps": "20"}], ["run", None], ["configure", {"seeds": None, "d": "16"}]]
    settings = "{ encodings: ['none', 'rope'], seeds: [1, 2], tied: false, autorun: true, d: null, lr: 0.003, steps: '20' }"
    lesson.do(f"lab.configure({settings})")
    configured = {
        "encodings": "none,rope",
        "seeds": "1,2",
        "tied": "0",
        "autorun": "1",
        "d": None,
        "lr": "0.003",
        "steps": "20",
    }
    assert lesson.heard(4)[3] == ["configure", configured], "what is named is told, though an attribute says so already"
    attributes = lesson.do("return Object.fromEntries([...lab.attributes].map(({ name, value }) => [name, value]))")
    assert attributes == {name: value for name, value in configured.items() if value is not None}
    lesson.do("lab.id = 'x'; lab.className = 'y'; lab.setAttribute('heads', 2)")
    assert lesson.heard(5)[4:] == [["configure", {"heads": "2"}]]


def test_a_stream_of_changes_comes_calmly_and_ends_with_the_last(page, course, lab_site):
    """The lab obeys a bounded number of messages in a second."""
    lesson = Lesson(page, course.put_page(tag(lab_site)))
    frame = lesson.frame()
    settled(page)
    before = len(frame.evaluate("heard"))
    took = lesson.do("""return (async () => {
      const begun = performance.now();
      for (let steps = 1; steps <= 200; steps += 1) {
        lab.setAttribute("steps", steps);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      lab.run();
      return performance.now() - begun;
    })()""")
    frame.wait_for_function("heard.at(-1).type === 'embedding-lab:run'")
    changes = frame.evaluate("heard.slice(0, -1)")[before:]
    assert changes[-1]["detail"]["steps"] == "200"
    assert 1 < len(changes) <= took / 100 + 2


def test_a_picture_that_takes_the_name_of_the_running_script_does_not_choose_the_lab(page, course, lab_site):
    stranger = '<img name="currentScript" src="data:image/png," alt="">'
    Lesson(page, course.put_page(stranger + tag(lab_site)))
    expect(page.locator("embedding-lab iframe")).to_have_count(0)
    expect(page.get_by_role("alert")).to_contain_text("address is unknown")


def test_settings_that_cannot_be_are_refused_whole(page, course, lab_site):
    lesson = Lesson(page, course.put_page(tag(lab_site, "hidden")))
    for settings, words in {
        "{ steps: 5, d: NaN }": "d is NaN; choose a string, a finite number",
        "{ steps: 5, seeds: [1, {}] }": "seeds is a list with [object Object]",
        "{ steps: 5, lr: undefined }": "lr is undefined",
        "{ steps: 5, positionScale: 1 }": "positionScale is no name of a setting, which has small letters and hyphens: write position-scale",
        "{ steps: 5, init_std: 1 }": "write init-std",
        "{ steps: 5, class: 'x' }": "class is no name of a setting",
        "'steps=5'": "steps=5 was given; it takes an object",
        "null": "null was given",
    }.items():
        said = lesson.do(
            f"try {{ lab.configure({settings}) }} catch (error) {{ return `${{error.name}}: ${{error.message}}` }}"
        )
        assert said.startswith("TypeError: configure: ") and words in said
    assert not lesson.do("return lab.hasAttribute('steps')")


SWITCHED = """
<link rel="stylesheet" href="/dark.css" disabled>
<link rel="stylesheet" href="/colours.css">
"""
COLOURS = """
.night { color: #839496 } .day { color: #657b83 } .slow { transition: color 200ms }
.night-oklch { color: oklch(0.9 0.02 250) } .day-oklch { color: oklch(0.3 0.02 250) }
.night-p3 { color: color(display-p3 0.9 0.9 0.95) } .day-p3 { color: color(display-p3 0.1 0.1 0.15) }
.night-mixed { color: color-mix(in lab, white 80%, black) } .day-mixed { color: rgb(0 0 0 / 80%) }
@media (prefers-color-scheme: dark) { .system { color: #eee } }
.hidden { display: none }
"""


def test_the_theme_is_that_of_the_text_around_it_however_that_is_changed(page, course, lab_site):
    course.put("/dark.css", "body { color: #ddd }", Content_Type="text/css")
    course.put("/colours.css", COLOURS, Content_Type="text/css")
    body = f'<div id="around" class="night">{tag(lab_site)}</div>'
    lesson = Lesson(page, course.put_page(body, SWITCHED))
    frame = lesson.frame()
    assert lesson.query() == {"theme": "dark"}, "the frame is made with it"
    expected = []

    def expect_told(theme):
        expected.append(["configure", {"theme": theme}])
        assert lesson.heard(len(expected)) == expected

    around = page.locator("#around")
    for name in ("oklch", "p3", "mixed"):
        for theme, time in (("light", "day"), ("dark", "night")):
            around.evaluate("(around, name) => { around.className = name }", f"{time}-{name}")
            expect_told(theme)
    around.evaluate("(around) => { around.className = 'slow night' }")
    settled(page)
    around.evaluate("(around) => { around.className = 'slow day' }")  # halfway, it is neither
    expect_told("light")
    around.evaluate("(around) => { around.className = '' }")
    page.evaluate("document.querySelector('link').disabled = false")
    expect_told("dark")
    page.evaluate("document.querySelector('link').disabled = true")
    expect_told("light")
    around.evaluate("(around) => { around.className = 'system' }")
    page.emulate_media(color_scheme="dark")
    expect_told("dark")
    around.evaluate("(around) => { around.className = 'hidden' }")
    settled(page)
    around.evaluate("(around) => { around.className = 'day hidden' }")
    settled(page)
    around.evaluate("(around) => { around.className = 'day' }")
    expect_told("light")
    lesson.do("lab.setAttribute('theme', 'dark')")
    expect_told("dark")
    around.evaluate("(around) => { around.className = 'day-p3' }")
    settled(page)
    lesson.do("lab.setAttribute('theme', 'auto')")
    expect_told("light")
    assert frame.evaluate("heard.length") == len(expected)


def test_a_theme_that_is_unknown_is_reported_and_is_that_of_the_page(page, course, lab_site):
    course.put("/dark.css", "body { color: #ddd }", Content_Type="text/css")
    lesson = Lesson(page, course.put_page(tag(lab_site, "theme=Auto"), '<link rel="stylesheet" href="/dark.css">'))
    lesson.frame()
    assert lesson.query() == {"theme": "dark"}
    message = "theme = Auto is unknown: choose light, dark, auto. The default is used."
    expect(page.get_by_role("note")).to_have_text(message)
    assert lesson.told(1) == [["error", "", {"code": "config", "message": message}]]
    page.evaluate("document.querySelector('link').disabled = true")
    assert lesson.heard(1) == [["configure", {"theme": "light"}]]
    lesson.do("lab.setAttribute('theme', '')")
    expect(page.get_by_role("note")).to_have_count(0)
    page.evaluate("document.querySelector('link').disabled = false")
    assert lesson.heard(2)[1:] == [["configure", {"theme": "dark"}]]
    lesson.do("lab.configure({ theme: 'lihgt' })")
    expect(page.get_by_role("note")).to_contain_text("theme = lihgt is unknown")
    assert len(lesson.told(2)) == 2


def test_the_frame_is_made_near_the_screen_once_it_is_displayed_or_when_it_is_asked_to_run(page, course, lab_site):
    course.put("/far.css", ".far { height: 5000px } .tab { display: none }", Content_Type="text/css")
    body = f"""{tag(lab_site, "id=first steps=1")}<p class="far"></p><div id="scrolled">{tag(lab_site, "id=second steps=2")}</div>
      <p class="far"></p>{tag(lab_site, "id=third steps=3")}<div id="tab" class="tab">{tag(lab_site, "id=tabbed steps=4")}</div>"""
    lesson = Lesson(page, course.put_page(body, '<link rel="stylesheet" href="/far.css">'))
    lesson.frame("#first")
    settled(page)
    expect(lesson.iframes).to_have_count(1)
    page.evaluate("scrollTo(0, document.querySelector('#second').offsetTop - innerHeight - 500)")
    lesson.frame("#second")
    expect(lesson.iframes).to_have_count(2)
    page.evaluate("document.querySelector('#third').run()")
    assert lesson.heard(1, "#third") == [["run", None]]
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    settled(page)
    expect(lesson.iframes).to_have_count(3)
    page.evaluate("document.querySelector('#tab').className = ''")
    lesson.frame("#tabbed")


def test_its_height_is_that_of_the_lab_and_one_that_cannot_be_is_not_taken(page, course, lab_site):
    held = lab_site.hold("embed.html")
    lesson = Lesson(page, course.put_page(tag(lab_site)), wait_until="commit")
    expect(lesson.iframes).to_be_attached()
    expect(page.get_by_text("The lab is loading.")).to_be_visible()

    def height():
        return lesson.do("return lab.getBoundingClientRect().height")

    assert height() == 736, "kept free from the start"
    held.set()
    frame = lesson.frame()
    expect(lesson.iframes).to_have_css("height", "321px")
    expect(page.get_by_text("The lab is loading.")).to_be_hidden()
    assert height() == 321
    for wrong in ("50001", "Infinity", "NaN", "-5", "0", "'9e9'", "null", "{}"):
        frame.evaluate(f"say('size', {{ height: {wrong} }})")
    frame.evaluate("say('size'); say('size', { height: 1200 })")
    expect(lesson.iframes).to_have_css("height", "1200px")
    assert height() == 1200


def test_it_listens_to_its_own_frame_alone(page, course, lab_site):
    body = f"""{tag(lab_site, "id=first")}{tag(lab_site, "id=second steps=2")}
      <iframe name="stranger" src="{lab_site.url}embed.html?silent=1"></iframe>"""
    lesson = Lesson(page, course.put_page(body))
    first, second = lesson.frame("#first"), lesson.frame("#second")
    expect(page.locator("#first iframe")).to_have_css("height", "321px")
    stranger = page.frame("stranger")
    stranger.evaluate("say('result', { runs: [] })")
    page.evaluate("postMessage({ type: 'embedding-lab:result', detail: { runs: [] } }, '*')")
    for junk in ("null", "7", "'embedding-lab:result'", "[]", "{ type: 5 }", "{ type: 'other:result' }", "{}"):
        first.evaluate(f"parent.postMessage({junk}, '*')")
    second.evaluate("say('ready', { backend: 'numpy' })")
    lesson.told(1)
    settled(page)
    assert lesson.told(1) == [["ready", "second", {"backend": "numpy"}]]


@pytest.mark.tolerates("console")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_frame_that_says_nothing_is_told_of_and_can_be_tried_again(page, course, lab_site, theme):
    lab_site.fail("embed.html", 503)
    color = {"light": "rgb(34, 34, 34)", "dark": "rgb(221, 221, 221)"}[theme]
    course.put("/theme.css", f"body {{ color-scheme: {theme}; color: {color} }}", Content_Type="text/css")
    page.clock.install()
    lesson = Lesson(page, course.put_page(tag(lab_site), '<link rel="stylesheet" href="/theme.css">'))
    expect(lesson.iframes).to_be_attached()
    page.clock.fast_forward(8_000)
    expect(page.get_by_role("alert")).to_be_empty()
    page.clock.fast_forward(12_100)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(f"The lab at {origin(lab_site)} has not answered for 20 seconds.")
    assert [(name, detail["code"]) for name, _, detail in lesson.told(1)] == [("error", "frame")]
    retry = page.get_by_role("button", name="Retry")
    expect(retry).to_have_css("color", color)
    expect(lesson.iframes).to_have_css("background-color", "rgb(255, 255, 255)")
    link = page.get_by_role("link", name="Open the lab in a tab of its own")
    assert link.get_attribute("href") == f"{lab_site.url}embed.html?theme={theme}"
    page.keyboard.press("Tab")
    expect(retry).to_be_focused()
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    lab_site.repair()
    retry.press("Enter")
    expect(alert).to_be_empty()
    expect(lesson.iframes).to_have_css("height", "321px")


def test_a_frame_that_answers_late_is_shown_after_all(page, course, lab_site):
    page.clock.install()
    lesson = Lesson(page, course.put_page(tag(lab_site, "silent=1")))
    frame = lesson.frame()
    lesson.do("lab.run()")
    page.clock.fast_forward(20_100)
    expect(page.get_by_role("alert")).to_contain_text("has not answered")
    frame.evaluate("say('error', { code: 'missing-file', message: 'embed.js could not be loaded' })")
    expect(page.get_by_role("alert")).to_be_empty()
    assert [detail["code"] for _, _, detail in lesson.told(2)] == ["frame", "missing-file"]
    assert frame.evaluate("heard") == [], "what reports an error need not be what obeys"
    frame.evaluate("say('size', { height: 500 })")
    expect(lesson.iframes).to_have_css("height", "500px")
    assert lesson.heard(1) == [["run", None]]


@pytest.mark.tolerates("policy", "console")
def test_a_policy_that_keeps_the_lab_out_is_named_with_what_it_has_to_allow(page, course, lab_site):
    policy = f"default-src 'none'; script-src {origin(lab_site)}; frame-src 'self'"
    Lesson(page, course.put_page(tag(lab_site), Content_Security_Policy=policy))
    expect(page.get_by_role("alert")).to_contain_text(
        f"The Content-Security-Policy of this page does not let the lab in: its frame-src has to allow {origin(lab_site)}."
    )


def test_a_policy_that_keeps_a_stranger_out_is_not_blamed(page, course, lab_site):
    """Also a stranger whose address begins as the lab's does."""
    lesson = Lesson(page, course.put_page(tag(lab_site, "silent=1")))
    lesson.frame()
    violate = """(blockedURI) => document.dispatchEvent(new SecurityPolicyViolationEvent("securitypolicyviolation", {
      blockedURI, effectiveDirective: "frame-src", disposition: "enforce" }))"""
    for stranger in (f"{origin(lab_site)}@stranger.example/", "https://stranger.example", "data"):
        page.evaluate(violate, stranger)
        expect(page.get_by_role("alert")).to_be_empty()
    page.evaluate(violate, origin(lab_site))
    expect(page.get_by_role("alert")).to_contain_text("its frame-src has to allow")


def test_a_lab_that_has_moved_to_another_origin_is_named(page, course, lab_site, dist):
    course.put("/lab/embedding-lab.js", (dist / "embedding-lab.js").read_text(), Content_Type="text/javascript")
    moved = f'<meta http-equiv="refresh" content="0; url={lab_site.url}embed.html">'
    course.put("/lab/embed.html", moved, Content_Type="text/html")
    Lesson(page, course.put_page('<script src="/lab/embedding-lab.js"></script><embedding-lab></embedding-lab>'))
    expect(page.get_by_role("alert")).to_contain_text(
        f"The lab is at {origin(lab_site)}, but its script came from {course.origin}: load the script from there, too."
    )


def test_a_script_that_cannot_tell_where_it_came_from_says_so(page, course, dist):
    Lesson(page, course.put_page(f"<script>{(dist / 'embedding-lab.js').read_text()}</script><embedding-lab></embedding-lab>"))
    expect(page.get_by_role("alert")).to_contain_text(
        "load embedding-lab.js by a script element of this document that has a src"
    )
    expect(page.get_by_role("button")).to_have_count(0)


def test_included_twice_before_and_after_the_elements_it_is_there_once(page, course, lab_site):
    again = f'<script src="{lab_site.url}embedding-lab.js?version=2"></script>'
    lesson = Lesson(page, course.put_page(f"<embedding-lab id=early></embedding-lab>{again}{tag(lab_site, 'id=late')}{again}"))
    lesson.frame("#early")
    lesson.frame("#late")
    expect(lesson.iframes).to_have_count(2)


def test_moved_it_begins_anew_with_what_holds_now_and_cloned_it_is_another(page, course, lab_site):
    lesson = Lesson(page, course.put_page(f"{tag(lab_site, 'steps=1')}<div id='there'></div>"))
    lesson.frame()
    lesson.do("lab.setAttribute('steps', 2)")
    assert lesson.heard(1) == [["configure", {"steps": "2"}]]
    lesson.do("there.append(lab); lab.run()")
    assert lesson.heard(1) == [["run", None]]
    assert lesson.query() == {"steps": "2", "theme": "light"}
    lesson.do("document.body.moveBefore(lab, there)")
    lesson.do("lab.pause()")
    assert lesson.heard(2) == [["run", None], ["pause", None]], "where the page can move it whole, the frame stays"
    lesson.do("const other = lab.cloneNode(true); other.id = 'other'; other.setAttribute('steps', 3); there.append(other)")
    lesson.frame("#other")
    assert lesson.query("#other") == {"steps": "3", "theme": "light"}
    lesson.do("lab.remove(); lab.setAttribute('steps', 4); lab.run(); document.body.append(lab)")
    assert lesson.heard(1, "embedding-lab:not(#other)") == [["run", None]], "what it was to do while it was nowhere"
    assert lesson.query("embedding-lab:not(#other)")["steps"] == "4"


def test_removed_it_leaves_nothing_behind(page, course, lab_site):
    lesson = Lesson(page, course.put_page(tag(lab_site)))
    lesson.frame()
    session = page.context.new_cdp_session(page)
    page.evaluate("window.gone = new WeakRef(document.querySelector('embedding-lab'))")

    def listening():
        window = session.send("Runtime.evaluate", {"expression": "window"})["result"]["objectId"]
        listeners = session.send("DOMDebugger.getEventListeners", {"objectId": window})["listeners"]
        return [listener["type"] for listener in listeners if listener["type"] == "message"]

    assert listening() == ["message"]
    page.evaluate("document.querySelector('embedding-lab').remove()")
    assert listening() == []
    for _ in range(20):
        settled(page)
        session.send("HeapProfiler.collectGarbage")
        if page.evaluate("gone.deref() === undefined"):
            break
    else:
        raise AssertionError("the element is still held")


def test_a_frame_that_is_loaded_anew_from_within_is_told_again_what_holds(page, course, lab_site):
    lesson = Lesson(page, course.put_page(tag(lab_site, "steps=1")))
    lesson.frame()
    lesson.do("lab.setAttribute('steps', 2)")
    assert lesson.heard(1) == [["configure", {"steps": "2"}]]
    with page.expect_event("framenavigated"):
        lesson.frame().evaluate("setTimeout(() => location.reload())")
    expect(lesson.iframes).to_have_count(1)
    lesson.frame().evaluate("new Promise((resolve) => document.readyState === 'complete' ? resolve() : onload = resolve)")
    lesson.frame().evaluate("say('ready', {})")
    assert lesson.heard(1) == [["configure", {"steps": "2"}]]


def test_it_works_within_shadow_roots(page, course, lab_site):
    body = f"""<script src="{lab_site.url}embedding-lab.js"></script><div id="outer"><template shadowrootmode="closed">
      <embedding-lab steps="5"></embedding-lab></template></div>"""
    with page.expect_event("framenavigated", lambda frame: "steps=5" in frame.url) as navigated:
        lesson = Lesson(page, course.put_page(body))
    frame = navigated.value
    frame.wait_for_function("window.heard !== undefined")
    frame.evaluate("say('ready', { backend: 'numpy' })")
    assert lesson.told(1) == [["ready", "outer", {"backend": "numpy"}]]


def test_in_a_sandboxed_page_it_talks_to_a_frame_without_an_origin(page, course, lab_site):
    lesson = Lesson(page, course.put_page(tag(lab_site, "steps=5"), Content_Security_Policy="sandbox allow-scripts"))
    expect(lesson.iframes).to_have_css("height", "321px")
    lesson.do("lab.run()")
    assert lesson.heard(1) == [["run", None]]
    assert lesson.frame().evaluate("[self.origin, heard[0].origin]") == ["null", "null"]
