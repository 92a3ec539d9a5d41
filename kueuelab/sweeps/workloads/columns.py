"""Traces as tables, CSV or Parquet: the schema for GPU cluster traces (``docs/sweeps.md``)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import InputError, KueueLabError, Location, Problem
from kueuelab.files import check_ending, reading
from kueuelab.messages import Message
from kueuelab.model.times import SECOND, parse_duration, parse_time
from kueuelab.quantity import Quantity
from kueuelab.sweeps.table import needed
from kueuelab.sweeps.workloads.job_trace import JobTrace
from kueuelab.sweeps.workloads.jobs import Job
from kueuelab.sweeps.workloads.mapping import Mapped

__all__ = ["COLUMNS", "read_jobs"]

_REQUIRED: Final = ("submitted", "runs")
_RESOURCES: Final[Mapping[str, str]] = {
    "cpu": "cpu",
    "memory": "memory",
    "gpu": "nvidia.com/gpu",
}
#: Any other resource has a column of its name behind this.
_REQUEST: Final = "request:"

#: The columns that have a meaning, besides ``request:<resource>``.
COLUMNS: Final = (
    *_REQUIRED,
    *("job", "user", "group", "queue", "flavor", "priority", "pods", "least_pods"),
    *_RESOURCES,
)
_MOST_PODS: Final = 10**9


def read_jobs(path: str | Path, *, mapped: Mapped | None = None) -> JobTrace:
    """Read a trace that is a table: CSV (compressed with gzip or not) or Parquet.

    Columns: ``submitted`` (seconds, or an RFC 3339 time) and ``runs`` (seconds, or a duration such
    as ``1h30m``); if there are any: ``job``, ``user``, ``group``, ``queue``, ``flavor``,
    ``priority``, ``pods``, ``least_pods``; of each pod: ``cpu``, ``memory``, ``gpu``
    (``nvidia.com/gpu``), and ``request:<resource>``. Others are not read.

    Rows that are no job are left out, and are in ``problems`` with file and line.

    Parameters
    ----------
    path
        The file: ``.csv``, ``.csv.gz`` or ``.parquet``.
    mapped
        How jobs find queues and flavors.

    Raises
    ------
    InputError
        If it is no regular file, lacks a column, or there is no job in it.
    """
    check_ending(path, (".csv", ".csv.gz", ".parquet"))
    rows = _from_parquet(path) if str(path).endswith(".parquet") else _from_csv(path)
    jobs, problems, left_out = [], [], 0
    for line, row in rows:
        try:
            job = _job(row, line)
        except (KueueLabError, ValueError) as error:
            problems.append(Problem(str(error), location=Location(str(path), line)))
            continue
        if job is None:
            left_out += 1
        else:
            jobs.append(job)
    jobs.sort(key=lambda job: job.submitted)
    return JobTrace(tuple(jobs), tuple(problems), left_out, mapped or Mapped())


def _from_csv(path: str | Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with reading(path) as stream:
        text = io.TextIOWrapper(stream, "utf-8", "replace", newline="")
        table = csv.DictReader(text)
        try:
            _check(path, table.fieldnames or ())
            for row in table:
                yield table.line_num, row
        except csv.Error as error:
            location = Location(str(path), table.line_num)
            message = Message("sweeps.columns.damaged", error=error)
            raise InputError(Problem(message, location=location)) from error


def _from_parquet(path: str | Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    arrow = needed("pyarrow")
    with reading(path) as stream:
        content = stream.read()
    try:
        table = arrow.parquet.read_table(arrow.BufferReader(content))
    except (OSError, ValueError) as error:
        message = Message("sweeps.columns.damaged", error=error)
        raise InputError(Problem(message, location=Location(str(path)))) from error
    _check(path, table.column_names)
    yield from enumerate(table.to_pylist(), 1)


def _check(path: str | Path, names: Any) -> None:
    missing = [name for name in _REQUIRED if name not in names]
    if missing:
        message = Message("sweeps.columns.missing", name=missing[0])
        hint = Message("sweeps.columns.missing.hint", names=", ".join(COLUMNS))
        raise InputError(Problem(message, location=Location(str(path), 1), hint=hint))


def _job(row: Mapping[str, Any], line: int) -> Job | None:
    runs = _duration(row["runs"])
    pods = _whole(row, "pods", 1)
    if runs <= 0 or pods == 0:
        return None
    least = _whole(row, "least_pods", 0)
    return Job(
        str(row.get("job") or line),
        _time(row["submitted"]),
        runs,
        pods,
        dict(_requests(row)),
        least_pods=least or None,
        user=str(row.get("user") or ""),
        group=str(row.get("group") or ""),
        queue=str(row.get("queue") or ""),
        flavor=str(row.get("flavor") or ""),
        priority=_whole(row, "priority", 0, least=-(2**31)),
    )


def _requests(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in row.items():
        if name is None or value in (None, ""):
            continue
        resource = (
            name.removeprefix(_REQUEST) if name.startswith(_REQUEST) else _RESOURCES.get(name)
        )
        if resource:
            text = f"{value:g}" if isinstance(value, float) else str(value)
            quantity = Quantity.parse(text)
            if quantity.nano < 0:
                raise ValueError(Message("sweeps.columns.negative", name=name, text=text))
            if quantity.nano:
                yield resource, text


def _whole(row: Mapping[str, Any], name: str, default: int, *, least: int = 0) -> int:
    value = row.get(name)
    if value in (None, ""):
        return default
    try:
        number = int(float(str(value)))
    except (ValueError, OverflowError):
        number = least - 1
    if not least <= number <= _MOST_PODS:
        raise ValueError(Message("sweeps.columns.not-whole", name=name, text=f"{value!r:.40}"))
    return number


def _time(value: Any) -> int:
    seconds = _number(value)
    if seconds is not None:
        return round(seconds * SECOND)
    if hasattr(value, "timestamp"):
        return round(float(value.timestamp()) * SECOND)
    return parse_time(str(value))


def _duration(value: Any) -> int:
    seconds = _number(value)
    return parse_duration(str(value)) if seconds is None else round(seconds * SECOND)


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if abs(number) < 2**53 else None
