"""What is opened may be anything: it gives a run, or a CheckpointError that says what was found, and nothing else."""

import io
import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st

from embedding_lab import checkpoint
from embedding_lab.checkpoint import contents, tensors
from embedding_lab.checkpoint.tensors import TensorsError
from embedding_lab.config import RunConfig
from embedding_lab.corpus import Corpus
from embedding_lab.positions import Learned, PositionError
from embedding_lab.training import Run

SMALL = {"d": 8, "heads": 2, "context": 8, "batch": 4, "steps": 20, "corpus": "own"}
TEXT = "The quick brown Fox 9 jumps over the lazy d\u00f6g.\n" * 5
RUN, TRAINING, MODEL = contents.RUN, contents.TRAINING, contents.MODEL


@pytest.fixture(scope="module")
def run():
    run = Run(RunConfig(**SMALL), Corpus.from_text(TEXT))
    while run.step < 12:
        run.advance(0)
    return run


@pytest.fixture(scope="module")
def files(run):
    return checkpoint.files(run, "x")


@pytest.fixture(scope="module")
def packed(files):
    return checkpoint.pack(files)


@pytest.fixture(scope="module")
def valid(files, packed):
    """Gives both, and unlike them is short where Hypothesis prints what a test was given."""
    return lambda: (files, packed)


def refused(data, message):
    with pytest.raises(checkpoint.CheckpointError, match=message):
        checkpoint.read(data)


def without(values, **changes):
    """Other values by name; ... takes a name away."""
    return {name: value for name, value in {**values, **changes}.items() if value is not ...}


def changed(files, **changes):
    """The zip with other values in run.json."""
    return repacked(files, RUN, json.dumps(without(json.loads(files[RUN]), **changes)).encode())


def repacked(files, path, content):
    return checkpoint.pack({**files, path: content})


def test_a_valid_file_gives_everything_back(packed, run):
    found, saved = checkpoint.read(memoryview(packed)), run.save()
    assert found.config == run.config and found.text == TEXT and found.version == "0.1.0"
    assert (found.saved.step, found.saved.state, found.saved.message) == (12, "training", None)
    assert found.saved.seconds == saved.seconds
    assert len(found.text_hash) == 64
    checkpoint.check_text(TEXT, found.text_hash, "own")
    with pytest.raises(checkpoint.CheckpointError, match="text own here is not the one that this run trained on"):
        checkpoint.check_text(TEXT + "!", found.text_hash, "own")


def test_a_zip_made_again_by_another_program_is_opened_too(files):
    again = io.BytesIO()
    with zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in reversed(files.items()):
            archive.writestr(path, content)
        archive.writestr(".DS_Store", b"what a system adds")
    assert checkpoint.read(again.getvalue()).saved.step == 12


# ------------------------------------------------------------------------------------ the zip


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "not a saved run but an empty file: choose a .zip that the lab saved"),
        (b"\x89PNG\r\n\x1a\n" + b"0" * 99, r"another kind of file, which begins with \.PNG\.\.\.\."),
        (b"PK\x03\x04", "cut off or changed. Save the run again, or download it again"),
        (safetensors.numpy.save({"a": np.zeros(3)}), "a safetensors file alone, a model without the lab's own part"),
    ],
)
def test_what_is_no_zip(data, message):
    refused(data, message)


def test_a_file_of_a_folder_that_no_run_can_have_is_not_read_whole(files, tmp_path):
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    assert checkpoint.read_folder(tmp_path).saved.step == 12
    with (tmp_path / RUN).open("ab") as opened:
        opened.truncate(1 << 40)  # of which the disk holds nothing
    with pytest.raises(checkpoint.CheckpointError, match=rf"^{RUN} has more than 65,536 bytes, which no saved run needs\.$"):
        checkpoint.read_folder(tmp_path)


def test_a_text_of_another_vocabulary_than_the_models_is_refused_though_it_is_the_one_that_is_named(files):
    other = TEXT.replace("q", "k")
    named = {**files, RUN: json.dumps(without(json.loads(files[RUN]), textHash=checkpoint.text_hash(other))).encode()}
    [path] = [path for path, content in files.items() if content == TEXT.encode()]
    refused(checkpoint.pack({**named, path: other.encode()}), rf"{path} has \d+ different characters, and the model \d+\.")


def test_settings_that_an_encoding_of_the_lab_refuses(packed, monkeypatch):
    def refuse(*_):
        raise PositionError("not at this length")

    monkeypatch.setattr(Learned, "table", refuse)
    refused(packed, rf"^{RUN} has settings that cannot be: not at this length$")


def test_every_cut_is_told(packed):
    for length in [*range(0, len(packed), 997), len(packed) - 1]:
        refused(packed[:length], "empty file|cut off or changed")


def test_a_file_of_200_mb_is_refused_by_its_size():
    refused(bytes(200_000_000), "has 200,000,000 bytes; a saved run has at most 5")


def test_the_limits_leave_room_for_the_largest_run():
    text = "".join(map(chr, range(0x100, 0x200))) * 30
    sizes = {"d": 128, "layers": 4, "heads": 8, "context": 256, "batch": 1, "steps": 20_000}
    config = RunConfig(**sizes, tied=False, encoding="alibi", corpus="own")
    run = Run(config, Corpus.from_text(text), evaluate=False)
    run.step, run.train_loss, run.state = 20_000, [1.0] * 20_000, "finished"
    run.validation = [(step, 1.0) for step in range(0, 20_001, 1000)]
    files = checkpoint.files(run, "x")
    assert len(files[MODEL]) < contents.LARGEST_MODEL and len(files[TRAINING]) < contents.LARGEST_TRAINING
    assert len(files[MODEL]) > contents.LARGEST_MODEL / 3  # a trained bias, which no setting gives, would fill the rest
    assert checkpoint.read(checkpoint.pack(files)).saved.step == 20_000


def test_a_text_that_no_file_may_hold_is_told_when_it_is_saved(monkeypatch, run):
    monkeypatch.setattr("embedding_lab.checkpoint.saving.LARGEST_TEXT", 100)
    with pytest.raises(checkpoint.CheckpointError, match="The text has 240 bytes; a saved run holds at most 100"):
        checkpoint.files(run, "x")


def bomb(files, path, content, declared=None):
    """A zip in which one file is deflated, and may declare another size than it has."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in files:
            archive.writestr(name, content if name == path else files[name])
    data = made.getvalue()
    if declared is not None:
        true, false = struct.pack("<I", len(content)), struct.pack("<I", declared)
        assert data.count(true) == 2  # in its own header, and in the directory
        data = data.replace(true, false)
    return data


@pytest.mark.parametrize("path", [RUN, TRAINING, MODEL, contents.TEXT])
def test_a_zip_bomb_is_not_unpacked(files, path):
    content = b"\x20" * 40_000_000
    refused(bomb(files, path, content), f"{path} has 40,000,000 bytes in the zip; a saved run has at most")
    data = bomb(files, path, content, declared=900)
    tracemalloc.start()
    try:
        refused(data, f"{path} is damaged in the zip: Bad CRC-32")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000  # bytes


def test_a_file_that_declares_more_than_it_has(files):
    data = bomb(files, RUN, files[RUN] + b" " * 77, declared=len(files[RUN]) + 99)
    refused(data, f"{RUN} is damaged|has .* as its directory")


def test_too_many_files_and_a_long_directory(files):
    refused(checkpoint.pack({**files, **{f"{at}": b"" for at in range(60)}}), "more than the 64 files")
    refused(checkpoint.pack({**files, "a" * 65_000: b"", "b" * 65_000: b""}), "more than the 64 files")
    many = bytearray(checkpoint.pack({**files, **{f"{at}": b"" for at in range(60)}}))
    many[-12:-10] = many[-14:-12] = b"\x05\x00"  # and a directory that says it has five
    refused(bytes(many), "too many files, or two of one name")


def test_two_files_of_one_name(files):
    made = io.BytesIO(checkpoint.pack(files))
    with zipfile.ZipFile(made, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(RUN, files[RUN])
    refused(made.getvalue(), "two of one name")


def test_names_that_lead_elsewhere_lead_nowhere(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert checkpoint.read(checkpoint.pack({**files, "../../evil": b"x", "/etc/evil": b"y"})).saved.step == 12
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("offset, value, message", [(6, 1, "is encrypted in the zip"), (8, 12, "is packed by method 12")])
def test_packed_in_a_way_that_this_reader_does_not_take(packed, offset, value, message):
    data = bytearray(packed)
    for signature, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
        at = -1
        while (at := packed.find(signature, at + 1)) >= 0:
            data[at + offset + shift] = value
    refused(bytes(data), message)


@pytest.mark.parametrize("offset", [0x80000000, 0xFFFFFFFE, 2**63, 2**64 - 1])
def test_a_file_that_begins_beyond_the_end(files, offset):
    begins = struct.pack("<I", min(offset, 0xFFFFFFFF))
    far = b"" if offset < 2**32 else struct.pack("<HHQ", 1, 8, offset)  # zip64: what a field of 4 bytes cannot hold
    data = bytearray(checkpoint.pack({RUN: files[RUN]}))
    directory = data.index(b"PK\x01\x02")
    data[directory + 42 : directory + 46], data[directory + 30 : directory + 32] = begins, struct.pack("<H", len(far))
    data[-10:-6] = struct.pack("<I", len(data) - 22 - directory + len(far))
    refused(bytes(data[:-22] + far + data[-22:]), f"{RUN} begins .* bytes into the zip, which has")


@pytest.mark.parametrize("offset", [0x80000000, 0xFFFFFFFF])
def test_a_directory_that_begins_beyond_the_end(packed, offset):
    refused(packed[:-6] + struct.pack("<I", offset) + packed[-2:], f"its directory begins at byte {offset:,}, and it has")


def test_a_zip64_directory_is_not_followed(packed):
    locator = b"PK\x06\x07" + bytes(16)
    refused(packed[:-22] + locator + packed[-22:], "has a zip64 directory, which this reader does not take")


@pytest.mark.parametrize("comment", [b"x", b"PK", b"x" * 65_535, b"\0" * 22])
def test_a_zip_may_have_a_comment(packed, comment):
    commented = packed[:-2] + struct.pack("<H", len(comment)) + comment
    assert checkpoint.read(commented).saved.step == 12
    refused(commented[:-1], "cut off or changed")
    refused(commented + b"x", "cut off or changed")


def test_a_comment_that_looks_like_an_end_is_not_taken_for_it(packed):
    for inside in (b"PK\x05\x06", packed[-22:]):
        refused(packed[:-2] + struct.pack("<H", len(inside)) + inside, "cut off or changed|is damaged")


# ------------------------------------------------------------------------------------ other models


def test_a_model_of_another_program_is_named(files, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # nothing is asked over the network
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes = GPT2Config(vocab_size=9, n_positions=8, n_embd=8, n_layer=1, n_head=2, bos_token_id=None, eos_token_id=None)
    GPT2LMHeadModel(sizes).save_pretrained(tmp_path)
    message = r"a model of another program \(config.json gives the model_type gpt2\): the lab opens only runs"
    with pytest.raises(checkpoint.CheckpointError, match=message):
        checkpoint.read_folder(tmp_path)
    refused(checkpoint.pack({path.name: path.read_bytes() for path in tmp_path.iterdir()}), message)
    refused(checkpoint.pack({"archive/data.pkl": b"x"}), "a model of another program: the lab opens only")
    refused(checkpoint.pack({"holiday.jpg": b"x"}), "This holds no saved run: the lab opens only")
    refused(checkpoint.pack({"config.json": b"[" * 50_000}), "config.json is nested too deeply")
    refused(checkpoint.pack({"config.json": b'{"model_type": 3}'}), "the model_type unknown")
    nested = {f"learned/{path}": content for path, content in files.items()}
    refused(checkpoint.pack(nested), "The files stand in the folder 'learned/' of the zip, and must stand at its top")


# ------------------------------------------------------------------------------------ run.json


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"format": 2, "version": "9.1"}, r"saved by a newer lab \(version 9.1, format 2; this is version 0.1.0"),
        ({"format": 0}, "must have format 1, version, config"),
        ({"format": "1"}, "does not say of which format"),
        ({"format": True}, "does not say of which format"),
        ({"version": ...}, "does not say which version"),
        ({"version": "1\n<b>"}, "does not say which version"),
        ({"step": ...}, "must have format 1"),
        ({"more": 1}, "must have format 1"),
        ({"step": 21}, "contradicts itself: step = 21 is not a whole number from 0 to 20"),
        ({"step": 11}, "contradicts itself: train_loss has 12 numbers; the steps made are 11"),
        ({"step": True}, "contradicts itself: step = True"),
        ({"step": 10**4000}, "contradicts itself: step = 1000000"),
        ({"state": "finished"}, "contradicts itself: A run of 20 steps cannot be finished at step 12"),
        ({"state": "x" * 9999}, "contradicts itself: state = 'xxxx"),
        ({"message": "x" * 50_000}, "contradicts itself: message = 'xxxx"),
        ({"message": []}, "must have format 1"),
        ({"seconds": -1}, "contradicts itself: seconds = -1"),
        ({"seconds": 10**400}, "contradicts itself: seconds"),
        ({"characters": 1}, "from 2 to 256 characters"),
        ({"characters": 10**9}, "from 2 to 256 characters"),
        ({"characters": 40}, "model.safetensors does not fit the settings: .* of the shape"),
        ({"textHash": "0" * 64}, "is not the one that this run trained on"),
        ({"textHash": "Z" * 64}, "textHash of 64 digits"),
        ({"encoding": {"name": "rope", "ofTheLab": True}}, "positional encoding of its own"),
        ({"encoding": {"name": "learned", "ofTheLab": False}}, "positional encoding of its own"),
    ],
)
def test_what_run_json_may_not_say(files, changes, message):
    refused(changed(files, **changes), message)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"d": 10**9}, "cannot be: d = 1000000000 is out of range"),
        ({"heads": 3}, "cannot be: heads = 3 does not divide d = 8"),
        ({"layers": 2}, "model.safetensors does not fit the settings: 'transformer.h.1.attn.c_attn.bias' is missing"),
        ({"tied": False}, "does not fit the settings: 'lm_head.weight' is missing"),
        ({"context": 16}, "does not fit the settings: transformer.wpe.weight is float32 of the shape \\(8, 8\\)"),
        ({"steps": 5}, "contradicts itself: step = 12"),
        ({"lr": {"a": 1}}, "must have exactly encoding, d, layers"),
        ({"lr": ...}, "must have exactly encoding, d, layers"),
        ({"dropout": 0.1}, "must have exactly encoding, d, layers"),
        ({"corpus": "nowhere"}, "cannot be: corpus = nowhere is unknown"),
        ({"encoding": "rope"}, "positional encoding of its own"),
    ],
)
def test_settings_that_cannot_be(files, changes, message):
    refused(changed(files, config=without(json.loads(files[RUN])["config"], **changes)), message)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[]", "does not say of which format"),
        (b'{"format": 1, "format": 1}', "has the same name twice"),
        (b'{"format": NaN}', "has NaN, which is no number of JSON"),
        (b'{"format": -Infinity}', "has -Infinity"),
        (b"9" * 6000, "is not JSON"),
        (b"[" * 60_000, "nested too deeply"),
        (b'{"a":' * 12_000, "nested too deeply"),
        (b" " * 70_000, "has 70,000 bytes in the zip; a saved run has at most 65,536"),
    ],
    ids=lambda value: None if isinstance(value, str) else value[:12].decode("latin-1"),
)
def test_run_json_that_is_none(files, content, message):
    refused(repacked(files, RUN, content), message)


# ------------------------------------------------------------------------------------ the numbers


@pytest.mark.parametrize(
    "path, name, value, message",
    [
        (MODEL, "transformer.wte.weight", np.nan, "vector, mean or square has values that are not finite"),
        (MODEL, "transformer.ln_f.bias", np.inf, "vector, mean or square has values that are not finite"),
        (TRAINING, "square", -1, "or square has negative ones"),
        (TRAINING, "mean", np.nan, "vector, mean or square has values that are not finite"),
        (TRAINING, "train_loss", np.inf, "train_loss has values that are not from 0 to"),
        (TRAINING, "validation_loss", np.nan, "validation_loss has values that are not from 0 to"),
        (TRAINING, "validation_steps", 7, "validation_steps are not those of a run at step 12 of 20"),
    ],
)
def test_numbers_that_training_could_not_have_left(files, path, name, value, message):
    arrays = tensors.read(files[path])
    arrays[name].flat[0] = value
    refused(repacked(files, path, tensors.write(arrays)), message)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda arrays: arrays.pop("mean"), "must have exactly mean, square, train_loss"),
        (lambda arrays: arrays.update(more=np.zeros(1)), "must have exactly mean, square, train_loss"),
        (lambda arrays: arrays.update(mean=np.zeros(3, np.float32)), "mean has 3 numbers"),
        (lambda arrays: arrays.update(mean=arrays["mean"][None]), "must be one row of float32"),
        (lambda arrays: arrays.update(mean=arrays["mean"].astype(float)), "mean is float64"),
        (
            lambda arrays: arrays.update(validation_steps=np.zeros(0, np.int32), validation_loss=np.zeros(0)),
            "has no validation losses",
        ),
    ],
)
def test_training_of_other_shapes(files, change, message):
    arrays = tensors.read(files[TRAINING])
    change(arrays)
    refused(repacked(files, TRAINING, tensors.write(arrays)), message)


def test_files_that_are_missing(files):
    for path in (MODEL, TRAINING, contents.TEXT):
        refused(checkpoint.pack({name: content for name, content in files.items() if name != path}), f"{path} is missing")
    for path in (contents.CONFIG, contents.TOKENIZER, contents.README):  # these are for others
        assert checkpoint.read(checkpoint.pack({name: files[name] for name in files if name != path})).saved.step == 12


def test_a_text_that_is_another(files):
    refused(repacked(files, contents.TEXT, files[contents.TEXT] + b"!"), "is not the one that this run trained on")
    refused(repacked(files, contents.TEXT, b"\xff"), "text.txt is not UTF-8 text: invalid start byte at byte 0")
    refused(repacked(files, contents.TEXT, b""), "text.txt cannot be trained on: The text is empty")
    refused(repacked(files, contents.TEXT, b"abc"), "text.txt cannot be trained on: The text has 3 characters")
    windows_text = files[contents.TEXT].replace(b"\n", b"\r\n")
    assert checkpoint.read(repacked(files, contents.TEXT, windows_text)).saved.step == 12


@pytest.mark.parametrize("encoding", ["sinusoidal", "none", "alibi"])
def test_a_model_that_trained_on_elsewhere_where_the_lab_cannot_hold_it(encoding):
    files = checkpoint.files(Run(RunConfig(**SMALL, encoding=encoding), Corpus.from_text(TEXT)), "x")
    arrays = tensors.read(files[MODEL])
    name = "transformer.word_embeddings.weight" if encoding == "alibi" else "transformer.wpe.weight"
    arrays[name][3] *= 1.001
    arrays[name][3] += 1e-9
    refused(repacked(files, MODEL, tensors.write(arrays)), f"{name} in model.safetensors is not what these settings give")


# ------------------------------------------------------------------------------------ safetensors


def made(header, body=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + body


def entry(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.mark.parametrize(
    "data, message",
    [
        (b"1234", "It has 4 bytes"),
        (made({}, b" {", length=4), "Its header is not JSON"),
        (made({}, length=2**63), "announce a header of 9223372036854775808 bytes; 2 follow"),
        (made(b" " * 70_000), "a header has at most 65536"),
        (made([]), "not a JSON object"),
        (made(b'{"a": 1, "a": 2}'), "the same name twice"),
        (made(b"[" * 60_000), "nested too deeply"),
        (made(b'{"a": ' + b"[" * 32 + b"]" * 32 + b"}"), "nested too deeply"),
        (made({'a[[[[\\"{{{{{' * 30: [[[{}]]]}), "does not have exactly dtype"),
        (made({"__metadata__": {"a": 1}}), "__metadata__ is not made of names and texts"),
        (made({"__metadata__": "a"}), "__metadata__ is not made of names and texts"),
        (made({"a": 3}), "'a' in its header does not have exactly dtype, shape and data_offsets"),
        (made({"a": {**entry(), "more": 1}}, bytes(8)), "does not have exactly"),
        (made({"a": entry("BF16")}, bytes(8)), "has the dtype 'BF16'; this reader takes F64, F32, I32"),
        (made({"a": entry([])}, bytes(8)), "has the dtype list"),
        (made({"a": entry(shape=(3,))}, bytes(8)), r"'a' has 8 bytes; its shape \[3\] of float32 needs 12"),
        (made({"a": entry(shape=(-2,))}, bytes(8)), "not up to 8 whole numbers from 0"),
        (made({"a": entry(shape=(2.0,))}, bytes(8)), "not up to 8 whole numbers from 0"),
        (made({"a": entry(shape=(True, 2))}, bytes(8)), "not up to 8 whole numbers from 0"),
        (made({"a": entry(shape=(1,) * 9 + (2,))}, bytes(8)), "not up to 8 whole numbers from 0"),
        (made({"a": entry(shape=(0, 2**30, 2**30), offsets=(0, 0))}), "a shape of 2147483648 numbers or more"),
        (made({"a": entry(shape=(2**40,), offsets=(0, 2**42))}), "not up to 8 whole numbers from 0"),
        (made({"a": entry(offsets=(8, 0))}, bytes(8)), "not two whole numbers from 0, in order"),
        (made({"a": entry(offsets=(-8, 0))}, bytes(8)), "not two whole numbers from 0, in order"),
        (made({"a": entry(offsets=(0, 4, 8))}, bytes(8)), "not two whole numbers from 0, in order"),
        (made({"a": entry(offsets=(0, 8))}, bytes(4)), "'a' ends at byte 8 of the numbers, of which the file holds 4"),
        (made({"a": entry(offsets=(4, 12))}, bytes(12)), "leave a gap or overlap at byte 0"),
        (made({"a": entry(), "b": entry(offsets=(4, 12))}, bytes(12)), "leave a gap or overlap at byte 4"),
        (made({"a": entry(), "b": entry(offsets=(0, 8))}, bytes(8)), "leave a gap or overlap at byte 0"),
        (made({"a": entry(), "b": entry(offsets=(12, 20))}, bytes(20)), "leave a gap or overlap at byte 8"),
        (made({"a": entry()}, bytes(9)), "end at byte 8 of the numbers; the file holds 9"),
    ],
)
def test_headers_that_lie(files, data, message):
    with pytest.raises(TensorsError, match=message):
        tensors.read(data)
    refused(repacked(files, MODEL, data), f"{MODEL} is not as the lab saved it. .*")


# ------------------------------------------------------------------------------------ anything at all


def opens_or_says_why(data):
    try:
        found = checkpoint.read(data)
    except checkpoint.CheckpointError as error:
        assert 20 < len(str(error)) < 700
        return
    if found.text is not None:
        run = Run(found.config, Corpus.from_text(found.text), evaluate=False)
        run.restore(found.saved)
        run.advance(0)


FUZZ = settings(max_examples=300, deadline=None)


@FUZZ
@given(st.binary(max_size=300), st.sampled_from([b"", b"PK", b"PK\x03\x04"]), st.booleans())
def test_any_bytes(data, start, ends_as_a_zip):
    opens_or_says_why(start + data + (b"PK\x05\x06" + bytes(18)) * ends_as_a_zip)


# Where, how many bytes are taken out, and what is put there.
edit = st.tuples(st.floats(0, 1), st.sampled_from([0, 1, 2, 4, 8, 100, 5000]), st.binary(max_size=8))
edits = st.lists(edit, min_size=1, max_size=4)


def edited(data, changes):
    for place, cut, put in changes:
        at = int(place * len(data))
        data = data[:at] + put + data[at + cut :]
    return data


@FUZZ
@given(edits, st.integers(0, 2000))
def test_a_real_zip_with_bytes_changed(valid, changes, tail):
    _, packed = valid()
    opens_or_says_why(edited(packed, changes))
    # Most edits fall among the numbers, which a checksum guards; the directory is at the end.
    opens_or_says_why(packed[:-tail] + edited(packed[len(packed) - tail :], changes) if tail else packed)


@FUZZ
@given(st.sampled_from([RUN, TRAINING, MODEL, contents.TEXT]), edits, st.integers(0, 1500))
def test_a_real_file_in_it_with_bytes_changed(valid, path, changes, head):
    files, _ = valid()
    content = files[path]
    opens_or_says_why(repacked(files, path, edited(content, changes)))
    opens_or_says_why(repacked(files, path, edited(content[:head], changes) + content[head:]))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@FUZZ
@given(st.data())
def test_run_json_with_other_values(valid, data):
    files, _ = valid()
    about = json.loads(files[RUN])
    about["config"] |= data.draw(st.dictionaries(st.sampled_from(list(about["config"])), json_values, max_size=2))
    about |= data.draw(st.dictionaries(st.sampled_from(list(about)), json_values, max_size=2))
    opens_or_says_why(repacked(files, RUN, json.dumps(about).encode()))


small = st.integers(-4, 40)
entries = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["F32", "F64", "I32", "BF16"]) | json_values,
        "shape": st.lists(small, max_size=3) | json_values,
        "data_offsets": st.tuples(small, small).map(list) | json_values,
    }
)


@FUZZ
@given(st.dictionaries(st.text(max_size=3), entries, max_size=3), st.integers(0, 40), st.integers(-3, 3))
def test_made_up_headers_are_read_as_safetensors_reads_them_or_refused(header, size, longer):
    text = json.dumps(header).encode()
    data = made(text, bytes(size), len(text) + longer if longer + len(text) >= 0 else None)
    try:
        ours = tensors.read(data)
    except TensorsError:
        return
    theirs = safetensors.numpy.load(data)
    assert {name: array.shape for name, array in ours.items()} == {name: array.shape for name, array in theirs.items()}
