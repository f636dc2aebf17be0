"""Brings what no start of the tab needs when it is first imported: the rest of NumPy and of the standard library.

Each lies in an archive beside the wheels. The build knows what a start imports, and puts the rest into these.
"""

from __future__ import annotations

import importlib
import io
import sys
import zipfile
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Protocol

    class JavaScriptBuffer(Protocol):
        """A proxy of Pyodide's."""

        def to_bytes(self) -> bytes: ...


STANDARD_LIBRARY = "python_stdlib.zip"
NUMPY = "numpy-later.zip"


class LaterFinder:
    """A finder that is asked last, for what is nowhere yet.

    Args:
        fetch: takes the name of an archive and returns its bytes; what it raises says why it cannot.
        places: for each archive that is not here yet, where it belongs: a folder for what is in it, or a file.
    """

    def __init__(self, fetch: Callable[[str], bytes], places: dict[str, Path]) -> None:
        self._fetch, self._places = fetch, places

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The spec of a module, once the archive that may hold it is here; None where there is no such archive."""
        top = name.partition(".")[0]
        archive = NUMPY if top == "numpy" else STANDARD_LIBRARY if top in sys.stdlib_module_names else None
        if archive not in self._places:
            return None
        try:
            content = self._fetch(archive)
            packed = zipfile.ZipFile(io.BytesIO(content))
            if damaged := packed.testzip():
                raise zipfile.BadZipFile(f"{archive} was changed on its way, as its {damaged} shows")
        except Exception as error:
            message = f"{name} could not be loaded: {error}. Check the connection and import it again."
            raise ModuleNotFoundError(message, name=name) from error
        place = self._places.pop(archive)
        if place.is_dir():
            packed.extractall(place)
        else:
            place.write_bytes(content)
        importlib.invalidate_caches()
        return PathFinder.find_spec(name, path)


def install(fetch: Callable[[str], JavaScriptBuffer], has_standard_library: bool) -> None:
    """From here on, an import of what is not here yet brings it.

    Args:
        fetch: as `LaterFinder` takes it, but it returns a JavaScript buffer.
        has_standard_library: whether all of it is here already.
    """
    site_packages = next(path for path in sys.path if path.endswith("/site-packages"))
    places = {NUMPY: Path(site_packages)}
    if not has_standard_library:
        places[STANDARD_LIBRARY] = Path(next(path for path in sys.path if path.endswith(".zip")))
    sys.meta_path.append(LaterFinder(lambda file: fetch(file).to_bytes(), places))
