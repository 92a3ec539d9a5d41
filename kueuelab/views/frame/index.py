"""Where in a run to go: steps by decision, entry, cycle, event, workload, queue and time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from kueuelab.model.times import format_duration
from kueuelab.trace.breakpoints import EVENTS, MULTIKUEUE_EVENTS
from kueuelab.trace.trace import Trace
from kueuelab.views.merge_patch import Json

__all__ = ["MOVES", "deltas", "index_of"]

#: What a move goes over, and the kinds of steps at which it stops.
MOVES: Final = {
    "decision": (
        "WorkloadCreated",
        "Nominated",
        "NotNominated",
        "DomainsSearched",
        "TargetsChosen",
        "EntryProcessed",
        "QuotaReserved",
        "Admitted",
        "Evicted",
        "Finished",
        "ClustersNominated",
        "WorkerChosen",
    ),
    "entry": ("NominationStarted", "NotNominated", "EntryProcessed"),
    "cycle": ("CycleStarted",),
}
#: The instants of a longer run are asked for.
_MOST_TIMES: Final = 400


def deltas(found: Iterable[int]) -> list[int]:
    """Return ascending numbers as the first one and the differences.

    >>> deltas([3, 4, 9])
    [3, 1, 5]
    """
    every = list(found)
    return [*every[:1], *(after - before for before, after in pairwise(every))]


def index_of(trace: Trace, moves: Mapping[str, Sequence[str]] = MOVES) -> Json:
    """Return the index of a run."""
    return {
        "moves": {name: deltas(trace.of_kind(*kinds)) for name, kinds in moves.items()},
        "events": dict(_events(trace)),
        "workloads": {key: deltas(trace.index.about(key)) for key in trace.workloads},
        "queues": {name: deltas(trace.index.of_queue(name)) for name in trace.index.queues},
        "times": list(_times(trace)),
    }


def _events(trace: Trace) -> Iterator[tuple[str, list[int]]]:
    for name, (kind, holds) in (*EVENTS.items(), *MULTIKUEUE_EVENTS.items()):
        found = [index for index in trace.of_kind(kind) if holds(trace[index])]
        if found:
            yield name, deltas(found)


def _times(trace: Trace) -> Iterator[list[Any]]:
    """Yield the first step of each instant with its time; of many, an even choice."""
    start = trace[0].time
    firsts = [0, *(b.index for a, b in pairwise(trace.steps) if a.time != b.time)]
    every = max(1, -(-len(firsts) // _MOST_TIMES))
    for index in firsts[::every]:
        yield [index, format_duration(trace[index].time - start)]
