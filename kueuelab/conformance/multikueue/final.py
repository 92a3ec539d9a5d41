"""The objects at the end of a scenario, reduced as recordings have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kueuelab.conformance.cases import Json
from kueuelab.conformance.compare import Difference
from kueuelab.conformance.shapes import ABSENT, PLAIN, Field, Level, Listing, Map, Record
from kueuelab.model import Condition, amount_string
from kueuelab.multikueue import ClusterSet
from kueuelab.multikueue.fact_texts import admission_text, plain_name
from kueuelab.multikueue.facts import sorted_nominations
from kueuelab.multikueue.jobs import Job
from kueuelab.multikueue.member_cluster import MemberCluster
from kueuelab.workload import WorkloadState

__all__ = ["compare_final", "final_state"]


def final_state(cluster_set: ClusterSet) -> dict[str, Json]:
    """Return the objects of every cluster."""
    return {name: _cluster(cluster_set, member) for name, member in cluster_set.members.items()}


def _cluster(cluster_set: ClusterSet, member: MemberCluster) -> Json:
    found: Json = {
        "workloads": [
            _workload(cluster_set, member, member.workloads[k]) for k in sorted(member.workloads)
        ],
        "jobs": [_job(member.jobs[key]) for key in sorted(member.jobs)],
    }
    if member is cluster_set.manager.member:
        known = cluster_set.manager.connections.conditions
        clusters = [o for o in member.cluster.objects if type(o).__name__ == "MultiKueueCluster"]
        found["multiKueueClusters"] = [
            {"name": o.metadata.name, "conditions": _conditions([known[o.metadata.name]])}
            for o in sorted(clusters, key=lambda cluster: cluster.metadata.name)
            if o.metadata.name in known
        ]
    checks = [
        _check(cluster_set, member, n) for n in sorted(member.cluster.objects.admission_checks)
    ]
    if checks:
        found["admissionChecks"] = checks
    found["clusterQueues"] = [
        _queue(cluster_set, member, name) for name in sorted(member.cluster.cluster_queues)
    ]
    return found


def _check(cluster_set: ClusterSet, member: MemberCluster, name: str) -> Json:
    """Return a check; those of other controllers are active."""
    own = cluster_set.manager.checks.conditions if member is cluster_set.manager.member else {}
    active = Condition("Active", "True", "Active", "The admission check is active")
    return {"name": name, "conditions": _conditions([own.get(name, active)])}


def _conditions(conditions: Any) -> list[Json]:
    found: list[Condition] = sorted(conditions, key=lambda condition: condition.type)
    return [
        {"type": c.type, "status": c.status, "reason": c.reason, "message": c.message}
        for c in found
    ]


def _workload(cluster_set: ClusterSet, member: MemberCluster, state: WorkloadState) -> Json:
    found: Json = {
        "name": plain_name(state.obj.name),
        "queueName": state.obj.queue_name,
        "priority": state.obj.priority,
        "active": state.active,
        "conditions": _conditions(state.conditions.values()),
    }
    for owner in state.obj.metadata.owner_references[:1]:
        found["owner"] = f"{owner.kind}/{owner.name}"
    if state.admission is not None:
        found["admission"] = admission_text(state.admission)
    if state.admission_checks:
        found["admissionChecks"] = [
            {"name": check.name, "state": check.state, "message": check.message}
            | ({"retryCount": check.retry_count} if check.retry_count else {})
            for check in state.admission_checks.values()
        ]
    if state.cluster_name is not None:
        found["clusterName"] = state.cluster_name
    if state.nominated_cluster_names:
        names = sorted_nominations(cluster_set, state.nominated_cluster_names)
        found["nominatedClusterNames"] = names[1:-1].split(", ")
    evictions = (
        cluster_set.log.evictions.get((member.name, state.key))
        if cluster_set.log is not None
        else None
    )
    if evictions:
        found["evictions"] = [
            {"reason": reason, "underlyingCause": cause, "count": count}
            for (reason, cause), count in evictions.items()
        ]
    return found


def _job(job: Job) -> Json:
    status = job.status
    found: Json = {
        "name": job.name,
        "suspend": job.suspend,
        "startTime": status.start_time is not None,
        "completionTime": status.completion_time is not None,
    }
    optional = {
        "managedBy": job.managed_by,
        "prebuiltWorkload": plain_name(job.prebuilt_workload),
        "origin": job.origin,
        "active": status.active,
        "ready": status.ready,
        "succeeded": status.succeeded,
        "failed": status.failed,
        "terminating": status.terminating,
    }
    found.update({name: value for name, value in optional.items() if value})
    if status.conditions:
        found["conditions"] = _conditions(status.conditions.values())
    return found


def _queue(cluster_set: ClusterSet, member: MemberCluster, name: str) -> Json:
    status = member.cluster.cluster_queues[name]
    node = member.cluster.tree.cluster_queues[name]
    active = Condition(
        "Active", "True" if status.active else "False", status.reason, status.message
    )
    conditions = [active]
    if member is cluster_set.manager.member:
        automated = cluster_set.manager.quota_automation.conditions.get(name)
        conditions += [automated] if automated is not None else []
    held = list(node.workloads.values())
    usage: dict[str, Json] = {}
    for group in status.spec.resource_groups:
        for flavor in group.flavors:
            for quota in flavor.resources:
                used = node.usage.get((flavor.name, quota.name), 0)
                entry = {"reserved": amount_string(quota.name, used)}
                borrowed = used - quota.nominal
                if borrowed > 0:
                    entry["borrowed"] = amount_string(quota.name, borrowed)
                usage[f"{flavor.name}/{quota.name}"] = entry
    return {
        "name": name,
        "conditions": _conditions(conditions),
        "pendingWorkloads": member.cluster.queues.pending_count(name),
        "reservingWorkloads": len(held),
        "admittedWorkloads": sum(state.is_admitted for state in held),
        "usage": usage,
    }


_CONDITIONS = Field(
    Listing(Record({n: Field(PLAIN, "") for n in ("type", "status", "reason", "message")}), "type"),
    [],
)


def _fields(absent: Any, *names: str) -> dict[str, Field]:
    return {name: Field(PLAIN, absent) for name in names}


_CLUSTER = Record(
    {
        "workloads": Field(
            Listing(Record({"conditions": _CONDITIONS} | _fields([], "evictions")), "name"), []
        ),
        "jobs": Field(
            Listing(
                Record(
                    {"conditions": _CONDITIONS}
                    | _fields(0, "active", "ready", "succeeded", "failed", "terminating")
                ),
                "name",
            ),
            [],
        ),
        "multiKueueClusters": Field(Listing(Record({"conditions": _CONDITIONS}), "name"), []),
        "admissionChecks": Field(Listing(Record({"conditions": _CONDITIONS}), "name"), []),
        "clusterQueues": Field(Listing(Record({"conditions": _CONDITIONS}), "name"), []),
    }
)


def compare_final(
    expected: Mapping[str, Any], got: Mapping[str, Any], level: Level = Level.ALL
) -> Iterator[Difference]:
    """Yield the places where the objects at the end differ from the recorded ones."""
    for path, want, have in Map(_CLUSTER).differences(("final",), expected, got, level):
        if want is ABSENT and _is_default(path[-1], have):
            continue
        yield Difference(1, path, want, have)


def _is_default(name: str, value: Any) -> bool:
    return value in (0, "", [], {}, None)
