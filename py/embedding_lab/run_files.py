"""Runs on the disk, as the command line reads and writes them: a zip or a folder."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

from . import checkpoint, whole_files
from .checkpoint import FILES, CheckpointError, ConsentError
from .checkpoint.archive import Archive
from .checkpoint.contents import CODE, RUN, TEXT
from .checkpoint.layouts import encoding_name
from .corpus import Corpus
from .training import Run

OF_THE_SYSTEM = {".DS_Store", "Thumbs.db"}  # what macOS and Windows put into folders that are looked at


def open_run(path: Path, read_corpus: Callable[[str], str], run_code: bool = False) -> Run:
    """The run that a file or a folder holds, at its step.

    Args:
        read_corpus: gives one of the lab's texts by its name.
        run_code: whether code of its encoding may run.

    Raises:
        CheckpointError, OwnEncodingError, SavedError, OSError: there is none that can be opened, or not without code.
    """
    try:
        found = (checkpoint.read_folder if path.is_dir() else checkpoint.read_file)(path, run_code)
    except ConsentError as waits:
        raise CheckpointError(
            f"{path} has a positional encoding of its own, {waits.name}: {len(waits.code):,} characters of Python in its "
            f"{CODE}. Read them, then give --run-code to let them run."
        ) from None
    text = found.text if found.text is not None else read_corpus(found.config.corpus)
    checkpoint.check_text(text, found.text_hash, found.config.corpus)
    run = Run(found.config, Corpus.from_text(text), found.encoding, evaluate=False)
    run.restore(found.saved)
    return run


def check_place(path: Path) -> None:
    """Refuse, before anything is trained, a place where a run would overwrite what is not one.

    Raises:
        CheckpointError: says what is there.
    """
    if path.suffix.lower() == ".zip":
        if path.is_dir():
            raise CheckpointError(f"{path} is a folder: choose another name for the zip.")
        if not path.absolute().parent.is_dir():
            raise CheckpointError(f"{path.parent} is not a folder: make it first.")
        if path.exists() and not _is_run(path):
            raise CheckpointError(f"{path} is there already, and no saved run of the lab: choose another name.")
        return
    if path.exists() and not path.is_dir():
        raise CheckpointError(f"{path} is a file: choose a folder, or a name that ends in .zip.")
    found = None
    for folder, _, names in os.walk(path):
        for name in set(names) - OF_THE_SYSTEM:
            found = (Path(folder) / name).relative_to(path).as_posix()
            if found not in FILES:
                raise CheckpointError(f"{path} holds other files, such as {found}: choose an empty folder or a new one.")
    if found and not (path / RUN).is_file():
        raise CheckpointError(
            f"{path} holds {found} but no saved run of the lab (no {RUN}): choose an empty folder or a new one."
        )


def _is_run(path: Path) -> bool:
    """Whether a zip has the part that only the lab's have. Its files are not looked into, and may be large."""
    try:
        with zipfile.ZipFile(path) as archive:
            return RUN in archive.namelist()
    except (*Archive.FAULTS, MemoryError):
        return False


def write(run: Run, path: Path) -> None:
    """A run as a zip or as a folder, as its name says; what is there stays until the new one is on the disk."""
    files = checkpoint.files(run, f"{encoding_name(run.config, run.encoding)}, seed {run.config.seed}")
    if path.suffix.lower() == ".zip":
        whole_files.write({path: checkpoint.pack(files)})
        return
    (path / RUN).parent.mkdir(parents=True, exist_ok=True)
    # Without run.json the folder is no run: it goes first and comes last, so that no run is half of another.
    ordered = sorted(files, key=lambda name: name == RUN)
    whole_files.write({path / name: files[name] for name in ordered}, instead_of=(path / RUN, path / TEXT, path / CODE))
