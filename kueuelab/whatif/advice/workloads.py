"""Rules about workloads and the queues that they wait in."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.model import amount_string
from kueuelab.whatif.advice.finding import Finding
from kueuelab.whatif.advice.setting import Setting
from kueuelab.whatif.references import Reference

__all__ = ["heads_that_block", "larger_than_its_queue"]


def larger_than_its_queue(setting: Setting) -> Iterator[Finding]:
    """A workload that asks for more than its queue could ever use."""
    for workload in setting.workloads:
        queue = setting.queue_of(workload)
        if queue is None or setting.has_cycle(queue.name):
            continue
        lacking = setting.never_fits(workload, queue)
        if lacking is not None:
            resource, amount, most = lacking
            yield Finding(
                Reference.of(workload),
                "spec.podSets",
                f"it asks for {amount_string(resource, amount)} {resource}",
                f"ClusterQueue {queue.name} could never use more than "
                f"{amount_string(resource, most)} of one flavor, borrowing included",
                "Ask for less, allow partial admission, or give the queue more quota",
            )


def heads_that_block(setting: Setting) -> Iterator[Finding]:
    """A StrictFIFO queue with a workload that never fits, and others behind it."""
    for queue in setting.queues.values():
        if queue.queueing_strategy != "StrictFIFO" or setting.has_cycle(queue.name):
            continue
        waiting = [each for each in setting.workloads if setting.queue_of(each) == queue]
        for workload in waiting:
            if setting.never_fits(workload, queue) is None:
                continue
            behind = [o for o in waiting if o is not workload and o.priority <= workload.priority]
            if behind:
                count = len(behind)
                others = f"{count} workload{'s' * (count != 1)}"
                yield Finding(
                    Reference.of(queue),
                    "spec.queueingStrategy",
                    f"StrictFIFO lets {Reference.of(workload)} block the queue",
                    f"it never fits, and {others} of no higher priority wait behind it",
                    "Use BestEffortFIFO, or take that workload away",
                )
                break
