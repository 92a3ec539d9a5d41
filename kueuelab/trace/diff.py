"""Two runs side by side: where they diverge, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import zip_longest
from typing import Any, Final

from kueuelab.messages import Catalog
from kueuelab.model.times import format_duration
from kueuelab.trace import steps
from kueuelab.trace.chances import Chance, chances
from kueuelab.trace.coding import camel_case, encode_value
from kueuelab.trace.diff_ends import (
    STATUS_FIELDS,
    End,
    StatusDiff,
    ends,
    other_objects,
    statuses,
)
from kueuelab.trace.html import paragraphs
from kueuelab.trace.names import qualified
from kueuelab.trace.statistics import QueueStatistics, statistics
from kueuelab.trace.step import Step
from kueuelab.trace.step_text import step_text
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import MessageParts, span_text

__all__ = ["Diff", "Divergence", "End", "QueueDiff", "StatusDiff", "diff", "queue_diffs"]

#: So many workloads with the same ends have a line each; more are counted.
_FEW_EQUAL: Final = 3


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first decision that differs; a side is ``None`` if its run has no more.

    ``starts`` has the times at which the runs start, in nanoseconds since 1970. ``chances`` are the
    decisions that Kueue leaves to chance in the cycles of both sides: they may be the difference.
    """

    number: int
    before: Step | None
    after: Step | None
    starts: tuple[int, int] = (0, 0)
    chances: tuple[Chance, ...] = ()

    def differences(self) -> dict[str, tuple[Any, Any]]:
        """Return what is different: time, workload, queue, or a fact, on both sides.

        Times are in nanoseconds since the start.
        """
        if self.before is None or self.after is None:
            return {}
        one, other = (
            {
                "time": step.time - start,
                "workload": qualified(step.cluster, step.workload),
                "clusterQueue": qualified(step.cluster, step.cluster_queue),
                "kind": step.kind,
                **{
                    camel_case(each.name): getattr(step.facts, each.name)
                    for each in fields(step.facts)
                },
            }
            for step, start in zip((self.before, self.after), self.starts, strict=True)
        )
        names = dict.fromkeys((*one, *other))
        pairs = ((name, (one.get(name), other.get(name))) for name in names)
        return {name: pair for name, pair in pairs if pair[0] != pair[1]}


@dataclass(frozen=True, slots=True)
class QueueDiff:
    """A ClusterQueue in both runs; empty statistics where it doesn't exist."""

    queue: str
    before: QueueStatistics
    after: QueueStatistics

    @property
    def same(self) -> bool:
        """Whether nothing is different."""
        return self.before == self.after


@dataclass(frozen=True, slots=True, repr=False)
class Diff:
    """What differs between two runs.

    Attributes
    ----------
    divergence
        The first decision that differs, ``None`` if all are the same.
    ends
        The workloads that end elsewhere or with another admission, by key.
    queues
        Every ClusterQueue, by name.
    words
        The language of the text.
    statuses
        The workloads that end in the same place with another status, by key.
    objects
        What else is not the same at the end, as ``Kind/name``: what was edited, too.
    """

    divergence: Divergence | None
    ends: tuple[End, ...]
    queues: tuple[QueueDiff, ...]
    words: MessageParts
    statuses: tuple[StatusDiff, ...] = ()
    objects: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.as_text()

    def __repr__(self) -> str:
        if not self:
            return "<Diff: the same>"
        at = "" if self.divergence is None else f"decision {self.divergence.number} differs, "
        count = len(self.ends)
        return f"<Diff: {at}{count} workload{'s' * (count != 1)} end{'s' * (count == 1)} elsewhere>"

    def __bool__(self) -> bool:
        differ = (self.divergence, self.ends, self.statuses, self.objects)
        return any(differ) or not all(queue.same for queue in self.queues)

    @property
    def decides_otherwise(self) -> bool:
        """Whether a decision differs, or where workloads end: pods may be placed elsewhere."""
        return self.divergence is not None or bool(self.ends)

    def _repr_html_(self) -> str:
        """Return the differences for a notebook."""
        return paragraphs(self.as_text())

    def as_text(self) -> str:
        """Return the differences as plain text."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        words = self.words
        yield from self.first_lines
        if not self.ends:
            yield words("diff.noneEndsElsewhere")
        yield from self._ends()
        yield from self._statuses()
        if self.objects and self.divergence is None and not self.ends:
            # Otherwise the reader knows already which objects were edited.
            yield words("diff.objects", objects=words.listed(self.objects))
        yield from self.queue_lines

    @property
    def first_lines(self) -> tuple[str, ...]:
        """The first decision that differs, as lines."""
        if self.divergence is None:
            return (self.words("diff.same"),)
        number = self.words("diff.first", number=self.divergence.number)
        return (number, *self._divergence(self.divergence))

    @property
    def queue_lines(self) -> tuple[str, ...]:
        """What differs of ClusterQueues, one line each."""
        return tuple(filter(None, (self._queue(queue) for queue in self.queues)))

    def _ends(self) -> Iterator[str]:
        """Yield where workloads end; many with the same ends are counted in one line."""
        words = self.words
        same: dict[tuple[str, str], list[str]] = {}
        for end in self.ends:
            same.setdefault((end.before, end.after), []).append(end.workload)
        for (before, after), workloads in same.items():
            if len(workloads) > _FEW_EQUAL:
                values = {"count": len(workloads), "workloads": words.several(workloads)}
                yield words("diff.ends.many", before=before, after=after, **values)
                continue
            for workload in workloads:
                yield words("diff.ends", workload=workload, before=before, after=after)

    def _statuses(self) -> Iterator[str]:
        """Yield what else differs, with the workloads of which the same differs."""
        words = self.words
        same: dict[tuple[str, ...], list[str]] = {}
        for each in self.statuses:
            same.setdefault(each.what, []).append(each.workload)
        for what, workloads in same.items():
            named = [
                words(f"diff.status.what.{name}") if name in STATUS_FIELDS else name
                for name in what
            ]
            yield words(
                "diff.statuses",
                count=len(workloads),
                what=words.separated(named),
                workloads=words.several(workloads),
            )

    def _divergence(self, divergence: Divergence) -> Iterator[str]:
        words = self.words
        before, after = divergence.before, divergence.after
        texts = [
            None if step is None else step_text(step, words.catalog) for step in (before, after)
        ]
        for name, step, start, text in zip(
            ("before", "after"), (before, after), divergence.starts, texts, strict=True
        ):
            side = words(f"diff.{name}")
            if step is None:
                yield "  " + words("diff.side.none", side=side)
                continue
            yield "  " + words(
                "diff.side",
                side=side,
                time=format_duration(step.time - start),
                cycle=step.cycle,
                queue=qualified(step.cluster, step.cluster_queue),
                text=text,
            )
        if texts[0] == texts[1]:
            # The sentences don't show what is different.
            parts = [
                words(
                    "diff.difference",
                    what=words(f"diff.fact.{name}"),
                    before=self._fact(name, pair[0]),
                    after=self._fact(name, pair[1]),
                )
                for name, pair in divergence.differences().items()
            ]
            yield "  " + words("diff.differences", parts=words.clauses(parts))
        for chance in divergence.chances:
            text = words.catalog.render(chance.as_text())
            yield "  " + words("diff.chance", chance=text)

    def _fact(self, name: str, value: Any) -> str:
        if name == "time":
            return format_duration(value)
        if name == "targets":
            return self.words.targets(value)
        return str(value) or self.words("list.none")

    def _queue(self, queue: QueueDiff) -> str:
        words, before, after = self.words, queue.before, queue.after
        parts = []
        if before.preemptions != after.preemptions:
            parts.append(
                words("diff.preemptions", before=before.preemptions, after=after.preemptions)
            )
        if before.waiting != after.waiting:
            one, other = _spans(before.waiting, after.waiting)
            parts.append(words("diff.waiting", before=one, after=other))
        for place in sorted({*before.utilisation, *after.utilisation}):
            one, other = _percent(before, place), _percent(after, place)
            if one != other:
                flavor, resource = place
                parts.append(
                    words(
                        "diff.utilisation",
                        resource=resource,
                        flavor=flavor,
                        before=one,
                        after=other,
                    )
                )
        for what in ("workloads", "admissions", "preempting"):
            one, other = getattr(before, what), getattr(after, what)
            if one != other and (what != "admissions" or not parts):
                parts.append(words(f"diff.{what}", before=one, after=other))
        # Nothing, too, where what differs is too little to be seen.
        return words("diff.queue", queue=queue.queue, parts=words.clauses(parts)) if parts else ""

    def as_data(self) -> dict[str, Any]:
        """Return the differences as plain JSON values."""
        divergence = self.divergence
        return {
            "firstDecision": None
            if divergence is None
            else {
                "number": divergence.number,
                "before": _decision_data(divergence.before, self.words),
                "after": _decision_data(divergence.after, self.words),
                "differences": {
                    name: [encode_value(each) for each in pair]
                    for name, pair in divergence.differences().items()
                },
                "chances": [str(each.as_text()) for each in divergence.chances],
            },
            "ends": [
                {"workload": end.workload, "before": end.before, "after": end.after}
                for end in self.ends
            ],
            "statuses": [
                {"workload": each.workload, "what": list(each.what)} for each in self.statuses
            ],
            "objects": list(self.objects),
            "queues": [
                {
                    "queue": each.queue,
                    "before": each.before.as_data(),
                    "after": each.after.as_data(),
                }
                for each in self.queues
            ],
        }

    def as_table(self) -> list[dict[str, str]]:
        """Return one row per ClusterQueue and number: queue, what, before, after."""
        rows, words = [], self.words
        for each in self.queues:
            for what in ("workloads", "admissions", "preemptions", "preempting"):
                pair = str(getattr(each.before, what)), str(getattr(each.after, what))
                rows.append((each.queue, words(f"diff.number.{what}"), *pair))
            pair = _spans(each.before.waiting, each.after.waiting)
            rows.append((each.queue, words("diff.number.waiting"), *pair))
            for flavor, resource in sorted({*each.before.utilisation, *each.after.utilisation}):
                what = words("diff.number.utilisation", resource=resource, flavor=flavor)
                place = flavor, resource
                one, other = _percent(each.before, place), _percent(each.after, place)
                rows.append((each.queue, what, one, other))
        names = ("queue", "what", "before", "after")
        return [dict(zip(names, row, strict=True)) for row in rows]


def diff(before: Trace, after: Trace, catalog: Catalog | None = None) -> Diff:
    """Compare two runs.

    Decisions are compared in order: when (since the start), about which workload, and what came of
    it, down to the targets and the message. Numbers are those over the time of the longer
    run.

    Examples
    --------
    >>> diff(Trace(()), Trace(()))
    <Diff: the same>
    """
    words, starts = MessageParts(catalog), (_start(before), _start(after))
    found: tuple[list[End], list[QueueDiff], list[StatusDiff], list[str]] = [], [], [], []
    for cluster in dict.fromkeys((*before.clusters, *after.clusters)):
        runs = before, after
        if cluster:
            runs = before.of_cluster(cluster), after.of_cluster(cluster)
        last = [run.state_at(len(run) - 1) for run in runs]
        found[0].extend(
            replace(end, workload=qualified(cluster, end.workload))
            for end in ends(last[0], last[1], words)
        )
        found[1].extend(queue_diffs(*runs, max(_length(before), _length(after)), cluster))
        found[2].extend(
            replace(each, workload=qualified(cluster, each.workload))
            for each in statuses(last[0], last[1], starts)
        )
        found[3].extend(qualified(cluster, name) for name in other_objects(last[0], last[1]))
    return Diff(
        _divergence(before, after),
        tuple(found[0]),
        tuple(found[1]),
        words,
        tuple(found[2]),
        tuple(found[3]),
    )


def queue_diffs(
    before: Trace, after: Trace, over: int = 0, cluster: str = ""
) -> Iterator[QueueDiff]:
    """Yield every ClusterQueue of one cluster in two runs, by name.

    Parameters
    ----------
    over
        The time to look at, in nanoseconds from the start; that of the longer run, if omitted.
    cluster
        What the names begin with.
    """
    over = over or max(_length(before), _length(after))
    one, other = (statistics(run, over) for run in (before, after))
    for name in sorted({*one, *other}):
        none = QueueStatistics(name)
        yield QueueDiff(qualified(cluster, name), one.get(name, none), other.get(name, none))


def _divergence(before: Trace, after: Trace) -> Divergence | None:
    starts = _start(before), _start(after)
    pairs = zip_longest(_decisions(before), _decisions(after))
    for number, (one, other) in enumerate(pairs, start=1):
        if _essence(one, starts[0]) != _essence(other, starts[1]):
            found = dict.fromkeys((*_chances(before, one), *_chances(after, other)))
            return Divergence(number, one, other, starts, tuple(found))
    return None


def _chances(trace: Trace, step: Step | None) -> Iterator[Chance]:
    """Yield what was left to chance in the cycle of a decision."""
    if step is None:
        return
    own = trace.of_cluster(step.cluster) if step.cluster else trace
    yield from (each for each in chances(own) if own[each.step].cycle == step.cycle)


def _start(trace: Trace) -> int:
    return trace[0].time if len(trace) else 0


def _length(trace: Trace) -> int:
    return trace.end - trace[0].time if len(trace) else 0


def _decisions(trace: Trace) -> Iterator[Step]:
    return (trace[index] for index in trace.of_kind("EntryProcessed", "NotNominated"))


def _essence(step: Step | None, start: int) -> object:
    if step is None:
        return None
    return step.time - start, step.cluster, step.workload, step.cluster_queue, step.facts


def _spans(one: int, other: int) -> tuple[str, str]:
    """Return two durations for people: exactly only where rounding hides the difference."""
    texts = span_text(one), span_text(other)
    if one != other and texts[0] == texts[1]:
        return format_duration(one), format_duration(other)
    return texts


def _percent(queue: QueueStatistics, place: tuple[str, str]) -> str:
    value = queue.utilisation.get(place)
    return "-" if value is None else f"{value:.1%}"


def _decision_data(step: Step | None, words: MessageParts) -> dict[str, Any] | None:
    if step is None:
        return None
    facts = step.facts
    found: dict[str, Any] = {
        "time": step.time,
        "cycle": step.cycle,
        "workload": qualified(step.cluster, step.workload),
        "clusterQueue": qualified(step.cluster, step.cluster_queue),
        "step": step.index,
        "text": step_text(step, words.catalog),
    }
    if isinstance(facts, steps.EntryProcessed):
        found |= {
            "status": facts.status,
            "mode": facts.mode,
            "targets": [list(target) for target in facts.targets],
        }
    return found
