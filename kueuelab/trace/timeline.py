"""The timeline of a run: what a person wants to read, one row per thing that happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType
from typing import Any, Final

from kueuelab.messages import Catalog
from kueuelab.model.times import format_duration
from kueuelab.trace.effect_text import places_text
from kueuelab.trace.names import qualified
from kueuelab.trace.status_read import condition, read_text
from kueuelab.trace.status_text import eviction_before_values
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import MessageParts

__all__ = ["Row", "folded", "rows_text", "timeline", "timeline_text"]

#: So many workloads that are tried again at one time are shown one by one.
_MOST_TRIED_AGAIN: Final = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a timeline.

    Attributes
    ----------
    time, since
        When, in nanoseconds since 1970 and since the first step.
    cycle
        The scheduling cycle it came of; 0 before the first.
    subject
        The workload, queue or object that it is about.
    cluster
        Where; ``""`` if there is only one cluster.
    what
        Message id of what happened, without ``timeline.``: ``created``, ``preempted``, ...
    text
        What happened.
    step
        The index of the step.
    """

    time: int
    since: int
    cycle: int
    subject: str
    what: str
    text: str
    step: int
    cluster: str = ""

    @property
    def shown_subject(self) -> str:
        """What it is about, with the cluster where there are several."""
        return qualified(self.cluster, self.subject)

    @property
    def place(self) -> tuple[str, str, str]:
        """Step (counted from 1), time and cycle, each as ``--at`` takes it.

        Examples
        --------
        >>> Row(9_000_000_000, 9_000_000_000, 4, "default/a", "finished", "finished", 72).place
        ('73', '9s', 'c4')
        """
        cycle = f"c{self.cycle}" if self.cycle else "-"
        return str(self.step + 1), format_duration(self.since), cycle

    def as_data(self) -> dict[str, Any]:
        """Return the row as plain JSON values."""
        return {
            "time": self.time,
            "since": format_duration(self.since),
            "cycle": self.cycle,
            "subject": self.shown_subject,
            "what": self.what,
            "text": self.text,
            "step": self.step,
        }


def timeline(
    trace: Trace, *, objects: bool = False, catalog: Catalog | None = None, workload: str = ""
) -> Iterator[Row]:
    """Yield what happened in a run, in order.

    A workload that stays pending for the same reason gets no new row.

    Parameters
    ----------
    trace
        The record of the run.
    objects
        Whether to show objects that come, change and go, too. Those that change later
        than at the start are shown in any case.
    catalog
        The language; English if omitted.
    workload
        Only the rows of this workload of the one cluster that the record is of.
    """
    words = MessageParts(catalog)
    start = trace[0].time if len(trace) else 0
    last_reason: dict[tuple[str, str], str] = {}
    indices = trace.of_kind(*_ROWS)
    if workload:
        own = trace.index.single_steps(workload)
        indices = sorted({*own, *trace.of_kind(*_OF_SEVERAL)})
    admitted_at_once = set(_admitted_at_once(trace, indices))
    for index in indices:
        step = trace[index]
        if workload and (step.kind not in _ROWS or workload not in _about(step)):
            continue
        if step.kind == "Admitted" and index in admitted_at_once:
            continue
        if step.kind == "WorkloadCreated" and _says_more(trace, index):
            continue
        if _is_setup(step, start) and not objects:
            continue
        what = _ROWS[step.kind](step.facts)
        if what == "quotaReserved" and index + 1 < len(trace) and _follows(trace, index):
            what = "admittedAtOnce"
        if not what:
            continue
        text = _text(what, step, words)
        subject = step.workload or _subject(step)
        place = step.cluster, subject
        if what == "pending":
            if last_reason.get(place) == text:
                continue
            last_reason[place] = text
        elif what != "woken":
            last_reason.pop(place, None)
        for each in _about(step):
            if workload and each != workload:
                continue
            yield Row(
                step.time, step.time - start, step.cycle, each, what, text, index, step.cluster
            )


def timeline_text(trace: Trace, *, objects: bool = False, catalog: Catalog | None = None) -> str:
    """Return the timeline as aligned lines: step, time since the start, cycle, subject, what."""
    return rows_text(list(timeline(trace, objects=objects, catalog=catalog)))


def folded(rows: Sequence[Row], catalog: Catalog | None = None) -> list[Row]:
    """Return rows with one in the place of many workloads that are tried again at one time."""
    words = MessageParts(catalog)
    found: list[Row] = []
    for (what, *_), group in groupby(rows, lambda row: (row.what, row.time, row.cluster)):
        members = list(group)
        if what == "woken" and len(members) > _MOST_TRIED_AGAIN:
            text = words("timeline.wokenMany", count=len(members))
            members = [replace(members[0], subject="", text=text)]
        found += members
    return found


def rows_text(rows: Sequence[Row]) -> str:
    """Return rows of a timeline as aligned lines.

    Step, time and cycle are written as ``--at`` takes them.
    """
    places = [row.place for row in rows]
    widths = [max(map(len, column), default=0) for column in zip(*places, strict=True)]
    subject = max((len(row.shown_subject) for row in rows), default=0)
    return "\n".join(
        "  ".join(
            (
                *(f"{text:>{width}}" for text, width in zip(place, widths, strict=True)),
                f"{row.shown_subject:<{subject}}",
                row.text,
            )
        )
        for place, row in zip(places, rows, strict=True)
    )


def _about(step: Step) -> Sequence[str]:
    """Return what a row of a step is about."""
    subject = step.workload or _subject(step)
    return getattr(step.facts, "workloads", (subject,)) or (subject,)


_What = Callable[[Any], str]
#: Kinds of steps that are about several workloads.
_OF_SEVERAL: Final = ("Woken", "LoopFound")

#: Rows for the reasons for which a workload finishes other than that its job does.
_FINISHED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "OwnerNotFound": "orphaned",
        "WorkloadSliceReplaced": "replaced",
        "OutOfSync": "outOfSync",
    }
)

#: Kinds of steps that make rows, and which row.
_ROWS: Final[Mapping[str, _What]] = MappingProxyType(
    {
        "ObjectApplied": lambda f: "objectCreated" if f.created else "objectChanged",
        "ObjectRemoved": lambda f: "objectRemoved",
        "QueueStatusChanged": lambda f: "queueActive" if f.active else "queueInactive",
        "WorkloadCreated": lambda f: "created",
        "StatusRead": lambda f: "asRead",
        "EvictedBefore": lambda f: "preemptedBefore" if f.preemptor_uid else "evictedBefore",
        "EntryProcessed": lambda f: (
            "preempting" if f.requeue_reason == "PendingPreemption" and f.targets else ""
        ),
        "QuotaReserved": lambda f: "quotaReserved",
        "NodeMarkedUnhealthy": lambda f: "nodeUnhealthy",
        "NodeRecovered": lambda f: "nodeRecovered",
        "PodsPlaced": lambda f: "placed",
        "Admitted": lambda f: "admitted",
        "Evicted": lambda f: "preempted" if f.preemptor else "evicted",
        "QuotaReleased": lambda f: (
            "released" if f.held and f.reason not in ("finished", "deleted") else ""
        ),
        "Pending": lambda f: "pending",
        "Woken": lambda f: "woken",
        "CheckStateChanged": lambda f: "check" if f.state != "Pending" or f.message else "",
        "PodsReadyChanged": lambda f: "podsReady" if f.ready else "podsNotReady",
        "Deactivated": lambda f: "activated" if f.active else "deactivated",
        "SliceCreated": lambda f: "sliceCreated",
        "JobResumed": lambda f: "jobResumed",
        "SliceScaled": lambda f: "sliceScaled",
        "VariantCreated": lambda f: "variantCreated",
        "Finished": lambda f: _FINISHED.get(f.reason, "finished"),
        "WorkloadDeleted": lambda f: "deleted",
        "LoopFound": lambda f: "loop",
    }
)


#: Rows that have another form if some value of theirs is not empty.
_OPTIONAL: Final[Mapping[str, str]] = MappingProxyType(
    {
        "asRead": "message",
        "check": "message",
        "deactivated": "message",
        "sliceCreated": "replaces",
        "woken": "why",
    }
)


def _admitted_at_once(trace: Trace, indices: Sequence[int]) -> Iterator[int]:
    """Yield the ``Admitted`` steps that come right with their quota reservation."""
    for index in indices:
        found = _follows(trace, index) if trace[index].kind == "QuotaReserved" else 0
        if found:
            yield found


def _follows(trace: Trace, index: int) -> int:
    """Return the index of the ``Admitted`` step that belongs to a reservation, or 0."""
    step = trace[index]
    for later in trace.steps[index + 1 : index + 4]:
        if _place(later) != _place(step):
            return 0
        if later.kind == "Admitted":
            return later.index
    return 0


def _place(step: Step) -> tuple[int, str, str]:
    return step.time, step.cluster, step.workload


def _says_more(trace: Trace, index: int) -> bool:
    """Tell whether the step after a creation says more: what its status said, or why it is."""
    says = ("StatusRead", "SliceCreated", "VariantCreated")
    return index + 1 < len(trace) and trace[index + 1].kind in says


def _is_setup(step: Step, start: int) -> bool:
    kinds = ("ObjectApplied", "QueueStatusChanged")
    return step.kind in kinds and step.time == start and not step.cycle


def _subject(step: Step) -> str:
    return step.cluster_queue or str(getattr(step.facts, "object", ""))


def _text(what: str, step: Step, words: MessageParts) -> str:
    message, values = f"timeline.{what}", _values(step, words)
    if what in _OPTIONAL:
        return words.with_optional(message, _OPTIONAL[what], **values)
    return words(message, **values)


def _values(step: Step, words: MessageParts) -> dict[str, Any]:
    facts: Any = step.facts
    if step.kind == "StatusRead":
        message = condition(facts, "QuotaReserved")[3] if facts.phase == "Pending" else ""
        return {"status": read_text(step, words), "message": message}
    if step.kind == "EvictedBefore":
        return eviction_before_values(step, facts, words)
    names = (
        *("local_queue", "priority", "preemptor", "object", "check", "state"),
        *("job", "pods", "before", "replaces", "parent", "flavor"),
    )
    values: dict[str, Any] = {
        "queue": step.cluster_queue,
        "localQueue": getattr(facts, "local_queue", ""),
        "assignment": words.assignment(getattr(facts, "assignment", ())),
        "targets": words.targets(getattr(facts, "targets", ())),
        "reason": getattr(facts, "preemption_reason", "") or getattr(facts, "reason", ""),
        "message": getattr(facts, "message", ""),
        "firstCycle": getattr(facts, "first_cycle", 0),
        "lastCycle": getattr(facts, "last_cycle", 0),
        "why": getattr(facts, "why", ""),
        "node": getattr(facts, "node", ""),
        "places": places_text(getattr(facts, "places", ()), words),
    }
    return values | {name: getattr(facts, name) for name in names if hasattr(facts, name)}
