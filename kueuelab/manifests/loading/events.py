"""Events about Workloads in a dump: what Kueue said of them before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kueuelab.manifests.decode.events import event_time
from kueuelab.manifests.loading.items import Findings, Item
from kueuelab.manifests.result import PastEvent
from kueuelab.manifests.shapes.mistake import Mistake
from kueuelab.messages import Message

__all__ = ["EVENT_VERSIONS", "past_event"]

EVENT_VERSIONS: Final = ("v1", "events.k8s.io/v1")


def past_event(item: Item, findings: Findings) -> PastEvent | None:
    """Return an Event about a Workload; ``None`` if it is about something else, or wrong."""
    obj = item.obj
    about = obj.get("involvedObject") or obj.get("regarding")
    if not isinstance(about, Mapping) or about.get("kind") != "Workload":
        return None
    try:
        when = event_time(obj)
    except (ValueError, TypeError, AttributeError):
        mistake = Mistake(
            (),
            Message("manifests.events.unreadable-time"),
            Message("manifests.events.unreadable-time.hint"),
        )
        findings.add(item, mistake)
        return None
    namespace, name = about.get("namespace") or "default", about.get("name") or ""
    message = obj.get("message") or obj.get("note") or ""
    return PastEvent(f"{namespace}/{name}", when, str(obj.get("reason") or ""), str(message))
