"""Texts become ids and back, the baselines are those counted by hand, and unusable texts say why."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embedding_lab.corpus import CLASSES, Corpus, CorpusError, character_class, windows
from embedding_lab.model import random_stream


def test_alice(alice):
    assert len(alice.vocabulary) == 73
    assert len(alice.train) == int(0.9 * 148_481)
    assert len(alice.train) + len(alice.validation) == 148_481
    assert alice.baselines() == pytest.approx({"uniform": 4.290, "unigram": 3.163, "bigram": 2.451}, abs=6e-4)


@settings(max_examples=100, deadline=None)
@given(st.text(min_size=2, max_size=200))
def test_ids_spell_the_text(text):
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
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
        ("".join(map(chr, range(1000, 1300))) * 20, "300 distinct characters; the lab takes at most 256"),
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


@pytest.mark.parametrize(
    "characters, expected",
    [("aeiouéä", "vowel"), ("bcxyz", "consonant"), ("AEZÉЖ", "capital"), ("059", "digit"), (".,'!-", "punctuation"), (" \n\t", "space")],
)
def test_classes(characters, expected):
    assert {character_class(character) for character in characters} == {expected}


@given(st.characters())
def test_every_character_has_a_class(character):
    assert character_class(character) in CLASSES


def test_the_text_comes_back_with_its_line_ends_normalised():
    assert Corpus.from_text("a\r\nb\r\U0001f600\ud83d\n").text == "a\nb\n\U0001f600\ud83d\n"
