"""What a dump says of a workload, held against what the lab makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from kueuelab.trace import steps
from kueuelab.trace.attempt_message import resumed_after, was_skipped
from kueuelab.trace.reading import ClusterQueueView, State, WorkloadView
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Trace
from kueuelab.trace.unseen_penalties import unseen_penalties
from kueuelab.trace.wording import MessageParts, time_text

__all__ = [
    "Comparison",
    "compare",
    "comparisons",
    "condition",
    "earlier_text",
    "evictions_before",
    "read_status",
    "read_text",
    "since_text",
    "status_text",
]

#: The steps that lead into a phase, first the one that was decided.
_INTO: Final[Mapping[str, tuple[str, ...]]] = {
    "Pending": ("Evicted", "QuotaReleased"),
    "QuotaReserved": ("QuotaReserved",),
    "Admitted": ("Admitted",),
    "Evicted": ("Evicted",),
    "Finished": ("Finished",),
}
#: The condition that says since when a workload is in a phase.
_SAYS: Final[Mapping[str, str]] = {
    "Pending": "QuotaReserved",
    "QuotaReserved": "QuotaReserved",
    "Admitted": "Admitted",
    "Evicted": "Evicted",
    "Finished": "Finished",
}
#: What came to another workload, after which a pending one may fit.
_FREES: Final = ("QuotaReleased", "Evicted", "Finished")


#: What comes of holding the two against each other.
Outcome = Literal[
    "same", "phase", "message", "earlier", "evicted", "first", "resumed", "skipped", "penalty"
]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A workload in the dump, and after a step of the run.

    Attributes
    ----------
    workload
        ``namespace/name``.
    read
        The step that has what the dump says.
    view
        The workload now; false if it is gone.
    queue
        Its ClusterQueue now.
    outcome
        ``earlier``: Kueue's message is of a look before something changed, or before the lab
        admitted others. ``evicted``: Kueue had not looked again since.
        ``same``: the lab has nothing else to say. ``phase``: it is in another phase, or was
        in between. ``message``: it is pending in both, for another reason. ``first``: Kueue
        had not said yet why it is pending. ``resumed``: Kueue's message names later flavors only,
        as its attempt resumed a search; the lab's begins at the first flavor. ``skipped``: Kueue
        skipped it, and may resume its search at a flavor that no object shows. ``penalty``: Kueue
        has charged LocalQueues of its ClusterQueue with entry penalties that no object shows.
    since
        The lab's step that made the difference, ``None`` if there is none.
    """

    workload: str
    read: Step
    view: WorkloadView
    queue: ClusterQueueView
    outcome: Outcome
    since: Step | None

    @property
    def resumed_after(self) -> tuple[str, ...]:
        """The flavors that Kueue's attempt did not try, as its message tells."""
        return resumed_after(self.message, self.queue.flavors_by_group)

    @property
    def may_resume(self) -> bool:
        """Whether Kueue's next attempt may begin at a later flavor."""
        several = any(len(group) > 1 for group in self.queue.flavors_by_group)
        return several and was_skipped(self.message)

    @property
    def facts(self) -> steps.StatusRead:
        """What the dump says."""
        facts = self.read.facts
        assert isinstance(facts, steps.StatusRead)
        return facts

    @property
    def message(self) -> str:
        """Kueue's reason in the dump for which it is pending, ``""`` if it is not."""
        return "" if self.facts.phase != "Pending" else condition(self.facts, "QuotaReserved")[3]

    @property
    def message_now(self) -> str:
        """The lab's reason for which it is pending."""
        return self.view.condition("QuotaReserved").message

    @property
    def said(self) -> int:
        """When the dump's status was written, 0 if it doesn't say."""
        return condition(self.facts, _SAYS.get(self.facts.phase, ""))[4]


def condition(facts: steps.StatusRead, type_: str) -> tuple[str, str, str, str, int]:
    """Return a condition of a status; an empty one if it is not there."""
    found = (each for each in facts.conditions if each[0] == type_)
    return next(found, (type_, "", "", "", 0))


def read_status(trace: Trace, workload: str, at: int) -> Step | None:
    """Return the step with a workload's status as it was read, ``None`` if it came without."""
    if not trace.of_kind("StatusRead"):
        return None
    return next(_own(trace, workload, at, "StatusRead"), None)


def evictions_before(trace: Trace, workload: str, at: int) -> list[Step]:
    """Return the steps that tell evictions before the run, the earliest first."""
    return list(_own(trace, workload, at, "EvictedBefore"))[::-1]


def _own(trace: Trace, workload: str, at: int, *kinds: str) -> Iterator[Step]:
    """Yield a workload's own steps of some kinds up to a step, the latest first."""
    for index in reversed(trace.index.single_steps(workload)):
        if index <= at and trace[index].kind in kinds:
            yield trace[index]


def compare(trace: Trace, workload: str, at: int) -> Comparison | None:
    """Hold what the dump says of a workload against the state after a step.

    ``None`` if the workload came without a status.
    """
    read = read_status(trace, workload, at)
    if read is None:
        return None
    state = trace.state_at(at)[read.cluster]
    view = state.workload(workload)
    phase, since = view.phase, _last_into(trace, workload, at, view.phase)
    found = Comparison(workload, read, view, state.cluster_queue(view.cluster_queue), "same", since)
    if phase != found.facts.phase or since is not None:
        reason = _not_looked(found) or _by_memory(found) or _freed_since(found)
        reason = reason or _by_penalties(trace, state, found)
        return replace(found, outcome=reason or "phase")
    if phase == "Pending" and found.message != found.message_now:
        since = next(_own(trace, workload, at, "EntryProcessed", "NotNominated", "Pending"), None)
        found = replace(found, since=since)
        return replace(found, outcome=_other_reason(trace, state, found, since))
    return found


def _not_looked(found: Comparison) -> Outcome | None:
    """Return why Kueue's last look at a pending workload says nothing of the state in the dump."""
    if found.facts.phase != "Pending":
        return None
    if not found.message:
        return "first"
    if found.message == condition(found.facts, "Evicted")[3]:
        return "evicted"
    return None


def _freed_since(found: Comparison) -> Outcome | None:
    """Return it if others gave quota back after Kueue's last look at a pending workload."""
    pending = found.facts.phase == "Pending" and found.view.phase != "Pending"
    freed = any(what in _FREES for _, what, _ in found.facts.since)
    return "earlier" if pending and freed else None


def _by_memory(found: Comparison) -> Outcome | None:
    """Return what Kueue remembers of its last attempt, if that can make the difference."""
    if found.resumed_after:
        return "resumed"
    return "skipped" if found.may_resume else None


def _by_penalties(trace: Trace, state: State, found: Comparison) -> Outcome | None:
    """Return it if Kueue may have another order of LocalQueues in mind."""
    charged = unseen_penalties(trace, state, found.view.cluster_queue)
    return "penalty" if charged else None


def _other_reason(trace: Trace, state: State, found: Comparison, look: Step | None) -> Outcome:
    """Return what it means that the lab finds another reason why a workload is pending."""
    if (other := _not_looked(found) or _by_memory(found)) is not None:
        return other
    until = len(trace) if look is None else look.index
    moved = trace.of_kind("QuotaReserved", "QuotaReleased")
    if found.facts.since or any(index < until for index in moved):
        return "earlier"
    return _by_penalties(trace, state, found) or "message"


def _last_into(trace: Trace, workload: str, at: int, phase: str) -> Step | None:
    """Return the step that brought a workload into its phase, ``None`` if it came in it."""
    for kind in _INTO.get(phase, ("WorkloadDeleted",)):
        for step in _own(trace, workload, at, kind):
            return step
    return None


def comparisons(trace: Trace, at: int) -> Iterator[Comparison]:
    """Yield the comparison of each workload that came with a status, sorted by name."""
    own = {trace[index].workload for index in trace.of_kind("StatusRead") if index <= at}
    for workload in sorted(own):
        found = compare(trace, workload, at)
        if found is not None:
            yield found


def status_text(found: Comparison, words: MessageParts, *, now: bool = False) -> str:
    """Return how far a workload is in the dump, or ``now`` in the lab, in a few words."""
    if not now:
        return read_text(found.read, words)
    if not found.view:
        return words("read.gone")
    view = found.view
    assignment = words.assignment(view.admission.assignment)
    text = _text(view.phase, view.active, view.admission.cluster_queue, assignment, words)
    again = found.outcome == "phase" and view.phase == found.facts.phase
    return words("read.again", status=text) if again else text


def since_text(found: Comparison, words: MessageParts) -> str:
    """Return since when the lab says something else, and in which cycle if it was in one."""
    since = found.read if found.since is None else found.since
    form = "read.since.cycle" if since.cycle else "read.since"
    if since.kind == "Evicted" and found.view.phase == "Pending":
        form = "read.since.evicted"
    return words(form, time=time_text(since.time), cycle=since.cycle)


def earlier_text(read: Step, words: MessageParts) -> str:
    """Return when Kueue looked at a pending workload, and what changed since; ``""`` if nothing."""
    facts = read.facts
    assert isinstance(facts, steps.StatusRead)
    if not facts.since:
        return ""
    listed = [
        words(f"change.{what}", workload=key, time=time_text(time))
        for key, what, time in facts.since
    ]
    more = facts.changes - len(listed)
    if more:
        listed.append(words("change.more", count=more))
    written = condition(facts, "QuotaReserved")[4]
    return words(
        "dump.looked" if facts.looked else "dump.looked.atLeast",
        time=time_text(facts.looked or written),
        changes=words.listed(listed),
    )


def read_text(read: Step, words: MessageParts) -> str:
    """Return how far a workload was when its status was read."""
    facts = read.facts
    assert isinstance(facts, steps.StatusRead)
    assignment = words.assignment(facts.assignment)
    return _text(facts.phase, facts.active, read.cluster_queue, assignment, words)


def _text(phase: str, active: bool, queue: str, assignment: str, words: MessageParts) -> str:
    form = "Deactivated" if phase == "Pending" and not active else phase
    return words(f"read.{form}", queue=queue, assignment=assignment)
