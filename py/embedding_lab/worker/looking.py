"""Looking: the probes on a run that is open, and the Python that computes here."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import ConfigError
from ..corpus import CorpusError
from ..positions import PositionError
from .answers import broken, failure, memory_failure, position_failure, unknown_run
from .opened import Job, has_code, jobs, runs

if TYPE_CHECKING:
    from ..kinds import Values
    from .kinds import Failure, Probed, Source

SOURCES = ("positions.py", "model.py", "ops/reference.py")  # what the page shows as the code that runs


def probe(
    name: str, id: str, arguments: Values | None = None, budget_ms: float = 100, untrained: bool = False
) -> Probed | Failure:
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
    from .. import probes

    if id not in runs:
        return unknown_run(id)
    asked = (arguments or {}, untrained)
    begun = jobs.setdefault(id, {})  # by probe
    until = time.perf_counter() + budget_ms / 1000
    result = None
    try:
        if name not in begun or begun[name].asked != asked:
            probes.find(name)
            view = probes.View.of(runs[id], untrained)
            begun[name] = Job(asked, view, probes.run_probe(name, view, asked[0]))
        job = begun[name]
        while True:
            # 1 is for a result: the last report of progress may come some work before it.
            job.progress = min(next(job.work), 0.999)
            if time.perf_counter() >= until:
                break
    except StopIteration as end:
        result = end.value
        job.progress = 1
        del begun[name]
    except PositionError as error:
        begun.pop(name, None)
        return position_failure(error, code="probe", field=None)
    except (probes.ProbeError, ConfigError, CorpusError) as error:
        begun.pop(name, None)
        return failure("probe", getattr(error, "field", None), str(error))
    except MemoryError:
        begun.pop(name, None)
        return memory_failure(vars(runs[id].config))
    except Exception as error:
        begun.pop(name, None)
        return broken(error, has_code(id))
    except BaseException:
        begun.pop(name, None)  # what raised cannot go on
        raise
    return {
        "probe": name,
        "run": id,
        "which": job.view.which,
        "step": job.view.step,
        "progress": job.progress,
        "result": result,
    }


def source(name: str) -> Source | Failure:
    """The Python of a probe, as it runs here.

    Returns:
        file, where it stands in the package; code, of its function. Or an error with the code "probe".
    """
    import inspect  # what it needs comes with it (later.py), and no start of the tab waits for that

    from .. import probes

    try:
        function = probes.find(name).function
    except probes.ProbeError as error:
        return failure("probe", error.field, error.message)
    return {"file": f"{function.__module__.replace('.', '/')}.py", "code": inspect.getsource(function)}


def source_file(name: str) -> Source | Failure:
    """A file of the lab, as it runs here.

    Args:
        name: one of SOURCES.

    Returns:
        file, where it stands in the package; code. Or an error with the code "source".
    """
    if name not in SOURCES:
        return failure("source", None, f"{name} is none of the files that the page shows: {', '.join(SOURCES)}.")
    file = Path(__file__).parents[1] / name
    return {"file": f"embedding_lab/{name}", "code": file.read_text(encoding="utf-8")}
