"""Runs on the disk, as the command line reads and writes them: a zip or a folder."""

from collections.abc import Callable
from pathlib import Path

from . import checkpoint
from .checkpoint import CheckpointError
from .corpus import Corpus
from .training import Run


def open_run(path: Path, read_corpus: Callable[[str], str]) -> Run:
    """The run that a file or a folder holds, at its step.

    Args:
        read_corpus: gives one of the lab's texts by its name.

    Raises:
        CheckpointError, SavedError, OSError: there is none that can be opened.
    """
    if path.is_dir():
        found = checkpoint.read_folder(path)
    else:
        with path.open("rb") as file:
            found = checkpoint.read(file.read(checkpoint.LARGEST_FILE + 1))
    corpus = Corpus.from_text(found.text if found.text is not None else read_corpus(found.config.corpus))
    checkpoint.check_text(corpus, found.text_hash, found.config.corpus)
    run = Run(found.config, corpus, evaluate=False)
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
        return
    if path.exists() and not path.is_dir():
        raise CheckpointError(f"{path} is a file: choose a folder, or a name that ends in .zip.")
    found = {file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()}
    others = sorted(found - set(checkpoint.FILES))
    if others:
        raise CheckpointError(f"{path} holds other files, such as {others[0]}: choose an empty folder or a new one.")


def write(run: Run, path: Path) -> None:
    """A run as a zip or as a folder, as its name says."""
    files = checkpoint.files(run, f"{run.encoding.name}, seed {run.config.seed}")
    if path.suffix.lower() == ".zip":
        path.write_bytes(checkpoint.pack(files))
        return
    for name in checkpoint.FILES:
        (path / name).unlink(missing_ok=True)
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
