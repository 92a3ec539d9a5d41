"""Kubernetes Events, from dicts: three ways to say when, or none at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuelab.manifests.decode.meta import time

__all__ = ["event_time"]


def event_time(obj: Mapping[str, Any]) -> int:
    """Return when an Event of ``v1`` or ``events.k8s.io/v1`` happened last; 0 if it has no time.

    Examples
    --------
    >>> event_time({"eventTime": None, "lastTimestamp": "1970-01-01T00:00:01Z"})
    1000000000
    """
    times = (
        (obj.get("series") or {}).get("lastObservedTime"),
        obj.get("lastTimestamp") or obj.get("deprecatedLastTimestamp"),
        obj.get("eventTime"),
        obj.get("firstTimestamp") or obj.get("deprecatedFirstTimestamp"),
        (obj.get("metadata") or {}).get("creationTimestamp"),
    )
    return time(next((each for each in times if each), None)) or 0
