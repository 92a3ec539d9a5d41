"""Which parts of Kueue that are not modelled a recorded case needs.

A case is recognised by what it uses, not by its name: the gate of the part is on, and some
object would make Kueue take the part's code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from kueuelab.conformance.cases import Case, Json
from kueuelab.model import RELEASE

__all__ = ["PARTS", "parts_not_modelled"]


def parts_not_modelled(case: Case) -> tuple[str, ...]:
    """Return the names of the parts that a case needs and that are not modelled.

    Parameters
    ----------
    case : Case
        The recorded case.

    Returns
    -------
    tuple of str
        Kueue's names for the parts; empty for a case that can be replayed.

    Examples
    --------
    >>> flavor = {"kind": "ResourceFlavor", "spec": {"topologyName": "racks"}}
    >>> gates = {"featureGates": {"SchedulerLibraryIntegration": True}}
    >>> parts_not_modelled(Case("a", (), (), objects=(flavor,), configuration=gates))
    ('SchedulerLibraryIntegration',)
    >>> parts_not_modelled(Case("a", (), ()))
    ()
    """
    return tuple(name for name, needs in PARTS.items() if needs(case))


def _needs_scheduler_library(case: Case) -> bool:
    """Tell whether Kubernetes' own scheduler plugins match the nodes of some flavor."""
    return _gate(case, "SchedulerLibraryIntegration") and any(
        (flavor.get("spec") or {}).get("topologyName") is not None
        for flavor in _objects(case, "ResourceFlavor")
    )


#: The parts that are left for later, each with the question whether a case needs it.
PARTS: Final[dict[str, Callable[[Case], bool]]] = {
    "SchedulerLibraryIntegration": _needs_scheduler_library,
}


def _gate(case: Case, name: str) -> bool:
    set_here = (case.configuration.get("featureGates") or {}).get(name)
    return RELEASE.gates[name].default if set_here is None else bool(set_here)


def _objects(case: Case, kind: str) -> Iterator[Json]:
    """Go through the objects of a kind, also those that come with a step."""
    later = (step["object"] for step in case.steps if isinstance(step.get("object"), dict))
    for obj in (*case.objects, *later):
        if obj.get("kind") == kind:
            yield obj
