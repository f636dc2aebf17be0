"""Each encoding is what its paper says, and an encoding that returns something unusable is told so."""

import math

import numpy as np
import pytest

from embedding_lab import positions
from embedding_lab.config import RunConfig, settings_table
from embedding_lab.position_checks import check
from embedding_lab.positions import (
    ENCODINGS,
    KERPLE,
    PLACES,
    ALiBi,
    Learned,
    PositionalEncoding,
    PositionError,
    RoPE,
    Sinusoidal,
    Trainable,
    build,
)


def test_the_settings_name_every_encoding():
    for name in ENCODINGS:
        assert build(name, 32).name == name
    with pytest.raises(PositionError, match=r"rotary.*choose none, learned"):
        build("rotary", 32)


def test_a_class_of_positions_is_all_that_an_encoding_of_the_lab_is():
    [row] = [row for row in settings_table() if row["name"] == "encoding"]
    told = [(each.name, each.label, each.help, each.supplies()) for each in ENCODINGS.values()]
    assert [(each["value"], each["label"], each["help"], each["supplies"]) for each in row["choices"]] == told
    assert len({label for _, label, _, _ in told}) == len(told)
    classes = [each for each in vars(positions).values() if isinstance(each, type) and issubclass(each, PositionalEncoding)]
    assert list(ENCODINGS.values()) == classes, "a class without a name of its own takes the place of another"
    assert all({"name", "label", "help"} <= vars(each).keys() for each in classes)
    for encoding in (build(name, 16) for name in ENCODINGS):
        answers = {place: getattr(encoding, place)(8, 4) for place in PLACES}
        assert [place for place in PLACES if answers[place] is not None] == encoding.supplies()


def test_the_list_tells_which_encodings_end_at_the_context():
    [row] = [row for row in settings_table() if row["name"] == "encoding"]
    for choice in row["choices"]:
        try:
            for place in PLACES:
                getattr(build(choice["value"], 16), place)(17, 4)
            ends = False
        except PositionError:
            ends = True
        assert choice["limited"] is ends, choice["value"]

    class Long(Learned):
        of = classmethod(lambda cls, context, position_scale: cls(512))

    assert not Long.is_limited()  # it has a limit, and that is not the context


def test_the_class_of_a_reader_is_none_of_the_labs():
    class Mine(PositionalEncoding):
        name = "mine"

    assert Mine in PositionalEncoding.__subclasses__() and "mine" not in ENCODINGS


@pytest.mark.parametrize("d", [7, 8, 48])
def test_the_sinusoid_is_the_formula_of_section_3_5(d):
    table = Sinusoidal().table(50, d)
    for position in (0, 1, 31, 49):
        for i in range(d):
            angle = position / 10_000 ** (2 * (i // 2) / d)
            assert table[position, i] == pytest.approx(math.cos(angle) if i % 2 else math.sin(angle))


def test_the_sinusoid_gives_each_position_a_signature_that_turns_with_distance():
    table = Sinusoidal().table(256, 48)
    assert len(np.unique(table.round(6), axis=0)) == 256
    products = table @ table.T
    for distance in (1, 5, 20):
        assert np.ptp(np.diag(products, distance)) < 1e-9


def test_the_position_scale_is_the_amplitude():
    assert np.abs(build("sinusoidal", 32, position_scale=0.3).table(32, 48)).max() == pytest.approx(0.3)
    assert np.abs(build("sinusoidal", 32).table(32, 48)).max() == pytest.approx(RunConfig().position_scale)


def test_the_learned_table_ends_where_it_was_trained():
    encoding = Learned(32)
    supplied = encoding.table(32, 48)
    assert isinstance(supplied, Trainable) and supplied.start.shape == (32, 48)
    assert (supplied.noise, Learned(32, std=0.5).table(32, 48).noise) == (0.02, 0.5)
    with pytest.raises(
        PositionError, match="for positions 0 to 31; positions 32 to 39 were never learned: use a context of at most 32"
    ):
        encoding.table(40, 48)


def test_rope_turns_the_first_pair_by_one_radian_a_position():
    cos, sin = RoPE().rotation(10, 8)
    assert cos.shape == sin.shape == (10, 4)
    assert cos[:, 0] == pytest.approx(np.cos(np.arange(10)))
    assert sin[9, 3] == pytest.approx(math.sin(9 / 10_000 ** (6 / 8)))
    with pytest.raises(PositionError, match="even head size, not 5"):
        RoPE().rotation(10, 5)


def test_alibi_has_the_slopes_of_the_paper():
    bias = ALiBi().bias(6, 8)
    assert -bias[:, 1, 0] == pytest.approx([1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256])
    assert bias[0, 5, 2] == -1.5
    assert not bias[:, range(6), range(6)].any()


def test_none_supplies_nothing():
    encoding = PositionalEncoding()
    assert encoding.table(4, 8) is encoding.rotation(4, 4) is encoding.bias(4, 2) is None


def returning(method, value):
    return type("Custom", (PositionalEncoding,), {method: lambda self, *sizes: value})()


def test_kerple_falls_with_the_logarithm_of_distance_and_its_parameters_stay_above_0():
    heads, length = 4, 9
    supplied = KERPLE().bias(length, heads)
    assert np.exp(supplied.start) == pytest.approx(np.array([[0.25, 0.75, 1.25, 1.75], [0.125, 0.375, 0.625, 0.875]]))
    for parameter in (supplied.start, np.full((2, heads), -5.0), np.full((2, heads), 3.0)):
        bias = supplied.value(parameter)
        for head, i, j in [(0, 0, 0), (1, 8, 0), (3, 5, 4), (2, 2, 7)]:
            r1, r2 = math.exp(parameter[0, head]), math.exp(parameter[1, head])
            assert bias[head, i, j] == pytest.approx(-r1 * math.log(1 + r2 * abs(i - j)))
        steps = np.diff(bias[:, -1, ::-1])  # from one distance to the next
        assert (steps < 0).all() and (np.diff(steps) > 0).all()  # always lower, and by less and less
    # In the precision of the parameters, or every training step would compute the whole bias in twice the size
    single = supplied.start.astype(np.float32)
    assert supplied.value(single).dtype == supplied.gradient(single, supplied.value(single)).dtype == np.float32
    assert KERPLE().bias(256, heads).start.shape == supplied.start.shape  # so that what was learned holds at any length


@pytest.mark.parametrize(
    "method, value, message",
    [
        ("table", np.zeros((8, 11)), r"table returned the shape \(8, 11\).*must be \(8, 12\)"),
        ("table", [[0.0]], "table returned list"),
        ("table", np.full((8, 12), np.nan), "table returned values that are not finite"),
        ("table", np.full((8, 12), 1j), "complex numbers"),
        ("table", np.full((8, 12), "x"), "returned an array of <U1"),
        ("table", np.ones((8, 12), bool), "an array of bool.*astype"),
        ("table", np.full((8, 12), None), "an array of object.*different lengths"),
        ("table", np.full((8, 12), 1e300), "1e.300, more than the 1e.18"),
        ("table", np.full((8, 12), 2e18), r"table returned 2e\+18, more than the 1e\+18"),
        ("table", Trainable(np.full((8, 12), -2e18)), r"table returned 2e\+18, more than the 1e\+18"),
        ("rotation", (np.full((8, 3), 2e18),) * 2, r"rotation returned 2e\+18, more than the 1e\+18"),
        ("bias", np.full((2, 8, 8), -1e39), r"bias returned 1e\+39, more than the 3.4e\+38"),
        ("table", np.full((8, 12), 1, "timedelta64[D]"), r"an array of timedelta64\[D\]; it returns an array of numbers"),
        ("table", (each for each in ()), "returned generator.*use `return`"),
        ("table", Trainable(np.zeros((7, 12))), r"shape \(7, 12\)"),
        ("table", Trainable(np.zeros(3), 0, lambda p: p, lambda p, d: p), r"value of table returned the shape \(3,\)"),
        ("table", Trainable(np.zeros(0), 0, lambda p: p, lambda p, d: p), "start of table.*empty array"),
        ("rotation", np.zeros((8, 3)), r"rotation returned an array of float64.*\(cos, sin\)"),
        ("rotation", Trainable(np.zeros((8, 3))), "returned a Trainable; angles cannot be trained"),
        ("rotation", (Trainable(np.zeros((8, 3))), np.zeros((8, 3))), "returned a Trainable"),
        ("rotation", (np.zeros((8, 3)),) * 3, "a tuple of 3"),
        ("rotation", (np.zeros((8, 3)), np.zeros((8, 6))), r"shape \(8, 6\).*must be \(8, 3\)"),
        ("bias", np.zeros((8, 8)), r"must be \(2, 8, 8\)"),
        ("bias", np.full((2, 8, 8), -np.inf), "not finite"),
    ],
)
def test_what_an_encoding_returns_is_checked(method, value, message):
    with pytest.raises(PositionError, match=message):
        check(returning(method, value), 8, 12, 2)


def test_a_bias_may_hide_with_the_least_float32():
    check(returning("bias", np.full((2, 8, 8), np.finfo(np.float32).min)), 8, 12, 2)


def test_a_value_needs_its_gradient_and_a_gradient_its_value():
    with pytest.raises(PositionError, match="Trainable has value without gradient: give both, or neither"):
        Trainable(np.zeros(3), value=lambda parameter: parameter)
    with pytest.raises(PositionError, match="Trainable has gradient without value"):
        Trainable(np.zeros(3), gradient=lambda parameter, dvalue: dvalue)


def test_an_own_encoding_is_not_among_those_of_the_lab():
    with pytest.raises(PositionError, match=r"own:mine is a reader's own, and its code is not here: .* --encoding FILE.py"):
        build("own:mine", 32)


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_built_in_encodings_pass_their_own_check(name):
    check(build(name, 32), 32, 48, 4)


def test_a_rotation_needs_an_even_head_size():
    with pytest.raises(PositionError, match="even head size, d / heads, not 3: change d or heads"):
        check(Turning(), 8, 9, 3)


class Turning(PositionalEncoding):
    """Turns by nothing, at any head size."""

    def rotation(self, length, head_dim):
        return np.ones((length, head_dim // 2)), np.zeros((length, head_dim // 2))
