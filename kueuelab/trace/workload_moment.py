"""A workload at a moment: what the state says, and the last cycle that looked at it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Catalog
from kueuelab.trace.available_parts import QuotaTrees
from kueuelab.trace.look import Look
from kueuelab.trace.reading import State, WorkloadView
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Cycle, Trace
from kueuelab.trace.wording import MessageParts, time_text

if TYPE_CHECKING:
    from kueuelab.trace.explanation import Line

__all__ = [
    "Instant",
    "WorkloadMoment",
    "looks",
    "not_ready",
    "usage_of",
    "workload_at",
    "workload_moment",
]

_LOOKED: frozenset[str] = frozenset({"NominationStarted", "NotNominated"})


class Instant:
    """A step of a run, and what the explanations of all workloads after it have in common.

    Each is found out once, however many workloads are explained.
    """

    def __init__(self, trace: Trace, at: int) -> None:
        self.trace: Final = trace
        self.at: Final = at
        self.state: Final = trace.state_at(at)
        self._quotas: dict[int, dict[str, Any]] = {}
        self._active: dict[str, tuple[WorkloadView, ...]] = {}
        self._changed: dict[tuple[int, str], bool] = {}
        #: What is wrong with a LocalQueue and a ClusterQueue, in a language.
        self.queue_troubles: dict[tuple[str, str, MessageParts], str] = {}
        #: What is said of a workload whose like was looked at, by that and by the language.
        self.of_likes: dict[tuple[str, MessageParts], tuple[list[Line], Iterator[Line]]] = {}

    @cached_property
    def held(self) -> str:
        """The workload at which the cycle under way waits until pods are ready, or ``""``."""
        return _held_up(self.state)

    @cached_property
    def roots(self) -> Mapping[str, str]:
        """The cohort at the top of each ClusterQueue's tree; itself if it has none."""
        return self.state.roots()

    def taken_or_active(self, queue: str) -> tuple[WorkloadView, ...]:
        """Return the workloads of a ClusterQueue that it may hand out, or has handed out."""
        found = self._active.get(queue)
        if found is None:
            found = tuple(self.state.workloads_of(queue, "active", "inflight"))
            self._active[queue] = found
        return found

    @cached_property
    def quota_trees(self) -> QuotaTrees:
        """What ClusterQueues could use after the step, taken apart."""
        return QuotaTrees(self.state)

    def quota_changed(self, since: int, queue: str) -> bool:
        """Tell whether quota or usage in a queue's cohort tree is another than after a step."""
        found = self._changed.get((since, queue))
        if found is None:
            before, now = self._quotas_after(since), self._quotas_after(self.at)
            found = self._changed[since, queue] = before.get(queue) != now.get(queue)
        return found

    def _quotas_after(self, step: int) -> dict[str, Any]:
        if step not in self._quotas:
            state = self.state if step == self.at else self.trace.state_at(step)
            self._quotas[step] = _quotas(state)
        return self._quotas[step]


@dataclass(frozen=True, slots=True)
class WorkloadMoment:
    """A workload after some step.

    Attributes
    ----------
    view
        The workload; false if it doesn't exist.
    queue
        The ClusterQueue that it is in, or queues for; ``""`` if there is none.
    cycle
        The last cycle that looked at it, ``None`` if none did.
    look
        What that cycle did with it, as far as the cycle had come; ``None`` without such a cycle.
    """

    instant: Instant
    workload: str
    view: WorkloadView
    queue: str
    cycle: Cycle | None
    look: Look | None
    words: MessageParts

    @property
    def trace(self) -> Trace:
        """The record of the run."""
        return self.instant.trace

    @property
    def at(self) -> int:
        """The index of the step."""
        return self.instant.at

    @property
    def state(self) -> State:
        """The state after that step."""
        return self.instant.state

    @property
    def is_as_read(self) -> bool:
        """Whether nothing was decided yet in the whole record: a dump that was only read."""
        return self.phase == "Pending" and not self.trace.cycles

    @property
    def held(self) -> str:
        """The workload at which the cycle under way waits until pods are ready, or ``""``."""
        return self.instant.held

    @property
    def own(self) -> Sequence[Step]:
        """The steps of the look that are the workload's own, without verdicts of searches."""
        return () if self.look is None else self.look.own

    @property
    def phase(self) -> str:
        """How far it is; ``""`` if it doesn't exist."""
        return self.view.phase

    @property
    def evicted_since(self) -> Step | None:
        """The last step at which it was evicted after the look; ``None`` if it wasn't."""
        after = -1 if self.look is None else self.look.last
        for index in reversed(self.trace.index.single_steps(self.workload)):
            if index <= after:
                return None
            if index <= self.at and self.trace[index].kind == "Evicted":
                return self.trace[index]
        return None

    @property
    def is_stale(self) -> bool:
        """Whether what the look found is history: it got its quota, and has lost it since."""
        return self.evicted_since is not None

    @property
    def is_past(self) -> bool:
        """Whether quota or usage in its cohort tree changed since the look: its numbers are old.

        So are those of another ClusterQueue, in which it was looked at.
        """
        if self.cycle is None:
            return False
        return bool(self.moved_from) or self.instant.quota_changed(self.cycle.first, self.queue)

    @property
    def moved_from(self) -> str:
        """The ClusterQueue in which it was looked at, if it is in another one since; or ``""``."""
        if self.phase != "Pending":
            return ""
        queues = (step.cluster_queue for step in self.own if step.kind in _LOOKED)
        looked_in = next(queues, "")
        return looked_in if looked_in not in ("", self.queue) else ""

    @property
    def looked_at(self) -> dict[str, Any]:
        """The cycle of the look, and its time, for a sentence."""
        assert self.cycle is not None
        time = self.trace[self.cycle.first].time
        return {"cycle": self.cycle.number, "time": time_text(time)}

    @property
    def set_aside_with(self) -> str:
        """The workload that asks for the same and did not fit, so that this one was set aside.

        ``""`` if that is not why it waits.
        """
        if self.view.place != "inadmissible" or not self.view.shape:
            return ""
        found = self.state.cluster_queue(self.queue).did_not_fit(self.view.shape)
        return found if found != self.workload else ""

    @property
    def waits_for_pods(self) -> bool:
        """Whether it has its place, and only waits for the pods of others to be ready."""
        return self.phase == "Pending" and self.held == self.workload

    @property
    def has_cohort(self) -> bool:
        """Whether its ClusterQueue is in a cohort."""
        return bool(self.state.cohort_path(self.queue))

    def last(self, *kinds: str) -> Step | None:
        """Return the last of its own steps of these kinds in the look."""
        found = [step for step in self.own if step.kind in kinds]
        return found[-1] if found else None


def workload_moment(
    trace: Trace, workload: str, at: int | None = None, catalog: Catalog | None = None
) -> WorkloadMoment:
    """Return a workload after a step, by default the last one.

    Raises
    ------
    UnknownObjectError
        If no step of the trace is about such a workload.
    """
    instant = Instant(trace, len(trace) - 1 if at is None else at)
    return workload_at(instant, workload, MessageParts(catalog))


def workload_at(instant: Instant, workload: str, words: MessageParts) -> WorkloadMoment:
    """Return one of several workloads after the same step.

    Raises
    ------
    UnknownObjectError
        If no step of the trace is about such a workload.
    """
    trace = instant.trace
    if not trace.index.knows(workload):
        raise UnknownObjectError("Workload", workload, trace.workloads)
    view = instant.state.workload(workload)
    found = next(looks(trace, workload, instant.at), None)
    cycle, look = found if found is not None else (None, None)
    return WorkloadMoment(instant, workload, view, view.cluster_queue, cycle, look, words)


def looks(trace: Trace, workload: str, at: int) -> Iterator[tuple[Cycle, Look]]:
    """Yield the cycles that looked at a workload up to a step, the latest first."""
    own = trace.index.single_steps(workload)
    seen = -1
    for position in range(bisect_right(own, at) - 1, -1, -1):
        if trace.steps[own[position]].kind not in _LOOKED:
            continue
        cycle = trace.cycle_at(own[position])
        if cycle is not None and cycle.first != seen:
            seen = cycle.first
            yield cycle, Look(trace.steps, workload, cycle.first, min(cycle.last, at), own)


#: What Kueue writes on a workload that ``waitForPodsReady.blockAdmission`` holds up.
_WAITS_FOR_PODS: Final = "waiting for all admitted workloads to be in PodsReady condition"


def _held_up(state: State) -> str:
    """Return the workload at which the cycle under way is held up until pods are ready.

    ``""`` if no cycle is.
    """
    for view in state.workloads_in("inflight"):
        if view.phase != "Pending":
            continue
        if view.condition("QuotaReserved").message == _WAITS_FOR_PODS:
            return view.key
    return ""


#: What is said of a workload that holds quota.
_WITH_QUOTA: Final = ("QuotaReserved", "Admitted", "Evicted")


def not_ready(state: State) -> tuple[str, ...]:
    """Return the workloads with quota whose pods are not all ready, sorted: they block others."""
    return tuple(
        sorted(
            key
            for key, view in state.workloads.items()
            if view.phase in _WITH_QUOTA and not view.condition("PodsReady").is_true
        )
    )


def usage_of(state: State, workload: str) -> tuple[str, float] | None:
    """Return a workload's LocalQueue and what that has used, where this orders the queue."""
    view = state.workload(workload)
    mode = state.cluster_queue(view.cluster_queue).admission_mode
    if not state.knows_usage or mode != "UsageBasedAdmissionFairSharing":
        return None
    key = f"{workload.partition('/')[0]}/{view.queue_name}"
    return key, state.local_queue(key).used


def _quotas(state: State) -> dict[str, Any]:
    """Return what decides how much each ClusterQueue may use: what its cohort tree has and uses."""
    cohorts = {name: state.cohort(name).manifest for name in state.names("Cohort")}
    trees: dict[str, dict[str, Any]] = {}
    roots = state.roots()
    for name, root in roots.items():
        queue = state.cluster_queue(name)
        trees.setdefault(root, {})[name] = (queue.manifest, queue.usage)
    return {name: (trees[root], cohorts) for name, root in roots.items()}
