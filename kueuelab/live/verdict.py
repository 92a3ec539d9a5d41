"""Whether the lab decides as Kueue did about one workload."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kueuelab.live.assigned_flavors import assigned_flavors, flavors_text
from kueuelab.messages import Message
from kueuelab.model import Condition
from kueuelab.scheduler import Entry
from kueuelab.simulation import CycleRecord

__all__ = ["Verdict", "entry_of", "judge_pending"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """``is_``: whether they agree; ``text``: the reason or the difference.

    ``earlier``: Kueue decided before something changed, so both can be right.

    Examples
    --------
    >>> print(Verdict("agrees", "pending for the same reason"))
    agrees with Kueue: pending for the same reason
    >>> print(Verdict("differs", "the lab would admit it"))
    differs: the lab would admit it
    >>> print(Verdict("earlier", "Kueue looked at 10:02:11; since then a finished. Now it fits"))
    Kueue looked at 10:02:11; since then a finished. Now it fits
    """

    is_: Literal["agrees", "differs", "earlier", "undecided"]
    text: str

    def __str__(self) -> str:
        return str(self.as_text())

    def as_text(self) -> str:
        """Return whether they agree, with the text."""
        match self.is_:
            case "agrees":
                return Message("live.verdict.agrees", text=self.text)
            case "differs":
                return Message("live.verdict.differs", text=self.text)
            case "earlier":
                return self.text
            case _:
                return Message("live.verdict.undecided", text=self.text)


def entry_of(cycles: list[CycleRecord], workload: str) -> tuple[CycleRecord, Entry] | None:
    """Return the first cycle that considered a workload, with its entry."""
    for record in cycles:
        for entry in (*record.entries, *record.inadmissible):
            if entry.key == workload:
                return record, entry
    return None


def judge_pending(
    kueue: Condition | None,
    found: tuple[CycleRecord, Entry] | None,
    lab: Condition | None,
    earlier: str = "",
) -> Verdict:
    """Compare what Kueue says about a pending workload with what the lab decides.

    Parameters
    ----------
    kueue
        The condition ``QuotaReserved`` as Kueue wrote it.
    found
        The lab's cycle and entry for it, if there is one.
    lab
        The same condition in the lab.
    earlier
        When Kueue decided, and what changed since then; empty if nothing changed.
    """
    verdict = _judged(kueue, found, lab)
    if verdict.is_ == "differs" and kueue is None:
        earlier = Message("live.verdict.no-decision-yet")
    if verdict.is_ == "differs" and earlier:
        return Verdict("earlier", Message("live.verdict.later", earlier=earlier, text=verdict.text))
    return verdict


def _judged(
    kueue: Condition | None, found: tuple[CycleRecord, Entry] | None, lab: Condition | None
) -> Verdict:
    said = kueue.message if kueue is not None else ""
    if found is None:
        if lab is not None and kueue is not None and lab.message != said:
            return Verdict("differs", Message("live.decision.says", reason=lab.message))
        if kueue is not None and kueue.reason in ("Inadmissible", "Deactivated"):
            return Verdict("agrees", Message("live.verdict.not-queued"))
        return Verdict("undecided", Message("live.verdict.not-head"))
    entry = found[1]
    if entry.status == "assumed":
        flavors = flavors_text(assigned_flavors(entry))
        text = Message("live.verdict.would-admit", queue=entry.cluster_queue, flavors=flavors)
        return Verdict("differs", text)
    if entry.message == said:
        return Verdict("agrees", Message("live.verdict.same-reason"))
    if entry.preempting:
        targets = ", ".join(target.workload.key for target in entry.targets)
        return Verdict("differs", Message("live.decision.would-preempt", targets=targets))
    if not said:
        return Verdict("undecided", Message("live.verdict.nothing-said"))
    return Verdict("differs", Message("live.decision.says", reason=entry.message))
