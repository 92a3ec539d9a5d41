"""JSON merge patches (RFC 7386): what turns one document into another.

A document here holds no ``null``: in a patch, ``null`` (``None``) takes a member away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

__all__ = ["Json", "apply_patch", "merge_patch"]

#: A plain JSON object.
Json: TypeAlias = dict[str, Any]


def merge_patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> Json:
    """Return the patch that turns ``before`` into ``after``; empty if they are equal.

    Examples
    --------
    >>> merge_patch({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"c": 2, "d": 4}, "e": 5})
    {'a': None, 'b': {'d': 4}, 'e': 5}
    """
    patch: Json = {name: None for name in before if name not in after}
    for name, value in after.items():
        old = before.get(name)
        if old is value:
            continue
        if isinstance(value, dict) and isinstance(old, dict):
            if inner := merge_patch(old, value):
                patch[name] = inner
        elif type(old) is not type(value) or old != value:
            patch[name] = value
    return patch


def apply_patch(target: Mapping[str, Any], patch: Mapping[str, Any]) -> Json:
    """Return a document with a patch applied; the one given stays as it is.

    Examples
    --------
    >>> apply_patch({"a": 1, "b": {"c": 2, "d": 3}}, {"a": None, "b": {"d": 4}, "e": 5})
    {'b': {'c': 2, 'd': 4}, 'e': 5}
    """
    found = dict(target)
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        elif isinstance(value, dict):
            old = found.get(name)
            found[name] = apply_patch(old if isinstance(old, dict) else {}, value)
        else:
            found[name] = value
    return found
