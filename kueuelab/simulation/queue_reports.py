"""The counters in ClusterQueue status, and the workloads that become active by their changes.

Each time the status of a ClusterQueue changes, Kueue reconciles the cohorts above it, the
root excepted; and reconciling a Cohort retries whatever is inadmissible in its tree. So in
trees of more than two levels, any admission or finish gives all others another chance.
"""

from __future__ import annotations

from typing import Any

from kueuelab.quota import ClusterQueueNode, CohortNode, dominant_resource_share
from kueuelab.simulation.control_plane import ControlPlane

__all__ = ["publish", "republish_all"]


def publish(plane: ControlPlane) -> None:
    """Bring the status of ClusterQueues up to date that something happened in."""
    touched, plane.touched = plane.touched, {}
    if not plane.has_nested_cohorts:
        return
    trees: dict[str, str] = {}
    for name in touched:
        report = _report(plane, name)
        if report != plane.reports.get(name):
            if report is None:
                plane.reports.pop(name, None)
            else:
                plane.reports[name] = report
            _note_tree(plane, name, trees)
    for name in trees.values():
        wake_tree(plane, name)


def _note_tree(plane: ControlPlane, name: str, trees: dict[str, str]) -> None:
    root = plane.tree.root_name(name)
    if root is None or not is_nested(plane, plane.tree.cluster_queues[name].parent):
        return
    # The status of one that is being deleted does not matter.
    if not plane.objects.is_terminating("ClusterQueue", name):
        trees.setdefault(root, name)


def is_nested(plane: ControlPlane, cohort: CohortNode | None) -> bool:
    """Tell whether a cohort has another one above it, and no cycle in between."""
    return cohort is not None and cohort.parent is not None and not cohort.is_in_cycle


def wake_tree(plane: ControlPlane, cluster_queue: str) -> None:
    """Do to a ClusterQueue's tree what reconciling a Cohort in it does."""
    for name in plane.tree.cluster_queues_in_tree(cluster_queue):
        plane.tree.cluster_queues[name].generation += 1
    plane.wake([cluster_queue])


def wake_below(plane: ControlPlane, cohort: str) -> None:
    """Retry in the tree of a cohort that a ClusterQueue has just left, if it is nested."""
    node = plane.tree.cohorts.get(cohort)
    if node is None or not is_nested(plane, node):
        return
    root = node.root
    if isinstance(root, CohortNode):
        for queue in root.cluster_queues():
            wake_tree(plane, queue.name)
            return


def republish_all(plane: ControlPlane) -> None:
    """Take stock once cohorts become nested; until then the counters are not needed."""
    plane.has_nested_cohorts = True
    for name in plane.tree.cluster_queues:
        plane.reports[name] = _report(plane, name)


def _report(plane: ControlPlane, name: str) -> Any:
    node = plane.tree.cluster_queues.get(name)
    queue = plane.statuses.get(name)
    if node is None or queue is None:
        return None
    return (
        queue.active,
        queue.message,
        {fr: value for fr, value in node.usage.items() if value},
        len(node.workloads),
        plane.admitted_in.get(name, 0),
        plane.queues.pending_count(name),
        _share(plane, node),
    )


def _share(plane: ControlPlane, node: ClusterQueueNode) -> int:
    if plane.configuration.fair_sharing is None:
        return 0
    return dominant_resource_share(node).rounded
