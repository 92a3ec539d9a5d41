"""The steps that a cycle records: heads, nominated, processed, capacity reserved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kueuelab.model import FlavorResource
from kueuelab.queues import Head
from kueuelab.scheduler.assignment import MODE_NAMES
from kueuelab.scheduler.entry import Entry
from kueuelab.trace import steps

if TYPE_CHECKING:
    from kueuelab.trace.recorder import Recorder
    from kueuelab.workload import WorkloadState

__all__ = ["CycleLog"]


class CycleLog:
    """Records what a cycle does."""

    __slots__ = ("_recorder",)

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def _record(self, entry: Entry, facts: steps.Facts) -> None:
        self._recorder.record(facts, entry.workload.key, entry.cluster_queue)

    def started(self, keys: tuple[str, ...], heads: Sequence[Head]) -> None:
        """Record the heads, and what their LocalQueues had used if these compete by usage."""
        self._recorder.record(steps.CycleStarted(keys))
        for head in heads:
            if head.usages:
                compared = steps.LocalQueuesCompared(head.usages)
                self._recorder.record(compared, head.workload.key, head.cluster_queue)

    def rejected(self, entry: Entry) -> None:
        """Record a head that could not be nominated, and why."""
        self._record(entry, steps.NotNominated(entry.quota_reserved_reason, entry.message))

    def nominating(self, entry: Entry) -> None:
        """Record what a head requests, before its nomination."""
        pod_sets, priority = entry.workload.requests, entry.workload.priority
        parts = [(ps.name, ps.count, *ps.requests.items()) for ps in pod_sets]
        facts = self._recorder.once(
            ("nominating", priority, *parts),
            lambda: steps.NominationStarted(_mapped(parts), priority),
        )
        self._record(entry, facts)

    def replacing(self, entry: Entry, replaced: WorkloadState) -> None:
        """Record the slice that a head is to replace."""
        pods = sum(pod_set.count for pod_set in replaced.requests)
        self._record(entry, steps.ReplacesSlice(replaced.key, pods))

    def trying_fewer(self, entry: Entry, counts: Sequence[int]) -> None:
        """Record that fewer pods than requested are tried."""
        names = [pod_set.name for pod_set in entry.workload.obj.pod_sets]
        self._record(entry, steps.FewerPodsTried(tuple(zip(names, counts, strict=True))))

    def nominated(self, entry: Entry) -> None:
        """Record the flavors and targets found."""
        assert entry.assignment is not None
        pod_sets, targets = entry.assignment.pod_sets, _pairs(entry)
        mode, borrowing, message = MODE_NAMES[entry.mode], entry.borrowing, entry.message
        parts = [
            (ps.name, ps.count, *((name, flavor.name) for name, flavor in ps.flavors.items()))
            for ps in pod_sets
        ]
        facts = self._recorder.once(
            ("nominated", mode, borrowing, targets, message, *parts),
            lambda: steps.Nominated(_mapped(parts), mode, borrowing, targets, message),
        )
        self._record(entry, facts)

    def recomputed(self, entry: Entry, *, lacks_domains: bool) -> None:
        """Record that flavors, domains and targets were computed again, and why."""
        found = steps.Recomputed(MODE_NAMES[entry.mode], _pairs(entry), lacks_domains)
        self._record(entry, found)

    def reserved(self, entry: Entry, usage: Mapping[FlavorResource, int], why: str) -> None:
        """Record quota that later entries of the cycle can't use."""
        if any(usage.values()):
            reserved = tuple((*fr, value) for fr, value in usage.items())
            self._record(entry, steps.QuotaHeld(reserved, why))

    def processed(self, entry: Entry) -> None:
        """Record what was decided about an entry."""
        status, mode, message = entry.status, MODE_NAMES[entry.mode], entry.message
        reason, targets = entry.requeue_reason, _pairs(entry)
        found = self._recorder.same(steps.EntryProcessed, status, mode, message, reason, targets)
        self._record(entry, found)

    def ended(self, processed: Sequence[Entry]) -> None:
        """Record how many entries are admitted, and how many preempt."""
        admitted = sum(entry.status == "assumed" for entry in processed)
        preempting = sum(entry.preempting for entry in processed)
        self._recorder.record(steps.CycleEnded(admitted, preempting))


def _mapped(parts: Iterable[tuple[Any, ...]]) -> tuple[tuple[str, int, dict[str, Any]], ...]:
    """Return pod sets, each with its name, its count and what it has by resource."""
    return tuple((name, count, dict(pairs)) for name, count, *pairs in parts)


def _pairs(entry: Entry) -> tuple[tuple[str, str], ...]:
    return tuple((target.workload.key, target.reason) for target in entry.preempted)
