"""Writes a run: its files by path, and the zip of them."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import asdict
from typing import TYPE_CHECKING

from .. import __version__, positions
from ..config import CORPORA
from ..corpus import RARE, Corpus
from ..own_encoding import Own
from ..positions import OWN
from . import layouts, tensors
from .contents import (
    CODE,
    CONFIG,
    FORMAT,
    IN_TRAINING,
    LARGEST_TEXT,
    MODEL,
    MOST_PARAMETERS,
    README,
    RUN,
    TEXT,
    TOKENIZER,
    TOKENIZER_CONFIG,
    TRAINING,
    CheckpointError,
    code_hash,
    text_hash,
)

if TYPE_CHECKING:
    from ..kinds import Plain
    from ..training import Run

DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can hold
PROMPT_CHARACTERS = 4  # of the example in the README: less than the shortest context


def name(run: Run) -> str:
    """What its file is called, such as learned-seed1-500.zip."""
    name = layouts.encoding_name(run.config, run.encoding)
    encoding = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "encoding"
    return f"{encoding}-seed{run.config.seed}-{run.step}.zip"


def check_run(run: Run) -> None:
    """Hold a run against what files can hold, which is known before it has trained.

    Raises:
        CheckpointError: its model or its text is too large, or its text has half of a surrogate pair.
    """
    _text_bytes(run.corpus)
    if run.model.size > MOST_PARAMETERS:
        raise CheckpointError(
            f"The model has {run.model.size:,} parameters; a saved run holds at most {MOST_PARAMETERS:,}: "
            "let the encoding train fewer."
        )


def _text_bytes(corpus: Corpus) -> bytes:
    """The text as a saved run holds it.

    Raises:
        CheckpointError: it is too long, or has half of a surrogate pair, which UTF-8 and so JSON cannot hold.
    """
    characters = [*corpus.vocabulary, *(character for character, _ in corpus.rare)]
    halves = [character for character in characters if "\ud800" <= character <= "\udfff"]
    if halves:
        raise CheckpointError(
            f"The text has half a surrogate pair (U+{ord(halves[0]):X}), which no file in UTF-8 can hold: "
            "take it out of the text and train again."
        )
    text = corpus.text.encode()
    if len(text) > LARGEST_TEXT:
        raise CheckpointError(
            f"The text has {len(text):,} bytes; a saved run holds at most {LARGEST_TEXT:,}: train on a part of it."
        )
    return text


def files(run: Run, label: str) -> dict[str, bytes]:
    """All files of a run as it is now, by path.

    Args:
        run: one that makes evaluations.
        label: what a reader knows it by, for the README.

    Raises:
        CheckpointError: as `check_run`.
        OwnEncodingError: the code of its encoding fails, or gives other numbers than before.
    """
    corpus, model = run.corpus, run.model
    check_run(run)
    text = _text_bytes(corpus)
    code = None
    if isinstance(run.encoding, Own) and run.config.encoding.startswith(OWN):
        code = run.encoding.code.encode()  # code with half of a surrogate pair is no Python
    layout, saved, parameters = layouts.choose(model), run.save(), model.parameters.arrays
    found = {
        MODEL: tensors.write(
            {theirs: layout.to_file(own, parameters[own]) for own, theirs in layout.names.items()}
            | layout.constants(parameters),
            {"format": "pt"},  # transformers asks for it: of PyTorch's kind
        ),
        CONFIG: _json(layout.config),
        TOKENIZER: _json(_tokenizer(corpus)),
        TOKENIZER_CONFIG: _json(
            {
                "tokenizer_class": "PreTrainedTokenizerFast",
                "model_max_length": layout.positions,
                "clean_up_tokenization_spaces": False,
                # By default it gives token_type_ids too, and GPT-2 adds the row of E that they name to each position.
                "model_input_names": ["input_ids", "attention_mask"],
            }
        ),
        README: _readme(run, layout, label, code is not None).encode(),
        RUN: _json(
            {
                "format": FORMAT,
                "version": __version__,
                "config": asdict(run.config),
                "encoding": {
                    "name": layouts.encoding_name(run.config, run.encoding),
                    "ofTheLab": _of_the_lab(run),
                    **({} if code is None else {"codeHash": code_hash(code)}),
                },
                "characters": len(corpus.vocabulary),
                "textHash": text_hash(text.decode()),
                "step": saved.step,
                "state": saved.state,
                "message": saved.message,
                "seconds": saved.seconds,
            }
        ),
        TRAINING: tensors.write({key: getattr(saved, key) for key in IN_TRAINING}),
    }
    return found | ({TEXT: text} if run.config.corpus == "own" else {}) | ({} if code is None else {CODE: code})


def pack(files: dict[str, bytes]) -> bytes:
    """A zip of these files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for path, content in files.items():
            member = zipfile.ZipInfo(path, DATE)
            member.create_system = 3  # Unix, wherever it is made
            member.external_attr = 0o644 << 16
            archive.writestr(member, content)
    return packed.getvalue()


def _of_the_lab(run: Run) -> bool:
    """Whether the settings alone give this encoding."""
    if run.config.encoding.startswith(OWN):
        return False
    made = positions.build(run.config.encoding, run.config.context, run.config.position_scale)
    return type(run.encoding) is type(made) and vars(run.encoding) == vars(made)


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()


def _tokenizer(corpus: Corpus) -> Plain:
    """tokenizer.json: byte-pair encoding without any merges leaves each character its own token.

    The text is normalised as `Corpus` does. A character that the vocabulary lacks becomes the symbol for rare ones where
    the text has any, else it is left out, as the probes do.
    """
    line_ends = [{"type": "Replace", "pattern": {"String": end}, "content": "\n"} for end in ("\r\n", "\r")]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": [*line_ends, {"type": "NFC"}]},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {"type": "Fuse"},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": RARE if corpus.rare else None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {character: id for id, character in enumerate(corpus.vocabulary)},
            "merges": [],
        },
    }


def _readme(run: Run, layout: layouts.Layout, label: str, has_code: bool) -> str:
    config, corpus = run.config, run.corpus
    title, origin = CORPORA[config.corpus]
    text = "a text of its reader's" if config.corpus == "own" else f"*{title}* ({origin})"
    step, loss = run.validation[-1]
    name = layouts.encoding_name(config, run.encoding)
    going_on = (
        f"give `python -m embedding_lab train --from` this folder or its zip, and it goes on from step {run.step}"
        if run.state == "training"
        else "the lab opens it again from the zip"
    )
    if has_code:
        going_on += (
            f".\nThe encoding is the Python code in `{CODE}`, which has to run for that: read it first. The lab asks before it "
            "runs it, and the command needs `--run-code`"
        )
    elif not _of_the_lab(run):
        going_on = f"the encoding {name} is Python code that is not here, so the lab cannot go on"
    return f"""# {" ".join(label.split())[:200]}

A small language model that reads and writes single characters, {len(corpus.vocabulary)} different ones. It was trained in
Embedding Lab for {run.step} of {config.steps} steps on {text}, with the
positional encoding "{name}". At step {step} its loss on the validation text was {loss:.3f} nats per
character.

## Open it

In this folder:

```python
{_example(corpus, config.context, layout)}
```

## What it is

{layout.why} {_exactness(layout, config.context)} {_unknown(corpus)}

In `embedding-lab/` are the settings, the optimizer's state and the losses so far: {going_on}.
"""


def _unknown(corpus: Corpus) -> str:
    if not corpus.rare:
        return "The tokenizer leaves out characters that the text does not have."
    return (
        f"The text has {len(corpus.rare):,} characters that are too rare to be learned each: one token, {RARE}, stands for "
        "all of them, and the tokenizer makes of any other character that token too."
    )


def _example(corpus: Corpus, context: int, layout: layouts.Layout) -> str:
    if not layout.held:
        return """import json
from safetensors.numpy import load_file

config = json.load(open("config.json"))
tensors = load_file("model.safetensors")
print(config["encoding"])
print({name: tensor.shape for name, tensor in tensors.items()})"""
    prompt = "".join(corpus.vocabulary[id] for id in corpus.validation[:PROMPT_CHARACTERS])
    return f"""from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(".")
model = AutoModelForCausalLM.from_pretrained(".")
start = tokenizer({prompt!r}, return_tensors="pt")
written = model.generate(**start, max_length={context}, do_sample=True)
print(tokenizer.decode(written[0]))"""


def _exactness(layout: layouts.Layout, context: int) -> str:
    if not layout.held:
        return (
            "So the tensors stand under the names that they have in the lab's `model.py`, which says what to do with "
            "them, and no class of `transformers` opens them."
        )
    beyond = f"; it trained on stretches of {context} characters, and beyond those its answers are a guess"
    return (
        f"The file has the architecture of {layout.title} with the lab's own numbers, so the logits are those of the lab "
        f"but for rounding, for up to {layout.positions} characters{beyond if layout.positions > context else ''}."
    )
