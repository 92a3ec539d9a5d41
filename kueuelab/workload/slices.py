"""Slices of an elastic job: Workloads of which one replaces the other while the job runs.

A job that grows gets a new slice for all its pods. The slice names the one that it replaces,
competes for the difference only, and the replaced one finishes as soon as it has quota. See
KEP-77 and https://kueue.sigs.k8s.io/docs/concepts/elastic_workload/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kueuelab.model import PodSet, Workload

__all__ = ["REPLACEMENT_FOR", "only_shrinks", "pod_counts", "replacement_for"]

#: On a slice: ``namespace/name`` of the slice that it replaces.
REPLACEMENT_FOR: Final = "kueue.x-k8s.io/workload-slice-replacement-for"


def replacement_for(workload: Workload) -> str:
    """Return the key of the slice that a workload replaces; ``""`` if it replaces none.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta
    >>> meta = ObjectMeta("a-2", annotations={REPLACEMENT_FOR: "default/a-1"})
    >>> replacement_for(Workload(meta))
    'default/a-1'
    >>> replacement_for(Workload(ObjectMeta("b")))
    ''
    """
    annotations = workload.metadata.annotations
    return annotations.get(REPLACEMENT_FOR, "") if annotations else ""


def pod_counts(pod_sets: Iterable[PodSet]) -> dict[str, int]:
    """Return how many pods each pod set has."""
    return {pod_set.name: pod_set.count for pod_set in pod_sets}


def only_shrinks(before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    """Tell whether some pod set gets smaller, and none larger.

    Examples
    --------
    >>> only_shrinks({"driver": 1, "worker": 4}, {"driver": 1, "worker": 2})
    True
    >>> only_shrinks({"driver": 1, "worker": 4}, {"driver": 2, "worker": 2})
    False
    """
    changes = [after.get(name, count) - count for name, count in before.items()]
    return min(changes, default=0) < 0 and max(changes) <= 0
