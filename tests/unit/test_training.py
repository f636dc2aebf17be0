"""A run: its losses, its reproducibility, its frames, and how it ends. The headline outcome on Alice."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from embedding_lab.config import RunConfig
from embedding_lab.corpus import Corpus, CorpusError
from embedding_lab.model import random_stream
from embedding_lab.ops import best, reference
from embedding_lab.positions import ENCODINGS, PositionError
from embedding_lab.training import DIVERGED_STEPS, Run, Saved, SavedError

SMALL = {"d": 8, "heads": 2, "context": 8, "batch": 4, "steps": 30}


def train(config, corpus, encoding=None, slice_seconds=60.0):
    run = Run(config, corpus, encoding)
    while run.state == "training":
        run.advance(slice_seconds)
    return run


@pytest.fixture(scope="module")
def headline(alice):
    names = ("none", "learned")
    return {
        (name, seed): train(RunConfig(encoding=name, seed=seed), alice).validation[-1][1]
        for name in names
        for seed in (1, 2, 3)
    }


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_position_buys_at_least_0_15_nats_on_alice(headline, seed):
    assert headline["none", seed] - headline["learned", seed] >= 0.15


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_without_position_a_causal_model_still_reaches_the_bigram_line(headline, alice, seed):
    assert headline["none", seed] < alice.baselines()["bigram"] + 0.05


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_learns(encoding, alice):
    run = train(RunConfig(encoding=encoding, steps=100), alice)
    assert run.state == "finished"
    assert run.validation[-1][1] < alice.baselines()["unigram"] - 0.3


def test_the_same_config_gives_the_same_losses_and_another_seed_gives_others(alice):
    first, again = train(RunConfig(**SMALL), alice), train(RunConfig(**SMALL), alice, slice_seconds=0)
    assert first.train_loss == again.train_loss
    assert first.validation == again.validation
    assert train(RunConfig(**SMALL, seed=2), alice).train_loss != first.train_loss


def test_runs_of_one_seed_see_the_same_batches(alice):
    streams = [Run(RunConfig(**SMALL, encoding=name), alice)._batches for name in ENCODINGS]
    drawn = [alice.batch(stream, 4, 8)[0] for stream in streams]
    assert all(np.array_equal(drawn[0], other) for other in drawn)


def test_frames_hold_every_point_once_and_in_order(alice):
    run, losses, points = Run(RunConfig(**SMALL), alice), [], []
    frame = run.frame()
    while True:
        assert frame.train_from == len(losses) + 1
        losses += frame.train_loss.tolist()
        points += zip(frame.validation_steps.tolist(), frame.validation_loss.tolist(), strict=True)
        assert frame.step == len(losses)
        if frame.state != "training":
            break
        frame = run.advance(0)
    assert losses == pytest.approx(run.train_loss)
    assert [step for step, _ in points] == [0, 10, 20, 30]
    assert [loss for _, loss in points] == pytest.approx([loss for _, loss in run.validation])
    assert frame.train_loss.dtype == frame.validation_loss.dtype == np.float32


def test_advancing_a_finished_run_changes_nothing(alice):
    run = train(RunConfig(**SMALL), alice)
    before = run.model.parameters.vector.copy()
    frame = run.advance(0.01)
    assert (frame.step, frame.state, len(frame.train_loss)) == (30, "finished", 0)
    assert np.array_equal(run.model.parameters.vector, before)


@pytest.mark.parametrize("steps, last", [(1, [0, 1]), (10, [0, 10]), (25, [0, 10, 20, 25])])
def test_the_first_and_the_last_step_are_always_evaluated(alice, steps, last):
    run = train(RunConfig(**{**SMALL, "steps": steps}), alice)
    assert [step for step, _ in run.validation] == last


def test_the_validation_loss_is_the_mean_over_the_validation_part(alice):
    run = Run(RunConfig(**SMALL), alice)
    run.model.parameters["embedding"][...] *= 30
    ids = alice.validation
    losses = [
        run.model.losses(ids[None, start : start + 8], ids[None, start + 1 : start + 9]).mean()
        for start in range(0, len(ids) - 8, 8)
    ]
    assert run.validation_loss() == pytest.approx(np.mean(losses), abs=1e-5)


def test_a_long_validation_part_is_sampled_evenly():
    ids = random_stream(1, "text").integers(0, 4, 400_000)
    corpus = Corpus(tuple("abcd"), ids[:200_000], ids[200_000:])
    run = Run(RunConfig(**SMALL), corpus)
    seen = []
    run.model.losses = lambda inputs, targets: seen.append(inputs.size) or np.ones(inputs.shape)
    assert run.validation_loss() == pytest.approx(1)
    assert sum(seen) == 16_384
    assert max(seen) <= 4096


def test_a_learning_rate_that_diverges_stops_the_run_and_keeps_its_curve(alice):
    run = train(RunConfig(encoding="none", lr=1, steps=500), alice)
    limit = math.log(73) + 1
    assert run.state == "diverged"
    assert run.step == len(run.train_loss) < 500
    assert all(loss > limit for loss in run.train_loss[-DIVERGED_STEPS:])
    assert not all(loss > limit for loss in run.train_loss[-DIVERGED_STEPS - 1 :])
    assert f"Diverged at step {run.step}: " in run.message
    assert "5.29 nats for 50 steps" in run.message and "learning rate (it is 1)" in run.message


def test_a_loss_that_is_not_a_number_stops_the_run_at_once(alice):
    run = Run(RunConfig(**SMALL), alice)
    run.advance(0)
    run.model.parameters["embedding"][0] = np.nan
    while run.state == "training":
        run.advance(0)
    assert run.state == "diverged"
    assert f"Diverged at step {run.step}: the training loss is nan" in run.message
    assert len(run.train_loss) == run.step


def test_a_text_too_short_for_the_context_and_an_encoding_that_does_not_fit():
    with pytest.raises(CorpusError, match="context of 32 needs 33"):
        Run(RunConfig(), Corpus.from_text("the cat sat on the mat. " * 4))
    from embedding_lab.positions import RoPE

    with pytest.raises(PositionError, match="even head size, not 3"):
        Run(RunConfig(d=12, heads=4), Corpus.from_text("abc " * 500), RoPE())


def test_the_flops_of_the_default_model():
    # 1,024 characters through 12 * 48 * 48 + 73 * 48 weights, and their products with 16.5 keys and values.
    corpus = Corpus(tuple(map(chr, range(73))), np.zeros(1000, int), np.zeros(1000, int))
    assert Run(RunConfig(), corpus).flops_per_step == 6 * 1024 * (12 * 48 * 48 + 73 * 48 + 33 * 48)


def test_a_run_without_evaluations_trains_alike(alice):
    run = Run(RunConfig(**SMALL), alice, evaluate=False)
    while run.state == "training":
        run.advance(60)
    evaluated = train(RunConfig(**SMALL), alice)
    assert run.train_loss == evaluated.train_loss and run.validation == []
    assert run.validation_loss() == evaluated.validation[-1][1]


def assert_same(one, other):
    """Two runs agree in all that they are saved with but the time they took, bit for bit."""
    for name in (field.name for field in fields(Saved) if field.name != "seconds"):
        first, second = getattr(one.save(), name), getattr(other.save(), name)
        assert type(first) is type(second), name
        assert first.tobytes() == second.tobytes() if isinstance(first, np.ndarray) else first == second, name


def stopped_at(step, run):
    while run.step < step:
        run.advance(0)
    return run


@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("ops", [reference, best()], ids=["reference", "compiled"])
def test_250_steps_saved_and_250_more_are_500_straight_through(alice, ops, encoding, tied):
    assert best() is not reference
    config = RunConfig(encoding=encoding, tied=tied, **{**SMALL, "layers": 2, "steps": 500})
    corpus = Corpus.from_text(alice.text[:20_000])  # its 21 evaluations would take most of the time
    straight = Run(config, corpus, ops=ops)
    half = stopped_at(250, straight).save()
    straight.advance(60)
    continued = Run(config, corpus, ops=ops, evaluate=False)
    continued.restore(half)
    assert (continued.step, continued.state) == (250, "training")
    frame = continued.frame()
    assert (frame.train_from, len(frame.train_loss), len(frame.validation_loss)) == (251, 0, 0)
    continued.advance(60)
    assert continued.step == 500 and len(continued.validation) == 21
    assert_same(continued, straight)


def test_the_default_run_goes_on_exactly_even_in_a_run_that_has_trained_itself(alice):
    config = RunConfig(steps=60)
    straight = Run(config, alice)
    half = stopped_at(30, straight).save()
    straight.advance(60)
    other = stopped_at(7, Run(config, alice))
    other.restore(half)
    other.advance(60)
    assert_same(other, straight)
    assert other.seconds > half.seconds


def test_a_run_that_has_ended_stays_so_and_what_was_saved_does_not_train_along(alice):
    trained = train(RunConfig(**SMALL), alice)
    run = Run(RunConfig(**SMALL), alice, evaluate=False)
    run.restore(trained.save())
    frame = run.advance(1)
    assert (frame.step, frame.state, len(frame.train_loss)) == (30, "finished", 0)
    assert run.validation_loss() == trained.validation[-1][1]
    early = stopped_at(3, Run(RunConfig(**SMALL), alice, evaluate=False))
    saved = early.save()
    before = saved.vector.copy()
    early.advance(60)
    assert np.array_equal(saved.vector, before) and len(saved.validation_steps) == 0
    early.restore(saved)
    early.advance(60)
    assert early.train_loss == trained.train_loss and early.validation == []


def test_a_diverged_run_is_restored_as_it_is(alice):
    run = Run(RunConfig(**SMALL), alice)
    run.model.parameters["embedding"][...] = np.nan
    run.advance(0)
    again = Run(RunConfig(**SMALL), alice)
    again.restore(run.save())
    assert_same(again, run)
    assert again.advance(1).state == "diverged" and again.message == run.message


@pytest.mark.parametrize("last", [math.nan, math.inf, -math.inf])
def test_only_the_last_losses_of_a_diverged_run_may_be_no_numbers(at_20, last):
    saved = replace(
        at_20.save(),
        state="diverged",
        message="x",
        train_loss=np.array([1.0] * 19 + [last]),
        validation_loss=np.array([1.0, 1.0, last]),
    )
    saved.check(at_20.model.size, 30)
    for name in ("train_loss", "validation_loss"):
        with pytest.raises(SavedError, match=f"{name} has values that are not from 0"):
            replace(saved, **{name: getattr(saved, name)[::-1]}).check(at_20.model.size, 30)


def test_parameters_that_overflow_end_a_run_before_its_loss_shows_it(alice):
    run = Run(RunConfig(**{**SMALL, "steps": 1}, tied=False), alice)
    run.optimizer.mean[...] = 3e38
    run.advance(0)
    assert np.isfinite(run.train_loss).all()
    assert run.state == "diverged" and "Diverged at step 1: the update left parameters that are not finite" in run.message


@pytest.fixture(scope="module")
def at_20(alice):
    return stopped_at(20, Run(RunConfig(**SMALL), alice))


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"vector": np.zeros(3, np.float32)}, r"vector has 3 numbers; the parameters of the model of these settings are \d+"),
        ({"mean": np.zeros((2, 2), np.float32)}, r"mean is float32 of the shape \(2, 2\): it must be one row of float32"),
        ({"square": [0.0]}, "square is list: it must be one row of float32"),
        ({"train_loss": np.zeros(20, np.float32)}, "train_loss is float32 of the shape .* one row of float64"),
        ({"train_loss": np.zeros(19)}, "train_loss has 19 numbers; the steps made are 20"),
        ({"train_loss": np.array([np.inf] * 20)}, "train_loss has values that are not from 0"),
        ({"train_loss": np.array([1.0] * 19 + [-1e-9])}, "train_loss has values that are not from 0 to 3.4"),
        ({"train_loss": np.array([1.0] * 19 + [1e39])}, "train_loss has values that are not from 0 to 3.4"),
        ({"validation_loss": np.array([3, math.nan, 2])}, "validation_loss has values that are not from 0 to 3.4"),
        ({"validation_loss": np.array([3, 2, math.inf])}, "validation_loss has values that are not from 0 to 3.4"),
        ({"validation_loss": np.array([3, 2, -1.0])}, "validation_loss has values that are not from 0 to 3.4"),
        ({"validation_loss": np.array([1e300, 3, 2])}, "validation_loss has values that are not from 0 to 3.4"),
        ({"validation_steps": np.array([0, 20, 10], np.int32)}, "not those of a run at step 20 of 30: \\[0, 10, 20\\]"),
        ({"validation_steps": np.array([0, 10, 21], np.int32)}, "not those of a run at step 20 of 30: \\[0, 10, 20\\]"),
        ({"validation_steps": np.array([-1, 10, 20], np.int32)}, "not those of a run"),
        ({"validation_loss": np.zeros(2)}, "validation_loss has 2 numbers; the validation_steps are 3"),
        ({"step": 31}, "step = 31 is not a whole number from 0 to 30"),
        ({"step": 20.0}, "step = 20.0 is not a whole number"),
        ({"step": True}, "step = True is not a whole number"),
        ({"state": "paused"}, "state = 'paused' is unknown: a run is training, finished, diverged"),
        ({"state": np.zeros(0, bool)}, "state = ndarray is unknown"),
        ({"state": "finished"}, "A run of 30 steps cannot be finished at step 20"),
        ({"state": "diverged"}, "message = None: a run that diverged has a text"),
        ({"message": "x"}, "message = 'x': a run that diverged has a text of at most 1000 characters, another has none"),
        ({"seconds": math.nan}, "seconds = nan is neither 0 nor a number from 2e-08 to 1e\\+09"),
        ({"seconds": 10**400}, "is neither 0 nor a number"),
        ({"seconds": -1}, "seconds = -1 is neither"),
        ({"seconds": 5e-324}, "seconds = 5e-324 is neither 0 nor a number from 2e-08"),
    ],
)
def test_a_saved_run_that_cannot_be_is_refused_and_changes_nothing(at_20, changes, message):
    before = at_20.save()
    with pytest.raises(SavedError, match=message):
        at_20.restore(replace(before, **changes))
    assert_same_saved(at_20.save(), before)


@pytest.mark.parametrize("name, value", [("vector", np.nan), ("mean", np.inf), ("square", np.nan), ("square", -1.0)])
def test_a_number_that_training_could_not_have_left_is_refused(at_20, name, value):
    saved = at_20.save()
    getattr(saved, name)[5] = value
    with pytest.raises(SavedError, match="values that are not finite, or square has negative ones"):
        at_20.restore(saved)


anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.lists(st.integers(), max_size=3),
    arrays.arrays(arrays.scalar_dtypes(), arrays.array_shapes(min_dims=0, min_side=0, max_side=4)),
)  # fmt: skip


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([field.name for field in fields(Saved)]), anything, min_size=1))
def test_whatever_is_given_as_saved_is_restored_or_refused(at_20, changes):
    before = at_20.save()
    try:
        at_20.restore(replace(before, **changes))
    except SavedError:
        assert_same_saved(at_20.save(), before)
    else:
        at_20.advance(0)
        assert at_20.step == len(at_20.train_loss)
        at_20.restore(before)


def assert_same_saved(one, other):
    for field in fields(Saved):
        assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name
