"""What the queues of one cluster share: their order, the clock, what counts moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kueuelab.queues.entry import SortKey
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import WorkloadState

if TYPE_CHECKING:
    from kueuelab.queues.pending import PendingWorkloads

__all__ = ["SharedQueueState"]


@dataclass(slots=True)
class SharedQueueState:
    """What the queues of one cluster share.

    Attributes
    ----------
    sort_key
        The order of all queues. A key that changes while a workload is queued takes
        effect with the next :meth:`PendingWorkloads.push_or_update`.
    usage
        Returns what a LocalQueue has used lately; given only with admission fair sharing.
    ready
        The queues that may have a head or a workload in flight, by name.
    moves
        How many times a workload entered or left a queue, became inadmissible or active, or
        took another place in its order. A head that returns to where it was popped from
        does not count.
    """

    sort_key: Callable[[WorkloadState], SortKey]
    clock: Callable[[], int]
    namespace_labels: Callable[[str], Mapping[str, str] | None]
    recorder: Recorder | None = None
    usage: Callable[[str], float] | None = None
    ready: dict[str, PendingWorkloads] = field(default_factory=dict)
    moves: int = 0
