"""What Kueue's webhooks refuse in ClusterQueues, Cohorts and ResourceFlavors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from kueuelab.manifests.server.names import (
    label_errors,
    label_key_errors,
    label_value,
    selector_errors,
)
from kueuelab.manifests.server.problems import (
    FieldError,
    FieldPath,
    duplicate,
    invalid,
    not_supported,
)
from kueuelab.manifests.server.webhooks.concurrent_admission import concurrent_admission_errors
from kueuelab.manifests.server.webhooks.quotas import fair_sharing_errors, resource_group_errors
from kueuelab.model import FeatureGates

__all__ = ["cluster_queue_errors", "cohort_errors", "flavor_errors", "toleration_errors"]

_Object: TypeAlias = Mapping[str, Any]

_MOST_IN_ALL = 256
_MOST_PAIRS = 512


def cluster_queue_errors(
    queue: _Object, old: _Object | None, gates: FeatureGates
) -> Iterator[FieldError]:
    """Yield what is wrong with a ClusterQueue; ``old`` is what an update replaces."""
    spec = queue["spec"]
    groups = spec.get("resourceGroups") or []
    path: FieldPath = ("spec", "resourceGroups")
    has_cohort = bool(spec.get("cohortName"))
    yield from resource_group_errors(groups, path, parent="cohort", has_parent=has_cohort)
    yield from selector_errors(spec.get("namespaceSelector"), ("spec", "namespaceSelector"))
    yield from _preference_errors(spec.get("flavorFungibility") or {})
    yield from fair_sharing_errors(spec.get("fairSharing"), ("spec", "fairSharing"))
    yield from _size_errors(groups, path)
    if gates["ConcurrentAdmission"]:
        yield from concurrent_admission_errors(spec)
    known = None if gates["RejectUpdatesToCQWithInvalidOnFlavors"] else old
    yield from _check_errors(spec, groups, known)
    if old is not None:
        name = "concurrentAdmissionPolicy"
        if spec.get(name) != old["spec"].get(name):
            yield invalid(("spec", name), spec.get(name), "field is immutable")


def _preference_errors(fungibility: _Object) -> Iterator[FieldError]:
    preference = fungibility.get("preference")
    others = (fungibility.get("whenCanBorrow"), fungibility.get("whenCanPreempt"))
    if preference is not None and others != ("TryNextFlavor", "TryNextFlavor"):
        words = (
            f'preference "{preference}" requires both whenCanBorrow and whenCanPreempt to be '
            "TryNextFlavor"
        )
        yield invalid(("spec", "flavorFungibility", "preference"), preference, words)


def _size_errors(groups: Sequence[_Object], path: FieldPath) -> Iterator[FieldError]:
    for field, what in (("flavors", "flavors"), ("coveredResources", "covered resources")):
        total = sum(len(group.get(field) or ()) for group in groups)
        if total > _MOST_IN_ALL:
            words = (
                f"total number of {what} across all resourceGroups must be ≤ {_MOST_IN_ALL}, "
                f"got {total}"
            )
            yield invalid(path, total, words)
    for index, group in enumerate(groups):
        total = sum(len(flavor.get("resources") or ()) for flavor in group.get("flavors") or ())
        if total > _MOST_PAIRS:
            words = (
                "number of flavor-resource combinations in a resourceGroup must be ≤ "
                f"{_MOST_PAIRS}, got {total}"
            )
            yield invalid((*path, index), total, words)


def _check_errors(
    spec: _Object, groups: Sequence[_Object], old: _Object | None
) -> Iterator[FieldError]:
    """Yield flavors of admission checks that the queue does not have.

    What was wrong in ``old`` with the same flavors stays as it is: other fields can be updated.
    """
    own = _flavors_of(groups)
    kept: dict[str, set[str]] = {}
    if old is not None and {*_flavors_of(old["spec"].get("resourceGroups") or ())} == {*own}:
        kept = {
            check.get("name", ""): set(check.get("onFlavors") or ())
            for check in _checks(old["spec"])
        }
    path: FieldPath = ("spec", "admissionChecksStrategy", "admissionChecks")
    for index, check in enumerate(_checks(spec)):
        if kept.get(check.get("name", "")) == set(check.get("onFlavors") or ()):
            continue
        for place, flavor in enumerate(check.get("onFlavors") or ()):
            if flavor not in own:
                known = dict.fromkeys(own)
                yield not_supported((*path, index, "onFlavors", place), flavor, known)


def _flavors_of(groups: Sequence[_Object]) -> list[str]:
    return [flavor["name"] for group in groups for flavor in group.get("flavors") or ()]


def _checks(spec: _Object) -> Sequence[_Object]:
    found: Sequence[_Object] = (spec.get("admissionChecksStrategy") or {}).get(
        "admissionChecks"
    ) or ()
    return found


def cohort_errors(
    cohort: _Object, old: _Object | None, gates: FeatureGates
) -> Iterator[FieldError]:
    """Yield what is wrong with a Cohort."""
    spec = cohort["spec"]
    yield from fair_sharing_errors(spec.get("fairSharing"), ("spec", "fairSharing"))
    yield from resource_group_errors(
        spec.get("resourceGroups") or [],
        ("spec", "resourceGroups"),
        parent="parent",
        has_parent=bool(spec.get("parentName")),
    )


def flavor_errors(
    flavor: _Object, old: _Object | None, gates: FeatureGates
) -> Iterator[FieldError]:
    """Yield what is wrong with a ResourceFlavor."""
    spec = flavor["spec"]
    yield from label_errors(spec.get("nodeLabels") or {}, ("spec", "nodeLabels"))
    yield from _taint_errors(spec.get("nodeTaints") or [], ("spec", "nodeTaints"))
    yield from toleration_errors(spec.get("tolerations") or [], ("spec", "tolerations"))


def _taint_errors(taints: Sequence[_Object], path: FieldPath) -> Iterator[FieldError]:
    seen = set()
    for index, taint in enumerate(taints):
        yield from label_key_errors(taint["key"], (*path, index, "key"))
        if wrong := label_value(taint.get("value", "")):
            yield invalid((*path, index, "value"), taint["value"], ";".join(wrong))
        pair = (taint["key"], taint["effect"])
        if pair in seen:
            shown = {name: taint[name] for name in ("key", "value", "effect") if name in taint}
            words = "taints must be unique by key and effect pair"
            yield duplicate((*path, index), shown, words)
        seen.add(pair)


def toleration_errors(tolerations: Sequence[_Object], path: FieldPath) -> Iterator[FieldError]:
    """Yield what is wrong with the keys of tolerations."""
    for index, toleration in enumerate(tolerations):
        if toleration.get("key"):
            yield from label_key_errors(toleration["key"], (*path, index, "key"))
