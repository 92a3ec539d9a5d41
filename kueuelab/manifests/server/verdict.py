"""What the API server answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from kueuelab.manifests.server.golang import GoError
from kueuelab.manifests.server.problems import (
    NOWHERE,
    FieldError,
    FieldPath,
    aggregate,
    invalid,
)
from kueuelab.model import FeatureGates

__all__ = [
    "ClusterContents",
    "Verdict",
    "accepted",
    "already_exists",
    "bad_request",
    "denied",
    "not_found",
    "refused",
    "unchecked",
    "unconverted",
    "unprocessable",
    "unreadable",
]

_UNCHECKED: Final = (
    "some validation rules were not checked because the object was invalid; correct the "
    "existing errors to complete validation"
)
_BLOCKING: Final = (
    "FieldValueNotSupported",
    "FieldValueRequired",
    "FieldValueTooLong",
    "FieldValueTooMany",
    "FieldValueTypeInvalid",
)


@dataclass(frozen=True, slots=True)
class ClusterContents:
    """What else there is in the cluster, as far as a verdict depends on it.

    Parameters
    ----------
    namespaces : set of str, optional
        The namespaces that exist; any does if left out.
    default_queues : set of str
        The namespaces that have a LocalQueue named ``default``.
    priority_classes : set of str, optional
        The PriorityClasses that exist; any does if left out.
    service_accounts : set of str, optional
        The names of the service accounts of each namespace; any exists if left out.
    objects : set of (str, str, str)
        Kind, namespace (empty where there is none) and name of objects that exist already.
    gates : FeatureGates
        The feature gates of Kueue there; those of `kueuelab.model.RELEASE` if left out.
    """

    namespaces: frozenset[str] | None = None
    default_queues: frozenset[str] = frozenset()
    priority_classes: frozenset[str] | None = None
    service_accounts: frozenset[str] | None = None
    objects: frozenset[tuple[str, str, str]] = frozenset()
    gates: FeatureGates = field(default_factory=FeatureGates)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to a create or an update.

    Parameters
    ----------
    code : int
        The HTTP status.
    reason, message : str
        Reason and message of the answer; empty if the object was accepted.
    errors : tuple of FieldError
        What is wrong with which fields, also where the answer itself has no causes.
    warnings : tuple of str
        What the server warns of.
    object : mapping
        What would be stored: the object with its defaults. Empty if it was refused.
    """

    code: int
    reason: str = ""
    message: str = ""
    errors: tuple[FieldError, ...] = ()
    warnings: tuple[str, ...] = ()
    object: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_accepted(self) -> bool:
        """Whether the object was accepted."""
        return self.code < 300

    @property
    def causes(self) -> tuple[FieldError, ...]:
        """The causes that the answer lists."""
        return self.errors if self.code == 422 else ()


def accepted(obj: Mapping[str, Any], *, created: bool) -> Verdict:
    """Return the verdict that an object was created or updated."""
    return Verdict(201 if created else 200, object=obj)


def bad_request(obj: Mapping[str, Any], words: str, errors: Iterable[FieldError] = ()) -> Verdict:
    """Return the verdict that an object cannot be decoded."""
    kind, version = obj.get("kind"), str(obj.get("apiVersion")).rpartition("/")[2]
    message = f'{kind} in version "{version}" cannot be handled as a {kind}: {words}'
    return Verdict(400, "BadRequest", message, tuple(errors))


def not_found(namespace: str) -> Verdict:
    """Return the verdict that a namespace does not exist."""
    return Verdict(404, "NotFound", f'namespaces "{namespace}" not found')


def unreadable(obj: Mapping[str, Any], error: GoError, *, prefix: FieldPath = ()) -> Verdict:
    """Return the verdict that an object cannot be decoded because of a value."""
    found = FieldError((*prefix, *error.path), "", error.words)
    return bad_request(obj, error.words, [found])


def already_exists(obj: Mapping[str, Any]) -> Verdict:
    """Return the verdict that there is an object of this name."""
    group = str(obj["apiVersion"]).rpartition("/")[0]
    resource = _plural(str(obj["kind"]).lower())
    qualified = f"{resource}.{group}" if group else resource
    message = f'{qualified} "{obj["metadata"].get("name", "")}" already exists'
    return Verdict(409, "AlreadyExists", message)


def _plural(noun: str) -> str:
    if noun.endswith("s"):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def denied(webhook: str, error: GoError) -> Verdict:
    """Return the verdict of a webhook that could not read an object."""
    message = f'admission webhook "{webhook}" denied the request: {error.words}'
    return Verdict(400, "", message, (FieldError(error.path, "", error.words),))


def unconverted(obj: Mapping[str, Any], error: GoError) -> Verdict:
    """Return the verdict that Kueue's conversion webhook could not read an object."""
    message = (
        f"Internal error occurred: conversion webhook for {obj['apiVersion']}, "
        f"Kind={obj['kind']} failed: {error.words}"
    )
    return Verdict(500, "InternalError", message, (FieldError(error.path, "", error.words),))


def refused(webhook: str, errors: Iterable[FieldError]) -> Verdict | None:
    """Return the verdict of a webhook that found errors, ``None`` if it found none."""
    found = tuple(errors)
    if not found:
        return None
    message = f'admission webhook "{webhook}" denied the request: {aggregate(found)}'
    return Verdict(403, "Forbidden", message, found)


def unprocessable(qualified_kind: str, name: str, errors: Iterable[FieldError]) -> Verdict | None:
    """Return the verdict on errors in fields, ``None`` if there are none."""
    found = tuple(errors)
    if not found:
        return None
    message = f'{qualified_kind} "{name}" is invalid: {aggregate(found)}'
    return Verdict(422, "Invalid", message, found)


def blocks(errors: Iterable[FieldError]) -> bool:
    """Tell whether errors keep rules from being evaluated."""
    return any(error.reason in _BLOCKING for error in errors)


def unchecked() -> FieldError:
    """Return the remark that rules were not evaluated."""
    return invalid(NOWHERE, None, _UNCHECKED)
