"""The command line: python -m embedding_lab train | describe."""

import argparse
import importlib.util
import json
import math
import os
import sys
from dataclasses import asdict
from pathlib import Path

from . import __version__
from .config import CORPORA, ENCODINGS, RULES, ConfigError, RunConfig, settings_table
from .corpus import Corpus, CorpusError
from .positions import PositionalEncoding, PositionError
from .training import Run

SLICE = 0.2  # seconds of training between two updates of the progress bar


def main(arguments: list[str] | None = None) -> None:
    """Run one command. An error in what was given is one line on standard error, with exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m embedding_lab", description="Train the models of Embedding Lab.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    _add_train(commands)
    _add_describe(commands)
    given = parser.parse_args(arguments)
    try:
        given.run(given)
    except (ConfigError, CorpusError, PositionError, OSError) as error:
        sys.exit(f"embedding_lab: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _add_train(commands) -> None:
    parser = commands.add_parser("train", help="train one run and print its result")
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
    parser.add_argument("--json", action="store_true", help="print one JSON object, and no progress bar")
    parser.set_defaults(run=_train)


def _add_corpora(parser) -> None:
    default = os.environ.get("EMBEDDING_LAB_CORPORA", Path(__file__).parents[2] / ".cache" / "corpora")
    parser.add_argument("--corpora", type=Path, default=default, help="folder of the texts that build.py fetched")


def _add_describe(commands) -> None:
    parser = commands.add_parser("describe", help="print the settings and the texts as JSON, for the page")
    _add_corpora(parser)
    parser.set_defaults(run=_describe)


def _train(given: argparse.Namespace) -> None:
    values = {row["name"]: getattr(given, row["name"]) for row in settings_table()}
    encoding = None
    if values["encoding"] not in ENCODINGS and values["encoding"].endswith(".py"):
        encoding = load_encoding(Path(values.pop("encoding")))
    text, values["corpus"] = _read_corpus(values["corpus"], given.corpora)
    run = Run(RunConfig(**values), Corpus.from_text(text), encoding)
    _advance(run, quiet=given.json)
    result = {
        "encoding": run.encoding.name,
        "seed": run.config.seed,
        "validationLoss": _finite(run.validation[-1][1]),
        "trainLoss": _finite(run.train_loss[-1]),
        "parameters": run.model.size,
        "seconds": run.seconds,
        "stepsPerSecond": run.step / run.seconds,
        "state": run.state,
        "message": run.message,
        "losses": {
            "train": [_finite(loss) for loss in run.train_loss],
            "validation": [[step, _finite(loss)] for step, loss in run.validation],
        },
        "baselines": run.corpus.baselines(),
        "config": asdict(run.config),
    }
    if given.json:
        print(json.dumps(result, allow_nan=False))
        sys.exit(run.state == "diverged")
    print(f"{result['encoding']}, seed {result['seed']}: {run.validation[-1][1]:.3f} nats per character on the")
    print(f"validation text after {run.step} steps ({run.model.size:,} parameters, {run.seconds:.1f} s).")
    print("Counting alone: " + ", ".join(f"{name} {nats:.3f}" for name, nats in result["baselines"].items()) + ".")
    if run.message:
        sys.exit(f"embedding_lab: {run.message}")


def _finite(loss: float) -> float | None:
    """The loss, or None where it is not a number: JSON has no NaN."""
    return loss if math.isfinite(loss) else None


def _advance(run: Run, quiet: bool) -> None:
    from tqdm import tqdm

    with tqdm(total=run.config.steps, unit="step", disable=quiet, desc=run.encoding.name) as bar:
        while run.state == "training":
            frame = run.advance(SLICE)
            bar.update(len(frame.train_loss))
            bar.set_postfix(train=f"{run.train_loss[-1]:.3f}", validation=f"{run.validation[-1][1]:.3f}")


def _read_corpus(name: str, folder: Path) -> tuple[str, str]:
    """The text, and the name that its settings carry: one of the texts of the lab, or a file's own."""
    if name in CORPORA and name != "own":
        path = folder / f"{name}.txt"
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing: run `python build.py build` once, or name a text file.")
    else:
        path, known = Path(name), [known for known in CORPORA if known != "own"]
        if not path.is_file():
            raise FileNotFoundError(f"corpus = {name} is neither {', '.join(known)} nor a text file.")
        name = "own"
    try:
        return path.read_text("utf-8-sig"), name
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}.") from None


def load_encoding(path: Path) -> PositionalEncoding:
    """The one encoding that a Python file defines: a class with table, rotation and bias of its own.

    Raises:
        PositionError: the file defines none, or more than one.
        FileNotFoundError: there is no such file.
    """
    if not path.is_file():
        raise FileNotFoundError(f"encoding = {path}: there is no such file.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    methods = ("table", "rotation", "bias")
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and all(callable(getattr(value, method, None)) for method in methods)
    ]
    if len(found) != 1:
        names = ", ".join(value.__name__ for value in found) or "none"
        raise PositionError(
            f"{path} must define one class with the methods {', '.join(methods)}; it defines {names}."
        )
    encoding = found[0]()
    if not hasattr(encoding, "name"):
        encoding.name = path.stem
    return encoding


def _describe(given: argparse.Namespace) -> None:
    corpora = []
    for name, (title, origin) in CORPORA.items():
        if name == "own":
            continue
        text, _ = _read_corpus(name, given.corpora)
        corpus = Corpus.from_text(text)
        corpora.append(
            {
                "name": name,
                "title": title,
                "origin": origin,
                "file": f"corpora/{name}.txt",
                "bytes": (given.corpora / f"{name}.txt").stat().st_size,
                "characters": len(corpus.train) + len(corpus.validation),
                "vocabulary": len(corpus.vocabulary),
                "baselines": corpus.baselines(),
            }
        )
    description = {
        "version": __version__,
        "settings": settings_table(),
        "rules": RULES,
        "experiment": {"encodings": ["none", "learned", "sinusoidal"], "seeds": [RunConfig().seed]},
        "corpora": corpora,
    }
    print(json.dumps(description))
