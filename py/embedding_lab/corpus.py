"""The text: characters to ids, the train and validation split, and what simple counting achieves on it."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .config import settings_table

if TYPE_CHECKING:
    from .kinds import Integers

CLASSES = ("vowel", "consonant", "capital", "letter", "mark", "digit", "punctuation", "symbol", "space")
MOST_CHARACTERS = 256
RARE = "\ufffd"  # stands for every rare character of a text that has more than 256; fonts draw it as a question mark
CHUNK = 1 << 20  # characters that are looked at together, which bounds the memory beside a long text
TRAIN_SHARE = 0.9
SHORTEST_CONTEXT = next(int(row["low"]) for row in settings_table() if row["name"] == "context")
# Added to each count, so that a pair never seen in training keeps a small probability.
SMOOTHING = 0.1


class CorpusError(ValueError):
    """A text that cannot be trained on; the message says why and what to do."""

    field = "corpus"


@dataclass(frozen=True)
class Corpus:
    """A text as ids, split by position: the first 90 % trains, the rest validates.

    Attributes:
        vocabulary: its V distinct characters in code point order, at most 256; a character's id is its rank here.
        train: ids of the training part, uint8.
        validation: ids of the validation part, uint8.
        rare: of a text with more than 256 distinct characters, those that `RARE` stands for, each with its count,
            the most frequent first; else empty.
        replaced: the code point of each character that became `RARE`, in the order of the text, int32.
    """

    vocabulary: tuple[str, ...]
    train: Integers
    validation: Integers
    rare: tuple[tuple[str, int], ...] = ()
    replaced: Integers = field(default_factory=lambda: np.empty(0, np.int32))

    @classmethod
    def from_text(cls, text: str) -> Corpus:
        """Read a text, as `normalised` makes it.

        Of more than 256 distinct characters the 255 most frequent keep an id of their own, of equally frequent ones
        the lower code points; all others share that of `RARE`.

        Raises:
            CorpusError: the text is empty, or has one distinct character.
        """
        text = normalised(text)
        if not text:
            raise CorpusError("The text is empty: paste some text, a few thousand characters or more.")
        counts = np.zeros(sys.maxunicode + 1, np.int64)  # by code point
        for points in _points(text):
            some = np.bincount(points)
            counts[: len(some)] += some
        present = np.flatnonzero(counts)
        if len(present) == 1:
            raise CorpusError(
                f"The text has one distinct character, {chr(present[0])!r}, so there is nothing to predict: "
                "use a text with at least two."
            )
        kept, rare = _most_frequent(present, counts)
        rank = np.zeros(len(counts), np.uint8)  # the id, by code point
        rank[kept] = np.arange(len(kept))
        rank[rare] = rank[ord(RARE)]
        ids, replaced, done = np.empty(len(text), np.uint8), [], 0
        for points in _points(text):
            found = ids[done : done + len(points)]
            np.take(rank, points, out=found, mode="clip")  # without a mode, NumPy makes another array first
            if len(rare):
                replaced.append(points[found == rank[ord(RARE)]])
            done += len(points)
        split = int(TRAIN_SHARE * len(ids))
        return cls(
            tuple(map(chr, kept)),
            ids[:split],
            ids[split:],
            tuple((chr(point), int(counts[point])) for point in rare),
            np.concatenate(replaced) if replaced else np.empty(0, np.int32),
        )

    @property
    def text(self) -> str:
        """The text that was read, as `normalised` made it, with its rare characters."""
        vocabulary = np.array([ord(character) for character in self.vocabulary], np.int32)
        pieces, done = [], 0
        for ids in self.chunks():
            points = vocabulary[ids]
            if self.rare:
                behind = points == ord(RARE)
                count = np.count_nonzero(behind)
                points[behind] = self.replaced[done : done + count]
                done += count
            pieces.append(_text(points))
        return "".join(pieces)

    @property
    def distinct(self) -> int:
        """How many distinct characters the text has."""
        invented = bool(self.rare) and self._rare_count == len(self.replaced)  # no U+FFFD stands in the text itself
        return len(self.vocabulary) + len(self.rare) - invented

    @property
    def rare_share(self) -> float:
        """The share of the text that its rare characters are."""
        return self._rare_count / (len(self.train) + len(self.validation))

    @property
    def _rare_count(self) -> int:
        return sum(count for _, count in self.rare)

    def as_read(self) -> Iterator[str]:
        """The text as the model knows it, a stretch at a time: each rare character is `RARE`."""
        vocabulary = np.array([ord(character) for character in self.vocabulary], np.int32)
        for ids in self.chunks():
            yield _text(vocabulary[ids])

    def chunks(self) -> Iterator[Integers]:
        """The ids of the text in stretches of at most 1,048,576, none of which is in both parts."""
        for part in (self.train, self.validation):
            for first in range(0, len(part), CHUNK):
                yield part[first : first + CHUNK]

    def notice(self) -> str | None:
        """What a reader should know of the rare characters, in words; None where there are none."""
        if not self.rare:
            return None
        some = ", ".join(f"{character!r} {count:,}" for character, count in self.rare[:10])
        return (
            f"The text has {self.distinct:,} distinct characters, and the lab learns {MOST_CHARACTERS} at most: the "
            f"{len(self.rare):,} rarest, which occur at most {self.rare[0][1]:,} times each, are one symbol, {RARE}, and "
            f"{self.rare_share:.2%} of the text ({some}{', ...' if len(self.rare) > 10 else ''})."
        )

    def id_of(self, character: str) -> int | None:
        """The id of one character: its own, or that of `RARE` where the text has rare ones, else None."""
        for known in (character, RARE) if self.rare else (character,):
            if known in self.vocabulary:
                return self.vocabulary.index(known)
        return None

    def require(self, context: int) -> None:
        """Check that both parts hold a stretch of `context` characters and the one that follows.

        Raises:
            CorpusError: the text is too short, with the length that would do.
        """
        shortest = min(len(self.train), len(self.validation))
        if shortest < context + 1:
            length = len(self.train) + len(self.validation)
            needed = 10 * (context + 1)
            raise CorpusError(
                f"The text has {length} characters, and its validation part, the last tenth, has "
                f"{len(self.validation)}; a context of {context} needs {context + 1} there: use a text of at "
                f"least {needed} characters{', or a shorter context' if context > SHORTEST_CONTEXT else ''}."
            )

    def batch(self, stream: np.random.Generator, size: int, context: int) -> tuple[Integers, Integers]:
        """Draw `size` stretches of the training part at random.

        Returns:
            Inputs and targets, each (size, context) int32; a target is the character after its input.
        """
        return windows(self.train, self.starts(stream, size, context), context)

    def starts(self, stream: np.random.Generator, size: int, context: int) -> Integers:
        """Draw where the stretches of one batch begin, (size,)."""
        return stream.integers(0, len(self.train) - context, size)

    def validation_starts(self, characters: int, length: int) -> Integers:
        """Where to read the validation part, in stretches that do not overlap and are spread evenly over it.

        Args:
            characters: about how many to read in all; at least one stretch.
            length: of each stretch.

        Returns:
            The start of each stretch, in order.
        """
        available = (len(self.validation) - 1) // length
        count = min(available, max(1, characters // length))
        return np.arange(count) * available // count * length

    def counts(self) -> Integers:
        """How often each character occurs in the training part, (V,)."""
        return _counts(self.train, len(self.vocabulary))

    def baselines(self) -> dict[str, float]:
        """What counting alone achieves: cross-entropy on the validation part, in nats per character.

        The counts are those of the training part, plus 0.1 for each possibility. "uniform" is ln V,
        "unigram" knows how frequent each character is, "bigram" knows which character came before.
        """
        size = len(self.vocabulary)
        singles, pairs = self.counts() + SMOOTHING, _pair_counts(self.train, size) + SMOOTHING
        unigram = np.log(singles / singles.sum())
        bigram = np.log(pairs / pairs.sum(axis=1, keepdims=True))
        occurring = _counts(self.validation, size), _pair_counts(self.validation, size)
        return {
            "uniform": float(np.log(size)),
            **{
                name: float(-np.sum(counts * logarithms) / counts.sum())
                for name, counts, logarithms in zip(("unigram", "bigram"), occurring, (unigram, bigram), strict=True)
            },
        }


def normalised(text: str) -> str:
    """A text with a single newline for each line end, in Unicode's normal form NFC.

    NFC writes what can be written as one character as one: an e and the accent after it become é, and the two ways
    to write it become one (Unicode Standard Annex 15).
    """
    return unicodedata.normalize("NFC", with_newlines(text))


def with_newlines(text: str) -> str:
    """A text with a single newline for each line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _points(text: str) -> Iterator[Integers]:
    """The code points of a text, int32, a stretch at a time."""
    for first in range(0, len(text), CHUNK):
        yield np.frombuffer(text[first : first + CHUNK].encode("utf-32-le", "surrogatepass"), "<i4")


def _text(points: Integers) -> str:
    return points.astype("<i4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")


def _most_frequent(present: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """Which characters keep an id of their own, and which become `RARE`.

    Args:
        present: the code points that occur, in order.
        counts: by code point.

    Returns:
        The code points of the vocabulary in order, and the others, the most frequent first.
    """
    if len(present) <= MOST_CHARACTERS:
        return present, present[:0]
    others = present[present != ord(RARE)]
    ranked = others[np.argsort(-counts[others], kind="stable")]
    kept = np.append(ranked[: MOST_CHARACTERS - 1], ord(RARE))
    return np.sort(kept), ranked[MOST_CHARACTERS - 1 :]


def _counts(ids: Integers, size: int) -> Integers:
    """How often each id below `size` occurs, (size,) int64."""
    total = np.zeros(size, np.int64)
    for first in range(0, len(ids), CHUNK):
        total += np.bincount(ids[first : first + CHUNK], minlength=size)
    return total


def _pair_counts(ids: Integers, size: int) -> Integers:
    """How often the second id follows the first, (size, size) int64."""
    total = np.zeros(size * size, np.int64)
    for first in range(0, len(ids) - 1, CHUNK):
        some = ids[first : first + CHUNK + 1].astype(np.int32)
        total += np.bincount(some[:-1] * size + some[1:], minlength=size * size)
    return total.reshape(size, size)


def windows(ids: Integers, starts: Integers, context: int) -> tuple[Integers, Integers]:
    """Cut stretches out of a text.

    Args:
        ids: the text, (N,).
        starts: where each stretch begins, (B,), each at most N - context - 1.

    Returns:
        Inputs and targets, each (B, context) int32: the targets are the inputs one character later.
    """
    index = starts[:, None] + np.arange(context)
    return ids[index].astype(np.int32), ids[index + 1].astype(np.int32)


# Small letters that sound as vowels, without what Unicode takes for an accent: Latin, Greek, Cyrillic.
VOWELS = frozenset("aeiouæœøıəɛɔɪʊɨʉ" "αεηιουω" "аеиоуыэюяіє" "ѣѡѧѫѵ")  # fmt: skip
# Letters of their own that Unicode writes as и and у with a breve, and that sound as consonants.
SHORT = frozenset("йў")
# What joins and modifies emoji: zero-width joiner, variation selectors, and the letters of flags of regions.
OF_EMOJI = frozenset(map(chr, (0x200D, 0xFE0E, 0xFE0F, *range(0xE0020, 0xE0080))))


def character_class(character: str) -> str:
    """Which of `CLASSES` a character belongs to, by its general category in Unicode (Unicode Standard, section 4.5).

    space: separators (Z*), and the control characters that are white space, such as tab and newline.
    capital: capital letters of every alphabet (Lu, Lt).
    vowel, consonant: small letters (Ll) of the Latin, Greek and Cyrillic alphabets. Accents do not count, y is a
        consonant, й and ў are too, and so are the signs ь and ъ.
    letter: all other letters (L*), as those of alphabets without capitals, and syllables and ideographs.
    mark: what is written onto the letter before it (M*), such as the vowel signs of Devanagari.
    digit: numbers (N*).
    punctuation: P*, the symbols of ASCII, such as + and $, and control and format characters that are not white space.
    symbol: all other symbols (S*), emoji, what joins and modifies those, and what has no meaning of its own: private
        use, unassigned, half a surrogate pair.
    """
    category = unicodedata.category(character)
    if category[0] == "Z" or character.isspace():
        return "space"
    if character in OF_EMOJI or (category[0] == "S" and not character.isascii()) or category in ("Co", "Cn", "Cs"):
        return "symbol"
    if category in ("Lu", "Lt"):
        return "capital"
    if category == "Ll":
        return _sound(character)
    return {"L": "letter", "M": "mark", "N": "digit"}.get(category[0], "punctuation")


def _sound(letter: str) -> str:
    """The class of a small letter."""
    base = letter if letter in SHORT else unicodedata.normalize("NFKD", letter)[0]
    if not unicodedata.name(base, "").startswith(("LATIN", "GREEK", "CYRILLIC")):
        return "letter"
    return "vowel" if base in VOWELS else "consonant"
