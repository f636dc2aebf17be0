"""Settings from outside: every default fits, and what does not fit is named with what would."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedding_lab.config import ConfigError, RunConfig, listing, settings_table, validate
from embedding_lab.positions import ENCODINGS

TABLE = {row["name"]: row for row in settings_table()}


def message(**values):
    _, errors = validate(values)
    assert len(errors) == 1
    return errors[0]["message"]


def test_the_defaults_are_those_of_the_design():
    config = RunConfig()
    assert (config.d, config.layers, config.heads, config.context, config.batch) == (48, 1, 4, 32, 32)
    assert (config.steps, config.lr, config.position_scale, config.init_std) == (500, 6e-3, 0.05, 0.02)
    assert config.tied and config.corpus == "alice29"
    assert validate({}) == (dataclasses.asdict(config), [])


def test_the_table_is_plain_data_in_the_order_of_the_settings():
    assert json.loads(json.dumps(settings_table())) == settings_table()
    assert list(TABLE) == [field.name for field in dataclasses.fields(RunConfig)]


@pytest.mark.parametrize("row", [row for row in TABLE.values() if "low" in row], ids=lambda row: row["name"])
def test_the_ends_of_each_range_are_allowed_and_what_lies_beyond_is_not(row):
    name = row["name"]
    others = {"heads": 1} if name == "d" else {"d": 120} if name == "heads" else {}
    for value in (row["low"], row["high"]):
        config, errors = validate({name: str(value), **others})
        assert not errors and config[name] == value
    for value in (row["low"] - 1, row["high"] + 1):
        assert f"{name} = {value} is out of range: choose a" in message(**{name: value, **others})
        assert f"from {row['low']:g} to {row['high']:g}." in message(**{name: value, **others})


@pytest.mark.parametrize(
    "values, expected",
    [
        ({"d": "abc"}, "d = abc is not a whole number: choose one from 8 to 128."),
        ({"d": "48.5"}, "d = 48.5 is not a whole number: choose one from 8 to 128."),
        ({"d": "٤٨"}, "d = ٤٨ is not a whole number: choose one from 8 to 128."),
        ({"steps": ""}, "steps =  is not a whole number: choose one from 1 to 20000."),
        ({"lr": "fast"}, "lr = fast is not a number: choose one from 0.0001 to 1."),
        ({"lr": "nan"}, "lr = nan is not a number: choose one from 0.0001 to 1."),
        ({"lr": "1e999"}, "lr = 1e999 is out of range: choose a number from 0.0001 to 1."),
        ({"encoding": "rotary"}, f"encoding = rotary is unknown: choose {listing(ENCODINGS)}."),
        ({"tied": "maybe"}, "tied = maybe is unknown: choose yes or no."),
        ({"heads": "5"}, "heads = 5 does not divide d = 48: choose heads from 1, 2, 3, 4, 6, 8."),
        (
            {"heads": "4", "d": "12", "encoding": "rope"},
            "RoPE turns pairs of numbers, so it needs an even head size: d / heads = 12 / 4 is odd: "
            "choose heads from 1, 2, 3, 6.",
        ),
        (
            {"heads": "3", "d": "9", "encoding": "rope"},
            "RoPE turns pairs of numbers, so it needs an even head size: d / heads = 9 / 3 is odd: change d.",
        ),
    ],
)
def test_what_does_not_fit_is_named_with_what_would(values, expected):
    assert message(**values) == expected


@pytest.mark.parametrize(
    "name", ["a", "binary counter 2", "mein Zähler", "位置", "स्थिति", "موضع", "2nd (try) +1.0_a-b", "x" * 40]
)
def test_a_reader_may_call_an_encoding_in_any_script(name):
    config, errors = validate({"encoding": f"own:{name}"})
    assert not errors and config["encoding"] == f"own:{name}" and RunConfig(encoding=f"own:{name}").encoding == f"own:{name}"


@pytest.mark.parametrize("name", ["", "a,b", " a", "-a", "a\nb", 'a"b', "x" * 41, "a/b", "a\u200db", "😀"])
def test_a_name_that_cannot_be_used_is_told(name):
    assert message(encoding=f"own:{name}") == (
        f"encoding = own:{name} has a name that cannot be used: a name has 1 to 40 letters, digits, spaces and . _ + - ( ), "
        "and begins with a letter or a digit."
    )


def test_only_an_encoding_can_be_a_readers_own_code():
    assert TABLE["encoding"]["own"] == "own:" and "own" not in TABLE["corpus"]
    assert "corpus = own:x is unknown" in message(corpus="own:x")


def test_an_unknown_name_lists_the_known_ones():
    assert message(width=3).startswith("width is unknown: choose encoding, d, layers")


def test_an_invalid_value_leaves_the_others_standing():
    config, errors = validate({"d": "x", "steps": "200", "lr": " 0.01 "})
    assert config["d"] == 48 and config["steps"] == 200 and config["lr"] == 0.01
    assert [error["field"] for error in errors] == ["d"]


@given(st.dictionaries(st.sampled_from(sorted(TABLE)), st.text() | st.integers() | st.floats() | st.booleans()))
def test_any_value_gives_a_usable_config_or_an_error_for_its_field(values):
    config, errors = validate(values)
    assert {error["field"] for error in errors} <= set(values) | {"heads"}
    if not errors:
        assert dataclasses.asdict(RunConfig(**config)) == config


def test_a_config_made_in_python_is_checked_too():
    with pytest.raises(ConfigError, match="heads = 5 does not divide d = 48") as caught:
        RunConfig(heads=5)
    assert caught.value.field == "heads"
    with pytest.raises(dataclasses.FrozenInstanceError):
        RunConfig().d = 3
