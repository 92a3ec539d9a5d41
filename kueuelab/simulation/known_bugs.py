"""Bugs of the modelled release that a cluster meets: Kueue decides so, and a later one does not.

The lab decides as the release does, bugs included. Each entry says by which state the bug
shows, what to do, and in which release it is fixed. See Kueue's ``CHANGELOG/CHANGELOG-0.19.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from kueuelab.messages import Catalog, Message
from kueuelab.simulation import bug_signs as signs
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.trace.explanation import Explanation, Line, Section
from kueuelab.trace.searches import searches
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import MessageParts
from kueuelab.workload import WorkloadState

__all__ = ["KNOWN_BUGS", "Bug", "KnownBug", "known_bugs", "with_bugs"]


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
_FAIR_AFTER_OWN: Final = Bug("fair-after-own", 14122, "v0.19.3")
_REJECTED: Final = Bug("rejected", 14871, "v0.19.3")
_SAME_NAME: Final = Bug("same-name", 14876, "v0.19.3")
_UNHEALTHY: Final = Bug("unhealthy", 15655, "v0.19.5")
_LEADER: Final = Bug("leader-without-node", 15690, "v0.19.5")
_SPARK: Final = Bug("spark", 15923, "v0.19.6")
_EXCLUDED_INPUT: Final = Bug("excluded-input", 16053, "v0.19.6")
_NOT_UNCONSTRAINED: Final = Bug("not-unconstrained", 15847, "v0.19.6")
_SPLIT_GROUP: Final = Bug("split-group", 16273, "v0.19.7")
_PODS_QUOTA: Final = Bug("pods-quota", 16200, "v0.19.7")

_OF_V0_19_2: Final = (
    *(_REACTIVATED, _LIMIT_RANGE_CHANGED, _LIMITS_ONLY, _FAIR_AFTER_OWN, _REJECTED),
    *(_SAME_NAME, _COMPLETED_POD_SET, _UNHEALTHY, _LEADER, _POD_LEVEL, _SPARK),
    *(_EXCLUDED_INPUT, _NOT_UNCONSTRAINED, _SPLIT_GROUP, _PODS_QUOTA),
)
#: Those that the notes of v0.18.7 and v0.18.8 name.
_OF_V0_18_6: Final = (
    *(replace(bug, fixed_in="v0.18.7") for bug in _OF_V0_19_2[:6]),
    replace(_COMPLETED_POD_SET, fixed_in="v0.18.8"),
)

#: The bugs that a run can show, by version. All of v0.19.2 were found after v0.20-dev was cut.
KNOWN_BUGS: Final[Mapping[str, tuple[Bug, ...]]] = MappingProxyType(
    {
        "v0.18.6": _OF_V0_18_6,
        "v0.19.2": _OF_V0_19_2,
        "v0.20-dev": tuple(replace(bug, fixed_in="v0.20.0") for bug in _OF_V0_19_2),
    }
)


def known_bugs(plane: ControlPlane, trace: Trace | None = None) -> tuple[KnownBug, ...]:
    """Return the bugs that a cluster meets now.

    Parameters
    ----------
    plane
        Its objects and workloads.
    trace
        The record. Without it, bugs that only a search for targets shows are left out.
    """
    known = KNOWN_BUGS.get(plane.configuration.release.version, ())
    found = [
        KnownBug(bug, state.key)
        for state in plane.workloads.values()
        for bug, shows in _BY_STATE.items()
        if not state.is_finished and shows(plane, state)
    ]
    if trace is not None and plane.configuration.fair_sharing_enabled:
        found += [
            KnownBug(_FAIR_AFTER_OWN, state.key)
            for state in plane.workloads.values()
            if not state.is_finished and _misses_targets(trace, state)
        ]
    return tuple(sorted((each for each in found if each.bug in known), key=_order))


def with_bugs(
    explanation: Explanation, found: Iterable[KnownBug], plane: ControlPlane, catalog: Catalog
) -> Explanation:
    """Return the explanation of a workload with the known bugs that it meets.

    A bug of another workload counts where it takes what this one waits for.
    """
    state = plane.workloads.get(explanation.workload)
    waits = state is not None and not state.has_quota_reservation and state.asks_for_topology
    own = (
        each
        for each in found
        if each.workload == explanation.workload or (waits and each.bug == _COMPLETED_POD_SET)
    )
    lines = tuple(
        Line(catalog.render(each.as_text()), each.workload, "bug", each.bug.id) for each in own
    )
    if not lines:
        return explanation
    section = Section("bugs", MessageParts(catalog)("section.bugs"), lines)
    return replace(explanation, sections=(*explanation.sections, section))


def _order(found: KnownBug) -> tuple[str, int]:
    return found.workload, found.bug.issue


def _misses_targets(trace: Trace, state: WorkloadState) -> bool:
    """Tell whether its last search took jobs of its own queue, and then looked at no others again.

    Its share has fallen by then, so that a job that was passed over may be a target after all.
    """
    if state.has_quota_reservation:
        return False
    made = searches(trace.about(state.key), state.key)
    if not made or made[-1].targets:
        return False
    queues = {each.candidate: each.queue for each in made[-1].verdicts}
    return any(
        attempt.strategy
        and any(queues.get(key) == made[-1].queue for key in attempt.removed)
        and any(queues.get(key) != made[-1].queue for key in attempt.passed_over)
        for attempt in made[-1].attempts
    )


_BY_STATE: Final[Mapping[Bug, Callable[[ControlPlane, WorkloadState], bool]]] = MappingProxyType(
    {
        _REACTIVATED: signs.is_reactivated,
        _LIMIT_RANGE_CHANGED: signs.waits_for_a_limit_range,
        _LIMITS_ONLY: signs.has_limits_only,
        _COMPLETED_POD_SET: signs.keeps_domains,
        _POD_LEVEL: signs.has_smaller_pod_level,
        _REJECTED: signs.is_admitted_though_rejected,
        _SAME_NAME: signs.shares_the_name_of_its_queue,
        _UNHEALTHY: signs.is_unhealthy_without_quota,
        _EXCLUDED_INPUT: signs.excludes_an_input,
        _SPLIT_GROUP: signs.has_a_split_group,
        _LEADER: signs.has_a_leader_without_node,
        _PODS_QUOTA: signs.counts_pods_too_late,
        _SPARK: signs.is_a_spark_application,
        _NOT_UNCONSTRAINED: signs.is_not_unconstrained,
    }
)
