"""Paths of fields: tuples inside, printed and read as Kubernetes writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

__all__ = ["Path", "Segment", "format_path", "parse_path"]

#: A field's name or an index in a list.
Segment: TypeAlias = str | int

#: The way from an object to one of its fields.
Path: TypeAlias = tuple[Segment, ...]

_PLAIN: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*\Z")
_PARTS: Final = re.compile(r"(?:^|\.)([^.\[\]]+)|\[([^\]]*)\]")


def format_path(path: Iterable[Segment]) -> str:
    """Return a path as text.

    Examples
    --------
    >>> format_path(("spec", "resourceGroups", 0, "flavors", 1, "name"))
    'spec.resourceGroups[0].flavors[1].name'
    >>> format_path(("metadata", "labels", "kueue.x-k8s.io/queue-name"))
    'metadata.labels[kueue.x-k8s.io/queue-name]'
    """
    text = ""
    for segment in path:
        if isinstance(segment, str) and _PLAIN.match(segment):
            text += f".{segment}" if text else segment
        else:
            text += f"[{segment}]"
    return text


def parse_path(text: str) -> Path:
    """Return the path that a text writes down.

    Examples
    --------
    >>> parse_path("metadata.labels[kueue.x-k8s.io/queue-name]")
    ('metadata', 'labels', 'kueue.x-k8s.io/queue-name')
    >>> parse_path("spec.podSets[0].count")
    ('spec', 'podSets', 0, 'count')
    """
    return tuple(name or (int(key) if key.isdigit() else key) for name, key in _PARTS.findall(text))
