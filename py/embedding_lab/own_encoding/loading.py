"""Makes an encoding of a reader's code."""

import __future__

import ast
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType

from .. import positions
from ..config import LONGEST_OWN_NAME, OWN_NAME, is_own_name
from .own import METHODS, Made, Own
from .reader import OwnEncodingError, Reader

LONGEST_CODE = 100_000  # characters: more is no encoding that somebody wrote
NAMELESS = "my encoding"  # what one is called that neither its class nor its file names
STARTING_POINTS = (
    "binary_counter",
    "random_vectors",
    "squeezed_one_hot",
    "sinusoid_other_base",
    "learned_on_sinusoid",
    "alibi_other_slopes",
    "rope_on_half",
    "t5_buckets",
    "single_number",
)


def load(code: str, fallback: str = NAMELESS, file: str = "your_encoding.py") -> Own:
    """Run a reader's code, and make the one encoding that it defines.

    Args:
        fallback: its name if it has none, such as that of its file; what no encoding can be called is left out.
        file: what its tracebacks call it.

    Raises:
        OwnEncodingError: the code raises, defines no encoding or more than one, or has one that cannot be used.
    """
    if not isinstance(code, str):
        raise OwnEncodingError(f"The code is {type(code).__name__}: it must be a text.")
    if len(code) > LONGEST_CODE:
        raise OwnEncodingError(f"The code has {len(code):,} characters: at most {LONGEST_CODE:,} are run.")
    reader = Reader(code, file)
    encoding = _run(reader)
    made = Made(reader, _methods(reader, encoding))
    with reader.running(f"Looking at {type(encoding).__name__}"):
        name = getattr(encoding, "name", None) if _is_named(encoding) else None
        max_length = getattr(encoding, "max_length", None)
    if name is None:
        name = _usable(fallback)
    if type(name) is not str:
        raise reader.error(f"name is {type(name).__name__}: it must be a text, such as 'my encoding'.")
    if not is_own_name(name):
        raise reader.error(f"name = {name[:100]!r} cannot be used: {OWN_NAME}.")
    if max_length is not None and (type(max_length) is not int or max_length < 1):
        told = max_length if type(max_length) in (int, float) else type(max_length).__name__
        raise reader.error(f"max_length = {told}: it must be a whole number from 1 on, or None for no limit.")
    other = Reader(code, file)  # which drops what the second object prints
    again = Made(other, _methods(other, _run(other, "The code, run a second time,")))
    return Own(made, again, name, max_length)


def _run(reader: Reader, what: str = "The code") -> object:
    """Run the code, and make the encoding that it defines."""
    with reader.running(what):
        exec(_compiled(reader.code, reader.file), vars(reader.module))
        found = _classes(reader.module)
    defined = _the_one(reader, found)
    blamed = defined.__init__  # type: ignore[misc]  # which is only looked at, for its line
    with reader.running(f"{defined.__name__}(), made without arguments,", blamed):
        return defined()


def _is_named(encoding: object) -> bool:
    """Whether the code names it, and not the class of the lab that it inherits from."""
    if "name" in getattr(encoding, "__dict__", {}):
        return True
    named = [base for base in type(encoding).__mro__ if "name" in vars(base)]
    return not named or named[0].__module__ != positions.__name__


def _usable(name: str) -> str:
    """As much of it as an encoding can be called."""
    if is_own_name(name):
        return name
    name = "".join(each if is_own_name(f"a{each}a") else " " for each in name)
    while name and not is_own_name(name[0]):
        name = name[1:]
    return name[:LONGEST_OWN_NAME].rstrip(" ") or NAMELESS


def _methods(reader: Reader, encoding: object) -> dict[str, Callable[[int, int], object]]:
    with reader.running(f"Looking at {type(encoding).__name__}"):
        methods = {method: getattr(encoding, method) for method in METHODS}
    for method, function in methods.items():
        if not callable(function):
            kind = type(function).__name__
            raise reader.error(f"{method} is {kind}: it must be a method, def {method}(self, {METHODS[method]}).")
    return methods


def _compiled(code: str, file: str) -> CodeType:
    try:
        # Annotations stay unread: those of a class that was copied from the lab name types which only checkers know.
        compiled: CodeType = compile(code, file, "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True)
    except (MemoryError, RecursionError):  # how Python says so, without a line
        raise SyntaxError("it is nested too deeply for Python to read: split its longest expression") from None
    return compiled


def _classes(module: ModuleType) -> list[type]:
    """The classes of the code that have at least one of the methods, each once."""
    found = [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__]
    return [value for value in dict.fromkeys(found) if any(hasattr(value, method) for method in METHODS)]


def _the_one(reader: Reader, found: list[type]) -> type:
    whole = [value for value in found if all(hasattr(value, method) for method in METHODS)]
    if len(whole) == 1:
        return whole[0]
    message = f"The code must define one class with the methods {', '.join(METHODS)}; it defines "
    if whole:
        names = ", ".join(value.__name__ for value in whole)
        raise reader.error(f"{message}{len(whole)}: {names}. Leave one.")
    if found:
        name, lacks = found[0].__name__, [method for method in METHODS if not hasattr(found[0], method)]
        raise reader.error(
            f"{message}none: {name} lacks {' and '.join(lacks)}. Write class {name}(PositionalEncoding), which returns None "
            "for what you leave out, after `from embedding_lab.positions import PositionalEncoding`.",
        )
    raise reader.error(f"{message}none.")


def starting_points() -> list[dict[str, str]]:
    """Encodings to begin from, in the order of what they teach.

    Their files are not in the tab, whose page has them from `python -m embedding_lab describe`.

    Returns:
        For each: file; name, of the encoding; title and teaches, from its docstring; code.
    """
    found = []
    for stem in STARTING_POINTS:
        code = (Path(positions.__file__).parent / "starting_points" / f"{stem}.py").read_text("utf-8")
        title, _, teaches = (ast.get_docstring(ast.parse(code)) or "").partition("\n")
        found.append(
            {
                "file": f"{stem}.py",
                "name": load(code, file=f"{stem}.py").name,
                "title": title,
                "teaches": " ".join(teaches.split()),
                "code": code,
            }
        )
    return found
