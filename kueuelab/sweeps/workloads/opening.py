"""Workloads from a file: a model in YAML, or a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import check_ending, read_bytes
from kueuelab.messages import Message
from kueuelab.sweeps.workloads.columns import read_jobs
from kueuelab.sweeps.workloads.job_trace import JobTrace
from kueuelab.sweeps.workloads.mapping import Mapped
from kueuelab.sweeps.workloads.model import WorkloadModel
from kueuelab.sweeps.workloads.swf import read_swf

__all__ = ["open_workloads"]

_MODELS: Final = (".yaml", ".yml")
_SWF: Final = (".swf", ".swf.gz")
_TABLES: Final = (".csv", ".csv.gz", ".parquet")


def open_workloads(path: str | Path, mapped: Mapped | None = None) -> WorkloadModel | JobTrace:
    """Return the workloads of a file: a model (``.yaml``) or a trace (``.swf``, ``.csv``, …).

    Raises
    ------
    InputError
        If it is none of these, or something is wrong with it.
    """
    check_ending(path, (*_MODELS, *_SWF, *_TABLES))
    if str(path).endswith(_SWF):
        return read_swf(path, mapped=mapped)
    if str(path).endswith(_TABLES):
        return read_jobs(path, mapped=mapped)
    return _model(path)


def _model(path: str | Path) -> WorkloadModel:
    import yaml

    location = Location(str(path))
    try:
        found = yaml.safe_load(read_bytes(path))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(Problem(str(error), location=location)) from error
    if not isinstance(found, Mapping):
        raise InputError(Problem(Message("sweeps.workloads.no-model"), location=location))
    known = {field.name: field for field in fields(WorkloadModel)}
    values: dict[str, Any] = {}
    problems = []
    for name, value in found.items():
        if name not in known:
            message = Message("sweeps.factor.no-such-field", name=name)
            hint = Message("sweeps.factor.no-such-field.hint", names=", ".join(known))
            problems.append(Problem(message, location=location, hint=hint))
            continue
        kind = type(_default(known[name]))
        fitting = _fitting(kind, value)
        if fitting is None:
            message = Message("sweeps.workloads.wrong-value", name=name, value=f"{value!r:.40}")
            problems.append(Problem(message, location=location))
        values[str(name)] = fitting
    if problems:
        raise InputError(problems)
    return WorkloadModel(**values)


def _default(field: Any) -> Any:
    return field.default_factory() if field.default is MISSING else field.default


def _fitting(kind: type, value: Any) -> Any:
    """Return a value as a field of this kind has it, ``None`` if it does not go there."""
    if kind is dict and isinstance(value, Mapping):
        return {str(name): str(each) for name, each in value.items()}
    if kind is tuple and isinstance(value, list):
        return tuple(value)
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if kind in (int, str) and type(value) is kind:
        return value
    return None
