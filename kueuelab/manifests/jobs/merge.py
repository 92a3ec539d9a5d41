"""Strategic merge of a patch into a Job template, as far as pods' scheduling needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

__all__ = ["merge_job_template"]

#: Lists that Kubernetes merges entry by entry, and what tells the entries apart.
_MERGE_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "containers": "name",
        "initContainers": "name",
        "env": "name",
        "volumes": "name",
        "volumeMounts": "mountPath",
        "ports": "containerPort",
        "imagePullSecrets": "name",
        "schedulingGates": "name",
        "resourceClaims": "name",
        "topologySpreadConstraints": "topologyKey",
        "hostAliases": "ip",
    }
)


def merge_job_template(base: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``base`` with ``patch`` merged into it.

    Examples
    --------
    >>> merge_job_template(
    ...     {"spec": {"containers": [{"name": "node", "image": "a"}, {"name": "log"}]}},
    ...     {"spec": {"containers": [{"name": "node", "image": "b"}]}},
    ... )
    {'spec': {'containers': [{'name': 'node', 'image': 'b'}, {'name': 'log'}]}}
    """
    merged = dict(base)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, Mapping) and isinstance(merged.get(name), Mapping):
            merged[name] = merge_job_template(merged[name], value)
        elif name in _MERGE_KEYS and _are_lists(value, merged.get(name)):
            merged[name] = _merge_list(merged[name], value, _MERGE_KEYS[name])
        else:
            merged[name] = value
    return merged


def _are_lists(*values: Any) -> bool:
    return all(isinstance(value, Sequence) and not isinstance(value, str) for value in values)


def _merge_list(base: Sequence[Any], patch: Sequence[Any], key: str) -> list[Any]:
    changes = {_key(entry, key): entry for entry in patch}
    merged = []
    for entry in base:
        change = changes.pop(_key(entry, key), None)
        both = isinstance(entry, Mapping) and isinstance(change, Mapping)
        merged.append(merge_job_template(entry, change) if both else entry)
    return [*merged, *changes.values()]


def _key(entry: Any, key: str) -> str:
    return str(entry.get(key) if isinstance(entry, Mapping) else entry)
