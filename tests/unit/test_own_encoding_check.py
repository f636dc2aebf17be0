"""What a check tells of a reader's encoding before it is trained."""

import pytest

from embedding_lab import worker
from own_code import COMPUTED, HEAD, ONE_NUMBER, POINTS, SMALL, TABLE, VALUE, mine

pytestmark = pytest.mark.usefixtures("no_runs_left")


def test_a_check_draws_what_the_probes_draw():
    answer = worker.check_encoding(POINTS["t5_buckets"]["code"], {**SMALL, "encoding": "rope", "corpus": "own"})
    assert set(answer) == {"name", "maxLength", "supplies", "parameters", "methods", "probes", "printed", "notes"}
    assert (answer["name"], answer["maxLength"], answer["supplies"], answer["parameters"]) == ("T5 buckets", None, ["bias"], 64)
    assert answer["methods"] == [
        {"method": "bias", "shape": [2, 8, 8], "dtype": "float64", "trainable": True, "parameters": 64}
    ]
    defined = {name: result["defined"] for name, result in answer["probes"].items()}
    assert defined == {"position-table": False, "rotation": False, "distance-bias": True}
    assert answer["printed"] == "" and answer["notes"] == []
    rope = worker.check_encoding(POINTS["rope_on_half"]["code"], SMALL)
    assert rope["methods"] == [{"method": "rotation", "shape": [8, 2], "dtype": "float64", "trainable": False, "parameters": 0}]
    assert rope["probes"]["rotation"]["defined"]


@pytest.mark.parametrize("name", POINTS)
def test_a_starting_point_gives_no_note(name):
    assert worker.check_encoding(POINTS[name]["code"], {})["notes"] == []


@pytest.mark.parametrize("config", [{"context": 256, "d": 128, "heads": 8}, {"context": 8, "d": 8, "heads": 1}], ids=str)
def test_a_check_works_at_the_ends_of_the_settings(config):
    assert worker.check_encoding(HEAD + COMPUTED, config)["supplies"] == ["table", "bias"]


@pytest.mark.parametrize(
    "code, note",
    [
        (mine("pass"), "It supplies nothing"),
        (mine(TABLE + "return np.eye(length, d).astype(np.float16) / 10"), "table returns float16"),
        (mine(TABLE + "return np.eye(length, d) * 5"), "drowns the characters"),
        (mine(TABLE + "return np.ones((length, d)) / 50"), "7 of the 8 rows of the table repeat another"),
        (
            mine("def rotation(self, length, head_dim):\n    return (np.full((length, 2), 2.0), np.zeros((length, 2)))"),
            "from 2 to 2, not 1",
        ),
    ],
)
def test_a_check_notes_what_may_not_be_meant(code, note):
    [told] = worker.check_encoding(code, SMALL)["notes"]
    assert note in told


RELATIVE = """
class Relative(PositionalEncoding):
    def bias(self, length, heads):
        place = np.arange(length)
        entry = place[:, None] - place + length - 1
        def gradient(p, dvalue):
            return np.array([np.bincount(entry.ravel(), each.ravel(), 2 * length - 1) for each in dvalue])
        return Trainable(np.zeros((heads, 2 * length - 1)), 0, lambda p: p[:, entry], gradient)
"""


def test_a_check_notes_a_parameter_that_means_another_distance_at_another_length():
    [told] = worker.check_encoding(HEAD + RELATIVE, SMALL)["notes"]
    assert "With the same parameter, bias at length 4 is not the first part of what it is at length 8" in told
    from_0 = (
        (HEAD + RELATIVE)
        .replace("place + length - 1", "place")
        .replace("place[:, None] - place", "np.maximum(place[:, None] - place, 0)")
    )
    hidden = (
        (HEAD + RELATIVE)
        .replace("place + length - 1", "place")
        .replace("place[:, None] - place", "(place[:, None] - place) % (2 * length - 1)")
    )
    for right in (
        from_0,
        hidden,
        HEAD + COMPUTED,
        HEAD + ONE_NUMBER,
        mine(TABLE + "return Trainable(np.zeros((length, d)), 0.02)"),
    ):
        assert worker.check_encoding(right, SMALL)["notes"] == []
    table = mine(
        VALUE + "lambda p: p * np.arange(length)[:, None] / length, lambda p, dvalue: (np.arange(length) / length) @ dvalue)"
    )
    assert "table at length 4 is not the first part" in worker.check_encoding(table, SMALL)["notes"][-1]


def test_a_check_notes_that_a_shorter_length_fails():
    code = mine(
        "def table(self, length, d):\n    assert length > 4, 'too short'\n    return Trainable(np.zeros((length, d)), 0.02)"
    )
    [told] = worker.check_encoding(code, SMALL)["notes"]
    assert told == "At length 4, where probes may ask for it: table raised AssertionError in line 5: too short"


def test_a_check_tells_of_settings_that_cannot_be():
    error = worker.check_encoding(mine("pass"), {**SMALL, "heads": 3})["error"]
    assert (error["code"], error["field"]) == ("config", "heads")
