"""A run: its losses, its reproducibility, its frames, and how it ends. The headline outcome on Alice."""

import math

import numpy as np
import pytest

from embedding_lab.config import ENCODINGS, RunConfig
from embedding_lab.corpus import Corpus, CorpusError
from embedding_lab.model import random_stream
from embedding_lab.positions import PositionError
from embedding_lab.training import DIVERGED_STEPS, Run, WeightsError

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
        points += zip(frame.validation_steps.tolist(), frame.validation_loss.tolist())
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
    ids, losses = alice.validation, []
    for start in range(0, len(ids) - 8, 8):
        losses.append(run.model.losses(ids[None, start : start + 8], ids[None, start + 1 : start + 9]).mean())
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


def test_a_restored_run_is_finished_at_its_step(alice):
    trained = train(RunConfig(**SMALL), alice)
    run = Run(RunConfig(**SMALL), alice, evaluate=False)
    run.restore(trained.model.parameters.vector, 30)
    frame = run.advance(1)
    assert (frame.step, frame.state, len(frame.train_loss)) == (30, "finished", 0)
    assert run.validation_loss() == trained.validation[-1][1]
    with pytest.raises(WeightsError, match=r"shape \(3,\); the model of these settings has \(\d+,\)"):
        run.restore(np.zeros(3), 1)
