"""The queues panel: who waits where, in which order, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from kueuelab.messages import Message
from kueuelab.trace.reading import WorkloadView
from kueuelab.trace.text_table import text_table
from kueuelab.trace.wording import amount_text
from kueuelab.views.run_index import RunIndex

__all__ = ["PendingRow", "QueueView", "Queues", "queues_at"]


@dataclass(frozen=True, slots=True)
class PendingRow:
    """A workload that waits. ``position`` counts from 1; it is 0 for one that is set aside."""

    workload: str
    position: int
    priority: int
    place: str
    request: str
    why: str


@dataclass(frozen=True, slots=True)
class QueueView:
    """A ClusterQueue with what waits for it, and how many workloads it admitted."""

    name: str
    active: bool
    admitted: int
    pending: tuple[PendingRow, ...]


@dataclass(frozen=True, slots=True)
class Queues:
    """What the queues panel shows at one step."""

    queues: tuple[QueueView, ...]

    def as_text(self) -> str:
        """Return the panel as plain text."""
        return "\n".join(line for queue in self.queues for line in _lines(queue))


#: How the places of the queue read.
_PLACES = {
    "active": Message("widgets.place.queued"),
    "inflight": Message("widgets.place.considered"),
    "inadmissible": Message("widgets.place.inadmissible"),
    "": Message("widgets.place.not-queued"),
}
_QUEUED = ("inflight", "active")
_RANK = {"inflight": 0, "active": 1, "inadmissible": 2, "": 3}


def queues_at(run_index: RunIndex, index: int, only: str = "") -> Queues:
    """Return what the queues panel shows after a step, of all ClusterQueues or of one."""
    state = run_index.state(index)
    waiting: dict[str, list[WorkloadView]] = {}
    admitted: dict[str, int] = {}
    for found in run_index.by_queue(index).all():
        if found.phase == "Pending":
            waiting.setdefault(found.cluster_queue, []).append(found)
        elif found.phase != "Finished":
            admitted[found.cluster_queue] = admitted.get(found.cluster_queue, 0) + 1
    return Queues(
        tuple(
            QueueView(
                name,
                state.cluster_queue(name).is_active,
                admitted.get(name, 0),
                tuple(_rows(run_index, waiting.get(name, ()), _first(run_index, name, index))),
            )
            for name in state.names("ClusterQueue")
            if only in ("", name)
        )
    )


def _first(run_index: RunIndex, queue: str, index: int) -> str:
    """Return the workload that goes before all others in its queue, ``""`` if none does."""
    strategy = run_index.state(index).cluster_queue(queue).queueing_strategy
    if strategy != "BestEffortFIFO":
        return ""
    return run_index.preemptor(queue, index)


def _rows(run_index: RunIndex, found: Sequence[WorkloadView], first: str) -> Iterator[PendingRow]:
    position = 0
    for each in sorted(found, key=partial(_order, first=first)):
        queued = each.place in _QUEUED
        position += queued
        request = ", ".join(
            f"{amount_text(resource, amount)} {resource}"
            for resource, amount in run_index.requests(each.key).items()
        )
        yield PendingRow(
            each.key,
            position if queued else 0,
            each.priority,
            _place(each, first),
            request,
            each.waiting,
        )


def _place(found: WorkloadView, first: str) -> str:
    if found.key == first and found.place in _QUEUED:
        return Message("widgets.place.after-preemption", place=_PLACES[found.place])
    return _PLACES.get(found.place, found.place)


def _order(found: WorkloadView, first: str) -> tuple[bool, int, int, int, str]:
    ahead = found.key == first and found.place in _QUEUED
    return not ahead, _RANK.get(found.place, 3), -found.priority, found.queued_at, found.key


def _lines(queue: QueueView) -> Iterator[str]:
    yield Message(
        f"widgets.queues.{'active' if queue.active else 'inactive'}",
        queue=queue.name,
        admitted=queue.admitted,
        pending=len(queue.pending),
    )
    if queue.pending:
        rows = [
            (str(row.position or "-"), row.workload, str(row.priority), row.place, row.why)
            for row in queue.pending
        ]
        yield text_table(("#", "workload", "priority", "place", "why"), rows, indent="  ")
