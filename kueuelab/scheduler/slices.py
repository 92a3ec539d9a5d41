"""A slice of an elastic job that replaces another one: it competes for the difference only.

Nomination, the third step of a scheduling cycle, takes off what the replaced slice holds. See
KEP-77 and https://kueue.sigs.k8s.io/docs/concepts/elastic_workload/.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kueuelab.model import FlavorResource
from kueuelab.quota import ClusterQueueNode
from kueuelab.workload import PodSetRequests, WorkloadState

if TYPE_CHECKING:
    from kueuelab.scheduler.entry import Entry

__all__ = ["beyond_replaced", "replaced_slice"]


def replaced_slice(entry: Entry, queue: ClusterQueueNode) -> WorkloadState | None:
    """Return the slice that an entry replaces, if it holds quota in the same ClusterQueue."""
    if not entry.replaces or entry.replaces not in queue.candidates:
        return None
    replaced = queue.workloads[entry.replaces]
    same_namespace = replaced.obj.namespace == entry.workload.obj.namespace
    return replaced if same_namespace else None


def beyond_replaced(
    replaced: Sequence[PodSetRequests], pod_sets: Iterable[int], fr: FlavorResource, amount: int
) -> tuple[int, str]:
    """Return what is needed beyond the replaced slice, and why the flavor can't be used.

    Pods that run keep their flavor, so the new slice has to get the same.

    Parameters
    ----------
    replaced
        What the replaced slice holds, pod set by pod set.
    pod_sets
        The positions of the pod sets that ask for ``amount`` together.
    fr
        The flavor that is tried, and the resource.
    amount
        What all pods of the new slice request.

    Examples
    --------
    >>> held = [PodSetRequests("main", 2, {"cpu": 2000}, {"cpu": "spot"})]
    >>> beyond_replaced(held, [0], ("spot", "cpu"), 5000)
    (3000, '')
    >>> beyond_replaced(held, [0], ("reserved", "cpu"), 5000)[1]
    'could not assign reserved flavor since the original workload is assigned: spot'
    """
    name, resource = fr
    for index in pod_sets:
        held = replaced[index]
        flavor = held.flavors.get(resource, "")
        if flavor != name:
            return amount, (
                f"could not assign {name} flavor since the original workload is assigned: {flavor}"
            )
        amount -= held.requests.get(resource, 0)
    return amount, ""
