"""Writes files such that whatever goes wrong, a full disk above all, leaves each as it was or makes it whole."""

import os
from collections.abc import Iterable
from pathlib import Path


def write(contents: dict[Path, bytes], instead_of: Iterable[Path] = ()) -> None:
    """Put files in their places, in this order, once all of them are on the disk.

    Args:
        contents: of each file; its folder is there.
        instead_of: files that are taken away before the first is put in its place.
    """
    parts = {path: path.with_name(f".{path.name}.part") for path in contents}
    try:
        for path, content in contents.items():
            with parts[path].open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for path in instead_of:
            path.unlink(missing_ok=True)
        for path, part in parts.items():
            os.replace(part, path)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
