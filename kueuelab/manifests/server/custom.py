"""Verdicts on Kueue's own kinds, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final, TypeAlias

from kueuelab.manifests.server.conversion import (
    CURRENT,
    OLD,
    in_version,
    is_converted,
    through_the_store,
    to_current,
)
from kueuelab.manifests.server.copying import plain_copy
from kueuelab.manifests.server.defaults import drop_nulls, set_defaults
from kueuelab.manifests.server.golang import go_error, go_write
from kueuelab.manifests.server.metadata import (
    finalizer_warnings,
    metadata_errors,
    metadata_update_errors,
)
from kueuelab.manifests.server.problems import FieldError, FieldPath, print_path
from kueuelab.manifests.server.rules import check_rules
from kueuelab.manifests.server.strict import metadata_error, metadata_shape, unknown_fields
from kueuelab.manifests.server.structural import check_lists, check_structure
from kueuelab.manifests.server.verdict import (
    ClusterContents,
    Verdict,
    accepted,
    bad_request,
    blocks,
    denied,
    not_found,
    refused,
    unchecked,
    unconverted,
    unprocessable,
    unreadable,
)
from kueuelab.manifests.server.webhooks.queues import (
    cluster_queue_errors,
    cohort_errors,
    flavor_errors,
)
from kueuelab.manifests.server.webhooks.workloads import workload_errors, workload_warnings
from kueuelab.manifests.shapes.shape import ABSENT, Shape
from kueuelab.manifests.shapes.tables import shape_of
from kueuelab.model import RELEASE, FeatureGates, Release

__all__ = [
    "DEFAULTING",
    "FINALIZER",
    "NAMESPACED",
    "VALIDATING",
    "as_go_sees_it",
    "judge_custom",
    "patched",
]

_Object: TypeAlias = dict[str, Any]
_Webhook: TypeAlias = Callable[
    [Mapping[str, Any], Mapping[str, Any] | None, FeatureGates], Iterator[FieldError]
]

#: Kueue's kinds that live in namespaces.
NAMESPACED: Final = ("LocalQueue", "Workload")

#: What the defaulting webhook adds to objects that workloads use.
FINALIZER: Final = "kueue.x-k8s.io/resource-in-use"
#: Kinds whose objects a webhook reads before anything else is checked, on create.
DEFAULTING: Final = ("ClusterQueue", "ResourceFlavor", "Workload")
#: What the validating webhooks look for, by kind.
VALIDATING: Final[Mapping[str, _Webhook]] = {
    "ClusterQueue": cluster_queue_errors,
    "Cohort": cohort_errors,
    "ResourceFlavor": flavor_errors,
    "Workload": workload_errors,
}
_DEPRECATED: Final = "This version is deprecated. Use v1beta2 instead."
_NOT_DEPRECATED: Final = ("MultiKueueConfig",)


def judge_custom(
    obj: Mapping[str, Any],
    existing: Mapping[str, Any] | None,
    subresource: str,
    cluster: ClusterContents,
    release: Release,
) -> Verdict:
    """Return the verdict on a create, or on an update of ``existing``, as it is stored."""
    shape = shape_of(obj["apiVersion"], obj["kind"], release)
    assert shape is not None
    judge = _Judge(shape, cluster, obj["kind"], release)
    if subresource == "*":
        verdict = judge.stored(obj)
    elif existing is None:
        verdict = judge.create(obj)
    else:
        verdict = judge.update(obj, existing, subresource)
    warnings = list(verdict.warnings)
    if obj["apiVersion"] == OLD and obj["kind"] not in _NOT_DEPRECATED:
        warnings.insert(0, _DEPRECATED)
    return replace(verdict, warnings=tuple(warnings))


class _Judge:
    def __init__(self, shape: Shape, cluster: ClusterContents, kind: str, release: Release) -> None:
        self._shape = shape
        self._cluster = cluster
        self._kind = kind
        self._release = release
        self._namespaced = kind in NAMESPACED

    def create(self, manifest: Mapping[str, Any]) -> Verdict:
        """Judge an object that is new."""
        obj = self._decoded(manifest)
        if isinstance(obj, Verdict):
            return obj
        namespace = obj["metadata"].get("namespace", "")
        known = self._cluster.namespaces
        if self._namespaced and known is not None and namespace not in known:
            return not_found(namespace)
        obj = self._defaulted(obj)
        if isinstance(obj, Verdict):
            return obj
        if "status" in self._shape.fields:
            obj.pop("status", None)
        metadata = obj["metadata"]
        wrong = list(metadata_errors(metadata, namespaced=self._namespaced))
        wrong += check_structure(obj, self._shape)
        wrong += check_lists(obj, self._shape)
        wrong += self._rule_errors(obj, ABSENT, wrong)
        return self._judged(obj, wrong, None, finalizer_warnings(metadata))

    def stored(self, manifest: Mapping[str, Any]) -> Verdict:
        """Judge an object as it is in a cluster, with its status."""
        obj = self._decoded(manifest)
        if isinstance(obj, Verdict):
            return obj
        wrong = list(metadata_errors(obj["metadata"], namespaced=self._namespaced))
        wrong += check_structure(obj, self._shape)
        wrong += check_lists(obj, self._shape)
        wrong += self._rule_errors(obj, ABSENT, wrong)
        return self._judged(obj, wrong, None, [])

    def update(
        self, manifest: Mapping[str, Any], existing: Mapping[str, Any], subresource: str
    ) -> Verdict:
        """Judge an update of an object, or of its status."""
        obj = self._decoded(manifest)
        if isinstance(obj, Verdict):
            return obj
        old = deepcopy(in_version(existing, obj["apiVersion"], self._release))
        if subresource == "status":
            obj = {**deepcopy(old), **({"status": obj["status"]} if "status" in obj else {})}
        elif "status" in self._shape.fields:
            obj.pop("status", None)
            if "status" in old:
                obj["status"] = deepcopy(old["status"])
        before = old.get("metadata") or {}
        wrong = list(metadata_update_errors(obj["metadata"], before, namespaced=self._namespaced))
        if subresource == "status":
            wrong += self._status_errors(obj, old)
        else:
            wrong += check_structure(obj, self._shape, old=old)
        if not any(check_lists(old, self._shape)):
            wrong += check_lists(obj, self._shape)
        wrong += self._rule_errors(obj, old, wrong)
        warnings = [] if subresource else finalizer_warnings(obj["metadata"], before)
        return self._judged(obj, wrong, old, warnings)

    def _decoded(self, manifest: Mapping[str, Any]) -> _Object | Verdict:
        """Return the object with its schema's defaults."""
        error = metadata_error(manifest.get("metadata"))
        if error:
            return unreadable(manifest, error, prefix=("metadata",))
        unknown = unknown_fields(manifest, self._shape, typed=False)
        if unknown:
            return _unknown(manifest, unknown)
        obj: _Object = plain_copy(dict(manifest))
        metadata = go_write(obj.get("metadata") or {}, metadata_shape())
        if self._namespaced:
            metadata.setdefault("namespace", "default")
        else:
            metadata.pop("namespace", None)
        obj["metadata"] = metadata
        set_defaults(obj, self._shape)
        drop_nulls(obj, self._shape)
        return obj

    def _defaulted(self, obj: _Object) -> _Object | Verdict:
        """Return the object with what Kueue's defaulting webhook adds."""
        if self._kind not in DEFAULTING:
            return obj
        verdict = self._unreadable(obj, "m")
        if verdict is not None:
            return verdict
        finalizers = obj["metadata"].get("finalizers") or []
        if self._kind == "Workload" or FINALIZER in finalizers:
            return obj
        metadata = {**obj["metadata"], "finalizers": [*finalizers, FINALIZER]}
        obj = {**obj, "metadata": metadata}
        if is_converted(obj):
            obj = _with_metadata(through_the_store(obj, self._release), metadata)
        else:
            head = {name: obj[name] for name in ("apiVersion", "kind")}
            obj = {**head, **patched(obj, self._shape), "metadata": metadata}
        set_defaults(obj, self._shape)
        return obj

    def _unreadable(self, obj: _Object, prefix: str) -> Verdict | None:
        """Return the verdict on an object that Go cannot read as its version or as Kueue's."""
        if is_converted(obj):
            error = go_error(obj, self._shape)
            if error:
                return unconverted(obj, error)
        current = shape_of(CURRENT, self._kind, self._release)
        assert current is not None
        error = go_error(to_current(obj, self._release), current)
        return denied(f"{prefix}{self._kind.lower()}.kb.io", error) if error else None

    def _status_errors(self, obj: _Object, old: _Object) -> Iterator[FieldError]:
        """Yield what is wrong with a status; the server reads it as if there were no more."""
        if "status" not in obj:
            return
        before = old.get("status", ABSENT)
        for error in check_structure(obj["status"], self._shape.fields["status"].shape, old=before):
            yield replace(error, path=("status", *error.path))

    def _rule_errors(self, obj: _Object, old: Any, wrong: list[FieldError]) -> list[FieldError]:
        if not self._shape.has_rules:
            return []
        if blocks(wrong):
            return [unchecked()]
        return list(check_rules(obj, self._shape, old=old))

    def _judged(
        self,
        obj: _Object,
        wrong: list[FieldError],
        old: _Object | None,
        warnings: list[str],
    ) -> Verdict:
        """Return the verdict on an object with these errors, or else that of the webhook."""
        name = obj["metadata"].get("name", "")
        verdict = unprocessable(f"{self._kind}.kueue.x-k8s.io", name, wrong)
        if verdict is not None:
            return verdict
        webhook = VALIDATING.get(self._kind)
        if webhook is not None:
            called = f"v{self._kind.lower()}.kb.io"
            verdict = self._unreadable(obj, "v")
            if verdict is not None:
                return verdict
            current = as_go_sees_it(obj, self._release)
            if self._kind == "Workload":
                warnings = [*warnings, *workload_warnings(current, self._cluster.gates)]
            before = None if old is None else as_go_sees_it(old, self._release)
            verdict = refused(called, webhook(current, before, self._cluster.gates))
            if verdict is not None:
                return replace(verdict, warnings=tuple(warnings))
        stored = _with_metadata(through_the_store(obj, self._release), obj["metadata"])
        return replace(accepted(stored, created=old is None), warnings=tuple(warnings))


def _unknown(manifest: Mapping[str, Any], unknown: list[FieldPath]) -> Verdict:
    words = [f'unknown field "{print_path(path)}"' for path in unknown]
    errors = [FieldError(path, "", text) for path, text in zip(unknown, words, strict=True)]
    return bad_request(manifest, f"strict decoding error: {', '.join(words)}", errors)


def _with_metadata(obj: _Object, metadata: Mapping[str, Any]) -> _Object:
    return {**obj, "metadata": metadata}


def as_go_sees_it(obj: _Object, release: Release = RELEASE) -> _Object:
    """Return an object as Kueue's webhooks see it."""
    current = to_current(obj, release)
    shape = shape_of(CURRENT, obj["kind"], release)
    assert shape is not None
    return {**current, **go_write(current, shape)}


def patched(obj: _Object, shape: Shape) -> _Object:
    """Return what a webhook's changes make of an object: what Go leaves out stays."""
    written: _Object = go_write(obj, shape)
    return written
