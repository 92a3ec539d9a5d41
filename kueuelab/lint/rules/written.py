"""Manifests as they are written, which may be of any shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuelab.manifests.jobs.cluster_context import metadata_of

__all__ = ["annotations_of", "mapping"]


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping; nothing, where a file has something else.

    >>> mapping({"a": 1}), mapping([1])
    ({'a': 1}, {})
    """
    return value if isinstance(value, Mapping) else {}


def annotations_of(obj: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the annotations of a manifest or of a pod template."""
    return mapping(metadata_of(obj).get("annotations"))
