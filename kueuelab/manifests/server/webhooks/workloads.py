"""What Kueue's webhook refuses in Workloads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.server.names import annotation_errors, label_errors
from kueuelab.manifests.server.problems import (
    FieldError,
    FieldPath,
    Key,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from kueuelab.manifests.server.webhooks.annotations import annotations_of, gate_errors
from kueuelab.manifests.server.webhooks.borrowing_and_lending_limits import (
    is_negative,
    quantity_errors,
)
from kueuelab.manifests.server.webhooks.conditions import condition_errors
from kueuelab.manifests.server.webhooks.queues import toleration_errors
from kueuelab.model import FeatureGates
from kueuelab.quantity import to_int
from kueuelab.workload.slices import REPLACEMENT_FOR

__all__ = ["workload_errors", "workload_warnings"]

_Object: TypeAlias = Mapping[str, Any]

_BOOST: Final = "kueue.x-k8s.io/priority-boost"
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_IMMUTABLE: Final = "field is immutable"


def workload_warnings(workload: _Object, gates: FeatureGates) -> list[str]:
    """Return what the webhook warns of."""
    found: list[str] = []
    if not gates.release.warns_of_negative_sub_groups:
        return found
    for index, pods in enumerate(workload["spec"].get("podSets") or ()):
        count = (pods.get("topologyRequest") or {}).get("subGroupCount", 0)
        if count < 0:
            found.append(
                f"spec.podSets[{index}].topologyRequest.subGroupCount: negative value {count} is "
                "deprecated and will be rejected in a future release"
            )
    return found


def workload_errors(
    workload: _Object, old: _Object | None, gates: FeatureGates
) -> Iterator[FieldError]:
    """Yield what is wrong with a Workload; ``old`` is what an update replaces."""
    pod_sets = workload["spec"].get("podSets") or []
    for index, pods in enumerate(pod_sets):
        yield from _pod_set_errors(pods, ("spec", "podSets", index), gates)
    partial = len([pods for pods in pod_sets if "minCount" in pods])
    if partial > 1:
        yield invalid(("spec", "podSets"), partial, "at most one podSet can use minCount")
    if partial and _is_elastic(workload):
        words = "partial admission and elastic job cannot be used together"
        yield invalid(("spec", "podSets"), partial, words)
    if status := workload.get("status"):
        yield from condition_errors(status.get("conditions") or (), ("status", "conditions"))
        if _reserves(workload):
            yield from _admission_errors(workload, old)
        yield from _reclaimable_errors(workload, old)
        yield from _check_errors(status.get("admissionChecks") or [], pod_sets)
    if annotations_of(workload):
        yield from gate_errors(workload, gates)
    if gates["PriorityBoost"]:
        yield from _boost_errors(annotations_of(workload))
    if old is not None:
        yield from _update_errors(workload, old)
        yield from gate_errors(workload, gates, old)


def _boost_errors(annotations: Mapping[str, str]) -> Iterator[FieldError]:
    """Yield what is wrong with the annotation that adds to a priority (KEP-7990)."""
    value = annotations.get(_BOOST)
    if value is None:
        return
    path: FieldPath = ("metadata", "annotations", Key(_BOOST))
    words = "must be a valid signed integer"
    if value == "":
        yield invalid(path, value, f'{words}; use "0" explicitly, empty string is not allowed')
    elif not _INTEGER.fullmatch(value) or not -(2**31) <= int(value) < 2**31:
        yield invalid(path, value, words)


def _is_elastic(workload: _Object) -> bool:
    return annotations_of(workload).get(constants.ELASTIC_JOB) == "true"


def _reserves(workload: _Object) -> bool:
    conditions = (workload.get("status") or {}).get("conditions") or ()
    return any((c["type"], c["status"]) == ("QuotaReserved", "True") for c in conditions)


def _pod_set_errors(pods: _Object, path: FieldPath, gates: FeatureGates) -> Iterator[FieldError]:
    template = pods.get("template") or {}
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    if gates["WorkloadValidationForPodSetMetadata"]:
        where: FieldPath = (*path, "template", "metadata")
        yield from label_errors(metadata.get("labels") or {}, (*where, "labels"))
        yield from annotation_errors(metadata.get("annotations") or {}, (*where, "annotations"))
    where = (*path, "template", "spec")
    for kind in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(kind) or ()):
            if resources := container.get("resources"):
                yield from _amount_errors(resources, (*where, kind, index), gates)
    if resources := spec.get("resources"):
        yield from _amount_errors(resources, where, gates)
    request = pods.get("topologyRequest")
    if request is not None and gates["TASValidateWorkloadSliceSize"]:
        yield from _slice_errors(request, (*path, "topologyRequest"))


def _amount_errors(
    resources: _Object, path: FieldPath, gates: FeatureGates
) -> Iterator[FieldError]:
    for kind in ("requests", "limits"):
        for name, amount in (resources.get(kind) or {}).items():
            if name == "pods":
                where = (*path, "resources", kind, Key(name))
                yield invalid(where, "pods", "the key is reserved for internal kueue use")
            if gates["WorkloadValidateResourcesAreNonNegative"] and is_negative(amount):
                yield from quantity_errors(amount, (*path, "resources", kind, Key(name)))


def _slice_errors(request: _Object, path: FieldPath) -> Iterator[FieldError]:
    where = (*path, "podSetSliceSize")
    topology, size = request.get("podSetSliceRequiredTopology"), request.get("podSetSliceSize")
    if topology is not None and size is None:
        yield required(where, "must be set when podSetSliceRequiredTopology is specified")
    elif topology is not None and size is not None and size <= 0:
        yield invalid(where, size, "must be greater than 0")
    elif topology is None and size is not None:
        words = "may not be set when podSetSliceRequiredTopology is not specified"
        yield forbidden(where, words)


def _admission_errors(workload: _Object, old: _Object | None) -> Iterator[FieldError]:
    admission = workload["status"].get("admission")
    path: FieldPath = ("status", "admission")
    if admission is None:
        # An object that was like this already is accepted, so that it can be corrected.
        if old is None or not _reserves(old) or "admission" in (old.get("status") or {}):
            words = "must be set while the QuotaReserved condition is true"
            yield required(path, words)
        return
    known = [pods.get("name", "") for pods in workload["spec"].get("podSets") or ()]
    for index, assignment in enumerate(admission.get("podSetAssignments") or ()):
        where = (*path, "podSetAssignments", index)
        if assignment["name"] not in known:
            yield not_found((*where, "name"), assignment["name"])
        count = assignment.get("count", 0)
        for name, amount in (assignment.get("resourceUsage") or {}).items():
            if count > 0 and to_int(name, amount) % count:
                # Kueue prints where in its memory the count is.
                words = f"is not a multiple of {count}"
                yield invalid((*where, "resourceUsage", Key(name)), amount, words)


def _reclaimable_errors(workload: _Object, old: _Object | None) -> Iterator[FieldError]:
    counts = {pods.get("name", ""): pods["count"] for pods in workload["spec"].get("podSets") or ()}
    before = _reclaimable(old) if old is not None and _is_elastic(workload) else {}
    for name, count in _reclaimable(workload).items():
        where: FieldPath = ("status", "reclaimablePods", Key(name))
        if name not in counts:
            yield not_supported((*where, "name"), name, counts)
        elif count > counts[name] and before.get(name) != count:
            yield invalid((*where, "count"), count, f"should be less or equal to {counts[name]}")


def _reclaimable(workload: _Object) -> dict[str, int]:
    pods = (workload.get("status") or {}).get("reclaimablePods") or ()
    return {each["name"]: each["count"] for each in pods}


def _check_errors(checks: Sequence[_Object], pod_sets: Sequence[_Object]) -> Iterator[FieldError]:
    known = sorted(pods.get("name", "") for pods in pod_sets)
    for index, check in enumerate(checks):
        for place, update in enumerate(check.get("podSetUpdates") or ()):
            path: FieldPath = ("status", "admissionChecks", index, "podSetUpdates", place)
            if update["name"] not in known:
                yield not_supported((*path, "name"), update["name"], known)
            yield from toleration_errors(update.get("tolerations") or [], (*path, "tolerations"))
            annotations = update.get("annotations") or {}
            yield from annotation_errors(annotations, (*path, "annotations"))
            yield from label_errors(update.get("nodeSelector") or {}, (*path, "nodeSelector"))
            yield from label_errors(update.get("labels") or {}, (*path, "labels"))


def _update_errors(new: _Object, old: _Object) -> Iterator[FieldError]:
    if _reserves(old):
        yield from _fixed_pod_sets(new["spec"].get("podSets"), old["spec"].get("podSets"))
    if _reserves(old) and _reserves(new):
        yield from _fewer_reclaimable(new, old)
    yield from _fixed_admission(new, old)
    yield from _fixed_updates(new, old)
    if REPLACEMENT_FOR not in annotations_of(new):
        # A slice that replaces another one runs where that one did.
        yield from _cluster_errors(new.get("status") or {}, old.get("status") or {})


def _fixed_pod_sets(new: Any, old: Any) -> Iterator[FieldError]:
    path: FieldPath = ("spec", "podSets")
    if len(new or ()) != len(old or ()):
        yield invalid(path, new, _IMMUTABLE)
        return
    for index, (now, before) in enumerate(zip(new or (), old or (), strict=True)):
        # An elastic job may become smaller.
        kept = {**now, "count": max(now["count"], before["count"])}
        if kept != before:
            yield invalid((*path, str(index)), kept, _IMMUTABLE)


def _fewer_reclaimable(new: _Object, old: _Object) -> Iterator[FieldError]:
    now, before = _reclaimable(new), _reclaimable(old)
    smaller = _scaled_down(new)
    path: FieldPath = ("status", "reclaimablePods")
    for name, count in now.items():
        if name in before and count < before[name] and name not in smaller:
            words = f"cannot be less than {before[name]}"
            yield invalid((*path, Key(name), "count"), count, words)
    for name in before:
        if name not in now and name not in smaller:
            yield required((*path, Key(name)), "cannot be removed")


def _scaled_down(workload: _Object) -> set[str]:
    """Return the pod sets of an elastic job that are smaller than they were admitted."""
    admission = (workload.get("status") or {}).get("admission")
    if admission is None or not _is_elastic(workload):
        return set()
    counts = {pods.get("name", ""): pods["count"] for pods in workload["spec"].get("podSets") or ()}
    assignments = admission.get("podSetAssignments") or ()
    return {each["name"] for each in assignments if each.get("count", 0) > counts[each["name"]]}


def _fixed_admission(new: _Object, old: _Object) -> Iterator[FieldError]:
    now, before = ((each.get("status") or {}).get("admission") for each in (new, old))
    if now is None or before is None:
        return
    if _without_topology(now) != _without_topology(before):
        yield invalid(("status", "admission"), now, _IMMUTABLE)


def _without_topology(admission: _Object) -> dict[str, Any]:
    """Return an admission without what may still be set later."""
    later = ("topologyAssignment", "delayedTopologyRequest")
    assignments = [
        {name: part for name, part in each.items() if name not in later}
        for each in admission.get("podSetAssignments") or ()
    ]
    return {**admission, "podSetAssignments": assignments}


def _fixed_updates(new: _Object, old: _Object) -> Iterator[FieldError]:
    now = {c["name"]: c for c in (new.get("status") or {}).get("admissionChecks") or ()}
    for index, check in enumerate((old.get("status") or {}).get("admissionChecks") or ()):
        current = now.get(check["name"])
        if current is None or (check["state"], current["state"]) != ("Ready", "Ready"):
            continue
        if (current.get("podSetUpdates") or []) != (check.get("podSetUpdates") or []):
            path: FieldPath = ("status", "admissionChecks", index, "podSetUpdates")
            yield invalid(path, current.get("podSetUpdates"), _IMMUTABLE)


def _cluster_errors(new: _Object, old: _Object) -> Iterator[FieldError]:
    name = new.get("clusterName")
    if name is None or "clusterName" in old:
        return
    if name not in (old.get("nominatedClusterNames") or ()):
        words = "when setting clusterName it must be one of the nominatedClusterNames"
        yield invalid(("status", "clusterName"), name, words)
