"""What Kueue's webhook refuses in a ``concurrentAdmissionPolicy`` (KEP-8691)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kueuelab.manifests.server.problems import FieldError, FieldPath, forbidden, invalid

__all__ = ["concurrent_admission_errors"]

_MOST_FLAVORS: Final = 16
_TRY_PREFERRED: Final = "TryPreferredFlavors"
_DEFINED: Final = "when ConcurrentAdmissionPolicy is defined"
_GROUPS: Final[FieldPath] = ("spec", "resourceGroups")
_POLICY: Final[FieldPath] = ("spec", "concurrentAdmissionPolicy")
_CONSTRAINTS: Final[FieldPath] = (*_POLICY, "migration", "constraints")


def concurrent_admission_errors(spec: Mapping[str, Any]) -> Iterator[FieldError]:
    """Yield what is wrong with the policy of a ClusterQueue; it needs the feature gate.

    Examples
    --------
    >>> policy = {"migration": {"mode": "TryPreferredFlavors"}}
    >>> found = concurrent_admission_errors({"concurrentAdmissionPolicy": policy})
    >>> [error.field for error in found]
    ['spec.resourceGroups']
    """
    policy = spec.get("concurrentAdmissionPolicy")
    if policy is None:
        return
    groups: Sequence[Mapping[str, Any]] = spec.get("resourceGroups") or ()
    if len(groups) != 1:
        words = f"must have exactly one ResourceGroup {_DEFINED}"
        yield invalid(_GROUPS, len(groups), words)
    elif (count := len(groups[0].get("flavors") or ())) > _MOST_FLAVORS:
        most = f"cannot have more than {_MOST_FLAVORS} resource flavors in the ResourceGroup"
        words = f"{most} {_DEFINED}"
        yield invalid((*_GROUPS, 0, "flavors"), count, words)
    flavors = [flavor["name"] for group in groups for flavor in group.get("flavors") or ()]
    yield from _constraint_errors(policy.get("migration") or {}, flavors)
    if spec.get("queueingStrategy") == "StrictFIFO":
        words = f"StrictFIFO queueing strategy cannot be used {_DEFINED}"
        yield invalid(("spec", "queueingStrategy"), "StrictFIFO", words)


def _constraint_errors(migration: Mapping[str, Any], flavors: list[str]) -> Iterator[FieldError]:
    constraints, mode = migration.get("constraints"), migration.get("mode") or _TRY_PREFERRED
    if constraints is None:
        return
    if mode != _TRY_PREFERRED:
        words = f'may only be set when migration.mode is "{_TRY_PREFERRED}" (got "{mode}")'
        yield forbidden(_CONSTRAINTS, words)
        return
    last = constraints.get("lastAcceptableFlavorName")
    if last is not None and last not in flavors:
        # Kueue names the flavors in the order of a map: any.
        words = f"must be one of the flavors defined in the ClusterQueue: [{' '.join(flavors)}]"
        yield invalid((*_CONSTRAINTS, "lastAcceptableFlavorName"), last, words)
