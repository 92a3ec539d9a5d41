"""A workload inside a simulation: the object, its changing status, what is derived from it.

One :class:`WorkloadState` stands for what Kueue keeps in several places: the API
object, the queue's entry and the cache's entry. It is mutable and belongs to one
simulated cluster; only that cluster's controllers change it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from copy import copy
from sys import intern
from typing import Any, Final

from kueuelab.frozen import EMPTY, new_tuple
from kueuelab.model import (
    Admission,
    AdmissionCheckState,
    Condition,
    FlavorResource,
    ReclaimablePod,
    RequeueState,
    Resources,
    TopologyAssignment,
    TopologyRequest,
    Workload,
)
from kueuelab.model.meta import ConditionStatus
from kueuelab.workload.device_charges import DeviceCharges
from kueuelab.workload.requests import (
    PodSetRequests,
    amounts_of_pod,
    flavor_resource_usage,
    requests_from_admission,
    requests_from_pod_sets,
)
from kueuelab.workload.shape import scheduling_hash
from kueuelab.workload.variants import ALLOWED_FLAVORS

__all__ = ["LastAssignment", "WorkloadState"]


#: What a condition says about a workload, which its controllers ask all the time.
_TOLD_BY: Final = {
    "QuotaReserved": "has_quota_reservation",
    "Admitted": "is_admitted",
    "Evicted": "is_evicted",
    "Finished": "is_finished",
}


class LastAssignment:
    """Where the flavor scan of the last attempt stopped, to go on from there.

    ``tried`` has, per pod set, the index of the last flavor tried for each resource;
    -1 where the list was exhausted.
    """

    __slots__ = ("cycle", "generation", "scheduling_hash", "tried")

    def __init__(
        self,
        tried: tuple[dict[str, int], ...],
        generation: int,
        cycle: int,
        scheduling_hash: str,
    ) -> None:
        self.tried = tried
        self.generation = generation
        self.cycle = cycle
        self.scheduling_hash = scheduling_hash

    @property
    def has_pending_flavors(self) -> bool:
        """Whether some flavor is left to try."""
        return any(index != -1 for tried in self.tried for index in tried.values())

    def next_flavor(self, pod_set: int, resource: str) -> int:
        """Return the index of the flavor to try first."""
        if pod_set >= len(self.tried):
            return 0
        return self.tried[pod_set].get(resource, -1) + 1


class WorkloadState:
    """The one record of a workload in a simulated cluster.

    Parameters
    ----------
    obj
        The Workload, its requests already adjusted (limits, overhead).
    resources
        The Configuration's ``resources``, which say what counts against quota.
    hashing
        Whether the gate ``SchedulingEquivalenceHashing`` is on.
    reclaiming
        Whether the gate ``ReclaimablePods`` is on: pods that are done don't count.
    priority_boost
        What the gate ``PriorityBoost`` adds to ``spec.priority``.

    Attributes
    ----------
    conditions
        Condition type to condition, as one object: what was read stays as it is. Changed only by
        :meth:`set_condition` and :meth:`set_conditions`, as whether one of the following four is
        true.
    admission_checks, preemption_gates
        By name; likewise replaced, never changed. One check is written by :meth:`set_check`.
    has_quota_reservation, is_admitted, is_evicted, is_finished
        Whether ``QuotaReserved``, ``Admitted``, ``Evicted`` and ``Finished`` are true.
    admission
        Set as long as quota is reserved; call :meth:`refresh` when it changes.
    cluster_queue
        The ClusterQueue that holds quota for it, or ``""``.
    requests
        What it asks for, or holds if ``admission`` is set, per pod set.
    usage
        The same, per flavor and resource; only meaningful with an admission.
    priority
        Effective priority.
    scheduling_hash
        Equal for workloads that get the same decision; ``""`` if hashing is off.
    cluster_name, nominated_cluster_names
        The worker that runs it, or the workers that may (MultiKueue).
    foreign_nomination
        Whether a field manager other than Kueue's nominated them: Kueue can't reset that.
    searches
        What the scheduler derived from the pod sets to find domains for them, by what else it
        depends on.
    device_charges
        What its claims of devices count against quota, once they were counted; ``None`` before,
        and where there are none. Set by :meth:`charge_devices`.
    queued_after_devices
        Whether the queue has it as it is after its devices were counted: without the conditions
        ``QuotaReserved`` and ``Requeued`` that were false then, though they stay in its status.
    resource_requests
        What the scheduler last wrote to ``status.resourceRequests``, by pod set.
    unhealthy_nodes
        Nodes of its topology assignment that failed, as ``status.unhealthyNodes`` lists them.
    last_assignment
        Progress of the flavor scan, or ``None``.
    last_evaluated_generation
        ``obj.metadata.generation`` when the scheduler last took it; 0 before.
    """

    __slots__ = (
        "_asks_for_topology",
        "_claims_devices",
        "_concurrent",
        "_hashing",
        "_pending_requests",
        "_pod_amounts",
        "_reclaiming",
        "_resources",
        "_sets_limits",
        "_topology_assignments",
        "_topology_requests",
        "active",
        "admission",
        "admission_checks",
        "cluster_name",
        "cluster_queue",
        "conditions",
        "device_charges",
        "foreign_nomination",
        "has_quota_reservation",
        "is_admitted",
        "is_evicted",
        "is_finished",
        "key",
        "last_assignment",
        "last_evaluated_generation",
        "nominated_cluster_names",
        "obj",
        "preemption_gates",
        "priority",
        "queue_key",
        "queued_after_devices",
        "reclaimable_pods",
        "requests",
        "requeue_state",
        "resource_requests",
        "scheduling_hash",
        "searches",
        "uid",
        "unhealthy_nodes",
        "usage",
    )

    has_quota_reservation: bool
    is_admitted: bool
    is_evicted: bool
    is_finished: bool

    def __init__(
        self,
        obj: Workload,
        resources: Resources,
        *,
        hashing: bool = True,
        reclaiming: bool = True,
        concurrent: bool = False,
        priority_boost: int = 0,
        like: WorkloadState | None = None,
    ) -> None:
        status = obj.status
        self._resources = resources
        self._hashing = hashing
        self._reclaiming = reclaiming
        self._concurrent = concurrent
        self._pending_requests: tuple[tuple[ReclaimablePod, ...], tuple[PodSetRequests, ...]] | None
        self._pending_requests = None
        # The same text for all clusters: it is a key of many mappings.
        self.key = intern(obj.metadata.key)
        self.uid = obj.metadata.uid
        self.conditions: Mapping[str, Condition]
        # Most workloads come with neither conditions nor checks.
        conditions, checks = status.conditions, status.admission_checks
        self.set_conditions({c.type: c for c in conditions} if conditions else EMPTY)
        self.admission: Admission | None = status.admission
        self.requeue_state: RequeueState | None = status.requeue_state
        self.reclaimable_pods: tuple[ReclaimablePod, ...] = status.reclaimable_pods
        self.admission_checks: Mapping[str, AdmissionCheckState] = (
            {check.name: check for check in checks} if checks else EMPTY
        )
        self.preemption_gates: Mapping[str, str] = status.preemption_gates
        self.cluster_name: str | None = status.cluster_name
        self.nominated_cluster_names: tuple[str, ...] = status.nominated_cluster_names
        self.foreign_nomination = False
        self.unhealthy_nodes: tuple[str, ...] = status.unhealthy_nodes
        self.device_charges: DeviceCharges | None = None
        self.queued_after_devices = False
        self.resource_requests: tuple[PodSetRequests, ...] = ()
        self._claims_devices: bool | None = None
        self._topology_requests: tuple[TopologyRequest, ...] | None = None
        self._asks_for_topology: bool | None = None
        self._pod_amounts: dict[str, dict[str, int]] | None = None
        self._sets_limits: bool | None = None
        self.searches: dict[Hashable, Any] = {}
        self._topology_assignments: tuple[Admission, dict[str, TopologyAssignment]] | None = None
        self.last_assignment: LastAssignment | None = None
        self.last_evaluated_generation = 0
        self.requests: tuple[PodSetRequests, ...]
        self.usage: dict[FlavorResource, int]
        self.scheduling_hash = ""
        self._set_obj(obj, priority_boost)
        if like is not None:
            self._take_over(like)
        self.refresh()
        reserved = self.conditions.get("QuotaReserved")
        if reserved is not None and reserved.status == "False":
            # Read with its status: the scheduler wrote both together.
            self.resource_requests = self.requests

    def _take_over(self, like: WorkloadState) -> None:
        """Take over what would be derived anew, with the same result."""
        known = like._pending_requests
        if (
            known is not None
            and not known[0]
            and self.admission is None
            and like.device_charges is None
            and like.obj.pod_sets is self.obj.pod_sets
            and like.priority == self.priority
            and like._hashing == self._hashing
            and not self._concurrent
            and (like._resources is self._resources or like._resources == self._resources)
        ):
            self._pending_requests = known
            self.scheduling_hash = like.scheduling_hash
            self._topology_requests = like._topology_requests
            self._asks_for_topology = like._asks_for_topology
            self._pod_amounts = like._pod_amounts
            self._sets_limits = like._sets_limits

    def set_obj(self, obj: Workload, *, priority_boost: int = 0) -> None:
        """Take a new spec (labels, annotations); the status here stays."""
        self._pending_requests = None
        self._topology_requests = None
        self._asks_for_topology = None
        self._pod_amounts = None
        self._sets_limits = None
        self._claims_devices = None
        self.searches = {}
        self._set_obj(obj, priority_boost)
        self.refresh()

    def count_by(self, resources: Resources) -> None:
        """Count requests by another Configuration's ``resources``; what it holds stays."""
        self._resources = resources
        self._pending_requests = None
        self.refresh()

    def charge_devices(self, charges: DeviceCharges | None) -> None:
        """Count devices against quota, as long as there is no admission that says what it holds."""
        if charges != self.device_charges:
            self.device_charges = charges
            self._pending_requests = None
            self.refresh()

    def _set_obj(self, obj: Workload, priority_boost: int) -> None:
        self.obj = obj
        self.active = obj.active
        self.priority = obj.priority + priority_boost
        self.queue_key = intern(f"{obj.metadata.namespace}/{obj.queue_name}")

    def refresh(self) -> None:
        """Derive requests, usage and hash anew; call it after admission or counts change."""
        done = self.reclaimable_pods if self._reclaiming else ()
        if self.admission is not None:
            self.cluster_queue = self.admission.cluster_queue
            self.requests = requests_from_admission(self.obj, self.admission, done)
            self.usage = flavor_resource_usage(self.requests)
            self.searches.clear()  # it has its place
            return
        self.cluster_queue = ""
        self.usage = {}
        if self._pending_requests is not None and self._pending_requests[0] == done:
            # What it asks for is the same as the last time it was pending, and so is the hash.
            self.requests = self._pending_requests[1]
            return
        self.requests = requests_from_pod_sets(self.obj, done, self._resources, self.device_charges)
        self._pending_requests = (done, self.requests)
        if self._hashing:
            flavors = None
            if self._concurrent:
                flavors = self.obj.metadata.annotations.get(ALLOWED_FLAVORS)
            self.scheduling_hash = scheduling_hash(self.obj, self.requests, self.priority, flavors)

    def set_condition(
        self,
        type_: str,
        status: ConditionStatus,
        reason: str,
        message: str,
        now: int,
    ) -> bool:
        """Set a condition as ``meta.SetStatusCondition`` does; tell whether it changed.

        The transition time moves only when the status does. A condition that was written for an
        older generation of the object is written anew, although it says the same.
        """
        known = self.conditions
        old = known.get(type_)
        generation = self.obj.metadata.generation
        if old is not None and old.status == status:
            said = (old.reason, old.message, old.observed_generation)
            if said == (reason, message, generation):
                return False
            now = old.last_transition_time
        values = (type_, status, reason, message, now, generation)
        self.conditions = {**known, type_: new_tuple(Condition, values)}
        if type_ in _TOLD_BY:
            setattr(self, _TOLD_BY[type_], status == "True")
        return True

    def set_conditions(self, conditions: Mapping[str, Condition]) -> None:
        """Replace all conditions."""
        self.conditions = conditions
        self.has_quota_reservation = self.is_admitted = self.is_evicted = self.is_finished = False
        for type_, condition in conditions.items():
            if type_ in _TOLD_BY:
                setattr(self, _TOLD_BY[type_], condition.status == "True")

    def set_check(self, check: AdmissionCheckState) -> None:
        """Write the state of an admission check."""
        self.admission_checks = {**self.admission_checks, check.name: check}

    def condition_is(self, type_: str, status: ConditionStatus) -> bool:
        """Tell whether a condition is there and has this status."""
        condition = self.conditions.get(type_)
        return condition is not None and condition.status == status

    @property
    def has_closed_preemption_gate(self) -> bool:
        """Whether some gate in ``spec.preemptionGates`` is not open."""
        gates = self.obj.preemption_gates
        return bool(gates) and any(
            self.preemption_gates.get(name, "Closed") == "Closed" for name in gates
        )

    @property
    def requeued(self) -> Condition | None:
        """The condition ``Requeued`` as the queue knows it."""
        condition = self.conditions.get("Requeued")
        if self.queued_after_devices and condition is not None and condition.status == "False":
            return None
        return condition

    @property
    def claims_devices(self) -> bool:
        """Whether some pod set names a ResourceClaim or a ResourceClaimTemplate."""
        if self._claims_devices is None:
            self._claims_devices = any(
                claim.get("resourceClaimTemplateName") is not None
                or claim.get("resourceClaimName") is not None
                for pod_set in self.obj.pod_sets
                for claim in pod_set.template.spec.extra.get("resourceClaims") or ()
            )
        return self._claims_devices

    @property
    def topology_requests(self) -> tuple[TopologyRequest, ...]:
        """What each pod set asks of a topology."""
        if self._topology_requests is None:
            found = (TopologyRequest.of(ps.topology_request) for ps in self.obj.pod_sets)
            self._topology_requests = tuple(found)
        return self._topology_requests

    @property
    def asks_for_topology(self) -> bool:
        """Whether some pod set asks for topology-aware scheduling."""
        if self._asks_for_topology is None:
            asked = (request.is_explicit for request in self.topology_requests)
            self._asks_for_topology = any(asked)
        return self._asks_for_topology

    @property
    def pod_amounts(self) -> dict[str, dict[str, int]]:
        """Pod set to what one of its pods requests of a node, whatever counts against quota."""
        if self._pod_amounts is None:
            self._pod_amounts = {
                pod_set.name: amounts_of_pod(pod_set.template.spec) for pod_set in self.obj.pod_sets
            }
        return self._pod_amounts

    @property
    def sets_limits(self) -> bool:
        """Whether a pod or a container has limits, which its requests must not exceed."""
        if self._sets_limits is None:
            specs = [pod_set.template.spec for pod_set in self.obj.pod_sets]
            self._sets_limits = any(
                resources.limits for spec in specs for resources in spec.all_resources
            )
        return self._sets_limits

    @property
    def topology_assignments(self) -> dict[str, TopologyAssignment]:
        """Pod set to the domains of its pods, for those that have a topology assignment."""
        if self.admission is None:
            return {}
        known = self._topology_assignments
        if known is None or known[0] is not self.admission:
            found = {
                each.name: TopologyAssignment.of(each.topology_assignment)
                for each in self.admission.pod_set_assignments
                if each.topology_assignment is not None
            }
            known = self._topology_assignments = (self.admission, found)
        return known[1]

    @property
    def is_on_unhealthy_node(self) -> bool:
        """Whether it is admitted, with pods assigned to a node that failed."""
        if not self.unhealthy_nodes or not self.is_admitted:
            return False
        return any(
            domain.values[-1] in self.unhealthy_nodes
            for assignment in self.topology_assignments.values()
            for domain in assignment.domains
        )

    def snapshot(self) -> WorkloadState:
        """Return the workload as it is now; later writes of its status don't change it."""
        return copy(self)

    @property
    def is_owned_by_single_pod(self) -> bool:
        """Whether its one owner is a pod, which can't outlive its node."""
        meta = self.obj.metadata
        if len(meta.owner_references) != 1:
            return False
        if meta.annotations.get("kueue.x-k8s.io/is-group-workload") == "true":
            return False
        owner = meta.owner_references[0]
        return owner.kind == "Pod" and owner.api_version == "v1"

    @property
    def is_owned_by_pods(self) -> bool:
        """Whether it is that of a pod or a group of pods, without another job."""
        owners = self.obj.metadata.owner_references
        return bool(owners) and all(
            (owner.api_version, owner.kind) == ("v1", "Pod") for owner in owners
        )

    def restore_status(self, before: WorkloadState) -> None:
        """Give the workload the status that a snapshot of it has."""
        self.set_conditions(before.conditions)
        self.admission = before.admission
        self.admission_checks = before.admission_checks
        self.preemption_gates = before.preemption_gates
        self.requeue_state = before.requeue_state
        self.unhealthy_nodes = before.unhealthy_nodes
        self.refresh()

    @property
    def can_be_partially_admitted(self) -> bool:
        """Whether some pod set may start with fewer pods."""
        return any(ps.min_count is not None and ps.count > ps.min_count for ps in self.obj.pod_sets)

    def quota_reservation_time(self, now: int) -> int:
        """Return when quota was reserved, or ``now`` if it isn't yet."""
        condition = self.conditions.get("QuotaReserved")
        if condition is None or condition.status != "True":
            return now
        return condition.last_transition_time

    def __repr__(self) -> str:
        return f"<WorkloadState {self.key}>"
