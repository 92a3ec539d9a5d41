"""The flavors that an admission gives to each pod set, on a cluster and in the lab."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from kueuelab.model import Admission
from kueuelab.scheduler import Entry

__all__ = ["Flavors", "assigned_flavors", "flavors_of", "flavors_text"]

#: Per pod set its name, its count, and the flavor of each resource.
Flavors: TypeAlias = tuple[tuple[str, int, Mapping[str, str]], ...]


def flavors_of(admission: Admission | None) -> Flavors:
    """Return the flavors of an admission; none without one."""
    found = () if admission is None else admission.pod_set_assignments
    return tuple((each.name, each.count or 0, dict(each.flavors)) for each in found)


def assigned_flavors(entry: Entry) -> Flavors:
    """Return the flavors that the lab assigns to an entry of a cycle."""
    if entry.assignment is None:
        return ()
    return flavors_of(entry.assignment.to_admission(entry.cluster_queue))


def flavors_text(flavors: Flavors, *, in_order: bool = False) -> str:
    """Return flavors as ``cpu on spot, memory on spot``; in the alphabet's order if asked for."""
    found = {f"{r} on {flavor}": None for _, _, given in flavors for r, flavor in given.items()}
    return ", ".join(sorted(found) if in_order else found)
