"""Whether the nodes of a cluster have room for its quota."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kueuelab.model import Node
from kueuelab.quantity import to_int

if TYPE_CHECKING:
    from kueuelab.multikueue.jobs import Job
    from kueuelab.multikueue.member_cluster import MemberCluster

__all__ = ["has_nodes", "room_for"]

_NO_END: Final = 2**31


def _nodes(member: MemberCluster) -> list[Node]:
    return [obj for obj in member.cluster.objects if isinstance(obj, Node)]


def has_nodes(member: MemberCluster) -> bool:
    """Tell whether a cluster's nodes are known; otherwise every pod has a node."""
    return bool(_nodes(member))


def room_for(member: MemberCluster, job: Job) -> int:
    """Return how many more pods of a job fit on the nodes, by cpu."""
    nodes = _nodes(member)
    if not nodes:
        return _NO_END
    now = member.loop.now
    total = sum(to_int("cpu", node.allocatable.get("cpu", 0)) for node in nodes)
    used = sum(
        _cpu_of(member, other)
        * sum(pod.has_node and (pod.is_alive(now) or pod.is_going(now)) for pod in other.pods)
        for other in member.jobs.values()
    )
    each = _cpu_of(member, job)
    return max(total - used, 0) // each if each else _NO_END


def _cpu_of(member: MemberCluster, job: Job) -> int:
    """Return the cpu request of each pod of a job, in milli."""
    state = next((s for key in job.workload_keys if (s := member.workloads.get(key))), None)
    requests = () if state is None else state.requests
    pods = sum(each.count for each in requests)
    return sum(each.requests.get("cpu", 0) for each in requests) // pods if pods else 0
