"""What the tab imports later: asked for once, by the first import that needs it, and again after a failure."""

import importlib
import io
import sys
import zipfile

import pytest

from embedding_lab import later


@pytest.fixture
def finder(tmp_path, monkeypatch):
    """Gives this Python a finder of these archives, and a standard library of these names; `fetched` is in it."""

    def add(archives, standard_library=()):
        def fetch(name):
            found.fetched.append(name)
            if isinstance(archives[name], Exception):
                raise archives[name]
            return archives[name]

        library = tmp_path / "library.zip"
        found = later.LaterFinder(fetch, {later.STANDARD_LIBRARY: library})
        found.fetched = []
        monkeypatch.setattr(sys, "path", [*sys.path, str(library)])
        monkeypatch.setattr(sys, "stdlib_module_names", set(standard_library))
        monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, found])
        return found

    return add


def archive(**modules):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        for name, source in modules.items():
            opened.writestr(f"{name}.py", source)
    return packed.getvalue()


def test_a_module_of_the_standard_library_is_looked_for_in_its_archive_once(finder):
    found = finder({later.STANDARD_LIBRARY: archive(only_later="VALUE = 7")}, ["only_later", "never"])
    assert importlib.import_module("only_later").VALUE == 7
    del sys.modules["only_later"]
    with pytest.raises(ModuleNotFoundError, match="never"):
        importlib.import_module("never")
    assert found.fetched == [later.STANDARD_LIBRARY]


def test_other_names_fetch_nothing(finder):
    found = finder({})
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("no_such_module")
    assert found.fetched == []


def test_an_archive_that_does_not_come_is_asked_for_again(finder):
    archives = {later.STANDARD_LIBRARY: OSError("library.zip: HTTP 503")}
    found = finder(archives, ["notyet"])
    with pytest.raises(ModuleNotFoundError, match="notyet could not be loaded: library.zip: HTTP 503. Check"):
        importlib.import_module("notyet")
    archives[later.STANDARD_LIBRARY] = archive()
    with pytest.raises(ModuleNotFoundError, match="^No module named 'notyet'"):
        importlib.import_module("notyet")
    assert len(found.fetched) == 2


def test_an_archive_that_is_none_is_asked_for_again(finder):
    archives = {later.STANDARD_LIBRARY: b"<!doctype html>"}
    found = finder(archives, ["only_after_all"])
    with pytest.raises(ModuleNotFoundError, match="only_after_all could not be loaded: File is not a zip file. Check"):
        importlib.import_module("only_after_all")
    archives[later.STANDARD_LIBRARY] = archive(only_after_all="VALUE = 8")
    assert importlib.import_module("only_after_all").VALUE == 8
    assert len(found.fetched) == 2
