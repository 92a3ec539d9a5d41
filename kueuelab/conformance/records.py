"""Writing down what the simulator did in the format of the recorded cases."""

from __future__ import annotations

from collections.abc import Collection

from kueuelab.conformance.cases import Json
from kueuelab.model import amount_string
from kueuelab.scheduler.assignment import FlavorAttempt, PodSetResult
from kueuelab.scheduler.entry import Entry
from kueuelab.simulation import CycleRecord, Event
from kueuelab.workload import WorkloadState
from kueuelab.workload.variants import flavor_of, parent_name

__all__ = ["cycle_record", "event_record", "workload_details"]


def cycle_record(cycle: CycleRecord) -> Json:
    """Write down a cycle: the heads, and the entries in the order they were processed."""
    record: Json = {
        "heads": list(cycle.heads),
        "entries": [entry_record(entry) for entry in cycle.entries],
        "inadmissible": [entry_record(entry) for entry in cycle.inadmissible],
    }
    if cycle.blocked:
        record["blocked"] = True
    if cycle.resumed:
        record["resumed"] = True
    return record


def entry_record(entry: Entry) -> Json:
    """Write down what became of one head."""
    assignment = entry.assignment
    record: Json = {
        "workload": entry.key,
        "clusterQueue": entry.cluster_queue,
        "status": str(entry.status),
        "borrowing": entry.borrowing,
        "podSets": [],
        "flavorsConsidered": "",
        "targets": [
            {"workload": target.workload.key, "reason": str(target.reason)}
            for target in entry.targets
        ],
        "message": entry.message,
        "requeueReason": str(entry.requeue_reason),
        "quotaReservedReason": entry.quota_reserved_reason,
    }
    if assignment is not None:
        record["mode"] = assignment.mode.name
        record["podSets"] = [pod_set_record(result) for result in assignment.pod_sets]
        record["flavorsConsidered"] = assignment.flavors_considered
    if entry.is_preemptor:
        record["isPreemptor"] = True
    if entry.second_pass:
        record["secondPass"] = True
    return record


def pod_set_record(result: PodSetResult) -> Json:
    """Write down the flavors found for a pod set, and those that were looked at."""
    record: Json = {
        "name": result.name,
        "count": result.count,
        "mode": result.mode.name,
        "flavors": {
            resource: {
                "name": flavor.name,
                "mode": flavor.mode.name,
                "borrow": flavor.borrow,
                "triedFlavorIdx": flavor.tried_flavor_idx,
            }
            for resource, flavor in result.flavors.items()
        },
        "reasons": sorted(result.reasons),
        "flavorAttempts": [
            attempt_record(attempt)
            for attempt in sorted(result.attempts, key=lambda attempt: attempt.flavor)
        ],
    }
    if result.error:
        record["error"] = result.error
    if result.topology is not None:
        record["topologyAssignment"] = {
            "Levels": list(result.topology.levels),
            "Domains": [
                {"Values": list(domain.values), "Count": domain.count}
                for domain in result.topology.domains
            ],
        }
    return record


def attempt_record(attempt: FlavorAttempt) -> Json:
    """Write down the look at one flavor."""
    record: Json = {
        "flavor": attempt.flavor,
        "mode": attempt.mode.name,
        "borrow": attempt.borrow,
    }
    if attempt.possibility:
        record["preemptionPossibility"] = attempt.possibility
    record["reasons"] = sorted(attempt.reasons)
    if attempt.no_fit_reason:
        record["noFitReason"] = attempt.no_fit_reason
    return record


def workload_details(state: WorkloadState, names: Collection[str]) -> Json:
    """Write down what a case asks for of a workload besides."""
    found: Json = {}
    if "counts" in names:
        found["counts"] = {pod_set.name: pod_set.count for pod_set in state.obj.pod_sets}
    if "priority" in names:
        found["priority"] = state.obj.priority
    if "unhealthyNodes" in names:
        found["unhealthyNodes"] = list(state.unhealthy_nodes)
    if "resourceRequests" in names:
        found["resourceRequests"] = [
            {
                "name": each.name,
                "resources": {
                    name: amount_string(name, amount) for name, amount in each.requests.items()
                },
            }
            for each in state.resource_requests
        ]
    if "variant" in names and (parent := parent_name(state.obj)):
        found["parent"] = parent
    if "variant" in names and (flavor := flavor_of(state.obj)):
        found["allowedFlavor"] = flavor
    if "preemptionGates" in names:
        found["preemptionGates"] = dict(sorted(state.preemption_gates.items()))
    return found


def event_record(event: Event) -> Json:
    """Write down a Kubernetes Event."""
    return {
        "type": event.type,
        "reason": event.reason,
        "message": event.message,
        "object": event.object,
    }
