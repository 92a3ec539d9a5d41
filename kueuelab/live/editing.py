"""Changing one object of a cluster, also while others write it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.errors import LiveError
from kueuelab.live.resources import Json, Resource

__all__ = ["change_object", "update_object"]

_ATTEMPTS: Final = 8


def update_object(
    api: ClusterApi,
    resource: Resource,
    name: str,
    namespace: str,
    change: Callable[[Json], bool],
    *,
    part: str = "",
) -> Json | None:
    """Read an object, change it and write it; again if another writer was faster.

    Parameters
    ----------
    api
        The cluster.
    resource, name, namespace
        Which object.
    change
        Changes it in place; ``False`` leaves it as it is. It is called for each attempt.
    part
        Which part of it is written, ``"status"`` for instance; the rest if empty.

    Returns
    -------
    dict or None
        The object as it is now; ``None`` if there is none.
    """
    for attempt in range(_ATTEMPTS):
        try:
            obj = api.get(resource.path(namespace, name))
        except LiveError as error:
            if error.trouble == "missing":
                return None
            raise
        obj = {"apiVersion": resource.api_version, "kind": resource.kind, **obj}
        if not change(obj):
            return obj
        try:
            return api.replace(obj, part)
        except LiveError as error:
            if error.trouble == "missing":
                return None
            if error.trouble != "conflict" or attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


def change_object(
    api: ClusterApi,
    resource: Resource,
    name: str,
    namespace: str,
    change: Callable[[Json], bool],
    *,
    part: str = "",
) -> bool:
    """Change an object like :func:`update_object`; tell whether it was written."""
    is_changed = False

    def noted(obj: Json) -> bool:
        nonlocal is_changed
        is_changed = change(obj)
        return is_changed

    there = update_object(api, resource, name, namespace, noted, part=part)
    return is_changed and there is not None
