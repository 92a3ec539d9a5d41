"""Two runs side by side: where they part, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from kueuelab.model.times import format_duration
from kueuelab.trace import steps
from kueuelab.trace.catalog import Catalog
from kueuelab.trace.state import State
from kueuelab.trace.statistics import QueueStatistics, statistics
from kueuelab.trace.step import Step
from kueuelab.trace.step_text import step_text
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import Wording, time_text

__all__ = ["Diff", "End", "Parting", "QueueDiff", "diff"]


@dataclass(frozen=True, slots=True)
class Parting:
    """The first decision that differs; a side is ``None`` if its run has no more."""

    number: int
    before: Step | None
    after: Step | None


@dataclass(frozen=True, slots=True)
class End:
    """A workload that ends elsewhere: its phase (``gone`` if deleted) and flavors."""

    workload: str
    before: str
    after: str


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
    parting
        The first decision that differs, ``None`` if all are the same.
    ends
        The workloads that end elsewhere, by key.
    queues
        Every ClusterQueue, by name.
    words
        The language of the text.
    """

    parting: Parting | None
    ends: tuple[End, ...]
    queues: tuple[QueueDiff, ...]
    words: Wording

    def __str__(self) -> str:
        return self.as_text()

    def __repr__(self) -> str:
        if self.parting is None and not self.ends:
            return "<Diff: the same>"
        at = "" if self.parting is None else f"decision {self.parting.number} differs, "
        count = len(self.ends)
        return f"<Diff: {at}{count} workload{'s' * (count != 1)} end{'s' * (count == 1)} elsewhere>"

    def __bool__(self) -> bool:
        return self.parting is not None or bool(self.ends)

    def as_text(self) -> str:
        """Return the differences as plain text."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        words = self.words
        if self.parting is None:
            yield words("diff.same")
        else:
            yield words("diff.first", number=self.parting.number)
            for side in ("before", "after"):
                yield "  " + self._side(words(f"diff.{side}"), getattr(self.parting, side))
        if not self.ends:
            yield words("diff.noneEndsElsewhere")
        for end in self.ends:
            yield words("diff.ends", workload=end.workload, before=end.before, after=end.after)
        for queue in self.queues:
            if not queue.same:
                yield self._queue(queue)

    def _side(self, side: str, step: Step | None) -> str:
        if step is None:
            return self.words("diff.side.none", side=side)
        text = step_text(step, self.words.catalog)
        return self.words(
            "diff.side",
            side=side,
            time=time_text(step.time),
            cycle=step.cycle,
            queue=step.cluster_queue,
            text=text,
        )

    def _queue(self, queue: QueueDiff) -> str:
        words, before, after = self.words, queue.before, queue.after

        def change(one: object, other: object) -> str:
            return words("diff.change", before=one, after=other)

        places = sorted({*before.utilisation, *after.utilisation})
        used = [
            words(
                "diff.utilisation",
                resource=resource,
                flavor=flavor,
                before=_percent(before, (flavor, resource)),
                after=_percent(after, (flavor, resource)),
            )
            for flavor, resource in places
        ]
        return words(
            "diff.queue",
            queue=queue.queue,
            preemptions=change(before.preemptions, after.preemptions),
            waiting=change(format_duration(before.waiting), format_duration(after.waiting)),
            utilisation=words.listed(used),
        )

    def as_data(self) -> dict[str, Any]:
        """Return the differences as plain JSON values."""
        parting = self.parting
        return {
            "firstDecision": None
            if parting is None
            else {
                "number": parting.number,
                "before": _decision_data(parting.before, self.words),
                "after": _decision_data(parting.after, self.words),
            },
            "ends": [
                {"workload": end.workload, "before": end.before, "after": end.after}
                for end in self.ends
            ],
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
        rows = []
        for each in self.queues:
            before, after = each.before.as_data(), each.after.as_data()
            for what in ("workloads", "admissions", "preemptions", "preempting", "waiting"):
                rows.append((each.queue, what, str(before[what]), str(after[what])))
            for place in sorted({*each.before.utilisation, *each.after.utilisation}):
                what = f"utilisation {place[1]}/{place[0]}"
                one, other = _percent(each.before, place), _percent(each.after, place)
                rows.append((each.queue, what, one, other))
        names = ("queue", "what", "before", "after")
        return [dict(zip(names, row, strict=True)) for row in rows]


def diff(before: Trace, after: Trace, catalog: Catalog | None = None) -> Diff:
    """Compare two runs.

    Decisions are compared in order: when (since the start), about whom, and what came of
    it, down to the targets and the message.

    Examples
    --------
    >>> diff(Trace(()), Trace(()))
    <Diff: the same>
    """
    one, other = statistics(before), statistics(after)
    none = {name: QueueStatistics(name) for name in sorted({*one, *other})}
    queues = tuple(QueueDiff(name, (none | one)[name], (none | other)[name]) for name in none)
    return Diff(_parting(before, after), tuple(_ends(before, after)), queues, Wording(catalog))


def _parting(before: Trace, after: Trace) -> Parting | None:
    starts = [trace[0].time if len(trace) else 0 for trace in (before, after)]
    pairs = zip_longest(_decisions(before), _decisions(after))
    for number, (one, other) in enumerate(pairs, start=1):
        if _essence(one, starts[0]) != _essence(other, starts[1]):
            return Parting(number, one, other)
    return None


def _decisions(trace: Trace) -> Iterator[Step]:
    return (trace[index] for index in trace.of_kind("EntryProcessed", "NotNominated"))


def _essence(step: Step | None, start: int) -> object:
    if step is None:
        return None
    return step.time - start, step.workload, step.cluster_queue, step.facts


def _ends(before: Trace, after: Trace) -> Iterator[End]:
    one, other = (_last_state(trace).get("workloads", {}) for trace in (before, after))
    for key in sorted({*one, *other}):
        sides = _end(one.get(key)), _end(other.get(key))
        if sides[0] != sides[1]:
            yield End(key, *sides)


def _last_state(trace: Trace) -> State:
    return trace.state_at(len(trace) - 1)


def _end(view: dict[str, Any] | None) -> str:
    if view is None:
        return "gone"
    flavors = {
        f"{resource}/{flavor}"
        for pod_set in (view.get("admission") or {}).get("podSets", ())
        for resource, flavor in pod_set["flavors"].items()
    }
    phase = str(view.get("phase", ""))
    return f"{phase} ({', '.join(sorted(flavors))})" if flavors else phase


def _percent(queue: QueueStatistics, place: tuple[str, str]) -> str:
    value = queue.utilisation.get(place)
    return "-" if value is None else f"{value:.1%}"


def _decision_data(step: Step | None, words: Wording) -> dict[str, Any] | None:
    if step is None:
        return None
    facts = step.facts
    found: dict[str, Any] = {
        "time": step.time,
        "cycle": step.cycle,
        "workload": step.workload,
        "clusterQueue": step.cluster_queue,
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
