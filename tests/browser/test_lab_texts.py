"""Texts of the reader's own, in any script and of any kind: read, told about, drawn and trained, or refused with the reason."""

import codecs
import unicodedata

import pytest
from playwright.sync_api import expect

from embedding_lab.corpus import Corpus, character_class
from embedding_lab.memory import LARGEST_FILE
from lab_page import SMALL, LabPage
from tests import texts

TEXTS = texts.KINDS | {"one long line": texts.one_line(90_000)}  # about as much as the field takes


@pytest.fixture(scope="module")
def own(shared_page, root_server):
    """A page that is to train one small run on a text of the reader's own."""
    root_server.reset()
    lab = OwnTextPage(shared_page)
    lab.open(root_server, encodings="learned", corpus="own", **SMALL)
    lab.open_controls()
    lab.page.evaluate("document.querySelector('lab-app').lab.reader.warm().ready")  # the Python that reads texts
    return lab


class OwnTextPage(LabPage):
    """The lab with its text chosen to be the reader's own."""

    @property
    def element(self):
        return self.page.locator("lab-own-text")

    @property
    def field(self):
        return self.page.get_by_role("textbox", name="Your own text")

    @property
    def found(self):
        return self.page.get_by_role("group", name="What is in your text")

    @property
    def error(self):
        return self.element.locator(".error")

    def choose(self, name, content):
        """Choose a file of these bytes."""
        chooser = self.element.locator("input[type=file]")
        chooser.set_input_files({"name": name, "mimeType": "text/plain", "buffer": content})

    def choose_text(self, kind):
        """Choose a file of one of the texts, and wait until its facts are there."""
        corpus = Corpus.from_text(TEXTS[kind])
        self.choose(f"{kind}.txt", TEXTS[kind].encode())
        expect(self.found).to_contain_text(
            f"{len(corpus.train) + len(corpus.validation):,} characters: the first {len(corpus.train):,} train, "
            f"the last {len(corpus.validation):,} validate.",
            timeout=60_000,
        )
        expect(self.error).to_have_count(0)
        return corpus

    def longest_task_loading(self, file):
        """Milliseconds of the longest task of the page while a long text is loaded; 0 where none reaches 50."""
        if self.field.count() == 0:
            self.button("Remove this text").click()
        expect(self.field).to_be_visible()
        self.page.evaluate("longTasks.length = 0")
        self.element.locator("input[type=file]").set_input_files(file)
        # Not `expect`, which looks at every element of the page again and again, and so holds it.
        self.page.locator(".own-text .ends").wait_for(timeout=120_000)
        return self.page.evaluate("Math.max(0, ...longTasks.map(({ duration }) => duration))")

    def paste(self, text):
        """Paste a text into the field, by way of the clipboard."""
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.field.focus()
        self.page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
        self.page.keyboard.press("Control+V")

    @property
    def marks(self):
        """The marks of the large picture of E, with the class that each has the colour of."""
        return self.page.evaluate(
            """() => {
              const chart = document.querySelector("geometry-chart:not(.gc-compact)");
              return [...chart.querySelectorAll(".gc-marks text")].map((mark) => ({
                text: mark.textContent, color: /--class-(\\w+)/.exec(mark.style.fill)?.[1],
                place: mark.getAttribute("transform"), hidden: mark.getAttribute("visibility") === "hidden",
              }));
            }"""
        )


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_of_any_kind_is_read_and_trained_and_each_of_its_characters_drawn(own, kind):
    corpus = own.choose_text(kind)
    for name, loss in corpus.baselines().items():
        expect(own.found.locator("div", has_text=f"{name},").get_by_role("definition")).to_have_text(f"{loss:.3f}")
    [run] = own.run_to_end()["runs"]
    assert run["validationLoss"] < 1.02 * corpus.baselines()["uniform"]  # some of the texts are without order
    expect(own.page.locator("geometry-chart:not(.gc-compact) .gc-marks text")).to_have_count(len(corpus.vocabulary))
    marks = own.marks
    assert [mark["color"] for mark in marks] == [character_class(character) for character in corpus.vocabulary]
    assert all(mark["place"] and not mark["hidden"] for mark in marks)
    assert len({mark["text"] for mark in marks}) == len(marks), "no two characters look alike"
    for mark, character in zip(marks, corpus.vocabulary, strict=True):
        if unicodedata.category(character) in ("Mn", "Mc") and character_class(character) == "mark":
            assert mark["text"] == f"◌{character}"
    legend = own.page.locator("geometry-chart:not(.gc-compact) .gc-class")
    assert sorted(text.split()[0] for text in legend.all_inner_texts()) == sorted({mark["color"] for mark in marks})
    assert own.told("error") == []


def test_rare_characters_share_a_sign_and_are_listed(own):
    corpus = own.choose_text("5,000 characters")
    expect(own.found).to_contain_text("5,000 distinct characters, for which V = 256 rows are learned.")
    expect(own.found).to_contain_text(
        f"The {len(corpus.rare):,} rarest characters, which occur at most {corpus.rare[0][1]} times each, have no row of their own"
    )
    listed = own.found.locator(".rare")
    expect(listed).to_be_hidden()
    own.found.get_by_text("All of them, with how often each occurs").click()
    expect(listed).to_be_visible()
    assert listed.inner_text().count(",") == len(corpus.rare) - 1
    character, times = corpus.rare[-1]
    expect(listed).to_contain_text(f"{character}\u2069” {times}")


@pytest.mark.parametrize(
    ("content", "notice"),
    [
        (("word " * 400).encode(), None),
        (codecs.BOM_UTF8 + ("word " * 400).encode(), "A byte order mark at its beginning was left out."),
        (("word\r\n" * 400).encode(), "400 line ends of another system became plain line feeds."),
        (("caf\u0065\u0301 " * 400).encode(), "became one character where Unicode has one (NFC)."),
        (("café " * 400).encode("cp1252"), "It is no UTF-8, so it was read as Windows-1252: check its accented letters."),
    ],
    ids=["plain", "byte order mark", "line ends", "parts", "Windows-1252"],
)
def test_a_file_that_is_not_trained_on_as_it_was_given_says_what_was_changed(own, content, notice):
    own.choose("plain.txt", b"abc " * 100)  # so that what is found is of the next file
    expect(own.found).to_contain_text("400 characters:")
    own.choose("file.txt", content)
    expect(own.found).to_contain_text("2,000 characters:")
    notices = own.found.locator(".notices li")
    if notice is None:
        expect(notices).to_have_count(0)
    else:
        expect(notices).to_have_count(1)
        expect(notices).to_contain_text(notice)
    expect(own.field).to_have_value(("word\n" if b"\r" in content else "word " if b"word" in content else "café ") * 400)


def test_a_file_that_is_no_text_is_refused_and_the_text_before_stays(own):
    own.choose("before.txt", b"what was there before " * 40)
    expect(own.found).to_contain_text("880 characters:")
    own.choose("picture.png", bytes(range(256)) * 40)
    expect(own.error).to_be_visible()
    expect(own.found).to_contain_text("880 characters:")
    expect(own.field).to_have_value("what was there before " * 40)
    assert own.error.inner_text() in own.description(own.field)
    expect(own.field).not_to_have_attribute("aria-invalid", "true")
    own.choose("after.txt", b"another text " * 40)
    expect(own.found).to_contain_text("520 characters:")
    expect(own.error).to_have_count(0)


def test_a_file_that_is_too_large_is_refused_unread(own):
    own.page.evaluate("document.querySelector('lab-own-text').lab.data.largestText = 3_000_000")
    own.choose("large.txt", b"ten bytes." * 300_001)
    expect(own.error).to_have_text("large.txt has 3.0 MB; at most 3.0 MB are read: use a part of it.")
    expect(own.found).to_contain_text("520 characters:")
    own.page.evaluate(f"document.querySelector('lab-own-text').lab.data.largestText = {LARGEST_FILE}")


def test_a_file_that_comes_late_does_not_replace_what_was_given_since(own):
    own.page.evaluate(
        """() => {
          const read = Blob.prototype.arrayBuffer;
          const held = new Promise((resolve) => (window.letRead = resolve));
          Blob.prototype.arrayBuffer = async function () {
            Blob.prototype.arrayBuffer = read;
            await held;
            return read.call(this);
          };
        }"""
    )
    own.choose("slow.txt", b"comes late " * 40)
    own.choose("quick.txt", b"is there at once " * 40)
    expect(own.found).to_contain_text("680 characters:")
    reading = own.page.evaluate(
        """async () => {
          letRead();
          await new Promise((resolve) => setTimeout(resolve, 300));
          return document.querySelector("lab-own-text").state.textReading;
        }"""
    )
    assert not reading, "Python is not asked about it"
    expect(own.field).to_have_value("is there at once " * 40)
    assert own.page.evaluate("document.querySelector('lab-own-text').state.textName") == "quick.txt"


def test_what_is_typed_is_read_at_a_pause_and_what_is_wrong_with_it_told_at_the_field(own):
    own.field.fill("aaaa")
    expect(own.error).to_contain_text("one distinct character")
    expect(own.field).to_have_attribute("aria-invalid", "true")
    expect(own.found).to_have_count(0)
    own.field.fill("ab" * 57)
    own.field.press_sequentially("b" * 6)
    expect(own.error).to_have_count(0)
    expect(own.found).to_contain_text("120 characters: the first 108 train, the last 12 validate. V = 2 distinct characters.")
    expect(own.field).to_have_value("ab" * 57 + "b" * 6)
    own.field.fill("")
    expect(own.found).to_have_count(0)
    expect(own.error).to_have_count(0)


@pytest.mark.parametrize("where", ["field", "element"])
def test_a_file_is_taken_where_it_is_dropped(own, where, tmp_path):
    own.field.fill("typed before")
    own.drop(
        own.field if where == "field" else own.element.locator(".file label"), tmp_path / "dropped.txt", b"dropped here " * 40
    )
    expect(own.found).to_contain_text("520 characters:")
    expect(own.field).to_have_value("dropped here " * 40)


def test_a_file_that_is_dropped_beside_leaves_the_page_as_it_is(own, tmp_path):
    own.field.fill("typed before, and not lost")
    own.page.evaluate("window.refused = []; addEventListener('dragover', (event) => refused.push(event.defaultPrevented))")
    own.drop(own.page.get_by_role("heading", level=1), tmp_path / "stray.html", b"<title>Stray</title>")
    assert own.page.evaluate("refused.length > 0 && refused.every(Boolean)")
    expect(own.field).to_have_value("typed before, and not lost")
    assert [page.title() for page in own.page.context.pages] == [own.page.title()] != ["Stray"]


def test_a_long_text_is_pasted_without_going_through_the_field(own):
    own.field.fill("before  after")
    own.field.evaluate("(field) => field.setSelectionRange(7, 7)")
    own.paste("ab" * 60_000)
    expect(own.found).to_contain_text("120,013 characters:")
    ends = own.page.get_by_role("group", name="Your own text: its beginning and its end")
    expect(ends.locator("pre")).to_have_text(["before " + "ab" * 116 + "a", "ab" * 117 + " after"])
    expect(own.field).to_have_count(0)
    own.button("Remove this text").click()
    expect(own.field).to_be_focused()
    expect(own.field).to_have_value("")
    own.paste("cd" * 600)  # what the field holds goes the way of the browser
    expect(own.field).to_have_value("cd" * 600)
    expect(own.found).to_contain_text("1,200 characters:")


def test_a_text_may_be_replaced_while_a_run_trains_on_it_and_put_back(own):
    own.set("Steps", 20_000)
    own.choose("first.txt", b"the first of two texts " * 40)
    expect(own.found).to_contain_text("920 characters:")
    since = own.count_told()
    own.button("Run").click()
    own.wait_for("name === 'progress' && detail.step > 0", since=since)
    own.choose("second.txt", b"another text " * 40)
    expect(own.found).to_contain_text("520 characters:")
    expect(own.element).to_contain_text("The runs on the page have another text, of 920 characters")
    expect(own.page.locator("lab-facts")).to_contain_text("the first 828 characters train, the last 92 validate")
    own.button("Stop").click()
    own.button("Put the text of the runs here").click()
    expect(own.field).to_be_focused()
    expect(own.field).to_have_value("the first of two texts " * 40)
    expect(own.found).to_contain_text("920 characters:")
    expect(own.button("Put the text of the runs here")).to_have_count(0)
    own.set("Steps", 40)


def test_twenty_megabytes_never_hold_the_page(own, tmp_path, record_property):
    piece = texts.repeated(texts.SCRIPTS["Greek"] + "A browser keeps two bytes for each character of such a text.\n").encode()
    content = piece * (20_000_000 // len(piece) + 1)
    file = tmp_path / "large.txt"
    file.write_bytes(content)
    longest = []
    while len(longest) < 8 and min(longest, default=200) >= 200:  # a machine under load stretches some
        longest.append(own.longest_task_loading(file))
    expect(own.found).to_contain_text(f"{len(content.decode()):,} characters:")
    expect(own.page.get_by_role("group", name="Your own text, large.txt: its beginning and its end")).to_be_visible()
    own.set("Steps", 5)
    own.page.evaluate("longTasks.length = 0")
    own.run_to_end()
    training = own.page.evaluate("Math.max(0, ...longTasks.map(({ duration }) => duration))")
    figures = {"loading": longest, "training": training}
    record_property("longest task with a text of 20 MB, ms", figures)
    print(f"longest task with a text of 20 MB, ms: {figures}")
    assert min(longest) < 200
    own.button("Remove this text").click()
    own.set("Steps", 40)
