"""Texts become ids and back, the baselines are those counted by hand, and unusable texts say why."""

import math
import tracemalloc
import unicodedata
import zlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import build
from embedding_lab import corpus as module
from embedding_lab.config import RunConfig
from embedding_lab.corpus import CLASSES, RARE, Corpus, CorpusError, character_class, normalised, windows
from embedding_lab.model import random_stream
from embedding_lab.training import Run
from tests import texts


def test_alice(alice):
    assert len(alice.vocabulary) == 73
    assert len(alice.train) == int(0.9 * 148_481)
    assert len(alice.train) + len(alice.validation) == 148_481
    assert alice.baselines() == pytest.approx({"uniform": 4.290, "unigram": 3.163, "bigram": 2.451}, abs=6e-4)


@settings(max_examples=100, deadline=None)
@given(st.text(min_size=2, max_size=200))
def test_ids_spell_the_text(text):
    plain = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(set(plain)) < 2:
        with pytest.raises(CorpusError):
            Corpus.from_text(text)
        return
    corpus = Corpus.from_text(text)
    ids = np.concatenate([corpus.train, corpus.validation])
    assert "".join(corpus.vocabulary[i] for i in ids) == plain
    assert list(corpus.vocabulary) == sorted(set(plain))


def test_the_baselines_of_a_text_counted_by_hand():
    corpus = Corpus.from_text("ab" * 50)  # 90 characters train: 45 a, 45 b, 45 times ab, 44 times ba
    baselines = corpus.baselines()
    assert baselines["uniform"] == pytest.approx(math.log(2))
    assert baselines["unigram"] == pytest.approx(math.log(2))
    after_a, after_b = 45.1 / 45.2, 44.1 / 44.2
    pairs = [after_a, after_b] * 4 + [after_a]  # ababababab
    assert baselines["bigram"] == pytest.approx(-np.log(pairs).mean())


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "empty.*paste"),
        ("aaaa" * 100, "one distinct character, 'a'"),
        ("e\u0301\u00e9" * 100, "one distinct character, 'é'"),  # two ways to write it
    ],
)
def test_unusable_texts_say_why(text, message):
    with pytest.raises(CorpusError, match=message):
        Corpus.from_text(text)


@pytest.mark.parametrize("length, fits", [(89, False), (90, True)])
def test_a_text_too_short_for_the_context_says_which_length_would_do(length, fits):
    corpus = Corpus.from_text(("ab" * length)[:length])
    assert len(corpus.validation) == 9
    if fits:
        corpus.require(8)
    with pytest.raises(CorpusError, match=f"{length} characters.*context of 9 needs 10 there.*at least 100"):
        corpus.require(9)


def test_the_length_that_the_message_names_does_do():
    for context in (8, 9, 31, 256):
        needed = 10 * (context + 1)
        Corpus.from_text(("ab" * needed)[:needed]).require(context)


def test_targets_are_one_character_later_and_batches_never_touch_the_validation_part(alice):
    stream = random_stream(1, "batches")
    for _ in range(20):
        inputs, targets = alice.batch(stream, 32, 32)
        assert np.array_equal(inputs[:, 1:], targets[:, :-1])
    short = Corpus.from_text("a" * 90 + "b" * 10)
    for _ in range(50):
        inputs, targets = short.batch(stream, 8, 8)
        assert not targets.any()


def test_the_last_possible_batch_position_is_drawn():
    corpus = Corpus.from_text("ab" * 50)
    stream, seen = random_stream(1, "batches"), set()
    for _ in range(100):
        starts = stream.integers(0, len(corpus.train) - 8, 32)
        windows(corpus.train, starts, 8)
        seen |= set(starts.tolist())
    assert max(seen) == len(corpus.train) - 9


def test_what_the_texts_of_the_lab_give_is_what_it_always_was():
    """Figures of the chapter and stored results rest on it; the checksums are those of the first version."""
    expected = {
        "alice29": (73, 1920197531, 2461953376, 3802693701, 3437312),
        "asyoulik": (68, 2807630508, 3014900703, 1368477422, 2439840),
        "plrabn12": (80, 1890838327, 3983757976, 3940007380, 12027904),
    }
    for name, known in expected.items():
        corpus = Corpus.from_text((build.CORPORA / f"{name}.txt").read_text("utf-8"))
        drawn = [zlib.crc32(ids.astype("<i4").tobytes()) for ids in corpus.batch(random_stream(1, "batches"), 32, 32)]
        ids = zlib.crc32(np.concatenate([corpus.train, corpus.validation]).astype(np.uint8).tobytes())
        assert (len(corpus.vocabulary), ids, *drawn, corpus.validation_starts(16384, 32).sum()) == known
        assert corpus.rare == ()
        for character in corpus.vocabulary:
            kinds = {"space": " \n\t", "vowel": "aeiou", "digit": "0123456789"}
            kinds |= {"consonant": "bcdfghjklmnpqrstvwxyz", "capital": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
            found = next((kind for kind, members in kinds.items() if character in members), "punctuation")
            assert character_class(character) == found, repr(character)


# ------------------------------------------------------------------------------------ many characters


def test_of_5000_characters_the_255_most_frequent_stay_and_the_others_are_one():
    text = texts.many_characters()
    corpus = Corpus.from_text(text)
    counts = Counter(text)
    assert len(counts) == 5000 and len(corpus.vocabulary) == 256
    ranked = sorted(counts, key=lambda character: (-counts[character], character))
    assert set(corpus.vocabulary) == {RARE, *ranked[:255]}
    assert list(corpus.vocabulary) == sorted(corpus.vocabulary)
    assert corpus.rare == tuple((character, counts[character]) for character in ranked[255:])
    kept = set(ranked[:255])
    assert "".join(corpus.as_read()) == "".join(character if character in kept else RARE for character in text)
    assert corpus.text == text


@settings(max_examples=30, deadline=None)
@given(st.integers(256, 400), st.integers(0, 2**32), st.booleans(), st.integers(1, 50))
def test_ids_of_a_text_with_rare_characters_spell_it(distinct, seed, has_rare, chunk):
    stream = np.random.default_rng(seed)
    characters = [*map(chr, range(0x4E00, 0x4E00 + distinct)), *[RARE, "a"] * has_rare]
    text = "".join(characters) + "".join(stream.choice(characters, 500))
    whole = Corpus.from_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", chunk)  # where it is cut changes nothing
        corpus = Corpus.from_text(text)
        assert corpus.text == text and corpus.baselines() == pytest.approx(whole.baselines())
    assert len(corpus.vocabulary) == 256
    assert bool(corpus.rare) == (len(set(text)) > 256)
    assert corpus.vocabulary == whole.vocabulary and np.array_equal(corpus.train, whole.train)
    assert sum(count for _, count in corpus.rare) + text.count(RARE) * has_rare == (
        len(corpus.replaced) if corpus.rare else text.count(RARE)
    )


def test_a_character_that_is_not_in_the_vocabulary_has_the_id_of_the_rare_ones_where_there_are_any():
    corpus = Corpus.from_text(texts.many_characters())
    rare = corpus.vocabulary.index(RARE)
    assert corpus.id_of(corpus.vocabulary[7]) == 7
    assert corpus.id_of(corpus.rare[0][0]) == corpus.id_of("!") == rare
    assert Corpus.from_text(f"ab{RARE}" * 100).id_of("!") is None


@pytest.mark.parametrize("kind", texts.KINDS)
def test_texts_of_every_kind_train(kind):
    text = texts.KINDS[kind]
    corpus = Corpus.from_text(text)
    assert corpus.text == normalised(text)
    run = Run(RunConfig(d=16, context=16, batch=8, steps=60, corpus="own"), corpus)
    run.advance(math.inf)
    assert run.state == "finished"
    if kind not in ("DNA", "one line"):  # in those there is nothing to learn but that all are equally frequent
        assert run.validation[-1][1] < run.validation[0][1] - 0.2
    assert run.validation[-1][1] < math.log(len(corpus.vocabulary)) + 0.1


def test_a_text_and_its_decomposed_form_and_other_line_ends_are_one_text():
    text = texts.SCRIPTS["Latin with accents"] * 10 + "가각\n"
    composed = Corpus.from_text(text)
    for other in (unicodedata.normalize("NFD", text), text.replace("\n", "\r\n"), text.replace("\n", "\r")):
        assert other != text
        again = Corpus.from_text(other)
        assert again.text == composed.text == text and np.array_equal(again.train, composed.train)


def test_a_long_text_needs_little_memory_beside_itself():
    text = texts.repeated(texts.SCRIPTS["Greek"], 5_000_000)
    tracemalloc.start()
    try:
        corpus = Corpus.from_text(text)
        corpus.baselines()
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 1.01 * len(text)  # a byte for each character
    assert peak < len(text) + 40 * module.CHUNK


# ------------------------------------------------------------------------------------ classes


@pytest.mark.parametrize(
    "characters, expected",
    [
        ("aeiouéäœøıαωήῶаяыёї", "vowel"),
        ("bcxyzñßłﬂβςψбщьйў", "consonant"),
        ("AEZÉЖΩǅ𝐀", "capital"),
        ("अकشאبあア漢ー가ªაա", "letter"),
        ("\u0301\u093f\u0652\u3099\u20e3", "mark"),
        ("059٣२２²½Ⅳ", "digit"),
        (".,'!-$+<=>^`|~«»—…。、「」؟،।\x00\x1a\u200c\u00ad\u2066", "punctuation"),
        ("€±→☃😀🏽🇩\u200d\ufe0f\ufe0e\U000e0067\ufffd\ue000\ud800\U000110ff", "symbol"),
        (" \n\t\r\x0b\x85\u00a0\u2028\u3000", "space"),
    ],
)
def test_classes(characters, expected):
    assert {character: character_class(character) for character in characters} == dict.fromkeys(characters, expected)


@given(st.characters(exclude_categories=()))
def test_every_character_has_a_class(character):
    assert character_class(character) in CLASSES


def test_the_text_comes_back_with_its_line_ends_normalised():
    assert Corpus.from_text("a\r\nb\r\U0001f600\ud83d\n").text == "a\nb\n\U0001f600\ud83d\n"
