"""What is kept of a scheduling cycle."""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.frozen import fast_init
from kueuelab.scheduler import Cycle, Entry

__all__ = ["CycleRecord"]


@fast_init
@dataclass(frozen=True, slots=True)
class CycleRecord:
    """A scheduling cycle: its heads, and what was decided about them.

    Attributes
    ----------
    number
        Counts cycles from 1; 0 if there was none: no head, or another cycle is blocked.
    heads
        Keys of the workloads popped from the queues, sorted.
    entries
        The nominated heads, in the order in which they were processed.
    inadmissible
        The heads that were rejected before nomination, and those that fair sharing leaves out
        because their ClusterQueue has another one; sorted by workload.
    blocked, resumed
        Whether it waits for pods to become ready, or continued after such a wait.
    """

    number: int
    heads: tuple[str, ...]
    entries: tuple[Entry, ...] = ()
    inadmissible: tuple[Entry, ...] = ()
    blocked: bool = False
    resumed: bool = False

    @classmethod
    def of(cls, cycle: Cycle, *, resumed: bool) -> CycleRecord:
        """Return the record of a cycle that has ended."""
        inadmissible = cycle.inadmissible
        if len(cycle.processed) != len(cycle.entries):
            processed = set(cycle.processed)
            left = [entry for entry in cycle.entries if entry not in processed]
            inadmissible = [*inadmissible, *left]
        if len(inadmissible) > 1:
            inadmissible = sorted(inadmissible, key=lambda entry: entry.key)
        return cls(
            cycle.number, cycle.heads, tuple(cycle.processed), tuple(inadmissible), resumed=resumed
        )
