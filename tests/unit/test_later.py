"""What the tab imports later: asked for once, by the first import that needs it, and again after a failure."""

import importlib
import io
import sys
import zipfile

import numpy
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
    with pytest.raises(ModuleNotFoundError, match=r"notyet could not be loaded: library.zip: HTTP 503. Check"):
        importlib.import_module("notyet")
    archives[later.STANDARD_LIBRARY] = archive()
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'notyet'"):
        importlib.import_module("notyet")
    assert len(found.fetched) == 2


def test_an_archive_that_is_none_is_asked_for_again(finder):
    archives = {later.STANDARD_LIBRARY: b"<!doctype html>"}
    found = finder(archives, ["only_after_all"])
    with pytest.raises(ModuleNotFoundError, match=r"only_after_all could not be loaded: File is not a zip file. Check"):
        importlib.import_module("only_after_all")
    archives[later.STANDARD_LIBRARY] = archive(only_after_all="VALUE = 8")
    assert importlib.import_module("only_after_all").VALUE == 8
    assert len(found.fetched) == 2


def test_an_archive_that_was_changed_on_its_way_is_named_and_asked_for_again(finder):
    whole = archive(only_when_whole="VALUE = 9")
    archives = {later.STANDARD_LIBRARY: whole.replace(b"VALUE = 9", b"VALUE = 8")}
    found = finder(archives, ["only_when_whole"])
    with pytest.raises(ModuleNotFoundError, match=r"python_stdlib.zip was changed on its way, as its only_when_whole.py shows"):
        importlib.import_module("only_when_whole")
    archives[later.STANDARD_LIBRARY] = whole
    assert importlib.import_module("only_when_whole").VALUE == 9
    assert len(found.fetched) == 2


class Buffer(bytes):
    """Bytes as JavaScript gives them."""

    to_bytes = bytes.__bytes__


@pytest.mark.parametrize("has_standard_library", [False, True])
def test_a_tab_gets_what_is_missing_where_python_looks_for_it(tmp_path, monkeypatch, has_standard_library):
    packages, library, fetched = tmp_path / "site-packages", tmp_path / "python_stdlib.zip", []
    (packages / "numpy").mkdir(parents=True)
    packed = {later.NUMPY: archive(**{"numpy/rest": "VALUE = 9"}), later.STANDARD_LIBRARY: archive(of_python="VALUE = 10")}

    def fetch(file):
        fetched.append(file)
        return Buffer(packed[file])

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.setattr(sys, "stdlib_module_names", {"of_python"})
    with monkeypatch.context() as tab:
        tab.setattr(sys, "path", [str(library), str(packages)])
        later.install(fetch, has_standard_library)
    monkeypatch.setattr(sys, "path", [*sys.path, str(library)])
    monkeypatch.setattr(numpy, "__path__", [str(packages / "numpy")])
    assert importlib.import_module("numpy.rest").VALUE == 9
    del sys.modules["numpy.rest"]
    if has_standard_library:
        with pytest.raises(ModuleNotFoundError, match=r"^No module named 'of_python'"):
            importlib.import_module("of_python")
    else:
        assert importlib.import_module("of_python").VALUE == 10
        del sys.modules["of_python"]
    assert fetched == [later.NUMPY] + [later.STANDARD_LIBRARY] * (not has_standard_library)
