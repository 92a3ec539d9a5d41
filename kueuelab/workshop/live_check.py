"""A case of an exercise on a real cluster, judged by the record of that cluster."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Protocol

from kueuelab.errors import InputError
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Expectation, Submit
from kueuelab.messages import clauses
from kueuelab.model import AdmissionCheck, Configuration, Workload
from kueuelab.model.times import SECOND
from kueuelab.simulation import Loop, Outcome
from kueuelab.simulation.expectations import judge
from kueuelab.trace import Trace, steps
from kueuelab.trace.reading import State
from kueuelab.workshop.checks import (
    Admitted,
    AllAdmitted,
    Check,
    Evicted,
    ExpectationMet,
    NoLoop,
    NotEvicted,
    Played,
)
from kueuelab.workshop.finding import Finding
from kueuelab.workshop.play import Submission, lab_of
from kueuelab.workshop.spec import Case, ExerciseSpec

__all__ = [
    "CannotBePlayedError",
    "CasePlayer",
    "ObservedCluster",
    "play_on_cluster",
    "seconds_for",
    "unplayable",
    "verdict_on",
]

#: How long a case goes on after the last thing that is known to happen.
_CALM: Final = 30 * SECOND
#: How often the same one evicts the same workload until it is called a loop.
_REPEATED: Final = 3
#: What the controllers of Kueue's own checks are called.
_KUEUES: Final = "kueue.x-k8s.io/"


class ObservedCluster(Protocol):
    """The observation of a cluster while a case was played on it."""

    @property
    def trace(self) -> Trace:
        """The record of what happened."""

    @property
    def seen(self) -> Mapping[str, Workload]:
        """Every workload that was observed, by its key."""


class CasePlayer(Protocol):
    """A cluster on which scenarios can be played."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def speed(self) -> float:
        """How many seconds of a case pass in one."""

    def tell(self, sentence: str) -> None:
        """Show a sentence to the learner before a long operation."""

    def require_playable(self, scenario: ScenarioSpec) -> None:
        """Refuse what can't be played there; nothing is done.

        Raises
        ------
        InputError
            If it can't be played.
        """

    def play(self, scenario: ScenarioSpec, seconds: float) -> ObservedCluster:
        """Play a scenario, for so long at the most, and leave nothing behind.

        Raises
        ------
        InputError
            If it can't be played there; nothing was done then.
        """


class CannotBePlayedError(Exception):
    """A case can't be played on a cluster; the finding says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


@dataclass(frozen=True, slots=True)
class _CaseOnCluster:
    """The run of a case on a cluster."""

    trace: Trace
    start: int
    outcomes: tuple[Outcome, ...]
    keys: dict[str, str]
    loop: Loop | None = None
    #: The expectations that say which pod is on which node.
    ranked: frozenset[int] = frozenset()


def unplayable(
    spec: ExerciseSpec, case: Case, submission: Submission, player: CasePlayer
) -> Finding | None:
    """Return why a case can't be played on a cluster, ``None`` if it can; nothing is done."""
    if "multikueue" in case.scenario:
        return Finding("workshop.skipped.multikueue")
    scenario = lab_of(spec, case, submission.answer).spec
    if scenario.configuration != Configuration():
        return Finding("workshop.skipped.configuration")
    if scenario.manifests.workloads:
        return Finding("workshop.skipped.running")
    for check in scenario.manifests.objects.get("AdmissionCheck", ()):
        # There the check's state comes from the cluster, which may not even run its controller.
        if isinstance(check, AdmissionCheck) and check.controller_name.startswith(_KUEUES):
            return Finding("workshop.skipped.ownCheck", {"check": check.metadata.name})
    try:
        player.require_playable(scenario)
    except InputError as error:
        return _refused(error)
    return None


def _refused(error: InputError) -> Finding:
    why = clauses([problem.message for problem in error.problems])
    return Finding("workshop.skipped.unplayable", {"why": why})


def play_on_cluster(
    spec: ExerciseSpec, case: Case, submission: Submission, player: CasePlayer
) -> Played:
    """Play a case with what a learner handed in, on a cluster.

    Raises
    ------
    CannotBePlayedError
        If the case needs what one cluster hasn't got.
    """
    finding = unplayable(spec, case, submission, player)
    if finding is not None:
        raise CannotBePlayedError(finding)
    scenario = lab_of(spec, case, submission.answer).spec
    try:
        observed = player.play(scenario, seconds_for(case, scenario, player.speed))
    except InputError as error:
        raise CannotBePlayedError(_refused(error)) from error
    return _case_on_cluster(scenario, observed, player.speed)


def seconds_for(case: Case, scenario: ScenarioSpec, speed: float = 1.0) -> float:
    """Return how long a case takes until everything can be judged.

    Parameters
    ----------
    case
        The case.
    scenario
        The same, with what a learner handed in.
    speed
        How many seconds of the case pass in one.
    """
    submitted: dict[str, int] = {}
    for workload, at in _submitted(scenario):
        submitted |= {workload.key: at, _job(workload): at}
    limits = [
        submitted.get(check.workload, 0) + check.within
        for check in case.checks
        if isinstance(check, Admitted)
    ]
    limits += [
        max(submitted.values(), default=0) + check.within
        for check in case.checks
        if isinstance(check, AllAdmitted)
    ]
    return (max([scenario.end, *limits]) / speed + _CALM) / SECOND


def _submitted(scenario: ScenarioSpec) -> Iterator[tuple[Workload, int]]:
    for action in scenario.timeline:
        if isinstance(action, Submit):
            yield from ((workload, action.at) for workload in action.workloads)


def _job(workload: Workload) -> str:
    """Return the job of a workload: on a cluster the workload's own name ends in a hash."""
    owners = workload.metadata.owner_references
    return f"{workload.namespace}/{owners[0].name if owners else workload.metadata.name}"


def _case_on_cluster(
    scenario: ScenarioSpec, observed: ObservedCluster, speed: float
) -> _CaseOnCluster:
    trace = _at_speed(observed.trace, speed)
    keys = {_job(workload): key for key, workload in observed.seen.items()}
    for workload, _ in _submitted(scenario):
        keys.setdefault(workload.key, keys.get(_job(workload), workload.key))
    start = _start(scenario, trace, keys)
    outcomes = tuple(
        judge(_seen_there(expectation), _state_at(trace, start + expectation.at), keys)
        for expectation in scenario.expect
    )
    numbered = enumerate(scenario.expect)
    ranked = frozenset(number for number, each in numbered if each.ranks is not None)
    return _CaseOnCluster(trace, start, outcomes, keys, ranked=ranked)


def _seen_there(expectation: Expectation) -> Expectation:
    """Return what of an expectation a cluster can show: no pod runs on the nodes of a case."""
    return replace(expectation, ranks=None)


def _state_at(trace: Trace, time: int) -> State:
    return trace.state_at(bisect_right(trace.steps, time, key=lambda step: step.time) - 1)


def _at_speed(trace: Trace, speed: float) -> Trace:
    """Return a trace in the case's own time, from one of a case that was played faster."""
    if speed == 1:
        return trace
    first = trace[0].time if len(trace) else 0

    def retimed(time: int) -> int:
        return first + round((time - first) * speed)

    steps_ = [replace(step, time=retimed(step.time)) for step in trace]
    return Trace(steps_, trace.name, trace.title, trace.kueue_version, end=retimed(trace.end))


def _start(scenario: ScenarioSpec, trace: Trace, keys: Mapping[str, str]) -> int:
    """Return the cluster's time of the start, by the first job that was seen there."""
    for workload, at in _submitted(scenario):
        for step in trace.about(keys[workload.key], "subject"):
            if step.kind == "WorkloadCreated":
                return step.time - at
    return trace[0].time if len(trace) else 0


def verdict_on(check: Check, played: Played) -> tuple[Finding | None, Finding | None]:
    """Return what a check finds wrong on a cluster, and why it can't be judged there."""
    if isinstance(check, NoLoop):
        found = _repeated(played.trace)
        return found, None if found else Finding("workshop.skipped.noLoop")
    assert isinstance(played, _CaseOnCluster)
    if isinstance(check, ExpectationMet) and check.number in played.ranked:
        found = check.failed(played)
        return found, None if found else Finding("workshop.skipped.ranks")
    if isinstance(check, Admitted | NotEvicted | Evicted):
        check = replace(check, workload=played.keys.get(check.workload, check.workload))
    found = check.failed(played)
    if found is not None and "workload" in found.values:
        # People know their jobs by the names that the exercise gives them.
        names = {key: name for name, key in reversed(played.keys.items())}
        key = str(found.values["workload"])
        found = replace(found, values={**found.values, "workload": names.get(key, key)})
    return found, None


def _repeated(trace: Trace) -> Finding | None:
    """Find a workload that the same preemptor evicts again and again."""
    counts: Counter[tuple[str, str]] = Counter()
    for index in trace.of_kind("Evicted"):
        step = trace[index]
        facts = step.facts
        if isinstance(facts, steps.Evicted) and facts.preemptor:
            counts[step.workload, facts.preemptor] += 1
            if counts[step.workload, facts.preemptor] == _REPEATED:
                values = {
                    "workload": step.workload,
                    "preemptor": facts.preemptor,
                    "count": _REPEATED,
                }
                return Finding("workshop.found.repeated", values, index)
    return None
