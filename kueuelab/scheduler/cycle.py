"""One scheduling cycle, in the six steps of Kueue's ``schedule()``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kueuelab.progress import note_progress
from kueuelab.scheduler.entry import Entry
from kueuelab.scheduler.nominate import Nominator
from kueuelab.scheduler.ordering import in_order
from kueuelab.scheduler.process import EntryProcessor

if TYPE_CHECKING:
    from kueuelab.scheduler.scheduler import Scheduler

__all__ = ["Cycle"]


class Cycle:
    """A scheduling cycle.

    Attributes
    ----------
    number
        Counts cycles from 1; 0 as long as there was no head.
    heads
        Keys of the workloads popped from the queues, sorted.
    entries
        The nominated heads, in the order in which they are requeued.
    inadmissible
        The heads that were rejected before nomination.
    processed
        The entries processed so far, in order.
    """

    __slots__ = ("_scheduler", "entries", "heads", "inadmissible", "number", "processed")

    def __init__(self, scheduler: Scheduler) -> None:
        self.number = 0
        self.heads: tuple[str, ...] = ()
        self.entries: list[Entry] = []
        self.inadmissible: list[Entry] = []
        self.processed: list[Entry] = []
        self._scheduler = scheduler

    def run(self) -> Iterator[Entry]:
        """Run the cycle: the six steps of Kueue's ``schedule()``.

        Everything is decided on what the cycle sees at its start. Only then the decisions
        take effect, in the order in which Kueue writes them.

        Yields
        ------
        Entry
            An entry that must wait for pods to become ready before it is admitted
            (``waitForPodsReady.blockAdmission``). The next call goes on from there.
        """
        scheduler = self._scheduler
        cluster, tree, recorder = scheduler.cluster, scheduler.tree, scheduler.recorder

        # 1. Heads: pop one workload from each ClusterQueue that can admit.
        heads = cluster.heads()
        if not heads:
            return
        self.number = scheduler.count_cycle()
        keys = [head.workload.key for head in heads]
        keys.sort()
        self.heads = tuple(keys)
        log = scheduler.log
        if log is not None:
            log.started(self.heads, heads)

        # 2. Snapshot: nothing is copied. The tree's journal restores usage after step 5.
        scheduler.forest.begin_cycle()
        with tree.simulation():
            # 3. Nominate: find flavors and targets for each head, as if it were the only one.
            nominator = Nominator(scheduler, self.number, log)
            self.entries, self.inadmissible = nominator.nominate(heads)

            # 4. Order: the entry that borrows less, or has the smaller share, goes first.
            ordered = in_order(self.entries, scheduler.configuration, recorder, scheduler.chances)

            # 5. Process: what one entry reserves, the next entries can't use.
            processor = EntryProcessor(scheduler, nominator, len(self.entries), log)
            for entry in ordered:
                note_progress()
                self.processed.append(entry)
                processor.process(entry)
                if log is not None:
                    log.processed(entry)
        if log is not None:
            log.ended(self.processed)
        for entry in self.processed:
            if entry.preempting:
                cluster.preempt(entry)
            elif entry.migrates_from is not None:
                yield from cluster.wait_for_pods_ready(entry)
                cluster.migrate(entry)
            elif entry.status == "evicted":
                cluster.evict_unreplaced(entry)
            elif entry.status == "assumed":
                yield from cluster.wait_for_pods_ready(entry)
                cluster.admit(entry)

        # 6. Requeue: each head that is not admitted returns to its queue.
        for entry in (*self.entries, *self.inadmissible):
            if entry.status not in ("assumed", "evicted"):
                cluster.requeue(entry)
