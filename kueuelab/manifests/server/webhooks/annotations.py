"""What Kueue's webhooks refuse in labels and annotations that several kinds may carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.server.names import domain_path_errors
from kueuelab.manifests.server.problems import (
    FieldError,
    FieldPath,
    Key,
    forbidden,
    invalid,
    too_long,
)
from kueuelab.model import FeatureGates

__all__ = ["annotations_of", "gate_errors", "labels_of"]

_Object: TypeAlias = Mapping[str, Any]

_GATES: Final[FieldPath] = ("metadata", "annotations", Key(constants.ADMISSION_GATED_BY))
_LONGEST_GATE: Final = 63


def labels_of(obj: _Object) -> Mapping[str, str]:
    """Return the labels of an object."""
    return (obj.get("metadata") or {}).get("labels") or {}


def annotations_of(obj: _Object) -> Mapping[str, str]:
    """Return the annotations of an object."""
    return (obj.get("metadata") or {}).get("annotations") or {}


def gate_errors(
    obj: _Object, gates: FeatureGates, old: _Object | None = None
) -> Iterator[FieldError]:
    """Yield what is wrong with the gates that hold an object's admission back."""
    if not gates["AdmissionGatedBy"]:
        return
    text = annotations_of(obj).get(constants.ADMISSION_GATED_BY, "")
    if old is not None:
        before = annotations_of(old).get(constants.ADMISSION_GATED_BY, "")
        if text and not before:
            yield forbidden(_GATES, "cannot add admission gate after creation")
        elif set(_gates(text)) - set(_gates(before)):
            yield forbidden(_GATES, "can only remove gates, not add new ones")
    seen = []
    for gate in _gates(text):
        if not gate:
            yield invalid(_GATES, text, "cannot contain empty gate names")
        elif gate in seen:
            yield invalid(_GATES, text, f"duplicate gate name: {gate}")
        else:
            seen.append(gate)
            yield from domain_path_errors(gate, _GATES)
            if len(gate) > _LONGEST_GATE:
                yield too_long(_GATES, _LONGEST_GATE)


def _gates(text: str) -> list[str]:
    return [gate.strip() for gate in text.split(",")] if text else []
