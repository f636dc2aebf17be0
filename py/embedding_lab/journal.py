"""Keeps the finished runs of a sweep where they survive whatever ends it."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .results import SweepError, columns

if TYPE_CHECKING:
    from .kinds import Values


class Journal:
    """The finished runs of a sweep, in a file with a JSON line for each.

    Attributes:
        path: the file.
        rows: what is in it, by key.

    Raises:
        SweepError: another sweep writes to it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, Values] = {}
        self._file = path.open("a+b")
        try:
            with suppress(ImportError):  # Windows has no such lock: there, one sweep at a time is up to the user
                import fcntl

                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise SweepError(f"{path} is in use by another sweep: wait for it, or choose another --out.") from error
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        self._file.truncate(whole)  # a line that was torn when the sweep was killed; its run is trained again
        for line in content[:whole].splitlines():
            # A damaged line, or one of another lab, is a run to train again.
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                entry = json.loads(line)
                if entry["row"].keys() == columns().keys():
                    self.rows[entry["key"]] = entry["row"]

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, key: str, row: Values) -> None:
        """Keep a row; when this returns, it is on the disk."""
        self.rows[key] = row
        self._file.write(json.dumps({"key": key, "row": row}, allow_nan=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
