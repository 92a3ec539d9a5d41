"""Manifests of 2022 (v1alpha1, v1alpha2) to v1beta2, as far as they mean the same.

Then a ClusterQueue listed flavors below each resource, with a ``min`` of its own and a
``max`` that borrowing could reach; now resources that share their flavors form a group,
and the limit counts from the nominal quota.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from kueuelab.manifests.versions import v1beta1
from kueuelab.manifests.versions.v1beta1 import Converted
from kueuelab.messages import Message
from kueuelab.quantity import Quantity

__all__ = ["CONVERTERS"]


def _queue(obj: Mapping[str, Any]) -> Converted:
    changes = [] if obj["kind"] == "LocalQueue" else ["kind Queue -> LocalQueue"]
    return {**obj, "kind": "LocalQueue", "status": None}, changes


def _cluster_queue(obj: Mapping[str, Any]) -> Converted:
    spec = dict(obj.get("spec") or {})
    changes = []
    cohort = spec.pop("cohort", None)
    if cohort:
        spec["cohortName"] = cohort
        changes.append("spec.cohort -> spec.cohortName")
    resources = spec.pop("resources", None)
    if resources:
        spec["resourceGroups"] = _resource_groups(resources, bool(cohort))
        changes.append("spec.resources -> spec.resourceGroups")
        changes.append("quota.min -> nominalQuota")
        if any("max" in flavor["quota"] for entry in resources for flavor in entry["flavors"]):
            changes.append(
                "quota.max -> borrowingLimit (max less min)"
                if cohort
                else Message("manifests.v1alpha1.quota-max")
            )
    return {**obj, "spec": spec, "status": None}, changes


def _resource_groups(resources: list[Mapping[str, Any]], in_cohort: bool) -> list[dict[str, Any]]:
    """Put resources with the same flavors, in the same order, into one group."""
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for resource in resources:
        flavors = tuple(flavor["name"] for flavor in resource["flavors"])
        groups.setdefault(flavors, []).append(resource)
    return [
        {
            "coveredResources": [resource["name"] for resource in members],
            "flavors": [
                {
                    "name": name,
                    "resources": [
                        _resource_quota(resource["name"], resource["flavors"][place], in_cohort)
                        for resource in members
                    ],
                }
                for place, name in enumerate(flavors)
            ],
        }
        for flavors, members in groups.items()
    ]


def _resource_quota(name: str, flavor: Mapping[str, Any], in_cohort: bool) -> dict[str, Any]:
    quota = flavor["quota"]
    result = {"name": name, "nominalQuota": quota["min"]}
    if in_cohort and quota.get("max") is not None:
        most, least = Quantity.parse(quota["max"]), Quantity.parse(quota["min"])
        result["borrowingLimit"] = str(Quantity(max(most.nano - least.nano, 0), most.format))
    return result


def _resource_flavor(obj: Mapping[str, Any]) -> Converted:
    rest = dict(obj)
    labels = {**(rest.pop("labels", None) or {}), **(rest.pop("nodeSelector", None) or {})}
    taints = rest.pop("taints", None)
    changes = []
    spec: dict[str, Any] = {}
    if labels:
        spec["nodeLabels"] = labels
        changes.append("labels -> spec.nodeLabels")
    if taints:
        spec["nodeTaints"] = taints
        changes.append("taints -> spec.nodeTaints")
    return {**rest, "spec": spec}, changes


def _workload(obj: Mapping[str, Any]) -> Converted:
    spec = dict(obj.get("spec") or {})
    changes = [] if obj["kind"] == "Workload" else [f"kind {obj['kind']} -> Workload"]
    pod_sets = spec.pop("podSets", None) or spec.pop("pods", None) or []
    spec["podSets"] = [
        {
            **{name: value for name, value in pod_set.items() if name != "spec"},
            "template": {"spec": pod_set["spec"]},
        }
        for pod_set in pod_sets
    ]
    spec.pop("pods", None)
    changes.append("podSets[].spec -> podSets[].template.spec")
    name = spec.pop("priorityClassName", None)
    if name and spec.get("priority") is not None:
        spec["priorityClassRef"] = {
            "group": "scheduling.k8s.io",
            "kind": "PriorityClass",
            "name": name,
        }
        changes.append("spec.priorityClassName -> spec.priorityClassRef")
    if spec.pop("admission", None):
        changes.append(Message("manifests.v1alpha1.admission"))
    return {**obj, "kind": "Workload", "spec": spec, "status": None}, changes


def _cohort(obj: Mapping[str, Any]) -> Converted:
    spec = dict(obj.get("spec") or {})
    parent = spec.pop("parent", None)
    if not parent:
        return dict(obj), []
    spec["parentName"] = parent
    return {**obj, "spec": spec}, ["spec.parent -> spec.parentName"]


#: Kinds whose fields differ; all others only change their version.
CONVERTERS: Final[Mapping[str, Callable[[Mapping[str, Any]], Converted]]] = {
    "Queue": _queue,
    "LocalQueue": _queue,
    "ClusterQueue": _cluster_queue,
    "ResourceFlavor": _resource_flavor,
    "Workload": _workload,
    "QueuedWorkload": _workload,
    "Cohort": _cohort,
    "MultiKueueCluster": v1beta1.CONVERTERS["MultiKueueCluster"],
}
