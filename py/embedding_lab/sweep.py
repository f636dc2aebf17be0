"""A sweep: every combination of some settings, trained side by side, that goes on where it was killed."""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import itertools
import json
import logging
import math
import os
import re
import shlex
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from . import __version__, encoding_files, results
from .checkpoint import text_hash
from .config import ConfigError, RunConfig, parse, settings_table, validate
from .corpus import Corpus, CorpusError
from .journal import Journal
from .position_checks import check
from .positions import ENCODINGS, PositionError, build
from .results import SweepError
from .training import Run

if TYPE_CHECKING:
    from .encoding_files import EncodingFile
    from .kinds import Plain, Row, Value, Values

    Text = tuple[str, Corpus, Plain]  # a text, and what the results say of it
    ReadCorpus = Callable[[str], tuple[str, str]]  # of a name: the text, and the name that settings give it

WAIT = 10  # seconds for a Dask scheduler to answer
PLURAL = {"encoding": "encodings", "seed": "seeds"}  # settings whose option is named otherwise than in `train`


@dataclass(frozen=True)
class Task:
    """One run that a sweep wants, as it is sent to the process that trains it.

    Attributes:
        config: its settings.
        make: makes its encoding, where it is none of the lab's.
        text: the SHA-256 of its text.
        key: what it is known by in the journal.
        version: of the lab that asks.
    """

    config: RunConfig
    make: EncodingFile | None
    text: str
    key: str
    version: str = __version__


@dataclass(frozen=True)
class _Outcome:
    """What became of a task: its row, or why it has none."""

    key: str
    row: Values | None
    error: str | None = None


class _Ended(Exception):
    """What trained is gone, and with it the runs that had not finished; says why."""


# ---------------------------------------------------------------------------------------- what to train


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a sweep; one that is not given is None."""
    parser.description = "Each setting takes a list, separated by commas; whole numbers also as a range, such as 0-9."
    for row in settings_table():
        default, allowed = row["default"], f"{row.get('low')} to {row.get('high')}"
        if row["name"] == "encoding":
            allowed, default = ", ".join(ENCODINGS) + ", all of these, or Python files that define one", "all"
        elif row["kind"] == "choice":
            allowed = "names, or text files whose own names have no comma"
        elif row["kind"] == "boolean":
            allowed = "yes or no"
        told = f"{row['help']} {allowed}; default {default}"
        parser.add_argument(_option(row["name"]), dest=row["name"], metavar="LIST", help=told)
    parser.add_argument("--jobs", metavar="N", help="processes that train; auto, the default, takes one for each core")
    parser.add_argument("--dask", metavar="ADDRESS", help="train on the Dask cluster with this scheduler instead")
    parser.add_argument("--out", required=True, type=Path, help="the file for the rows: .json, .csv or .parquet")


def command_line(given: argparse.Namespace) -> str:
    """The command that was given, in one order whatever the order was that it was typed in."""
    names = [row["name"] for row in settings_table()] + ["corpora", "jobs", "dask", "out"]
    options = [(_option(name), str(getattr(given, name))) for name in names if getattr(given, name) is not None]
    return shlex.join(["python", "-m", "embedding_lab", "sweep", *itertools.chain(*options)])


def _option(name: str) -> str:
    return "--" + PLURAL.get(name, name).replace("_", "-")


def read_list(row: Row, given: str | None) -> list[Value]:
    """The values of one setting, each once: separated by commas, whole numbers also from-to.

    Args:
        row: of `settings_table`, but that a choice takes any name.

    Raises:
        ConfigError: a value is of another type or out of range.
    """
    if given is None:
        return [row["default"]]
    values: list[Value] = []
    for part in map(str.strip, given.split(",")):
        bounds = re.fullmatch(r"(\d+)-(\d+)", part) if row["kind"] == "integer" else None
        if bounds:
            first, last = (int(parse(row, bound)) for bound in bounds.groups())
            if first > last:
                raise ConfigError(row["name"], f"{row['name']} = {part} counts down: write {last}-{first}.")
            values += range(first, last + 1)
        else:
            values.append(part if row["kind"] == "choice" else parse(row, part))
    return list(dict.fromkeys(values))


def plan(given: argparse.Namespace, read_corpus: ReadCorpus) -> tuple[list[Task], dict[str, Text]]:
    """The runs that the options ask for, the settings that vary slowest first, then the encodings, then the seeds.

    Args:
        given: what `add_arguments` read.
        read_corpus: makes of a name the text and the name that settings give it.

    Returns:
        The tasks; and by SHA-256 the texts, each with its corpus and what the results say of it.

    Raises:
        ConfigError, CorpusError, PositionError, OSError: a value cannot be used.
        SweepError: a combination cannot be trained; nothing is left out in silence.
    """
    lists = {row["name"]: read_list(row, getattr(given, row["name"])) for row in settings_table()}
    names = lists.pop("encoding")
    makers = encoding_files.find_all(["all"] if given.encoding is None else names)
    texts: dict[str, Text] = {}
    for name in lists.pop("corpus"):
        text, known = read_corpus(name)
        corpus = Corpus.from_text(text)
        if notice := corpus.notice():
            print(f"embedding_lab: {name}: {notice}", file=sys.stderr)
        sha256 = text_hash(text)
        texts.setdefault(sha256, (text, corpus, _about(sha256, known, name, corpus)))
    seeds = lists.pop("seed")
    tasks: list[Task] = []
    refused: Counter[str | None] = Counter()
    for (sha256, (_, corpus, about)), values in itertools.product(texts.items(), itertools.product(*lists.values())):
        settings = {**dict(zip(lists, values, strict=True)), "corpus": about["corpus"]}
        for encoding, make in makers.items():
            problem = _problem(settings, encoding, make, corpus)
            refused[problem] += problem is not None
            if problem is None:
                tasks += [_task(settings, encoding, make, seed, sha256) for seed in seeds]
    told = [f"{message} ({count} of the combinations)" for message, count in refused.items() if count]
    if told:
        raise SweepError(f"Nothing was trained, since some combinations cannot be: {' '.join(told)}")
    return tasks, texts


def _about(sha256: str, name: str, given: str, corpus: Corpus) -> Plain:
    return {
        "text_sha256": sha256,
        "corpus": name,
        "file": Path(given).name if name == "own" else None,
        "characters": len(corpus.train) + len(corpus.validation),
        "vocabulary": len(corpus.vocabulary),
        "baselines": {name: results.rounded(loss) for name, loss in corpus.baselines().items()},
    }


def _problem(settings: Values, encoding: str, make: EncodingFile | None, corpus: Corpus) -> str | None:
    """Why a combination cannot be trained, None where it can."""
    values, errors = validate({**settings, "encoding": encoding})
    if errors:
        return errors[0]["message"]
    try:
        corpus.require(values["context"])
        made = make() if make else build(encoding, values["context"])
        check(made, values["context"], values["d"], values["heads"])
    except (CorpusError, PositionError) as error:
        return str(error)
    return None


def _task(settings: Values, encoding: str, make: EncodingFile | None, seed: int, text: str) -> Task:
    config = RunConfig(**settings, seed=seed, encoding=encoding)
    source = hashlib.sha256(make.path.read_bytes()).hexdigest() if make else None
    identity = [asdict(config), source, text, __version__]
    key = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
    return Task(config, make, text, key)


# ---------------------------------------------------------------------------------------- training


def train(task: Task, corpus: Corpus) -> Values:
    """Train one run to its end; returns its row, with the entries of `results.columns`."""
    run = Run(task.config, corpus, task.make() if task.make else None)
    while run.state == "training":  # again after an encoding failed: only then it raises
        run.advance(math.inf)
    return {
        **asdict(task.config),
        "state": run.state,
        "validation_loss": results.rounded(run.validation[-1][1]),
        "train_loss": results.rounded(run.train_loss[-1]),
        "parameters": run.model.size,
        "seconds": round(run.seconds, 2),
        "steps_per_second": round(run.step / run.seconds, 1),
        "validation_steps": [step for step, _ in run.validation],
        "validation_losses": [results.rounded(loss) for _, loss in run.validation],
        "text_sha256": task.text,
        "version": task.version,
        "backend": run.model.ops.NAME,
    }


def attempt(task: Task, corpus: Corpus) -> _Outcome:
    """Train one run; what it raises is told, so that the others go on."""
    try:
        if task.version != __version__:
            raise SweepError(f"version {task.version} of the lab asks, and where it would train is {__version__}")
        return _Outcome(task.key, train(task, corpus))
    except Exception as error:
        return _Outcome(task.key, None, f"{type(error).__name__}: {error}")


def _start_process(parent: int) -> None:
    """Leave Ctrl-C to the process that started this one, and end when that one ends, however and whenever it does.

    Args:
        parent: its id, which this process itself may ask for too late.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _on_this_machine(tasks: list[Task], texts: dict[str, Text], jobs: int) -> Generator[_Outcome]:
    from joblib import Parallel, delayed, parallel_config

    with warnings.catch_warnings():
        # Of a sweep that is interrupted, which is told in one line of this lab's own.
        warnings.filterwarnings("ignore", r"\d+ tasks which were still being processed", UserWarning)
        begin = partial(_start_process, os.getpid())
        with parallel_config("loky", n_jobs=min(jobs, len(tasks)), inner_max_num_threads=1, initializer=begin):
            calls = (delayed(attempt)(task, texts[task.text][1]) for task in tasks)
            try:
                # Singly, not in batches: what has finished is kept at once.
                yield from Parallel(batch_size=1, return_as="generator_unordered")(calls)
            except BrokenProcessPool as error:
                raise _Ended("A process that trained was ended from outside, perhaps for want of memory") from error


def _on_dask(tasks: list[Task], texts: dict[str, Text], address: str) -> Generator[_Outcome]:
    # distributed and asyncio tell of a lost worker at length; the sweep tells what is of consequence.
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield from _from_cluster(tasks, texts, address)
    finally:
        logging.disable(before)


def _from_cluster(tasks: list[Task], texts: dict[str, Text], address: str) -> Generator[_Outcome]:
    from distributed import Client, as_completed

    try:
        client = Client(address, timeout=WAIT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise SweepError(f"--dask {address} does not answer: {error}") from error
    with client:
        if not client.scheduler_info()["workers"]:
            print(f"The cluster at {address} has no workers: waiting for the first.", file=sys.stderr)
        # Tasks themselves, not data that was put on a worker: if that worker is lost, another makes them again.
        corpora = {sha256: client.submit(Corpus.from_text, texts[sha256][0], key=f"text-{sha256}") for sha256 in texts}
        futures = {client.submit(attempt, task, corpora[task.text], key=f"run-{task.key}"): task for task in tasks}
        for future in as_completed(futures, loop=client.loop):
            try:
                yield future.result()
            except CancelledError as error:
                raise _Ended(f"The cluster at {address} is gone or has cancelled the sweep") from error
            except Exception as error:  # of the cluster: `attempt` raises none
                yield _Outcome(futures[future].key, None, f"{type(error).__name__}: {error}")


# ---------------------------------------------------------------------------------------- the command


def sweep(given: argparse.Namespace, read_corpus: ReadCorpus) -> None:
    """Train what is missing, write the file and print the tables; see `plan` for the arguments.

    Exits with code 1 and a line for each run that raised, and with 130 when it was interrupted.
    """
    results.require_format(given.out)
    jobs = _jobs(given)
    tasks, texts = plan(given, read_corpus)
    if given.dask and any(task.make for task in tasks):
        raise SweepError("--dask takes the lab's own encodings, since other machines lack your file: leave out --dask.")
    with Journal(given.out.with_name(given.out.name + ".journal")) as journal:
        left = [task for task in tasks if task.key not in journal.rows]
        failed = _train_all(left, len(tasks), texts, jobs, given.dask, journal)
        rows = [journal.rows[task.key] for task in tasks if task.key in journal.rows]
        about: Plain = {
            "command": command_line(given),
            "texts": [about for _, _, about in texts.values()],
            "failed": [{**asdict(task.config), "error": failed[task.key]} for task in tasks if task.key in failed],
        }
        results.write(given.out, rows, about)
    if rows:
        print(results.report(rows))
    if failed:
        sys.exit(f"embedding_lab: {len(failed)} of {len(tasks)} runs raised an error; {given.out} holds the others.")


def _jobs(given: argparse.Namespace) -> int:
    from joblib import cpu_count

    if given.dask:
        if given.jobs:
            raise SweepError("--jobs is for this machine and --dask for a cluster: give one of them.")
        if importlib.util.find_spec("distributed") is None:
            raise SweepError(f"--dask needs the package distributed: {results.INSTALL}.")
    if given.jobs in (None, "auto"):
        return int(cpu_count())
    if not re.fullmatch(r"[1-9]\d{0,3}", given.jobs):
        raise SweepError(f"--jobs {given.jobs} is no number of processes: choose auto, or 1 to 9999.")
    return int(given.jobs)


def _train_all(
    left: list[Task], total: int, texts: dict[str, Text], jobs: int, dask: str | None, journal: Journal
) -> dict[str, str | None]:
    """Train what is left, with a progress bar, into the journal; returns by key why runs have none."""
    from tqdm import tqdm

    by_key = {task.key: task for task in left}
    failed: dict[str, str | None] = {}
    goes_on = f"finished runs are kept in {journal.path}: the same command goes on from there."
    if len(left) < total:
        print(f"{total - len(left)} of {total} runs are finished already, in {journal.path}.", file=sys.stderr)
    if not left:
        return failed
    outcomes = _on_dask(left, texts, dask) if dask else _on_this_machine(left, texts, jobs)
    try:
        with closing(outcomes), tqdm(total=total, initial=total - len(left), unit="run", desc="sweep") as bar:
            for outcome in outcomes:
                if outcome.row:
                    journal.add(outcome.key, outcome.row)
                else:
                    failed[outcome.key] = outcome.error
                    settings = ", ".join(f"{name} {value}" for name, value in vars(by_key[outcome.key].config).items())
                    bar.write(f"embedding_lab: the run with {settings} raised {outcome.error}", file=sys.stderr)
                bar.update()
    except KeyboardInterrupt:
        kept = total - sum(key not in journal.rows for key in by_key)
        print(f"embedding_lab: interrupted; {kept} of {total} {goes_on}", file=sys.stderr)
        raise
    except _Ended as error:
        raise SweepError(f"{error}; {goes_on}") from error
    return failed
