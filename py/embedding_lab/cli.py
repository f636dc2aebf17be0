"""The command line: python -m embedding_lab train | sweep | probe | export | describe."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from . import __version__, checkpoint, encoding_files, memory, results, run_files, sweep, text_files
from .checkpoint import CheckpointError
from .config import CORPORA, RULES, ConfigError, RunConfig, settings_table
from .corpus import Corpus, CorpusError
from .own_encoding import Own, OwnEncodingError, starting_points
from .positions import OWN, PositionError
from .probes import PROBES, Probe, ProbeError, View, descriptions, run_probe
from .training import Run, SavedError

if TYPE_CHECKING:
    from .kinds import Plain, Row, Values

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

SLICE = 0.2  # seconds of training between two updates of the progress bar
ENTRIES_SHOWN = 8  # of a list, where a result is printed as lines
# What was given cannot be used: these say so in one line.
EXPECTED = (CheckpointError, ConfigError, CorpusError, PositionError, ProbeError, SavedError, results.SweepError, OSError)


def main(arguments: list[str] | None = None) -> None:
    """Run one command.

    An error in the values that were given is one line on standard error, with exit code 1; a command or an option that
    does not exist gets the usage, with exit code 2.
    """
    parser = argparse.ArgumentParser(prog="python -m embedding_lab", description="Train the models of Embedding Lab.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    _add_train(commands)
    _add_sweep(commands)
    _add_probe(commands)
    _add_export(commands)
    _add_describe(commands)
    given = parser.parse_args(arguments)
    try:
        given.run(given)
    except EXPECTED as error:
        if isinstance(error, OwnEncodingError):
            sys.stderr.write(error.printed + (error.traceback or ""))
        sys.exit(f"embedding_lab: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _add_train(commands: Commands) -> None:
    parser = commands.add_parser("train", help="train one run and print its result")
    _add_settings(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object, and no progress bar")
    parser.add_argument("--from", dest="saved", metavar="FILE", type=Path, help="go on with a saved run, by its settings")
    parser.add_argument("--run-code", action="store_true", help="let the code of an encoding in that file run: read it first")
    parser.add_argument("--save", metavar="FILE.zip", type=Path, help="keep the result: a zip, or a folder as of export")
    # A setting that was not given is None until `_train` knows whether it comes from a saved run.
    parser.set_defaults(run=_train, **{row["name"]: None for row in settings_table()})


def _add_sweep(commands: Commands) -> None:
    parser = commands.add_parser("sweep", help="train every combination of some settings and compare the encodings")
    sweep.add_arguments(parser)
    _add_corpora(parser)
    parser.set_defaults(run=_sweep)


def _add_settings(parser: argparse._ActionsContainer) -> None:
    for row in settings_table():
        name = "--" + row["name"].replace("_", "-")
        if row["kind"] == "boolean":
            allowed = "yes or no"
        elif row["kind"] == "choice":
            allowed = ", ".join(choice["value"] for choice in row["choices"] if choice["value"] != "own") + ", or a file"
        else:
            allowed = f"{row['low']} to {row['high']}"
        parser.add_argument(name, default=row["default"], help=f"{row['help']} {allowed}; default {row['default']}")
    _add_corpora(parser)


def _add_probe(commands: Commands) -> None:
    parser = commands.add_parser("probe", help="run one lab of the chapter and print what it measured")
    parser.add_argument("--list", action="store_true", help="print the names and titles of all probes")
    parser.set_defaults(run=_list_probes)
    names = parser.add_subparsers(dest="probe", metavar="NAME")
    for probe in PROBES.values():
        own = names.add_parser(probe.name, help=probe.title, description=probe.title, allow_abbrev=False)
        for row in probe.arguments:
            own.add_argument("--" + row["name"].replace("_", "-"), help=_help(row))
        if probe.needs_model:
            own.add_argument("--untrained", action="store_true", help="look at the model as it starts: trains nothing")
        _add_settings(own.add_argument_group("settings of the run"))
        own.add_argument("--json", action="store_true", help="print one JSON object, and no progress bar")
        own.set_defaults(run=_probe)


def _help(row: Row) -> str:
    """What an argument of a probe is for, what it may be and what it is by default."""
    if row["kind"] == "choice":
        allowed = f" {', '.join(choice['value'] for choice in row['choices'])};"
    elif row["kind"] == "text":
        allowed = ""
    else:
        allowed = f" {row['low']:g} to {row['high']:g}{', separated by commas' if row['kind'] == 'list' else ''};"
    default = row["default"]
    if isinstance(default, list):
        default = ",".join(map(str, default))
    elif row["kind"] == "text":
        default = repr(default)
    return f"{row['help']}{allowed} default {default}".replace("%", "%%")


def _add_corpora(parser: argparse._ActionsContainer) -> None:
    default = os.environ.get("EMBEDDING_LAB_CORPORA")
    parser.add_argument("--corpora", type=Path, default=default, help="folder of the texts, if not that of build.py")


def _add_describe(commands: Commands) -> None:
    parser = commands.add_parser("describe", help="print the settings and the texts as JSON, for the page")
    _add_corpora(parser)
    parser.set_defaults(run=_describe)


def _open(given: argparse.Namespace, evaluate: bool = True) -> Run:
    """The run that the settings describe, at step 0."""
    values = {row["name"]: getattr(given, row["name"]) for row in settings_table()}
    encoding = None
    if file := encoding_files.find(values["encoding"]):
        encoding = file()
        values["encoding"] = OWN + encoding.name
    text, values["corpus"] = _read_corpus(values["corpus"], given.corpora)
    corpus = Corpus.from_text(text)
    if notice := corpus.notice():
        print(f"embedding_lab: {notice}", file=sys.stderr)
    return Run(RunConfig(**values), corpus, encoding, evaluate=evaluate)


def _sweep(given: argparse.Namespace) -> None:
    sweep.sweep(given, partial(_read_corpus, folder=given.corpora))


def _train(given: argparse.Namespace) -> None:
    if given.save:
        run_files.check_place(given.save)
    if given.run_code and not given.saved:
        raise ConfigError("run_code", "--run-code goes with --from, whose file may hold code: leave it out.")
    run = _continue(given) if given.saved else _open(_with_defaults(given))
    if given.save:
        checkpoint.check_run(run)  # one that cannot be saved is told before training
    _advance(run, quiet=given.json)
    baselines = run.corpus.baselines()
    result = {
        "encoding": run.config.encoding,
        "seed": run.config.seed,
        "validationLoss": _finite(run.validation[-1][1]),
        "trainLoss": _finite(run.train_loss[-1]),
        "parameters": run.model.size,
        "seconds": run.seconds,
        "stepsPerSecond": run.step / run.seconds if run.seconds else 0.0,
        "backend": run.model.ops.NAME,
        "state": run.state,
        "message": run.message,
        "losses": {
            "train": [_finite(loss) for loss in run.train_loss],
            "validation": [[step, _finite(loss)] for step, loss in run.validation],
        },
        "baselines": baselines,
        "config": asdict(run.config),
    }
    if given.json:
        print(json.dumps(result, allow_nan=False))
    else:
        print(f"{result['encoding']}, seed {result['seed']}: {run.validation[-1][1]:.3f} nats per character on the")
        print(f"validation text after {run.step} steps ({run.model.size:,} parameters, {run.seconds:.1f} s, {_computed(run)}).")
        print("Counting alone: " + ", ".join(f"{name} {nats:.3f}" for name, nats in baselines.items()) + ".")
    if given.save:
        run_files.write(run, given.save)
    if given.json:
        sys.exit(run.state == "diverged")
    if run.message:
        sys.exit(f"embedding_lab: {run.message}")


def _list_probes(given: argparse.Namespace) -> None:
    if not given.list:
        raise ProbeError("name", f"probe takes a name: choose {', '.join(PROBES)}; --list tells what each shows.")
    for probe in PROBES.values():
        print(f"{probe.name:16} {probe.title}")


def _probe(given: argparse.Namespace) -> None:
    probe = PROBES[given.probe]
    arguments = {row["name"]: getattr(given, row["name"]) for row in probe.arguments}
    arguments = {name: value for name, value in arguments.items() if value is not None}
    probe.read_arguments(arguments)  # a value out of range is told before training
    trains = probe.needs_model and not given.untrained
    run = _open(given, evaluate=trains)
    if trains:
        _advance(run, quiet=given.json)
    view = View.of(run)
    answer = {
        "probe": probe.name,
        "which": view.which,
        "step": view.step,
        "state": run.state,
        "message": run.message,
        "encoding": run.config.encoding,
        "config": asdict(run.config),
        "result": _finish(probe, view, arguments, quiet=given.json),
    }
    if given.json:
        print(json.dumps(answer, allow_nan=False))
        sys.exit(run.state == "diverged")
    print(f"{probe.title} ({probe.name}, {run.encoding.name}, {view.which}, step {view.step})")
    print("\n".join(_lines(answer["result"])))
    if run.message:
        sys.exit(f"embedding_lab: {run.message}")


def _finish(probe: Probe, view: View, arguments: Values, quiet: bool) -> Plain:
    """Run a probe to its end, with its progress, and return its result."""
    from tqdm import tqdm

    work = run_probe(probe.name, view, arguments)
    bar_format = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}"
    with tqdm(total=1.0, disable=quiet, desc=probe.name, bar_format=bar_format) as bar:
        while True:
            try:
                bar.update(max(0.0, next(work) - bar.n))
            except StopIteration as end:
                bar.update(1 - bar.n)
                result: Plain = end.value
                return result


def _lines(value: object, name: str = "") -> list[str]:
    """A result as readable lines, a path and a value each; of a long list its beginning, of a table its shape."""
    if isinstance(value, dict):
        return [line for key, item in value.items() for line in _lines(item, f"{name}.{key}" if name else key)]
    shape, inner = [], value
    while isinstance(inner, list) and inner:
        shape.append(len(inner))
        inner = inner[0]
    if len(shape) > 1 and isinstance(inner, float):
        return [f"{name}: {' x '.join(map(str, shape))} numbers; --json prints them"]
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        shown = [line for at, item in enumerate(value[:ENTRIES_SHOWN]) for line in _lines(item, f"{name}[{at}]")]
        more = len(value) - ENTRIES_SHOWN
        return shown + ([f"{name}: and {more} more; --json prints them all"] if more > 0 else [])
    if isinstance(value, list):
        some = ", ".join(map(_shown, value[:ENTRIES_SHOWN]))
        return [f"{name}: {some}{f' ... ({len(value)} in all)' if len(value) > ENTRIES_SHOWN else ''}"]
    return [f"{name}: {_shown(value)}"]


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return repr(value) if isinstance(value, str) and value != value.strip() else str(value)


def _computed(run: Run) -> str:
    """What a run computed with, in words."""
    return "with NumPy, far slower than compiled" if run.model.ops.NAME == "numpy" else "compiled"


def _finite(loss: float) -> float | None:
    """The loss, or None where it is not a number: JSON has no NaN."""
    return loss if math.isfinite(loss) else None


def _advance(run: Run, quiet: bool, until: int | None = None) -> None:
    """Train to the end, or until the step of this number."""
    from tqdm import tqdm

    steps = run.config.steps
    with tqdm(total=steps, initial=run.step, unit="step", disable=quiet, desc=run.encoding.name) as bar:
        while run.state == "training" and run.step != until:
            frame = run.advance(SLICE if until is None else 0)  # 0: one step
            bar.update(len(frame.train_loss))
            bar.set_postfix(train=f"{run.train_loss[-1]:.3f}", validation=f"{run.validation[-1][1]:.3f}")
    if isinstance(run.encoding, Own):
        sys.stderr.write(run.encoding.printed)


def _corpus_path(name: str, folder: Path | None) -> Path:
    """Where a text of the lab is: in this folder, else in the package, where build.py puts it."""
    return (folder or Path(__file__).parent / "corpora") / f"{name}.txt"


def _read_corpus(name: str, folder: Path | None) -> tuple[str, str]:
    """The text, and the name that its settings carry: one of the texts of the lab, or a file's own."""
    if name in CORPORA and name != "own":
        path = _corpus_path(name, folder)
        if not path.is_file():
            raise FileNotFoundError(
                f"{path} is missing: run `python build.py build` once (a wheel made before that has no texts), "
                "or name a text file."
            )
    else:
        path, known = Path(name), [known for known in CORPORA if known != "own"]
        if not path.is_file():
            raise FileNotFoundError(f"corpus = {name} is neither {', '.join(known)} nor a text file.")
        name = "own"
    try:
        file = text_files.read(path.read_bytes())
    except CorpusError as error:
        raise CorpusError(f"{path}: {error}") from None
    for notice in file.notices():
        print(f"embedding_lab: {path}: {notice}", file=sys.stderr)
    return file.text, name


def _describe(given: argparse.Namespace) -> None:
    corpora = []
    for name, (title, origin) in CORPORA.items():
        if name == "own":
            continue
        text, _ = _read_corpus(name, given.corpora)
        path = _corpus_path(name, given.corpora)
        corpus = Corpus.from_text(text)
        corpora.append(
            {
                "name": name,
                "title": title,
                "origin": origin,
                "file": f"{path.parent.name}/{path.name}",
                "bytes": path.stat().st_size,
                "characters": len(corpus.train) + len(corpus.validation),
                "vocabulary": len(corpus.vocabulary),
                "baselines": corpus.baselines(),
            }
        )
    description = {
        "version": __version__,
        "settings": settings_table(),
        "rules": RULES,
        "probes": descriptions(),
        "experiment": {"encodings": ["none", "learned", "sinusoidal"], "seeds": [RunConfig().seed]},
        "corpora": corpora,
        "measured": results.measured(),
        "architectures": checkpoint.architectures(),
        "largestFile": checkpoint.LARGEST_FILE,
        "largestText": memory.LARGEST_FILE,
        "startingPoints": starting_points(),
    }
    print(json.dumps(description))


def _add_export(commands: Commands) -> None:
    parser = commands.add_parser("export", help="train one run and write files that Hugging Face transformers opens")
    _add_settings(parser)
    parser.add_argument("--out", required=True, type=Path, help="the folder to write, or a path that ends in .zip")
    parser.add_argument("--at", metavar="STEP", type=int, help="stop after this step; train --from goes on with it")
    parser.set_defaults(run=_export)


def _export(given: argparse.Namespace) -> None:
    run_files.check_place(given.out)
    run = _open(given)
    steps = run.config.steps
    if given.at is not None and not 0 <= given.at <= steps:
        raise ConfigError("at", f"at = {given.at} is out of range: choose a whole number from 0 to {steps}.")
    checkpoint.check_run(run)  # one that cannot be saved is told before training
    _advance(run, quiet=False, until=given.at)
    run_files.write(run, given.out)
    print(f"{given.out}: {run.encoding.name}, seed {run.config.seed}, after {run.step} of {steps} steps.")
    if run.message:
        sys.exit(f"embedding_lab: {run.message}")


def _with_defaults(given: argparse.Namespace) -> argparse.Namespace:
    for row in settings_table():
        if getattr(given, row["name"]) is None:
            setattr(given, row["name"], row["default"])
    return given


def _continue(given: argparse.Namespace) -> Run:
    """The run that a file or a folder holds, at its step."""
    also = [f"--{row['name'].replace('_', '-')}" for row in settings_table() if getattr(given, row["name"]) is not None]
    if also:
        raise ConfigError("from", f"--from takes all settings from {given.saved}: leave out {', '.join(also)}.")
    return run_files.open_run(given.saved, lambda name: _read_corpus(name, given.corpora)[0], given.run_code)
