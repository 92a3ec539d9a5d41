"""A dump as a whole: how many workloads it has, and where the lab decides otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kueuelab.messages import Catalog
from kueuelab.trace.status_read import Comparison, compare, comparisons, since_text, status_text
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import MessageParts

__all__ = ["difference_text", "differences", "dump_summary"]


def differences(trace: Trace) -> tuple[Comparison, ...]:
    """Return where the lab decides otherwise than the dump says, as soon as the run begins.

    What differs later comes of time and the timeline as well.
    """
    return tuple(each for each in _at_start(trace) if each.outcome in ("phase", "message"))


def dump_summary(trace: Trace, catalog: Catalog | None = None) -> Iterator[str]:
    """Yield lines about a dump: its workloads, and those about which the lab differs.

    Nothing is said of a run whose workloads came without a status.
    """
    words = MessageParts(catalog)
    found = list(_at_start(trace))
    if not found:
        return
    phases = Counter(each.facts.phase for each in found)
    listed = words.listed(
        words("summary.phase", count=phases[phase], phase=words(f"phase.{phase}"))
        for phase in sorted(phases)
    )
    yield words("summary.read", count=len(found), phases=listed)
    moved = [each for each in found if each.outcome == "phase"]
    unseen = sum(each.outcome in ("first", "evicted", "earlier") and _moved(each) for each in found)
    others = sum(each.outcome in ("message", "earlier") and not _moved(each) for each in found)
    memory = sum(each.outcome in ("resumed", "skipped") for each in found)
    charged = sum(each.outcome == "penalty" for each in found)
    if not moved and not unseen and not others and not memory and not charged:
        yield words("summary.same")
        return
    if moved:
        yield words("summary.differs", count=len(moved))
    for each in moved:
        yield words(
            "summary.workload",
            workload=each.workload,
            read=status_text(each, words),
            now=status_text(each, words, now=True),
            since=since_text(each, words),
        )
    if unseen:
        yield words("summary.unseen", count=unseen)
    if others:
        yield words("summary.messages", count=others)
    if memory:
        yield words("summary.memory", count=memory)
    if charged:
        yield words("summary.charged", count=charged)


def difference_text(trace: Trace, workload: str, at: int, words: MessageParts) -> str:
    """Return how a workload differs from the dump after a step; ``""`` if it doesn't."""
    found = compare(trace, workload, at)
    if found is None or found.outcome not in ("phase", "message"):
        return ""
    return words(
        f"dump.differs.{found.outcome}",
        workload=workload,
        read=status_text(found, words),
        now=status_text(found, words, now=True),
        since=since_text(found, words),
        message=found.message,
        messageNow=found.message_now,
    )


def _moved(found: Comparison) -> bool:
    """Tell whether the lab has brought a workload into another phase."""
    return found.view.phase != found.facts.phase


def _at_start(trace: Trace) -> Iterator[Comparison]:
    """Yield the comparisons after the last step of the first instant."""
    if len(trace):
        yield from comparisons(trace, next(trace.steps.last_of_each_time()))
