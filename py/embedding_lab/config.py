"""The settings of a run: the one list of names, defaults, ranges and rules.

The controls of the page, the query string, the command line, the tests and the training all read
this file. Nothing else states a default or a range.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, TypeVar

from .positions import ENCODINGS, OWN

if TYPE_CHECKING:
    from .kinds import Choice, FieldError, Row, Rule, Values

LONGEST_OWN_NAME = 40
CORPORA = {
    "alice29": ("Alice in Wonderland", "Lewis Carroll, 1865"),
    "asyoulik": ("As You Like It", "William Shakespeare, 1599"),
    "plrabn12": ("Paradise Lost", "John Milton, 1674"),
    "own": ("Your own text", "a text that you paste or open as a file"),
}


_ENCODINGS: list[Choice] = [
    {
        "value": name,
        "label": encoding.label,
        "help": encoding.help,
        "supplies": encoding.supplies(),
        "limited": encoding.is_limited(),
    }
    for name, encoding in ENCODINGS.items()
]
_CORPORA: list[Choice] = [{"value": name, "label": label, "help": help} for name, (label, help) in CORPORA.items()]

T = TypeVar("T")


class ConfigError(ValueError):
    """One setting that cannot be used: `field` is its name, the message says what is allowed."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


def _setting(
    default: T,
    label: str,
    help: str,
    low: float | None = None,
    high: float | None = None,
    choices: list[Choice] | None = None,
    own: str | None = None,
) -> T:
    return field(
        default=default,
        metadata={"label": label, "help": help, "low": low, "high": high, "choices": choices, "own": own},
    )


@dataclass(frozen=True)
class RunConfig:
    """Everything that decides a run. The same config gives the same losses wherever it trains.

    Raises:
        ConfigError: a value is of the wrong type, out of range or breaks a rule.
    """

    encoding: str = _setting(
        "learned", "Positional encoding", "How the model is told where a character stands.", choices=_ENCODINGS, own=OWN
    )
    d: int = _setting(48, "Width d", "Numbers in each embedding: the width of the residual stream.", 8, 128)
    layers: int = _setting(1, "Layers", "Transformer blocks, one after another.", 1, 4)
    heads: int = _setting(4, "Heads", "Attention heads in each block; each gets d / heads numbers.", 1, 8)
    context: int = _setting(32, "Context T", "Characters the model sees at once.", 8, 256)
    batch: int = _setting(32, "Batch B", "Stretches of text in one training step.", 1, 128)
    steps: int = _setting(500, "Steps", "Updates of the parameters.", 1, 20_000)
    lr: float = _setting(0.006, "Learning rate", "Peak step size of AdamW.", 0.0001, 1)
    position_scale: float = _setting(
        0.05, "Position scale", "Amplitude of the sinusoidal table, to compare with the initial spread of E.", 0, 1
    )
    init_std: float = _setting(0.02, "Initial spread of E", "Standard deviation of the embedding table at step 0.", 0.001, 1)
    tied: bool = _setting(True, "Tied output", "Use the embedding table E again to read out the logits.")
    seed: int = _setting(1, "Seed", "Fixes the initial parameters and the batches.", 0, 9999)
    corpus: str = _setting("alice29", "Text", "What the model learns to continue.", choices=_CORPORA)

    def __post_init__(self) -> None:
        values, errors = validate(asdict(self))
        if errors:
            raise ConfigError(errors[0]["field"], errors[0]["message"])
        for name, value in values.items():
            object.__setattr__(self, name, value)


RULES: list[Rule] = [
    {
        "field": "heads",
        "rule": "divides",
        "of": "d",
        "encoding": None,
        "text": "heads = {heads} does not divide d = {d}",
    },
]
RULES += [
    {
        "field": "heads",
        "rule": "even_quotient",
        "of": "d",
        "encoding": name,
        "text": encoding.label + " turns pairs of numbers, so it needs an even head size: d / heads = {d} / {heads} is odd",
    }
    for name, encoding in ENCODINGS.items()
    if "rotation" in encoding.supplies()
]


def settings_table() -> list[Row]:
    """The settings as plain data, in the order of the controls.

    Returns:
        One dict a setting: name, label, kind ("integer", "number", "choice", "boolean"), default,
        help, and low and high, or choices as a list of value, label and help; and of the encoding "own", what
        begins the value of a reader's own, and of each choice what it `supplies` and whether it is `limited` to the context.
    """
    kinds = {int: "integer", float: "number", bool: "boolean", str: "choice"}
    table = []
    for entry in fields(RunConfig):
        row: Row = {
            "name": entry.name,
            "label": entry.metadata["label"],
            "kind": kinds[type(entry.default)],
            "default": entry.default,
            "help": entry.metadata["help"],
        }
        if row["kind"] in ("integer", "number"):
            row["low"], row["high"] = entry.metadata["low"], entry.metadata["high"]
        if row["kind"] == "choice":
            row["choices"] = entry.metadata["choices"]
            if entry.metadata["own"]:
                row["own"] = entry.metadata["own"]
        table.append(row)
    return table


def validate(values: Mapping[str, object]) -> tuple[Values, list[FieldError]]:
    """Check settings that came from outside: the page, a query string, the command line.

    Args:
        values: names to values, as text or already as numbers; a missing name means its default.

    Returns:
        The settings, each valid one as its proper type and each invalid one as its default; and
        the errors, each a dict of field and message. No errors: the settings fit `RunConfig`.
    """
    table = {row["name"]: row for row in settings_table()}
    config: Values = {name: row["default"] for name, row in table.items()}
    errors: list[FieldError] = []
    for name, value in values.items():
        try:
            if name not in table:
                raise ConfigError(name, f"{name} is unknown: choose {listing(table)}.")
            config[name] = parse(table[name], value)
        except ConfigError as error:
            errors.append({"field": error.field, "message": error.message})
    refused = {error["field"] for error in errors}
    for rule in RULES:
        applies = rule["encoding"] in (None, config["encoding"])
        if not applies or rule["field"] in refused or rule["of"] in refused:
            continue
        if not _holds(rule, config[rule["field"]], config[rule["of"]]):
            row = table[rule["field"]]
            allowed = [n for n in range(int(row["low"]), int(row["high"]) + 1) if _allowed(row["name"], n, config)]
            refused.add(rule["field"])
            errors.append(
                {
                    "field": rule["field"],
                    "message": f"{rule['text'].format(**config)}: choose {rule['field']} from {', '.join(map(str, allowed))}."
                    if allowed
                    else f"{rule['text'].format(**config)}: change {rule['of']}.",
                }
            )
    return config, errors


def _allowed(name: str, value: int, config: Values) -> bool:
    return all(
        _holds(rule, value, config[rule["of"]])
        for rule in RULES
        if rule["field"] == name and rule["encoding"] in (None, config["encoding"])
    )


def _holds(rule: Rule, value: int, other: int) -> bool:
    if rule["rule"] == "divides":
        return other % value == 0
    return other % value != 0 or other // value % 2 == 0  # even_quotient: left to "divides" where it does not


def parse(row: Row, value: object) -> str | float:
    """The value as its proper type, from text or a number.

    Args:
        row: name, kind, and low and high or choices (and own, if it may be one), as in `settings_table`.

    Raises:
        ConfigError: the value is of another type, out of range or unknown.
    """
    name, kind = row["name"], row["kind"]
    text = str(value).strip(" \t\r\n")
    if kind == "choice":
        names = [choice["value"] for choice in row["choices"]]
        if "own" in row and text.startswith(row["own"]):
            if not is_own_name(text.removeprefix(row["own"])):
                raise ConfigError(name, f"{name} = {text} has a name that cannot be used: {OWN_NAME}.")
        elif text not in names:
            raise ConfigError(name, f"{name} = {text} is unknown: choose {listing(names)}.")
        return text
    if kind == "boolean":
        lowered = text.lower()
        if lowered not in ("true", "1", "yes", "false", "0", "no"):
            raise ConfigError(name, f"{name} = {text} is unknown: choose yes or no.")
        return lowered in ("true", "1", "yes")
    low, high = row["low"], row["high"]
    if kind == "integer":
        if not re.fullmatch(r"[+-]?[0-9]+", text):
            raise ConfigError(name, f"{name} = {text} is not a whole number: choose one from {low} to {high}.")
        # Past 20 digits the value is out of every range; int() of a very long text is refused by Python.
        number = int(text) if len(text) <= 20 else float(text)
        if not low <= number <= high:
            raise ConfigError(name, f"{name} = {text} is out of range: choose a whole number from {low} to {high}.")
        return int(number)
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        raise ConfigError(name, f"{name} = {text} is not a number: choose one from {low:g} to {high:g}.")
    number = float(text)
    if not low <= number <= high:
        raise ConfigError(name, f"{name} = {text} is out of range: choose a number from {low:g} to {high:g}.")
    return number


OWN_NAME = "a name has 1 to 40 letters, digits, spaces and . _ + - ( ), and begins with a letter or a digit"


def is_own_name(name: str) -> bool:
    """Whether a reader's own encoding can be called so, in any script: in CSV the name needs no quotes."""
    return (
        1 <= len(name) <= LONGEST_OWN_NAME
        and unicodedata.category(name[0])[0] in "LN"
        and not name.endswith(" ")
        and all(unicodedata.category(each)[0] in "LMN" or each in " ._+-()" for each in name)
    )


def listing(names: Iterable[str]) -> str:
    """Names in a sentence: a, b or c."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
