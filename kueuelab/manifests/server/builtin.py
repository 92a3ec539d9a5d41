"""Verdicts on Jobs and Pods, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final, TypeAlias

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.role_hash import role_hash
from kueuelab.manifests.server.defaults import drop_nulls
from kueuelab.manifests.server.golang import go_error, go_write
from kueuelab.manifests.server.metadata import metadata_errors
from kueuelab.manifests.server.names import dns_label
from kueuelab.manifests.server.pods.batch import job_errors, job_update_errors
from kueuelab.manifests.server.pods.defaults import set_job_defaults, set_pod_defaults
from kueuelab.manifests.server.pods.spec import pod_spec_errors
from kueuelab.manifests.server.problems import FieldError, print_path
from kueuelab.manifests.server.strict import unknown_fields
from kueuelab.manifests.server.verdict import (
    ClusterContents,
    Verdict,
    accepted,
    bad_request,
    not_found,
    refused,
    unprocessable,
    unreadable,
)
from kueuelab.manifests.server.webhooks.jobs import (
    is_elastic,
    job_webhook_errors,
    pod_webhook_errors,
)
from kueuelab.manifests.shapes.shape import Shape
from kueuelab.manifests.shapes.tables import shape_of
from kueuelab.model import FeatureGates, Release, default_gates

__all__ = ["judge_builtin"]

_Object: TypeAlias = dict[str, Any]

#: Namespaces that Kueue's webhooks stay out of.
_UNWATCHED: Final = ("kube-system", "kueue-system")
_FINALIZER: Final = "kueue.x-k8s.io/managed"
_POD_INDEX_LABEL: Final = "kueue.x-k8s.io/pod-group-pod-index-label"
_SYSTEM_CLASSES: Final = ("system-cluster-critical", "system-node-critical")


def judge_builtin(
    obj: Mapping[str, Any],
    existing: Mapping[str, Any] | None,
    cluster: ClusterContents,
    release: Release,
) -> Verdict:
    """Return the verdict on a create, or on an update of ``existing``, as it is stored."""
    decoded = _decoded(obj)
    if isinstance(decoded, Verdict):
        return decoded
    namespace = decoded["metadata"].setdefault("namespace", "default")
    if cluster.namespaces is not None and namespace not in cluster.namespaces:
        return not_found(namespace)
    if existing is not None:
        decoded = _updated(decoded, existing)
    judged = _judge_job if obj["kind"] == "Job" else _judge_pod
    warnings = _warnings(decoded) if existing is None else ()
    gates = None if namespace in _UNWATCHED else default_gates(release)
    verdict = judged(decoded, existing, cluster, gates)
    return replace(verdict, warnings=warnings)


def _decoded(obj: Mapping[str, Any]) -> _Object | Verdict:
    shape = _shape(obj)
    error = go_error({k: v for k, v in obj.items() if k in shape.fields}, shape, sort=False)
    if error:
        return unreadable(obj, error)
    unknown = unknown_fields(obj, shape, typed=True)
    if unknown:
        texts = [f'unknown field "{print_path(path)}"' for path in unknown]
        errors = [FieldError(path, "", text) for path, text in zip(unknown, texts, strict=True)]
        return bad_request(obj, f"strict decoding error: {', '.join(texts)}", errors)
    copy = deepcopy(dict(obj))
    drop_nulls(copy, shape)
    head = {name: obj[name] for name in ("apiVersion", "kind")}
    return {**head, "metadata": {}, **go_write(copy, shape, omit_empty=True)}


def _shape(obj: Mapping[str, Any]) -> Shape:
    shape = shape_of(obj["apiVersion"], obj["kind"])
    assert shape is not None
    return shape


def _updated(obj: _Object, existing: Mapping[str, Any]) -> _Object:
    """Return an update with what the server itself has set in the object and keeps."""
    old = existing["spec"]
    spec = dict(obj.get("spec") or {})
    for name in ("selector", "suspend", "completions", "parallelism"):
        if name not in spec and name in old:
            spec[name] = deepcopy(old[name])
    return {**obj, "spec": spec}


def _warnings(obj: _Object) -> tuple[str, ...]:
    name = obj["metadata"].get("name", "")
    wrong = dns_label(name) if name else []
    if not wrong:
        return ()
    return (
        "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
        f"behavior; a DNS label is recommended: [{' '.join(wrong)}]",
    )


def _with_default_queue(obj: _Object, cluster: ClusterContents) -> None:
    metadata = obj["metadata"]
    labels = metadata.get("labels") or {}
    if metadata["namespace"] in cluster.default_queues and not labels.get(constants.QUEUE_NAME):
        queue = {constants.QUEUE_NAME: constants.DEFAULT_LOCAL_QUEUE}
        metadata["labels"] = {**labels, **queue}


def _has_queue(obj: _Object) -> bool:
    return bool((obj["metadata"].get("labels") or {}).get(constants.QUEUE_NAME))


def _add_gate(spec: _Object, name: str) -> None:
    gates = list(spec.get("schedulingGates") or [])
    if all(gate.get("name") != name for gate in gates):
        gates.append({"name": name})
    spec["schedulingGates"] = gates


def _judge_job(
    job: _Object,
    existing: Mapping[str, Any] | None,
    cluster: ClusterContents,
    gates: FeatureGates | None,
) -> Verdict:
    set_job_defaults(job)
    spec = job["spec"]
    if existing is None and gates is not None:
        _with_default_queue(job, cluster)
        if _has_queue(job):
            spec["suspend"] = True
        if is_elastic(job):
            _add_gate(spec["template"]["spec"], constants.ELASTIC_JOB_GATE)
    metadata = job["metadata"]
    wrong = [*metadata_errors(metadata, namespaced=True), *job_errors(job)]
    if existing is not None:
        wrong += job_update_errors(job, existing)
    job = _in_order(job)
    verdict = unprocessable("Job.batch", metadata.get("name", ""), wrong)
    if verdict is None and gates is not None:
        verdict = refused("vjob.kb.io", job_webhook_errors(job, existing, gates))
    return verdict or accepted(job, created=existing is None)


def _judge_pod(
    pod: _Object,
    existing: Mapping[str, Any] | None,
    cluster: ClusterContents,
    gates: FeatureGates | None,
) -> Verdict:
    metadata, given = pod["metadata"], deepcopy(pod.get("spec") or {})
    set_pod_defaults(pod)
    spec = pod["spec"]
    if existing is None:
        verdict = _forbidden(pod, given, cluster)
        if verdict is not None:
            return verdict
        if gates is not None:
            _with_default_queue(pod, cluster)
            if _has_queue(pod):
                _suspend(pod, given)
    wrong = [*metadata_errors(metadata, namespaced=True), *pod_spec_errors(spec, ("spec",))]
    if existing is not None:
        wrong += _pod_update_errors(pod, existing)
    pod = _in_order(pod)
    verdict = unprocessable("Pod", metadata.get("name", ""), wrong)
    if verdict is None and gates is not None:
        verdict = refused("vpod.kb.io", pod_webhook_errors(pod, existing, gates))
    return verdict or accepted(pod, created=existing is None)


def _in_order(obj: _Object) -> _Object:
    """Return an object with its fields in the order in which the server writes them."""
    head = {name: obj[name] for name in ("apiVersion", "kind")}
    return {**head, **go_write(obj, _shape(obj))}


def _forbidden(pod: _Object, given: Mapping[str, Any], cluster: ClusterContents) -> Verdict | None:
    """Return the verdict of the server's own admission plugins, ``None`` if they agree."""
    name = pod["metadata"].get("name", "")
    namespace, account = pod["metadata"]["namespace"], pod["spec"]["serviceAccountName"]
    priority = given.get("priorityClassName", "")
    accounts, classes = cluster.service_accounts, cluster.priority_classes
    words = ""
    if accounts is not None and account not in accounts:
        words = (
            f"error looking up service account {namespace}/{account}: serviceaccount "
            f'"{account}" not found'
        )
    elif classes is not None and priority and priority not in (*classes, *_SYSTEM_CLASSES):
        words = f"no PriorityClass with name {priority} was found"
    if not words:
        return None
    return Verdict(403, "Forbidden", f'pods "{name}" is forbidden: {words}')


def _suspend(pod: _Object, given: Mapping[str, Any]) -> None:
    """Do to a pod what Kueue's webhook does to those that it manages."""
    metadata, spec = pod["metadata"], pod["spec"]
    metadata["labels"] = {**metadata["labels"], constants.MANAGED: "true"}
    finalizers = metadata.get("finalizers") or []
    if _FINALIZER not in finalizers:
        metadata["finalizers"] = [*finalizers, _FINALIZER]
    _add_gate(spec, constants.ADMISSION_GATE)
    _add_gate(spec, constants.TOPOLOGY_GATE)
    annotations = metadata.get("annotations") or {}
    index_label = annotations.get(_POD_INDEX_LABEL)
    if index_label is not None:
        index = metadata["labels"].get(index_label, "")
        metadata["labels"] = {**metadata["labels"], constants.POD_GROUP_POD_INDEX: index}
    role = role_hash(dict(given), priority=spec["priority"], overhead=spec.get("overhead") or {})
    metadata["annotations"] = {**annotations, constants.ROLE_HASH: role}


def _pod_update_errors(pod: _Object, old: Mapping[str, Any]) -> Iterator[FieldError]:
    free = (
        *("activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "containers"),
        *("schedulingGates", "initContainers", "nodeSelector", "affinity"),
    )
    now, before = (
        {name: part for name, part in each["spec"].items() if name not in free}
        for each in (pod, old)
    )
    if now != before:
        words = (
            "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
            "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
            "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to "
            "be set to 1 if it was previously negative)"
        )
        yield FieldError(("spec",), "FieldValueForbidden", words)
