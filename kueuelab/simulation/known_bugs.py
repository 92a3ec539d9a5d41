"""Bugs of the modelled release that a cluster meets: Kueue decides so, and a later one does not.

The lab decides as the release does, bugs included. Each entry says by which state the bug
shows, what to do, and in which release it is fixed. See Kueue's ``CHANGELOG/CHANGELOG-0.19.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from kueuelab.messages import Message
from kueuelab.model import V0_19_2, Container, PodSpec, Release
from kueuelab.simulation.adjust import LIMIT_RANGE_PROBLEM
from kueuelab.simulation.admissibility import obstacle
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.workload import WorkloadState

__all__ = ["KNOWN_BUGS", "Bug", "KnownBug", "known_bugs"]


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug of a release.

    Attributes
    ----------
    id
        Names it.
    issue
        Its number in ``kubernetes-sigs/kueue``.
    fixed_in
        The first release without it.
    """

    id: str
    issue: int
    fixed_in: str


@dataclass(frozen=True, slots=True)
class KnownBug:
    """A bug that a run meets.

    Attributes
    ----------
    bug
        Which one.
    workload
        The workload whose course it changes.
    """

    bug: Bug
    workload: str

    def __str__(self) -> str:
        return str(self.as_text())

    def as_text(self) -> str:
        """Return what Kueue does wrong, what to do, and where it is fixed."""
        return Message(
            "simulation.known-bug",
            workload=self.workload,
            what=Message(f"simulation.known-bug.{self.bug.id}"),
            remedy=Message(f"simulation.known-bug.{self.bug.id}.remedy"),
            issue=self.bug.issue,
            release=self.bug.fixed_in,
        )


_REACTIVATED: Final = Bug("reactivated", 14879, "v0.19.3")
_LIMIT_RANGE_CHANGED: Final = Bug("limit-range-changed", 15029, "v0.19.3")
_LIMITS_ONLY: Final = Bug("limits-only", 15039, "v0.19.3")
_COMPLETED_POD_SET: Final = Bug("completed-pod-set", 15225, "v0.19.4")
_POD_LEVEL: Final = Bug("pod-level", 16047, "v0.19.6")

#: The bugs that a run can show, by release.
KNOWN_BUGS: Final[Mapping[Release, tuple[Bug, ...]]] = MappingProxyType(
    {
        V0_19_2: (
            *(_REACTIVATED, _LIMIT_RANGE_CHANGED, _LIMITS_ONLY),
            *(_COMPLETED_POD_SET, _POD_LEVEL),
        )
    }
)


def known_bugs(plane: ControlPlane) -> tuple[KnownBug, ...]:
    """Return the bugs that a cluster meets now."""
    known = KNOWN_BUGS[plane.configuration.release]
    found = [
        KnownBug(bug, state.key)
        for state in plane.workloads.values()
        for bug, shows in _BY_STATE.items()
        if not state.is_finished and shows(plane, state)
    ]
    return tuple(sorted((each for each in found if each.bug in known), key=_order))


def _order(found: KnownBug) -> tuple[str, int]:
    return found.workload, found.bug.issue


def _is_reactivated(plane: ControlPlane, state: WorkloadState) -> bool:
    """``Requeued`` stays ``False`` after a workload was activated again: no queue takes it."""
    requeued = state.conditions.get("Requeued")
    return (
        state.active
        and not state.has_quota_reservation
        and requeued is not None
        and requeued.status == "False"
        and requeued.reason.startswith("Deactivated")
    )


def _waits_for_a_limit_range(plane: ControlPlane, state: WorkloadState) -> bool:
    """The LimitRange that refused it allows it now, and nothing makes Kueue look again."""
    reserved = state.conditions.get("QuotaReserved")
    if reserved is None or not reserved.message.startswith(LIMIT_RANGE_PROBLEM):
        return False
    _, queue = plane.queue_of(state)
    return queue is not None and obstacle(plane, state, queue.spec.namespace_selector) is None


def _has_limits_only(plane: ControlPlane, state: WorkloadState) -> bool:
    """A container has a limit and no request, and a LimitRange has a default for requests."""
    defaults = {
        name
        for limit_range in plane.objects.limit_ranges_of(state.obj.metadata.namespace)
        for limit in limit_range.limits
        for name in limit.default_request
    }
    return bool(defaults) and any(
        name in defaults and name not in container.resources.requests
        for pod_set in plane.written(state).pod_sets
        for container in _containers(pod_set.template.spec)
        for name in container.resources.limits
    )


def _keeps_domains(plane: ControlPlane, state: WorkloadState) -> bool:
    """All pods of a pod set are done, and their domains still count as used."""
    assigned = state.topology_assignments
    counts = {pod_set.name: pod_set.count for pod_set in state.obj.pod_sets}
    return any(
        pod.name in assigned and pod.count >= counts.get(pod.name, pod.count + 1)
        for pod in state.reclaimable_pods
    )


def _has_smaller_pod_level(plane: ControlPlane, state: WorkloadState) -> bool:
    """The request of a pod as a whole is below that of its containers, which Kubernetes adds up."""
    for pod_set in plane.written(state).pod_sets:
        spec = pod_set.template.spec
        if spec.resources is None:
            continue
        for name, amount in spec.resources.requests.items():
            asked = [
                container.resources.requests[name].nano
                for container in spec.containers
                if name in container.resources.requests
            ]
            if sum(asked) > amount.nano:
                return True
    return False


def _containers(spec: PodSpec) -> tuple[Container, ...]:
    return (*spec.init_containers, *spec.containers)


_BY_STATE: Final[Mapping[Bug, Callable[[ControlPlane, WorkloadState], bool]]] = MappingProxyType(
    {
        _REACTIVATED: _is_reactivated,
        _LIMIT_RANGE_CHANGED: _waits_for_a_limit_range,
        _LIMITS_ONLY: _has_limits_only,
        _COMPLETED_POD_SET: _keeps_domains,
        _POD_LEVEL: _has_smaller_pod_level,
    }
)
