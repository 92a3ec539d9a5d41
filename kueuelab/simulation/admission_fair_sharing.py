"""Admission fair sharing: charging, settling and sampling the usage of LocalQueues.

The books themselves are in :mod:`kueuelab.queues.usage_ledger`; see KEP-4136 and
https://kueue.sigs.k8s.io/docs/concepts/admission_fair_sharing/. Penalties are for
ClusterQueues whose ``admissionScope`` asks for it, but every LocalQueue is sampled. All
functions do nothing unless admission fair sharing is configured.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from kueuelab.model import AdmissionFairSharing, ClusterQueue, Configuration, LocalQueue
from kueuelab.model.times import SECOND, parse_time
from kueuelab.quantity import Quantity, QuantityError
from kueuelab.queues.usage_ledger import Amounts, UsageLedger, as_quantities, total, usage_text
from kueuelab.quota.candidates import LocalQueueUsage
from kueuelab.simulation.objects import ObjectStore
from kueuelab.trace.steps import PenaltyCharged, PenaltySettled, PenaltyWaived, UsageSampled
from kueuelab.workload import WorkloadState
from kueuelab.workload.requests import PodSetRequests, requests_from_pod_sets

if TYPE_CHECKING:
    from kueuelab.simulation.control_plane import ControlPlane
    from kueuelab.simulation.seen import Seen

__all__ = [
    "SAMPLING",
    "FairUsage",
    "charge_penalty",
    "entry_penalty",
    "follow_workload",
    "forget_local_queue",
    "local_queue_state",
    "look_at",
    "sample_due",
    "usage_in",
    "waive_penalty",
    "written_usage",
]

#: What the timers of LocalQueues are for.
SAMPLING: Final = "sampling"

_BY_USAGE: Final = "UsageBasedAdmissionFairSharing"


class FairUsage:
    """The usage of LocalQueues, and which of them are to be looked at.

    Attributes
    ----------
    ledger
        The books.
    due
        LocalQueues in which something happened since they were reconciled.
    """

    __slots__ = ("_objects", "_resources", "due", "ledger")

    def __init__(self, rules: AdmissionFairSharing, objects: ObjectStore) -> None:
        self.ledger = UsageLedger(rules)
        self.due: dict[str, None] = {}
        self._objects = objects
        # What admitted workloads of a ClusterQueue ever used; Kueue keeps counting it, at 0.
        self._resources: dict[str, dict[str, None]] = {}

    @classmethod
    def configured(cls, configuration: Configuration, objects: ObjectStore) -> FairUsage | None:
        """Return it if admission fair sharing is configured and its gate is on."""
        rules = configuration.admission_fair_sharing
        if rules is None or not configuration.gates["AdmissionFairSharing"]:
            return None
        return cls(rules, objects)

    def of(self, local_queue: str) -> float:
        """Return the number that orders LocalQueues; one that is gone has weight 1."""
        return self.ledger.usage(local_queue, self._weight(local_queue))

    def shown(self, local_queue: str) -> float:
        """Return the number for a LocalQueue that exists; in some no resource has a weight.

        Kueue looks up the weights only for ClusterQueues in which usage orders workloads.
        """
        name = self._objects.local_queues[local_queue].cluster_queue
        queue = self._objects.cluster_queues.get(name)
        is_weighted = queue is not None and queue.admission_mode == _BY_USAGE
        return self.ledger.usage(local_queue, self._weight(local_queue), is_weighted=is_weighted)

    def _weight(self, local_queue: str) -> float:
        found = self._objects.local_queues.get(local_queue)
        weight = None if found is None else found.fair_weight
        return 1.0 if weight is None else _approximate(weight)

    def current(self, plane: ControlPlane, local_queue: LocalQueue) -> dict[str, int] | None:
        """Return what the admitted workloads of a LocalQueue use in its ClusterQueue."""
        name = local_queue.cluster_queue
        node = plane.tree.cluster_queues.get(name)
        if node is None:
            return None
        resources = self._resources.setdefault(name, {})
        used: dict[str, int] = {}
        for key, state in node.workloads.items():
            if not state.is_admitted:
                continue
            in_queue = state.queue_key == local_queue.key
            for (_, resource), value in plane.tree.booked_usage(key).items():
                resources[resource] = None
                if in_queue:
                    used[resource] = used.get(resource, 0) + value
        return {resource: used.get(resource, 0) for resource in resources}


def _approximate(weight: Fraction) -> float:
    """Return a weight as Kubernetes turns quantities into floats: digits times a power of ten.

    Examples
    --------
    >>> _approximate(Fraction(1, 2)), _approximate(Fraction(7, 10))
    (0.5, 0.7000000000000001)
    """
    digits = ceil(weight * 10**9)
    for unit in (1e-9, 1e-6, 1e-3):
        if digits % 1000:
            return float(digits) * unit
        digits //= 1000
    return float(digits)


def usage_in(plane: ControlPlane, cluster_queue: ClusterQueue) -> LocalQueueUsage | None:
    """Return what orders LocalQueues in a ClusterQueue, ``None`` if usage doesn't count there."""
    if plane.fair_usage is None or cluster_queue.admission_mode != _BY_USAGE:
        return None
    return plane.fair_usage.of


# --- workloads -------------------------------------------------------------------------


def charge_penalty(
    plane: ControlPlane,
    state: WorkloadState,
    requests: tuple[PodSetRequests, ...],
    spec: ClusterQueue,
) -> None:
    """Charge a LocalQueue for a workload whose quota was just reserved in ``spec``.

    ``requests`` is what its pod sets ask for, before anything was reserved.
    """
    usage = plane.fair_usage
    if usage is None or spec.admission_mode != _BY_USAGE:
        return
    queue = state.queue_key
    asked = _asked(plane, requests, spec)
    penalty = usage.ledger.charge(queue, state.key, asked, plane.clock.now)
    look_at(plane, queue)
    if plane.recorder is not None:
        _announce(plane, queue)
        facts = PenaltyCharged(queue, as_quantities(penalty), usage.of(queue))
        plane.record(facts, state.key)


def _asked(
    plane: ControlPlane, requests: tuple[PodSetRequests, ...], spec: ClusterQueue
) -> dict[str, int]:
    """Return what pod sets ask for of what counts in a ClusterQueue."""
    asked = total(*(pod_set.requests for pod_set in requests))
    if plane.gates["QuotaCheckStrategy"] and (
        plane.configuration.resources.quota_check_strategy == "IgnoreUndeclared"
    ):
        declared = {name for group in spec.resource_groups for name in group.covered_resources}
        asked = {name: value for name, value in asked.items() if name in declared}
    return asked


def entry_penalty(
    plane: ControlPlane, ledger: UsageLedger, state: WorkloadState, spec: ClusterQueue
) -> Amounts:
    """Return the penalty of a workload whose quota is reserved in ``spec``, or was."""
    resources = plane.configuration.resources
    requests = requests_from_pod_sets(state.obj, (), resources, state.device_charges)
    return ledger.penalty(_asked(plane, requests, spec))


def follow_workload(plane: ControlPlane, state: WorkloadState, before: Seen, after: Seen) -> None:
    """Settle the penalty of a workload that was admitted; waive one that never will be.

    A workload that is evicted keeps its penalty: it may be admitted again. So does one
    that was deactivated, as long as it holds its quota.
    """
    usage = plane.fair_usage
    if usage is None:
        return
    admitted = after.phase == "admitted" and before.phase != "admitted"
    queue = plane.statuses.get(after.cluster_queue)
    if state.active and admitted and queue is not None and queue.spec.admission_mode == _BY_USAGE:
        _settle(plane, usage, state)
    if before.queue_key != after.queue_key:
        waive_penalty(plane, state.key, before.queue_key)
    if after.phase == "finished" or not (state.active or state.has_quota_reservation):
        waive_penalty(plane, state.key, after.queue_key)


def _settle(plane: ControlPlane, usage: FairUsage, state: WorkloadState) -> None:
    local_queue = plane.objects.local_queues.get(state.queue_key)
    if local_queue is None or local_queue.cluster_queue != state.cluster_queue:
        return
    current = usage.current(plane, local_queue)
    if current is None:
        return
    penalty = usage.ledger.settle(local_queue.key, state.key, current, plane.clock.now)
    if plane.recorder is not None:
        _announce(plane, local_queue.key)
        facts = PenaltySettled(
            local_queue.key,
            as_quantities(penalty or {}),
            as_quantities(usage.ledger.consumed(local_queue.key)),
            usage.of(local_queue.key),
        )
        plane.record(facts, state.key)


def waive_penalty(plane: ControlPlane, workload: str, local_queue: str) -> None:
    """Drop a workload's penalty, if it has one in a LocalQueue."""
    usage = plane.fair_usage
    if usage is None:
        return
    penalty = usage.ledger.waive(local_queue, workload)
    if penalty is not None and plane.recorder is not None:
        _announce(plane, local_queue)
        facts = PenaltyWaived(local_queue, as_quantities(penalty), usage.of(local_queue))
        plane.record(facts, workload)


# --- LocalQueues -----------------------------------------------------------------------


def look_at(plane: ControlPlane, local_queue: str) -> None:
    """Have a LocalQueue reconciled."""
    if plane.fair_usage is not None:
        plane.fair_usage.due[local_queue] = None


def sample_due(plane: ControlPlane) -> None:
    """Reconcile the LocalQueues in which something happened.

    Kueue takes its time with that, so it comes after whatever is done at once.
    """
    usage = plane.fair_usage
    if usage is None or not usage.due:
        return
    due, usage.due = usage.due, {}
    for key in sorted(due):
        local_queue = plane.objects.local_queues.get(key)
        if local_queue is not None:
            _reconcile(plane, usage, local_queue)


def _reconcile(plane: ControlPlane, usage: FairUsage, local_queue: LocalQueue) -> None:
    """Sample a LocalQueue if its interval is over or a penalty is pending; set the timer.

    While its ClusterQueue can't admit, or it is stopped itself, time stands still for it.
    """
    key, now, ledger = local_queue.key, plane.clock.now, usage.ledger
    queue = plane.statuses.get(local_queue.cluster_queue)
    if local_queue.stop_policy != "None" or queue is None or not queue.active:
        plane.clock.cancel((SAMPLING, key))
        return
    existed = ledger.open(key, written_usage(local_queue)[0], now)
    if existed and now == plane.start:
        # Kueue waits a second for more events; the simulation only where that shows, at the start.
        plane.clock.set_timer((SAMPLING, key), now + SECOND, partial(look_at, plane, key))
        return
    account = ledger.get(key)
    assert account is not None  # it was just opened
    due = account.last_update + ledger.rules.usage_sampling_interval
    if not existed or now >= due or account.has_pending:
        current = usage.current(plane, local_queue)
        if current is not None:
            _sample(plane, usage, local_queue, current)
        due = now + ledger.rules.usage_sampling_interval
    plane.clock.set_timer((SAMPLING, key), due, partial(look_at, plane, key))
    if plane.recorder is not None:
        _announce(plane, key)


def _sample(
    plane: ControlPlane, usage: FairUsage, local_queue: LocalQueue, current: Mapping[str, int]
) -> None:
    key, ledger = local_queue.key, usage.ledger
    before = dict(ledger.consumed(key))
    ledger.sample(key, current, plane.clock.now)
    if plane.recorder is not None and ledger.consumed(key) != before:
        _announce(plane, key)
        facts = UsageSampled(
            key,
            as_quantities(before),
            as_quantities(ledger.consumed(key)),
            usage.of(key),
        )
        plane.record(facts, "", local_queue.cluster_queue)


def forget_local_queue(plane: ControlPlane, local_queue: str) -> None:
    """Close the books of a LocalQueue that was deleted."""
    usage = plane.fair_usage
    if usage is not None:
        usage.ledger.close(local_queue)
        plane.clock.cancel((SAMPLING, local_queue))
        _announce(plane, local_queue)


def written_usage(local_queue: LocalQueue) -> tuple[Amounts, int]:
    """Return what the status of a LocalQueue says it consumed, and up to when.

    The amounts are none and the time is 0 where the status doesn't say so.
    """
    status: Any = local_queue.status_extra
    for name in ("fairSharing", "admissionFairSharingStatus"):
        status = status.get(name) if isinstance(status, Mapping) else None
    consumed = status.get("consumedResources") if isinstance(status, Mapping) else None
    if not isinstance(consumed, Mapping):
        return {}, 0
    try:
        amounts = {str(name): Quantity.parse(value).nano for name, value in consumed.items()}
    except QuantityError:
        return {}, 0
    try:
        return amounts, parse_time(str(status.get("lastUpdate")))
    except ValueError:
        return amounts, 0


# --- what can be seen ------------------------------------------------------------------


def local_queue_state(usage: FairUsage, local_queue: str) -> dict[str, Any]:
    """Return what a LocalQueue has used, its pending penalties, and the number that counts."""
    ledger = usage.ledger
    return {
        "consumed": as_quantities(ledger.consumed(local_queue)),
        "pendingPenalty": as_quantities(ledger.pending(local_queue)),
        "usage": usage_text(usage.shown(local_queue)),
    }


def _announce(plane: ControlPlane, local_queue: str) -> None:
    """Tell the recorder what the books say now."""
    usage = plane.fair_usage
    if usage is not None:
        gone = local_queue not in plane.objects.local_queues
        state = {} if gone else local_queue_state(usage, local_queue)
        for what in ("consumed", "pendingPenalty", "usage"):
            plane.announce("localQueues", local_queue, what, state.get(what))
