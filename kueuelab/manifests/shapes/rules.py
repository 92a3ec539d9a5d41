"""Rules that look at several fields at once, one small function each, in Kueue's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.shapes.shape import Mistake, Rule
from kueuelab.quantity import Quantity

__all__ = [
    "at_least_one_node_label",
    "borrowing_needs_reclaim",
    "checks_name_own_flavors",
    "covered_resources_match",
    "each_flavor_and_resource_once",
    "exactly_one_of",
    "hostname_is_the_lowest_level",
    "kind_fits_group",
    "lending_within_nominal",
    "limits_need",
    "min_count_within_count",
    "not_too_many_in_all",
    "one_min_count",
    "preference_needs_try_next_flavor",
    "priority_with_class",
    "unique_items",
]

_GIVE_PARENT: Final = "Name a cohort, or leave the limit out"


def covered_resources_match(group: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """Each flavor has quota for the covered resources, all of them and in that order."""
    covered = group["coveredResources"]
    for index, flavor in enumerate(group["flavors"]):
        resources = flavor["resources"]
        if len(resources) != len(covered):
            message = "flavors must have the same number of resources as the coveredResources"
            hint = f"Give quota for {', '.join(covered)}"
            yield Mistake((*path, "flavors", index, "resources"), message, hint)
            continue
        for place, (resource, name) in enumerate(zip(resources, covered, strict=True)):
            if resource["name"] != name:
                message = (
                    f'Invalid value: "{resource["name"]}": must match the name in coveredResources'
                )
                where = (*path, "flavors", index, "resources", place, "name")
                yield Mistake(where, message, f"Write '{name}' here: the order counts")


def each_flavor_and_resource_once(spec: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """No resource and no flavor is in two resource groups."""
    resources: set[str] = set()
    flavors: set[str] = set()
    for index, group in enumerate(spec.get("resourceGroups") or ()):
        where = (*path, "resourceGroups", index)
        for place, name in enumerate(group["coveredResources"]):
            if name in resources:
                message = f'Duplicate value: "{name}"'
                hint = "A resource belongs to one resource group"
                yield Mistake((*where, "coveredResources", place), message, hint)
            resources.add(name)
        for place, flavor in enumerate(group["flavors"]):
            name = flavor["name"]
            if name in flavors:
                message = f'Duplicate value: "{name}"'
                hint = "A flavor belongs to one resource group"
                yield Mistake((*where, "flavors", place, "name"), message, hint)
            flavors.add(name)


def not_too_many_in_all(spec: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """All resource groups together have at most 256 flavors and as many resources."""
    groups = spec.get("resourceGroups") or ()
    for field, what in (("flavors", "flavors"), ("coveredResources", "covered resources")):
        total = sum(len(group[field]) for group in groups)
        if total > 256:
            message = (
                f"Invalid value: {total}: total number of {what} across all resourceGroups "
                f"must be ≤ 256, got {total}"
            )
            yield Mistake((*path, "resourceGroups"), message)


def _quotas(spec: Mapping[str, Any], path: Path) -> Iterable[tuple[Mapping[str, Any], Path]]:
    for index, group in enumerate(spec.get("resourceGroups") or ()):
        for place, flavor in enumerate(group["flavors"]):
            for number, quota in enumerate(flavor["resources"]):
                where = ("resourceGroups", index, "flavors", place, "resources", number)
                yield quota, (*path, *where)


def limits_need(parent: str, word: str) -> Rule:
    """Borrowing and lending limits only make sense below a parent."""

    def check(spec: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
        if spec.get(parent):
            return
        for quota, where in _quotas(spec, path):
            for limit in ("borrowingLimit", "lendingLimit"):
                if quota.get(limit) is not None:
                    message = f'Invalid value: "{quota[limit]}": must be nil when {word} is empty'
                    yield Mistake((*where, limit), message, _GIVE_PARENT)

    return check


def lending_within_nominal(spec: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """A ClusterQueue can't lend more than it has."""
    for quota, where in _quotas(spec, path):
        lending = quota.get("lendingLimit")
        if lending is None:
            continue
        nominal = quota.get("nominalQuota")
        if Quantity.parse(lending) > Quantity.parse(0 if nominal is None else nominal):
            message = f'Invalid value: "{lending}": must be less than or equal to the nominalQuota'
            yield Mistake((*where, "lendingLimit"), message)


def borrowing_needs_reclaim(preemption: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """Preempting while borrowing is a form of reclaiming."""
    reclaim = preemption.get("reclaimWithinCohort") or "Never"
    borrow = (preemption.get("borrowWithinCohort") or {}).get("policy") or "Never"
    if reclaim == "Never" and borrow != "Never":
        message = "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"
        hint = "Set reclaimWithinCohort to LowerPriority or Any"
        yield Mistake((*path, "borrowWithinCohort"), message, hint)


def preference_needs_try_next_flavor(
    fungibility: Mapping[str, Any], path: Path
) -> Iterable[Mistake]:
    """A preference among flavors needs them all to be looked at."""
    if fungibility.get("preference") is None:
        return
    for name in ("whenCanBorrow", "whenCanPreempt"):
        default = "MayStopSearch" if name == "whenCanBorrow" else "TryNextFlavor"
        if (fungibility.get(name) or default) != "TryNextFlavor":
            message = (
                "preference can only be set when both whenCanBorrow and whenCanPreempt are "
                "TryNextFlavor"
            )
            yield Mistake((*path, "preference"), message, f"Set {name} to TryNextFlavor")
            return


def checks_name_own_flavors(spec: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """A check can only be for flavors that the ClusterQueue has."""
    own = [
        flavor["name"] for group in spec.get("resourceGroups") or () for flavor in group["flavors"]
    ]
    supported = ", ".join(f'"{name}"' for name in own)
    strategy = spec.get("admissionChecksStrategy") or {}
    for index, check in enumerate(strategy.get("admissionChecks") or ()):
        for place, flavor in enumerate(check.get("onFlavors") or ()):
            if flavor not in own:
                where = ("admissionChecksStrategy", "admissionChecks", index, "onFlavors", place)
                message = f'Unsupported value: "{flavor}": supported values: {supported}'
                yield Mistake((*path, *where), message)


def at_least_one_node_label(spec: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """A flavor with a topology says which nodes it means."""
    if spec.get("topologyName") and not spec.get("nodeLabels"):
        message = "at least one nodeLabel is required when topology is set"
        yield Mistake((*path, "nodeLabels"), message)


def min_count_within_count(pod_set: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """Partial admission goes from ``minCount`` up to ``count``."""
    count = 1 if pod_set.get("count") is None else pod_set["count"]
    if pod_set.get("minCount") is not None and pod_set["minCount"] > count:
        message = "minCount should be positive and less or equal to count"
        yield Mistake((*path, "minCount"), message)


def one_min_count(spec: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """Only one pod set may be admitted in part."""
    partial = [p for p in spec.get("podSets") or () if p.get("minCount") is not None]
    if len(partial) > 1:
        message = f"Invalid value: {len(partial)}: at most one podSet can use minCount"
        yield Mistake((*path, "podSets"), message)


def priority_with_class(spec: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """Whoever names the class of a Workload's priority gives the priority, too."""
    if spec.get("priorityClassRef") and spec.get("priority") is None:
        message = "priority should not be nil when priorityClassRef is set"
        yield Mistake((*path, "priority"), message, "Add the priority of that class")


_KIND_OF_GROUP: Final = {
    "scheduling.k8s.io": "PriorityClass",
    "kueue.x-k8s.io": "WorkloadPriorityClass",
}


def kind_fits_group(reference: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """Each group has its own kind of priority class."""
    group = reference["group"]
    kind = _KIND_OF_GROUP.get(group)
    if kind is not None and reference["kind"] != kind:
        message = f"only the {kind} kind is allowed for the {group} group"
        yield Mistake((*path, "kind"), message)


def hostname_is_the_lowest_level(spec: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """Below a node there is nothing."""
    labels = [level["nodeLabel"] for level in spec["levels"]]
    if "kubernetes.io/hostname" in labels[:-1]:
        message = (
            "the kubernetes.io/hostname label can only be used at the lowest level of topology"
        )
        where = (*path, "levels", labels.index("kubernetes.io/hostname"), "nodeLabel")
        yield Mistake(where, message)


def unique_items(name: str) -> Rule:
    """No item of the list ``name`` is there twice."""

    def check(spec: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
        items = spec.get(name) or []
        for index, item in enumerate(items):
            if item in items[:index]:
                yield Mistake((*path, name, index), "must be unique")

    return check


def exactly_one_of(*names: str) -> Callable[[Mapping[str, Any], Path], Iterable[Mistake]]:
    """One of the fields is set, and only one."""

    def check(value: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
        if sum(value.get(name) is not None for name in names) != 1:
            message = f"exactly one of the fields in [{' '.join(names)}] must be set"
            yield Mistake(path, message)

    return check
