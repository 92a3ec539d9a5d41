"""Every pending workload: its queue, its position, its age, and one sentence why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from kueuelab.messages import Catalog
from kueuelab.progress import counted
from kueuelab.trace.explain_reason import reason
from kueuelab.trace.explain_state import queue_order
from kueuelab.trace.pending_cause import Cause, cause_of
from kueuelab.trace.reading import State
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import MessageParts, span_text
from kueuelab.trace.workload_moment import Instant, WorkloadMoment, workload_at, workload_moment

__all__ = ["PendingWorkload", "headline", "headline_of", "one_sentence", "pending_workloads"]

#: The phases of a workload that has not started and may still do so.
_PENDING: Final = ("Pending", "QuotaReserved")
#: Phases of which the headline says nothing further.
_SETTLED: Final = ("Admitted", "Finished", "Evicted")


@dataclass(frozen=True, slots=True)
class PendingWorkload:
    """A workload that is pending, and why.

    Attributes
    ----------
    workload
        ``namespace/name``.
    cluster_queue, local_queue
        Where it is pending; ``""`` where there is none.
    position, pending
        Its position in the ClusterQueue, counted from 1, and how many are pending there. The
        position is 0 if it has its quota reserved, or if no queue holds it.
    priority
        Its priority.
    age
        How long ago it was created, in nanoseconds.
    phase
        ``Pending``, or ``QuotaReserved`` while its admission checks are not all Ready.
    why
        One sentence.
    rule
        What decided, as one word; or ``""``.
    message
        Kueue's own message; ``""`` if there is none.
    cause
        What keeps it pending, as data: pending workloads are grouped by it.
    """

    workload: str
    cluster_queue: str
    local_queue: str
    position: int
    pending: int
    priority: int
    age: int
    phase: str
    why: str
    rule: str
    message: str
    cause: Cause

    @property
    def age_text(self) -> str:
        """How long ago it was created, as text."""
        return span_text(self.age)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "workload": self.workload,
            "clusterQueue": self.cluster_queue,
            "localQueue": self.local_queue,
            "position": self.position,
            "pending": self.pending,
            "priority": self.priority,
            "age": self.age_text,
            "phase": self.phase,
            "why": self.why,
            "rule": self.rule,
            "message": self.message,
        }


def pending_workloads(
    trace: Trace, at: int | None = None, catalog: Catalog | None = None, queue: str = ""
) -> tuple[PendingWorkload, ...]:
    """Return the pending workloads after a step, by queue and position.

    Parameters
    ----------
    trace
        The record of one cluster.
    at
        The index of the step after which to look; the last one if omitted.
    catalog
        The language; English if omitted.
    queue
        Only the workloads of this ClusterQueue.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> found, = pending_workloads(scenarios.load("reclaim-1-take-back").run().trace)
    >>> found.workload, found.cluster_queue, found.position, found.age_text
    ('default/job-1', 'team-b', 1, '3s')
    """
    at = len(trace) - 1 if at is None else at
    if at < 0:
        return ()
    instant, words = Instant(trace, at), MessageParts(catalog)
    state = instant.state
    positions = _positions(state)
    now = trace[at].time
    found = []
    # Thousands wait for the same.
    reasons: dict[str, str] = {}
    causes: dict[Cause, Cause] = {}
    for key, view in counted("explaining", [*state.workloads.items()]):
        if view.phase not in _PENDING or (queue and view.cluster_queue != queue):
            continue
        moment = workload_at(instant, key, words)
        why, rule = one_sentence(moment)
        cause = cause_of(moment)
        position, pending = positions.get(key, (0, 0))
        found.append(
            PendingWorkload(
                workload=key,
                cluster_queue=view.cluster_queue,
                local_queue=view.queue_name,
                position=position,
                pending=pending,
                priority=view.priority,
                age=max(0, now - _created(trace, key, view.queued_at)),
                phase=view.phase,
                why=reasons.setdefault(why, why),
                rule=rule,
                message=view.waiting,
                cause=causes.setdefault(cause, cause),
            )
        )
    return tuple(sorted(found, key=_order))


def one_sentence(at: WorkloadMoment) -> tuple[str, str]:
    """Return one sentence that says why a workload is where it is, and the rule that decided."""
    first = None
    for line in reason(at):
        # What does not fit says more than beside which other workload it was set aside.
        if line.rule == "no-fit":
            return line.text, line.rule
        first = first or line
    said = at.is_as_read and at.view.waiting
    if first is not None and not (said and first.rule == "not-looked-at"):
        return first.text, first.rule or first.verdict
    if at.view.waiting:
        return at.words("status.message", message=at.view.waiting), "message"
    return at.words("pending.unknown"), ""


def headline(
    trace: Trace, workload: str, at: int | None = None, catalog: Catalog | None = None
) -> str:
    """Return in one sentence where a workload is, and why.

    Raises
    ------
    UnknownObjectError
        If no step of the trace is about such a workload.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> print(headline(scenarios.load("reclaim-1-take-back").run().trace, "default/job-2"))
    default/job-2 is admitted by ClusterQueue team-a: main (1 pod: cpu/default).
    """
    return headline_of(workload_moment(trace, workload, at, catalog))


def headline_of(at: WorkloadMoment) -> str:
    """Return in one sentence where a workload is, and why, at a step that is known already."""
    words, workload = at.words, at.workload
    if not at.view:
        return words("status.unknown", workload=workload)
    if at.phase in _SETTLED:
        assignment = words.assignment(at.view.admission.assignment)
        return words(f"status.{at.phase}", workload=workload, queue=at.queue, assignment=assignment)
    why, _ = one_sentence(at)
    if not at.queue:
        return words("headline.noQueue", workload=workload, why=why)
    return words(f"headline.{at.phase}", workload=workload, queue=at.queue, why=why)


def _positions(state: State) -> dict[str, tuple[int, int]]:
    """Return the position of each workload that a queue holds, and how many that queue holds."""
    queues: dict[str, list[str]] = {}
    for key, view in state.workloads.items():
        if view.phase == "Pending" and view.place:
            queues.setdefault(view.cluster_queue, []).append(key)
    found: dict[str, tuple[int, int]] = {}
    for keys in queues.values():
        keys.sort(key=partial(queue_order, state))
        found |= {key: (number, len(keys)) for number, key in enumerate(keys, start=1)}
    return found


def _created(trace: Trace, workload: str, queued: int) -> int:
    """Return when a workload was created; a dump has some that are older than the run."""
    for index in trace.index.single_steps(workload):
        if trace[index].kind == "WorkloadCreated":
            return min(trace[index].time, queued or trace[index].time)
    return queued


def _order(row: PendingWorkload) -> tuple[str, bool, int, str]:
    return row.cluster_queue, not row.position, row.position, row.workload
