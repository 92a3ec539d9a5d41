"""Kubernetes Events, with their three kinds of timestamps, or none."""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.live.api import ClusterApi
from kueuelab.live.resources import EVENTS, Json
from kueuelab.manifests.decode.events import event_time

__all__ = ["LiveEvent", "events_about", "read_event"]


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """An Event of a cluster; ``time`` (ns since 1970) is 0 if it has none."""

    type: str
    reason: str
    message: str
    kind: str
    object: str
    time: int
    count: int = 1

    def __str__(self) -> str:
        times = f" (x{self.count})" if self.count > 1 else ""
        return f"{self.type} {self.reason}{times}: {self.message}"


def read_event(obj: Json) -> LiveEvent:
    """Read an Event of ``v1``, or of ``events.k8s.io/v1``.

    Examples
    --------
    >>> event = read_event({"reason": "Admitted", "eventTime": None, "lastTimestamp": None})
    >>> event.reason, event.time
    ('Admitted', 0)
    """
    series = obj.get("series") or {}
    about = obj.get("involvedObject") or obj.get("regarding") or {}
    return LiveEvent(
        type=obj.get("type") or "Normal",
        reason=obj.get("reason") or "",
        message=obj.get("message") or obj.get("note") or "",
        kind=about.get("kind") or "",
        object=f"{about.get('namespace') or 'default'}/{about.get('name') or ''}",
        time=event_time(obj),
        count=int(series.get("count") or obj.get("count") or obj.get("deprecatedCount") or 1),
    )


def events_about(api: ClusterApi, namespace: str, name: str) -> tuple[LiveEvent, ...]:
    """Return the events about a Workload, oldest first.

    Raises
    ------
    LiveError
        If they cannot be read.
    """
    selector = f"involvedObject.kind=Workload,involvedObject.name={name}"
    items = api.list(EVENTS, namespace, {"fieldSelector": selector}).items
    found = [event for event in map(read_event, items) if event.object == f"{namespace}/{name}"]
    return tuple(sorted(found, key=lambda event: event.time))
