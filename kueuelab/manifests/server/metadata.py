"""What the API server refuses in the metadata of any object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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

__all__ = ["finalizer_warnings", "metadata_errors"]

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
    yield from label_errors(metadata.get("labels") or {}, (*path, "labels"))
    yield from annotation_errors(metadata.get("annotations") or {}, (*path, "annotations"))
    yield from _owner_errors(metadata, (*path, "ownerReferences"))
    yield from _finalizer_errors(metadata, (*path, "finalizers"))


def _owner_errors(metadata: _Metadata, path: FieldPath) -> Iterator[FieldError]:
    controller = ""
    owners = metadata.get("ownerReferences") or []
    for owner in owners:
        if not owner.get("apiVersion", "").rpartition("/")[2]:
            version = owner.get("apiVersion", "")
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


def _finalizer_errors(metadata: _Metadata, path: FieldPath) -> Iterator[FieldError]:
    finalizers = metadata.get("finalizers") or []
    for finalizer in finalizers:
        for words in label_key(finalizer):
            yield invalid(path, finalizer, words)
    if {"orphan", "foregroundDeletion"} <= set(finalizers):
        words = "finalizer orphan and foregroundDeletion cannot be both set"
        yield invalid(path, finalizers, words)


def finalizer_warnings(metadata: _Metadata) -> list[str]:
    """Return what the server warns of in an object's finalizers."""
    return [
        f'metadata.finalizers: "{finalizer}": prefer a domain-qualified finalizer name to avoid '
        "accidental conflicts with other finalizer writers"
        for finalizer in metadata.get("finalizers") or ()
        if "/" not in finalizer and finalizer not in _STANDARD
    ]
