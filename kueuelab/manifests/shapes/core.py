"""Shapes of what Kubernetes itself defines: metadata, selectors, pods, nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.shapes.names import dns_label, dns_subdomain, label_key, label_value
from kueuelab.manifests.shapes.shape import (
    ANYTHING,
    BOOLEAN,
    MAX_INT64,
    TEXT,
    TEXT_MAP,
    TIME,
    Integer,
    ListOf,
    MapOf,
    Mistake,
    OneOf,
    QuantityShape,
    Record,
    Shape,
    Text,
)

__all__ = [
    "AMOUNTS",
    "CONDITIONS",
    "CORE_KINDS",
    "LABELS",
    "LABEL_SELECTOR",
    "METADATA",
    "POD_TEMPLATE",
    "TAINT",
    "TOLERATION",
    "manifest",
    "namespaced_manifest",
]

_LONG: Final = Integer(-MAX_INT64 - 1, MAX_INT64)
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")

#: Resource names with quantities that can't be negative.
AMOUNTS: Final = MapOf(QuantityShape(minimum=0))

LABELS: Final = MapOf(Text(valid=label_value), valid_name=label_key)
_ANNOTATIONS: Final = MapOf(TEXT, valid_name=label_key)

_OWNER: Final = Record(
    {
        "apiVersion": TEXT,
        "kind": TEXT,
        "name": TEXT,
        "uid": TEXT,
        "controller": BOOLEAN,
        "blockOwnerDeletion": BOOLEAN,
    }
)

METADATA: Final = Record(
    {
        "name": Text(valid=dns_subdomain),
        "generateName": TEXT,
        "namespace": Text(valid=dns_label),
        "labels": LABELS,
        "annotations": _ANNOTATIONS,
        "uid": TEXT,
        "creationTimestamp": TIME,
        "generation": _LONG,
        "ownerReferences": ListOf(_OWNER),
        "finalizers": ListOf(TEXT),
        "resourceVersion": TEXT,
        "selfLink": TEXT,
        "deletionTimestamp": TIME,
        "deletionGracePeriodSeconds": _LONG,
        "managedFields": ANYTHING,
    }
)

_CLUSTER_METADATA: Final = METADATA.with_fields({"namespace": TEXT})


def _must_have_name(metadata: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    if not metadata.get("name") and not metadata.get("generateName"):
        message = "Required value: name or generateName is required"
        yield Mistake((*path, "name"), message, "Give it a name")


_NAMED: Final = Record({**METADATA.fields}, rules=(_must_have_name,))

_EXPRESSION: Final = Record(
    {"key": Text(valid=label_key), "operator": TEXT, "values": ListOf(TEXT)},
    required=("key", "operator"),
)


def _selector_operators(requirement: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    operator, values = requirement["operator"], requirement.get("values")
    match operator:
        case "In" | "NotIn":
            if not values:
                words = "must be specified when `operator` is 'In' or 'NotIn'"
                yield Mistake((*path, "values"), f"Required value: {words}")
        case "Exists" | "DoesNotExist":
            if values:
                words = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                yield Mistake((*path, "values"), f"Forbidden: {words}")
        case _:
            words = f'Invalid value: "{operator}": not a valid selector operator'
            hint = "Write In, NotIn, Exists or DoesNotExist"
            yield Mistake((*path, "operator"), words, hint)


LABEL_SELECTOR: Final = Record(
    {
        "matchLabels": LABELS,
        "matchExpressions": ListOf(
            Record(_EXPRESSION.fields, _EXPRESSION.required, rules=(_selector_operators,))
        ),
    }
)

CONDITIONS: Final = ListOf(
    Record(
        {
            "type": TEXT,
            "status": OneOf(("True", "False", "Unknown")),
            "reason": TEXT,
            "message": TEXT,
            "lastTransitionTime": TIME,
            "observedGeneration": _LONG,
        },
        required=("type", "status"),
        open=True,
    ),
    unique_by="type",
)

TAINT: Final = Record(
    {"key": Text(valid=label_key), "value": TEXT, "effect": OneOf(_EFFECTS), "timeAdded": TIME},
    required=("key", "effect"),
)


def _toleration_rules(toleration: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    operator = toleration.get("operator") or "Equal"
    if toleration.get("key") is None and operator != "Exists":
        message = (
            "operator must be Exists when 'key' is empty, which means 'match all values and all "
            "keys'"
        )
        yield Mistake((*path, "operator"), message)
    if operator == "Exists" and toleration.get("value"):
        message = "a value must be empty when 'operator' is 'Exists'"
        yield Mistake((*path, "value"), message)
    if toleration.get("tolerationSeconds") is not None and toleration.get("effect") != "NoExecute":
        message = "effect must be 'NoExecute' when 'tolerationSeconds' is set"
        yield Mistake((*path, "effect"), message)


TOLERATION: Final = Record(
    {
        "key": Text(valid=label_key),
        "operator": OneOf(("Equal", "Exists")),
        "value": TEXT,
        "effect": OneOf(("", *_EFFECTS)),
        "tolerationSeconds": _LONG,
    },
    rules=(_toleration_rules,),
)

_POD_TOLERATION: Final = Record(
    {**TOLERATION.fields, "operator": OneOf(("", "Equal", "Exists", "Lt", "Gt"))}
)

_RESOURCES: Final = Record(
    {"requests": AMOUNTS, "limits": AMOUNTS, "claims": ListOf(Record({}, open=True))}
)


def _untouched(*names: str) -> dict[str, Shape]:
    """Return fields that the lab takes as they are."""
    return dict.fromkeys(names, ANYTHING)


_CONTAINER: Final = Record(
    {
        "name": TEXT,
        "image": TEXT,
        "command": ListOf(TEXT),
        "args": ListOf(TEXT),
        "resources": _RESOURCES,
        "restartPolicy": TEXT,
        **_untouched(
            *("env", "envFrom", "imagePullPolicy", "lifecycle", "livenessProbe", "ports"),
            *("readinessProbe", "resizePolicy", "restartPolicyRules", "securityContext"),
            *("startupProbe", "stdin", "stdinOnce", "terminationMessagePath"),
            *("terminationMessagePolicy", "tty", "volumeDevices", "volumeMounts", "workingDir"),
        ),
    },
)

_NODE_REQUIREMENTS: Final = ListOf(
    Record({"key": TEXT, "operator": TEXT, "values": ListOf(TEXT)}, ("key", "operator"))
)
_NODE_AFFINITY: Final = Record(
    {
        "requiredDuringSchedulingIgnoredDuringExecution": Record(
            {
                "nodeSelectorTerms": ListOf(
                    Record(
                        {
                            "matchExpressions": _NODE_REQUIREMENTS,
                            "matchFields": _NODE_REQUIREMENTS,
                        }
                    )
                )
            },
            required=("nodeSelectorTerms",),
        ),
        "preferredDuringSchedulingIgnoredDuringExecution": ANYTHING,
    }
)

_POD_SPEC: Final = Record(
    {
        "containers": ListOf(_CONTAINER),
        "initContainers": ListOf(_CONTAINER),
        "nodeSelector": TEXT_MAP,
        "affinity": Record(
            {"nodeAffinity": _NODE_AFFINITY, **_untouched("podAffinity", "podAntiAffinity")}
        ),
        "tolerations": ListOf(_POD_TOLERATION),
        "overhead": AMOUNTS,
        "resources": _RESOURCES,
        "runtimeClassName": TEXT,
        "priorityClassName": TEXT,
        "priority": Integer(),
        "restartPolicy": TEXT,
        "schedulerName": TEXT,
        **_untouched(
            *("activeDeadlineSeconds", "automountServiceAccountToken", "dnsConfig", "dnsPolicy"),
            *("enableServiceLinks", "ephemeralContainers", "hostAliases", "hostIPC"),
            *("hostNetwork", "hostPID", "hostUsers", "hostname", "hostnameOverride"),
            *("imagePullSecrets", "nodeName", "os", "preemptionPolicy", "readinessGates"),
            *("resourceClaims", "schedulingGates", "schedulingGroup", "securityContext"),
            *("serviceAccount", "serviceAccountName", "setHostnameAsFQDN", "subdomain"),
            *("shareProcessNamespace", "terminationGracePeriodSeconds", "volumes", "workloadRef"),
            "topologySpreadConstraints",
        ),
    },
)

POD_TEMPLATE: Final = Record({"metadata": METADATA, "spec": _POD_SPEC})


def manifest(fields: Mapping[str, Shape], required: tuple[str, ...] = ()) -> Record:
    """Return the shape of an object without a namespace."""
    return _object(Record({**_CLUSTER_METADATA.fields}, rules=(_must_have_name,)), fields, required)


def namespaced_manifest(fields: Mapping[str, Shape], required: tuple[str, ...] = ()) -> Record:
    """Return the shape of an object in a namespace."""
    return _object(_NAMED, fields, required)


def _object(metadata: Record, fields: Mapping[str, Shape], required: tuple[str, ...]) -> Record:
    head: dict[str, Shape] = {"apiVersion": TEXT, "kind": TEXT, "metadata": metadata}
    return Record({**head, **fields}, ("metadata", *required))


_NODE: Final = manifest(
    {
        "spec": Record({"taints": ListOf(TAINT), "unschedulable": BOOLEAN}, open=True),
        "status": Record(
            {"allocatable": AMOUNTS, "capacity": AMOUNTS, "conditions": CONDITIONS}, open=True
        ),
    }
)

_LIMIT: Final = Record(
    {
        "type": TEXT,
        "max": AMOUNTS,
        "min": AMOUNTS,
        "default": AMOUNTS,
        "defaultRequest": AMOUNTS,
        "maxLimitRequestRatio": AMOUNTS,
    },
    required=("type",),
)

#: Kinds of Kubernetes itself, by kind.
CORE_KINDS: Final[Mapping[str, Record]] = {
    "Namespace": manifest({"spec": ANYTHING, "status": ANYTHING}),
    "Node": _NODE,
    "LimitRange": namespaced_manifest({"spec": Record({"limits": ListOf(_LIMIT)}, ("limits",))}),
    "PriorityClass": manifest(
        {
            "value": Integer(),
            "globalDefault": BOOLEAN,
            **_untouched("description", "preemptionPolicy"),
        },
        required=("value",),
    ),
    "RuntimeClass": manifest(
        {
            "handler": Text(valid=dns_label),
            "overhead": Record({"podFixed": AMOUNTS}),
            "scheduling": ANYTHING,
        },
        required=("handler",),
    ),
}
