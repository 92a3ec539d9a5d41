"""Variants of a workload: copies of it, one for each flavor, that compete for admission.

With concurrent admission the workload itself, the parent, does not queue. Each of its variants
may get one flavor only. The parent is admitted once a variant is. See KEP-8691.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kueuelab.model import Workload

__all__ = [
    "ALLOWED_FLAVORS",
    "PARENT_LABEL",
    "VARIANT_GATE",
    "allowed_flavors",
    "flavor_index",
    "flavor_of",
    "is_labelled_parent",
    "is_variant",
    "parent_name",
    "parent_uid",
]

#: On a parent, ``"true"``.
PARENT_LABEL: Final = "kueue.x-k8s.io/concurrent-admission-parent"
#: On a workload: the flavors that it may get, with commas between them; on a variant only one.
ALLOWED_FLAVORS: Final = "kueue.x-k8s.io/workload-allowed-resource-flavors"
#: The preemption gate that every variant has.
VARIANT_GATE: Final = "kueue.x-k8s.io/concurrent-admission"

_API_VERSION: Final = "kueue.x-k8s.io/v1beta2"


def is_labelled_parent(workload: Workload) -> bool:
    """Tell whether a workload has the label of a parent."""
    return workload.metadata.labels.get(PARENT_LABEL) == "true"


def is_variant(workload: Workload) -> bool:
    """Tell whether a workload is a variant of another one.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta, OwnerReference
    >>> owner = OwnerReference("kueue.x-k8s.io/v1beta2", "Workload", "a", "uid-a")
    >>> is_variant(Workload(ObjectMeta("a-f0", owner_references=(owner,))))
    True
    >>> is_variant(Workload(ObjectMeta("a")))
    False
    """
    return parent_name(workload) != ""


def parent_name(workload: Workload) -> str:
    """Return the name of the workload that a variant belongs to; ``""`` if it is none."""
    for owner in workload.metadata.owner_references:
        if owner.kind == "Workload" and owner.api_version == _API_VERSION:
            return owner.name
    return ""


def parent_uid(workload: Workload) -> str:
    """Return the uid of the workload that a variant belongs to; ``""`` if it is none."""
    for owner in workload.metadata.owner_references:
        if owner.kind == "Workload" and owner.api_version == _API_VERSION:
            return owner.uid
    return ""


def allowed_flavors(workload: Workload) -> tuple[str, ...] | None:
    """Return the flavors that a workload may get; ``None`` if it may get any.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta
    >>> allowed_flavors(Workload(ObjectMeta("a", annotations={ALLOWED_FLAVORS: "spot, large"})))
    ('spot', 'large')
    """
    text = workload.metadata.annotations.get(ALLOWED_FLAVORS)
    if text is None:
        return None
    return tuple(name for part in text.split(",") if (name := part.strip()))


def flavor_of(workload: Workload) -> str:
    """Return the flavor of a variant; ``""`` if it names none."""
    return next(iter(allowed_flavors(workload) or ()), "")


def flavor_index(workload: Workload, flavors: Sequence[str]) -> int | None:
    """Return where the flavor of a variant is among those of its ClusterQueue, if it is there."""
    flavor = flavor_of(workload)
    return flavors.index(flavor) if flavor in flavors else None
