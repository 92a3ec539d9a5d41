"""Whether the nodes of a cluster have room for its quota."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kueuelab.model import Node
from kueuelab.quantity import to_int

if TYPE_CHECKING:
    from kueuelab.multikueue.jobs import Job
    from kueuelab.multikueue.site import Site

__all__ = ["has_nodes", "room_for"]

_NO_END: Final = 2**31


def _nodes(site: Site) -> list[Node]:
    return [obj for obj in site.cluster.objects if isinstance(obj, Node)]


def has_nodes(site: Site) -> bool:
    """Tell whether a cluster's nodes are known; otherwise every pod has a node."""
    return bool(_nodes(site))


def room_for(site: Site, job: Job) -> int:
    """Return how many more pods of a job fit on the nodes, by cpu."""
    nodes = _nodes(site)
    if not nodes:
        return _NO_END
    now = site.loop.now
    total = sum(to_int("cpu", node.allocatable.get("cpu", 0)) for node in nodes)
    used = sum(
        _cpu_of(site, other)
        * sum(pod.has_node and (pod.is_alive(now) or pod.is_going(now)) for pod in other.pods)
        for other in site.jobs.values()
    )
    each = _cpu_of(site, job)
    return max(total - used, 0) // each if each else _NO_END


def _cpu_of(site: Site, job: Job) -> int:
    """Return the cpu request of each pod of a job, in milli."""
    state = next((s for key in job.workload_keys if (s := site.workloads.get(key))), None)
    requests = () if state is None else state.requests
    pods = sum(each.count for each in requests)
    return sum(each.requests.get("cpu", 0) for each in requests) // pods if pods else 0
