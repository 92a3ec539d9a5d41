"""Between Kueue's API versions, as its conversion webhook does it on the way to the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Final

from kueuelab.manifests.server.defaults import drop_nulls
from kueuelab.manifests.server.golang import go_write
from kueuelab.manifests.shapes.shape import ABSENT, Shape
from kueuelab.manifests.shapes.tables import shape_of
from kueuelab.manifests.versions.v1beta1 import CONVERTERS
from kueuelab.model import RELEASE, Release

__all__ = [
    "CURRENT",
    "OLD",
    "in_version",
    "is_converted",
    "through_the_store",
    "to_current",
]

CURRENT: Final = RELEASE.api_version
(OLD,) = RELEASE.older_api_versions

#: The kinds that a webhook converts; all others only change their version.
_CONVERTED: Final = ("ClusterQueue", "Cohort", "LocalQueue", "Workload", "MultiKueueCluster")


def _written(obj: Mapping[str, Any], version: str, release: Release) -> dict[str, Any]:
    shape = shape_of(version, obj["kind"], release)
    assert shape is not None
    return {"apiVersion": version, "kind": obj["kind"], **go_write(obj, shape, omit_empty=True)}


def is_converted(obj: Mapping[str, Any]) -> bool:
    """Tell whether a webhook converts an object of an older version."""
    return obj["apiVersion"] == OLD and obj["kind"] in _CONVERTED


def _known(obj: Mapping[str, Any], version: str, release: Release) -> dict[str, Any]:
    """Return an object without the fields that another version does not know."""
    shape = shape_of(version, obj["kind"], release)
    assert shape is not None
    spec = obj.get("spec")
    if not isinstance(spec, dict) or "spec" not in shape.fields:
        return dict(obj)
    fields = shape.fields["spec"].shape.fields
    return {**obj, "spec": {name: part for name, part in spec.items() if name in fields}}


def to_current(obj: Mapping[str, Any], release: Release = RELEASE) -> dict[str, Any]:
    """Return an object that Go can read in the version that Kueue works with."""
    if obj["apiVersion"] == CURRENT:
        return dict(obj)
    if obj["kind"] not in _CONVERTED:
        return {**obj, "apiVersion": CURRENT}
    old = _written(obj, OLD, release)
    convert = CONVERTERS.get(obj["kind"])
    new = old if convert is None else convert(old)[0]
    return _written({**new, "apiVersion": CURRENT}, CURRENT, release)


def in_version(obj: Mapping[str, Any], version: str, release: Release = RELEASE) -> dict[str, Any]:
    """Return a stored object as it is read in a version.

    Examples
    --------
    >>> queue = {
    ...     "apiVersion": "kueue.x-k8s.io/v1beta2",
    ...     "kind": "ClusterQueue",
    ...     "spec": {"cohortName": "research"},
    ... }
    >>> in_version(queue, "kueue.x-k8s.io/v1beta1")["spec"]
    {'cohort': 'research'}
    """
    if obj["apiVersion"] == version:
        return dict(obj)
    if version == CURRENT:
        return {**to_current(obj, release), "metadata": obj.get("metadata") or {}}
    old = {**obj, "apiVersion": version}
    renew = _OLDER.get(obj["kind"])
    if renew is not None and isinstance(obj.get("spec"), Mapping):
        old["spec"] = renew(dict(obj["spec"]))
    return old


def _older_queue(spec: dict[str, Any]) -> dict[str, Any]:
    if "cohortName" in spec:
        spec["cohort"] = spec.pop("cohortName")
    return spec


def _older_workload(spec: dict[str, Any]) -> dict[str, Any]:
    reference = spec.pop("priorityClassRef", None)
    if reference is not None:
        kind = str(reference.get("kind", "")).lower()
        spec["priorityClassSource"] = f"{reference.get('group', '')}/{kind}"
        spec["priorityClassName"] = reference.get("name", "")
    return spec


def _older_cluster(spec: dict[str, Any]) -> dict[str, Any]:
    return {**spec.pop("clusterSource", {}), **spec}


_OLDER: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "ClusterQueue": _older_queue,
    "Workload": _older_workload,
    "MultiKueueCluster": _older_cluster,
}


def through_the_store(obj: Mapping[str, Any], release: Release = RELEASE) -> dict[str, Any]:
    """Return what comes back of an object that was stored in Kueue's version.

    Examples
    --------
    >>> workload = {
    ...     "apiVersion": "kueue.x-k8s.io/v1beta1",
    ...     "kind": "Workload",
    ...     "spec": {"podSets": [], "priorityClassName": "high"},
    ... }
    >>> through_the_store(workload)["spec"]
    {'podSets': [], 'active': True}
    """
    if obj["apiVersion"] != OLD:
        return dict(obj)
    if obj["kind"] not in _CONVERTED:
        return _known(obj, CURRENT, release)
    back = _written(obj, OLD, release)
    shape = shape_of(OLD, obj["kind"], release)
    current = shape_of(CURRENT, obj["kind"], release)
    assert shape is not None
    assert current is not None
    lose = _LOSSES.get(obj["kind"])
    if lose is not None:
        back["spec"] = back.get("spec") or {}
        lose(back["spec"])
    drop_nulls(back, shape)
    _drop_empty(back, current)
    # A spec that was null got no defaults of its own version, but gets those of the stored one.
    if isinstance(back.get("spec"), dict):
        _set_common_defaults(back["spec"], current.fields["spec"].shape, shape.fields["spec"].shape)
    return back


def _drop_empty(value: Any, stored: Shape) -> None:
    """Take away what is empty and is not written in the version that is stored."""
    if isinstance(value, dict):
        for name in list(value):
            field = stored.fields.get(name)
            inner = stored.item if field is None else field.shape
            if inner is None:
                continue
            omitted = field is not None and not field.always and inner.kind in ("list", "map")
            if omitted and not value[name]:
                del value[name]
            else:
                _drop_empty(value[name], inner)
    elif isinstance(value, list) and stored.item is not None:
        for part in value:
            _drop_empty(part, stored.item)


def _set_common_defaults(spec: dict[str, Any], stored: Shape, shape: Shape) -> None:
    for name, field in stored.fields.items():
        if field.default is not ABSENT and name in shape.fields:
            spec.setdefault(name, deepcopy(field.default))


def _lose_from_queue(spec: dict[str, Any]) -> None:
    checks = spec.pop("admissionChecks", None)
    if checks:
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": name} for name in checks]}
    fungibility = spec.get("flavorFungibility") or {}
    for name, old in (("whenCanBorrow", "Borrow"), ("whenCanPreempt", "Preempt")):
        if fungibility.get(name) == old:
            fungibility[name] = "MayStopSearch"


def _lose_from_cluster(spec: dict[str, Any]) -> None:
    config = spec.setdefault("kubeConfig", {"location": "", "locationType": ""})
    if not config.get("location"):
        config["locationType"] = ""


def _lose_from_workload(spec: dict[str, Any]) -> None:
    if not spec.get("priorityClassSource"):
        spec.pop("priorityClassName", None)


_LOSSES: Final[Mapping[str, Callable[[dict[str, Any]], None]]] = {
    "ClusterQueue": _lose_from_queue,
    "MultiKueueCluster": _lose_from_cluster,
    "Workload": _lose_from_workload,
}
