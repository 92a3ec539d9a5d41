"""Workloads in a simulation: status, requests, equivalence, order in the queue."""

from kueuelab.workload.device_charges import DeviceCharges
from kueuelab.workload.ordering import queue_order_timestamp
from kueuelab.workload.requests import (
    PodSetRequests,
    amounts_of_pod,
    flavor_resource_usage,
    pod_requests,
    requests_from_pod_sets,
)
from kueuelab.workload.similar import SamePodSets
from kueuelab.workload.state import LastAssignment, WorkloadState

__all__ = [
    "DeviceCharges",
    "LastAssignment",
    "PodSetRequests",
    "SamePodSets",
    "WorkloadState",
    "amounts_of_pod",
    "flavor_resource_usage",
    "pod_requests",
    "queue_order_timestamp",
    "requests_from_pod_sets",
]
