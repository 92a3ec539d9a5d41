"""What the scheduler asks about the variants of one workload: which of them is admitted.

The flavors of a ClusterQueue are in order of preference. See KEP-8691.
"""

from __future__ import annotations

from kueuelab.scheduler.entry import Entry
from kueuelab.workload import WorkloadState
from kueuelab.workload.variants import flavor_index, parent_uid

__all__ = ["less_preferred_sibling", "may_migrate", "preferred_sibling"]


def preferred_sibling(entry: Entry) -> WorkloadState | None:
    """Return an admitted variant of the same workload with a more preferred flavor, if any."""
    return _admitted_sibling(entry, more_preferred=True)


def less_preferred_sibling(entry: Entry) -> WorkloadState | None:
    """Return an admitted variant of the same workload with a less preferred flavor, if any."""
    return _admitted_sibling(entry, more_preferred=False)


def _admitted_sibling(entry: Entry, *, more_preferred: bool) -> WorkloadState | None:
    flavors = _flavors(entry)
    own, parent = flavor_index(entry.workload.obj, flavors), parent_uid(entry.workload.obj)
    if own is None:
        return None
    for state in entry.node.workloads.values():
        if not state.is_admitted or parent_uid(state.obj) != parent:
            continue
        index = flavor_index(state.obj, flavors)
        if index is not None and index != own and (index < own) == more_preferred:
            return state
    return None


def may_migrate(entry: Entry) -> bool:
    """Tell whether the policy of the ClusterQueue lets a workload migrate to a variant's flavor."""
    policy = entry.node.concurrent_admission
    if policy is None or policy.last_acceptable_flavor is None:
        return True
    flavors = _flavors(entry)
    own = flavor_index(entry.workload.obj, flavors)
    return own is not None and own <= flavors.index(policy.last_acceptable_flavor)


def _flavors(entry: Entry) -> list[str]:
    groups = entry.node.resource_groups
    return [flavor.name for flavor in groups[0].flavors] if groups else []
