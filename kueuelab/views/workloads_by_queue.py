"""Workloads by queue: pending ones and admitted ones, updated while the run is stepped through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from kueuelab.trace.reading import Holding, State, WorkloadView
from kueuelab.trace.trace import Trace
from kueuelab.trace.workload_groups import WorkloadGroups

__all__ = ["WorkloadsByQueue"]

#: Farther than this, reading everything anew is faster.
_FAR: Final = 2_000


class WorkloadsByQueue:
    """The workloads of one state: pending ones by LocalQueue, admitted ones by ClusterQueue.

    A step changes few of many workloads: only those are read again.
    """

    __slots__ = (
        *("_admitted", "_holding", "_index", "_parents", "_pending", "_readings", "_trace"),
        "_waiting",
    )

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        # They neither queue nor hold quota themselves: their variants do.
        self._parents = WorkloadGroups(trace).parents
        self._index: int | None = None
        self._readings: dict[str, WorkloadView] = {}
        self._waiting: dict[str, dict[str, WorkloadView]] = {}
        self._holding: dict[str, dict[str, tuple[Holding, ...]]] = {}
        self._pending: dict[str, set[str]] = {}
        self._admitted: dict[str, set[str]] = {}

    def at(self, index: int, state: State) -> WorkloadsByQueue:
        """Go to a step with its state; return itself."""
        if index != self._index:
            changed = self._changed(index)
            if changed is None:
                self._readings, self._waiting, self._holding = {}, {}, {}
                self._pending, self._admitted = {}, {}
                changed = sorted(state.workloads)
            for key in changed:
                self._read(key, state)
            self._index = index
        return self

    def reading(self, key: str) -> WorkloadView | None:
        """Return a workload, ``None`` if there is no such workload."""
        return self._readings.get(key)

    def all(self) -> Iterable[WorkloadView]:
        """Return all workloads."""
        return self._readings.values()

    def waiting(self, local_queue: str) -> Mapping[str, WorkloadView]:
        """Return the pending workloads of a LocalQueue, by key."""
        return self._waiting.get(local_queue, {})

    def pending(self, cluster_queue: str) -> int:
        """Return how many workloads wait for a ClusterQueue."""
        return len(self._pending.get(cluster_queue, ()))

    def admitted(self, cluster_queue: str) -> int:
        """Return how many workloads of a ClusterQueue have quota reserved or are evicted."""
        return len(self._admitted.get(cluster_queue, ()))

    def holdings(self, cluster_queue: str) -> Iterator[Holding]:
        """Yield what the workloads of a ClusterQueue were given, by workload."""
        held = self._holding.get(cluster_queue, {})
        for key in sorted(held):
            yield from held[key]

    def _changed(self, index: int) -> Iterable[str] | None:
        """Return the workloads that differ, ``None`` if all have to be read again."""
        before = self._index
        if before is None or abs(index - before) > _FAR:
            return None
        first, last = sorted((before, index))
        found: dict[str, None] = {}
        for step in self._trace.steps[first + 1 : last + 1]:
            for change in step.changes:
                path = change.path
                if len(path) < 2:
                    return None
                if path[0] == "workloads":
                    found[path[1]] = None
                elif path[0] == "objects" and path[1].startswith("LocalQueue/"):
                    return None
        return found

    def _read(self, key: str, state: State) -> None:
        before = self._readings.pop(key, None)
        if before is not None:
            self._waiting.get(before.local_queue, {}).pop(key, None)
            self._holding.get(before.cluster_queue, {}).pop(key, None)
            self._pending.get(before.cluster_queue, set()).discard(key)
            self._admitted.get(before.cluster_queue, set()).discard(key)
        found = state.workload(key)
        if not found:
            return
        self._readings[key] = found
        if key in self._parents:
            return
        if found.phase == "Pending":
            self._waiting.setdefault(found.local_queue, {})[key] = found
            self._pending.setdefault(found.cluster_queue, set()).add(key)
        elif found.phase != "Finished":
            self._admitted.setdefault(found.cluster_queue, set()).add(key)
        held = tuple(found.holdings)
        if held:
            self._holding.setdefault(found.cluster_queue, {})[key] = held
