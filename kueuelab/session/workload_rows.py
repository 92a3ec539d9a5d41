"""The rows of a table of workloads: of a run, or of an input that is only listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from kueuelab.frozen import fast_init
from kueuelab.messages import Catalog
from kueuelab.session.answers import Facet
from kueuelab.trace.pending_cause import Cause
from kueuelab.trace.pending_workloads import PendingWorkload

__all__ = ["IndexedRow", "WorkloadTable", "phase_facets"]

#: The phases in the order in which they are offered.
_PHASES: Final = ("Pending", "QuotaReserved", "Admitted", "Evicted", "Finished")


@fast_init
@dataclass(frozen=True, slots=True)
class IndexedRow:
    """A row of the table of workloads, with what is searched and sorted by.

    Attributes
    ----------
    why_text, text
        What is searched, in lower case: the reason, which many rows have in common, and the rest.
    age
        How long ago it was created, in nanoseconds; 0 where that is not known.
    flavor
        The flavors in which it holds quota, with commas between.
    owner
        The kind of the object that owns it; ``""`` for none.
    """

    workload: str
    queue: str
    phase: str
    position: int
    age: int
    priority: int
    why: str
    why_text: str
    cause: str
    flavor: str
    owner: str
    text: str


class WorkloadTable(Protocol):
    """What a table of workloads is made of.

    Attributes
    ----------
    words
        The language.
    shown
        The last question, and what was found.
    matching
        What was filtered by last, what was searched, and the rows.
    """

    words: Catalog
    shown: tuple[Any, Any]
    matching: tuple[Any, str, Sequence[IndexedRow]]

    @property
    def rows(self) -> tuple[IndexedRow, ...]:
        """All workloads, in their order."""

    @property
    def phases(self) -> Counter[str]:
        """How many workloads are in which phase."""

    @property
    def causes_by_id(self) -> Mapping[str, Cause]:
        """What rows name as their cause."""

    @property
    def cause_groups(self) -> Mapping[Cause, Sequence[PendingWorkload]]:
        """The pending workloads by these causes."""


def phase_facets(
    known: Collection[str], counts: Mapping[str, int], words: Catalog
) -> tuple[Facet, ...]:
    """Return how many workloads are in each phase that there is, as they are offered."""
    return tuple(
        Facet(phase, words.text(f"session.phase.{phase.lower()}"), counts.get(phase, 0))
        for phase in _PHASES
        if phase in known
    )
