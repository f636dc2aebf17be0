"""What a sweep found: its rows as JSON, CSV or Parquet, as tables in Markdown, and as the summary for the page."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import math
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from . import whole_files
from .config import RunConfig
from .statistics import estimate, gaps, summaries

if TYPE_CHECKING:
    from .kinds import Estimate, Gap, Plain, Result, Values

CONTROL = "none"  # the encoding that the others are measured against
DECIMALS = 6  # of a loss: it is computed in float32, so further ones mean nothing
INSTALL = "install it with `python -m pip install --editable '.[sweep]'` in the folder of the lab"
MEASURED = Path(__file__).parents[2] / "web" / "measured.json"


class SweepError(ValueError):
    """A sweep that cannot run as asked, or a file that is not what a sweep writes; the message says what to do."""


def columns() -> dict[str, type | list[type]]:
    """The entries of a row and their types; [type] is a list. Losses that are not finite are None."""
    return {
        **{entry.name: type(entry.default) for entry in fields(RunConfig)},
        "state": str,  # "finished" or "diverged"
        "validation_loss": float,  # nats per character at the end; None where it is not finite
        "train_loss": float,  # of the last batch
        "parameters": int,
        "seconds": float,
        "steps_per_second": float,
        "validation_steps": [int],
        "validation_losses": [float],  # nats per character at each of those steps
        "text_sha256": str,  # of the text, as `checkpoint.contents.text_hash` gives it
        "version": str,  # of the lab
        "backend": str,  # the module of `ops` that trained
    }


def rounded(loss: float) -> float | None:
    """A loss to as many digits as it has; None where it is not finite."""
    return round(float(loss), DECIMALS) if math.isfinite(loss) else None


# ---------------------------------------------------------------------------------------- files


def require_format(path: Path) -> None:
    """Check, before anything trains, that the rows can be written to this file.

    Raises:
        SweepError: its ending names no format, its folder is missing, or its format needs what is not installed.
    """
    if path.suffix.lower() not in WRITERS:
        raise SweepError(f"--out {path} names no format: let it end in .json, .csv or .parquet.")
    if path.is_dir() or not path.parent.is_dir():
        raise SweepError(f"--out {path} cannot be written: {path.parent} is no folder, or {path.name} is one.")
    if path.suffix.lower() == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise SweepError(f"--out {path} needs the package pyarrow: {INSTALL}, or let the name end in .csv.")


def write(path: Path, rows: list[Values], about: Plain) -> None:
    """Write the rows; the file is either whole or as it was.

    Args:
        path: its ending, .json, .csv or .parquet, says how.
        rows: with the entries of `columns`.
        about: what JSON has room for besides: {command, texts, failed}.
    """
    whole_files.write({path: WRITERS[path.suffix.lower()](rows, about)})


def _json(rows: list[Values], about: Plain) -> bytes:
    """One object with a line for each row, so that files of two sweeps can be compared line by line."""
    entries = [f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in about.items()]
    lines = ",\n".join(json.dumps(row, allow_nan=False, separators=(",", ":")) for row in rows)
    return '{{{},\n"rows": [\n{}\n]}}\n'.format(",\n".join(entries), lines).encode()


def _csv(rows: list[Values], about: Plain) -> bytes:
    """A header and a line a row; None is an empty field, a list is JSON."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns(), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: json.dumps(value) if isinstance(value, list) else value for name, value in row.items()})
    return text.getvalue().encode()


def _parquet(rows: list[Values], about: Plain) -> bytes:
    import pyarrow
    import pyarrow.parquet

    kinds = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    schema = pyarrow.schema(
        [(name, pyarrow.list_(kinds[kind[0]]) if isinstance(kind, list) else kinds[kind]) for name, kind in columns().items()]
    )
    out = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), out)
    content: bytes = out.getvalue().to_pybytes()
    return content


WRITERS = {".json": _json, ".csv": _csv, ".parquet": _parquet}


# ---------------------------------------------------------------------------------------- tables


def report(rows: list[Values]) -> str:
    """The tables of a sweep in Markdown: for each combination of the other settings the encodings, then their gaps."""
    parts = []
    for heading, group in groups(rows):
        parts += [heading] if heading else []
        parts += [encoding_table(group), *([table] if (table := pair_table(group)) else [])]
    return "\n\n".join(parts)


def groups(rows: list[Values]) -> list[tuple[str, list[Values]]]:
    """The rows of each combination of the settings besides encoding and seed, under what tells it from the others."""
    names = [entry.name for entry in fields(RunConfig) if entry.name not in ("encoding", "seed")] + ["text_sha256"]
    found: dict[tuple[object, ...], list[Values]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    varying = [at for at in range(len(names)) if len({key[at] for key in found}) > 1]
    headings = [", ".join(_told(names[at], key[at]) for at in varying) for key in found]
    return list(zip(headings, found.values(), strict=True))


def _told(name: str, value: object) -> str:
    return f"text {str(value)[:8]}" if name == "text_sha256" else f"{name} = {value}"


def losses_of(rows: list[Values]) -> list[Result]:
    """(encoding, seed, validation loss) as `statistics` takes them; the loss of a run that diverged is None."""
    losses = [row["validation_loss"] if row["state"] == "finished" else None for row in rows]
    return [(row["encoding"], row["seed"], loss) for row, loss in zip(rows, losses, strict=True)]


def encoding_table(rows: list[Values]) -> str:
    """A row an encoding: its validation loss over the seeds, and its gap to the control (else to the first one)."""
    losses = losses_of(rows)
    control = _control(losses)
    # With the control last, every gap to it is that of another encoding minus the control.
    control_last = sorted(losses, key=lambda loss: loss[0] == control)
    against = {gap["a"]: gap for gap in gaps(control_last) if gap["b"] == control}
    head = ["encoding", "seeds", "loss, nats per character", "sd", "95 %"]
    head += [f"gap to {control}", "95 %", "verdict", "more seeds"]
    lines = []
    for row in summaries(losses):
        name, lost = row["encoding"], sum(encoding == row["encoding"] for encoding, *_ in losses) - row["seeds"]
        seeds = f"{row['seeds']} ({lost} diverged)" if lost else f"{row['seeds']}"
        gap = _gap_cells(against[name]) if name in against else [""] * 4
        lines.append([name, seeds, _number(row["mean"]), _number(row["deviation"]), _range(row), *gap])
    return _markdown(head, lines)


def pair_table(rows: list[Values]) -> str:
    """A row for each two encodings of which neither is the control; "" where there are none."""
    losses = losses_of(rows)
    control = _control(losses)
    pairs = [gap for gap in gaps(losses) if control not in (gap["a"], gap["b"])]
    head = ["pair", "seeds", "gap, nats", "95 %", "verdict", "more seeds"]
    lines = [[f"{gap['a']} - {gap['b']}", f"{gap['seeds']}", *_gap_cells(gap)] for gap in pairs]
    return _markdown(head, lines) if lines else ""


def _control(losses: list[Result]) -> str:
    return CONTROL if any(encoding == CONTROL for encoding, *_ in losses) else losses[0][0]


def _gap_cells(gap: Gap) -> list[str]:
    more = "" if gap["more"] == 0 or gap["low"] is None else f"{gap['more'] or 'over 1000'}"
    return [f"{gap['nats']:+.3f}", _range(gap, "+"), gap["verdict"], more]


def _number(value: float | None, sign: str = "") -> str:
    return "" if value is None else f"{value:{sign}.3f}"


def _range(row: Estimate | Gap, sign: str = "") -> str:
    return "" if row["low"] is None else f"{_number(row['low'], sign)} to {_number(row['high'], sign)}"


def _markdown(head: list[str], lines: list[list[str]]) -> str:
    numbers = ["---" if name in ("encoding", "pair", "verdict") else "---:" for name in head]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, numbers, *lines])


# ---------------------------------------------------------------------------------------- what ships with the page


def measured(path: Path = MEASURED) -> Plain | None:
    """The summary of a sweep of one experiment over some seeds, against which the page draws the reader's runs.

    Args:
        path: the JSON file that the sweep wrote.

    Returns:
        None where there is no such file; else command; config, the settings but encoding and seed; seeds; encodings,
        each with its encoding, seeds (how many), steps, and at each step the mean, low and high (least and greatest) of
        the validation loss in nats over the seeds, and final, as in `statistics.estimate`; gaps, as in
        `statistics.gaps`.

    Raises:
        SweepError: the file does not hold one finished run of each encoding and seed, all alike in the rest.
    """
    if not path.exists():
        return None
    try:
        content = json.loads(path.read_text("utf-8"))
        return _summary(content["command"], content["rows"])
    except (ValueError, KeyError, TypeError, IndexError) as error:
        why = f"{error}" if isinstance(error, SweepError) else f"it is not what a sweep writes ({error!r})"
        raise SweepError(f"{path} does not fit the page: {why}; sweep again, or remove it.") from error


def _summary(command: str, rows: list[Values]) -> Plain:
    if len(groups(rows)) != 1:
        raise SweepError(f"it holds {len(groups(rows))} combinations of settings besides encoding and seed, not one")
    if unfinished := [row for row in rows if row["state"] != "finished"]:
        raise SweepError(f"{len(unfinished)} of its runs did not finish")
    encodings = list(dict.fromkeys(row["encoding"] for row in rows))
    seeds = sorted({row["seed"] for row in rows})
    found = {(row["encoding"], row["seed"]): row for row in rows}
    if len(found) != len(rows) or len(rows) != len(encodings) * len(seeds):
        crossed = f"{len(encodings)} encodings and {len(seeds)} seeds"
        raise SweepError(f"its {len(rows)} runs are not one of each of {crossed}")
    if any(row["validation_steps"] != rows[0]["validation_steps"] for row in rows):
        raise SweepError("its runs were not evaluated at the same steps")
    config = RunConfig(**{entry.name: rows[0][entry.name] for entry in fields(RunConfig)})
    return {
        "command": command,
        "config": {name: value for name, value in vars(config).items() if name not in ("encoding", "seed")},
        "seeds": seeds,
        "encodings": [_curve([found[encoding, seed] for seed in seeds]) for encoding in encodings],
        "gaps": [_round_all(gap) for gap in gaps(losses_of(rows))],
    }


def _curve(rows: list[Values]) -> Plain:
    points = list(zip(*(row["validation_losses"] for row in rows), strict=True))
    return {
        "encoding": rows[0]["encoding"],
        "seeds": len(rows),
        "steps": rows[0]["validation_steps"],
        "mean": [rounded(sum(point) / len(point)) for point in points],
        "low": [min(point) for point in points],
        "high": [max(point) for point in points],
        "final": _round_all(estimate([row["validation_loss"] for row in rows])),
    }


def _round_all(row: Mapping[str, object]) -> Plain:
    return {name: rounded(value) if isinstance(value, float) else value for name, value in row.items()}
