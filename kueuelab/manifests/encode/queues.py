"""ResourceFlavor, ClusterQueue, Cohort and LocalQueue to dicts."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from kueuelab.manifests.encode.parts import (
    amount,
    compact,
    conditions,
    exact,
    selector,
    taints,
    tolerations,
)
from kueuelab.model import (
    BorrowWithinCohort,
    ClusterQueue,
    ClusterQueuePreemption,
    Cohort,
    LocalQueue,
    ResourceFlavor,
    ResourceGroup,
)

__all__ = ["cluster_queue", "cohort", "local_queue", "resource_flavor"]


def resource_flavor(flavor: ResourceFlavor) -> dict[str, Any]:
    """Return what a ResourceFlavor says beside its metadata."""
    return {
        "spec": compact(
            nodeLabels=dict(flavor.node_labels),
            nodeTaints=taints(flavor.node_taints),
            tolerations=tolerations(flavor.tolerations),
            topologyName=flavor.topology_name,
        )
    }


def cluster_queue(queue: ClusterQueue) -> dict[str, Any]:
    """Return what a ClusterQueue says beside its metadata."""
    spec = compact(
        cohortName=queue.cohort_name,
        queueingStrategy=queue.queueing_strategy,
        resourceGroups=_resource_groups(queue.resource_groups),
        preemption=_preemption(queue.preemption),
        flavorFungibility=compact(
            whenCanBorrow=queue.flavor_fungibility.when_can_borrow,
            whenCanPreempt=queue.flavor_fungibility.when_can_preempt,
            preference=queue.flavor_fungibility.preference,
        ),
        admissionChecksStrategy=compact(
            admissionChecks=[
                compact(name=rule.name, onFlavors=list(rule.on_flavors))
                for rule in queue.admission_checks
            ]
        ),
        stopPolicy=queue.stop_policy if queue.stop_policy != "None" else None,
        fairSharing=_fair_sharing(queue.fair_weight),
        admissionScope=compact(admissionMode=queue.admission_mode),
    )
    policy = queue.concurrent_admission
    if policy is not None:
        constraints = compact(lastAcceptableFlavorName=policy.last_acceptable_flavor)
        migration = compact(mode=policy.mode, constraints=constraints)
        spec["concurrentAdmissionPolicy"] = {"migration": migration}
    if queue.namespace_selector is not None:
        spec["namespaceSelector"] = selector(queue.namespace_selector)
    return {"spec": {**spec, **queue.extra_spec}}


def cohort(obj: Cohort) -> dict[str, Any]:
    """Return what a Cohort says beside its metadata."""
    return {
        "spec": compact(
            parentName=obj.parent_name,
            resourceGroups=_resource_groups(obj.resource_groups),
            fairSharing=_fair_sharing(obj.fair_weight),
        )
    }


def local_queue(queue: LocalQueue) -> dict[str, Any]:
    """Return what a LocalQueue says beside its metadata."""
    status = {**compact(conditions=conditions(queue.conditions)), **queue.status_extra}
    return compact(
        spec=compact(
            clusterQueue=queue.cluster_queue,
            stopPolicy=queue.stop_policy if queue.stop_policy != "None" else None,
            fairSharing=_fair_sharing(queue.fair_weight),
        ),
        status=status,
    )


def _fair_sharing(weight: Fraction | None) -> dict[str, Any]:
    return compact(weight=exact(weight))


def _resource_groups(groups: Iterable[ResourceGroup]) -> list[dict[str, Any]]:
    return [
        {
            "coveredResources": list(group.covered_resources),
            "flavors": [
                {
                    "name": flavor.name,
                    "resources": [
                        compact(
                            name=quota.name,
                            nominalQuota=amount(quota.name, quota.nominal),
                            borrowingLimit=amount(quota.name, quota.borrowing_limit),
                            lendingLimit=amount(quota.name, quota.lending_limit),
                        )
                        for quota in flavor.resources
                    ],
                }
                for flavor in group.flavors
            ],
        }
        for group in groups
    ]


def _preemption(preemption: ClusterQueuePreemption) -> dict[str, Any]:
    return compact(
        withinClusterQueue=preemption.within_cluster_queue,
        reclaimWithinCohort=preemption.reclaim_within_cohort,
        borrowWithinCohort=_borrow(preemption.borrow_within_cohort),
    )


def _borrow(borrow: BorrowWithinCohort | None) -> dict[str, Any] | None:
    if borrow is None:
        return None
    return compact(policy=borrow.policy, maxPriorityThreshold=borrow.max_priority_threshold)
