"""Encodings as the command line names them: those of the lab, and Python files that define one."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .config import LONGEST_OWN_NAME, ConfigError, listing
from .own_encoding import Own, load
from .positions import ENCODINGS, OWN, PositionError


@dataclass(frozen=True)
class EncodingFile:
    """A file that defines an encoding, which is made anew in whichever process calls this.

    Raises:
        PositionError: the file defines none, or one that cannot be used; see `own_encoding.load`.
        FileNotFoundError: there is no such file.
    """

    path: Path

    def __call__(self) -> Own:
        if not self.path.is_file():
            raise FileNotFoundError(f"encoding = {self.path}: there is no such file.")
        try:
            code = self.path.read_text("utf-8-sig")
        except UnicodeDecodeError as error:
            raise PositionError(f"{self.path} is not UTF-8 text: {error.reason} at byte {error.start}.") from None
        return load(code, fallback=self.path.stem, file=str(self.path))


def find(name: str) -> EncodingFile | None:
    """The file that was given as an encoding; None for one of the lab's own, which go before files of their names.

    Raises:
        ConfigError: it is neither.
    """
    name = name.strip()
    if name in ENCODINGS:
        return None
    if name.lower().endswith(".py") or Path(name).is_file():
        return EncodingFile(Path(name))
    if name.startswith(OWN):
        what = "is the name of a reader's own encoding: give the file of its code, --encoding FILE.py."
    else:
        what = f"is unknown: choose {listing((*ENCODINGS, 'a Python file, FILE.py'))}."
    raise ConfigError("encoding", f"encoding = {name} {what}")


def find_all(names: Iterable[str]) -> dict[str, EncodingFile | None]:
    """The encodings of a sweep, each once, by their values in the settings; "all" stands for all of the lab's own."""
    found: dict[str, EncodingFile | None] = {}
    for name in itertools.chain(*(ENCODINGS if name == "all" else [name] for name in names)):
        file = find(name)
        if file is None:
            found[name] = None
            continue
        file = EncodingFile(file.path.resolve())
        if file not in found.values():
            found[_numbered(file().name, found)] = file
    return found


def _numbered(name: str, taken: Iterable[str]) -> str:
    """The key of a reader's own encoding; of another file with the same name, numbered as the page does."""

    def key(number: int) -> str:
        end = f" {number}" if number > 1 else ""
        return OWN + name[: LONGEST_OWN_NAME - len(end)].rstrip(" ") + end

    return next(found for found in map(key, itertools.count(1)) if found not in taken)
