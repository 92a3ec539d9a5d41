"""What prevents the admission of a workload, whatever the quota."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.messages import Message, listed
from kueuelab.model import amount_string
from kueuelab.model.times import format_time
from kueuelab.simulation.admissibility import obstacle as inadmissible
from kueuelab.simulation.bug_signs import is_reactivated
from kueuelab.simulation.devices import uncounted
from kueuelab.whatif.domain_room import domain_rooms
from kueuelab.whatif.report import Obstacle
from kueuelab.whatif.subject import Subject, back_off_ends

__all__ = ["obstacles"]

_GATED_BY = "kueue.x-k8s.io/admission-gated-by"
#: So many domains are named; of more, only how many.
_MOST_DOMAINS: Final = 6
_UNMAPPED = re.compile(r"DeviceClass (\S+) is not mapped in DRA configuration")
_TAINT = re.compile(r"untolerated taint \{(\S+) (\S*) (\S+) <nil>\} in flavor (.+)")


def obstacles(subject: Subject) -> list[Obstacle]:
    """Return what prevents its admission, the most basic first."""
    return list(_of_workload(subject)) or [
        *_of_queues(subject),
        *_of_quota(subject),
        *_of_domains(subject),
    ]


def _obstacle(kind: str, **values: Any) -> Obstacle:
    return Obstacle(kind, Message(f"whatif.obstacle.{kind}", **values))


def _of_workload(subject: Subject) -> Iterator[Obstacle]:
    state = subject.state
    if state.is_finished:
        yield _obstacle("finished")
    elif state.is_admitted and not state.is_evicted:
        yield _obstacle("admitted")
    elif state.has_quota_reservation and not state.is_evicted:
        waiting = [name for name, c in state.admission_checks.items() if c.state != "Ready"]
        yield _obstacle("reserved", checks=listed(sorted(waiting)))


def _of_queues(subject: Subject) -> Iterator[Obstacle]:
    state, cluster = subject.state, subject.cluster
    if not state.active:
        yield _obstacle("inactive")
    if is_reactivated(cluster.plane, state):
        yield _obstacle("reactivated")
    gates = state.obj.metadata.annotations.get(_GATED_BY)
    if gates and cluster.configuration.gates["AdmissionGatedBy"]:
        yield _obstacle("gated", gates=gates)
    if cluster.is_blocked:
        yield _obstacle("podsReady")
    yield from _of_devices(subject)
    until = back_off_ends(state, cluster.now)
    if until is not None:
        yield _obstacle("backOff", time=format_time(until))
    local_queue = subject.local_queue
    if local_queue is None:
        yield _obstacle("localQueue", queue=state.queue_key)
        return
    if local_queue.stop_policy != "None":
        policy = local_queue.stop_policy
        yield _obstacle("localQueueStopped", queue=local_queue.key, policy=policy)
    queue = subject.queue
    if queue is None:
        yield _obstacle(
            "clusterQueue", queue=local_queue.key, clusterQueue=local_queue.cluster_queue
        )
        return
    status = cluster.cluster_queues.get(queue.name)
    if status is not None and not status.active:
        yield _obstacle("inactiveQueue", queue=queue.name, message=status.message)
    if cluster.tree.in_cycle(queue.name):
        yield _obstacle("cohortCycle", queue=queue.name)
    problem = inadmissible(cluster.plane, state, queue.namespace_selector)
    if problem is not None and "ClusterQueue selector" in problem.message:
        yield _obstacle("namespace", queue=queue.name, namespace=state.obj.namespace)
    elif problem is not None:
        yield _obstacle("requests", message=problem.message)


def _of_devices(subject: Subject) -> Iterator[Obstacle]:
    """Say why the devices that a workload claims can't be counted."""
    state = subject.state
    message = uncounted(subject.cluster.plane, state)
    if message is None:
        return
    yield _obstacle("devices", message=message)
    if found := _UNMAPPED.search(message):
        queue = "" if subject.queue is None else subject.queue.name
        yield _obstacle("devicesUnmapped", classes=found[1], queue=queue)


def _of_quota(subject: Subject) -> Iterator[Obstacle]:
    queue, node = subject.queue, subject.node
    if queue is None or node is None:
        return
    strategy = subject.cluster.configuration.resources.quota_check_strategy
    if subject.uncovered and strategy == "BlockUndeclared":
        yield _obstacle("uncovered", queue=queue.name, resources=listed(subject.uncovered))
    for demand in subject.demands:
        if not demand.flavors:
            reasons = listed([_in_words(mismatch) for mismatch in demand.mismatches])
            yield _obstacle("flavors", resources=listed([*demand.requests]), reasons=reasons)
            continue
        for resource, amount in demand.requests.items():
            most = max(node.potential_available((name, resource)) for name in demand.flavors)
            if amount > most:
                yield _obstacle(
                    "tooLarge",
                    queue=queue.name,
                    resource=resource,
                    requested=amount_string(resource, amount),
                    potential=amount_string(resource, most),
                )


def _of_domains(subject: Subject) -> Iterator[Obstacle]:
    """Yield where enough is free in all, but not in one domain."""
    for room in domain_rooms(subject):
        resource = None if room.is_enough else room.tightest
        if resource is None:
            continue
        domain, most = room.best
        free = {name: amount for name, amount in room.free(resource).items() if amount}
        yield _obstacle(
            "fragmented",
            level=room.level,
            count=room.least,
            domain=domain,
            most=most,
            flavor=room.flavor.name,
            free=amount_string(resource, sum(free.values())),
            resource=resource,
            where=_where(resource, free),
        )


def _where(resource: str, free: Mapping[str, int]) -> str:
    """Return how much is free in which domain, the most first."""
    ordered = sorted(free, key=lambda name: (-free[name], name))
    shown = [
        Message("whatif.obstacle.free", amount=amount_string(resource, free[name]), domain=name)
        for name in ordered
    ]
    if len(shown) > _MOST_DOMAINS:
        more = len(shown) - _MOST_DOMAINS + 1
        shown[_MOST_DOMAINS - 1 :] = [Message("whatif.obstacle.free-more", count=more)]
    return listed(shown)


def _in_words(mismatch: str) -> str:
    """Return why a flavor doesn't suit; Kueue prints a taint as Go prints a struct.

    Examples
    --------
    >>> _in_words("untolerated taint {spot true NoSchedule <nil>} in flavor default")
    'flavor default has the taint spot=true:NoSchedule, which it does not tolerate'
    """
    found = _TAINT.fullmatch(mismatch)
    if found is None:
        return mismatch
    key, value, effect, flavor = found.groups()
    taint = f"{key}={value}:{effect}" if value else f"{key}:{effect}"
    return Message("whatif.obstacle.taint", flavor=flavor, taint=taint)
