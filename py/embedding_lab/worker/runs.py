"""Training: opens runs, trains them a slice of time at a time, and compares what came of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from .. import __version__
from ..config import ConfigError, RunConfig, validate
from ..corpus import Corpus, CorpusError
from ..geometry import project
from ..ops import best, load
from ..positions import PLACES, PositionError
from ..statistics import gaps, summaries
from ..training import Frame, Run, SavedError
from .answers import broken, failure, for_page, from_page, memory_failure, no_memory_to, position_failure, unknown_run
from .encodings import read_encoding
from .opened import close_run, has_code, pictures, runs
from .room import too_large
from .texts import about

if TYPE_CHECKING:
    from ..kinds import Floats, Plain, Values
    from .kinds import Compared, Failure, Finished, FrameTold, Geometry, Opened, Picture, Status


def status() -> Status:
    """What computes here: the versions, and `backend`, the module of `ops` in use."""
    return {
        "version": __version__,
        "python": ".".join(map(str, sys.version_info[:3])),
        "numpy": np.__version__,
        "backend": best().NAME,
    }


def open_run(
    id: str,
    config: Values,
    text: str,
    backend: str | None = None,
    saved: Values | None = None,
    text_hash: str | None = None,
    code: str | None = None,
) -> Opened | Failure:
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
        return failure("config", **errors[0])
    try:
        ops = load(backend) if backend else best()
        corpus = Corpus.from_text(text)
        if text_hash is not None and (refused := _other_text(text, text_hash, values["corpus"])):
            return refused
        if refused := too_large(values, corpus, text, ops):
            return refused
        run = Run(RunConfig(**values), corpus, read_encoding(values, code), ops, evaluate=saved is None)
        supplied = run.model.position(run.config.context)
        if saved is not None:
            run.restore(from_page(saved))
        runs[id] = run
        return {
            "run": id,
            "config": values,
            "parameters": run.model.size,
            "supplies": [name for name, part in zip(PLACES, supplied, strict=True) if part is not None],
            **about(corpus),
            "flopsPerStep": run.flops_per_step,
            "frame": _frame(id, run.frame(), geometry=True, space=True),
        }
    except CorpusError as error:
        return failure("corpus", "corpus", str(error))
    except ConfigError as error:
        return failure("config", error.field, error.message)
    except PositionError as error:
        return position_failure(error)
    except MemoryError:
        close_run(id)
        return memory_failure(values)
    except SavedError as error:
        return failure("saved", "saved", str(error))
    except Exception as error:
        close_run(id)
        return broken(error, code is not None)


def advance(id: str, budget_ms: float, geometry: bool = False, space: bool = False) -> FrameTold | Failure:
    """Train for about `budget_ms` milliseconds.

    Returns:
        What is new: a frame as in `training.Frame`, and on request `geometry`: points (V, 2) and explained as in
        `geometry.Projection`, and with `space` also points3 (V, 3) and explained3. Or an error with the code
        "unknown-run" or "memory", or "encoding" as of `open_run`, and again at each later call: the steps before it have
        been told by then.
    """
    if id not in runs:
        return unknown_run(id)
    try:
        return _frame(id, runs[id].advance(budget_ms / 1000), geometry, space)
    except PositionError as error:
        return position_failure(error, f"After step {runs[id].step}: ")
    except MemoryError:
        values = vars(runs[id].config)
        close_run(id)
        return memory_failure(values)
    except Exception as error:
        return broken(error, has_code(id))


def save_run(id: str) -> Plain | Failure:
    """All of a run as it is now, with which `open_run` restores it in another worker.

    Returns:
        The fields of `training.Saved`, in camelCase. Or an error with the code "unknown-run", "encoding" as of `open_run`,
        or "memory".
    """
    if id not in runs:
        return unknown_run(id)
    try:
        return for_page(runs[id].save())
    except MemoryError:
        return no_memory_to("save this run")
    except Exception as error:
        return broken(error, has_code(id))


def compare(results: list[Finished]) -> Compared:
    """What several runs say together.

    Args:
        results: {encoding, seed, validationLoss}, the loss in nats; one that is None or not finite is left out.

    Returns:
        gaps, as in `statistics.gaps`; encodings, as in `statistics.summaries`.
    """
    rows = [(row["encoding"], row["seed"], row["validationLoss"]) for row in results]
    return {"gaps": gaps(rows), "encodings": summaries(rows)}


def _other_text(text: str, text_hash: str, name: str) -> Failure | None:
    from ..checkpoint import CheckpointError, check_text  # no first loss waits for them

    try:
        check_text(text, text_hash, name)
    except CheckpointError as error:
        return failure("checkpoint", "corpus", str(error))
    return None


def _frame(id: str, frame: Frame, geometry: bool, space: bool) -> FrameTold:
    told: FrameTold = {
        "run": id,
        "step": frame.step,
        "steps": runs[id].config.steps,
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
    table = runs[id].model.parameters["embedding"]
    if geometry and np.isfinite(table).all():
        flat = _picture(id, table, 2)
        drawn: Geometry = {"points": flat["points"], "explained": flat["explained"]}
        if space:
            solid = _picture(id, table, 3)
            drawn |= {"points3": solid["points"], "explained3": solid["explained"]}
        told["geometry"] = drawn
    return told


def _picture(id: str, table: Floats, axes: int) -> Picture:
    last = pictures.setdefault(id, {})
    projection = project(table, last.get(axes), axes)
    last[axes] = projection.points
    return {"points": projection.points.ravel(), "explained": projection.explained.tolist()}
