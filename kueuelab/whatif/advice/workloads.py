"""Rules about workloads and the queues that they wait in."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.messages import Message
from kueuelab.model import amount_string
from kueuelab.whatif.advice.finding import Finding
from kueuelab.whatif.advice.names import author_of
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
            about, _ = author_of(workload)
            yield Finding(
                about,
                "spec.podSets" if about.kind == "Workload" else "",
                Message(
                    "whatif.advice.too-large",
                    amount=amount_string(resource, amount),
                    resource=resource,
                ),
                Message(
                    "whatif.advice.too-large.why",
                    queue=queue.name,
                    most=amount_string(resource, most),
                ),
                Message("whatif.advice.too-large.do"),
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
                yield Finding(
                    Reference.of(queue),
                    "spec.queueingStrategy",
                    Message("whatif.advice.blocks", workload=str(Reference.of(workload))),
                    Message("whatif.advice.blocks.why", count=len(behind)),
                    Message("whatif.advice.blocks.do"),
                )
                break
