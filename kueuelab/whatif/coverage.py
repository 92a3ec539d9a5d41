"""Levers for what no resource group covers, and for names that are nearly right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from kueuelab.manifests.encode import encode_object
from kueuelab.messages import listed
from kueuelab.model import ClusterQueue, amount_string
from kueuelab.whatif.change_sets import Adjustment, Part
from kueuelab.whatif.changes import Change
from kueuelab.whatif.configuring import EXCLUDE, STRATEGY, Configure
from kueuelab.whatif.near_names import near
from kueuelab.whatif.proposals import adjustment, edit_queue, edit_workload
from kueuelab.whatif.subject import Subject

__all__ = ["coverage", "near_labels", "uncounted"]


def coverage(subject: Subject) -> Iterator[Adjustment]:
    """Yield how a resource that no group covers gets quota, or is not asked for."""
    queue = subject.queue
    if queue is None:
        return
    covered = [name for group in queue.resource_groups for name in group.covered_resources]
    own = (queue.name,)
    for resource in subject.uncovered:
        for written in near(resource, covered):
            groups = _renamed(queue, written, resource)
            change = edit_queue(queue.name, {"spec.resourceGroups": groups})
            yield _near_name(written, resource, f"ClusterQueue {queue.name}", change, own)
        if queue.resource_groups:
            groups = _added(queue, resource, subject.requests[resource])
            change = edit_queue(queue.name, {"spec.resourceGroups": groups})
            values = {"queue": queue.name, "resource": resource}
            part = Part("coverage", (change,), values, queues=own)
            yield Adjustment(lambda _, part=part: part)  # type: ignore[misc]
        drop = edit_workload(subject, _dropped(subject, resource))
        yield adjustment("dropRequest", drop, resource=resource)


def uncounted(subject: Subject) -> Iterator[Adjustment]:
    """Yield how Kueue's Configuration lets resources pass that no group covers.

    ``excludeResourcePrefixes`` takes them out of account everywhere, and
    ``quotaCheckStrategy`` lets each ClusterQueue ignore what it does not cover.
    """
    resources = subject.cluster.configuration.resources
    if not subject.uncovered or resources.quota_check_strategy == "IgnoreUndeclared":
        return
    lost, others = _no_longer_limited(subject)
    prefixes = [*resources.exclude_resource_prefixes, *subject.uncovered]
    yield adjustment(
        "excludeLimited" if others else "excludeResource",
        Configure({EXCLUDE: prefixes}),
        queues=others,
        size=float(len(subject.uncovered)),
        resource=listed(subject.uncovered),
        **({"others": listed(others), "lost": listed(lost)} if others else {}),
    )
    yield adjustment("ignoreUndeclared", Configure({STRATEGY: "IgnoreUndeclared"}))


def _no_longer_limited(subject: Subject) -> tuple[list[str], tuple[str, ...]]:
    """Return the resources that prefixes would take out of account, and their queues."""
    lost: dict[str, None] = {}
    others = []
    for name, queue in sorted(subject.cluster.objects.cluster_queues.items()):
        covered = [each for group in queue.resource_groups for each in group.covered_resources]
        found = [each for each in covered if each.startswith(subject.uncovered)]
        if found:
            others.append(name)
            lost.update(dict.fromkeys(found))
    return sorted(lost), tuple(others)


def _near_name(
    written: str, meant: str, where: str, change: Change, queues: tuple[str, ...] = ()
) -> Adjustment:
    """Return an adjustment that writes what was meant."""
    values = {"written": written, "meant": meant, "object": where}
    part = Part("nearName", (change,), values, queues=queues)
    return Adjustment(lambda _: part)


def near_labels(subject: Subject) -> Iterator[Adjustment]:
    """Yield node selectors that a flavor's label is near to, where no flavor suits."""
    if all(demand.flavors for demand in subject.demands):
        return
    pod_sets = [
        (each.name, each.template.spec.node_selector) for each in subject.state.obj.pod_sets
    ]
    for demand in subject.demands:
        for quota in () if demand.flavors else demand.group.flavors:
            flavor = subject.cluster.objects.flavors.get(quota.name)
            if flavor is None:
                continue
            for name, selector in pod_sets:
                yield from _selectors(subject, name, selector, flavor.node_labels)


def _selectors(
    subject: Subject, pod_set: str, selector: Mapping[str, str], labels: Mapping[str, str]
) -> Iterator[Adjustment]:
    for key, value in selector.items():
        meant = labels.get(key, value)
        if near(value, [meant]):
            path = f"spec.podSets[{pod_set}].template.spec.nodeSelector"
            change = edit_workload(subject, {path: {**selector, key: meant}})
            yield _near_name(f"{key}: {value}", f"{key}: {meant}", subject.key, change)


def _groups(queue: ClusterQueue) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = deepcopy(encode_object(queue)["spec"]["resourceGroups"])
    return found


def _renamed(queue: ClusterQueue, written: str, meant: str) -> list[dict[str, Any]]:
    groups = _groups(queue)
    for group in groups:
        group["coveredResources"] = [
            meant if each == written else each for each in group["coveredResources"]
        ]
        for flavor in group["flavors"]:
            for resource in flavor["resources"]:
                if resource["name"] == written:
                    resource["name"] = meant
    return groups


def _added(queue: ClusterQueue, resource: str, amount: int) -> list[dict[str, Any]]:
    """Return the groups with quota for one more resource in the first flavor."""
    groups = _groups(queue)
    groups[0]["coveredResources"].append(resource)
    for index, flavor in enumerate(groups[0]["flavors"]):
        quota = amount_string(resource, amount) if index == 0 else "0"
        flavor["resources"].append({"name": resource, "nominalQuota": quota})
    return groups


def _dropped(subject: Subject, resource: str) -> dict[str, None]:
    """Return the fields by which containers ask for a resource, without a value."""
    found: dict[str, None] = {}
    for pod_set in subject.state.obj.pod_sets:
        spec = pod_set.template.spec
        lists = (("containers", spec.containers), ("initContainers", spec.init_containers))
        for name, containers in lists:
            for index, container in enumerate(containers):
                place = f"spec.podSets[{pod_set.name}].template.spec.{name}[{index}].resources"
                for field in ("requests", "limits"):
                    if resource in getattr(container.resources, field):
                        found[f"{place}.{field}[{resource}]"] = None
    return found
