"""Rules about what workloads ask for, and whether their queues can give it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kueuelab.lint.rule import Found, Level, Rule
from kueuelab.lint.subject import Subject
from kueuelab.model import ClusterQueue, Container, PodSet, TopologyRequest, Workload
from kueuelab.scheduler.placement import flavor_mismatch
from kueuelab.workload import WorkloadState

__all__ = ["RULES"]

#: A smaller request for memory lacks its unit, in billionths of a byte.
_LEAST_MEMORY: Final = 1024**2 * 10**9
_MEMORY: Final = ("memory", "ephemeral-storage")


def _about(workload: Workload) -> Mapping[str, str]:
    return {"workload": workload.key}


def _found(workload: Workload, field: str = "", form: str = "", **values: object) -> Found:
    """Return a finding in the object in which a workload is written."""
    author, _ = Subject.author_of(workload)
    return Found(
        author, field if author.kind == "Workload" else "", {**_about(workload), **values}, form
    )


def _is_new(workload: Workload) -> bool:
    """Tell whether a workload waits for quota, so that what it asks for still matters."""
    return workload.active and workload.status.admission is None


def _not_covered(subject: Subject) -> Iterator[Found]:
    """A workload that asks for a resource that its ClusterQueue has no quota for."""
    resources = subject.configuration.resources
    if resources.quota_check_strategy == "IgnoreUndeclared":
        return
    for workload, queue, node in subject.waiting:
        if not _is_new(workload) or not queue.resource_groups:
            continue
        asked = {
            name: amount
            for each in WorkloadState(workload, resources).requests
            for name, amount in each.requests.items()
        }
        for name in sorted(asked):
            if asked[name] and name != "pods" and node.resource_group(name) is None:
                yield _found(workload, "spec.podSets", resource=name, queue=queue.name)


def _no_flavor_suits(subject: Subject) -> Iterator[Found]:
    """A workload that no flavor of its ClusterQueue takes, for taints or labels."""
    for workload, queue, node in subject.waiting:
        if not _is_new(workload):
            continue
        for asked, pod_set in zip(
            WorkloadState(workload, subject.configuration.resources).requests,
            workload.pod_sets,
            strict=False,
        ):
            groups = {
                id(group): group
                for name, amount in asked.requests.items()
                if amount and (group := node.resource_group(name)) is not None
            }
            reasons = [
                _mismatches(subject, queue, pod_set, [each.name for each in group.flavors])
                for group in groups.values()
            ]
            wrong = next((each for each in reasons if each), ())
            if wrong:
                text = "; ".join(wrong[:3])
                yield _found(workload, "spec.podSets", queue=queue.name, reasons=text)
                break


def _mismatches(
    subject: Subject, queue: ClusterQueue, pod_set: PodSet, names: list[str]
) -> tuple[str, ...]:
    """Return why no flavor suits; nothing if one may."""
    found = []
    for name in names:
        flavor = subject.setting.flavors.get(name)
        reason = "" if flavor is None else flavor_mismatch(flavor, pod_set.template.spec)
        if not reason:
            return ()
        found.append(reason)
    return tuple(found)


def _requests_nothing(subject: Subject) -> Iterator[Found]:
    """A workload whose pods ask for nothing that its ClusterQueue counts."""
    for workload, queue, node in subject.waiting:
        if not _is_new(workload) or node.resource_group("pods") is not None:
            continue
        requests = WorkloadState(workload, subject.configuration.resources).requests
        if any(amount for each in requests for amount in each.requests.values()):
            continue
        if any(pod_set.count for pod_set in workload.pod_sets) and queue.resource_groups:
            yield _found(workload, "spec.podSets", queue=queue.name)


def _containers(pod_set: PodSet) -> tuple[Container, ...]:
    return (*pod_set.template.spec.init_containers, *pod_set.template.spec.containers)


def _memory_in_bytes(subject: Subject) -> Iterator[Found]:
    """A request for memory so small that its unit is missing."""
    for workload in subject.setting.workloads:
        for pod_set in workload.pod_sets:
            for container in _containers(pod_set):
                for name, amount in container.resources.requests.items():
                    if name in _MEMORY and 0 < amount.nano < _LEAST_MEMORY:
                        values = {"amount": str(amount), "resource": name}
                        yield _found(workload, "spec.podSets", **values)


def _topology_not_offered(subject: Subject) -> Iterator[Found]:
    """A request for a topology in a ClusterQueue whose flavors have none."""
    for workload, queue, request in _topology_requests(subject):
        names = [each.name for group in queue.resource_groups for each in group.flavors]
        flavors = [subject.setting.flavors.get(name) for name in names]
        if not flavors or any(each is None or each.topology_name for each in flavors):
            continue
        level = request.required or request.preferred or ""
        values = {"queue": queue.name, "level": level}
        yield _found(workload, "spec.podSets", "" if level else "any", **values)


def _unknown_level(subject: Subject) -> Iterator[Found]:
    """A request for a level that no topology of the ClusterQueue has."""
    for workload, queue, request in _topology_requests(subject):
        names = [each.name for group in queue.resource_groups for each in group.flavors]
        flavors = [subject.setting.flavors.get(name) for name in names]
        topologies = [
            None if each is None else subject.topologies.get(each.topology_name or "")
            for each in flavors
            if each is None or each.topology_name
        ]
        if not topologies or any(each is None for each in topologies):
            continue
        levels = {level for each in topologies if each is not None for level in each.levels}
        wanted = (request.required, request.preferred, *(each.level for each in request.slices))
        for level in wanted:
            if level is not None and level not in levels:
                values = {"level": level, "queue": queue.name, "levels": ", ".join(sorted(levels))}
                yield _found(workload, "spec.podSets", **values)


def _topology_requests(
    subject: Subject,
) -> Iterator[tuple[Workload, ClusterQueue, TopologyRequest]]:
    for workload, queue, _ in subject.waiting:
        if not _is_new(workload):
            continue
        for pod_set in workload.pod_sets:
            request = TopologyRequest.of(pod_set.topology_request)
            if request.is_explicit:
                yield workload, queue, request
                break


RULES: Final = (
    Rule("KL601", "resource-not-covered", Level.ERROR, _not_covered, "concepts/cluster_queue"),
    Rule("KL602", "no-flavor-suits", Level.ERROR, _no_flavor_suits, "concepts/resource_flavor"),
    Rule("KL603", "requests-nothing", Level.WARNING, _requests_nothing, "concepts/workload"),
    Rule("KL604", "memory-request-in-bytes", Level.WARNING, _memory_in_bytes, "concepts/workload"),
    Rule(
        "KL605",
        "topology-not-offered",
        Level.ERROR,
        _topology_not_offered,
        "concepts/topology_aware_scheduling",
    ),
    Rule("KL606", "unknown-topology-level", Level.ERROR, _unknown_level, "kueue#5039"),
)
