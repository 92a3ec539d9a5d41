"""What an answer may change: how many objects, and which fields of which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kueuelab.quantity import Quantity
from kueuelab.workshop.changes import FieldChange
from kueuelab.workshop.finding import Finding

__all__ = ["AtMost", "NoMore", "Only", "Rule"]


@dataclass(frozen=True, slots=True)
class AtMost:
    """At most so many objects may be changed.

    Examples
    --------
    >>> AtMost("few", 0).broken_by([]) is None
    True
    """

    id: str
    count: int

    def broken_by(self, changes: Sequence[FieldChange]) -> Finding | None:
        """Return what is wrong with an answer, if anything is."""
        objects = list(dict.fromkeys(str(change.object) for change in changes))
        if len(objects) <= self.count:
            return None
        return Finding(
            "workshop.found.tooMany", {"count": len(objects), "objects": ", ".join(objects)}
        )


@dataclass(frozen=True, slots=True)
class Only:
    """Only these fields of these objects may be changed: object to beginnings of paths.

    Examples
    --------
    >>> from kueuelab.whatif.references import Reference
    >>> rule = Only("own", {"ClusterQueue/team-a": ("spec.preemption",)})
    >>> queue = Reference("ClusterQueue", "", "team-a")
    >>> rule.broken_by([FieldChange(queue, "spec.preemption.reclaimWithinCohort", None, "Any")])
    >>> rule.broken_by([FieldChange(queue, "spec.cohortName", None, "all")]).values
    {'fields': 'ClusterQueue/team-a: spec.cohortName'}
    """

    id: str
    fields: Mapping[str, tuple[str, ...]]

    def broken_by(self, changes: Sequence[FieldChange]) -> Finding | None:
        """Return what is wrong with an answer, if anything is."""
        outside = [str(change) for change in changes if not self._allows(change)]
        if not outside:
            return None
        return Finding("workshop.found.outside", {"fields": ", ".join(outside)})

    def _allows(self, change: FieldChange) -> bool:
        beginnings = self.fields.get(str(change.object), ())
        return any(_within(change.path, beginning) for beginning in beginnings)


@dataclass(frozen=True, slots=True)
class NoMore:
    """The values of a field add up to no more than at the start: quota moves, and none is added.

    Attributes
    ----------
    field
        The last part of the field's path.

    Examples
    --------
    >>> from kueuelab.whatif.references import Reference
    >>> rule = NoMore("machines", "nominalQuota")
    >>> queue = Reference("ClusterQueue", "", "team-a")
    >>> rule.broken_by([FieldChange(queue, "spec.nominalQuota", "8", "12")]).values
    {'field': 'nominalQuota', 'more': '4'}
    """

    id: str
    field: str

    def broken_by(self, changes: Sequence[FieldChange]) -> Finding | None:
        """Return what is wrong with an answer, if anything is."""
        more = Quantity(0)
        for change in changes:
            if change.path.rpartition(".")[2] == self.field:
                more = Quantity(more.nano + _amount(change.after) - _amount(change.before))
        if more.nano <= 0:
            return None
        return Finding("workshop.found.more", {"field": self.field, "more": str(more)})


Rule = AtMost | NoMore | Only


def _amount(value: object) -> int:
    return 0 if value is None else Quantity.parse(str(value)).nano


def _within(path: str, beginning: str) -> bool:
    """Tell whether a path is that field or one below it; ``*`` in it stands for any item."""
    if "*" in beginning:
        head, _, tail = beginning.partition("*")
        return path.startswith(head) and tail in path[len(head) :]
    return path == beginning or path.startswith((f"{beginning}.", f"{beginning}["))
