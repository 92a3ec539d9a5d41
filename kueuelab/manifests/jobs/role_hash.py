"""The role of a pod in its group: a hash of what matters to admission.

Kueue hashes the JSON that Go writes of parts of the pod, as its webhook sees the pod:
with Kubernetes' defaults. So fields come in the order of Go's structs, keys of maps
sorted, and what is empty is ``null`` or left out, depending on the field.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from kueuelab.quantity import Quantity

__all__ = ["role_hash"]

_LENGTH: Final = 8

#: The order of fields in Go's structs; an order that serves all of them but one.
_ORDER: Final = (
    "name",
    "hostPort",
    "containerPort",
    "protocol",
    "hostIP",
    "resourceClaimName",
    "resourceClaimTemplateName",
    "key",
    "operator",
    "value",
    "effect",
    "tolerationSeconds",
    "values",
    "nodeAffinity",
    "podAffinity",
    "podAntiAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
    "weight",
    "preference",
    "podAffinityTerm",
    "nodeSelectorTerms",
    "labelSelector",
    "namespaces",
    "topologyKey",
    "namespaceSelector",
    "matchLabelKeys",
    "mismatchLabelKeys",
    "matchLabels",
    "matchExpressions",
    "matchFields",
)
_SPREAD_ORDER: Final = (
    "maxSkew",
    "topologyKey",
    "whenUnsatisfiable",
    "labelSelector",
    "minDomains",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
    "matchLabelKeys",
    "key",
    "operator",
    "values",
    "matchLabels",
    "matchExpressions",
)
_ESCAPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "<": "\\u003c",
        ">": "\\u003e",
        "&": "\\u0026",
        "\u2028": "\\u2028",
        "\u2029": "\\u2029",
    }
)


def role_hash(spec: Mapping[str, Any], *, priority: int, overhead: Mapping[str, Any]) -> str:
    """Return the role of a pod.

    Parameters
    ----------
    spec : mapping
        The pod's spec as it was written, or as a cluster returns it.
    priority : int
        What its PriorityClass stands for.
    overhead : mapping
        What its RuntimeClass adds to its requests.

    Examples
    --------
    >>> role_hash(
    ...     {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]},
    ...     priority=0,
    ...     overhead={},
    ... )
    '4b0469f7'
    """
    shape: dict[str, Any] = {
        "initContainers": _containers(spec.get("initContainers")),
        "containers": _containers(spec.get("containers")),
        "nodeSelector": _sorted(spec.get("nodeSelector")),
        "affinity": _ordered(spec.get("affinity"), _ORDER),
        "tolerations": _ordered(_tolerations(spec), _ORDER),
        "runtimeClassName": spec.get("runtimeClassName"),
        "priority": spec.get("priority", priority),
        "topologySpreadConstraints": _ordered(spec.get("topologySpreadConstraints"), _SPREAD_ORDER),
        "overhead": _quantities(spec.get("overhead") or overhead),
        "resourceClaims": _ordered(spec.get("resourceClaims"), _ORDER),
    }
    if spec.get("resources") is not None:
        shape["resources"] = _quantities(_requests(spec))
    text = json.dumps(
        {"spec": dict(sorted(shape.items()))}, separators=(",", ":"), ensure_ascii=False
    )
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return hashlib.sha256(text.encode()).hexdigest()[:_LENGTH]


def _containers(containers: Sequence[Mapping[str, Any]] | None) -> list[Any] | None:
    if not containers:
        return None
    return [
        {
            "ports": _ordered([_port(port) for port in container.get("ports") or ()], _ORDER),
            "resources": {"requests": _quantities(_requests(container))},
        }
        for container in containers
    ]


def _port(port: Mapping[str, Any]) -> dict[str, Any]:
    return {**port, "protocol": port.get("protocol") or "TCP"}


def _requests(holder: Mapping[str, Any]) -> dict[str, Any]:
    """Return requests, for which Kubernetes takes the limits where a pod has none."""
    resources = holder.get("resources") or {}
    return {**(resources.get("limits") or {}), **(resources.get("requests") or {})}


def _quantities(resources: Mapping[str, Any]) -> dict[str, str] | None:
    if not resources:
        return None
    return {name: str(Quantity.parse(resources[name])) for name in sorted(resources)}


def _tolerations(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the tolerations, with the two that Kubernetes gives to every pod."""
    tolerations = list(spec.get("tolerations") or ())
    missing = [
        {
            "key": key,
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": 300,
        }
        for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
        if not any(
            (entry.get("key") or key) == key and (entry.get("effect") or "NoExecute") == "NoExecute"
            for entry in tolerations
        )
    ]
    return tolerations + missing


def _sorted(entries: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return {name: entries[name] for name in sorted(entries)} if entries else None


def _ordered(value: Any, order: Sequence[str]) -> Any:
    """Return ``value`` with the fields of its mappings in Go's order, without empty ones."""
    if isinstance(value, Mapping):
        names = [name for name in order if name in value]
        names += sorted(name for name in value if name not in order)
        fields = {
            name: _sorted(value[name]) if name == "matchLabels" else _ordered(value[name], order)
            for name in names
        }
        return {name: field for name, field in fields.items() if field not in (None, "")}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_ordered(entry, order) for entry in value] or None
    return value
