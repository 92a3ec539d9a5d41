"""v1beta1 manifests to v1beta2, as Kueue's conversion webhook does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from kueuelab.messages import Message

__all__ = ["CONVERTERS", "Converted"]

#: The converted manifest, and what changed, in the words "from -> to".
Converted: TypeAlias = tuple[dict[str, Any], list[str]]

_CLASS_REFERENCES: Final = {
    "kueue.x-k8s.io/workloadpriorityclass": ("kueue.x-k8s.io", "WorkloadPriorityClass"),
    "scheduling.k8s.io/priorityclass": ("scheduling.k8s.io", "PriorityClass"),
}


def _spec(obj: Mapping[str, Any]) -> dict[str, Any]:
    return dict(obj.get("spec") or {})


def _cluster_queue(obj: Mapping[str, Any]) -> Converted:
    spec = _spec(obj)
    changes = []
    cohort = spec.pop("cohort", None)
    if cohort:
        spec["cohortName"] = cohort
        changes.append("spec.cohort -> spec.cohortName")
    checks = spec.pop("admissionChecks", None)
    if checks:
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": name} for name in checks]}
        changes.append("spec.admissionChecks -> spec.admissionChecksStrategy")
    fungibility = dict(spec.get("flavorFungibility") or {})
    for field, old in (("whenCanBorrow", "Borrow"), ("whenCanPreempt", "Preempt")):
        if fungibility.get(field) == old:
            fungibility[field] = "MayStopSearch"
            spec["flavorFungibility"] = fungibility
            changes.append(f"spec.flavorFungibility.{field} {old} -> MayStopSearch")
    return {**obj, "spec": spec}, changes


def _workload(obj: Mapping[str, Any]) -> Converted:
    spec = _spec(obj)
    changes = []
    name = spec.pop("priorityClassName", None)
    source = spec.pop("priorityClassSource", None)
    if source in _CLASS_REFERENCES and name:
        group, kind = _CLASS_REFERENCES[source]
        spec["priorityClassRef"] = {"group": group, "kind": kind, "name": name}
        changes.append("spec.priorityClassName -> spec.priorityClassRef")
    converted = {**obj, "spec": spec}
    if obj.get("status"):
        converted["status"] = _workload_status(obj["status"], changes)
    return converted, changes


def _workload_status(old: Mapping[str, Any], changes: list[str]) -> dict[str, Any]:
    status = dict(old)
    seconds = status.pop("accumulatedPastExexcutionTimeSeconds", None)
    if seconds is not None:
        status["accumulatedPastExecutionTimeSeconds"] = seconds
    admission = status.get("admission")
    if admission:
        assignments = [
            {**entry, "topologyAssignment": _topology_assignment(entry["topologyAssignment"])}
            if (entry.get("topologyAssignment") or {}).get("domains")
            else entry
            for entry in admission.get("podSetAssignments") or ()
        ]
        if assignments != admission.get("podSetAssignments"):
            changes.append("topologyAssignment.domains -> topologyAssignment.slices")
        status["admission"] = {**admission, "podSetAssignments": assignments}
    return status


def _topology_assignment(old: Mapping[str, Any]) -> dict[str, Any]:
    """Return the domains as slices; one slice of individual values holds them all."""
    domains = old.get("domains") or []
    levels = old.get("levels") or []
    values = [
        {"individual": {"roots": [(domain.get("values") or [])[level] for domain in domains]}}
        for level in range(min((len(d.get("values") or []) for d in domains), default=0))
    ][: len(levels)]
    counts = [domain["count"] for domain in domains]
    return {
        "levels": levels,
        "slices": [
            {
                "domainCount": len(domains),
                "valuesPerLevel": values,
                "podCounts": {"individual": counts},
            }
        ],
    }


def _multi_kueue_cluster(obj: Mapping[str, Any]) -> Converted:
    spec = _spec(obj)
    source = {
        name: spec.pop(name) for name in ("kubeConfig", "clusterProfileRef") if spec.get(name)
    }
    if not source:
        return dict(obj), []
    spec["clusterSource"] = source
    return {**obj, "spec": spec}, [f"spec.{name} -> spec.clusterSource.{name}" for name in source]


def _local_queue(obj: Mapping[str, Any]) -> Converted:
    status = dict(obj.get("status") or {})
    if "flavorUsage" not in status:
        return dict(obj), []
    status["flavorsUsage"] = status.pop("flavorUsage")
    return {**obj, "status": status}, []


def _admission_check(obj: Mapping[str, Any]) -> Converted:
    spec = _spec(obj)
    if "retryDelayMinutes" not in spec:
        return dict(obj), []
    del spec["retryDelayMinutes"]
    return {**obj, "spec": spec}, [Message("manifests.v1beta1.retry-delay")]


#: Kinds whose fields differ; all others only change their version.
CONVERTERS: Final[Mapping[str, Callable[[Mapping[str, Any]], Converted]]] = {
    "ClusterQueue": _cluster_queue,
    "Workload": _workload,
    "MultiKueueCluster": _multi_kueue_cluster,
    "LocalQueue": _local_queue,
    "AdmissionCheck": _admission_check,
}
