"""All that the page may call: plain values in, plain objects out, one worker with its runs.

A failure that the reader can mend comes back as {"error": {code, field, message}}; anything else is
a bug, and raises. Keys are in camelCase because JavaScript reads them; NumPy arrays become typed arrays on the way.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from . import __version__, memory
from .config import OWN, ConfigError, RunConfig, validate
from .corpus import SHORTEST_CONTEXT, Corpus, CorpusError, character_class, normalised
from .geometry import project
from .ops import best, load, reference
from .positions import PositionalEncoding, PositionError
from .statistics import gaps, summaries
from .training import Frame, Run, Saved, SavedError

if TYPE_CHECKING:
    from .console import Console
    from .probes import View
    from .text_files import TextFile


SUPPLIES = ("table", "rotation", "bias")  # the methods of an encoding, in the order of `Transformer.position`


@dataclass
class _Job:
    """A probe that is not done: what was asked, what it looks at, and the work that is left."""

    asked: tuple[dict, bool]
    view: "View"
    work: Iterator[float]
    progress: float = 0.0


_runs: dict[str, Run] = {}
_jobs: dict[str, dict[str, _Job]] = {}  # by run, then by probe
_pictures: dict[str, dict[int, np.ndarray]] = {}  # by run and axes, the last projection, which the next one aligns with
_console: "Console | None" = None
CONSOLE = "console"  # the name of its run


def status() -> dict:
    """What computes here: the versions, and `backend`, the module of `ops` in use."""
    return {
        "version": __version__,
        "python": ".".join(map(str, sys.version_info[:3])),
        "numpy": np.__version__,
        "backend": best().NAME,
    }


def open_run(
    id: str,
    config: dict,
    text: str,
    backend: str | None = None,
    saved: dict | None = None,
    text_hash: str | None = None,
    code: str | None = None,
) -> dict:
    """Prepare a run and evaluate it untrained; or restore one, to look at or to train on.

    Args:
        id: the page's name for the run; a run of the same name is replaced.
        config: settings, as in `RunConfig`.
        text: what to train on.
        backend: one of `ops.BACKENDS`, to compare; by default the fastest that works here.
        saved: what `save_run` or `read_checkpoint` gave: the run is at that step again, and is not evaluated.
        text_hash: what `read_checkpoint` gave: the text must be that one.
        code: of the reader's own encoding that config names.

    Returns:
        run, config, parameters (how many), supplies (which of "table", "rotation" and "bias" the encoding does),
        vocabulary, classes (one for each character), characters (train and validation: how many), baselines in nats per
        character, rare (as in `read_text`), flopsPerStep, and the frame of step 0 with its geometry, or, of a restored
        run, its step with the geometry and no losses, since those are in `saved`. Or an error with the code "config",
        "corpus", "saved", "checkpoint", "memory", or, for what `code` does, "encoding": then with line and traceback, as
        in `OwnEncodingError`.
    """
    close_run(id)
    values, errors = validate(config)
    if errors:
        return _error("config", **errors[0])
    try:
        ops = load(backend) if backend else best()
        corpus = Corpus.from_text(text)
        if text_hash is not None and (refused := _other_text(text, text_hash, values["corpus"])):
            return refused
        if refused := _too_large(values, corpus, text, ops):
            return refused
        run = Run(RunConfig(**values), corpus, _own_encoding(values, code), ops, evaluate=saved is None)
        supplied = run.model.position(run.config.context)
        if saved is not None:
            run.restore(_from_page(saved))
    except CorpusError as error:
        return _error("corpus", "corpus", str(error))
    except ConfigError as error:
        return _error("config", error.field, error.message)
    except PositionError as error:
        return _position_error(error)
    except MemoryError:
        return _memory_error(values)
    except SavedError as error:
        return _error("saved", "saved", str(error))
    except Exception as error:
        return _broken_by(code, error)
    _runs[id] = run
    return {
        "run": id,
        "config": values,
        "parameters": run.model.size,
        "supplies": [name for name, part in zip(SUPPLIES, supplied) if part is not None],
        **_about(corpus),
        "flopsPerStep": run.flops_per_step,
        "frame": _frame(id, run.frame(), geometry=True, space=True),
    }


def _about(corpus: Corpus) -> dict:
    """What the page shows of a text: vocabulary, classes, characters, baselines, rare."""
    rare = None
    if corpus.rare:
        characters = [list(each) for each in corpus.rare]
        rare = {"threshold": characters[0][1], "characters": characters, "share": corpus.rare_share}
    return {
        "vocabulary": list(corpus.vocabulary),
        "classes": [character_class(character) for character in corpus.vocabulary],
        "characters": {"train": len(corpus.train), "validation": len(corpus.validation)},
        "baselines": corpus.baselines(),
        "rare": rare,
    }


def _own_encoding(config: dict, code: str | None) -> PositionalEncoding | None:
    """The encoding of a reader's code, under the name that the settings give it; None for one of the lab's."""
    name = config["encoding"]
    if code is None:
        return None
    if not name.startswith(OWN):
        raise ConfigError("encoding", f"encoding = {name} is the lab's own and takes no code: name yours {OWN}NAME.")
    from .own_encoding import load  # no start of the tab waits for it

    own = load(code)
    own.name = name.removeprefix(OWN)
    return own


def read_text(bytes) -> dict:
    """Read a text that a reader gave, and what there is to say of it before it trains.

    Args:
        bytes: of a file that may be anything, or of what was pasted, in UTF-8.

    Returns:
        text, as `corpus.normalised` makes it; encoding, "UTF-8", "UTF-16" or "Windows-1252"; facts: characters,
        vocabulary, classes and baselines as in `open_run`; distinct, how many characters there are before the rare ones
        are one; rare, None where there are none, else characters, a list of [character, count], the most frequent
        first, threshold, how often that occurs, and share, theirs of the text; changed: encoding, bom and nfc (whether
        there was a byte order mark, and anything to normalise), lineEnds (how many became a newline) and undefined
        (how many bytes Windows-1252 does not define); bytes: text, in UTF-8, and perWorker, the most that a worker
        needs to read it. Or an error with the code "corpus" or "memory".
    """
    from . import text_files  # no first loss waits for it

    if len(bytes) > memory.LARGEST_FILE:
        return _error(
            "corpus",
            "corpus",
            f"The file has {_mb(len(bytes))}; Python in a tab has the memory to read {_mb(memory.LARGEST_FILE)}: "
            "use a part of it.",
        )
    try:
        file = text_files.read(bytes)
        corpus = Corpus.from_text(file.text)
        corpus.require(SHORTEST_CONTEXT)
        facts = _about(corpus) | {"distinct": corpus.distinct, "changed": _changed(file)}
        facts["bytes"] = _sizes(file.text, corpus)
    except CorpusError as error:
        return _error("corpus", "corpus", str(error))
    except MemoryError:
        return _no_memory_to(f"read this file of {_mb(len(bytes))}")
    return {"text": file.text, "encoding": file.encoding, "facts": facts}


def _changed(file: "TextFile") -> dict:
    return {
        "encoding": file.encoding,
        "bom": file.bom,
        "lineEnds": file.line_ends,
        "nfc": file.nfc,
        "undefined": file.undefined,
    }


def _sizes(text: str, corpus: Corpus) -> dict:
    as_it_is = normalised(text) is text  # Python saw at a glance that there is nothing to compose
    needed = memory.reading(len(text), memory.width(text), as_it_is, len(corpus.replaced))
    return {"text": len(text.encode()), "perWorker": needed}


def memory_needed(config: dict, characters: int, vocabulary: int) -> dict:
    """How much memory a run of these settings would take, before anything is spent on it.

    Args:
        config: settings, as in `RunConfig`.
        characters: of the text.
        vocabulary: V.

    Returns:
        bytes, at most; limit, of what Python in a tab has. Or an error with the code "config".
    """
    values, errors = validate(config)
    if errors:
        return _error("config", **errors[0])
    return {"bytes": memory.needed(RunConfig(**values), characters, vocabulary), "limit": memory.LIMIT}


def _too_large(values: dict, corpus: Corpus, text: str, ops) -> dict | None:
    """The error for a run that has no room beside those that are open, or None."""
    needed = _needed(RunConfig(**values), corpus, ops, memory.width(text))
    open_now = sum(_needed(run.config, run.corpus, run.model.ops, width=1) for run in _runs.values())
    if needed + open_now <= memory.LIMIT:
        return None
    beside = f" beside the {_mb(open_now)} of what is open here" if open_now else ""
    return _error(
        "memory",
        "batch",
        f"This run ({_model(values)}, a text of {len(corpus.train) + len(corpus.validation):,} characters) needs "
        f"{_mb(needed)}{beside}, and Python in a tab has {_mb(memory.LIMIT)}: choose a smaller batch or context, or a "
        "shorter text.",
    )


def _needed(config: RunConfig, corpus: Corpus, ops, width: int) -> int:
    characters = len(corpus.train) + len(corpus.validation)
    compiled = ops.NAME != reference.NAME
    return memory.needed(config, characters, len(corpus.vocabulary), width, len(corpus.replaced), compiled)


def _model(config: dict) -> str:
    return ", ".join(f"{name} {config[name]}" for name in ("batch", "context", "layers", "heads", "d"))


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def _other_text(text: str, text_hash: str, name: str) -> dict | None:
    from .checkpoint import CheckpointError, check_text  # no first loss waits for them

    try:
        check_text(text, text_hash, name)
    except CheckpointError as error:
        return _error("checkpoint", "corpus", str(error))
    return None


def advance(id: str, budget_ms: float, geometry: bool = False, space: bool = False) -> dict:
    """Train for about `budget_ms` milliseconds.

    Returns:
        What is new: a frame as in `training.Frame`, and on request `geometry`: points (V, 2) and explained as in
        `geometry.Projection`, and with `space` also points3 (V, 3) and explained3. Or an error with the code
        "unknown-run" or "memory", or "encoding" as of `open_run`, and again at each later call: the steps before it have
        been told by then.
    """
    if id not in _runs:
        return _error("unknown-run", None, f"This worker has no run {id}: open it first.")
    try:
        frame = _runs[id].advance(budget_ms / 1000)
    except PositionError as error:
        return _position_error(error, f"After step {_runs[id].step}: ")
    except MemoryError:
        values = vars(_runs[id].config)
        close_run(id)
        return _memory_error(values)
    except Exception as error:
        return _broken_by(getattr(_runs[id].encoding, "code", None), error)
    return _frame(id, frame, geometry, space)


def probe(name: str, id: str, arguments: dict | None = None, budget_ms: float = 100, untrained: bool = False) -> dict:
    """Look at a run with one of the probes, for about `budget_ms` milliseconds.

    A probe that takes longer goes on at the next call with the same name, id and arguments; with others it begins
    anew. It looks at the run as it was when the probe began.

    Args:
        name: one of `probes.PROBES`.
        id: a run that is open.
        arguments: of the probe, by name, as text or plain values.
        untrained: looks at the run's model as it started.

    Returns:
        probe, run; which and step, the moment that it looks at ("untrained", "now" or "trained"); progress from
        0 to 1; and result, None until progress is 1: see the docstring of the probe. Or an error with the code
        "unknown-run", "probe" (field names the argument), "encoding" as of `open_run`, or "memory".
    """
    # Imported here, since it takes the tab some 50 ms that the first loss need not wait for.
    from . import probes

    if id not in _runs:
        return _error("unknown-run", None, f"This worker has no run {id}: open it first.")
    asked = (arguments or {}, untrained)
    jobs = _jobs.setdefault(id, {})
    until = time.perf_counter() + budget_ms / 1000
    result = None
    try:
        if name not in jobs or jobs[name].asked != asked:
            probes.find(name)
            view = probes.View.of(_runs[id], untrained)
            jobs[name] = _Job(asked, view, probes.run_probe(name, view, asked[0]))
        job = jobs[name]
        while True:
            # 1 is for a result: the last report of progress may come some work before it.
            job.progress = min(next(job.work), 0.999)
            if time.perf_counter() >= until:
                break
    except StopIteration as end:
        result = end.value
        job.progress = 1
        del jobs[name]
    except PositionError as error:
        jobs.pop(name, None)
        return _position_error(error, code="probe", field=None)
    except (probes.ProbeError, ConfigError, CorpusError) as error:
        jobs.pop(name, None)
        return _error("probe", getattr(error, "field", None), str(error))
    except MemoryError:
        jobs.pop(name, None)
        return _memory_error(vars(_runs[id].config))
    except Exception as error:
        jobs.pop(name, None)
        return _broken_by(getattr(_runs[id].encoding, "code", None), error)
    except BaseException:
        jobs.pop(name, None)  # what raised cannot go on
        raise
    return {
        "probe": name,
        "run": id,
        "which": job.view.which,
        "step": job.view.step,
        "progress": job.progress,
        "result": result,
    }


def check_encoding(code: str, config: dict) -> dict:
    """Look at a reader's own encoding before it is trained.

    Args:
        config: settings of the runs that it is meant for.

    Returns:
        See `own_encoding.examine`. Or an error with the code "encoding" as of `open_run`, and printed, what the code had
        printed until then; "config"; or "memory".
    """
    from .own_encoding import OwnEncodingError, examine

    try:
        return examine(code, config)
    except OwnEncodingError as error:
        told = _position_error(error)
        told["error"]["printed"] = error.printed
        return told
    except ConfigError as error:
        return _error("config", error.field, error.message)
    except PositionError as error:
        return _position_error(error)
    except MemoryError:
        return _memory_error(validate(config)[0])
    except Exception as error:
        return _broken_by(code, error)


def source(name: str) -> dict:
    """The Python of a probe, as it runs here.

    Returns:
        file, where it stands in the package; code, of its function. Or an error with the code "probe".
    """
    import inspect  # what it needs comes with it (later.py), and no start of the tab waits for that

    from . import probes

    try:
        function = probes.find(name).function
    except probes.ProbeError as error:
        return _error("probe", error.field, error.message)
    return {"file": f"{function.__module__.replace('.', '/')}.py", "code": inspect.getsource(function)}


def save_run(id: str) -> dict:
    """All of a run as it is now, with which `open_run` restores it in another worker.

    Returns:
        The fields of `training.Saved`, in camelCase. Or an error with the code "unknown-run" or "memory".
    """
    if id not in _runs:
        return _error("unknown-run", None, f"This worker has no run {id}: open it first.")
    try:
        return _for_page(_runs[id].save())
    except MemoryError:
        return _no_memory_to("save this run")


def checkpoint(id: str, label: str) -> dict:
    """A run as it is now as a file to keep, which `read_checkpoint` and Hugging Face `transformers` open.

    Args:
        label: what the reader knows the run by.

    Returns:
        name, such as learned-seed1-500.zip; bytes, uint8. Or an error with the code "unknown-run", "checkpoint",
        "encoding" or "memory".
    """
    from .checkpoint import CheckpointError, files, name, pack  # no first loss waits for them

    if id not in _runs:
        return _error("unknown-run", None, f"This worker has no run {id}: open it first.")
    run = _runs[id]
    try:
        return {"name": name(run), "bytes": np.frombuffer(pack(files(run, label)), np.uint8)}
    except CheckpointError as error:
        return _error("checkpoint", None, str(error))
    except PositionError as error:
        return _position_error(error)
    except MemoryError:
        characters = len(run.corpus.train) + len(run.corpus.validation)
        return _no_memory_to(f"save this run with its text of {characters:,} characters")


def read_checkpoint(bytes, run_code: bool = False) -> dict:
    """Look into a file that a reader gave; nothing else changes.

    Args:
        bytes: its content, which may be anything.
        run_code: whether the code of its encoding may run, if it has some.

    Returns:
        config; text, None for a text of the lab that config names; textHash, the SHA-256 in hexadecimal of the text in
        UTF-8, as `corpus.normalised` makes it; saved, as `open_run` takes it; version, of the lab that wrote it; code, of
        the encoding, None for one of the lab. Where there is code that may not run, config, code, version, name, of the
        encoding, and needsConsent, true. Or an error with the code "checkpoint", "encoding" or "memory".
    """
    from .checkpoint import CheckpointError, ConsentError, read

    try:
        found = read(bytes, run_code)
    except ConsentError as waits:
        about = {"config": asdict(waits.config), "code": waits.code, "name": waits.name, "version": waits.version}
        return about | {"needsConsent": True}
    except CheckpointError as error:
        return _error("checkpoint", None, str(error))
    except PositionError as error:
        return _position_error(error)
    except MemoryError:
        return _no_memory_to(f"open this file of {len(bytes):,} bytes with its text")
    return {
        "config": asdict(found.config),
        "text": found.text,
        "textHash": found.text_hash,
        "saved": _for_page(found.saved),
        "version": found.version,
        "code": getattr(found.encoding, "code", None),
    }


SOURCES = ("positions.py", "model.py", "ops/reference.py")  # what the page shows as the code that runs


def source_file(name: str) -> dict:
    """A file of the lab, as it runs here.

    Args:
        name: one of SOURCES.

    Returns:
        file, where it stands in the package; code. Or an error with the code "source".
    """
    if name not in SOURCES:
        return _error("source", None, f"{name} is none of the files that the page shows: {', '.join(SOURCES)}.")
    file = Path(__file__).parent / name
    return {"file": f"embedding_lab/{name}", "code": file.read_text(encoding="utf-8")}


def console_open(config: dict, text: str, saved: dict | None = None, code: str | None = None) -> dict:
    """Open a run for the reader's prompt, `console_run`; a second call begins anew, with other variables.

    Args:
        config, text, saved, code: as `open_run` takes them; without `saved` the run is untrained.

    Returns:
        run, the name by which `close_run` and others know it; step; shape, of E. Or an error as that of `open_run`.
    """
    global _console
    opened = open_run(CONSOLE, config, text, saved=saved, code=code)
    if "error" in opened:
        return opened
    from .console import Console  # a reader's prompt brings what no start waits for

    np.set_printoptions(precision=4, suppress=True, linewidth=80)  # what a reader can take in
    run = _runs[CONSOLE]
    _console = Console(run)
    return {"run": CONSOLE, "step": run.step, "shape": list(run.model.parameters["embedding"].shape)}


def console_run(source: str, write: Callable[[str], None]) -> dict:
    """Run what the reader typed, if it is complete: see `console.Console.run`.

    Returns:
        What that returns. Or an error with the code "console" where none is open.
    """
    if _console is None:
        return _error("console", None, "This worker has no console: open it first.")
    return _console.run(source, write)


def close_run(id: str) -> dict:
    """Forget a run, and free what it holds."""
    _runs.pop(id, None)
    _jobs.pop(id, None)
    _pictures.pop(id, None)
    return {}


def compare(results: list) -> dict:
    """What several runs say together.

    Args:
        results: {encoding, seed, validationLoss}, the loss in nats; one that is None or not finite is left out.

    Returns:
        gaps, as in `statistics.gaps`; encodings, as in `statistics.summaries`.
    """
    rows = [(row["encoding"], row["seed"], row["validationLoss"]) for row in results]
    return {"gaps": gaps(rows), "encodings": summaries(rows)}


def _frame(id: str, frame: Frame, geometry: bool, space: bool) -> dict:
    plain = {
        "run": id,
        "step": frame.step,
        "steps": _runs[id].config.steps,
        "state": frame.state,
        "message": frame.message,
        "trainFrom": frame.train_from,
        "trainLoss": frame.train_loss,
        "validationSteps": frame.validation_steps,
        "validationLoss": frame.validation_loss,
        "seconds": frame.seconds,
        "stepsPerSecond": frame.step / frame.seconds if frame.seconds else 0.0,
        "geometry": None,
    }
    table = _runs[id].model.parameters["embedding"]
    if geometry and np.isfinite(table).all():
        plain["geometry"] = _picture(id, table, 2)
        if space:
            solid = _picture(id, table, 3)
            plain["geometry"] |= {"points3": solid["points"], "explained3": solid["explained"]}
    return plain


def _for_page(saved: Saved) -> dict:
    return {_camel(field.name): getattr(saved, field.name) for field in fields(Saved)}


def _from_page(saved: dict) -> Saved:
    """Typed arrays come as memoryviews, which keep what kind of number they hold."""
    values = {name: np.asarray(value) if isinstance(value, memoryview) else value for name, value in saved.items()}
    missing = [name for field in fields(Saved) if (name := _camel(field.name)) not in values]
    if missing:
        raise SavedError(f"{', '.join(missing)} is missing: give all that save_run gave.")
    return Saved(**{field.name: values[_camel(field.name)] for field in fields(Saved)})


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _picture(id: str, table: np.ndarray, axes: int) -> dict:
    last = _pictures.setdefault(id, {})
    projection = project(table, last.get(axes), axes)
    last[axes] = projection.points
    return {"points": projection.points.ravel(), "explained": projection.explained.tolist()}


def _error(code: str, field: str | None, message: str) -> dict:
    return {"error": {"code": code, "field": field, "message": message}}


def _position_error(error: PositionError, before: str = "", code: str = "config", field: str | None = "encoding") -> dict:
    """What an encoding refused, or what a reader's own did wrong.

    Args:
        before: begins the message of a reader's own.
        code, field: of the lab's encodings.
    """
    from .own_encoding import OwnEncodingError

    if not isinstance(error, OwnEncodingError):
        return _error(code, field, str(error))
    told = _error("encoding", "encoding", before + str(error))
    told["error"] |= {"line": error.line, "traceback": error.traceback}
    return told


def _broken_by(code: str | None, error: Exception) -> dict:
    """Tells a failure of the lab after a reader's code ran in it; without such code it is a bug, and raised."""
    if code is None:
        raise error
    told = _error(
        "encoding",
        "encoding",
        f"The lab failed after your code had run in it ({type(error).__name__}: {error}): the code must change nothing of "
        "NumPy or of the lab itself.",
    )
    told["error"] |= {"line": None, "traceback": None}
    return told


def _memory_error(config: dict) -> dict:
    return _error(
        "memory",
        "batch",
        f"The tab has no memory left for this model ({_model(config)}): choose a smaller batch or context.",
    )


def _no_memory_to(do: str) -> dict:
    return _error("memory", None, f"The tab has no memory left to {do}: close other tabs, or use a shorter text.")
