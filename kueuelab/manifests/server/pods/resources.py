"""What Kubernetes refuses in the requests and limits of containers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from kueuelab.manifests.server.names import label_key
from kueuelab.manifests.server.problems import (
    FieldError,
    FieldPath,
    Key,
    duplicate,
    forbidden,
    invalid,
    not_found,
    required,
)
from kueuelab.quantity import Quantity

__all__ = ["may_be_overcommitted", "resource_errors"]

_Object: TypeAlias = Mapping[str, Any]

_OF_CONTAINERS: Final = ("cpu", "memory", "ephemeral-storage")
_WHOLE: Final = (
    *("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps"),
    *("persistentvolumeclaims", "services.nodeports", "services.loadbalancers"),
)
_STANDARD: Final = (
    *_OF_CONTAINERS,
    *_WHOLE,
    *(f"{what}.{name}" for what in ("requests", "limits") for name in _OF_CONTAINERS),
    *("storage", "requests.storage"),
)
_HUGE: Final = "hugepages-"
_MILLI: Final = 10**6


def resource_errors(
    resources: _Object, path: FieldPath, claims: tuple[str, ...] = ()
) -> Iterator[FieldError]:
    """Yield what is wrong with requests and limits; ``claims`` are those of the pod."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name, amount in limits.items():
        yield from _amount_errors(name, amount, (*path, "limits", Key(name)))
    for name, amount in requests.items():
        yield from _amount_errors(name, amount, (*path, "requests", Key(name)))
        if name in limits:
            yield from _above_limit(name, amount, limits[name], (*path, "requests"))
        elif not may_be_overcommitted(name):
            words = "Limit must be set for non overcommitable resources"
            yield required((*path, "limits"), words)
    names = {*limits, *requests}
    if any(name.startswith(_HUGE) for name in names) and not names & {"cpu", "memory"}:
        yield forbidden(path, "HugePages require cpu or memory")
    yield from _claim_errors(resources, claims, (*path, "claims"))


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def _is_extended(name: str) -> bool:
    if _is_native(name) or name.startswith("requests."):
        return False
    return not label_key(f"requests.{name}")


def may_be_overcommitted(name: str) -> bool:
    """Tell whether a container may request a resource without a limit, or below its limit.

    Examples
    --------
    >>> may_be_overcommitted("memory"), may_be_overcommitted("nvidia.com/gpu")
    (True, False)
    """
    return _is_native(name) and not name.startswith(_HUGE)


def _amount_errors(name: str, amount: str, path: FieldPath) -> Iterator[FieldError]:
    yield from _name_errors(name, path)
    quantity = Quantity.parse(amount)
    if quantity.nano < 0:
        yield invalid(path, amount, "must be greater than or equal to 0")
    if (name in _WHOLE or _is_extended(name)) and quantity.milli_value() % 1000:
        yield invalid(path, amount, "must be an integer")


def _name_errors(name: str, path: FieldPath) -> Iterator[FieldError]:
    wrong = label_key(name)
    if wrong:
        for words in wrong:
            yield invalid(path, name, words)
    elif "/" not in name and name not in _STANDARD and not name.startswith(_HUGE):
        yield invalid(path, name, "must be a standard resource type or fully qualified")
    if "/" not in name:
        if name not in _OF_CONTAINERS and not name.startswith(_HUGE):
            yield invalid(path, name, "must be a standard resource for containers")
    elif not _is_native(name) and not _is_extended(name):
        yield invalid(path, name, "doesn't follow extended resource name standard")


def _above_limit(name: str, amount: str, limit: str, path: FieldPath) -> Iterator[FieldError]:
    request, most = Quantity.parse(amount), Quantity.parse(limit)
    if request != most and not may_be_overcommitted(name):
        yield invalid(path, amount, f"must be equal to {name} limit of {limit}")
    elif request > most:
        yield invalid(path, amount, f"must be less than or equal to {name} limit of {limit}")


def _claim_errors(
    resources: _Object, claims: tuple[str, ...], path: FieldPath
) -> Iterator[FieldError]:
    seen = set()
    for index, claim in enumerate(resources.get("claims") or ()):
        name = claim.get("name", "")
        if not name:
            yield required((*path, index))
        elif name in seen:
            yield duplicate((*path, index), name)
        elif name not in claims:
            yield not_found((*path, index), name)
        seen.add(name)
