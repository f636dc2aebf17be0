"""What a probe looks at, what it may be asked, and what it says when it cannot answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..config import ConfigError, RunConfig, listing, parse
from ..corpus import Corpus, normalised, windows
from ..model import Transformer, random_stream

if TYPE_CHECKING:
    from ..kinds import Floats, Integers, Plain, Row, Values, Work
    from ..training import Run

LONGEST_TEXT = 10_000  # characters that a text argument may have
NEIGHBOURS = 5  # nearest rows that are looked at
MOST_SHOWN = 64  # positions of a heatmap
MOST_ENTRIES = 12  # values that a list argument may have


class ProbeError(ValueError):
    """A probe that cannot run as asked: `field` names the argument, the message says what is allowed."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


@dataclass(frozen=True)
class View:
    """One moment of one run.

    Attributes:
        model: the parameters of this moment, with working memory apart from that of training.
        corpus, config: those of the run.
        which: "untrained" (step 0), "now" (while it trains) or "trained" (at its end).
        step: updates made so far.
    """

    model: Transformer
    corpus: Corpus
    config: RunConfig
    which: str
    step: int

    @classmethod
    def of(cls, run: Run, untrained: bool = False) -> View:
        """Look at a run; `untrained` at its model as it started, which is made anew from the config."""
        if untrained:
            characters = len(run.corpus.vocabulary)
            model = Transformer(run.config, characters, run.encoding, ops=run.model.ops)
            return cls(model, run.corpus, run.config, "untrained", 0)
        which = "untrained" if run.step == 0 else "now" if run.state == "training" else "trained"
        return cls(run.model.beside(), run.corpus, run.config, which, run.step)

    @property
    def embedding(self) -> Floats:
        """The table E, (V, d)."""
        return self.model.parameters["embedding"]

    def stretches(self, characters: int, length: int) -> tuple[Integers, Integers]:
        """Stretches of the validation part that do not overlap, spread evenly over it.

        Args:
            characters: about how many in all; at least one stretch.
            length: of each, at most the validation part's less one.

        Returns:
            Inputs and targets, each (B, length).
        """
        corpus = self.corpus
        return windows(corpus.validation, corpus.validation_starts(characters, length), length)


@dataclass(frozen=True)
class Reading:
    """A text as the model can read it.

    Attributes:
        text: the characters that were used, each rare one as the symbol that stands for it (`corpus.RARE`).
        ids: theirs, (N,).
        left_out: characters that the vocabulary does not have, each once.
        cut: how many characters were cut off the end, because the text is longer than the probe reads.
        instead: True where the vocabulary lacks part of the default text, and the start of the run's validation part
            is read instead.
    """

    text: str
    ids: Integers
    left_out: list[str]
    cut: int = 0
    instead: bool = False

    def told(self) -> Plain:
        """What a result says of it: used, characters, ids, leftOut, cut, instead."""
        return {
            "used": self.text,
            "characters": list(self.text),
            "ids": self.ids,
            "leftOut": self.left_out,
            "cut": self.cut,
            "instead": self.instead,
        }


def read(view: View, name: str, text: str, default: str = "", least: int = 1, most: int | None = None) -> Reading:
    """Make ids of a text that a reader gave, normalised as the run's own text is.

    Args:
        name: the argument it came by.
        default: the text that the probe has without a reader, which may be replaced (see `Reading.instead`).
        least, most: characters that the probe needs and takes; by default it takes as many as the context.

    Raises:
        ProbeError: less than `least` characters of the text are in the vocabulary.
    """
    vocabulary = view.corpus.vocabulary
    most = view.config.context if most is None else most
    instead = text == default and not set(text) <= set(vocabulary)
    if instead:
        found = view.corpus.validation[: max(least, min(most, len(default)))].tolist()
        left_out = []
    else:
        text = normalised(text)
        id_of = {character: view.corpus.id_of(character) for character in dict.fromkeys(text)}
        found = [id_of[character] for character in text if id_of[character] is not None]
        left_out = [character for character, id in id_of.items() if id is None]
    known = [vocabulary[id] for id in found]
    if len(known) < least:
        need = "one character" if least == 1 else f"{least} characters"
        raise ProbeError(
            name,
            f"{name} = {text[:40]!r} has {len(known)} characters that this model knows; it needs at least {need} "
            f"of its vocabulary, {shown(vocabulary)}.",
        )
    return Reading("".join(known[:most]), np.array(found[:most], np.int32), left_out, max(0, len(known) - most), instead)


def character_id(view: View, name: str, character: str, default: str) -> int:
    """The id of one character that a reader gave; of a rare one that of the symbol that stands for it.

    Args:
        name: the argument it came by.
        default: the one that the probe has without a reader; where the vocabulary lacks it, the first id is used.

    Raises:
        ProbeError: it is not one character of the vocabulary.
    """
    vocabulary = view.corpus.vocabulary
    if character == default and character not in vocabulary:
        return 0
    one = normalised(character)
    id = view.corpus.id_of(one) if len(one) == 1 else None
    if id is None:
        raise ProbeError(name, f"{name} = {character[:40]!r} is unknown to this model: choose one of {shown(vocabulary)}.")
    return id


def shown(characters: Sequence[str]) -> str:
    """Characters in a sentence: the first forty, with spaces and newlines made visible."""
    some = " ".join(repr(character)[1:-1] if character != " " else "' '" for character in characters[:40])
    return some + (f" and {len(characters) - 40} more" if len(characters) > 40 else "")


def matched(first: Reading, second: Reading) -> Integers:
    """Which place of the first text each character of the second comes from, if the second is a reordering of it.

    Equal characters are matched in their order, the k-th with the k-th.

    Returns:
        (N,): second.ids equals first.ids[...] of it.

    Raises:
        ProbeError: the texts do not have the same characters.
    """
    missing, added = Counter(first.text) - Counter(second.text), Counter(second.text) - Counter(first.text)
    if missing or added:
        differ = [f"lacks {shown(list(missing.elements()))}"] * bool(missing)
        differ += [f"has {shown(list(added.elements()))} too many"] * bool(added)
        raise ProbeError(
            "second",
            f"second = {second.text[:40]!r} {' and '.join(differ)} beside {first.text[:40]!r}: "
            "give the same characters in another order.",
        )
    source = np.empty(len(first.ids), int)
    source[np.argsort(second.ids, kind="stable")] = np.argsort(first.ids, kind="stable")
    return source


def probe_stream(view: View, name: str) -> np.random.Generator:
    """Random numbers of a probe, the same each time for the seed of its run."""
    return random_stream(view.config.seed, f"probe {name}")


@dataclass(frozen=True)
class Probe:
    """One lab of the chapter.

    Attributes:
        name: as in `probe NAME`.
        title: what it shows, in a few words.
        claims: the rows of the curriculum that it measures.
        function: takes a view and the arguments by name; returns a dict, or is a generator that yields its
            progress from 0 to 1 and returns the dict.
        arguments: rows {name, label, kind, default, help}, with low and high (integer, number, and each entry
            of a list), of (the kind of a list's entries), choices (a list of {value, label, help}).
        needs_model: False where the result does not depend on how far the run has trained.
    """

    name: str
    title: str
    claims: tuple[int, ...]
    function: Callable[..., Plain | Work]
    arguments: list[Row] = field(default_factory=list)
    needs_model: bool = True

    def read_arguments(self, given: Values) -> Values:
        """The arguments by name, each as its proper type, from text or plain values.

        Raises:
            ProbeError: a name is unknown, or a value is of another type or out of range.
        """
        rows = {row["name"]: row for row in self.arguments}
        values: Values = {name: row["default"] for name, row in rows.items()}
        for name, value in given.items():
            if name not in rows:
                raise ProbeError(
                    name, f"{name} is unknown: the probe {self.name} takes {listing(rows) if rows else 'no arguments'}."
                )
            values[name] = _read_argument(rows[name], value)
        return values


def _read_argument(row: Row, value: object) -> str | float | list[str | float]:
    name = row["name"]
    try:
        if row["kind"] == "text":
            if not isinstance(value, str):
                raise ProbeError(name, f"{name} = {value!r} is not a text: give one of at most {LONGEST_TEXT:,} characters.")
            if len(value) > LONGEST_TEXT:
                raise ProbeError(name, f"{name} has {len(value):,} characters: give a text of at most {LONGEST_TEXT:,}.")
            return value
        if row["kind"] == "list":
            entries = list(value) if isinstance(value, (list, tuple)) else str(value).split(",")
            if not 1 <= len(entries) <= MOST_ENTRIES:
                allowed = f"1 to {MOST_ENTRIES}, separated by commas"
                raise ProbeError(name, f"{name} has {len(entries)} values: give {allowed}.")
            return list(dict.fromkeys(parse({**row, "kind": row["of"]}, entry) for entry in entries))
        return parse(row, value)
    except ConfigError as error:
        raise ProbeError(error.field, error.message) from None


def text_argument(name: str, default: str, help: str) -> Row:
    return {"name": name, "label": name.capitalize(), "kind": "text", "default": default, "help": help}


def number_argument(name: str, default: float, low: float, high: float, help: str) -> Row:
    """A whole number, or a real one where the default is."""
    kind = "integer" if isinstance(default, int) else "number"
    label = name.replace("_", " ").capitalize()
    return {"name": name, "label": label, "kind": kind, "default": default, "low": low, "high": high, "help": help}


def list_argument(name: str, default: Sequence[float], low: float, high: float, help: str) -> Row:
    """Several numbers, of the kind of those in the default."""
    entry = number_argument(name, default[0], low, high, help)
    return {**entry, "kind": "list", "of": entry["kind"], "default": default}


def choice_argument(name: str, choices: dict[str, str], help: str) -> Row:
    """One of several words, the first by default. `choices`: each word and what it means."""
    return {
        "name": name,
        "label": name.capitalize(),
        "kind": "choice",
        "default": next(iter(choices)),
        "choices": [{"value": value, "label": value, "help": meaning} for value, meaning in choices.items()],
        "help": help,
    }


def undefined(why: str) -> Plain:
    """The result of a probe that has nothing to measure on this run."""
    return {"defined": False, "why": why}
