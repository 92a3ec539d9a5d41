"""`review`: the same workloads under the configuration before a change and after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from kueuelab.lint import Finding, lint
from kueuelab.lint.reading import Source
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.model import RELEASE
from kueuelab.model.times import SECOND
from kueuelab.review.submissions import History
from kueuelab.sweeps.observation import Observation, observe
from kueuelab.whatif.quotas import QuotaName, quotas_of

__all__ = ["Course", "QuotaChange", "Review", "WorkloadReview", "review"]

#: Shorter than this, a difference of waiting is none.
_AT_LEAST: Final = SECOND
#: Both runs end so long after the last submission: what has not started then is waiting.
_AFTER: Final = 7 * 24 * 3600 * SECOND
_PREEMPTED: Final = "Preempted"


@dataclass(frozen=True, slots=True)
class Course:
    """What became of a workload in one run. Times are nanoseconds.

    Attributes
    ----------
    queue
        Its ClusterQueue; ``""`` if there is none.
    started
        How long after its creation it was first admitted; ``None``: never.
    waited
        For how long it waited in all, also after evictions.
    preemptions
        How often it was preempted.
    """

    queue: str = ""
    started: int | None = None
    waited: int = 0
    preemptions: int = 0


@dataclass(frozen=True, slots=True)
class WorkloadReview:
    """A workload with both configurations."""

    workload: str
    before: Course
    after: Course

    @property
    def waits_longer(self) -> bool:
        """Whether it waits longer, or starts no more."""
        return self.more_waiting >= _AT_LEAST

    @property
    def starts_sooner(self) -> bool:
        """Whether it is first admitted sooner, or waits less in all."""
        if self.after.started is None:
            return False
        return self.before.started is None or -self.more_waiting >= _AT_LEAST

    @property
    def is_preempted(self) -> bool:
        """Whether it is preempted more often."""
        return self.after.preemptions > self.before.preemptions

    @property
    def more_waiting(self) -> int:
        """How much longer it waits; negative if it waits less."""
        return self.after.waited - self.before.waited

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is different: ``waits``, ``preempted``, ``sooner``."""
        found = {
            "waits": self.waits_longer,
            "preempted": self.is_preempted,
            "sooner": self.starts_sooner,
        }
        return tuple(name for name, holds in found.items() if holds)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values; times are seconds, ``null`` is never."""
        return {
            "workload": self.workload,
            "differs": list(self.kinds),
            "before": _course_as_data(self.before),
            "after": _course_as_data(self.after),
        }


@dataclass(frozen=True, slots=True)
class QuotaChange:
    """A nominal quota that differs, in Kueue's integer unit; 0 if there is none."""

    name: QuotaName
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Review:
    """What a change of the configuration would have done.

    Attributes
    ----------
    history
        What the workloads were read from.
    workloads
        Those that differ: first those that wait longer, the largest difference first.
    count
        How many workloads were played.
    quotas
        The nominal quotas that differ.
    findings
        What the rules of lint find after the change, and not before.
    left_out
        How many workloads the record does not say enough of.
    runs_unknown
        Of how many workloads the run time is not known.
    runs
        What it is taken as, in nanoseconds; ``None``: without end.
    """

    history: str
    workloads: tuple[WorkloadReview, ...]
    count: int
    quotas: tuple[QuotaChange, ...]
    findings: tuple[Finding, ...]
    left_out: int
    runs_unknown: int
    runs: int | None = None

    def of_kind(self, kind: str) -> tuple[WorkloadReview, ...]:
        """Return the workloads with a difference: ``waits``, ``preempted``, ``sooner``."""
        return tuple(each for each in self.workloads if kind in each.kinds)

    @property
    def is_worse(self) -> bool:
        """Whether a workload waits longer or is preempted, or lint finds something new."""
        return bool(self.of_kind("waits") or self.of_kind("preempted") or self.findings)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "kueueVersion": RELEASE.version,
            "history": self.history,
            "count": self.count,
            "leftOut": self.left_out,
            "runsUnknown": self.runs_unknown,
            "workloads": [each.as_data() for each in self.workloads],
            "quotas": [
                {**each.name._asdict(), "before": each.before, "after": each.after}
                for each in self.quotas
            ],
            "findings": [
                {"rule": each.rule.id, "object": str(each.object), "text": str(each.text)}
                for each in self.findings
            ],
        }


def review(
    before: str | Path, after: str | Path, history: History, *, runs: int | None = None
) -> Review:
    """Play the workloads of a record with the configuration before a change and after it.

    Parameters
    ----------
    before, after
        Files or folders: what ``kubectl apply`` takes.
    history
        The workloads.
    runs
        For how long workloads run of which that is not known, in nanoseconds; ``None``: without
        end.

    Raises
    ------
    InputError
        If a configuration cannot be read.
    """
    specs = [load_scenario(Path(each)) for each in (before, after)]
    courses = [_courses(_played(spec, history, runs)) for spec in specs]
    found = [
        WorkloadReview(key, courses[0].get(key, Course()), courses[1].get(key, Course()))
        for key in dict.fromkeys((*courses[0], *courses[1]))
    ]
    differing = sorted((each for each in found if each.kinds), key=_rank)
    submits = history.submissions(specs[0], None)
    return Review(
        history=history.name,
        workloads=tuple(differing),
        count=len(found),
        quotas=tuple(_quota_changes(*specs)),
        findings=tuple(_new_findings(Path(before), Path(after))),
        left_out=history.left_out,
        runs_unknown=sum(each.runs is None for each in submits),
        runs=runs,
    )


def _rank(each: WorkloadReview) -> tuple[bool, int, str]:
    """Order workloads: those that wait longer first, and large differences before small ones."""
    return each.more_waiting < 0, -abs(each.more_waiting), each.workload


def _played(spec: ScenarioSpec, history: History, runs: int | None) -> Observation:
    timeline = history.submissions(spec, runs)
    end = max((each.at for each in timeline), default=0) + _AFTER
    return observe(replace(spec, timeline=timeline, expect=()), end / SECOND)


def _courses(found: Observation) -> Mapping[str, Course]:
    starts: dict[str, int] = {}
    preempted: Counter[str] = Counter()
    for execution in found.executions:
        key = execution.state.key
        starts.setdefault(key, execution.start)
        preempted[key] += execution.reason == _PREEMPTED
    courses = {}
    for state, waiting in found.workloads.values():
        created = state.obj.metadata.creation_timestamp or found.player.start
        started = starts.get(state.key)
        courses[state.key] = Course(
            queue=waiting.queue,
            started=None if started is None else max(0, started - created),
            waited=waiting.until(found.end),
            preemptions=preempted[state.key],
        )
    return courses


def _quota_changes(before: ScenarioSpec, after: ScenarioSpec) -> Iterator[QuotaChange]:
    old, new = quotas_of(before.manifests), quotas_of(after.manifests)
    for name in sorted({*old, *new}):
        if old.get(name, 0) != new.get(name, 0):
            yield QuotaChange(name, old.get(name, 0), new.get(name, 0))


def _new_findings(before: Path, after: Path) -> Iterator[Finding]:
    """Yield what lint finds after the change; lines may differ, and are not compared."""
    there = {_identity(each) for each in lint([Source(before)]).findings}
    for finding in lint([Source(after)]).findings:
        if _identity(finding) not in there:
            yield finding


def _identity(finding: Finding) -> tuple[str, ...]:
    return finding.rule.id, str(finding.object), finding.field, str(finding.text)


def _course_as_data(course: Course) -> dict[str, Any]:
    return {
        "clusterQueue": course.queue,
        "startedSeconds": None if course.started is None else course.started / SECOND,
        "waitedSeconds": course.waited / SECOND,
        "preemptions": course.preemptions,
    }
