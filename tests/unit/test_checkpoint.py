"""An exported run, opened by the real `transformers`, `tokenizers` and `safetensors`, gives what the lab gives."""

import os
import re
import unicodedata

os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported: it asks nothing over the network

import numpy as np
import pytest
import safetensors.numpy
import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer

from embedding_lab import checkpoint
from embedding_lab.checkpoint import layouts, tensors
from embedding_lab.config import RunConfig
from embedding_lab.corpus import RARE, Corpus, normalised, windows
from embedding_lab.positions import KERPLE, ALiBi, PositionalEncoding, RoPE, Trainable
from embedding_lab.probes import View, run_probe
from embedding_lab.probes.order import MONEY, RIVER
from embedding_lab.training import VALIDATION_CHARACTERS, Run
from tests import texts

SMALL = {"d": 8, "heads": 2, "context": 8, "batch": 4, "steps": 20}
CONTEXT = 64  # a prompt and 50 more characters fit
HELD = [
    ("learned", True, "GPT2LMHeadModel", CONTEXT),
    ("learned", False, "GPT2LMHeadModel", CONTEXT),
    ("sinusoidal", True, "GPT2LMHeadModel", 1024),
    ("none", True, "GPT2LMHeadModel", 1024),
    ("rope", True, "GPTNeoXForCausalLM", 1024),
    ("rope", False, "GPTNeoXForCausalLM", 1024),
    ("alibi", True, "BloomForCausalLM", 1024),
    ("alibi", False, "BloomForCausalLM", 1024),
]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """So small a model is slower on two."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def write(files, folder):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def finish(name, view, **arguments):
    work = run_probe(name, view, arguments)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


class Exported:
    """A trained run, the folder it was written to, and what transformers makes of that."""

    def __init__(self, corpus, folder, encoding, tied):
        self.run = Run(RunConfig(encoding=encoding, tied=tied, layers=2, context=CONTEXT, batch=16, steps=100), corpus)
        self.run.advance(120)
        assert self.run.state == "finished"
        self.folder = write(checkpoint.files(self.run, f"{encoding}, tied {tied}"), folder)
        self.model, self.loading = AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
        self.model.eval()

    def theirs(self, ids):
        with torch.no_grad():
            return self.model(torch.tensor(ids.astype(np.int64)), output_hidden_states=True)


@pytest.fixture(scope="module", params=HELD, ids=[f"{name}-{'tied' if tied else 'untied'}" for name, tied, *_ in HELD])
def exported(request, alice, tmp_path_factory):
    encoding, tied, architecture, positions = request.param
    found = Exported(alice, tmp_path_factory.mktemp(encoding), encoding, tied)
    found.architecture, found.positions = architecture, positions
    return found


# ------------------------------------------------------------------------------------ what transformers makes of it


def test_it_is_opened_whole_by_the_architecture_that_holds_it(exported):
    assert type(exported.model).__name__ == exported.architecture
    assert not any(exported.loading.values()), exported.loading
    if exported.architecture != "BloomForCausalLM":
        assert exported.model.config.max_position_embeddings == exported.positions
    assert exported.model.dtype == torch.float32
    tied = exported.model.get_output_embeddings().weight is exported.model.get_input_embeddings().weight
    assert tied == (exported.run.config.tied and exported.architecture != "BloomForCausalLM")


def test_its_logits_agree_within_1e_4(exported, alice):
    for length in (CONTEXT, 5):
        ids = np.stack([alice.validation[start : start + length] for start in range(0, 1600, 100)])
        ours = exported.run.model.logits(ids)
        theirs = exported.theirs(ids).logits.numpy()
        assert np.abs(ours).max() > 1
        assert np.abs(ours - theirs).max() < 1e-4


def test_its_loss_on_the_validation_text_agrees_within_1e_4_nats(exported, alice):
    starts = alice.validation_starts(VALIDATION_CHARACTERS, CONTEXT)
    inputs, targets = windows(alice.validation, starts, CONTEXT)
    losses = [
        torch.nn.functional.cross_entropy(
            exported.theirs(inputs[at : at + 64]).logits.flatten(0, 1),
            torch.tensor(targets[at : at + 64].astype(np.int64)).flatten(),
            reduction="none",
        )
        for at in range(0, len(inputs), 64)
    ]
    assert torch.cat(losses).double().mean().item() == pytest.approx(exported.run.validation[-1][1], abs=1e-4)


def test_two_texts_enter_alike_and_leave_apart_as_the_probe_says(exported, alice):
    ours = finish("context-free", View.of(exported.run))
    rank = {character: id for id, character in enumerate(alice.vocabulary)}
    index = ours["index"]
    one, other = (
        [state[0, index] for state in exported.theirs(np.array([[rank[character] for character in text]])).hidden_states]
        for text in (RIVER, MONEY)
    )
    assert ours["bitIdentical"] and torch.equal(one[0], other[0])
    last = ours["depths"][-1]
    assert last["name"] == "final_norm" and last["largestDifference"] > 0.01
    assert (one[-1] - other[-1]).abs().max().item() == pytest.approx(last["largestDifference"], abs=1e-4)
    assert torch.cosine_similarity(one[-1], other[-1], dim=0).item() == pytest.approx(last["cosine"], abs=1e-4)
    assert np.abs(one[-1].numpy() - np.array(ours["after"])).max() < 1e-4
    before = np.array(ours["before"])
    if exported.architecture == "BloomForCausalLM":
        before = before - before.mean()  # its norm takes the mean away, which no later layer sees
    assert np.abs(one[0].numpy() - before).max() < 1e-6


def test_both_write_the_same_50_characters(exported):
    tokenizer = AutoTokenizer.from_pretrained(exported.folder)
    prompt = "Alice was "
    ours = finish("generate", View.of(exported.run), prompt=prompt, length=50, temperature=0)["text"]
    written = exported.model.generate(**tokenizer(prompt, return_tensors="pt"), max_new_tokens=50, do_sample=False)
    assert tokenizer.decode(written[0]) == prompt + ours and len(ours) == 50


def test_the_lines_of_its_readme_run_there(exported, monkeypatch, capsys):
    lines = read_lines(exported.folder)
    assert len(lines.strip().splitlines()) == 7  # six, and an empty one
    monkeypatch.chdir(exported.folder)
    torch.manual_seed(1)
    exec(lines, {})
    assert len(capsys.readouterr().out.rstrip("\n")) > 4


def read_lines(folder):
    return re.search(r"```python\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)[1]


def test_the_arrays_are_those_that_safetensors_reads_and_the_run_comes_back(exported):
    for path in ("model.safetensors", "embedding-lab/training.safetensors"):
        theirs = safetensors.numpy.load_file(exported.folder / path)
        ours = tensors.read((exported.folder / path).read_bytes())
        assert set(theirs) == set(ours)
        assert all(theirs[name].dtype == ours[name].dtype and np.array_equal(theirs[name], ours[name]) for name in ours)
    found, saved = checkpoint.read_folder(exported.folder), exported.run.save()
    assert found.config == exported.run.config and found.text is None
    for name in ("vector", "mean", "square", "train_loss", "validation_steps", "validation_loss"):
        assert getattr(found.saved, name).tobytes() == getattr(saved, name).tobytes(), name


# ------------------------------------------------------------------------------------ the tokenizer


@pytest.fixture(scope="module")
def alice_files(alice):
    return checkpoint.files(Run(RunConfig(**SMALL), alice), "Learned")


def test_the_tokenizer_reads_the_whole_text_as_the_lab_does_and_gives_it_back(alice_files, alice, alice_text, tmp_path):
    folder = write(alice_files, tmp_path)
    ids = np.concatenate([alice.train, alice.validation])
    assert "\r\n" not in alice_text and "\n" in alice_text  # Python's own reading of a file has normalised it
    alone = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert alone.get_vocab_size() == len(alice.vocabulary)
    in_transformers = AutoTokenizer.from_pretrained(folder)
    for encode, decode in (
        (lambda text: alone.encode(text).ids, alone.decode),
        (lambda text: in_transformers(text)["input_ids"], in_transformers.decode),
    ):
        assert np.array_equal(encode(alice_text), ids)
        assert decode(ids.tolist()) == alice_text
        assert encode("a\r\nb\rc\n") == encode("a\nb\nc\n")
        assert encode("a\u03c0b") == encode("ab")  # no pi in Alice
    assert set(in_transformers("Alice")) == {"input_ids", "attention_mask"}
    assert in_transformers.all_special_ids == []


@pytest.mark.parametrize(
    "characters",
    [
        "\x00\x01\t\n ",
        "e\u0301\u00e9\u0308",
        "\U0001f600\U0001f469\u200d",
        "\u2028\u2029\x85\ufeff\ufffe",
        "##\u2581\u0120",
        '"\\/',
    ],
    ids=["control", "combining", "emoji", "separators", "marks of other tokenizers", "escaped in JSON"],
)
def test_the_tokenizer_takes_every_character_as_it_is(characters, tmp_path):
    text = "".join(f"{first}{second} " for first in characters for second in characters) * 20
    corpus = Corpus.from_text(text)
    folder = write(checkpoint.files(Run(RunConfig(**SMALL, corpus="own"), corpus), "x"), tmp_path)
    ids = np.concatenate([corpus.train, corpus.validation]).tolist()
    alone, in_transformers = Tokenizer.from_file(str(folder / "tokenizer.json")), AutoTokenizer.from_pretrained(folder)
    assert alone.encode(text).ids == ids == in_transformers(text)["input_ids"]
    assert alone.decode(ids) == corpus.text == in_transformers.decode(ids)
    assert corpus.text == normalised(text)  # of these only the combining ones are not as they were
    assert checkpoint.read_folder(folder).text == corpus.text


def test_the_tokenizer_makes_one_token_of_the_rare_characters_as_the_lab_does(tmp_path):
    text = texts.many_characters(distinct=1000)
    corpus = Corpus.from_text(text)
    folder = write(checkpoint.files(Run(RunConfig(**SMALL, corpus="own"), corpus), "x"), tmp_path)
    ids = np.concatenate([corpus.train, corpus.validation]).tolist()
    for tokenizer in (Tokenizer.from_file(str(folder / "tokenizer.json")), AutoTokenizer.from_pretrained(folder)):
        encoded = tokenizer.encode(text)
        assert getattr(encoded, "ids", encoded) == ids
        assert tokenizer.decode(ids) == "".join(corpus.as_read())
    assert "745 characters that are too rare" in (folder / "README.md").read_text("utf-8")


def test_a_run_on_rare_characters_opens_with_its_whole_text(tmp_path):
    text = texts.many_characters(distinct=1000) + f"caf\u00e9{RARE}\n"
    run = Run(RunConfig(**SMALL, corpus="own"), Corpus.from_text(unicodedata.normalize("NFD", text)))
    found = checkpoint.read(checkpoint.pack(checkpoint.files(run, "x")))
    assert found.text == text
    again = Corpus.from_text(found.text)
    assert again.rare == run.corpus.rare and np.array_equal(again.train, run.corpus.train)
    for given in (text, unicodedata.normalize("NFD", text), text.replace("\n", "\r\n")):
        checkpoint.check_text(given, found.text_hash, "own")
    with pytest.raises(checkpoint.CheckpointError, match="is not the one"):
        checkpoint.check_text("".join(run.corpus.as_read()), found.text_hash, "own")


def test_half_a_surrogate_pair_among_the_rare_cannot_be_written():
    text = "".join(map(chr, range(0x4E00, 0x4F00))) * 2 + "\udc80"
    run = Run(RunConfig(**SMALL, corpus="own"), Corpus.from_text(text))
    with pytest.raises(checkpoint.CheckpointError, match=r"half a surrogate pair \(U\+DC80\)"):
        checkpoint.files(run, "x")


def test_half_a_surrogate_pair_cannot_be_written():
    run = Run(RunConfig(**SMALL, corpus="own"), Corpus.from_text("ab\udc80" * 100))
    with pytest.raises(checkpoint.CheckpointError, match=r"half a surrogate pair \(U\+DC80\).*take it out"):
        checkpoint.files(run, "x")


# ------------------------------------------------------------------------------------ which architecture


class Counting(PositionalEncoding):
    """A table of a reader's own, which ends somewhere."""

    name = "count ing/1"

    def __init__(self, max_length=None, raises_beyond=10**9, stretched=False):
        self.max_length, self.raises_beyond, self.stretched = max_length, raises_beyond, stretched

    def table(self, length, d):
        if length > self.raises_beyond:
            raise KeyError(length)
        steps = np.arange(length)[:, None] / (length if self.stretched else 100)
        return np.tile(steps, (1, d))


class Turning(RoPE):
    name = "turning"

    def rotation(self, length, head_dim):
        angle = np.arange(length)[:, None] * np.linspace(1, 0.5, head_dim // 2)
        return np.cos(angle), np.sin(angle)


class RopeAndTable(RoPE):
    name = "both"

    def table(self, length, d):
        return np.ones((length, d))


class TrainedBias(PositionalEncoding):
    name = "trained bias"

    def bias(self, length, heads):
        return Trainable(np.zeros((heads, length, length)), noise=0.1)


class Steep(ALiBi):
    name = "steep"

    def bias(self, length, heads):
        return 2 * super().bias(length, heads)


@pytest.mark.parametrize(
    "encoding, heads, title, positions",
    [
        (Counting(), 2, "GPT-2", 1024),
        (Counting(40), 2, "GPT-2", 40),
        (Counting(5000), 2, "GPT-2", 1024),
        (Counting(raises_beyond=16), 2, "GPT-2", 16),
        (Counting(stretched=True), 2, "Embedding Lab", 16),
        (RoPE(500.0), 2, "GPT-NeoX", 1024),
        (RoPE(123.456), 3, "GPT-NeoX", 1024),
        (RoPE(7.0), 4, "GPT-NeoX", 1024),  # heads of one pair, which turns alike with every base
        (Turning(), 2, "Embedding Lab", 16),
        (RopeAndTable(), 2, "Embedding Lab", 16),
        (ALiBi(), 1, "Bloom", 1024),
        (ALiBi(), 8, "Bloom", 1024),
        (ALiBi(), 6, "Embedding Lab", 16),
        (Steep(), 2, "Embedding Lab", 16),
        (TrainedBias(), 2, "Embedding Lab", 16),
        (KERPLE(), 3, "Embedding Lab", 16),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_what_the_encoding_supplies_decides(alice, tmp_path, monkeypatch, capsys, encoding, heads, title, positions):
    config = RunConfig(**{**SMALL, "d": 8 if heads == 4 else 24, "heads": heads, "context": 16, "layers": 2})
    run = Run(config, alice, encoding)
    while run.step < 10:
        run.advance(0)
    layout = layouts.choose(run.model)
    assert (layout.title, layout.positions) == (title, positions)
    folder = write(checkpoint.files(run, "x"), tmp_path)
    if layout.held:
        model, loading = AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
        assert not any(loading.values())
        ids = np.stack([alice.train[start : start + 16] for start in range(0, 320, 16)])
        with torch.no_grad():
            theirs = model(torch.tensor(ids.astype(np.int64))).logits.numpy()
        assert np.abs(run.model.logits(ids) - theirs).max() < 1e-4
    else:
        theirs = safetensors.numpy.load_file(folder / "model.safetensors")
        assert all(np.array_equal(theirs[name], array) for name, array in run.model.parameters.arrays.items())
        assert "GPT-2 cannot hold this model: " in (folder / "README.md").read_text()
        with pytest.raises(ValueError, match="embedding-lab"):
            AutoModelForCausalLM.from_pretrained(folder)
        monkeypatch.chdir(folder)
        exec(read_lines(folder), {})
        shown = capsys.readouterr().out
        assert shown.startswith(f"{encoding.name}\n") and "final_norm.gain" in shown
    if type(encoding) not in (ALiBi, KERPLE):
        with pytest.raises(checkpoint.CheckpointError, match=r"an? positional encoding of its own, whose Python"):
            checkpoint.read(checkpoint.pack(checkpoint.files(run, "x")))


def test_the_name_of_the_file_says_what_it_holds(alice):
    assert checkpoint.name(Run(RunConfig(**SMALL, seed=3), alice)) == "learned-seed3-0.zip"
    assert checkpoint.name(Run(RunConfig(**SMALL), alice, Counting())) == "count-ing-1-seed1-0.zip"


# ------------------------------------------------------------------------------------ going on


@pytest.mark.parametrize("encoding, tied", [("learned", True), ("learned", False), ("sinusoidal", True), ("none", True),
                                            ("rope", False), ("alibi", True), ("alibi", False), ("kerple", True)])  # fmt: skip
def test_250_steps_a_zip_and_250_more_are_500_straight_through(alice, encoding, tied):
    config = RunConfig(encoding=encoding, tied=tied, **{**SMALL, "layers": 2, "steps": 500})
    straight = Run(config, alice)
    while straight.step < 250:
        straight.advance(0)
    packed = checkpoint.pack(checkpoint.files(straight, "x"))
    straight.advance(60)
    found = checkpoint.read(packed)
    continued = Run(found.config, alice, evaluate=False)
    continued.restore(found.saved)
    continued.advance(60)
    one, other = continued.save(), straight.save()
    assert one.step == 500 and one.state == "finished"
    for name in ("vector", "mean", "square", "train_loss", "validation_steps", "validation_loss"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name


def test_a_model_of_the_lab_with_other_heads_than_bloom_goes_on_as_well(alice):
    run = Run(RunConfig(**{**SMALL, "d": 24, "heads": 6}, encoding="alibi"), alice)
    found = checkpoint.read(checkpoint.pack(checkpoint.files(run, "x")))
    assert np.array_equal(found.saved.vector, run.model.parameters.vector)


def test_the_same_run_gives_the_same_bytes_and_saving_changes_nothing(alice):
    run = Run(RunConfig(**SMALL), alice)
    run.advance(0)
    first = checkpoint.pack(checkpoint.files(run, "x"))
    again = Run(RunConfig(**SMALL), alice)
    again.restore(checkpoint.read(first).saved)
    assert checkpoint.pack(checkpoint.files(again, "x")) == first


def test_a_diverged_run_is_kept_as_it_is(alice):
    run = Run(RunConfig(**SMALL, encoding="alibi"), alice)
    run.model.parameters["embedding"][...] = np.nan
    run.advance(0)
    found = checkpoint.read(checkpoint.pack(checkpoint.files(run, "x")))
    assert found.saved.state == "diverged" and "Diverged at step 1" in found.saved.message
    assert np.isnan(found.saved.train_loss[-1]) and np.isnan(found.saved.vector).any()


def test_what_safetensors_writes_this_reader_reads():
    arrays = {
        "b": np.arange(6, dtype=np.float32).reshape(2, 3),
        "a": np.array([np.pi, -0.0]),
        "none": np.zeros((0, 3), np.float32),
        "scalar": np.array(7, np.int32),
    }
    read = tensors.read(safetensors.numpy.save(arrays, {"made": "elsewhere"}))
    assert set(read) == set(arrays)
    for name, array in arrays.items():
        assert (read[name].dtype, read[name].shape) == (array.dtype, array.shape)
        assert read[name].tobytes() == array.tobytes()
    theirs = safetensors.numpy.load(tensors.write(arrays))
    assert set(theirs) == set(arrays) and all(np.array_equal(theirs[name], arrays[name]) for name in arrays)
