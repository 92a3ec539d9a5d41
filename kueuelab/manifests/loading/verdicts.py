"""What the API server would say of manifests, reported as problems with hints."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from kueuelab.manifests.loading.items import Findings, Item
from kueuelab.manifests.server import ClusterContents, Verdict, is_judged, judge
from kueuelab.manifests.server.advice import advice
from kueuelab.manifests.server.copying import plain_copy
from kueuelab.manifests.server.problems import FieldError, FieldPath, print_path
from kueuelab.manifests.server.proof import proven
from kueuelab.manifests.shapes.check import is_certainly_sound, mistakes
from kueuelab.manifests.shapes.mistake import Mistake
from kueuelab.manifests.shapes.tables import shape_of, status_shape
from kueuelab.messages import Message, verbatim
from kueuelab.model import RELEASE, FeatureGates, Release

__all__ = ["Verdicts"]

#: What an object is known by here: kind, namespace and name.
_Key = tuple[str, str, str]

#: So many mistakes of one object are enough.
_MOST = 50
#: The server's remark that it did not look at everything says nothing about the manifest.
_REMARK = verbatim("some validation rules were not checked")


class Verdicts:
    """Judges manifests one by one; knows what they would update.

    Parameters
    ----------
    findings : Findings
        Takes what is wrong.
    namespace : str
        Where namespaced objects belong that name no namespace.
    release : Release
        The release of Kueue that judges; a scenario may name another one later.
    """

    def __init__(self, findings: Findings, namespace: str, release: Release) -> None:
        self.release = release
        self._findings = findings
        self._namespace = namespace
        self._existing: dict[_Key, Mapping[str, Any]] = {}

    def set_existing(self, obj: Mapping[str, Any]) -> None:
        """Take an object that the cluster has already; manifests of its name update it."""
        if not is_judged(str(obj.get("apiVersion")), str(obj.get("kind")), self.release):
            return
        verdict = judge(self._placed(obj), release=self.release)
        if verdict.is_accepted:
            stored = dict(verdict.object)
            if "status" in obj:
                stored["status"] = deepcopy(obj["status"])
            self._existing[self._key(obj)] = stored

    def judge(self, item: Item, gates: FeatureGates) -> Mapping[str, Any] | None:
        """Return an object with its defaults; report why the server would refuse it."""
        cluster = ClusterContents(gates=gates)
        obj = self._placed(item.obj)
        existing = self._existing.get(self._key(obj)) if self._existing else None
        release = self._release_for(obj)
        if existing is None and (found := proven(obj, release, gates)) is not None:
            if item.document.source is None:
                # Python objects may change later; what was read from a text does not.
                found = plain_copy(found)
            return None if self._has_wrong_status(item) else _as_given(found, item)
        verdict = judge(obj, existing=existing, cluster=cluster, release=release)
        for warning in verdict.warnings:
            self._findings.warn(warning, item)
        if not verdict.is_accepted:
            self._report(item, obj, verdict, cluster)
            return None
        if self._has_wrong_status(item):
            return None
        return _as_given(verdict.object, item)

    def _release_for(self, obj: Mapping[str, Any]) -> Release:
        """Return the release that reads an object: the default one, of a version not served."""
        is_served = is_judged(obj["apiVersion"], obj["kind"], self.release)
        return self.release if is_served else RELEASE

    def _placed(self, obj: Mapping[str, Any]) -> dict[str, Any]:
        metadata = obj.get("metadata")
        if isinstance(metadata, Mapping) and not metadata.get("namespace"):
            return {**obj, "metadata": {**metadata, "namespace": self._namespace}}
        return dict(obj)

    def _key(self, obj: Mapping[str, Any]) -> _Key:
        metadata = obj.get("metadata")
        metadata = metadata if isinstance(metadata, Mapping) else {}
        namespace = metadata.get("namespace") or self._namespace
        return str(obj.get("kind")), str(namespace), str(metadata.get("name"))

    def _has_wrong_status(self, item: Item) -> bool:
        """Tell whether the lab can't read a status; the server itself would not look at it."""
        shape, status = status_shape(item.obj["kind"]), item.obj.get("status")
        if shape is None or status is None or is_certainly_sound(status, shape):
            return False
        found = mistakes(status, shape, ("status",))
        self._findings.add_all(item, found)
        return bool(found)

    def _report(
        self, item: Item, obj: Mapping[str, Any], verdict: Verdict, cluster: ClusterContents
    ) -> None:
        """Report what is wrong, and what would be next once that is mended."""
        release = self._release_for(obj)
        shape = shape_of(obj["apiVersion"], obj["kind"], release)
        reported: dict[str, FieldError] = {}
        while not verdict.is_accepted:
            found = [error for error in verdict.errors if _REMARK not in error.message]
            if not found and not reported:
                hint = Message("manifests.verdicts.rejected.hint")
                self._findings.add(item, Mistake(("metadata",), verdict.message.strip(), hint))
            new = [error for error in found if str(error) not in reported]
            reported.update((str(error), error) for error in new)
            if verdict.code != 400 or not new or len(reported) >= _MOST:
                break
            # Whatever stands in the way of decoding hides everything else.
            obj = _without(obj, [error.path for error in new])
            existing = self._existing.get(self._key(obj))
            verdict = judge(obj, existing=existing, cluster=cluster, release=release)
            gone = {error.path for error in reported.values()}
            if any(
                error.reason == "FieldValueRequired" and error.path in gone
                for error in verdict.errors
            ):
                break
        for error in reported.values():
            mistake = Mistake(
                error.path,
                error.message,
                advice(error, shape),
                at_name=error.message.startswith(verbatim("unknown field")),
                field=print_path(error.path),
            )
            self._findings.add(item, mistake)


def _as_given(obj: Mapping[str, Any], item: Item) -> dict[str, Any]:
    """Return an accepted object with the metadata and the status that its manifest has."""
    result = {**obj, "metadata": item.obj["metadata"]}
    if "status" in item.obj:
        result["status"] = item.obj["status"]
    return result


def _without(obj: Mapping[str, Any], paths: list[FieldPath]) -> dict[str, Any]:
    """Return an object without some fields, from the last to the first, and the inner ones first.

    So no item of a list moves, nor is anything looked for in what is gone already.
    """
    copy: dict[str, Any] = _apart(obj)
    for path in sorted(set(paths), key=_place, reverse=True):
        value: Any = copy
        for segment in path[:-1]:
            value = value[segment]
        if isinstance(value, dict):
            value.pop(path[-1], None)
        else:
            del value[path[-1]]
    return copy


def _apart(value: Any) -> Any:
    """Copy a value; what an alias in YAML made one object becomes several."""
    if isinstance(value, Mapping):
        return {name: _apart(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_apart(part) for part in value]
    return value


def _place(path: FieldPath) -> tuple[tuple[bool, str, int], ...]:
    return tuple((False, "", part) if isinstance(part, int) else (True, part, 0) for part in path)
