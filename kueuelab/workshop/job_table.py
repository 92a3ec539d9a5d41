"""The jobs of a case as a table: when each was submitted, where, its cpu, and how long it ran."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kueuelab.manifests.loading.moments import nanoseconds
from kueuelab.messages import Catalog
from kueuelab.model.times import SECOND
from kueuelab.quantity import format_amount, to_int
from kueuelab.trace.text_table import text_table

__all__ = ["demand_text", "submissions"]

_HOUR: Final = 3600 * SECOND


def submissions(file: Path) -> list[dict[str, Any]]:
    """Return the entries of a timeline that submit the jobs of a table.

    The columns are those of ``kl.sweeps.read_jobs``: ``submitted`` and ``runs`` in seconds,
    ``job``, ``queue`` and ``cpu``.
    """
    with file.open(encoding="utf-8", newline="") as lines:
        return [
            {
                "at": f"{row['submitted']}s",
                "submit": {
                    "job": row["job"],
                    "queue": row["queue"],
                    "requests": {"cpu": row["cpu"]},
                    "runs": f"{row['runs']}s",
                },
            }
            for row in csv.DictReader(lines)
        ]


def demand_text(timeline: Sequence[Mapping[str, Any]], words: Catalog) -> str:
    """Return the most cpu that the jobs of each LocalQueue would use if none waited, as a table.

    Each line is one hour of a timeline; hours in which nothing would run are left out.
    """
    changes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for entry in timeline:
        job = entry.get("submit")
        if job is not None and "runs" in job:
            at, cpu = nanoseconds(entry["at"]), to_int("cpu", job["requests"]["cpu"])
            changes[job["queue"]] += [(at, cpu), (at + nanoseconds(job["runs"]), -cpu)]
    by_hour = {queue: _highest_by_hour(found) for queue, found in changes.items()}
    hours = sorted({hour for found in by_hour.values() for hour in found})
    rows = [
        [f"{hour}h", *(format_amount("cpu", found.get(hour, 0)) for found in by_hour.values())]
        for hour in hours
    ]
    highest = [format_amount("cpu", max(found.values(), default=0)) for found in by_hour.values()]
    rows.append([words.text("workshop.demand.highest"), *highest])
    return text_table([words.text("workshop.demand.hour"), *by_hour], rows)


def _highest_by_hour(changes: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Return the highest sum in each hour in which anything runs."""
    found: dict[int, int] = {}
    total, hour = 0, 0
    for at, change in sorted(changes):
        for past in range(hour, at // _HOUR + 1):
            found[past] = max(found.get(past, 0), total)
        total, hour = total + change, at // _HOUR
        found[hour] = max(found[hour], total)
    return {hour: highest for hour, highest in found.items() if highest}
