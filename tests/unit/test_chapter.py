"""The chapter as it is written: links lead somewhere, labs have their places, formulas can be heard as well as seen."""

import html
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import pytest

import build
from embedding_lab import checkpoint, worker
from embedding_lab.config import RunConfig
from embedding_lab.probes import View, run_probe
from embedding_lab.training import Run

LABS = [
    "lookup", "sparse-gradient", "geometry", "case-offset", "relabel", "merges", "residual-stream", "width", "order",
    "position-table", "amplitude", "rotation", "distance-bias", "extrapolation", "compressors", "generate", "context-free",
    "cosine-cone", "tying",
]  # fmt: skip
PAGE = (build.WEB / "index.html").read_text("utf-8")


class Elements(HTMLParser):
    """The start tags of a page, in order: (name, attributes)."""

    def __init__(self, page: str):
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def named(self, name: str) -> list[dict]:
        return [attributes for tag, attributes in self.found if tag == name]


@pytest.fixture(scope="module")
def elements():
    return Elements(PAGE)


def test_every_link_within_the_page_leads_to_one_place(elements):
    ids = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {link["href"][1:] for link in elements.named("a") if link["href"].startswith("#")}
    made = {"share"}  # by the lab
    assert all(f'id="{name}"' in (build.WEB / "lab/elements/share-panel.js").read_text("utf-8") for name in made)
    assert targets <= set(ids) | made
    assert {label["for"] for label in elements.named("label")} <= set(ids)


def test_every_lab_has_its_place_once_and_can_be_linked_to(elements):
    cards = elements.named("probe-card")
    assert [card["probe"] for card in cards] == LABS
    assert all(card["id"] == card["probe"] for card in cards)


def test_headings_descend_one_level_at_a_time(elements):
    levels = [int(tag[1]) for tag, _ in elements.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))


def test_nothing_in_the_page_needs_more_than_its_policy_allows(elements):
    assert not elements.named("style")
    assert all("src" in script for script in elements.named("script"))
    attributes = {name for _, found in elements.found for name in found}
    assert not [name for name in attributes if name == "style" or name.startswith("on")]


def test_every_part_of_a_formula_has_as_many_children_as_its_name_asks_for():
    """MathML Core, sections 3.3.2 to 3.4.2; a browser lays out anything else as a plain row."""
    asked = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}
    formulas = [ElementTree.fromstring(html.unescape(formula)) for formula in re.findall(r"<math.*?</math>", PAGE, re.DOTALL)]
    parts = [part for formula in formulas for part in formula.iter() if part.tag in asked]
    assert len(formulas) >= 8 and len(parts) > 20
    assert [ElementTree.tostring(part) for part in parts if len(part) != asked[part.tag]] == []


def test_every_formula_has_a_text(elements):
    formulas = elements.named("math")
    assert len(formulas) >= 8
    assert all(formula.get("alttext") for formula in formulas)


def test_every_word_and_every_source_is_linked_from_the_text(elements):
    linked = {link["href"] for link in elements.named("a")}
    words = re.findall(r'<div id="(word-[a-z]+)">', PAGE)
    sources = re.findall(r'<li id="([a-z]+(?:-[a-z]+)?-\d{4})">', PAGE)
    assert len(words) == 11 and len(sources) == 10
    assert {f"#{place}" for place in words + sources} <= linked


def test_a_number_that_is_missing_has_words_or_a_dash_in_its_place():
    missing = [text for _, text in re.findall(r"<(reader-number|number-list)[^>]*>(.*?)</\1>", PAGE, re.DOTALL)]
    assert missing
    assert {" ".join(text.split()) for text in missing} == {"not yet measured", "—"}


def test_the_lines_that_check_a_run_elsewhere_find_what_the_text_says(alice, tmp_path):
    [lines] = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", PAGE, re.DOTALL)
    run = Run(RunConfig(encoding="learned", d=16, heads=2, context=16, batch=8, steps=60), alice)
    run.advance(60)
    for name, content in checkpoint.files(run, "a run").items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    done = subprocess.run([sys.executable, "-c", html.unescape(lines)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    alike, difference = done.stdout.splitlines()
    assert alike == "True"
    last = _finish("context-free", View.of(run))["depths"][-1]
    assert last["largestDifference"] > 0
    assert float(re.fullmatch(r"tensor\((.*)\)", difference)[1]) == pytest.approx(last["largestDifference"], abs=1e-4)


def _finish(name, view):
    work = run_probe(name, view, {})
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def test_every_link_into_the_code_finds_its_place_there_once(elements):
    links = [link for link in elements.named("a") if "data-find" in link]
    assert len(links) >= 20
    for link in links:
        assert link["href"] == "#code"
        code = worker.source_file(link["data-file"])["code"]
        assert code.count(link["data-find"]) == 1, link
