"""What a step without numbers of its own is about: its workload, or the cycle."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from kueuelab.messages import Message
from kueuelab.model.times import format_duration
from kueuelab.trace import steps
from kueuelab.trace.names import short_name
from kueuelab.trace.reading import State
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import MessageParts, amount_text
from kueuelab.views.decision import numbers_of
from kueuelab.views.run_index import RunIndex

__all__ = ["LastNumbers", "facts_of"]


class LastNumbers:
    """Finds the last step with numbers on a workload, in the cycle that a step is part of.

    A cycle is read once, as far as it is stepped through.
    """

    __slots__ = ("_cycle", "_found", "_read", "_trace", "_words")

    def __init__(self, trace: Trace, words: MessageParts) -> None:
        self._trace = trace
        self._words = words
        self._cycle = -1
        self._read = -1
        self._found: dict[str, list[int]] = {}

    def before(self, index: int) -> Step | None:
        """Return the last step up to this one, on the same workload; ``None`` without one."""
        step, cycle = self._trace[index], self._trace.cycle_at(index)
        if cycle is None or not step.workload:
            return None
        if cycle.first != self._cycle:
            self._cycle, self._read, self._found = cycle.first, cycle.first - 1, {}
        for place in range(self._read + 1, index + 1):
            each = self._trace[place]
            if each.workload and next(numbers_of(each.facts, self._words), None):
                self._found.setdefault(each.workload, []).append(place)
        self._read = max(self._read, index)
        found = self._found.get(step.workload, [])
        at = bisect_right(found, index) - 1
        return self._trace[found[at]] if at >= 0 else None


def facts_of(step: Step, state: State, run_index: RunIndex) -> Iterator[tuple[str, str]]:
    """Yield what is known at a step of its workload, or what the step itself is about."""
    words = run_index.words
    if step.workload:
        yield from _of_workload(step, state, run_index)
        return
    match step.facts:
        case steps.CycleStarted(heads):
            yield Message("views.fact.heads"), _named(heads, words)
        case steps.EntriesOrdered(entries=entries):
            yield Message("views.fact.entries"), _named(entries, words)
        case steps.CycleEnded(admitted, preempting):
            yield Message("views.fact.admitted"), str(admitted)
            yield Message("views.fact.preempting"), str(preempting)
        case steps.Woken(workloads):
            yield Message("views.fact.woken"), _named(workloads, words)
    if step.cluster_queue:
        yield Message("views.fact.queue"), step.cluster_queue
        queue = state.cluster_queue(step.cluster_queue)
        for quota in queue.quotas:
            used = queue.usage.get((quota.flavor, quota.resource), 0)
            shown = (amount_text(quota.resource, each) for each in (used, quota.nominal))
            values = dict(zip(("used", "total"), shown, strict=True))
            yield f"{quota.flavor}/{quota.resource}", Message("views.decision.used", **values)


def _of_workload(step: Step, state: State, run_index: RunIndex) -> Iterator[tuple[str, str]]:
    view = state.workload(step.workload)
    queue = step.cluster_queue or view.cluster_queue
    if queue:
        yield Message("views.fact.queue"), queue
    if view:
        yield Message("views.fact.priority"), str(view.priority)
        yield Message("views.fact.phase"), view.phase
    requests = run_index.requests(step.workload, step.index)
    if requests:
        texts = (f"{amount_text(name, amount)} {name}" for name, amount in requests.items())
        yield Message("views.fact.requests"), run_index.words.listed(texts)
    if view.phase == "Pending" and view.queued_at:
        begin = max(view.queued_at, run_index.released_at(step.workload, step.index) or 0)
        since = format_duration(max(0, begin - run_index.trace[0].time))
        values = {"time": since, "duration": format_duration(max(0, step.time - begin))}
        yield Message("views.fact.waiting"), Message("views.fact.since", **values)


def _named(workloads: tuple[str, ...], words: MessageParts) -> str:
    return words.several([short_name(each) for each in workloads])
