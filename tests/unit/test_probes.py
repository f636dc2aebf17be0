"""The claims of the chapter, each measured on real runs on Alice; and what a probe does with texts, sizes and mistakes."""

import bz2
import inspect
import json
import lzma
import math
import sys
import zlib
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from embedding_lab.config import RunConfig, settings_table
from embedding_lab.corpus import RARE, Corpus
from embedding_lab.model import random_stream
from embedding_lab.ops import load
from embedding_lab.positions import ENCODINGS, ALiBi, PositionalEncoding, RoPE, Trainable
from embedding_lab.probes import PROBES, ProbeError, View, run_probe
from embedding_lab.training import Run
from tests import texts

QUICK = ["lookup", "sparse-gradient", "case-offset", "residual-stream", "order", "context-free", "cosine-cone"]
QUICK += ["position-table", "rotation", "distance-bias"]
TRAINING = ["relabel", "width", "tying", "amplitude"]


def train(corpus, **settings):
    run = Run(RunConfig(**settings), corpus, evaluate=False)
    while run.state == "training":
        run.advance(10)
    return run


def ask(name, view, **arguments):
    """The result of a probe, which must be JSON; its reports of progress must grow, to at most 1."""
    work, progress = run_probe(name, view, arguments), [0.0]
    try:
        while True:
            progress.append(next(work))
    except StopIteration as end:
        result = end.value
    assert progress == sorted(progress) and progress[-1] <= 1
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    return result


@pytest.fixture(scope="module")
def trained(alice):
    """A function: the default run with some other settings, trained to its end, each once."""
    runs = {}

    def run(**settings):
        key = tuple(sorted(settings.items()))
        if key not in runs:
            runs[key] = train(alice, **settings)
        return runs[key]

    return run


# ------------------------------------------------------------------------------------ the claims


@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_claims_1_and_2_a_lookup_is_a_one_hot_product_exactly(trained, alice, backend):
    run = trained()
    again = Run(run.config, alice, ops=load(backend), evaluate=False)
    again.restore(run.save())
    result = ask("lookup", View.of(again), text="Alice was beginning to get")
    assert result["largestDifference"] == 0
    assert result["gradientDifference"] <= 1e-6
    table = run.model.parameters["embedding"]
    assert np.array_equal(result["rows"], [table[alice.vocabulary.index(c)] for c in "Alice was beginning to get"])


@pytest.mark.parametrize("sequences, draw", [(1, 1), (1, 2), (4, 3), (32, 4)])
def test_claim_3_untied_the_rows_touched_are_exactly_those_of_the_batch(trained, sequences, draw):
    result = ask("sparse-gradient", View.of(trained(tied=False)), sequences=sequences, draw=draw)
    distinct = len(set("".join(result["batch"])))
    assert result["distinct"] == result["input"]["rows"] == result["both"]["rows"] == distinct < 73
    assert result["input"]["untouched"] == result["input"]["strangers"] == []
    assert result["sumDifference"] == 0


def test_claim_3_tied_the_input_side_is_sparse_and_the_output_side_reaches_every_row(trained):
    result = ask("sparse-gradient", View.of(trained()))
    assert result["input"]["rows"] == result["distinct"] < 73
    assert result["output"]["rows"] == result["both"]["rows"] == 73
    assert result["sumDifference"] <= 1e-6
    touched = {c for c, norm in zip(result["characters"], result["input"]["norms"], strict=True) if norm > 0}
    assert touched == set("".join(result["batch"]))


def test_claim_3_on_a_text_of_the_reader(trained):
    result = ask("sparse-gradient", View.of(trained(tied=False)), text="abcab")
    assert result["batch"] == ["abca"] and result["input"]["rows"] == 3


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_claim_4_after_500_steps_classes_are_apart_beyond_every_one_of_999_shuffles(trained, metric):
    separation = ask("geometry", View.of(trained()), metric=metric)["separation"]
    for measure in ("silhouette", "purity"):
        assert separation[measure]["value"] > separation[measure]["shuffled"]["high"]
        assert separation[measure]["p"] == 1 / 1000


def test_claim_4_holds_for_an_untied_table_by_its_neighbours(trained):
    # The Euclidean silhouette does not: rows that are only looked up keep more of their start (p about 0.9).
    separation = ask("geometry", View.of(trained(tied=False)))["separation"]
    assert separation["purity"]["value"] > separation["purity"]["shuffled"]["high"]


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_claim_4_neighbours_are_of_one_class_beyond_what_frequency_explains(trained, metric):
    # The Euclidean silhouette is not: without frequency it is within its shuffles (p about 0.4).
    separation = ask("geometry", View.of(trained()), metric=metric, frequency="removed")["separation"]
    assert separation["purity"]["value"] > separation["purity"]["shuffled"]["high"]


def test_claim_4_at_step_0_they_are_not(alice):
    p = []
    for seed in range(20):
        run = Run(RunConfig(seed=seed), alice, evaluate=False)
        separation = ask("geometry", View.of(run), shuffles=199)["separation"]
        p += [separation["silhouette"]["p"], separation["purity"]["p"]]
    # p-values of nothing are uniform: 40 of them (in 20 related pairs) have some below 0.05, and a mean of a half.
    assert np.count_nonzero(np.array(p) <= 0.05) <= 6
    assert 0.3 < np.mean(p) < 0.7


def test_claim_4_the_first_component_goes_with_frequency_until_that_is_removed(trained, alice):
    result = ask("geometry", View.of(trained()), shuffles=199)
    assert abs(result["logFrequency"]["components"][0]) > 0.7 and result["logFrequency"]["p"][0] == 1 / 200
    assert result["counts"][alice.vocabulary.index("e")] == np.count_nonzero(alice.train == alice.vocabulary.index("e"))
    removed = ask("geometry", View.of(trained()), shuffles=0, frequency="removed")["logFrequency"]
    assert np.abs(removed["components"]).max() < 1e-6 and removed["p"] == [None] * 3


def test_claim_4_neighbours_are_the_nearest_rows(trained, alice):
    view = View.of(trained())
    found = ask("geometry", view, shuffles=0, character="a")["neighbours"]
    row = view.embedding[alice.vocabulary.index("a")]
    distance = np.linalg.norm(view.embedding - row, axis=1)
    nearest = [alice.vocabulary[id] for id in np.argsort(distance)[1:6]]
    assert found["character"] == "a" and [each["character"] for each in found["nearest"]] == nearest
    assert found["nearest"][0]["distance"] == pytest.approx(np.sort(distance)[1], rel=1e-5)


def test_claim_5_the_case_offset_finds_capitals_more_often_than_chance_and_states_what_it_excludes(trained):
    result = ask("case-offset", View.of(trained()))
    assert "the letter that is asked" in result["excluded"]
    assert result["pairs"] == 26 and len(result["oneOffset"]["letters"]) == 25
    for measured in (result["oneOffset"], result["meanOffset"]):
        assert measured["hits"] == sum(each["hit"] for each in measured["letters"])
        assert measured["hits"] > 5 * measured["chance"] * measured["trials"] and measured["p"] < 0.001
        assert all(each["nearest"] != each["letter"] for each in measured["letters"])
        assert measured["meanRank"] == pytest.approx(np.mean([each["rank"] for each in measured["letters"]]))
    assert ask("case-offset", View.of(trained(), untrained=True))["meanOffset"]["p"] > 0.01


@pytest.mark.parametrize("settings", [{}, {"tied": False, "encoding": "rope"}])
@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_claim_6_relabelled_training_has_the_same_loss_curve_to_the_last_bit(alice, settings, backend):
    run = Run(RunConfig(d=16, context=16, batch=8, **settings), alice, ops=load(backend), evaluate=False)
    result = ask("relabel", View.of(run), updates=60)
    assert sorted(result["newIds"]) == list(range(73)) != result["newIds"]
    assert len(result["losses"]) == 60 and result["losses"][-1] < result["losses"][0] - 0.3
    assert result["losses"] == result["relabelledLosses"]
    assert result["largestDifference"] == result["tableDifference"] == 0
    assert result["validationLoss"] == result["relabelledValidationLoss"]
    assert result["newOrderDifference"] <= 1e-4  # the same, but for the order of the sums over the vocabulary
    ordinary = train(alice, d=16, context=16, batch=8, steps=60, **settings)
    assert result["losses"] == pytest.approx(ordinary.train_loss, abs=1e-4)


def test_claim_6_ids_of_merges_come_out_roughly_in_the_order_of_frequency(trained):
    result = ask("merges", View.of(trained(), untrained=True))
    assert result["merges"] == 200 and result["ids"] == list(range(73, 273))
    assert result["rankCorrelation"] > 0.6
    assert result["rankCorrelationWhenLearned"] > 0.99
    assert ["t", "h"] in result["parts"] and result["charactersPerToken"] > 1.5
    assert result["pieces"] == ["".join(parts) for parts in result["parts"]]
    assert sorted(result["ranks"]) == list(range(1, 201))


def test_merges_are_those_of_the_textbook():
    text = "aaabdaaabacaaaaa the them then " * 40
    run = Run(RunConfig(d=8, heads=1, context=8), Corpus.from_text(text), evaluate=False)
    vocabulary = list(run.corpus.vocabulary)
    tokens, size = [vocabulary[id] for id in run.corpus.train], {each: id for id, each in enumerate(vocabulary)}
    learned = []
    for _ in range(12):
        pairs = Counter(pairwise(tokens))
        left, right = min(pairs, key=lambda pair: (-pairs[pair], size[pair[0]], size[pair[1]]))
        learned.append(left + right)
        size.setdefault(left + right, len(size))
        at, merged = 0, []
        while at < len(tokens):
            together = tokens[at : at + 2] == [left, right]
            merged.append(left + right if together else tokens[at])
            at += 2 if together else 1
        tokens = merged
    result = ask("merges", View.of(run), count=12)
    assert result["pieces"] == learned and result["tokens"] == len(tokens)
    assert result["counts"] == [tokens.count(piece) for piece in learned]


@pytest.mark.parametrize("encoding", ["learned", "rope"])
def test_claim_7_every_part_writes_to_one_array(trained, encoding):
    view = View.of(trained(encoding=encoding))
    result = ask("residual-stream", view, text="the cat sat")
    names = [depth["name"] for depth in result["depths"]]
    assert names == ["embedding", *["position"] * (encoding == "learned"), "block0.attention", "block0.mlp", "final_norm"]
    values = [np.array(depth["values"]) for depth in result["depths"]]
    assert all(each.shape == (11, 48) for each in values)
    assert [depth["meanWrite"] is None for depth in result["depths"]] == [True, *[False] * (len(names) - 2), True]
    for depth, (before, after) in zip(result["depths"][1:-1], pairwise(values[:-1]), strict=True):
        assert depth["meanWrite"] == pytest.approx(np.linalg.norm(after - before, axis=1).mean(), rel=1e-4)
        assert depth["norms"] == pytest.approx(np.linalg.norm(after, axis=1), rel=1e-4)
    logits = view.model.logits(np.array([result["text"]["ids"]]))[0]
    assert values[-1] @ view.embedding.T == pytest.approx(logits, abs=1e-4)


def test_claim_8_a_width_of_8_is_too_narrow(trained):
    result = ask("width", View.of(trained()), widths=[8, 48], seeds=[1, 2], updates=150)
    narrow, wide = result["widths"]
    assert narrow["parameters"] < wide["parameters"] and result["best"] == 48
    assert narrow["low"] > wide["high"] + 0.1
    assert wide["deviation"] == pytest.approx(np.std(wide["losses"], ddof=1))
    assert result["gaps"][0]["seeds"] == 2 and result["gaps"][0]["nats"] == pytest.approx(narrow["mean"] - wide["mean"])


def cases_of(result):
    return {(each["layers"], each["causal"], each["encoding"]): each for each in result["cases"]}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("layers", [1, 2])
def test_claim_9_order_comes_from_the_mask_and_from_the_encoding_alone(trained, encoding, layers):
    cases = cases_of(ask("order", View.of(trained(encoding=encoding, layers=layers, steps=100))))
    for depth in (1, 2):
        assert cases[depth, False, "none"]["equivarianceError"] <= 1e-5
        assert cases[depth, False, "none"]["lastDifference"] <= 1e-5
        if encoding != "none":
            assert cases[depth, False, encoding]["equivarianceError"] > 0.01
    assert cases[1, True, "none"]["lastDifference"] <= 1e-5
    assert cases[2, True, "none"]["lastDifference"] > 1e-3
    assert {cases[depth, True, "none"]["weights"] for depth in (1, layers)} == {"run"}
    assert cases[2, True, "none"]["weights"] == ("run" if layers == 2 else "untrained")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_claim_9_holds_after_500_steps(trained, encoding):
    cases = cases_of(ask("order", View.of(trained(encoding=encoding))))
    assert cases[1, False, "none"]["equivarianceError"] <= 1e-5
    assert cases[1, True, "none"]["lastDifference"] <= 1e-5


def test_claim_10_tokens_and_positions_use_different_directions(trained):
    result = ask("position-table", View.of(trained()))
    assert result["subspaces"]["meanSquaredCosine"] < result["subspaces"]["chance"] == 8 / 48
    assert result["subspaces"]["randomLargest"] == pytest.approx(0.68, abs=0.03)  # simulated: 8 of 48
    table = trained().model.parameters["position_table"]
    assert result["parameters"] == table.size and result["dots"] == pytest.approx(table @ table.T, abs=1e-5)


def test_claim_11_beyond_t_max_the_learned_encoding_refuses_and_names_what_it_never_learned(trained):
    beyond = ask("position-table", View.of(trained()), beyond=8)["beyond"]
    assert (beyond["defined"], beyond["tMax"], beyond["neverLearned"]) == (False, 32, [32, 39])
    assert "positions 32 to 39 were never learned" in beyond["message"] and "at most 32" in beyond["message"]
    contexts = ask("extrapolation", View.of(trained()))["contexts"]
    assert [each["defined"] for each in contexts] == [True, False, False, False]
    assert contexts[3]["neverLearned"] == [32, 255] and "at most 32" in contexts[3]["message"]


@pytest.mark.parametrize("encoding", [name for name in ENCODINGS if name != "learned"])
def test_claims_12_and_14_the_others_are_defined_everywhere(trained, encoding):
    view = View.of(trained(encoding=encoding))
    assert ask("position-table", view)["beyond"]["defined"]
    result = ask("extrapolation", view, characters=16_384)
    assert [each["length"] for each in result["contexts"]] == [32, 64, 128, 256]
    assert result["contexts"][0]["loss"] == pytest.approx(trained(encoding=encoding).validation_loss(), abs=0.03)
    for each in result["contexts"]:
        assert each["positions"] == list(range(0, each["length"], 8)) and len(each["losses"]) == each["length"] // 8
        assert each["loss"] == pytest.approx(np.mean(each["losses"]))
        assert (each["beyond"] is None) == (each["length"] == 32)


def test_claim_12_a_sinusoid_has_no_parameters_and_degrades_past_the_training_length(trained):
    view = View.of(trained(encoding="sinusoidal"))
    assert ask("position-table", view)["parameters"] == 0
    contexts = ask("extrapolation", view)["contexts"]
    assert contexts[3]["beyond"] > contexts[0]["loss"] + 0.1


def test_claim_14_alibi_trains_short_and_tests_long(trained):
    contexts = ask("extrapolation", View.of(trained(encoding="alibi")))["contexts"]
    assert contexts[3]["beyond"] < contexts[0]["loss"] + 0.1


@pytest.mark.parametrize("query, key", [("h", "t"), ("e", "e"), (" ", "Q")])
def test_claim_13_a_score_under_rope_depends_on_the_distance_alone(trained, query, key):
    result = ask("rotation", View.of(trained(encoding="rope")), query=query, key=key)
    assert result["shiftDifference"] <= 1e-5 < 0.1 < result["range"]
    assert result["normChange"] <= 1e-5


def test_the_scores_of_the_rotation_are_those_of_attention(trained):
    view = View.of(trained(encoding="rope"))
    result = ask("rotation", view, query="h", key="t")
    ids = np.array([[view.corpus.vocabulary.index(each) for each in "th"]])
    _, weights = view.model.attention(ids)[0]  # (1, H, 2, 2): the h sees the t before it, and itself
    itself = np.array(ask("rotation", view, query="h", key="h")["byDistance"])[:, 0]
    score = np.array(result["byDistance"])[:, 1]
    assert weights[0, :, 1, 0] == pytest.approx(1 / (1 + np.exp(itself - score)), abs=1e-4)


def test_claim_14_the_bias_of_alibi_is_a_straight_line_in_distance(trained):
    result = ask("distance-bias", View.of(trained(encoding="alibi")))
    assert result["slopes"] == pytest.approx([-(2.0 ** (-2 * head)) for head in (1, 2, 3, 4)], rel=1e-4)
    assert result["spread"] == 0 and result["departure"] < 1e-5
    assert result["attention"][0]["meanDistance"][0] < result["attention"][0]["meanDistance"][3]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_claim_17_the_state_before_the_first_block_is_bit_identical_and_context_makes_the_difference(trained, encoding):
    result = ask("context-free", View.of(trained(encoding=encoding)))
    assert result["character"] == "a" and result["bitIdentical"] is True and not result["sameContext"]
    depths = {each["name"]: each for each in result["depths"]}
    assert depths["embedding"]["largestDifference"] == depths["embedding"]["differing"] == 0
    assert depths["final_norm"]["differing"] > 40
    assert depths["final_norm"]["largestDifference"] > 0.01 and depths["final_norm"]["cosine"] < 0.9999
    if encoding in ("learned", "sinusoidal"):
        assert depths["position"]["largestDifference"] == 0
        assert result["shifted"]["bitIdentical"] is False and result["shifted"]["largestDifference"] > 1e-3
    else:  # no vector is added, so nothing before the first block knows the index
        assert result["shifted"]["bitIdentical"] is True


def test_claim_17_the_index_must_match(trained):
    view = View.of(trained())
    with pytest.raises(ProbeError, match=r"At index = 0 the texts have 't' and 'h'.*choose one of 3, 4, 5, 6, 7") as error:
        ask("context-free", view, index=0)
    assert error.value.field == "index"
    with pytest.raises(ProbeError, match="index = 8 is beyond the shorter text: choose a whole number from 0 to 7"):
        ask("context-free", view, index=8)
    assert ask("context-free", view, first="the bank", second="the barn", index=4)["sameContext"] is True


@pytest.mark.parametrize("untrained", [True, False])
def test_claim_18_centring_opens_the_cone(trained, untrained):
    result = ask("cosine-cone", View.of(trained(), untrained))
    names = [each["name"] for each in result["depths"]]
    assert names == ["table", "embedding", "position", "block0.attention", "block0.mlp", "final_norm"]
    for each in result["depths"]:
        assert abs(each["centred"]) < 0.03 and -0.1 < each["raw"] < 1
    assert result["depths"][-1]["raw"] > result["depths"][-1]["centred"] + 0.1


def test_claim_19_tying_saves_a_table(trained):
    result = ask("tying", View.of(trained()), seeds=[1, 2], updates=60)
    assert result["saved"] == result["untied"]["parameters"] - result["tied"]["parameters"] == 73 * 48
    assert result["gap"]["nats"] == pytest.approx(result["untied"]["mean"] - result["tied"]["mean"])
    assert len(result["tied"]["silhouette"]) == len(result["untied"]["purity"]) == 2


def test_claim_12_a_sinusoid_of_amplitude_1_drowns_the_characters(trained, alice):
    result = ask("amplitude", View.of(trained()), amplitudes="0.05,1", seeds="1,2", updates=150)
    quiet, loud = result["amplitudes"]
    assert quiet["high"] < alice.baselines()["unigram"] - 0.3
    assert loud["low"] > alice.baselines()["unigram"] - 0.1
    assert result["best"] == 0.05


# ------------------------------------------------------------------------------------ generation


def test_claim_16_the_scale_is_what_compressors_need_per_character(trained, alice_text):
    result = ask("compressors", View.of(trained()))
    text = alice_text.encode()  # read with line ends as \n, in ASCII: a byte a character
    assert result["characters"] == result["bytes"] == len(text) == 148_481
    names, nats, sizes = zip(*((row["name"], row["nats"], row["bytes"]) for row in result["compressors"]), strict=True)
    assert names == ("zlib", "bz2", "xz") and all(row["missing"] is None for row in result["compressors"])
    assert sizes == (len(zlib.compress(text, 9)), len(bz2.compress(text, 9)), len(lzma.compress(text, preset=9)))
    assert [each / math.log(2) for each in nats] == pytest.approx([2.88, 2.32, 2.58], abs=0.005)
    assert result["baselines"]["unigram"] > max(nats) and result["baselines"]["bigram"] > max(nats)


def test_a_text_with_rare_characters_is_asked_as_the_model_knows_it():
    corpus = Corpus.from_text(texts.many_characters())
    view = View.of(Run(RunConfig(d=8, heads=1, context=8), corpus, evaluate=False))
    rare, frequent = corpus.rare[0][0], corpus.vocabulary[0]
    shown = ask("lookup", view, text=f"{frequent}{rare}!")["text"]
    assert shown["used"] == f"{frequent}{RARE}{RARE}" and shown["leftOut"] == []
    assert shown["ids"] == [0, 255, 255] and corpus.vocabulary[255] == RARE
    assert ask("lookup", view)["text"]["instead"]  # the default text would be nothing but rare characters
    assert ask("geometry", view, character=rare, shuffles=0)["neighbours"]["character"] == RARE
    assert sum(ask("geometry", view, shuffles=0)["counts"]) == len(corpus.train)
    measured = ask("compressors", view)
    assert measured["bytes"] == len("".join(corpus.as_read()).encode())


def test_circled_letters_are_no_pairs_of_a_letter_and_its_capital():
    view = View.of(Run(RunConfig(d=8, heads=1, context=8), Corpus.from_text("ⓐⒶⓑⒷⓒⒸⅰⅠ" * 100), evaluate=False))
    assert ask("case-offset", view)["defined"] is False


def test_a_question_is_normalised_as_the_text_is(alice):
    view = View.of(Run(RunConfig(d=8, heads=1, context=8), Corpus.from_text("caf\u00e9\n" * 100), evaluate=False))
    shown = ask("lookup", view, text="e\u0301\r\nx")["text"]
    assert shown["used"] == "\u00e9\n" and shown["leftOut"] == ["x"]
    assert ask("geometry", view, character="e\u0301", shuffles=0)["neighbours"]["character"] == "\u00e9"


def test_compressors_count_characters_and_not_bytes():
    text = "Ça va où l'œil — là-bas — ne va pas. 🙂\n" * 3000
    result = ask("compressors", View.of(Run(RunConfig(), Corpus.from_text(text), evaluate=False)))
    assert (result["characters"], result["bytes"]) == (len(text), len(text.encode())) and len(text) > 100_000
    row = result["compressors"][0]
    # The bytes come in chunks, which may move the ends of zlib's blocks, though not what is in them.
    assert row["bytes"] == pytest.approx(len(zlib.compress(text.encode(), 9)), rel=0.05)
    assert row["nats"] == pytest.approx(8 * math.log(2) * row["bytes"] / len(text))


def test_a_compressor_that_this_python_lacks_is_said_to_be_missing(trained, monkeypatch):
    monkeypatch.setitem(sys.modules, "lzma", None)
    rows = ask("compressors", View.of(trained()))["compressors"]
    assert (rows[2]["name"], rows[2]["nats"], rows[2]["bytes"]) == ("xz", None, None)
    assert rows[2]["missing"].startswith("Python cannot load its module lzma here (") and "\n" not in rows[2]["missing"]
    assert rows[0]["bytes"] and rows[1]["bytes"]

    def no_memory(level):
        raise MemoryError

    monkeypatch.setattr(bz2, "BZ2Compressor", no_memory)
    rows = ask("compressors", View.of(trained()))["compressors"]
    assert rows[1] == {
        "name": "bz2",
        "nats": None,
        "bytes": None,
        "missing": "There is no memory for bz2 at its highest level.",
    }


def test_compressing_is_done_in_slices(alice):
    work = run_probe("compressors", View.of(Run(RunConfig(), alice, evaluate=False)), {})
    assert len(list(work)) == 3 * (3 + 1)  # of 65,536 characters: three of the training part, one of the validation part


def test_generation_is_seeded_and_shows_what_it_chose_from(trained):
    view = View.of(trained())
    first, again = (ask("generate", view, prompt="Alice was ", length=40, sample=3) for _ in range(2))
    assert first == again and len(first["text"]) == len(first["steps"]) == 40
    assert ask("generate", view, prompt="Alice was ", length=40, sample=4)["text"] != first["text"]
    for character, step in zip(first["text"], first["steps"], strict=True):
        chances = [each["probability"] for each in step["top"]]
        assert step["character"] == character and len(chances) == 10
        assert chances == sorted(chances, reverse=True) and sum(chances) <= 1 + 1e-9
        assert 0 < step["probability"] <= chances[0] and 0 <= step["entropy"] <= math.log(73)


def test_temperature_0_takes_the_likeliest_and_heat_flattens(trained):
    view = View.of(trained())
    result = ask("generate", view, prompt="the", length=40, temperature=0)
    ids = [view.corpus.vocabulary.index(c) for c in "the" + result["text"]]
    for made in range(40):
        seen = ids[: made + 3][-32:]
        assert ids[made + 3] == view.model.logits(np.array([seen]))[0, -1].argmax()
    entropy = [ask("generate", view, length=1, temperature=t)["steps"][0]["entropy"] for t in (0, 0.5, 1, 3)]
    assert entropy[0] == 0 and entropy == sorted(entropy)
    assert result["prompt"]["cut"] == 0 and ask("generate", view, prompt="x" * 40, length=1)["prompt"]["cut"] == 8


# ----------------------------------------------------------------------------- views, texts, sizes


def test_a_view_says_which_moment_it_is(alice):
    run = Run(RunConfig(steps=3), alice, evaluate=False)
    assert (View.of(run).which, View.of(run).step) == ("untrained", 0)
    start = run.model.parameters.vector.copy()
    run.advance(0)
    assert (View.of(run).which, View.of(run).step) == ("now", 1)
    untrained = View.of(run, untrained=True)
    assert (untrained.which, untrained.step) == ("untrained", 0)
    assert np.array_equal(untrained.model.parameters.vector, start)
    while run.state == "training":
        run.advance(0)
    assert View.of(run).which == "trained"


def test_looking_at_a_run_changes_nothing_in_its_training(alice):
    settings = {"d": 16, "context": 16, "batch": 4, "steps": 20, "layers": 2}
    undisturbed = train(alice, **settings)
    run = Run(RunConfig(**settings), alice, evaluate=False)
    arrays = None
    while run.state == "training":
        run.advance(0)
        arrays = arrays or len(run.model._room.arrays)
        for name in [*QUICK, "geometry", "extrapolation", "generate"]:
            ask(name, View.of(run), **({"shuffles": 9} if name == "geometry" else {}))
    assert run.train_loss == undisturbed.train_loss
    assert np.array_equal(run.model.parameters.vector, undisturbed.model.parameters.vector)
    assert len(run.model._room.arrays) == arrays


def test_a_slow_probe_keeps_to_the_moment_when_it_began(alice):
    run = Run(RunConfig(d=16, context=16, batch=4, steps=20), alice, evaluate=False)
    for name, arguments in (("generate", {"length": 5}), ("geometry", {}), ("extrapolation", {})):
        expected = ask(name, View.of(run), **arguments)
        work = run_probe(name, View.of(run), arguments)
        next(work)
        run.advance(0)
        with pytest.raises(StopIteration) as end:
            while True:
                next(work)
        assert end.value.value == expected


def test_texts_are_cut_and_what_the_model_does_not_know_is_left_out(trained):
    text = ask("lookup", View.of(trained()), text="né€é" + "abc " * 20)["text"]
    assert text["leftOut"] == ["é", "€"] and text["used"] == ("n" + "abc " * 8)[:32] and text["cut"] == 81 - 32
    with pytest.raises(
        ProbeError, match=r"text = 'éé' has 0 characters that this model knows.*' ' ! \".* and 33 more"
    ) as error:
        ask("lookup", View.of(trained()), text="éé")
    assert error.value.field == "text"
    with pytest.raises(ProbeError, match="needs at least 2 characters"):
        ask("sparse-gradient", View.of(trained()), text="a")


def test_two_sentences_that_are_too_long_stay_the_same_characters(alice):
    run = Run(RunConfig(d=8, heads=2, context=8), alice, evaluate=False)
    result = ask("order", View.of(run))
    assert result["first"]["used"] == "dog bit" and sorted(result["second"]["used"]) == sorted("dog bit")
    assert result["first"]["cut"] == 6 and cases_of(result)[1, False, "none"]["equivarianceError"] <= 1e-5
    with pytest.raises(ProbeError, match="second = 'dog bites cat' lacks m n and has t c too many"):
        ask("order", View.of(run), second="dog bites cat")
    with pytest.raises(ProbeError, match="in the same order: give another order"):
        ask("order", View.of(run), first="abba", second="abba")


SMALL_ARGUMENTS = {
    "relabel": {"updates": 3},
    "width": {"widths": [8, 12], "seeds": [1], "updates": 2},
    "tying": {"seeds": [1], "updates": 2},
    "amplitude": {"amplitudes": [0, 0.5], "seeds": [1], "updates": 2},
    "generate": {"length": 20},
    "geometry": {"shuffles": 19},
    "merges": {"count": 20},
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", PROBES)
def test_the_smallest_runs_have_every_probe(name, encoding):
    two = Corpus.from_text("ab" * 100 + "ba" * 100)
    run = Run(RunConfig(d=8, heads=1, context=8, batch=1, steps=2, encoding=encoding), two, evaluate=False)
    run.advance(0)
    result = ask(name, View.of(run), **SMALL_ARGUMENTS.get(name, {}))
    shows = {"table": "position-table", "rotation": "rotation", "bias": "distance-bias"}
    without = {"case-offset", *(probe for place, probe in shows.items() if place not in ENCODINGS[encoding].supplies())}
    assert result.get("defined", True) is (name not in without)
    assert result.get("why") if name in without else True
    if name == "lookup":
        assert result["text"]["used"] and result["largestDifference"] == 0


@pytest.mark.parametrize("name", [*QUICK, "generate", "extrapolation"])
def test_long_contexts_and_many_characters(name):
    ids = random_stream(1, "text").integers(0, 256, 8000)
    run = Run(RunConfig(d=16, layers=4, context=256, batch=1), Corpus.from_text("".join(map(chr, ids + 0x400))), evaluate=False)
    result = ask(name, View.of(run), **({"length": 2} if name == "generate" else {}))
    assert len(json.dumps(result)) < 400_000


class EverythingTrainable(PositionalEncoding):
    """A trained table, a trained bias and a rotation: every way in at once."""

    name = "everything"

    def table(self, length, d):
        return Trainable(np.zeros((length, d)), noise=0.02)

    def rotation(self, length, head_dim):
        return RoPE().rotation(length, head_dim)

    def bias(self, length, heads):
        return Trainable(ALiBi().bias(length, heads), noise=0.1)


class Bare:
    """No base class: a learner's own three methods, for 8 positions only."""

    def table(self, length, d):
        return np.tile(np.arange(8)[:, None] / 100, (1, d))[:length]

    def rotation(self, length, head_dim):
        return None

    def bias(self, length, heads):
        return None


@pytest.mark.parametrize("make", [EverythingTrainable, Bare])
@pytest.mark.parametrize("name", PROBES)
def test_a_learners_own_encoding_has_every_probe(alice, make, name):
    encoding = make()
    if make is Bare:
        encoding.name = "bare"
    config = RunConfig(encoding=f"own:{encoding.name}", d=8, heads=2, context=8, batch=2, steps=2)
    run = Run(config, alice, encoding, evaluate=False)
    run.advance(0)
    result = ask(name, View.of(run), **SMALL_ARGUMENTS.get(name, {}))
    if name == "position-table":
        assert result["defined"] and result["encoding"] == f"own:{encoding.name}"
        assert not result["beyond"]["defined"] and result["beyond"]["message"]
        assert result["beyond"]["tMax"] == (8 if make is EverythingTrainable else None)
    if name in ("rotation", "distance-bias"):
        assert result["defined"] is (make is EverythingTrainable)
    if name == "extrapolation":
        assert [each["defined"] for each in result["contexts"]] == [True, False, False, False, False]


@pytest.mark.parametrize("name", ["position-table", "rotation", "distance-bias"])
def test_where_there_is_nothing_to_measure_the_result_says_why(trained, name):
    result = ask(name, View.of(trained(encoding="none")))
    assert result["defined"] is False and result["why"].startswith("The encoding none ")


def test_a_text_without_pairs_of_cases_has_no_case_offset():
    run = Run(RunConfig(d=8, heads=1, context=8), Corpus.from_text("abcd " * 100), evaluate=False)
    assert ask("case-offset", View.of(run))["defined"] is False


def test_a_run_that_diverged_to_nan_is_refused_and_its_start_is_not(alice):
    run = Run(RunConfig(d=8, heads=2, context=8), alice, evaluate=False)
    run.advance(0)
    run.model.parameters["embedding"][0, 0] = np.nan
    with pytest.raises(ProbeError, match=r"not finite at step 1.*lower learning rate") as error:
        ask("lookup", View.of(run))
    assert error.value.field == "run"
    assert ask("lookup", View.of(run, untrained=True))["largestDifference"] == 0
    ask("merges", View.of(run), count=1)


def test_a_training_that_diverges_has_no_loss(alice):
    run = Run(RunConfig(lr=1, encoding="none", init_std=1, batch=4), alice, evaluate=False)
    result = ask("tying", View.of(run), seeds=[1], updates=150)
    assert result["tied"]["losses"] == [None] and result["tied"]["mean"] is None and result["gap"] is None
    assert result["tied"]["purity"] == [None] and result["tied"]["silhouette"] == [None]


def test_a_gap_of_which_one_seed_diverged_is_none(alice, monkeypatch):
    run = Run(RunConfig(d=8, heads=2, context=8, batch=2), alice, evaluate=False)
    losses = iter([2.0, 2.0, 2.0, None])

    def train_for_nothing(progress, run):
        yield 0.0
        return next(losses)

    monkeypatch.setattr("embedding_lab.probes.comparisons._Progress.train", train_for_nothing)
    assert ask("tying", View.of(run), seeds=[1, 2])["gap"] is None


# ---------------------------------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    "name, arguments, field, message",
    [
        ("lookup", {"word": "a"}, "word", "word is unknown: the probe lookup takes text."),
        ("distance-bias", {"text": "a"}, "text", "the probe distance-bias takes no arguments."),
        ("lookup", {"text": 7}, "text", "text = 7 is not a text: give one of at most 10,000 characters."),
        ("lookup", {"text": "a" * 10_001}, "text", "text has 10,001 characters: give a text of at most 10,000."),
        ("generate", {"length": 501}, "length", "length = 501 is out of range: choose a whole number from 1 to 500."),
        ("generate", {"temperature": "hot"}, "temperature", "temperature = hot is not a number: choose one from 0 to 3."),
        ("generate", {"temperature": float("nan")}, "temperature", "is not a number"),
        ("geometry", {"metric": "taxi"}, "metric", "metric = taxi is unknown: choose euclidean or cosine."),
        ("geometry", {"character": "é"}, "character", "character = 'é' is unknown to this model: choose one of"),
        ("case-offset", {"letter": "A"}, "letter", "letter = 'A' has no pair here: choose one of a b c"),
        ("rotation", {"key": "é"}, "key", "key = 'é' is unknown to this model: choose one of"),
        ("width", {"widths": "8,4"}, "widths", "widths = 4 is out of range: choose a whole number from 8 to 128."),
        ("width", {"widths": []}, "widths", "widths has 0 values: give 1 to 12, separated by commas."),
        ("width", {"widths": 4}, "widths", "widths = 4 is out of range: choose a whole number from 8 to 128."),
        ("width", {"widths": None}, "widths", "widths = None is not a whole number"),
        ("tying", {"seeds": "1,,2"}, "seeds", "seeds =  is not a whole number"),
        ("nowhere", {}, "name", "probe = nowhere is unknown: choose lookup,"),
    ],
)
def test_a_mistake_is_told_with_what_is_allowed(trained, name, arguments, field, message):
    with pytest.raises(ProbeError) as error:
        ask(name, View.of(trained(encoding="rope")), **arguments)
    assert error.value.field == field and message in str(error.value)


def test_arguments_are_described_and_none_is_named_like_a_setting():
    settings = {row["name"] for row in settings_table()}
    for probe in PROBES.values():
        assert probe.title and set(probe.claims) <= set(range(1, 21))
        for row in probe.arguments:
            assert row["name"] not in settings | {"json", "corpora", "untrained"}
            assert row["kind"] in ("text", "integer", "number", "choice", "list") and row["help"].endswith(".")
        in_the_signature = inspect.signature(probe.function).parameters
        for row in probe.arguments:
            default = in_the_signature[row["name"]].default
            assert (list(default) if isinstance(default, tuple) else default) == row["default"]
    claimed = {claim for probe in PROBES.values() for claim in probe.claims}
    assert claimed == set(range(1, 20)) - {15}  # 15 is the experiment itself, 20 the export


def test_the_part_of_two_orders_that_fits_has_to_differ(alice):
    run = Run(RunConfig(d=8, heads=2, context=8), alice, evaluate=False)
    with pytest.raises(ProbeError, match="The first 7 characters, all that a context of 8 has room for, are in the same order"):
        ask("order", View.of(run), first="abcdefgxy", second="abcdefgyx")


def test_a_long_prompt_tells_the_end_that_was_used(alice):
    run = Run(RunConfig(d=8, heads=2, context=8), alice, evaluate=False)
    told = ask("generate", View.of(run), prompt="down the rabbit hole", length=1)["prompt"]
    assert told["used"] == "bit hole" and told["cut"] == 12 and len(told["ids"]) == 8


class FortyRows(PositionalEncoding):
    """A fixed table that ends after 40 positions."""

    name = "forty"

    def table(self, length, d):
        return np.ones((40, d))[np.arange(length)]


def test_a_fixed_table_that_ends_was_not_learned(alice):
    run = Run(RunConfig(), alice, FortyRows(), evaluate=False)
    beyond = ask("position-table", View.of(run), beyond=16)["beyond"]
    assert beyond["defined"] is False and beyond["tMax"] is None and beyond["neverLearned"] is None
    assert "out of bounds" in beyond["message"]
