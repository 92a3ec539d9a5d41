"""Bringing objects into a cluster: all at once at the start, or one by one later."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from kueuelab.manifests.result import PastEvent
from kueuelab.model import (
    AdmissionCheck,
    ClusterObject,
    Condition,
    LocalQueue,
    Node,
    Pod,
    ResourceClaimTemplate,
    RuntimeClass,
    Workload,
)
from kueuelab.progress import counted
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.delivery import create_workload
from kueuelab.simulation.devices.assumed import charges_from_status, missing_templates
from kueuelab.simulation.history import Changes, Names, evictions_before, status_read
from kueuelab.simulation.node_failures import enqueue_nodes
from kueuelab.simulation.objects import kind_of, with_defaults
from kueuelab.simulation.pod_overhead import runtime_classes_from_status
from kueuelab.simulation.reactions import REACTIONS, queue_workloads
from kueuelab.trace.steps import ObjectApplied
from kueuelab.workload import WorkloadState

__all__ = ["load", "put"]

# Objects are taken in this order, so that what refers to others comes after them.
_ORDER: Final = (
    "Namespace",
    "Topology",
    "ResourceFlavor",
    "AdmissionCheck",
    "Cohort",
    "ClusterQueue",
)


def load(
    plane: ControlPlane,
    objects: Iterable[ClusterObject | Workload],
    events: Iterable[PastEvent] = (),
) -> None:
    """Take objects over as if the controllers had just been restarted.

    ``events`` say what happened to the workloads before; they decide nothing.
    From here on no events are emitted, until the caller has carried the effects through.
    """
    plane.muted = True
    found = [with_defaults(obj, plane.clock.now) for obj in objects]
    others = [obj for obj in found if not isinstance(obj, Workload)]
    workloads = [obj for obj in found if isinstance(obj, Workload)]
    for obj in others:
        plane.objects.put(obj)
    for obj in _runtime_classes(plane, workloads):
        plane.objects.put(obj)
        others.append(obj)
    rank = {kind: index for index, kind in enumerate(_ORDER)}
    others.sort(key=lambda obj: (rank.get(kind_of(obj), len(rank)), obj.metadata.key))
    with plane.tree.growing():
        for obj in others:
            if not isinstance(obj, LocalQueue):
                _react(plane, None, obj)
    _load_workloads(plane, workloads, events)
    # LocalQueues come last and take in what names them, the admitted too.
    named: dict[str, list[WorkloadState]] = {}
    for state in plane.workloads.values():
        named.setdefault(state.queue_key, []).append(state)
    for obj in others:
        if isinstance(obj, LocalQueue):
            _announce(plane, None, obj)
            queue_workloads(plane, obj, named.get(obj.key, ()))
    if plane.objects.nodes:
        enqueue_nodes(plane)


def _load_workloads(
    plane: ControlPlane, workloads: list[Workload], events: Iterable[PastEvent]
) -> None:
    """Create workloads, and record what their status says of the time before."""
    ordered = sorted(workloads, key=lambda obj: obj.key)
    _assume_devices(plane, ordered)
    if plane.recorder is None:
        for workload in ordered:
            create_workload(plane, workload)
        return
    names, changes = Names.of(workloads), Changes(workloads, partial(_root_of, plane))
    about: dict[str, list[PastEvent]] = {}
    for event in events:
        about.setdefault(event.workload, []).append(event)
    for workload in counted("loading", ordered):
        state, own = create_workload(plane, workload), about.get(workload.key, ())
        status = status_read(state, own, changes)
        if status is not None:
            plane.record(status, state.key)
            for eviction in evictions_before(workload, own, names):
                plane.record(eviction, state.key)


def _assume_devices(plane: ControlPlane, workloads: list[Workload]) -> None:
    """Note what Kueue counted for claims by templates that a dump leaves out."""
    templates = {each.metadata.key for each in plane.objects.of_kind(ResourceClaimTemplate)}
    for workload in workloads:
        if any(missing_templates(workload, templates)):
            resources = plane.configuration.resources
            charges = charges_from_status(plane.adjusted(workload), resources)
            if charges is not None:
                plane.devices.assumed[workload.key] = charges


def _root_of(plane: ControlPlane, workload: Workload) -> str:
    """Return the cohort tree that a workload is or queues in, or its ClusterQueue alone."""
    admission = workload.status.admission
    if admission is not None:
        name = admission.cluster_queue
    else:
        local_queue = plane.objects.local_queues.get(f"{workload.namespace}/{workload.queue_name}")
        name = "" if local_queue is None else local_queue.cluster_queue
    node = plane.tree.cluster_queues.get(name)
    return f"ClusterQueue/{name}" if node is None or node.parent is None else node.root.name


def _runtime_classes(plane: ControlPlane, workloads: list[Workload]) -> list[RuntimeClass]:
    """Return the RuntimeClasses that a dump leaves out, as its workloads' status tells them."""
    known, resources = plane.objects.runtime_classes, plane.configuration.resources
    found = runtime_classes_from_status(workloads, known, resources, plane.adjusted)
    return [with_defaults(runtime_class, plane.clock.now) for runtime_class, _ in found]


def put(plane: ControlPlane, obj: ClusterObject) -> bool:
    """Create an object, or replace its spec and labels; tell whether anything changed."""
    new = with_defaults(obj, plane.clock.now)
    before = plane.objects.get(kind_of(new), new.metadata.key)
    if before is not None:
        new = _replaced(before, new, plane.clock.now)
        if new == before:
            return False
        meta = replace(new.metadata, generation=new.metadata.generation + 1)
        new = replace(new, metadata=meta)
    plane.objects.put(new)
    _react(plane, before, new)
    return True


def _replaced(before: Any, new: Any, now: int) -> Any:
    """Return ``before`` with the spec, labels and annotations of ``new``; status stays.

    Nodes and pods are what they are by their status: theirs is replaced, if one is written.
    """
    meta = replace(
        before.metadata, labels=new.metadata.labels, annotations=new.metadata.annotations
    )
    if isinstance(new, AdmissionCheck) and new.conditions is None:
        return replace(new, metadata=meta, conditions=before.conditions)
    if isinstance(new, Node) and (new.conditions or new.allocatable):
        return replace(new, metadata=meta, conditions=_dated(before.conditions, new, now))
    if isinstance(new, Node):
        meant = {"allocatable": before.allocatable, "conditions": before.conditions}
        return replace(new, metadata=meta, **meant)
    if isinstance(new, Pod) and not new.phase:
        return replace(new, metadata=meta, phase=before.phase)
    return replace(new, metadata=meta)


def _dated(before: tuple[Condition, ...], node: Node, now: int) -> tuple[Condition, ...]:
    """Return the conditions of a node; those that don't say since when, with that time."""
    known = {each.type: each for each in before}
    return tuple(
        condition
        if condition.last_transition_time
        else condition._replace(
            last_transition_time=_since(known.get(condition.type), condition, now)
        )
        for condition in node.conditions
    )


def _since(before: Condition | None, condition: Condition, now: int) -> int:
    same = before is not None and before.status == condition.status
    return before.last_transition_time if before is not None and same else now


def _react(plane: ControlPlane, before: ClusterObject | None, new: ClusterObject) -> None:
    _announce(plane, before, new)
    reaction = REACTIONS.get(kind_of(new))
    if reaction is not None:
        reaction(plane, before, new)


def _announce(plane: ControlPlane, before: ClusterObject | None, new: ClusterObject) -> None:
    if plane.recorder is not None:
        kind, key = kind_of(new), new.metadata.key
        plane.announce_object(kind, key, new)
        plane.record(ObjectApplied(f"{kind}/{key}", before is None))
