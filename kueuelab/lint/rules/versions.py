"""Rules about versions of Kueue's API that are deprecated or gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.lint.rule import REMOVE, Edit, Found, Level, Rename, Rule
from kueuelab.lint.subject import Subject
from kueuelab.manifests.versions import convert
from kueuelab.model import RELEASE
from kueuelab.whatif.advice.places import CONFIGURATION

__all__ = ["RULES"]

_GROUP: Final = "kueue.x-k8s.io/"
_OF_CONFIGURATION: Final = "config.kueue.x-k8s.io/"


def _deprecated(subject: Subject) -> Iterator[Found]:
    """A manifest of a version that the server still serves, and warns of."""
    for reference, obj in subject.manifests:
        version = obj.get("apiVersion")
        if version in RELEASE.older_api_versions:
            values = {"old": version, "new": RELEASE.api_version}
            is_sound = reference in subject.setting.present
            edits = tuple(_edits(obj)) if is_sound else ()
            yield Found(reference, "apiVersion", values, edits=edits)


def _edits(obj: Mapping[str, Any]) -> Iterator[Edit]:
    """Yield the edits that make a manifest one of the current version.

    Nothing is yielded where more than fields of the spec change.
    """
    new = convert(obj).obj
    before, after = obj.get("spec"), new.get("spec")
    if obj.get("status") != new.get("status"):
        return
    yield Edit("apiVersion", RELEASE.api_version)
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return
    added = [name for name in after if name not in before]
    for name in before:
        if name not in after:
            same = next((each for each in added if after[each] == before[name]), None)
            if same is None:
                yield Edit(f"spec.{name}", REMOVE)
            else:
                added.remove(same)
                yield Edit(f"spec.{name}", Rename(same))
    for name, value in after.items():
        if name in added:
            yield Edit(f"spec.{name}", value)
        elif name in before and isinstance(value, Mapping) and value != before[name]:
            for field, inner in value.items():
                if before[name].get(field) != inner:
                    yield Edit(f"spec.{name}.{field}", inner)


def _removed(subject: Subject) -> Iterator[Found]:
    """A manifest of a version that the server does not serve."""
    served = (RELEASE.api_version, *RELEASE.older_api_versions)
    for reference, obj in subject.manifests:
        version = obj.get("apiVersion")
        if isinstance(version, str) and version.startswith(_GROUP) and version not in served:
            values = {"old": version, "new": RELEASE.api_version, "release": RELEASE.version}
            yield Found(reference, "apiVersion", values)


def _deprecated_configuration(subject: Subject) -> Iterator[Found]:
    """A Configuration of an older version."""
    version = subject.written_configuration.get("apiVersion")
    new = RELEASE.configuration_version
    if isinstance(version, str) and version.startswith(_OF_CONFIGURATION) and version != new:
        yield Found(CONFIGURATION, "apiVersion", {"old": version, "new": new})


RULES: Final = (
    Rule(
        "KL911",
        "deprecated-api-version",
        Level.WARNING,
        _deprecated,
        "reference/kueue.v1beta2",
        is_safe=True,
    ),
    Rule("KL912", "removed-api-version", Level.ERROR, _removed, "reference/kueue.v1beta2"),
    Rule(
        "KL913",
        "deprecated-configuration-version",
        Level.WARNING,
        _deprecated_configuration,
        "reference/kueue-config.v1beta2",
    ),
)
