"""What Kubernetes refuses in the spec of a pod."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from kueuelab.manifests.server.names import (
    dns_label,
    dns_subdomain,
    label_errors,
    label_key_errors,
    label_value,
)
from kueuelab.manifests.server.pods.containers import (
    Around,
    container_errors,
    init_container_errors,
)
from kueuelab.manifests.server.pods.resources import resource_errors
from kueuelab.manifests.server.problems import (
    FieldError,
    FieldPath,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)

__all__ = ["pod_spec_errors"]

_Object: TypeAlias = Mapping[str, Any]

_MAX_INT32: Final = 2**31 - 1
_RESTART: Final = ("Always", "OnFailure", "Never")
_DNS: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_PREEMPTION: Final = ("PreemptLowerPriority", "Never")
_SYSTEMS: Final = ("linux", "windows")
_UNSATISFIABLE: Final = ("DoNotSchedule", "ScheduleAnyway")


def pod_spec_errors(spec: _Object, path: FieldPath) -> Iterator[FieldError]:
    """Yield what is wrong with the spec of a pod that has its defaults."""
    yield from _volume_errors(spec.get("volumes") or [], (*path, "volumes"))
    volumes = tuple(volume.get("name", "") for volume in spec.get("volumes") or ())
    claims = tuple(claim.get("name", "") for claim in spec.get("resourceClaims") or ())
    around: Around = (volumes, claims)
    main = spec.get("containers") or []
    yield from container_errors(main, around, (*path, "containers"))
    init = spec.get("initContainers") or []
    yield from init_container_errors(init, main, around, (*path, "initContainers"))
    for name, choices in (("restartPolicy", _RESTART), ("dnsPolicy", _DNS)):
        if spec.get(name) not in choices:
            yield not_supported((*path, name), spec.get(name), choices)
    yield from label_errors(spec.get("nodeSelector") or {}, (*path, "nodeSelector"))
    yield from _affinity_errors(spec.get("affinity") or {}, (*path, "affinity"))
    if spec.get("dnsPolicy") == "None" and not spec.get("dnsConfig"):
        yield required((*path, "dnsConfig"), "must provide `dnsConfig` when `dnsPolicy` is None")
    yield from _gate_errors(spec.get("schedulingGates") or [], (*path, "schedulingGates"))
    constraints = spec.get("topologySpreadConstraints") or []
    yield from _spread_errors(constraints, (*path, "topologySpreadConstraints"))
    yield from _name_errors(spec, path)
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= _MAX_INT32:
        words = f"must be between 1 and {_MAX_INT32}, inclusive"
        yield invalid((*path, "activeDeadlineSeconds"), deadline, words)
    yield from _toleration_errors(spec.get("tolerations") or [], (*path, "tolerations"))
    policy = spec.get("preemptionPolicy")
    if policy is not None and policy not in _PREEMPTION:
        yield not_supported((*path, "preemptionPolicy"), policy, _PREEMPTION)
    if "overhead" in spec:
        yield from resource_errors({"limits": spec["overhead"]}, (*path, "overhead"))
    system = (spec.get("os") or {}).get("name")
    if system is not None and system not in _SYSTEMS:
        yield not_supported((*path, "os"), system, _SYSTEMS)


def _name_errors(spec: _Object, path: FieldPath) -> Iterator[FieldError]:
    for name, check in (
        ("serviceAccountName", dns_subdomain),
        ("nodeName", dns_subdomain),
        ("hostname", dns_label),
        ("subdomain", dns_label),
        ("priorityClassName", dns_subdomain),
        ("runtimeClassName", dns_subdomain),
    ):
        value = spec.get(name)
        if value:
            for words in check(value):
                yield invalid((*path, name), value, words)


def _volume_errors(volumes: Sequence[_Object], path: FieldPath) -> Iterator[FieldError]:
    seen = set()
    for index, volume in enumerate(volumes):
        where, name = (*path, index), volume.get("name", "")
        for kind in [kind for kind in volume if kind != "name"][1:]:
            yield forbidden((*where, kind), "may not specify more than 1 volume type")
        if not name:
            yield required((*where, "name"))
        else:
            for words in dns_label(name):
                yield invalid((*where, "name"), name, words)
        if name in seen:
            yield duplicate((*where, "name"), name)
        seen.add(name)
        claim = volume.get("persistentVolumeClaim")
        if claim is not None and not claim.get("claimName"):
            yield required((*where, "persistentVolumeClaim", "claimName"))
        for kind, field in (("configMap", "name"), ("secret", "secretName"), ("hostPath", "path")):
            if kind in volume and not volume[kind].get(field):
                yield required((*where, kind, field))


def _affinity_errors(affinity: _Object, path: FieldPath) -> Iterator[FieldError]:
    node = affinity.get("nodeAffinity") or {}
    where = (*path, "nodeAffinity")
    needed = node.get("requiredDuringSchedulingIgnoredDuringExecution")
    if needed is not None:
        at = (*where, "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
        terms = needed.get("nodeSelectorTerms") or []
        if not terms:
            yield required(at, "must have at least one node selector term")
        for index, term in enumerate(terms):
            yield from _term_errors(term, (*at, index))
    name = "preferredDuringSchedulingIgnoredDuringExecution"
    for index, wish in enumerate(node.get(name) or ()):
        at = (*where, name, index)
        weight = wish.get("weight", 0)
        if not 1 <= weight <= 100:
            yield invalid((*at, "weight"), weight, "must be in the range 1-100")
        yield from _term_errors(wish.get("preference") or {}, (*at, "preference"))


def _term_errors(term: _Object, path: FieldPath) -> Iterator[FieldError]:
    for index, requirement in enumerate(term.get("matchExpressions") or ()):
        where = (*path, "matchExpressions", index)
        operator, values = requirement.get("operator", ""), requirement.get("values") or []
        if operator in ("In", "NotIn"):
            if not values:
                words = "must be specified when `operator` is 'In' or 'NotIn'"
                yield required((*where, "values"), words)
        elif operator in ("Exists", "DoesNotExist"):
            if values:
                words = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                yield forbidden((*where, "values"), words)
        elif operator in ("Gt", "Lt"):
            if len(values) != 1:
                words = "must be specified single value when `operator` is 'Lt' or 'Gt'"
                yield required((*where, "values"), words)
        else:
            yield invalid((*where, "operator"), operator, "not a valid selector operator")
        yield from label_key_errors(requirement.get("key", ""), (*where, "key"))


def _gate_errors(gates: Sequence[_Object], path: FieldPath) -> Iterator[FieldError]:
    seen = set()
    for index, gate in enumerate(gates):
        name = gate.get("name", "")
        yield from label_key_errors(name, (*path, index))
        if name in seen:
            yield duplicate((*path, index), name)
        seen.add(name)


def _spread_errors(constraints: Sequence[_Object], path: FieldPath) -> Iterator[FieldError]:
    for index, constraint in enumerate(constraints):
        where = (*path, index)
        skew = constraint.get("maxSkew", 0)
        if skew <= 0:
            yield invalid((*where, "maxSkew"), skew, "must be greater than zero")
        if not constraint.get("topologyKey"):
            yield required((*where, "topologyKey"), "can not be empty")
        when = constraint.get("whenUnsatisfiable", "")
        if when not in _UNSATISFIABLE:
            yield not_supported((*where, "whenUnsatisfiable"), when, _UNSATISFIABLE)


def _toleration_errors(tolerations: Sequence[_Object], path: FieldPath) -> Iterator[FieldError]:
    for index, toleration in enumerate(tolerations):
        where = (*path, index)
        key, operator = toleration.get("key", ""), toleration.get("operator", "")
        value, effect = toleration.get("value", ""), toleration.get("effect", "")
        if key:
            yield from label_key_errors(key, (*where, "key"))
        elif operator != "Exists":
            words = (
                "operator must be Exists when `key` is empty, which means "
                '"match all values and all keys"'
            )
            yield invalid((*where, "operator"), operator, words)
        if "tolerationSeconds" in toleration and effect != "NoExecute":
            words = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            yield invalid((*where, "effect"), effect, words)
        if operator in ("Equal", ""):
            if wrong := label_value(value):
                yield invalid((*where, "operator"), value, ";".join(wrong))
        elif operator == "Exists":
            if value:
                words = "value must be empty when `operator` is 'Exists'"
                yield invalid((*where, "operator"), value, words)
        else:
            yield not_supported((*where, "operator"), operator, ("Equal", "Exists"))
        if effect and effect not in _EFFECTS:
            yield not_supported((*where, "effect"), effect, _EFFECTS)
