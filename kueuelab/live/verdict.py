"""Whether the lab decides as Kueue did about one workload."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kueuelab.live.assigned_flavors import assigned_flavors, flavors_text
from kueuelab.model import Condition
from kueuelab.scheduler import Entry
from kueuelab.simulation import CycleRecord

__all__ = ["Verdict", "entry_of", "judge_pending"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """``is_`` tells whether they agree; ``text`` says so, and where they differ.

    ``earlier``: what Kueue says is of a look before something changed, so neither is wrong.

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
        match self.is_:
            case "agrees":
                return f"agrees with Kueue: {self.text}"
            case "differs":
                return f"differs: {self.text}"
            case "earlier":
                return self.text
            case _:
                return f"not decided: {self.text}"


def entry_of(cycles: list[CycleRecord], workload: str) -> tuple[CycleRecord, Entry] | None:
    """Return the first look at a workload, and the cycle in which it was taken."""
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
    """Hold what Kueue says about a pending workload against what the lab decides.

    Parameters
    ----------
    kueue
        The condition ``QuotaReserved`` as Kueue wrote it.
    found
        The lab's look at it, if it came to one.
    lab
        The same condition, as the lab's controllers leave it.
    earlier
        When Kueue looked, and what changed since, if anything did.
    """
    verdict = _judged(kueue, found, lab)
    if verdict.is_ == "differs" and kueue is None:
        earlier = "Kueue has not decided about it yet."
    if verdict.is_ == "differs" and earlier:
        return Verdict("earlier", f"{earlier} Deciding later, {verdict.text}")
    return verdict


def _judged(
    kueue: Condition | None, found: tuple[CycleRecord, Entry] | None, lab: Condition | None
) -> Verdict:
    said = kueue.message if kueue is not None else ""
    if found is None:
        if lab is not None and kueue is not None and lab.message != said:
            return Verdict("differs", f"the lab says “{lab.message}”")
        if kueue is not None and kueue.reason in ("Inadmissible", "Deactivated"):
            return Verdict("agrees", "it is not queued")
        return Verdict("undecided", "it is not at the head of a queue")
    entry = found[1]
    if entry.status == "assumed":
        where = f"ClusterQueue {entry.cluster_queue}, {flavors_text(assigned_flavors(entry))}"
        return Verdict("differs", f"the lab would admit it now ({where})")
    if entry.message == said:
        return Verdict("agrees", "it waits for the same reason, with the same numbers")
    if entry.preempting:
        victims = ", ".join(target.workload.key for target in entry.targets)
        return Verdict("differs", f"the lab would preempt {victims} for it")
    if not said:
        return Verdict("undecided", "Kueue has not said anything about it yet")
    return Verdict("differs", f"the lab says “{entry.message}”")
