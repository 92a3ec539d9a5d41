"""A scenario in the lab beside the same scenario on a cluster: decisions, and their course.

Each *decision* of a cluster is held against the lab's from the state just before it: these
have to agree. The *course*, which decision comes when, depends on when jobs are created, run
and stop: where it differs from the lab's, the reason is given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kueuelab.live.job_courses import Course, Divergence, course_of, divergences, jobs_of
from kueuelab.live.mirror import Mirror
from kueuelab.live.missing_decisions import changed_jobs, changed_queues, missing_decisions
from kueuelab.live.playing import PlayedScenario
from kueuelab.live.retiming import JobTimes, run_at_cluster_times, submissions, times_of
from kueuelab.manifests import ScenarioSpec
from kueuelab.messages import Message, clauses
from kueuelab.model import Workload
from kueuelab.model.times import SECOND, to_seconds
from kueuelab.simulation import Loop
from kueuelab.trace import Trace
from kueuelab.whatif.lab import Lab

__all__ = ["Comparison", "compare"]

#: How many jobs a reason names.
_NAMED = 4
#: How much later than the lab a cluster may do something, in real nanoseconds.
_REACTION = 10 * SECOND


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the lab's decisions compare to a cluster's.

    Attributes
    ----------
    name
        The scenario.
    agree, differ
        How many decisions are the same, and how many are not.
    differences
        The latter, a sentence each.
    as_in_lab
        How many jobs and ClusterQueues have the same course as in the lab.
    course
        For the others where it diverges, a sentence each.
    reasons
        Why the course is another one, a sentence each.
    """

    name: str
    agree: int
    differences: tuple[str, ...] = ()
    as_in_lab: int = 0
    course: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def differ(self) -> int:
        """How many decisions are not the same."""
        return len(self.differences)

    def lines(self) -> Iterator[str]:
        """Yield the counts, the first difference, and the reasons, one line each."""
        yield Message("live.compare.counts", name=self.name, agree=self.agree, differ=self.differ)
        if self.differences:
            yield Message("live.compare.first-difference", difference=self.differences[0])
        if self.course:
            total = self.as_in_lab + len(self.course)
            yield Message("live.compare.courses", same=self.as_in_lab, total=total)
            yield Message("live.compare.first-divergence", divergence=self.course[0])
        for reason in self.reasons:
            yield Message("live.compare.reason", reason=reason)


def compare(played: PlayedScenario) -> Comparison:
    """Compare what clusters did in a scenario to what the lab does.

    Each decision of a cluster is held against the lab's from the state just before it,
    messages included. Jobs and queues have to be the scenario's, and where a run came to
    rest, nothing may wait that the lab would admit. Then the lab plays the scenario by
    itself, and where the course is another one, once more at the cluster's times. What else
    is in a cluster does not count.

    Parameters
    ----------
    played
        The scenario, and what followed the clusters while it was played there.
    """
    spec = played.spec
    submitted = jobs_of({workload.key: workload for workload, _ in submissions(spec)})
    traces, loop = _lab_runs(spec)
    agree, as_in_lab = 0, 0
    differences: list[str] = []
    course: list[str] = []
    reasons: list[str] = []
    for name, mirror in played.mirrors.items():
        known = set(submitted.values())
        originals = played.mirror.seen if name else {}
        found_jobs = jobs_of(mirror.seen, originals)
        jobs = {key: job for key, job in found_jobs.items() if job in known}
        for decision in mirror.decisions:
            if decision.observed.workload in jobs:
                agree += decision.agrees
                differences += [] if decision.agrees else [_in_cluster(name, decision.as_text())]
        workloads = {job: mirror.seen[key] for key, job in jobs.items()}
        changed = [*changed_queues(spec, mirror, name), *changed_jobs(spec, workloads)]
        omitted = list(missing_decisions(mirror, jobs)) if played.at_rest else []
        differences += [_in_cluster(name, sentence) for sentence in (*changed, *omitted)]
        alone = not spec.workers  # several clusters race each other
        lab = course_of(traces[name], submitted, queues=alone)
        real = course_of(mirror.trace, jobs, queues=alone)
        stop = _stops_at(played)
        found = divergences(lab, real, lab_stops=loop is not None, cluster_stops_at=stop)
        as_in_lab += len(lab.keys() | real.keys()) - len(found)
        course += [_in_cluster(name, each.as_text()) for each in found]
        if changed:
            reasons.append(_in_cluster(name, Message("live.compare.changed")))
        elif alone:
            reasons += _Reasons(played, mirror, jobs, workloads, traces[name], loop).of(found)
        elif found:
            reasons.append(_in_cluster(name, Message("live.compare.several-clusters")))
    context = played.mirror.name
    return Comparison(
        spec.name or context,
        agree,
        tuple(differences),
        as_in_lab,
        tuple(course),
        tuple(reasons),
    )


def _stops_at(played: PlayedScenario) -> int | None:
    """Return from when the lab's course does not count, as the cluster's run was ended early."""
    if played.ended_early_at is None:
        return None
    return max(0, played.ended_early_at - round(_REACTION * played.speed))


def _in_cluster(cluster: str, sentence: str) -> str:
    """Return a sentence with the name of its cluster; a single cluster has none."""
    if not cluster:
        return sentence
    return Message("live.compare.in-cluster", cluster=cluster, sentence=sentence)


def _lab_runs(spec: ScenarioSpec) -> tuple[dict[str, Trace], Loop | None]:
    """Return what the lab does in each cluster, and the loop at which it stops."""
    if not spec.workers:
        run = Lab(spec).run()
        return {"": run.trace}, run.loop
    from kueuelab.multikueue import MultiKueueScenario

    traces = MultiKueueScenario(spec).run().traces
    return {"" if name == "manager" else name: trace for name, trace in traces.items()}, None


class _Reasons:
    """Finds out why the course on a cluster is another one than the lab's."""

    def __init__(
        self,
        played: PlayedScenario,
        mirror: Mirror,
        jobs: Mapping[str, str],
        workloads: Mapping[str, Workload],
        lab: Trace,
        loop: Loop | None,
    ) -> None:
        self._played, self._mirror, self._jobs = played, mirror, jobs
        self._workloads, self._lab, self._loop = workloads, lab, loop
        self._times = times_of(mirror.trace, jobs)

    def of(self, found: list[Divergence]) -> Iterator[str]:
        """Yield the reasons, a sentence each."""
        if self._loop is not None:
            since = _seconds(self._loop.time - self._lab[0].time)
            yield Message("live.compare.loop", since=since)
        if not found:
            return
        played, mirror = self._played, self._mirror
        trace = run_at_cluster_times(
            played.spec, mirror, self._workloads, self._times, played.speed
        )
        lab, real = course_of(trace, self._jobs), course_of(mirror.trace, self._jobs)
        stop = _stops_at(played)
        left = divergences(
            lab,
            real,
            lab_stops=self._loop is not None,
            cluster_stops_at=None if stop is None else round(stop / played.speed),
        )
        facts = clauses(list(self._facts(self._times)))
        if not left:
            yield Message("live.compare.same-at-times", facts=facts)
            return
        first = left[0]
        yield Message("live.compare.times", facts=facts)
        yield self._tie(first, real) or Message(
            "live.compare.order",
            seconds=_seconds((first.cluster or first.lab).time),  # type: ignore[union-attr]
            divergence=first.as_text(),
        )

    def _facts(self, times: JobTimes) -> Iterator[str]:
        """Yield what is different on the cluster and no decision."""
        instants: dict[int, list[str]] = defaultdict(list)
        for workload, at in submissions(self._played.spec):
            instants[at] += jobs_of({workload.key: workload}).values()
        together = max(instants.values(), key=len, default=[])
        if len(together) > 1:
            named = ", ".join(together[:_NAMED]) + (", ..." if together[_NAMED:] else "")
            yield Message("live.compare.fact.created", named=named)
        stops = [stop for each in times.stops.values() for stop in each]
        if stops:
            yield Message("live.compare.fact.stops", seconds=_seconds(max(stops)))
        there, here = (_seconds(_length(trace)) for trace in (self._mirror.trace, self._lab))
        yield Message("live.compare.fact.length", there=there, here=here)

    def _tie(self, first: Divergence, real: Course) -> str:
        """Name a tie: jobs that a race in Kueue puts in order, as they are of one second."""
        if first.lab is None or first.cluster is None:
            return ""
        both = [first.lab.text, first.cluster.text]
        if not all(job in self._workloads for job in both):
            return ""
        one, other = (self._workloads[job] for job in both)
        created = [to_seconds(each.metadata.creation_timestamp or 0) for each in (one, other)]
        if one.priority == other.priority and created[0] == created[1]:
            return Message("live.compare.tie.created", first=both[0], second=both[1])
        times = [moment.time for moment in real[first.subject] if moment.text == both[0]]
        if any(abs(time - first.cluster.time) <= SECOND for time in times):
            return Message("live.compare.tie.admitted", first=both[0], second=both[1])
        return ""


def _length(trace: Trace) -> int:
    return trace[-1].time - trace[0].time if len(trace) else 0


def _seconds(time: int) -> str:
    return f"{time / SECOND:.1f} s"
