"""The tree of a draft, as rows: cohorts with their queues, then what belongs to no tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kueuelab.session.building.draft import KINDS, Draft
from kueuelab.whatif.references import Reference

__all__ = ["TreeRow", "tree_rows"]


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A row of the tree.

    Attributes
    ----------
    reference
        What it stands for.
    level
        How deep it is; the roots have 1.
    is_implicit
        Whether it is a cohort that others name and that has no object.
    """

    reference: Reference
    level: int
    is_implicit: bool = False


def tree_rows(draft: Draft) -> tuple[TreeRow, ...]:
    """Return the rows of a draft, each below its parent.

    Examples
    --------
    >>> draft = Draft.new().added("ClusterQueue", "a", parent="top")
    >>> draft = draft.added("LocalQueue", "jobs", parent="a")
    >>> [(row.level, str(row.reference)) for row in tree_rows(draft)]
    [(1, 'Cohort/top'), (2, 'ClusterQueue/a'), (3, 'LocalQueue/default/jobs'), \
(1, 'ResourceFlavor/default-flavor')]
    """
    found = list(_cohorts(draft, "", 1, ()))
    # Cohorts that are their own ancestors are in no tree.
    seen = {row.reference for row in found}
    for name in draft.cohorts:
        if Reference("Cohort", "", name) not in seen:
            found += _cohort(draft, name, 1, ())
    found += _queues(draft, "", 1)
    known = set(draft.names("ClusterQueue"))
    found += [
        TreeRow(each.reference, 1)
        for each in draft.of_kind("LocalQueue")
        if each.field("spec.clusterQueue") not in known
    ]
    for kind in KINDS[3:]:
        found += [TreeRow(each.reference, 1) for each in draft.of_kind(kind)]
    return tuple(dict.fromkeys(found))


def _cohorts(draft: Draft, parent: str, level: int, above: tuple[str, ...]) -> Iterator[TreeRow]:
    parents = {
        each.reference.name: each.field("spec.parentName") or "" for each in draft.of_kind("Cohort")
    }
    for name in draft.cohorts:
        if parents.get(name, "") == parent and name not in above:
            yield from _cohort(draft, name, level, (*above, name))


def _cohort(draft: Draft, name: str, level: int, above: tuple[str, ...]) -> Iterator[TreeRow]:
    is_implicit = name not in draft.names("Cohort")
    yield TreeRow(Reference("Cohort", "", name), level, is_implicit)
    yield from _cohorts(draft, name, level + 1, above)
    yield from _queues(draft, name, level + 1)


def _queues(draft: Draft, cohort: str, level: int) -> Iterator[TreeRow]:
    for queue in draft.of_kind("ClusterQueue"):
        if (queue.field("spec.cohortName") or "") == cohort:
            yield TreeRow(queue.reference, level)
            for local in draft.of_kind("LocalQueue"):
                if local.field("spec.clusterQueue") == queue.reference.name:
                    yield TreeRow(local.reference, level + 1)
