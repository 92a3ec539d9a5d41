"""What Kubernetes refuses in Jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from kueuelab.manifests.server.names import annotation_errors, domain_path_errors, label_errors
from kueuelab.manifests.server.pods.spec import pod_spec_errors
from kueuelab.manifests.server.problems import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)

__all__ = ["job_errors", "job_update_errors"]

_Object: TypeAlias = Mapping[str, Any]

_SPEC: Final[FieldPath] = ("spec",)
_NEGATIVE: Final = "must be greater than or equal to 0"
_MODES: Final = ("NonIndexed", "Indexed")
_REPLACEMENTS: Final = ("Failed", "TerminatingOrFailed")
_RESTARTS: Final = ("OnFailure", "Never")
_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS: Final = ("In", "NotIn")
_MOST_PODS: Final = 100_000
_MOST_RULES: Final = 20
_LONGEST_MANAGER: Final = 63
_FIXED: Final = (
    *("selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy"),
    "successPolicy",
)
_COUNTS: Final = (
    *("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit"),
    *("ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"),
)


def job_errors(job: _Object) -> Iterator[FieldError]:
    """Yield what is wrong with the spec of a Job that has its defaults."""
    spec = job["spec"]
    for name in _COUNTS:
        if spec.get(name, 0) < 0:
            yield invalid((*_SPEC, name), spec[name], _NEGATIVE)
    yield from _index_errors(spec)
    manager = spec.get("managedBy")
    if manager is not None:
        yield from domain_path_errors(manager, (*_SPEC, "managedBy"))
        if len(manager) > _LONGEST_MANAGER:
            yield too_long((*_SPEC, "managedBy"), _LONGEST_MANAGER)
    for name, choices in (("completionMode", _MODES), ("podReplacementPolicy", _REPLACEMENTS)):
        if spec.get(name) not in choices:
            yield not_supported((*_SPEC, name), spec.get(name), choices)
    yield from _failure_policy_errors(spec)
    yield from _success_policy_errors(spec)
    yield from _template_errors(spec["template"], (*_SPEC, "template"))


def _index_errors(spec: _Object) -> Iterator[FieldError]:
    indexed = spec.get("completionMode") == "Indexed"
    if indexed and "completions" not in spec:
        words = "when completion mode is Indexed"
        yield required((*_SPEC, "completions"), words)
    if indexed and spec.get("parallelism", 0) > _MOST_PODS:
        words = f"must be less than or equal to {_MOST_PODS} when completion mode is Indexed"
        yield invalid((*_SPEC, "parallelism"), spec["parallelism"], words)
    for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
        if name in spec and not indexed:
            yield invalid((*_SPEC, name), spec[name], "requires indexed completion mode")
    failed, completions = spec.get("maxFailedIndexes"), spec.get("completions")
    if failed is not None and "backoffLimitPerIndex" not in spec:
        words = "when maxFailedIndexes is specified"
        yield required((*_SPEC, "backoffLimitPerIndex"), words)
    if failed is not None and completions is not None and failed > completions:
        words = "must be less than or equal to completions"
        yield invalid((*_SPEC, "maxFailedIndexes"), failed, words)


def _failure_policy_errors(spec: _Object) -> Iterator[FieldError]:
    policy = spec.get("podFailurePolicy")
    if policy is None:
        return
    path: FieldPath = (*_SPEC, "podFailurePolicy", "rules")
    restart = spec["template"]["spec"].get("restartPolicy")
    if restart != "Never":
        words = 'only "Never" is supported when podFailurePolicy is specified'
        yield invalid((*_SPEC, "template", "spec", "restartPolicy"), restart, words)
    rules = policy.get("rules") or []
    if len(rules) > _MOST_RULES:
        yield too_many(path, len(rules), _MOST_RULES)
    for index, rule in enumerate(rules):
        where, action = (*path, index), rule.get("action", "")
        if not action:
            yield required((*where, "action"), f"valid values: {list(_ACTIONS)!r}")
        elif action not in _ACTIONS:
            yield not_supported((*where, "action"), action, _ACTIONS)
        codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions")
        if codes is None and not conditions:
            words = "specifying one of OnExitCodes and OnPodConditions is required"
            yield invalid(where, None, words)
        elif codes is not None and conditions:
            words = "specifying both OnExitCodes and OnPodConditions is not supported"
            yield invalid(where, None, words)
        if codes is not None:
            yield from _exit_code_errors(codes, spec, (*where, "onExitCodes"))


def _exit_code_errors(codes: _Object, spec: _Object, path: FieldPath) -> Iterator[FieldError]:
    operator = codes.get("operator", "")
    if operator not in _OPERATORS:
        yield not_supported((*path, "operator"), operator, _OPERATORS)
    name = codes.get("containerName")
    pod = spec["template"]["spec"]
    known = [
        container.get("name")
        for kind in ("containers", "initContainers")
        for container in pod.get(kind) or ()
    ]
    if name is not None and name not in known:
        words = "must be one of the container or initContainer names in the pod template"
        yield invalid((*path, "containerName"), name, words)
    values = codes.get("values") or []
    if not values:
        yield invalid((*path, "values"), values, "at least one value is required")
    for index, value in enumerate(values):
        if operator == "In" and value == 0:
            words = "must not be 0 for the In operator"
            yield invalid((*path, "values", index), value, words)


def _success_policy_errors(spec: _Object) -> Iterator[FieldError]:
    policy = spec.get("successPolicy")
    if policy is None:
        return
    path: FieldPath = (*_SPEC, "successPolicy")
    if spec.get("completionMode") != "Indexed":
        yield invalid(path, policy, "requires indexed completion mode")
        return
    rules = policy.get("rules") or []
    if not rules:
        words = "at least one rules must be specified when the successPolicy is specified"
        yield required((*path, "rules"), words)
    if len(rules) > _MOST_RULES:
        yield too_many((*path, "rules"), len(rules), _MOST_RULES)
    for index, rule in enumerate(rules):
        if "succeededCount" not in rule and "succeededIndexes" not in rule:
            words = "at least one of succeededCount or succeededIndexes must be specified"
            yield required((*path, "rules", index), words)
        if rule.get("succeededCount", 0) < 0:
            where = (*path, "rules", index, "succeededCount")
            yield invalid(where, rule["succeededCount"], _NEGATIVE)


def _template_errors(template: _Object, path: FieldPath) -> Iterator[FieldError]:
    metadata = template.get("metadata") or {}
    labels = metadata.get("labels") or {}
    yield from label_errors(labels, (*path, "metadata", "labels"))
    annotations = metadata.get("annotations") or {}
    yield from annotation_errors(annotations, (*path, "metadata", "annotations"))
    spec = template["spec"]
    yield from pod_spec_errors(spec, (*path, "spec"))
    if spec.get("ephemeralContainers"):
        words = "ephemeral containers not allowed in pod template"
        yield forbidden((*path, "spec", "ephemeralContainers"), words)
    restart = spec.get("restartPolicy")
    where = (*path, "spec", "restartPolicy")
    if restart == "Always":
        yield required(where, 'valid values: "OnFailure", "Never"')
    elif restart not in _RESTARTS:
        yield not_supported(where, restart, _RESTARTS)


def job_update_errors(job: _Object, old: _Object) -> Iterator[FieldError]:
    """Yield what an update changes that is fixed."""
    new, before = job["spec"], old["spec"]
    for name in _FIXED:
        if new.get(name) != before.get(name):
            yield invalid((*_SPEC, name), new.get(name), "field is immutable")
    yield from _completions_errors(new, before)
    if _without_scheduling(new, before) != _without_scheduling(before, before):
        yield invalid((*_SPEC, "template"), new["template"], "field is immutable")


def _completions_errors(new: _Object, old: _Object) -> Iterator[FieldError]:
    now, before = new.get("completions"), old.get("completions")
    if now == before:
        return
    path: FieldPath = (*_SPEC, "completions")
    if new.get("completionMode") != "Indexed":
        yield invalid(path, now, "field is immutable")
    elif now != new.get("parallelism"):
        words = "can only be modified in tandem with parallelism"
        yield invalid(path, now, words)


def _without_scheduling(spec: _Object, old: _Object) -> dict[str, Any]:
    """Return a template without what may change while a Job that never ran is suspended."""
    template: dict[str, Any] = spec["template"]
    if not old.get("suspend"):
        return template
    free = ("nodeSelector", "affinity", "tolerations", "schedulingGates")
    metadata = {
        name: part
        for name, part in (template.get("metadata") or {}).items()
        if name not in ("labels", "annotations")
    }
    pod = {name: part for name, part in template["spec"].items() if name not in free}
    return {"metadata": metadata, "spec": pod}
