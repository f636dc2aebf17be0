"""Whatever reaches the page from outside is shown as text or refused in words: addresses, attributes, messages, what is kept, files.

Hypothesis makes it up; the pages are real ones, opened once for all of it, and at the end they train. What a page may never
show or do whatever it is given stands in fuzz.js (`faults`).
"""

import base64
import io
import json
import re
import zipfile
from pathlib import Path
from urllib.parse import quote_from_bytes

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect

from course_page import strict_policy, tag
from embedding_lab.config import settings_table
from lab_page import SMALL, LabPage
from tests.conftest import PageGuard

SCRIPT = (Path(__file__).parent / "fuzz.js").read_text()

ENCODINGS = [choice["value"] for choice in settings_table()[0]["choices"]]
SETTINGS = [row["name"].replace("_", "-") for row in settings_table() if row["name"] not in ("encoding", "seed")]
NAMES = ["encodings", "seeds", "panels", "locks", "expect", "theme", "autorun", *SETTINGS]

MARKUP = [
    "<img data-fuzz src=x onerror='window.hacked=1'>",
    "<script data-fuzz>window.hacked=1</script>",
    "<svg data-fuzz onload=window.hacked=1>",
    '"><b data-fuzz>',
    "' onfocus=window.hacked=1 autofocus data-fuzz '",
    "</textarea></title></pre><iframe data-fuzz srcdoc='<script>parent.hacked=1</script>'>",
    "javascript:window.hacked=1",
    "${window.hacked=1}",
    "{{window.hacked=1}}",
    "<!--?lit$-->",
    "__proto__",
    "constructor",
    "toString",
]
WORDS = st.one_of(
    st.sampled_from(
        [
            *MARKUP,
            *ENCODINGS,
            "own:",
            "own:<b data-fuzz>",
            "all",
            "probe:order",
            "probe:<b data-fuzz>",
            "loss,gaps",
            "none-learned>0.1",
        ]
    ),
    st.sampled_from(
        ["", " ", ",", "0", "-0", "1e400", "9" * 400, "\0", "\u202e\u2066abc", "\ud800", "\U000e0041", "x" * 5000, "1,2,3"]
    ),
    st.integers(-5, 300).map(str),
    st.text(st.characters(exclude_categories=[]), max_size=20),
)
TEXTS = st.one_of(
    WORDS, st.lists(WORDS, min_size=1, max_size=4).map("".join), st.lists(WORDS, min_size=1, max_size=4).map(",".join)
)
SPECIAL = st.sampled_from(
    "undefined nan infinity bigint date map set error regexp floats integers detached cycle deep long".split()
).map(lambda name: {"$": name})
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-10, 300), st.floats(allow_nan=False, allow_infinity=False), TEXTS, SPECIAL
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from([*NAMES, *MARKUP]), st.text(max_size=8)), inner, max_size=4),
    ),
    max_leaves=6,
)


def fuzz(examples, **strategies):
    """A test of so many examples, the same each time; a failing one is shown as it is, since pages take long to try others."""
    chosen = {"phases": [Phase.generate], "derandomize": True, "database": None}
    limits = {"max_examples": examples, "deadline": None, "suppress_health_check": list(HealthCheck)}

    def decorate(test):
        return settings(**chosen, **limits)(given(**strategies)(test))

    return decorate


def ask(page, function, value):
    return page.evaluate(f"(json) => {function}(json)", json.dumps(value))


def opened(browser, scripts=()):
    page = browser.new_context(viewport={"width": 1000, "height": 900}).new_page()
    page.guard = PageGuard(page)
    for script in (*scripts, SCRIPT):
        page.add_init_script(script)
    return page


# Counts what Pythons are handed that holds the mark of code in a file.
HANDED = """
window.handed = 0;
for (const { prototype } of [Worker, MessagePort]) {
  const post = prototype.postMessage;
  prototype.postMessage = function (message, ...rest) {
    const text = JSON.stringify(message, (name, value) => (ArrayBuffer.isView(value) || typeof value === "bigint" ? null : value));
    if (text?.includes("code-of-a-file")) window.handed += 1;
    return post.call(this, message, ...rest);
  };
}
"""


PACKED = "(bytes) => bytes.toBase64?.() ?? btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))"


@pytest.fixture(scope="module")
def lab(browser, root_server):
    """The lab with two runs, which the browser keeps; `original` in the page is what it keeps of them."""
    root_server.reset()
    page = opened(browser, [HANDED])
    lab = LabPage(page, cores=2)
    lab.open(root_server, encodings="none,learned", **SMALL)
    lab.seen = []
    lab.run_to_end()
    expect(page.locator("lab-kept [data-experiment]").get_by_text("2 runs", exact=True)).to_be_visible(timeout=30_000)
    # The .zip of a run, before others take its place on the page.
    packed = page.evaluate(
        f"document.querySelector('lab-app').lab.fileOf('learned-1').then(({{ bytes }}) => ({PACKED})(bytes))"
    )
    lab.packed = base64.b64decode(packed)
    page.evaluate("readRows().then((rows) => void (window.original = rows))")
    yield lab
    problems = page.guard.found()
    page.context.close()
    assert not problems


@pytest.fixture(scope="module")
def lesson(browser, course, subpath_server):
    """A page of a course under a strict policy: the element, and in its frame the real lab, whose Python does not come yet."""
    subpath_server.reset()
    python = subpath_server.hold("pyodide.asm.wasm")
    page = opened(browser)
    page.guard.allow(subpath_server.url)
    page.goto(course.put_page(tag(subpath_server), Content_Security_Policy=strict_policy(subpath_server)))
    expect(page.frame_locator("embedding-lab iframe").get_by_role("button", name="Run", exact=True)).to_be_visible()
    page.let_python_come = python.set
    yield page
    problems = page.guard.found()
    page.context.close()
    subpath_server.reset()
    assert not problems


# The address

ODD = st.tuples(st.one_of(st.sampled_from([*NAMES, *MARKUP]), TEXTS), TEXTS)
# Each may be had, but not always together: there are rules.
PLAUSIBLE = st.one_of(
    st.tuples(st.just("d"), st.integers(8, 128).map(str)),
    st.tuples(st.just("heads"), st.integers(1, 8).map(str)),
    st.tuples(st.just("encodings"), st.sampled_from(ENCODINGS)),
)


@fuzz(30, pairs=st.one_of(st.lists(ODD, max_size=5), st.lists(PLAUSIBLE, min_size=2, max_size=4)), is_embedded=st.booleans())
def test_any_query_opens_an_experiment_and_tells_by_name_what_of_it_cannot_be_had(lab, pairs, is_embedded):
    answer = lab.page.evaluate(
        "([pairs, isEmbedded]) => openQuery(JSON.stringify({ query: new URLSearchParams(JSON.parse(pairs)).toString(), isEmbedded }))",
        [json.dumps(pairs), is_embedded],
    )
    assert answer["faults"] == []
    assert answer["untold"] == [], "a problem is not shown"
    assert set(answer["names"]) <= {*(readable(name) for name, _ in pairs), *NAMES}
    assert answer["errors"] == {}, "what the page falls back on can be trained"
    assert answer["same"], f"{answer['query']} is another experiment"


def readable(text):
    """What an address makes of a text: a lone surrogate cannot be written in it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@fuzz(
    4,
    query=st.lists(
        st.one_of(
            st.binary(max_size=30).map(quote_from_bytes),
            st.sampled_from(["%", "%zz", "&", "=", "d=%ff%fe", "+", "?", "steps=%00", "<b data-fuzz>"]),
        ),
        max_size=12,
    ).map("".join),
)
def test_any_address_opens_the_page(lab, query):
    with lab.page.context.new_page() as page:  # closed whatever comes: behind it, the other is drawn no more
        page.add_init_script(SCRIPT)
        guard = PageGuard(page)
        page.goto(f"{lab.page.url.partition('?')[0]}?{query}")
        expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
        assert page.evaluate("faults()") == []
        assert guard.found() == []


# What the browser keeps

CHANGE = st.fixed_dictionaries(
    {
        "store": st.sampled_from(["runs", "contents", "contents", "findings", "texts"]),
        "number": st.integers(0, 5),
        "path": st.lists(st.integers(0, 1000), max_size=4),
        "act": st.sampled_from(["akin", "akin", "akin", "set", "delete"]),
        "value": VALUES,
    }
)


@fuzz(40, changes=st.lists(CHANGE, min_size=1, max_size=2))
def test_whatever_is_kept_is_opened_or_called_unreadable_and_all_of_it_is_listed(lab, changes):
    answer = ask(lab.page, "openRows", changes)
    assert answer["faults"] == []
    assert answer["listed"] == answer["rows"]
    for message in answer["refused"]:
        assert message and "Traceback" not in message
    expect(lab.button("Run")).to_be_enabled()
    lab.seen.append(answer)


def test_of_what_was_kept_much_was_opened_and_much_was_not(lab):
    if not lab.seen:
        pytest.skip("it counts what the test before it has opened, which did not run")
    for part, least in {"unreadable": 10, "opened": 15, "packed": 15}.items():
        assert sum(answer[part] > 0 for answer in lab.seen) >= least, part


# Files

NAMES_OF_FILES = st.sampled_from(
    ["run.zip", "a.py", "<img data-fuzz src=x onerror='window.hacked=1'>.py", "\u202eyp.a", "x" * 300 + ".txt", "__proto__"]
)
BYTES = st.one_of(
    st.binary(max_size=200), TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")), st.just(b"PK\x05\x06" + bytes(18))
)


def altered(zipped, member, content, place):
    """The zip with another content of one of its files, or, without one, with a byte of its own changed."""
    if content is None:
        place %= len(zipped)
        return zipped[:place] + bytes([zipped[place] ^ 0xFF]) + zipped[place + 1 :]
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(zipped)) as old, zipfile.ZipFile(out, "w") as new:
        names = old.namelist()
        for name in names:
            new.writestr(name, content if name == names[member % len(names)] else old.read(name))
    return out.getvalue()


def give(lab, label, name, content):
    """Choose a file in one of the page's controls."""
    lab.page.get_by_label(label).set_input_files({"name": name, "mimeType": "", "buffer": content})


@fuzz(
    12,
    member=st.integers(0, 9),
    content=st.one_of(st.none(), BYTES, VALUES.map(lambda value: json.dumps(value).encode())),
    place=st.integers(0, 10**6),
    name=NAMES_OF_FILES,
)
def test_any_file_is_opened_as_a_run_or_refused_in_words(lab, member, content, place, name):
    lab.page.evaluate("void (window.before = document.querySelector('lab-app').lab.state.runs)")
    give(lab, "A .zip that", name, altered(lab.packed, member, content, place))
    outcome = lab.page.evaluate("fileRead()")
    assert outcome["faults"] == []
    assert outcome["isOpened"] != bool(outcome["error"]), outcome


@fuzz(12, name=NAMES_OF_FILES, content=BYTES)
def test_any_file_is_read_as_a_text_or_refused_in_words(lab, name, content):
    lab.open_controls()
    lab.control("Text").select_option("own")
    give(lab, "Or a text file: drop it here, or", name, content)
    outcome = lab.page.evaluate("textRead()")
    assert outcome["faults"] == []
    assert outcome["isTaken"] != bool(outcome["error"]), outcome


@fuzz(12, name=NAMES_OF_FILES, content=BYTES)
def test_no_code_of_a_file_is_handed_to_python_unasked(lab, name, content):
    if not lab.page.locator("#encoding-file").count():
        lab.button("+ Your own").click()
    waits = lab.page.locator("lab-encoding-editor .state").filter(has_text="This is code from a file. It runs when you")
    refused = lab.page.locator("lab-encoding-editor .file + [role=alert]").filter(
        has_text=re.compile("the code of an encoding|is no Python")
    )
    lab.page.get_by_label("Start from").select_option(index=0)  # so that nothing is left of what was said of the file before
    expect(waits.or_(refused)).to_have_count(0)
    give(lab, "Or code in a file: drop it here, or", name, b"# code-of-a-file\n" + content)
    expect(waits.or_(refused)).to_be_visible()
    assert lab.page.evaluate("twoFrames().then(() => faults(document.querySelector('lab-encoding-editor')))") == []
    assert lab.page.evaluate("window.handed") == 0


def test_asked_to_check_it_the_page_hands_over_the_code_of_the_file(lab):
    """So what the test before counts is there to be counted."""
    lab.button("Check it").click()
    assert lab.page.evaluate("until('the check', () => window.handed > 0)") is None


# What a course says to the element, and to the frame

SETTINGS_TOLD = st.dictionaries(
    st.one_of(st.sampled_from(NAMES), st.sampled_from(MARKUP)), st.one_of(TEXTS, TEXTS, VALUES), max_size=4
)
MESSAGE = st.one_of(
    st.fixed_dictionaries({"type": st.just("embedding-lab:configure"), "detail": SETTINGS_TOLD}),
    st.fixed_dictionaries({"type": st.just("embedding-lab:configure"), "detail": VALUES}),
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["run", "pause", "stop", "reset", "error", ""]).map("embedding-lab:".__add__),
            "detail": VALUES,
        }
    ),
    st.fixed_dictionaries({"type": TEXTS.map("embedding-lab:".__add__), "detail": VALUES}),
    st.fixed_dictionaries({"detail": VALUES, "bare": st.just(True)}),
)


@fuzz(40, message=MESSAGE)
def test_any_message_is_obeyed_or_answered_in_words_and_the_next_is_heard(lesson, message):
    for answer in ask(lesson, "sendMessage", message):
        assert answer["code"] in ("message", "config")
        assert 0 < len(answer["message"]) < 10_000
    assert frame_of(lesson).evaluate("faults()") == lesson.evaluate("faults()") == []


def frame_of(lesson):
    [frame] = lesson.main_frame.child_frames
    return frame


@fuzz(20, attributes=st.lists(st.tuples(st.one_of(st.sampled_from(NAMES), TEXTS), TEXTS), max_size=4), detail=VALUES)
def test_any_attribute_reaches_the_lab_as_a_setting_or_not_at_all(lesson, attributes, detail):
    answer = ask(lesson, "setAttributes", {"attributes": attributes, "settings": detail})
    assert answer["faults"] == frame_of(lesson).evaluate("faults()") == []
    assert set(answer["refused"]) <= {"InvalidCharacterError", "TypeError"}
    [address] = answer["frames"]
    assert address == frame_of(lesson).url


# The end: what was opened still does what it is for


def test_after_all_that_the_lab_in_the_frame_trains(lesson):
    lesson.let_python_come()
    runs = ask(lesson, "train", {**SMALL, "encodings": "none", "seeds": "1"})
    assert [run["encoding"] for run in runs] == ["none"]


def test_after_all_that_the_page_trains(lab):
    settings = {
        **SMALL,
        "encodings": "none,learned",
        "seeds": "1",
        "corpus": "alice29",
    }  # files and kept runs have changed them
    lab.page.evaluate("(settings) => document.querySelector('lab-app').lab.configure(settings)", settings)
    assert {run["encoding"] for run in lab.run_to_end()["runs"]} == {"none", "learned"}
