"""What the dump says of a workload, what the lab decides from it, and whether they differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kueuelab.trace.explanation import Line
from kueuelab.trace.status_read import (
    Comparison,
    compare,
    condition,
    earlier_text,
    since_text,
    status_text,
)
from kueuelab.trace.unseen_penalties import unseen_penalties
from kueuelab.trace.wording import time_text
from kueuelab.trace.workload_moment import WorkloadMoment

__all__ = ["dump"]

_VERDICTS: Final = {
    "phase": "differs",
    "message": "differs",
    "earlier": "earlier",
    "resumed": "memory",
    "skipped": "memory",
    "penalty": "memory",
}


def dump(at: WorkloadMoment) -> Iterator[Line]:
    """Say what the dump says, then what the lab says."""
    found = compare(at.trace, at.workload, at.at)
    if found is None:
        return
    words = at.words
    status = status_text(found, words)
    text = words("dump.says", status=status)
    if found.said:
        text = words("dump.says.since", status=status, time=time_text(found.said))
    yield Line(text, at.workload, found.facts.phase, "dump", step=found.read.index)
    if found.message:
        yield Line(words("dump.message", message=found.message), rule="message")
    _, holds, reason, _, when = condition(found.facts, "Requeued")
    if holds == "True":
        yield Line(words("dump.requeued", reason=reason, time=time_text(when)), rule="requeued")
    earlier = earlier_text(found.read, words)
    if earlier and found.outcome in ("phase", "earlier", "resumed", "skipped"):
        yield Line(earlier, rule="earlier", numbers={"looked": found.facts.looked})
    yield _lab(at, found)


def _lab(at: WorkloadMoment, found: Comparison) -> Line:
    words, since = at.words, found.since
    verdict, form = _VERDICTS.get(found.outcome, "agrees"), str(found.outcome)
    cycle = 0 if since is None else since.cycle
    time = at.trace[at.at].time if since is None else since.time
    if form == "same" and found.facts.phase == "Pending" and at.cycle is not None:
        form, cycle, time = "same.looked", at.cycle.number, at.trace[at.cycle.first].time
    elif form not in ("same", "phase", "message") and found.view.phase == "Pending":
        form += ".message"
    text = words(
        f"dump.lab.{form}",
        status=status_text(found, words, now=True),
        since=since_text(found, words),
        message=found.message_now,
        flavors=words.listed(found.resumed_after),
        queues=words.listed(_charged(at, found)),
        time=time_text(time),
        cycle=cycle,
    )
    return Line(text, at.workload, verdict, "lab", step=None if since is None else since.index)


def _charged(at: WorkloadMoment, found: Comparison) -> tuple[str, ...]:
    """Return the LocalQueues that Kueue has charged without showing it, where that can matter."""
    if found.outcome != "penalty":
        return ()
    return unseen_penalties(at.trace, at.state, found.view.cluster_queue)
