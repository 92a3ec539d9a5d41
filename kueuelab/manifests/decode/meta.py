"""Metadata, conditions and label selectors, from dicts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from kueuelab.frozen import EMPTY
from kueuelab.model import (
    Condition,
    LabelSelector,
    LabelSelectorRequirement,
    ObjectMeta,
    OwnerReference,
)
from kueuelab.model.times import parse_duration, parse_time

__all__ = ["conditions", "duration", "label_selector", "metadata", "time"]

_time_of_text = lru_cache(maxsize=4096)(parse_time)
_duration_of_text = lru_cache(maxsize=1024)(parse_duration)


def time(value: Any) -> int | None:
    """Return a time in nanoseconds since 1970; ``None`` where there is none.

    Parsers of YAML other than ours make a ``datetime`` of a time without quotes.
    """
    if not value:
        return None
    if isinstance(value, datetime):
        aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        return _time_of_text(aware.isoformat())
    return _time_of_text(value)


def duration(value: Any, default: int | None) -> int | None:
    """Return a Go duration in nanoseconds, ``default`` where there is none."""
    return default if value is None else _duration_of_text(value)


def metadata(obj: Mapping[str, Any], namespace: str = "") -> ObjectMeta:
    """Return the metadata of ``obj``; ``namespace`` is what an absent one stands for."""
    meta = obj.get("metadata") or EMPTY
    owners = meta.get("ownerReferences")
    return ObjectMeta(
        name=meta.get("name") or "",
        namespace=(meta.get("namespace") or namespace) if namespace else "",
        uid=meta.get("uid") or "",
        labels=meta.get("labels") or EMPTY,
        annotations=meta.get("annotations") or EMPTY,
        creation_timestamp=time(meta.get("creationTimestamp")),
        generation=meta.get("generation") or 0,
        owner_references=tuple(map(_owner, owners)) if owners else (),
    )


def _owner(owner: Mapping[str, Any]) -> OwnerReference:
    return OwnerReference(
        api_version=owner.get("apiVersion") or "",
        kind=owner.get("kind") or "",
        name=owner.get("name") or "",
        uid=owner.get("uid") or "",
        controller=bool(owner.get("controller")),
    )


def conditions(status: Mapping[str, Any]) -> tuple[Condition, ...]:
    """Return ``status.conditions``."""
    return tuple(
        [
            Condition(
                type=entry["type"],
                status=entry["status"],
                reason=entry.get("reason") or "",
                message=entry.get("message") or "",
                last_transition_time=time(entry.get("lastTransitionTime")) or 0,
                observed_generation=entry.get("observedGeneration") or 0,
            )
            for entry in status.get("conditions") or ()
        ]
    )


def label_selector(value: Mapping[str, Any] | None) -> LabelSelector | None:
    """Return a label selector; ``None``, which selects nothing, where there is none."""
    if value is None:
        return None
    return LabelSelector(
        match_labels=value.get("matchLabels") or EMPTY,
        match_expressions=tuple(
            LabelSelectorRequirement(
                key=entry["key"],
                operator=entry["operator"],
                values=tuple(entry.get("values") or ()),
            )
            for entry in value.get("matchExpressions") or ()
        ),
    )
