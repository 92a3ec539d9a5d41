"""What Kueue's webhooks refuse in Jobs and Pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.server.names import dns_subdomain
from kueuelab.manifests.server.problems import (
    FieldError,
    FieldPath,
    Key,
    forbidden,
    invalid,
    required,
)
from kueuelab.manifests.server.webhooks.annotations import annotations_of, gate_errors, labels_of
from kueuelab.manifests.server.webhooks.topology import (
    LAYERS_GATE,
    go_atoi_error,
    go_boolean,
    go_integer,
    slice_size_errors,
    topology_errors,
)
from kueuelab.model import FeatureGates

__all__ = [
    "completion_errors",
    "is_elastic",
    "job_webhook_errors",
    "new_job_errors",
    "pod_webhook_errors",
    "queue_name_errors",
]

_Object: TypeAlias = Mapping[str, Any]

_LABELS: Final[FieldPath] = ("metadata", "labels")
_ANNOTATIONS: Final[FieldPath] = ("metadata", "annotations")
_TEMPLATE: Final[FieldPath] = ("spec", "template", "metadata", "annotations")
_IMMUTABLE: Final = "field is immutable"


def is_elastic(obj: _Object) -> bool:
    """Tell whether a job may change its size while it runs."""
    return annotations_of(obj).get(constants.ELASTIC_JOB) == "true"


def _name_errors(value: str | None, path: FieldPath) -> Iterator[FieldError]:
    if value is not None and (wrong := dns_subdomain(value)):
        yield invalid(path, value, ",".join(wrong))


def _prebuilt(obj: _Object) -> tuple[str, FieldPath]:
    """Return the name of a Workload made beforehand, and where it is written."""
    name = constants.PREBUILT_WORKLOAD
    written = annotations_of(obj).get(name, "")
    if written:
        return written, (*_ANNOTATIONS, Key(name))
    return labels_of(obj).get(name, ""), (*_LABELS, Key(name))


def queue_name_errors(obj: _Object) -> Iterator[FieldError]:
    """Yield what is wrong with the name of the queue that a job is submitted to."""
    queue = constants.QUEUE_NAME
    yield from _name_errors(labels_of(obj).get(queue), (*_LABELS, Key(queue)))


def new_job_errors(obj: _Object) -> Iterator[FieldError]:
    """Yield what is wrong with a new job of any kind."""
    labels = labels_of(obj)
    yield from queue_name_errors(obj)
    name, where = _prebuilt(obj)
    given = bool(name) or constants.PREBUILT_WORKLOAD in labels
    yield from _name_errors(name if given else None, where)
    text = labels.get(constants.MAX_EXEC_TIME)
    if text is not None:
        number, at = go_integer(text), (*_LABELS, Key(constants.MAX_EXEC_TIME))
        if number is None:
            yield invalid(at, text, go_atoi_error(text))
        elif number <= 0:
            yield invalid(at, number, "should be greater than 0")


def _common_update_errors(
    obj: _Object, old: _Object, suspended: bool, gates: FeatureGates
) -> Iterator[FieldError]:
    labels, before = labels_of(obj), labels_of(old)
    if not suspended:
        for name in (constants.QUEUE_NAME, constants.MAX_EXEC_TIME):
            if labels.get(name, "") != before.get(name, ""):
                yield invalid((*_LABELS, Key(name)), labels.get(name, ""), _IMMUTABLE)
        (now, where), (then, _) = _prebuilt(obj), _prebuilt(old)
        if now != then:
            yield invalid(where, now, _IMMUTABLE)
    yield from _class_errors(labels, before, suspended)
    if is_elastic(obj) != is_elastic(old):
        where = (*_ANNOTATIONS, Key(constants.ELASTIC_JOB))
        yield invalid(where, is_elastic(obj), _IMMUTABLE)
    yield from gate_errors(obj, gates, old)


def _class_errors(
    labels: Mapping[str, str], before: Mapping[str, str], suspended: bool
) -> Iterator[FieldError]:
    name = constants.PRIORITY_CLASS
    now, then = labels.get(name, ""), before.get(name, "")
    where = (*_LABELS, Key(name))
    if now and not then and not suspended:
        words = "WorkloadPriorityClass cannot be added to a non-suspended workload"
        yield invalid(where, now, words)
    elif then and not now:
        words = "WorkloadPriorityClass cannot be removed from a workload"
        yield invalid(where, now, words)


def job_webhook_errors(
    job: _Object, old: _Object | None, gates: FeatureGates
) -> Iterator[FieldError]:
    """Yield what is wrong with a Job; ``old`` is what an update replaces."""
    yield from new_job_errors(job)
    if old is None:
        yield from gate_errors(job, gates)
    partial = constants.MIN_PARALLELISM
    if old is None or annotations_of(job).get(partial) != annotations_of(old).get(partial):
        yield from _partial_errors(job)
    yield from completion_errors(job)
    if old is not None:
        yield from _common_update_errors(job, old, bool(job["spec"].get("suspend")), gates)
        yield from _partial_update_errors(job, old)
    annotations = (job["spec"]["template"].get("metadata") or {}).get("annotations") or {}
    wrong = list(topology_errors(annotations, _TEMPLATE, layers=gates[LAYERS_GATE]))
    yield from wrong or _job_topology_errors(job, annotations)


def _pods_count(job: _Object) -> int:
    spec = job["spec"]
    return min(int(spec["parallelism"]), int(spec.get("completions", spec["parallelism"])))


def _partial_errors(job: _Object) -> Iterator[FieldError]:
    text = annotations_of(job).get(constants.MIN_PARALLELISM)
    if text is None:
        return
    where = (*_ANNOTATIONS, Key(constants.MIN_PARALLELISM))
    number, count = go_integer(text), _pods_count(job)
    if number is None:
        yield invalid(where, text, go_atoi_error(text))
    elif number >= count or number <= 0:
        yield invalid(where, number, f"should be between 0 and {count - 1}")
    if is_elastic(job):
        words = "partial admission and elastic job cannot be used together"
        yield invalid(where, text, words)


def completion_errors(job: _Object) -> Iterator[FieldError]:
    """Yield what is wrong with a Job that wants as many completions as pods at a time."""
    name = constants.COMPLETIONS_EQUAL_PARALLELISM
    text = annotations_of(job).get(name)
    if text is None:
        return
    where, enabled, spec = (*_ANNOTATIONS, Key(name)), go_boolean(text), job["spec"]
    if enabled is None:
        yield invalid(where, text, f'strconv.ParseBool: parsing "{text}": invalid syntax')
    if enabled:
        if spec.get("completionMode", "NonIndexed") == "NonIndexed":
            yield invalid(where, text, "should not be enabled for NonIndexed jobs")
        completions = spec.get("completions")
        if spec.get("parallelism", 1) != (1 if completions is None else completions):
            words = f"should be equal to parallelism when {name} annotation is true"
            yield invalid(("spec", "completions"), completions, words)


def _partial_update_errors(job: _Object, old: _Object) -> Iterator[FieldError]:
    before, now = old["spec"], job["spec"]
    partial = constants.MIN_PARALLELISM in annotations_of(old) and not before.get("suspend")
    if partial and before.get("parallelism", 1) != now.get("parallelism", 1):
        words = "cannot change when partial admission is enabled and the job is not suspended"
        yield forbidden(("spec", "parallelism"), words)
    if not before.get("suspend") and not now.get("suspend"):
        name = constants.COMPLETIONS_EQUAL_PARALLELISM
        then, new = (bool(go_boolean(annotations_of(each).get(name, ""))) for each in (old, job))
        if then != new:
            words = f"{_IMMUTABLE} while the job is not suspended"
            yield forbidden((*_ANNOTATIONS, Key(name)), words)


def _job_topology_errors(job: _Object, annotations: Mapping[str, str]) -> Iterator[FieldError]:
    for way in ("required", "preferred"):
        name = f"kueue.x-k8s.io/podset-{way}-topology"
        if is_elastic(job) and name in annotations:
            words = f"{way} topology is not supported with elastic jobs"
            yield forbidden((*_TEMPLATE, name), words)
            return
    yield from slice_size_errors(annotations, _pods_count(job), _TEMPLATE)


def pod_webhook_errors(
    pod: _Object, old: _Object | None, gates: FeatureGates
) -> Iterator[FieldError]:
    """Yield what is wrong with a Pod; ``old`` is what an update replaces."""
    if old is None:
        yield from new_job_errors(pod)
        if is_elastic(pod):
            where = (*_ANNOTATIONS, Key(constants.ELASTIC_JOB))
            yield forbidden(where, 'elastic job is not supported for "/v1, Kind=Pod"')
        yield from gate_errors(pod, gates)
    else:
        held = pod["spec"].get("schedulingGates") or ()
        suspended = any(gate.get("name") == constants.ADMISSION_GATE for gate in held)
        yield from _common_update_errors(pod, old, suspended, gates)
    managed = labels_of(pod).get(constants.MANAGED)
    if managed is not None and managed != "true":
        words = "managed label value can only be 'true'"
        yield forbidden((*_LABELS, Key(constants.MANAGED)), words)
    yield from _group_errors(pod)
    yield from topology_errors(annotations_of(pod), _ANNOTATIONS, layers=gates[LAYERS_GATE])
    (name, where), (group, _) = _prebuilt(pod), _group(pod)
    if group and name and name != group:
        yield invalid(where, name, "prebuilt workload and pod group should be equal")
    if old is not None:
        yield from _group_update_errors(pod, old)


def _group(pod: _Object) -> tuple[str, FieldPath]:
    """Return the group of a pod, and where it is written."""
    name = constants.POD_GROUP_NAME
    written = annotations_of(pod).get(name, "")
    if written:
        return written, (*_ANNOTATIONS, Key(name))
    return labels_of(pod).get(name, ""), (*_LABELS, Key(name))


def _group_errors(pod: _Object) -> Iterator[FieldError]:
    name, where = _group(pod)
    total = constants.POD_GROUP_TOTAL_COUNT
    text = annotations_of(pod).get(total)
    kind = "annotation" if where[:2] == _ANNOTATIONS else "label"
    both = (
        f"both the '{total}' annotation and the '{constants.POD_GROUP_NAME}' {kind} should be set"
    )
    if not name:
        if text is not None:
            yield required(where, both)
        return
    yield from _name_errors(name, where)
    at = (*_ANNOTATIONS, Key(total))
    if text is None:
        yield required(at, both)
        return
    number = go_integer(text)
    if number is None:
        yield invalid(at, text, go_atoi_error(text))
    elif number < 1:
        words = (
            f"incorrect annotation value '{total}={text}': group total count should be greater "
            "than zero"
        )
        yield invalid(at, text, words)


def _group_update_errors(pod: _Object, old: _Object) -> Iterator[FieldError]:
    (now, where), (then, _) = _group(pod), _group(old)
    name = constants.RETRIABLE_IN_GROUP
    stops, stopped = (annotations_of(each).get(name) == "false" for each in (pod, old))
    if now and stopped and not stops:
        words = "unretriable pod group can't be converted to retriable"
        yield forbidden((*_ANNOTATIONS, Key(name)), words)
    if then and now != then:
        yield invalid(where, now, _IMMUTABLE)
