"""Opens a run from files that may be anything: each is checked before anything is made of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import __version__, own_encoding, positions
from ..config import RunConfig, settings_table, validate
from ..corpus import MOST_CHARACTERS, Corpus, CorpusError
from ..model import Transformer
from ..own_encoding import OwnEncodingError
from ..own_encoding.loading import LONGEST_CODE
from ..positions import OWN, PositionalEncoding, PositionError
from ..training import Saved, SavedError
from . import layouts, tensors
from .archive import Archive
from .contents import (
    CODE,
    CONFIG,
    FORMAT,
    IN_TRAINING,
    LARGEST_CODE,
    LARGEST_FILE,
    LARGEST_JSON,
    LARGEST_MODEL,
    LARGEST_TEXT,
    LARGEST_TRAINING,
    MODEL,
    RUN,
    TEXT,
    TRAINING,
    CheckpointError,
    check_text,
    code_hash,
)
from .tensors import TensorsError, read_json

if TYPE_CHECKING:
    from ..kinds import Floats, Values

WITHOUT_CODE = (
    "This run has a positional encoding of its own, whose Python code is not among its files: its README says what can open "
    "it, but the lab cannot go on with it."
)
Content = Callable[[str, int], bytes | None]  # of a file by its path, of at most so many bytes; None: there is none


@dataclass(frozen=True)
class Checkpoint:
    """What `read` found.

    Attributes:
        config: the settings.
        text: the reader's own text, else None: `config.corpus` names one of the lab's.
        text_hash: of the text, see `contents.text_hash`.
        saved: for `Run.restore`.
        version: of the lab that wrote it.
        encoding: the settings' own, or what the code in the files gives.
    """

    config: RunConfig
    text: str | None
    text_hash: str
    saved: Saved
    version: str
    encoding: PositionalEncoding


class ConsentError(CheckpointError):
    """A run with code, which whoever opens it has not allowed to run; none of it has run.

    Attributes:
        config: the settings.
        code: the Python of the encoding.
        version: of the lab that wrote it.
    """

    def __init__(self, config: RunConfig, code: str, version: str) -> None:
        self.config, self.code, self.version = config, code, version
        super().__init__(
            f"This run has a positional encoding of its own, {self.name}: {len(code):,} characters of Python, in {CODE}. "
            "Read them, and say that they may run."
        )

    @property
    def name(self) -> str:
        """What the encoding is called."""
        return self.config.encoding.removeprefix(OWN)


def read(data: bytes | memoryview, run_code: bool = False) -> Checkpoint:
    """Open a zip that `pack` made of a run, or that claims to be one.

    Args:
        run_code: whether code that is in it may run.

    Raises:
        ConsentError: it has code, which may not run.
        CheckpointError: it is no saved run, or it contradicts itself.
        OwnEncodingError: its code fails.
    """
    _check_size(len(data))
    data = bytes(data)
    if data[:2] != b"PK":
        raise CheckpointError(f"This is not a saved run but {_kind(data)}: choose a .zip that the lab saved.")
    archive = Archive(data)
    return _read(archive.read, archive.names, run_code)


def _check_size(size: int) -> None:
    if size > LARGEST_FILE:
        raise CheckpointError(
            f"The file has {size:,} bytes; a saved run has at most {LARGEST_FILE:,}: choose a .zip that the lab saved."
        )


def read_file(path: Path, run_code: bool = False) -> Checkpoint:
    """Open a zip on the disk; arguments and errors as of `read`."""
    _check_size(path.stat().st_size)
    with path.open("rb") as file:
        return read(file.read(LARGEST_FILE + 1), run_code)  # a pipe has any number of bytes, whatever its size says


def read_folder(folder: Path, run_code: bool = False) -> Checkpoint:
    """Open a folder with the files of a run; arguments and errors as of `read`."""

    def content(path: str, most: int) -> bytes | None:
        file = folder / path
        if not file.is_file():
            return None
        with file.open("rb") as opened:
            found = opened.read(most + 1)
        if len(found) > most:
            raise CheckpointError(f"{path} has more than {most:,} bytes, which no saved run needs.")
        return found

    return _read(content, [entry.name for entry in folder.iterdir()], run_code)


def _kind(data: bytes) -> str:
    if not data:
        return "an empty file"
    if data[8:9] == b"{" and int.from_bytes(data[:8], "little") < len(data):
        return "a safetensors file alone, a model without the lab's own part"
    shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data[:8])
    return f"another kind of file, which begins with {shown}"


def _read(content: Content, names: list[str], run_code: bool) -> Checkpoint:
    """A run from the files that there are, whose names are these."""
    packed = content(RUN, LARGEST_JSON)
    if packed is None:
        raise CheckpointError(f"{_stranger(content, names)}: the lab opens only runs that it saved itself, with {RUN}.")
    about = _about(packed)
    config = _config(about["config"])
    if config.encoding.startswith(OWN):
        name = config.encoding.removeprefix(OWN)
        code = _code(content, about["encoding"], name)
        if not run_code:
            raise ConsentError(config, code, about["version"])
        encoding: PositionalEncoding = own_encoding.load(code, name, CODE)
        encoding.name = name  # the page may have numbered that of its class
    elif about["encoding"] == {"name": config.encoding, "ofTheLab": True}:
        encoding = positions.build(config.encoding, config.context, config.position_scale)
    else:
        raise CheckpointError(WITHOUT_CODE)
    try:
        model = Transformer(config, about["characters"], encoding)
    except OwnEncodingError:
        raise
    except PositionError as problem:
        raise CheckpointError(f"{RUN} has settings that cannot be: {problem}") from None
    _fill(model, _tensors(content, MODEL, LARGEST_MODEL))
    training = _tensors(content, TRAINING, LARGEST_TRAINING)
    if set(training) != set(IN_TRAINING):
        raise CheckpointError(f"{TRAINING} must have exactly {', '.join(IN_TRAINING)}: it is not as the lab saved it.")
    values: Values = {**training, **{key: about[key] for key in ("step", "state", "message", "seconds")}}
    saved = Saved(vector=model.parameters.vector, **values)
    try:
        saved.check(model.size, config.steps)
    except SavedError as problem:
        raise CheckpointError(f"The saved run contradicts itself: {problem}") from None
    if not len(saved.validation_steps):
        raise CheckpointError(f"{TRAINING} has no validation losses; a run that the lab saves has that of step 0.")
    found = Checkpoint(config, None, about["textHash"], saved, about["version"], encoding)
    return _with_text(found, content, about["characters"]) if config.corpus == "own" else found


def _code(content: Content, about: Values, name: str) -> str:
    """The code of a reader's own encoding, of which run.json says this; none of it is run."""
    packed = content(CODE, LARGEST_CODE)
    if packed is None or "codeHash" not in about:
        raise CheckpointError(WITHOUT_CODE)
    if about != {"name": name, "ofTheLab": False, "codeHash": about["codeHash"]}:
        raise CheckpointError(f"{RUN} says otherwise of its encoding than its config: it is not as the lab saved it.")
    try:
        code = packed.decode()
    except UnicodeDecodeError as problem:
        raise CheckpointError(f"{CODE} is not UTF-8 text: {problem.reason} at byte {problem.start}.") from None
    if not 1 <= len(code) <= LONGEST_CODE:
        raise CheckpointError(f"{CODE} has {len(code):,} characters; a saved run has from 1 to {LONGEST_CODE:,}.")
    if code_hash(packed) != about["codeHash"]:
        raise CheckpointError(
            f"{CODE} is not the code that this run trained with (its SHA-256 begins with {code_hash(packed)[:8]}): "
            "a run can only go on with that."
        )
    return code


def _about(packed: bytes) -> Values:
    """run.json, with each value of the kind that it must be; those that `Saved.check` looks at are left to it."""
    about = read_json(packed, RUN, CheckpointError)
    if not isinstance(about, dict) or type(about.get("format")) is not int:
        raise CheckpointError(f"{RUN} does not say of which format it is: it is not as the lab saved it.")
    version = about.get("version")
    if not isinstance(version, str) or not re.fullmatch(r"[0-9A-Za-z.+-]{1,40}", version):
        raise CheckpointError(f"{RUN} does not say which version of the lab wrote it: it is not as the lab saved it.")
    if about["format"] > FORMAT:
        raise CheckpointError(
            f"This run was saved by a newer lab (version {version}, format {about['format']}; this is version "
            f"{__version__}, which reads format {FORMAT}): open it there, or load the newest lab."
        )
    kinds: dict[str, type | tuple[type, ...]] = {
        "config": dict,
        "encoding": dict,
        "characters": int,
        "textHash": str,
        "step": int,
        "state": str,
        "message": (str, type(None)),
        "seconds": (int, float),
    }
    wrong = [key for key, kind in kinds.items() if key not in about or not isinstance(about[key], kind)]
    if about["format"] != FORMAT or wrong or set(about) - set(kinds) - {"format", "version"}:
        raise CheckpointError(f"{RUN} must have format {FORMAT}, version, {', '.join(kinds)}: it is not as the lab saved it.")
    if not 2 <= about["characters"] <= MOST_CHARACTERS or not re.fullmatch("[0-9a-f]{64}", about["textHash"]):
        raise CheckpointError(
            f"{RUN} must have from 2 to {MOST_CHARACTERS} characters and a textHash of 64 digits: "
            "it is not as the lab saved it."
        )
    return about


def _config(values: Values) -> RunConfig:
    expected = [row["name"] for row in settings_table()]
    if set(values) != set(expected) or not all(type(value) in (str, int, float, bool) for value in values.values()):
        raise CheckpointError(f"The config in {RUN} must have exactly {', '.join(expected)}: it is not as the lab saved it.")
    config, errors = validate(values)
    if errors:
        raise CheckpointError(f"The config in {RUN} cannot be: {errors[0]['message']}")
    return RunConfig(**config)


def _tensors(content: Content, path: str, most: int) -> dict[str, Floats]:
    packed = content(path, most)
    if packed is None:
        raise CheckpointError(f"{path} is missing: it is not as the lab saved it.")
    try:
        return tensors.read(packed)
    except TensorsError as problem:
        raise CheckpointError(f"{path} is not as the lab saved it. {problem}") from None


def _fill(model: Transformer, found: dict[str, Floats]) -> None:
    """Give a model the parameters that stand in a file of its layout."""
    layout, parameters = layouts.choose(model), model.parameters.arrays
    expected = {theirs: layout.to_file(own, parameters[own]) for own, theirs in layout.names.items()}
    expected |= layout.constants(parameters)
    other = sorted(set(found) ^ set(expected))
    if other:
        where = "is missing" if other[0] in expected else "is not part of a run of these settings"
        raise CheckpointError(f"{MODEL} does not fit the settings: {other[0][:80]!r} {where}.")
    for theirs, array in expected.items():
        if found[theirs].shape != array.shape or found[theirs].dtype != np.float32:
            raise CheckpointError(
                f"{MODEL} does not fit the settings: {theirs} is {found[theirs].dtype} of the shape "
                f"{found[theirs].shape}, and must be float32 of {array.shape}."
            )
    for own, theirs in layout.names.items():
        parameters[own][...] = layout.from_file(own, found[theirs])
    for theirs, array in layout.constants(parameters).items():
        # Equal but for how another machine rounds sines; a run that diverged has what is not a number on both sides.
        largest = np.max(np.abs(array), initial=0, where=np.isfinite(array))
        if not np.allclose(found[theirs], array, rtol=0, atol=1e-6 * largest, equal_nan=True):
            raise CheckpointError(
                f"{theirs} in {MODEL} is not what these settings give: it has trained elsewhere, where everything "
                "trains, and the lab cannot hold that."
            )


def _with_text(found: Checkpoint, content: Content, characters: int) -> Checkpoint:
    """The same with the reader's own text, once that is the one that the run trained on."""
    packed = content(TEXT, LARGEST_TEXT)
    if packed is None:
        raise CheckpointError(f"{TEXT} is missing, though the run trained on a text of its reader's.")
    try:
        text = packed.decode()
        corpus = Corpus.from_text(text)
        corpus.require(found.config.context)
    except UnicodeDecodeError as problem:
        raise CheckpointError(f"{TEXT} is not UTF-8 text: {problem.reason} at byte {problem.start}.") from None
    except CorpusError as problem:
        raise CheckpointError(f"{TEXT} cannot be trained on: {problem}") from None
    check_text(text, found.text_hash, found.config.corpus)
    if len(corpus.vocabulary) != characters:
        raise CheckpointError(f"{TEXT} has {len(corpus.vocabulary)} different characters, and the model {characters}.")
    return replace(found, text=text)


def _stranger(content: Content, names: list[str]) -> str:
    """What files that are not a run of the lab's seem to be."""
    inside = [name for name in names if name.endswith("/" + RUN)]
    if inside:
        return f"The files stand in the folder {inside[0][: -len(RUN)][:80]!r} of the zip, and must stand at its top"
    packed = content(CONFIG, LARGEST_JSON)
    if packed is not None:
        about = read_json(packed, CONFIG, CheckpointError)
        kind = about.get("model_type") if isinstance(about, dict) else None
        kind = re.sub(r"[^A-Za-z0-9_.-]", "", kind)[:40] if isinstance(kind, str) else "unknown"
        return f"This is a model of another program ({CONFIG} gives the model_type {kind})"
    if any(name.endswith((".safetensors", "data.pkl", ".bin")) for name in names):
        return "This is a model of another program"
    return "This holds no saved run"
