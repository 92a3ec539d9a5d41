"""What keeps a loop going: which workload evicts which, by which policy; and what breaks it.

A loop is found while a run is played, which ends there: within an instant, when decisions
lead back to where they began; or in time, when the same states recur (see
:mod:`kueuelab.simulation.recurrence`, which says what can't be found). What keeps it going is
read from the trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kueuelab.errors import KueueLabError
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.model.times import format_duration
from kueuelab.simulation import Player
from kueuelab.trace import steps
from kueuelab.trace.step import Step
from kueuelab.trace.text_table import text_table
from kueuelab.trace.trace import Trace
from kueuelab.whatif.changes import Edit
from kueuelab.whatif.references import Reference

if TYPE_CHECKING:
    from kueuelab.whatif.lab import LabRun

__all__ = ["LoopReport", "Turn", "loop_report"]

#: Reason of a preemption to the policy of the preemptor's ClusterQueue that allows it.
_POLICY: Final[Mapping[str, str]] = {
    "InClusterQueue": "withinClusterQueue",
    "InCohortReclamation": "reclaimWithinCohort",
    "InCohortReclaimWhileBorrowing": "borrowWithinCohort",
    "InCohortFairSharing": "reclaimWithinCohort",
}
_WEAKER: Final[Mapping[str, tuple[Any, ...]]] = {
    "withinClusterQueue": ("LowerPriority", "Never"),
    "reclaimWithinCohort": ("LowerPriority", "Never"),
    "borrowWithinCohort": (None,),
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that happens on the way round.

    Attributes
    ----------
    step, time, cycle
        When.
    workload
        The workload that is evicted, or gets quota again.
    back
        Whether it gets quota again.
    queue
        The ClusterQueue of the workload.
    preemptor, preemptor_queue
        The preemptor and its ClusterQueue; empty if it was not preempted.
    reason
        Of the eviction.
    policy, value
        The field of the preemptor's ClusterQueue that allows it, and what it says.
    text
        The same as a sentence.
    """

    step: int
    time: int
    cycle: int
    workload: str
    back: bool
    queue: str
    preemptor: str
    preemptor_queue: str
    reason: str
    policy: str
    value: str
    text: str


@dataclass(frozen=True, slots=True, repr=False)
class LoopReport:
    """A loop: the workloads and rules that keep it going.

    Attributes
    ----------
    first, last
        The first and the last step of one round of the loop.
    period
        How long that takes, in nanoseconds; 0 if no time passes.
    workloads
        Those that are evicted on the way, sorted.
    turns
        What happens on the way.
    """

    first: int
    last: int
    period: int
    workloads: tuple[str, ...]
    turns: tuple[Turn, ...]
    title: str

    def __repr__(self) -> str:
        count = len(self.workloads)
        return f"<LoopReport: {count} workload{'s' * (count != 1)}, {len(self.turns)} turns>"

    def __str__(self) -> str:
        return self.as_text()

    @property
    def rules(self) -> tuple[str, ...]:
        """The policies at work, as ``ClusterQueue/name: field: value``, or reasons of evictions."""
        found = (
            f"ClusterQueue/{turn.preemptor_queue}: {turn.policy}: {turn.value}"
            if turn.policy
            else turn.reason
            for turn in self.turns
            if not turn.back
        )
        return tuple(dict.fromkeys(found))

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return it as plain text."""
        catalog = language_of(language)
        turns = [f"  {catalog.render(turn.text)}" for turn in self.turns]
        rules = catalog.text("whatif.loop.rules", rules="; ".join(self.rules))
        return "\n".join([catalog.render(self.title), *turns, rules])

    def as_table(self) -> list[dict[str, str]]:
        """Return one row per turn."""
        return [
            {
                "cycle": str(turn.cycle),
                "workload": turn.workload,
                "what": "admitted" if turn.back else "evicted",
                "by": turn.preemptor or "-",
                "policy": f"{turn.policy}: {turn.value}" if turn.policy else turn.reason or "-",
            }
            for turn in self.turns
        ]

    def table_text(self, language: str | Catalog = "en") -> str:
        """Return the table as aligned text."""
        words = language_of(language)
        names = ("cycle", "workload", "what", "by", "policy")
        header = [words.text(f"whatif.loop.column.{name}") for name in names]
        rows = [
            {**row, "what": words.text(f"whatif.loop.what.{row['what']}")}
            for row in self.as_table()
        ]
        return text_table(header, [[row[name] for name in names] for row in rows])

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "first": self.first,
            "last": self.last,
            "period": format_duration(self.period),
            "workloads": list(self.workloads),
            "rules": list(self.rules),
            "turns": self.as_table(),
        }

    def edits(self) -> Iterator[Edit]:
        """Yield weaker policies, one at a time, that might break the loop."""
        seen: set[tuple[str, str]] = set()
        for turn in self.turns:
            where = turn.preemptor_queue, turn.policy
            if not turn.policy or where in seen:
                continue
            seen.add(where)
            for value in _WEAKER[turn.policy]:
                if value != turn.value:
                    path = f"spec.preemption.{turn.policy}"
                    yield Edit(Reference("ClusterQueue", "", turn.preemptor_queue), {path: value})


def loop_report(run: LabRun) -> LoopReport | None:
    """Return what keeps the loop of a run going, ``None`` if it has no loop."""
    trace, loop = run.trace, run.loop
    if loop is None:
        return None
    stored = trace.steps.stored
    if loop.period:
        start = next(each.index for each in stored if each.time > loop.time - loop.period)
        title = Message(
            "whatif.loop.title-time",
            first=format_duration(loop.time - loop.period - run.start),
            last=format_duration(loop.time - run.start),
            period=format_duration(loop.period),
        )
    else:
        # What a cycle decides is carried out behind its last step, under its number.
        start = next(each.index for each in stored if each.cycle > loop.first_cycle)
        title = Message("whatif.loop.title", first=loop.first_cycle, last=loop.last_cycle)
    return _report(trace, start, len(trace) - 1, loop.period, title, run.start)


def breaking_edits(run: LabRun) -> list[Edit]:
    """Return the weaker policies without which the scenario has no loop, each simulated."""
    report = run.loop_report
    if report is None or run.loop is None:
        return []
    found: list[Edit] = []
    for edit in report.edits():
        if any(_same_field(edit, known) for known in found):
            continue
        try:
            spec = run.fork(at=0).edit(str(edit.object), edit.values).lab.spec
        except (KueueLabError, LookupError):
            continue
        player = Player(spec)
        player.play()
        if player.loop is None:
            found.append(edit)
    return found


def _same_field(one: Edit, other: Edit) -> bool:
    return (one.object, tuple(one.values)) == (other.object, tuple(other.values))


def _report(trace: Trace, first: int, last: int, period: int, title: str, since: int) -> LoopReport:
    turns = tuple(_turns(trace, first, since))
    evicted = sorted({turn.workload for turn in turns if not turn.back})
    return LoopReport(first, last, period, tuple(evicted), turns, title)


def _turns(trace: Trace, first: int, since: int) -> Iterator[Turn]:
    for index in trace.of_kind("Evicted", "QuotaReserved"):
        if index >= first:
            step = trace[index]
            if isinstance(step.facts, steps.Evicted):
                yield _eviction(trace, step, step.facts, since)
            else:
                queue = step.cluster_queue
                text = Message(
                    "whatif.loop.back", cycle=step.cycle, workload=step.workload, queue=queue
                )
                yield _turn(step, back=True, queue=queue, text=text)


def _turn(
    step: Step,
    *,
    queue: str,
    text: str,
    back: bool = False,
    preemptor: str = "",
    preemptor_queue: str = "",
    reason: str = "",
    policy: str = "",
    value: str = "",
) -> Turn:
    return Turn(
        step.index,
        step.time,
        step.cycle,
        step.workload,
        back,
        queue,
        preemptor,
        preemptor_queue,
        reason,
        policy,
        value,
        text,
    )


def _eviction(trace: Trace, step: Step, facts: steps.Evicted, since: int) -> Turn:
    state = trace.state_at(step.index)
    queue = step.cluster_queue
    if not facts.preemptor:
        time = format_duration(step.time - since)
        text = Message(
            "whatif.loop.evicted", time=time, workload=step.workload, reason=facts.reason
        )
        return _turn(step, queue=queue, reason=facts.reason, text=text)
    preemptor_queue = facts.preemptor_path.rpartition("/")[2]
    policy = _POLICY[facts.preemption_reason]
    value = _value(_policies(trace, facts.preemptor, step.index), policy)
    text = Message(
        "whatif.loop.eviction",
        cycle=step.cycle,
        preemptor=facts.preemptor,
        preemptorQueue=preemptor_queue,
        preemptorPriority=state.workload(facts.preemptor).priority,
        target=step.workload,
        targetQueue=queue,
        targetPriority=state.workload(step.workload).priority,
        reason=facts.preemption_reason,
        policy=f"{policy}: {value}" + _strategy(trace, facts, step),
    )
    return _turn(
        step,
        queue=queue,
        preemptor=facts.preemptor,
        preemptor_queue=preemptor_queue,
        reason=facts.preemption_reason,
        policy=policy,
        value=value,
        text=text,
    )


def _policies(trace: Trace, preemptor: str, before: int) -> Mapping[str, Any]:
    for index in reversed(trace.of_kind("PreemptionStarted")):
        facts = trace[index].facts
        if index < before and trace[index].workload == preemptor:
            assert isinstance(facts, steps.PreemptionStarted)
            return facts.policies
    return {}


def _value(policies: Mapping[str, Any], policy: str) -> str:
    value = policies.get(policy)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {inner}" for name, inner in value.items())
    return str(value)


def _strategy(trace: Trace, facts: steps.Evicted, step: Step) -> str:
    """Return the strategy of fair sharing by which the target was chosen."""
    if facts.preemption_reason != "InCohortFairSharing":
        return ""
    for index in reversed(trace.of_kind("SharesCompared")):
        shares = trace[index].facts
        assert isinstance(shares, steps.SharesCompared)
        same = trace[index].workload == facts.preemptor and shares.candidate == step.workload
        if index < step.index and same and shares.passed:
            return f", {shares.strategy}"
    return ""
