"""Rules about names: of objects that are not there, and of queues that are stopped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Message
from kueuelab.model import (
    AdmissionCheck,
    ClusterQueue,
    Cohort,
    LocalQueue,
    ModelObject,
    MultiKueueConfig,
    ResourceFlavor,
    Workload,
)
from kueuelab.whatif.advice.finding import Finding
from kueuelab.whatif.advice.setting import Setting, local_queue_key
from kueuelab.whatif.references import Reference

__all__ = ["missing_objects", "stopped_queues"]

#: So many workloads are named; of more, only how many.
_MOST_SHOWN: Final = 3
_QUEUE_LABEL: Final = "metadata.labels[kueue.x-k8s.io/queue-name]"

#: The object that names another one, in which field; the kind and the name that it has there.
_Named = tuple[Reference, str, Reference]


def missing_objects(setting: Setting) -> Iterator[Finding]:
    """An object that names another one which is not there: the nearest name that is."""
    for obj in setting.objects:
        for about, field, named in _names(obj):
            if named in setting.present:
                continue
            known = [each for each in setting.present if each.kind == named.kind]
            # Of an object that a server gave, other kinds may not have been asked for.
            if known or not obj.metadata.uid:
                yield Finding(about, field, *_missing(named, known))


def _missing(named: Reference, known: list[Reference]) -> tuple[str, str, str]:
    """Return which name is missing, why, and which one is probably meant."""
    home = [each.name for each in known if each.namespace == named.namespace]
    others = sorted(each.namespace for each in known if each.name == named.name)
    error = UnknownObjectError(named.kind, named.name, sorted(home))
    why = error.problem.message
    if named.namespace:
        why = Message("whatif.advice.names.in-namespace", reason=why, namespace=named.namespace)
    do = error.problem.hint or Message("whatif.advice.names.create")
    if others:
        do = Message("whatif.advice.names.elsewhere", namespaces=", ".join(others))
    return Message("whatif.advice.names", kind=named.kind, name=named.name), why, do


def _names(obj: ModelObject) -> Iterator[_Named]:
    about = Reference.of(obj)
    match obj:
        case ClusterQueue() | Cohort():
            yield from _of_quotas(obj, about)
        case LocalQueue():
            yield about, "spec.clusterQueue", Reference("ClusterQueue", "", obj.cluster_queue)
        case ResourceFlavor() if obj.topology_name:
            yield about, "spec.topologyName", Reference("Topology", "", obj.topology_name)
        case AdmissionCheck() if obj.parameters is not None:
            if obj.parameters.kind in ("MultiKueueConfig", "ProvisioningRequestConfig"):
                named = Reference(obj.parameters.kind, "", obj.parameters.name)
                yield about, "spec.parameters.name", named
        case MultiKueueConfig():
            for index, name in enumerate(obj.clusters):
                yield about, f"spec.clusters[{index}]", Reference("MultiKueueCluster", "", name)
        case Workload():
            yield from _of_workload(obj)


def _of_quotas(obj: ClusterQueue | Cohort, about: Reference) -> Iterator[_Named]:
    for index, group in enumerate(obj.resource_groups):
        for place, flavor in enumerate(group.flavors):
            field = f"spec.resourceGroups[{index}].flavors[{place}].name"
            yield about, field, Reference("ResourceFlavor", "", flavor.name)
    if isinstance(obj, ClusterQueue):
        for index, rule in enumerate(obj.admission_checks):
            field = f"spec.admissionChecksStrategy.admissionChecks[{index}].name"
            yield about, field, Reference("AdmissionCheck", "", rule.name)


def _of_workload(workload: Workload) -> Iterator[_Named]:
    """Yield what a workload names; if it is made from a job, in the job's fields."""
    about, field = author_of(workload)
    namespace = Reference.of(workload).namespace
    if workload.queue_name:
        yield about, field, Reference("LocalQueue", namespace, workload.queue_name)
    ref = workload.priority_class_ref
    if ref is not None and ref.kind in ("WorkloadPriorityClass", "PriorityClass"):
        yield about, "spec.priorityClassRef.name", Reference(ref.kind, "", ref.name)
    names = (each.template.spec.runtime_class_name for each in workload.pod_sets)
    for name in dict.fromkeys(filter(None, names)):
        path = "spec.podSets[0].template.spec.runtimeClassName"
        if about.kind != "Workload":
            path = "spec.template.spec.runtimeClassName"
        yield about, path, Reference("RuntimeClass", "", name)


def author_of(workload: Workload) -> tuple[Reference, str]:
    """Return the object in which a person wrote a workload, and its field for the queue."""
    reference = Reference.of(workload)
    owner = next((o for o in workload.metadata.owner_references if o.controller), None)
    if workload.metadata.uid or owner is None:
        return reference, "spec.queueName"
    return Reference(owner.kind, reference.namespace, owner.name), _QUEUE_LABEL


def stopped_queues(setting: Setting) -> Iterator[Finding]:
    """A queue on hold that workloads are sent to."""
    for key, local_queue in setting.local_queues.items():
        waiting = [each for each in setting.workloads if local_queue_key(each) == key]
        if local_queue.stop_policy != "None":
            yield _stopped(local_queue, local_queue.stop_policy, waiting)
    for queue in setting.queues.values():
        waiting = [each for each in setting.workloads if setting.queue_of(each) == queue]
        if queue.stop_policy != "None":
            yield _stopped(queue, queue.stop_policy, waiting)


def _stopped(queue: LocalQueue | ClusterQueue, policy: str, waiting: Iterable[Workload]) -> Finding:
    names = [each.key for each in waiting]
    shown = ", ".join(names[:_MOST_SHOWN])
    if len(names) > _MOST_SHOWN:
        more = len(names) - _MOST_SHOWN
        shown = Message("whatif.advice.stopped.more", workloads=shown, count=more)
    why = Message("whatif.advice.stopped.why")
    if names:
        why = Message("whatif.advice.stopped.why-workloads", workloads=shown)
    return Finding(
        Reference.of(queue),
        "spec.stopPolicy",
        Message("whatif.advice.stopped", policy=policy),
        why,
        Message("whatif.advice.stopped.do"),
    )
