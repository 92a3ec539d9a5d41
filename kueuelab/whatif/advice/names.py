"""Rules about names: of objects that are not there, and of queues that are stopped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kueuelab.errors import UnknownObjectError
from kueuelab.manifests.decode import ModelObject
from kueuelab.model import (
    AdmissionCheck,
    ClusterQueue,
    Cohort,
    LocalQueue,
    MultiKueueConfig,
    ResourceFlavor,
    Workload,
)
from kueuelab.whatif.advice.finding import Finding
from kueuelab.whatif.advice.setting import Setting
from kueuelab.whatif.references import Reference

__all__ = ["missing_objects", "stopped_queues"]

_QUEUE_LABEL: Final = "metadata.labels[kueue.x-k8s.io/queue-name]"
_CREATE: Final = "Create it, or say with --existing what the cluster has already"

#: The object that names another one, in which field; the kind and the name that it has there.
_Named = tuple[Reference, str, Reference]


def missing_objects(setting: Setting) -> Iterator[Finding]:
    """An object that names another one which is not there: the nearest name that is."""
    for obj in setting.objects:
        for about, field, named in _names(obj):
            known = [each for each in setting.present if each.kind == named.kind]
            # Of an object that a server gave, other kinds may not have been asked for.
            if named not in known and (known or not obj.metadata.uid):
                yield Finding(about, field, *_missing(named, known))


def _missing(named: Reference, known: list[Reference]) -> tuple[str, str, str]:
    """Return what a name is, why it is of no use, and what may be meant instead."""
    home = [each.name for each in known if each.namespace == named.namespace]
    elsewhere = sorted(each.namespace for each in known if each.name == named.name)
    error = UnknownObjectError(named.kind, named.name, sorted(home))
    why = error.problem.message
    if named.namespace:
        why += f" in namespace {named.namespace}"
    do = error.problem.hint or _CREATE
    if elsewhere:
        do = f"There is one in namespace {', '.join(elsewhere)}: LocalQueues serve their own alone"
    return f"it names {named.kind} '{named.name}'", why, do


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
    for local_queue in setting.local_queues.values():
        waiting = [each for each in setting.workloads if _queue_key(each) == local_queue.key]
        if local_queue.stop_policy != "None":
            yield _stopped(local_queue, local_queue.stop_policy, waiting)
    for queue in setting.queues.values():
        waiting = [each for each in setting.workloads if setting.queue_of(each) == queue]
        if queue.stop_policy != "None":
            yield _stopped(queue, queue.stop_policy, waiting)


def _stopped(queue: LocalQueue | ClusterQueue, policy: str, waiting: Iterable[Workload]) -> Finding:
    names = [each.key for each in waiting]
    listed = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    why = "no workload is admitted" + (f" (workloads sent here: {listed})" if names else "")
    return Finding(
        Reference.of(queue),
        "spec.stopPolicy",
        f"the queue is stopped ({policy})",
        why,
        "Set stopPolicy to None to admit workloads",
    )


def _queue_key(workload: Workload) -> str:
    return f"{workload.metadata.namespace or 'default'}/{workload.queue_name}"
