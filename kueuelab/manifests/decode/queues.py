"""ResourceFlavor, ClusterQueue, Cohort and LocalQueue, from dicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from kueuelab.manifests.decode.meta import conditions, label_selector, metadata
from kueuelab.manifests.decode.pods import taints, tolerations
from kueuelab.model import (
    AdmissionCheckStrategyRule,
    BorrowWithinCohort,
    ClusterQueue,
    ClusterQueuePreemption,
    Cohort,
    ConcurrentAdmissionPolicy,
    FlavorFungibility,
    FlavorQuotas,
    LocalQueue,
    ResourceFlavor,
    ResourceGroup,
    ResourceQuota,
    quota_amount,
)
from kueuelab.quantity import Quantity

__all__ = ["cluster_queue", "cohort", "exact", "local_queue", "resource_flavor"]

_quota = lru_cache(maxsize=4096, typed=True)(quota_amount)

_NANO: Final = 10**9
_DEFAULT_FUNGIBILITY: Final = FlavorFungibility()
_DEFAULT_PREEMPTION: Final = ClusterQueuePreemption()
_MODELLED: Final = frozenset(
    (
        "resourceGroups",
        "cohortName",
        "queueingStrategy",
        "namespaceSelector",
        "flavorFungibility",
        "preemption",
        "admissionChecksStrategy",
        "stopPolicy",
        "fairSharing",
        "admissionScope",
        "concurrentAdmissionPolicy",
    )
)


def exact(quantity: Any) -> Fraction:
    """Return a quantity as the exact number that it is."""
    return Fraction(Quantity.parse(quantity).nano, _NANO)


def resource_flavor(obj: Mapping[str, Any]) -> ResourceFlavor:
    """Return a ResourceFlavor."""
    spec = obj.get("spec") or {}
    return ResourceFlavor(
        metadata=metadata(obj),
        node_labels=spec.get("nodeLabels") or {},
        node_taints=taints(spec.get("nodeTaints")),
        tolerations=tolerations(spec.get("tolerations")),
        topology_name=spec.get("topologyName"),
    )


def cluster_queue(obj: Mapping[str, Any]) -> ClusterQueue:
    """Return a ClusterQueue."""
    spec = obj.get("spec") or {}
    checks = spec.get("admissionChecksStrategy") or {}
    scope = spec.get("admissionScope") or {}
    return ClusterQueue(
        metadata=metadata(obj),
        resource_groups=_resource_groups(spec.get("resourceGroups")),
        cohort_name=spec.get("cohortName") or "",
        queueing_strategy=spec.get("queueingStrategy") or "BestEffortFIFO",
        namespace_selector=label_selector(spec.get("namespaceSelector")),
        flavor_fungibility=_fungibility(spec.get("flavorFungibility")),
        preemption=_preemption(spec.get("preemption")),
        admission_checks=tuple(
            AdmissionCheckStrategyRule(rule["name"], tuple(rule.get("onFlavors") or ()))
            for rule in checks.get("admissionChecks") or ()
        ),
        stop_policy=spec.get("stopPolicy") or "None",
        fair_weight=_fair_weight(spec),
        admission_mode=scope.get("admissionMode"),
        concurrent_admission=_concurrent_admission(spec.get("concurrentAdmissionPolicy")),
        extra_spec={name: spec[name] for name in spec if name not in _MODELLED},
    )


def _concurrent_admission(policy: Mapping[str, Any] | None) -> ConcurrentAdmissionPolicy | None:
    if policy is None:
        return None
    migration = policy.get("migration") or {}
    constraints = migration.get("constraints") or {}
    return ConcurrentAdmissionPolicy(
        migration.get("mode") or "TryPreferredFlavors",
        constraints.get("lastAcceptableFlavorName"),
    )


def cohort(obj: Mapping[str, Any]) -> Cohort:
    """Return a Cohort."""
    spec = obj.get("spec") or {}
    return Cohort(
        metadata=metadata(obj),
        parent_name=spec.get("parentName") or "",
        resource_groups=_resource_groups(spec.get("resourceGroups")),
        fair_weight=_fair_weight(spec),
    )


def local_queue(obj: Mapping[str, Any], namespace: str) -> LocalQueue:
    """Return a LocalQueue."""
    spec = obj.get("spec") or {}
    status = obj.get("status") or {}
    return LocalQueue(
        metadata=metadata(obj, namespace),
        cluster_queue=spec.get("clusterQueue") or "",
        stop_policy=spec.get("stopPolicy") or "None",
        fair_weight=_fair_weight(spec),
        conditions=conditions(status),
        status_extra={name: status[name] for name in status if name != "conditions"},
    )


def _fair_weight(spec: Mapping[str, Any]) -> Fraction | None:
    weight = (spec.get("fairSharing") or {}).get("weight")
    return None if weight is None else exact(weight)


def _resource_groups(groups: Iterable[Mapping[str, Any]] | None) -> tuple[ResourceGroup, ...]:
    return tuple(
        ResourceGroup(
            covered_resources=tuple(group.get("coveredResources") or ()),
            flavors=tuple(
                FlavorQuotas(
                    name=flavor["name"],
                    resources=tuple(map(_resource_quota, flavor.get("resources") or ())),
                )
                for flavor in group.get("flavors") or ()
            ),
        )
        for group in groups or ()
    )


def _resource_quota(entry: Mapping[str, Any]) -> ResourceQuota:
    name = entry["name"]
    nominal = entry.get("nominalQuota")
    borrowing = entry.get("borrowingLimit")
    lending = entry.get("lendingLimit")
    return ResourceQuota(
        name=name,
        # The API server's defaulting makes "0" of a quota that isn't there.
        nominal=0 if nominal is None else _quota(name, nominal),
        borrowing_limit=None if borrowing is None else _quota(name, borrowing),
        lending_limit=None if lending is None else _quota(name, lending),
    )


def _fungibility(value: Mapping[str, Any] | None) -> FlavorFungibility:
    if not value:
        return _DEFAULT_FUNGIBILITY
    return FlavorFungibility(
        when_can_borrow=value.get("whenCanBorrow") or "MayStopSearch",
        when_can_preempt=value.get("whenCanPreempt") or "TryNextFlavor",
        preference=value.get("preference"),
    )


def _preemption(value: Mapping[str, Any] | None) -> ClusterQueuePreemption:
    if not value:
        return _DEFAULT_PREEMPTION
    return ClusterQueuePreemption(
        within_cluster_queue=value.get("withinClusterQueue") or "Never",
        reclaim_within_cohort=value.get("reclaimWithinCohort") or "Never",
        borrow_within_cohort=_borrow_within_cohort(value.get("borrowWithinCohort") or {}),
    )


def _borrow_within_cohort(value: Mapping[str, Any]) -> BorrowWithinCohort | None:
    policy: Any = value.get("policy") or "Never"
    threshold = value.get("maxPriorityThreshold")
    # The server's default says the same as nothing.
    if policy == "Never" and threshold is None:
        return None
    return BorrowWithinCohort(policy=policy, max_priority_threshold=threshold)
