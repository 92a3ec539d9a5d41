"""Changes to what isn't quota: what is stopped, missing, or doesn't suit the workload."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.manifests.scenario import Apply, SetActive, SetCheck
from kueuelab.messages import listed
from kueuelab.model import (
    LabelSelector,
    LocalQueue,
    ModelObject,
    Namespace,
    ObjectMeta,
    ResourceFlavor,
)
from kueuelab.whatif.change_sets import Adjustment, Part
from kueuelab.whatif.changes import Change, Edit
from kueuelab.whatif.device_claims import other_claims
from kueuelab.whatif.near_names import near
from kueuelab.whatif.references import Reference
from kueuelab.whatif.subject import Subject

__all__ = ["ALTERNATIVES", "adjustment", "checks", "edit_queue", "edit_workload", "remedies"]

#: More objects of a kind than this are not tried one by one.
_MANY: Final = 4

#: Kinds of which one is enough: the others lead elsewhere.
ALTERNATIVES: Final = ("queueName", "clusterQueue", "localQueue")


def adjustment(
    kind: str,
    *changes: Change,
    queues: tuple[str, ...] = (),
    size: float = 1.0,
    **values: Any,
) -> Adjustment:
    """Return an adjustment that makes changes, or doesn't."""
    part = Part(kind, changes, values, queues=queues, size=size)
    return Adjustment(lambda _: part)


def edit_queue(name: str, values: Mapping[str, Any]) -> Edit:
    """Return an edit of a ClusterQueue."""
    return Edit(Reference("ClusterQueue", "", name), values)


def edit_workload(subject: Subject, values: Mapping[str, Any]) -> Edit:
    """Return an edit of the workload."""
    meta = subject.state.obj.metadata
    return Edit(Reference("Workload", meta.namespace, meta.name), values)


# --- what is not in order --------------------------------------------------------------------


def remedies(subject: Subject) -> Iterator[Adjustment]:
    """Yield changes for what stands in the way but isn't quota."""
    state, cluster = subject.state, subject.cluster
    if not state.active:
        yield adjustment("activate", SetActive(state.key, True), workload=state.key)
    yield from _other_local_queues(subject)
    yield from other_claims(subject)
    local_queue, queue = subject.local_queue, subject.queue
    if local_queue is None:
        yield from _missing_local_queue(subject)
    if local_queue is not None and local_queue.stop_policy != "None":
        reference = Reference.of(local_queue)
        name = str(reference)
        yield adjustment("stopPolicy", Edit(reference, {"spec.stopPolicy": "None"}), object=name)
    if local_queue is not None and queue is None:
        written, known = local_queue.cluster_queue, sorted(cluster.objects.cluster_queues)
        for name in dict.fromkeys((*near(written, known), *known[:_MANY])):
            yield adjustment(
                "clusterQueue",
                Edit(Reference.of(local_queue), {"spec.clusterQueue": name}),
                queue=local_queue.key,
                clusterQueue=name,
            )
    if queue is None:
        return
    own = (queue.name,)
    if queue.stop_policy != "None":
        change = edit_queue(queue.name, {"spec.stopPolicy": "None"})
        name = str(Reference.of(queue))
        yield adjustment("stopPolicy", change, queues=own, object=name)
    labels = cluster.objects.namespace_labels(state.obj.namespace)
    selector = queue.namespace_selector
    if selector is None or not selector.matches(labels):
        yield from _namespace_label(subject, labels, selector)
        change = edit_queue(queue.name, {"spec.namespaceSelector": {}})
        yield adjustment("namespaceSelector", change, queues=own, queue=queue.name)
    for group in queue.resource_groups:
        for flavor in group.flavors:
            if flavor.name not in cluster.objects.flavors:
                missing: ModelObject = ResourceFlavor(ObjectMeta(flavor.name))
                yield adjustment("flavor", Apply((missing,)), queues=own, flavor=flavor.name)
    yield from _placement(subject)


def _namespace_label(
    subject: Subject, labels: Mapping[str, str] | None, selector: LabelSelector | None
) -> Iterator[Adjustment]:
    """Yield the labels by which a ClusterQueue selects this namespace, and no other one more."""
    name = subject.state.obj.namespace
    if selector is None:
        return
    missing = dict(selector.match_labels)
    for each in selector.match_expressions:
        if each.operator in ("In", "Exists"):
            missing.setdefault(each.key, each.values[0] if each.values else "true")
    after = {**(labels or {}), **missing}
    if not selector.matches(after):
        return
    known = subject.cluster.objects.namespaces.get(name)
    change: Change = Apply((Namespace(ObjectMeta(name, labels=after)),))
    if known is not None:
        change = Edit(Reference("Namespace", "", name), {"metadata.labels": after})
    shown = listed([f"{key}={value}" for key, value in sorted(missing.items())])
    yield adjustment("namespaceLabel", change, namespace=name, labels=shown)


def checks(subject: Subject) -> Adjustment:
    """Return what sets all checks to Ready that a workload with quota waits for."""
    waiting = [n for n, check in subject.state.admission_checks.items() if check.state != "Ready"]
    changes = [SetCheck(subject.key, name, "Ready") for name in sorted(waiting)]
    size = float(len(changes))
    return adjustment("check", *changes, size=size, check=listed(sorted(waiting)))


def _missing_local_queue(subject: Subject) -> Iterator[Adjustment]:
    namespace, name = subject.state.obj.namespace, subject.state.obj.queue_name
    for queue in sorted(subject.cluster.objects.cluster_queues)[:_MANY] if name else ():
        created = LocalQueue(ObjectMeta(name, namespace), queue)
        shown = f"{namespace}/{name}"
        yield adjustment("localQueue", Apply((created,)), queue=shown, clusterQueue=queue)


def _other_local_queues(subject: Subject) -> Iterator[Adjustment]:
    namespace = subject.state.obj.namespace
    others = [
        local_queue
        for _, local_queue in sorted(subject.cluster.objects.local_queues.items())
        if local_queue.metadata.namespace == namespace
    ]
    own = None if subject.local_queue is None else subject.local_queue.cluster_queue
    for local_queue in [each for each in others if each.cluster_queue != own][:_MANY]:
        change = edit_workload(subject, {"spec.queueName": local_queue.metadata.name})
        yield adjustment("queueName", change, queue=local_queue.metadata.name)


def _placement(subject: Subject) -> Iterator[Adjustment]:
    """Yield what would make a flavor suit: a toleration, no node selector."""
    if all(demand.flavors for demand in subject.demands):
        return
    pod_sets = subject.state.obj.pod_sets
    selecting = [p.name for p in pod_sets if p.template.spec.node_selector]
    if selecting:
        without = {f"spec.podSets[{n}].template.spec.nodeSelector": None for n in selecting}
        yield adjustment("nodeSelector", edit_workload(subject, without))
    for demand in subject.demands:
        for quota in () if demand.flavors else demand.group.flavors:
            flavor = subject.cluster.objects.flavors.get(quota.name)
            if flavor is None or not flavor.node_taints:
                continue
            tolerations = [
                {"key": t.key, "operator": "Equal", "value": t.value, "effect": t.effect}
                for t in flavor.node_taints
            ]
            values = {
                f"spec.podSets[{p.name}].template.spec.tolerations": [
                    *_tolerations(p.template.spec.tolerations),
                    *tolerations,
                ]
                for p in pod_sets
            }
            yield adjustment("toleration", edit_workload(subject, values), flavor=quota.name)


def _tolerations(found: Any) -> list[dict[str, Any]]:
    from kueuelab.manifests.encode.parts import tolerations

    return list(tolerations(found))
