"""What the API server refuses in the metadata of any object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from kueuelab.manifests.server.names import (
    annotation_errors,
    dns_label,
    dns_subdomain,
    label_errors,
    label_key,
)
from kueuelab.manifests.server.problems import (
    FieldError,
    FieldPath,
    invalid,
    required,
)

__all__ = ["finalizer_warnings", "metadata_errors", "metadata_update_errors"]

_Metadata: TypeAlias = Mapping[str, Any]

_PATH: Final[FieldPath] = ("metadata",)
_STANDARD: Final = ("orphan", "foregroundDeletion", "kubernetes")


def metadata_errors(
    metadata: _Metadata,
    *,
    namespaced: bool,
    path: FieldPath = _PATH,
    check_name: Callable[[str], list[str]] = dns_subdomain,
) -> Iterator[FieldError]:
    """Yield what is wrong with metadata.

    Parameters
    ----------
    metadata : mapping
        The metadata, with a namespace where there is to be one.
    namespaced : bool
        Whether objects of the kind live in namespaces.
    path : tuple, optional
        Where the metadata is.
    check_name : callable, optional
        What says what is wrong with a name.
    """
    prefix, name = metadata.get("generateName", ""), metadata.get("name", "")
    if prefix:
        shown = prefix[:-1] + "a" if prefix.endswith("-") and len(prefix) > 1 else prefix
        for words in check_name(shown):
            yield invalid((*path, "generateName"), prefix, words)
    if not name and not prefix:
        yield required((*path, "name"), "name or generateName is required")
    elif name:
        for words in check_name(name):
            yield invalid((*path, "name"), name, words)
    if namespaced:
        for words in dns_label(metadata.get("namespace", "")):
            yield invalid((*path, "namespace"), metadata.get("namespace", ""), words)
    if metadata.get("generation", 0) < 0:
        words = "must be greater than or equal to 0"
        yield invalid((*path, "generation"), metadata["generation"], words)
    if labels := metadata.get("labels"):
        yield from label_errors(labels, (*path, "labels"))
    if annotations := metadata.get("annotations"):
        yield from annotation_errors(annotations, (*path, "annotations"))
    if owners := metadata.get("ownerReferences"):
        yield from _owner_errors(owners, (*path, "ownerReferences"))
    if finalizers := metadata.get("finalizers"):
        yield from _finalizer_errors(finalizers, (*path, "finalizers"))


def metadata_update_errors(
    metadata: _Metadata, old: _Metadata, *, namespaced: bool, path: FieldPath = _PATH
) -> Iterator[FieldError]:
    """Yield what is wrong with the metadata of an update, some of it as often as the server does.

    What all kinds have in common is checked, then what changes; the kind's own rules check
    the latter again.
    """
    yield from metadata_errors(metadata, namespaced=namespaced, path=path, check_name=_segment)
    for _ in range(2):
        for name in ("name", "namespace", "uid"):
            value = metadata.get(name, "")
            if value != old.get(name, "") and (name != "uid" or (value and "uid" in old)):
                yield invalid((*path, name), value, "field is immutable")
        seconds = "deletionGracePeriodSeconds"
        if metadata.get(seconds) not in (None, old.get(seconds)):
            yield invalid((*path, seconds), metadata[seconds], "field is immutable")
        yield from label_errors(metadata.get("labels") or {}, (*path, "labels"))
        yield from annotation_errors(metadata.get("annotations") or {}, (*path, "annotations"))
        yield from _owner_errors(metadata.get("ownerReferences") or (), (*path, "ownerReferences"))


def _segment(name: str) -> list[str]:
    """Return why a name cannot be part of a path; the name itself was checked long ago."""
    if name in (".", ".."):
        return [f"may not be '{name}'"]
    return [f"may not contain '{char}'" for char in "/%" if char in name]


def _owner_errors(owners: Sequence[Mapping[str, Any]], path: FieldPath) -> Iterator[FieldError]:
    controller = ""
    for owner in owners:
        version = owner.get("apiVersion", "")
        if not version.rpartition("/")[2] or version.count("/") > 1:
            yield invalid((*path, "apiVersion"), version, "version must not be empty")
        for name in ("kind", "name", "uid"):
            if not owner.get(name):
                yield invalid((*path, name), "", "must not be empty")
        if (owner.get("apiVersion"), owner.get("kind")) == ("v1", "Event"):
            yield invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner")
        if owner.get("controller"):
            current = f"{owner.get('kind', '')}/{owner.get('name', '')}"
            if controller:
                words = (
                    "Only one reference can have Controller set to true. Found "
                    f'"true" in references for {controller} and {current}'
                )
                yield invalid(path, owners, words)
            controller = controller or current


def _finalizer_errors(finalizers: Sequence[str], path: FieldPath) -> Iterator[FieldError]:
    for finalizer in finalizers:
        for words in label_key(finalizer):
            yield invalid(path, finalizer, words)
    if {"orphan", "foregroundDeletion"} <= set(finalizers):
        words = "finalizer orphan and foregroundDeletion cannot be both set"
        yield invalid(path, finalizers, words)


def finalizer_warnings(metadata: _Metadata, old: _Metadata | None = None) -> list[str]:
    """Return what the server warns of in an object's finalizers, those that are new."""
    finalizers = metadata.get("finalizers")
    if not finalizers:
        return []
    new = set(finalizers) - set((old or {}).get("finalizers") or ())
    return [
        f'metadata.finalizers: "{finalizer}": prefer a domain-qualified finalizer name '
        + ("including a path (/) " if "." in finalizer else "")
        + "to avoid accidental conflicts with other finalizer writers"
        for finalizer in sorted(new)
        if "/" not in finalizer and finalizer not in _STANDARD
    ]
