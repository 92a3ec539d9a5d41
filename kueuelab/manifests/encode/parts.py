"""What all objects share, to dicts: metadata, conditions, selectors, amounts."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

from kueuelab.model import UNLIMITED, Condition, LabelSelector, ObjectMeta, amount_string
from kueuelab.model.pods import ResourceList, Taint, Toleration
from kueuelab.model.times import SECOND, format_time
from kueuelab.quantity import Quantity

__all__ = [
    "amount",
    "compact",
    "conditions",
    "exact",
    "metadata",
    "resource_list",
    "selector",
    "taints",
    "time",
    "tolerations",
]

_NANO: Final = 10**9

# More than int64 can hold, whatever the resource's unit.
_BOUNDLESS: Final = "9223372036854775807"


def compact(**fields: Any) -> dict[str, Any]:
    """Return the fields that say something: absent and empty ones are left out.

    Examples
    --------
    >>> compact(name="main", labels={}, count=0, minCount=None)
    {'name': 'main', 'count': 0}
    """
    return {
        name: value
        for name, value in fields.items()
        if value is not None and value not in ("", {}, [])
    }


def time(value: int | None) -> str | None:
    """Return a time as RFC 3339, with a fraction of a second only if it has one."""
    if value is None:
        return None
    text = format_time(value)
    rest = value % SECOND
    return f"{text[:-1]}.{rest:09d}".rstrip("0") + "Z" if rest else text


def metadata(meta: ObjectMeta) -> dict[str, Any]:
    """Return metadata."""
    return compact(
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        labels=dict(meta.labels),
        annotations=dict(meta.annotations),
        creationTimestamp=time(meta.creation_timestamp),
        generation=meta.generation or None,
        ownerReferences=[
            compact(
                apiVersion=owner.api_version,
                kind=owner.kind,
                name=owner.name,
                uid=owner.uid,
                controller=owner.controller or None,
            )
            for owner in meta.owner_references
        ],
    )


def conditions(found: Iterable[Condition] | None) -> list[dict[str, Any]]:
    """Return conditions."""
    return [
        compact(
            type=condition.type,
            status=condition.status,
            reason=condition.reason,
            message=condition.message,
            lastTransitionTime=time(condition.last_transition_time or None),
            observedGeneration=condition.observed_generation or None,
        )
        for condition in found or ()
    ]


def selector(value: LabelSelector | None) -> dict[str, Any] | None:
    """Return a label selector; an empty one, which selects everything, stays."""
    if value is None:
        return None
    return compact(
        matchLabels=dict(value.match_labels),
        matchExpressions=[
            compact(key=entry.key, operator=entry.operator, values=list(entry.values))
            for entry in value.match_expressions
        ],
    )


def resource_list(resources: ResourceList) -> dict[str, str]:
    """Return quantities as text."""
    return {name: str(quantity) for name, quantity in resources.items()}


def amount(resource: str, value: int | None) -> str | None:
    """Return an amount in Kueue's unit as a quantity."""
    if value is None:
        return None
    return _BOUNDLESS if value is UNLIMITED else amount_string(resource, value)


def exact(value: Fraction | None) -> str | None:
    """Return an exact number as a quantity."""
    return None if value is None else str(Quantity(int(value * _NANO)))


def taints(found: Iterable[Taint]) -> list[dict[str, Any]]:
    """Return taints."""
    return [compact(key=taint.key, value=taint.value, effect=taint.effect) for taint in found]


def tolerations(found: Iterable[Toleration]) -> list[dict[str, Any]]:
    """Return tolerations; an operator is only written where it isn't the default."""
    return [
        compact(
            key=toleration.key or None,
            operator=toleration.operator if toleration.operator != "Equal" else None,
            value=toleration.value,
            effect=toleration.effect,
            tolerationSeconds=toleration.toleration_seconds,
        )
        for toleration in found
    ]
