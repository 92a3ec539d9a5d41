"""The lanes, chips, rounds, races and hazards of the MultiKueue board, for the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from kueuelab.messages import Message
from kueuelab.messages.catalog import say_script
from kueuelab.trace.names import short_name
from kueuelab.views.faults import Offer
from kueuelab.views.lanes import MARKS, Chip, LaneView, QueueBar
from kueuelab.views.multikueue import JobRow, MultiKueuePicture
from kueuelab.widgets.frontend import SaidData, Speaking

__all__ = ["ClustersView", "clusters_data"]

_STATIC: Final = Path(__file__).parent / "static"
#: What a chip looks like, by its mark; the mark says the same.
_KINDS: Final = {
    "○": "waits",
    "◐": "reserved",
    "●": "admitted",
    "★": "won",
    "✕": "removed",
    "!": "evicted",
    "⚠": "twice",
    "✓": "finished",
}
#: Up to so many chips in a lane have words; of more, mark and name have to do.
_ROOMY: Final = 8
_NOTE_MARKS: Final = {"hazard": "⚠ ", "race": "⇄ "}


class ClustersView(Speaking):
    """Shows what :func:`clusters_data` gave; says what was clicked."""

    _esm = say_script() + (_STATIC / "clusters.js").read_text("utf-8")
    said = ("widgets.clusters.select-chip", "widgets.clusters.select", "widgets.clusters.notes")
    _css = (_STATIC / "clusters.css").read_text("utf-8")
    picture = SaidData({}).tag(sync=True)


def clusters_data(
    picture: MultiKueuePicture,
    selected: tuple[str, str],
    offers: Mapping[str, Sequence[Offer]],
) -> dict[str, Any]:
    """Return a picture as plain JSON values.

    Parameters
    ----------
    picture
        What is to be shown.
    selected
        Cluster and key of the selected job; empty if none is selected.
    offers
        The faults that each lane has buttons for, by cluster.
    """
    why = picture.why
    return {
        "lanes": [_lane(lane, offers.get(lane.cluster, ()), selected) for lane in picture.lanes],
        "clock": picture.clock,
        "legend": " · ".join(f"{mark} {words}" for mark, words in MARKS.items()),
        "notes": [
            [note.kind, _NOTE_MARKS.get(note.kind, "") + note.text] for note in picture.notes
        ],
        "why": None
        if why is None
        else {
            "title": Message("widgets.why.title", workload=short_name(why.workload)),
            "lines": [list(line) for line in why.lines],
        },
        "jobs": _jobs(picture.jobs, selected),
    }


def _lane(lane: LaneView, offers: Sequence[Offer], selected: tuple[str, str]) -> dict[str, Any]:
    kind = "manager" if lane.is_manager else "worker" if lane.connected else "lost"
    return {
        "name": lane.cluster,
        "kind": kind,
        "role": lane.role,
        "statuses": [{"ok": each.ok, "text": each.as_text()} for each in lane.statuses],
        "queues": [_queue(queue) for queue in lane.queues],
        "chips": [_chip(chip, selected, short=len(lane.chips) > _ROOMY) for chip in lane.chips],
        "more": lane.rest,
        "buttons": [
            {
                "id": offer.id,
                "text": _short(offer.id),
                "label": f"{_capital(offer.label)}: {offer.hint}",
            }
            for offer in offers
        ],
    }


def _queue(queue: QueueBar) -> dict[str, Any]:
    share = 100 * queue.used // queue.nominal if queue.nominal > 0 else 100 * (queue.used > 0)
    return {
        "text": queue.words,
        "share": min(share, 100),
        "over": share > 100,
        "stopped": bool(queue.stopped) or not queue.active,
    }


def _chip(chip: Chip, selected: tuple[str, str], *, short: bool) -> dict[str, Any]:
    name = short_name(chip.workload)
    return {
        "workload": chip.workload,
        "cluster": chip.cluster,
        "chosen": (chip.cluster, chip.workload) == selected,
        "kind": _KINDS[chip.mark],
        "name": name,
        "text": f"{chip.mark} {name}" if short else chip.as_text(),
        "label": chip.as_text(),
    }


def _jobs(jobs: Sequence[JobRow], selected: tuple[str, str]) -> dict[str, Any]:
    """Return the jobs as a table with a column for each round."""
    count = max((len(job.rounds) for job in jobs), default=0)
    names = [f"nomination {number}" for number in range(1, count + 1)]
    return {
        "caption": Message("widgets.jobs.title"),
        "columns": ["job", Message("widgets.jobs.where"), *names, "check", "conditions"],
        "rows": [_row(job, count, selected) for job in jobs],
    }


def _row(job: JobRow, count: int, selected: tuple[str, str]) -> dict[str, Any]:
    rounds = [each.as_text() for each in job.rounds]
    blank = [""] * (count - len(rounds))
    return {
        "workload": job.workload,
        "cluster": job.cluster,
        "chosen": (job.cluster, job.workload) == selected,
        "name": short_name(job.workload),
        "cells": [job.state, *rounds, *blank, job.check, ", ".join(job.conditions)],
        "clock_at": len(rounds) if job.clock else -1,
        "clock": job.clock,
        "clock_share": job.clock_share,
    }


def _short(id: str) -> str:
    verb, _, _ = id.partition(" ")
    return _capital(f"{verb} queue" if verb in ("drain", "resume") else id)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
