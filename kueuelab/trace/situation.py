"""A workload at a moment: what the state says, and the last cycle that looked at it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Catalog
from kueuelab.trace.state import State
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Cycle, Trace
from kueuelab.trace.wording import Wording, time_text

__all__ = [
    "Situation",
    "cluster_queue_of",
    "cohort_path",
    "held_up",
    "holds_quota",
    "looks",
    "not_ready",
    "situation",
    "usage_of",
]

_LOOKED: frozenset[str] = frozenset({"NominationStarted", "NotNominated"})


@dataclass(frozen=True, slots=True)
class Situation:
    """A workload after some step.

    Attributes
    ----------
    view
        What the state has of it; empty if it doesn't exist.
    queue
        The ClusterQueue that it is in, or queues for; ``""`` if there is none.
    cycle
        The last cycle that looked at it, ``None`` if none did.
    look
        The steps of that cycle, as far as they had come.
    """

    trace: Trace
    workload: str
    at: int
    state: State
    view: Mapping[str, Any]
    queue: str
    cycle: Cycle | None
    look: tuple[Step, ...]
    words: Wording

    @property
    def own(self) -> Iterator[Step]:
        """The steps of the look that are the workload's own."""
        return (step for step in self.look if step.workload == self.workload)

    @property
    def phase(self) -> str:
        """How far it is; ``""`` if it doesn't exist."""
        return str(self.view.get("phase", ""))

    @property
    def evicted_since(self) -> Step | None:
        """The last step at which it was evicted after the look; ``None`` if it wasn't."""
        after = self.look[-1].index if self.look else -1
        for index in reversed(self.trace.index.about(self.workload, "subject")):
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
        """Whether quota or usage in its cohort tree changed since the look: its numbers are old."""
        if self.cycle is None:
            return False
        before = self.trace.state_at(self.cycle.first)
        return _quota(before, self.queue) != _quota(self.state, self.queue)

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
        if self.view.get("queue") != "inadmissible" or "shape" not in self.view:
            return ""
        queue = self.state.get("clusterQueues", {}).get(self.queue, {})
        found = str(queue.get("noFit", {}).get(self.view["shape"], ""))
        return found if found != self.workload else ""

    @property
    def waits_for_pods(self) -> bool:
        """Whether it has its place, and only waits for the pods of others to be ready."""
        return self.phase == "Pending" and held_up(self.state) == self.workload

    @property
    def has_cohort(self) -> bool:
        """Whether its ClusterQueue is in a cohort."""
        return bool(cohort_path(self.state, self.queue))

    def last(self, *kinds: str) -> Step | None:
        """Return the last of its own steps of these kinds in the look."""
        found = [step for step in self.own if step.kind in kinds]
        return found[-1] if found else None


def situation(
    trace: Trace, workload: str, at: int | None = None, catalog: Catalog | None = None
) -> Situation:
    """Return a workload after a step, by default the last one.

    Raises
    ------
    UnknownObjectError
        If no step of the trace is about such a workload.
    """
    if at is None:
        at = len(trace) - 1
    if not trace.index.knows(workload):
        raise UnknownObjectError("Workload", workload, trace.workloads)
    state = trace.state_at(at)
    view = state.get("workloads", {}).get(workload, {})
    found = next(looks(trace, workload, at), None)
    cycle, look = found if found is not None else (None, ())
    queue = cluster_queue_of(state, workload)
    return Situation(trace, workload, at, state, view, queue, cycle, look, Wording(catalog))


def looks(trace: Trace, workload: str, at: int) -> Iterator[tuple[Cycle, tuple[Step, ...]]]:
    """Yield the cycles that looked at a workload up to a step, the latest first."""
    own = trace.index.about(workload, "subject")
    seen = -1
    for position in range(bisect_right(own, at) - 1, -1, -1):
        if trace.steps[own[position]].kind not in _LOOKED:
            continue
        cycle = trace.cycle_at(own[position])
        if cycle is not None and cycle.first != seen:
            seen = cycle.first
            yield cycle, trace.steps[cycle.first : min(cycle.last, at) + 1]


#: What Kueue writes on who waits for others' pods (``waitForPodsReady.blockAdmission``).
_WAITS_FOR_PODS: Final = "waiting for all admitted workloads to be in PodsReady condition"


def held_up(state: State) -> str:
    """Return the workload at which the cycle under way is held up until pods are ready.

    ``""`` if no cycle is.
    """
    for key, view in state.get("workloads", {}).items():
        if view.get("queue") == "inflight" and view.get("phase") == "Pending":
            told = view.get("conditions", {}).get("QuotaReserved", {})
            if told.get("message") == _WAITS_FOR_PODS:
                return str(key)
    return ""


def not_ready(state: State) -> tuple[str, ...]:
    """Return the admitted workloads whose pods are not all ready, sorted."""
    return tuple(
        sorted(
            key
            for key, view in state.get("workloads", {}).items()
            if view.get("phase") == "Admitted"
            and view.get("conditions", {}).get("PodsReady", {}).get("status") != "True"
        )
    )


def cluster_queue_of(state: State, workload: str) -> str:
    """Return the ClusterQueue that a workload holds quota in or queues for, or ``""``."""
    view = state.get("workloads", {}).get(workload, {})
    admission = view.get("admission")
    if admission:
        return str(admission["clusterQueue"])
    namespace = workload.partition("/")[0]
    key = f"LocalQueue/{namespace}/{view.get('queueName', '')}"
    return str(state.get("objects", {}).get(key, {}).get("cluster_queue", ""))


def usage_of(state: State, workload: str) -> tuple[str, float] | None:
    """Return a workload's LocalQueue and what that has used, where this orders the queue."""
    spec = state.get("objects", {}).get(f"ClusterQueue/{cluster_queue_of(state, workload)}", {})
    usages = state.get("localQueues")
    if usages is None or spec.get("admission_mode") != "UsageBasedAdmissionFairSharing":
        return None
    name = state["workloads"][workload].get("queueName", "")
    key = f"{workload.partition('/')[0]}/{name}"
    return key, float(usages.get(key, {}).get("usage", 0))


def holds_quota(state: State, workload: str) -> bool:
    """Tell whether a workload holds quota."""
    view = state.get("workloads", {}).get(workload, {})
    return bool(view.get("admission")) and view.get("phase") != "Finished"


def _quota(state: State, cluster_queue: str) -> dict[str, Any]:
    """Return what decides how much a ClusterQueue may use: quotas and usage of its cohort tree."""
    objects = state.get("objects", {})
    root = (cluster_queue, *cohort_path(state, cluster_queue))[-1]
    queues = {
        name: view.get("usage")
        for name, view in state.get("clusterQueues", {}).items()
        if (name, *cohort_path(state, name))[-1] == root
    }
    specs = {name: objects.get(f"ClusterQueue/{name}") for name in queues}
    cohorts = {key: spec for key, spec in objects.items() if key.startswith("Cohort/")}
    return {"usage": queues, "queues": specs, "cohorts": cohorts}


def cohort_path(state: State, cluster_queue: str) -> tuple[str, ...]:
    """Return the cohorts above a ClusterQueue, the nearest first."""
    objects = state.get("objects", {})
    name = objects.get(f"ClusterQueue/{cluster_queue}", {}).get("cohort_name", "")
    path: list[str] = []
    while name and name not in path:
        path.append(name)
        name = objects.get(f"Cohort/{name}", {}).get("parent_name", "")
    return tuple(path)
