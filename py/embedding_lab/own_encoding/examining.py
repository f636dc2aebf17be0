"""Looks at an encoding before it is trained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..config import ConfigError, RunConfig, validate
from ..corpus import Corpus
from ..model import Transformer, random_stream
from ..positions import OWN, PositionError
from ..probes import View, run_probe
from ..training import Run
from .loading import load
from .own import METHODS, Own

if TYPE_CHECKING:
    from ..kinds import Examined, Floats, Method, Plain, Rotation, Work

LOUD = 10  # a table this many times as large as E drowns it, as the probe `amplitude` measures with the sinusoid
TEXT = "The quick brown fox jumps over the lazy dog. " * 80  # of models that nobody trains


def examine(code: str, config: Mapping[str, object]) -> Examined:
    """Look at an encoding before it is trained: ask for all it supplies, and run the probes that draw it.

    Args:
        config: settings of the runs that it is meant for; their encoding does not matter.

    Returns:
        name; maxLength; supplies, of table, rotation and bias; parameters, those of the encoding alone; methods, one
        row for each that supplies something: method, shape and dtype (of a Trainable with `value`: of what is added, and
        of its start), trainable, parameters; probes, the results of position-table, rotation and distance-bias on an
        untrained model; printed, by the code; notes, sentences on what it does that its writer may not have meant.

    Raises:
        OwnEncodingError, ConfigError: it cannot be trained.
    """
    own = load(code)
    values, errors = validate({**config, "encoding": OWN + own.name})
    if errors:
        raise ConfigError(**errors[0])
    run = Run(RunConfig(**values), Corpus.from_text(TEXT), own, evaluate=False)
    view, parts = View.of(run), run.model.position(run.config.context)
    methods = [
        _described(method, own, run.model, part) for method, part in zip(METHODS, parts, strict=True) if part is not None
    ]
    return {
        "name": own.name,
        "maxLength": own.max_length,
        "supplies": [row["method"] for row in methods],
        "parameters": sum(row["parameters"] for row in methods),
        "methods": methods,
        "probes": {name: _finished(run_probe(name, view, {})) for name in ("position-table", "rotation", "distance-bias")},
        "printed": own.printed,
        "notes": _notes(run.config, methods, *parts) + _notes_on_half(run.model, methods),
    }


def _described(method: str, own: Own, model: Transformer, part: Floats | Rotation) -> Method:
    parameter = model.parameters.get(f"position_{method}")
    return {
        "method": method,
        "shape": list(part[0].shape if isinstance(part, tuple) else part.shape),
        "dtype": own.dtypes[method],
        "trainable": parameter is not None,
        "parameters": 0 if parameter is None else parameter.size,
    }


def _finished(work: Work) -> Plain:
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: Plain = end.value
            return result


def _notes(
    config: RunConfig, methods: list[Method], table: Floats | None, rotation: Rotation | None, bias: Floats | None
) -> list[str]:
    notes = []
    if not methods:
        notes.append("It supplies nothing: a run with it trains like one without position.")
    notes += [
        f"{row['method']} returns float16, which has three digits; the model computes in float32."
        for row in methods
        if row["dtype"] == "float16"
    ]
    if table is not None:
        size = float(np.sqrt(np.mean(table.astype(np.float64) ** 2)))
        if size > LOUD * config.init_std:
            notes.append(
                f"The numbers of the table have a root mean square of {size:.3g}, and those of E start at "
                f"{config.init_std:g}: so large a table drowns the characters. Make it smaller, for example by a factor."
            )
        if not any(row["method"] == "table" and row["trainable"] for row in methods):
            same = config.context - len(np.unique(table, axis=0))
            if same:
                notes.append(f"{same} of the {config.context} rows of the table repeat another: those positions look alike.")
    if rotation is not None:
        stretch = np.sqrt(rotation[0] ** 2 + rotation[1] ** 2)
        if np.abs(stretch - 1).max() > 1e-3:
            notes.append(
                f"The root of cos² + sin² goes from {stretch.min():.3g} to {stretch.max():.3g}, not 1: "
                "the queries and keys are stretched, too."
            )
    return notes


def _notes_on_half(model: Transformer, methods: list[Method]) -> list[str]:
    """Whether each parameter means at half the context what it means at the context, where it is trained."""
    whole, half = model.config.context, model.config.context // 2
    model, notes = model.beside(keep=True), []
    for method in [row["method"] for row in methods if row["trainable"]]:
        parameter = model.parameters[f"position_{method}"]
        near = np.where(parameter == 0, 0.01, 0.01 * np.abs(parameter))
        parameter += near * random_stream(0, method).normal(size=parameter.shape)
        try:
            (table, _, bias), (whole_table, _, whole_bias) = model.position(half), model.position(whole)
        except PositionError as error:
            notes.append(f"At length {half}, where probes may ask for it: {error}")
            continue
        shorter, trained = (bias, whole_bias) if method == "bias" else (table, whole_table)
        if shorter is None or trained is None:
            continue
        trained = np.tril(trained[:, :half, :half]) if method == "bias" else trained[:half]
        shorter = np.tril(shorter) if method == "bias" else shorter  # the mask hides the other half
        if not np.allclose(shorter, trained, rtol=0, atol=1e-3 * np.abs(trained).max()):
            notes.append(
                f"With the same parameter, {method} at length {half} is not the first part of what it is at length {whole}. "
                "At a shorter length the model takes the first entries of the parameter, so an entry must mean the same "
                "at every length: index it, for example, with the distance i - j, not with i - j + length - 1."
            )
    return notes
