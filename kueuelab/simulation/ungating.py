"""The pods of admitted workloads get their nodes: what Kueue's topology ungater does.

In a scenario pods run where they are assigned, and nothing depends on which pod is where. It is
followed for the record only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.status import phase_of
from kueuelab.topology.ungate import domains_by_rank, in_runs, ranked_pod_sets
from kueuelab.trace.steps import PodsUngated
from kueuelab.workload import WorkloadState

__all__ = ["follow_pods", "lose_pods"]

#: A pod set's pods by rank: their domains, whether ranks decided, whether they have ranks.
Pods: TypeAlias = tuple[tuple[str, ...], bool, bool]


def follow_pods(plane: ControlPlane, state: WorkloadState) -> None:
    """Record which pods go to which domains, once a workload with an assignment is admitted."""
    if not plane.pods_follow_assignments:
        return
    known = plane.ungated.get(state.key)
    if phase_of(state) != "admitted":
        if known is not None:
            del plane.ungated[state.key]
            _announce(plane, state.key, {})
        return
    if not state.topology_assignments or state.is_evicted or state.is_on_unhealthy_node:
        return
    found = _domains(state, known or {})
    if found == known:
        return
    plane.ungated[state.key] = found
    _announce(plane, state.key, found)
    facts = PodsUngated(
        tuple(
            (name, "any" if not ranked else "rank" if by_rank else "stay", in_runs(domains))
            for name, (domains, by_rank, ranked) in found.items()
        )
    )
    plane.record(facts, state.key)


def lose_pods(plane: ControlPlane, key: str, node: str) -> None:
    """Note that the pods of a workload on a node are gone: those that replace them are gated."""
    known = plane.ungated.get(key)
    if known is not None:
        plane.ungated[key] = left = {
            name: (tuple("" if _node(at) == node else at for at in domains), by_rank, ranked)
            for name, (domains, by_rank, ranked) in known.items()
        }
        _announce(plane, key, left)


def _node(domain: str) -> str:
    return domain.rpartition(",")[2]


def _announce(plane: ControlPlane, key: str, pods: Mapping[str, Pods]) -> None:
    """Announce the domains of pods that have ranks, in the order of these."""
    shown = {
        name: [list(run) for run in in_runs(domains)]
        for name, (domains, _, ranked) in pods.items()
        if ranked
    }
    plane.announce("workloads", key, "pods", shown or None)


def _domains(state: WorkloadState, known: Mapping[str, Pods]) -> dict[str, Pods]:
    """Return where the pods of each pod set with an assignment go."""
    assert state.admission is not None
    counts = {each.name: each.count or 0 for each in state.admission.pod_set_assignments}
    found: dict[str, Pods] = {}
    for name, ranked in ranked_pod_sets(state.obj.pod_sets, counts):
        assignment = state.topology_assignments.get(name)
        if assignment is not None:
            before = known[name][0] if name in known else ()
            # Where there is no place for all pods, Kueue reads no ranks.
            ranked = ranked and assignment.pods >= counts[name]
            domains, by_rank = domains_by_rank(assignment, counts[name], before, ranked=ranked)
            found[name] = (domains, by_rank, ranked)
    return found
