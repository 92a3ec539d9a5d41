"""The verdict about a workload whose decision can depend on what only Kueue's memory has."""

from __future__ import annotations

from kueuelab.live.assigned_flavors import assigned_flavors, flavors_text
from kueuelab.live.recent_state import RecentState
from kueuelab.live.verdict import Verdict
from kueuelab.manifests import ScenarioSpec
from kueuelab.messages import Message
from kueuelab.model import Workload
from kueuelab.scheduler import Entry
from kueuelab.trace.attempt_message import resumed_after, was_skipped

__all__ = ["remembered"]


def remembered(
    spec: ScenarioSpec, workload: Workload, message: str, entry: Entry
) -> Verdict | None:
    """Return the verdict if where Kueue's last attempts ended can make the difference.

    Parameters
    ----------
    spec
        The snapshot.
    workload
        The pending workload, as Kueue has it.
    message
        Why it is pending, as Kueue wrote it.
    entry
        What the lab decides, beginning at the first flavor.

    Returns
    -------
    Verdict or None
        ``None`` if nothing speaks for such a memory.
    """
    if entry.queue is None:
        return None
    groups = [[each.name for each in group.flavors] for group in entry.queue.resource_groups]
    before = resumed_after(message, groups)
    if before:
        after = _reproduced(spec, workload, message)
        if after:
            return Verdict("agrees", _text("resumed", entry, ", ".join(after)))
        return Verdict("undecided", _text("resumed-before", entry, ", ".join(before)))
    if was_skipped(message) and any(len(group) > 1 for group in groups):
        return Verdict("undecided", _text("skipped", entry, ""))
    return None


def _reproduced(spec: ScenarioSpec, workload: Workload, message: str) -> tuple[str, ...]:
    """Return the flavors after which a search has the result that Kueue wrote, if there are any."""
    now = spec.start or 0
    state = RecentState(spec.configuration, now)
    state.load([each for objects in spec.manifests.objects.values() for each in objects])
    for progress in state.all_progress(workload.key):
        found = state.cycle((workload.key,), now, progress={workload.key: progress})
        entry = found.entries.get(workload.key)
        if entry is not None and entry.status != "assumed" and entry.message == message:
            return state.flavors_before(workload.key, progress)
    return ()


def _text(form: str, entry: Entry, flavors: str) -> str:
    """Return what Kueue's message tells, and what an attempt from the first flavor finds."""
    if entry.status == "assumed":
        found = flavors_text(assigned_flavors(entry))
        return Message(f"live.verdict.{form}.admits", flavors=flavors, found=found)
    return Message(f"live.verdict.{form}.finds", flavors=flavors, reason=entry.message)
