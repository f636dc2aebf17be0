"""The text: characters to ids, the train and validation split, and what simple counting achieves on it."""

import unicodedata
from dataclasses import dataclass

import numpy as np

CLASSES = ("vowel", "consonant", "capital", "digit", "punctuation", "space")
MOST_CHARACTERS = 256
TRAIN_SHARE = 0.9
# Added to each count, so that a pair never seen in training keeps a small probability.
SMOOTHING = 0.1


class CorpusError(ValueError):
    """A text that cannot be trained on; the message says why and what to do."""

    field = "corpus"


@dataclass(frozen=True)
class Corpus:
    """A text as ids, split by position: the first 90 % trains, the rest validates.

    Attributes:
        vocabulary: its V distinct characters in code point order; a character's id is its rank here.
        train: ids of the training part, int32.
        validation: ids of the validation part, int32.
    """

    vocabulary: tuple[str, ...]
    train: np.ndarray
    validation: np.ndarray

    @classmethod
    def from_text(cls, text: str) -> "Corpus":
        """Read a text. Line ends are normalised to a single newline.

        Raises:
            CorpusError: the text is empty, or has one or more than 256 distinct characters.
        """
        text = normalised(text)
        if not text:
            raise CorpusError("The text is empty: paste some text, a few thousand characters or more.")
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        distinct, ids = np.unique(points, return_inverse=True)
        vocabulary = tuple(map(chr, distinct))
        if len(vocabulary) == 1:
            raise CorpusError(
                f"The text has one distinct character, {vocabulary[0]!r}, so there is nothing to predict: "
                "use a text with at least two."
            )
        if len(vocabulary) > MOST_CHARACTERS:
            raise CorpusError(
                f"The text has {len(vocabulary)} distinct characters; the lab takes at most {MOST_CHARACTERS}: "
                "use a text with fewer, for example in one alphabet."
            )
        ids = ids.astype(np.int32)
        split = int(TRAIN_SHARE * len(ids))
        return cls(vocabulary, ids[:split], ids[split:])

    @property
    def text(self) -> str:
        """The text that was read, with its line ends normalised."""
        points = np.array([ord(character) for character in self.vocabulary], "<u4")
        ids = np.concatenate([self.train, self.validation])
        return points[ids].tobytes().decode("utf-32-le", "surrogatepass")

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
                f"least {needed} characters, or a shorter context."
            )

    def batch(self, stream: np.random.Generator, size: int, context: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw `size` stretches of the training part at random.

        Returns:
            Inputs and targets, each (size, context) int32; a target is the character after its input.
        """
        return windows(self.train, self.starts(stream, size, context), context)

    def starts(self, stream: np.random.Generator, size: int, context: int) -> np.ndarray:
        """Draw where the stretches of one batch begin, (size,)."""
        return stream.integers(0, len(self.train) - context, size)

    def validation_starts(self, characters: int, length: int) -> np.ndarray:
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

    def baselines(self) -> dict[str, float]:
        """What counting alone achieves: cross-entropy on the validation part, in nats per character.

        The counts are those of the training part, plus 0.1 for each possibility. "uniform" is ln V,
        "unigram" knows how frequent each character is, "bigram" knows which character came before.
        """
        size = len(self.vocabulary)
        singles = np.bincount(self.train, minlength=size) + SMOOTHING
        pairs = np.bincount(self.train[:-1] * size + self.train[1:], minlength=size * size)
        pairs = pairs.reshape(size, size) + SMOOTHING
        unigram = np.log(singles / singles.sum())
        bigram = np.log(pairs / pairs.sum(axis=1, keepdims=True))
        return {
            "uniform": float(np.log(size)),
            "unigram": float(-unigram[self.validation].mean()),
            "bigram": float(-bigram[self.validation[:-1], self.validation[1:]].mean()),
        }


def normalised(text: str) -> str:
    """A text with a single newline for each line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def windows(ids: np.ndarray, starts: np.ndarray, context: int) -> tuple[np.ndarray, np.ndarray]:
    """Cut stretches out of a text.

    Args:
        ids: the text, (N,).
        starts: where each stretch begins, (B,), each at most N - context - 1.

    Returns:
        Inputs and targets, each (B, context): the targets are the inputs one character later.
    """
    index = starts[:, None] + np.arange(context)
    return ids[index], ids[index + 1]


def character_class(character: str) -> str:
    """Which of `CLASSES` a character belongs to.

    Accents do not count. The vowels are a, e, i, o and u; y is a consonant, and so is, for want of a
    better class, a letter of another alphabet.
    """
    character = unicodedata.normalize("NFD", character)[0]
    if character.isspace():
        return "space"
    if character.isupper():
        return "capital"
    if character.isdigit():
        return "digit"
    if character.isalpha():
        return "vowel" if character in "aeiou" else "consonant"
    return "punctuation"
