"""Rules that a run of the scenario shows: loops of preemption, and known bugs of the release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from kueuelab.lint.rule import Found, Level, Rule
from kueuelab.lint.subject import Subject
from kueuelab.messages import Message, separated
from kueuelab.model import RELEASE, Workload
from kueuelab.simulation.known_bugs import KNOWN_BUGS, Bug
from kueuelab.whatif.loops import LoopReport
from kueuelab.whatif.references import Reference

__all__ = ["RULES"]

#: Ids stay as they are: what is found later is numbered behind the others.
_LATER: Final = ("leader-without-node",)
#: So many turns of a loop are shown.
_SHOWN: Final = 4


def _loop(*, fair: bool) -> Callable[[Subject], Iterator[Found]]:
    """Return a check for loops with fair sharing, or without."""

    def check(subject: Subject) -> Iterator[Found]:
        report = subject.loop
        if report is None or fair != subject.configuration.fair_sharing_enabled:
            return
        turns = separated([turn.text for turn in report.turns[:_SHOWN]], "lint.turns")
        values = {"title": report.title, "turns": turns}
        yield Found(_object_of(report), "spec.preemption", values)

    return check


def _object_of(report: LoopReport) -> Reference:
    """Return the ClusterQueue that preempts first in a loop, or the first workload of it."""
    names = [turn.preemptor_queue for turn in report.turns if turn.preemptor_queue]
    if names:
        return Reference("ClusterQueue", "", names[0])
    return Reference.of_workload(report.workloads[0])


def _bug(bug: Bug) -> Callable[[Subject], Iterator[Found]]:
    """Return a check for a known bug."""

    def check(subject: Subject) -> Iterator[Found]:
        met = {each.workload for each in subject.bugs if each.bug.id == bug.id}
        for workload in subject.setting.workloads:
            if workload.key in met or (bug.id == "rejected" and _is_rejected(workload)):
                author, _ = subject.author_of(workload)
                what = Message(f"simulation.known-bug.{bug.id}")
                remedy = Message(f"simulation.known-bug.{bug.id}.remedy")
                yield Found(
                    author,
                    text=Message("lint.known-bug", workload=workload.key, what=what),
                    fix=Message("lint.known-bug.fix", remedy=remedy, release=bug.fixed_in),
                )

    return check


def _is_rejected(workload: Workload) -> bool:
    """Tell whether a workload was admitted when it was read, with a check that is rejected.

    A run starts with what the controllers do then: it does not stay so.
    """
    status = workload.status
    admitted = any(each.type == "Admitted" and each.status == "True" for each in status.conditions)
    rejected = any(each.state == "Rejected" for each in status.admission_checks)
    return workload.active and admitted and rejected


RULES: Final = (
    Rule("KL921", "fair-sharing-loop", Level.ERROR, _loop(fair=True), "concepts/preemption"),
    Rule("KL922", "preemption-loop", Level.ERROR, _loop(fair=False), "concepts/preemption"),
    *(
        Rule(
            f"KL{951 + number}",
            f"bug-{bug.id}",
            Level.WARNING,
            _bug(bug),
            f"kueue#{bug.issue}",
        )
        for number, bug in enumerate(
            sorted(KNOWN_BUGS[RELEASE.version], key=lambda each: (each.id in _LATER, each.issue))
        )
    ),
)
