"""What the lab says of a scenario before a cluster plays it: its length, its end, its loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from kueuelab.live.retiming import submissions
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import SetCheck
from kueuelab.messages import Message
from kueuelab.model.times import SECOND
from kueuelab.simulation import Loop
from kueuelab.trace import Trace

__all__ = ["ExpectedCourse", "announcement", "expected_course", "suitable_speed", "timers_in"]

#: Steps of a record that a later state of the cluster can contradict.
_DECISIONS: Final = frozenset({"QuotaReserved", "Admitted", "Preempting", "Evicted"})
#: A scenario that takes longer in real time is played faster, if that changes nothing.
_SUITABLE_SECONDS: Final = 60
#: Kueue orders by whole seconds: what follows within one is a tie.
_RESOLUTION: Final = SECOND
_SPEEDS: Final = (*range(1, 11), *range(15, 61, 5))


@dataclass(frozen=True, slots=True)
class ExpectedCourse:
    """What the lab does in a scenario.

    Attributes
    ----------
    judged
        When everything is over that the scenario expects: nothing that comes later changes what was
        judged. Without expectations, the last decision. In nanoseconds since the start.
    end
        When the lab comes to rest, or finds a loop.
    finishing
        Which workloads finish, by the cluster (``""`` for the manager).
    loop
        The loop that it finds.
    """

    judged: int = 0
    end: int = 0
    finishing: Mapping[str, set[str]] = field(default_factory=dict)
    loop: Loop | None = None

    def seconds(self, speed: float, *, to_the_end: bool) -> float:
        """Return how long it takes at a speed, in real seconds."""
        return (max(self.end, self.judged) if to_the_end else self.judged) / speed / SECOND


def expected_course(spec: ScenarioSpec) -> ExpectedCourse:
    """Return what the lab does in a scenario.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> found = expected_course(scenarios.load("reclaim-1-take-back").spec)
    >>> found.judged // SECOND, found.end // SECOND, found.loop
    (11, 7, None)
    """
    if spec.workers:
        from kueuelab.multikueue import MultiKueueScenario

        run = MultiKueueScenario(spec).run()
        members = run.cluster_set.members.items()
        finishing = {
            "" if name == "manager" else name: {
                key for key, state in member.workloads.items() if state.is_finished
            }
            for name, member in members
        }
        return _course(spec, list(run.traces.values()), finishing, None)
    from kueuelab.whatif.lab import Lab

    alone = Lab(spec).run()
    workloads = alone.cluster.workloads
    ended = {key for key, state in workloads.items() if state.is_finished}
    return _course(spec, [alone.trace], {"": ended}, alone.loop)


def _course(
    spec: ScenarioSpec,
    traces: list[Trace],
    finishing: Mapping[str, set[str]],
    loop: Loop | None,
) -> ExpectedCourse:
    decided = end = 0
    for trace in traces:
        if not len(trace):
            continue
        start = trace[0].time
        end = max(end, trace[-1].time - start)
        times = [step.time - start for step in trace if step.kind in _DECISIONS]
        decided = max(decided, *times, 0)
    judged = spec.end if spec.expect else max(spec.end, decided)
    return ExpectedCourse(judged, end, finishing, loop)


def timers_in(spec: ScenarioSpec) -> Iterator[str]:
    """Yield the timers of Kueue that a scenario uses: they do not get faster with it."""
    if spec.configuration.wait_for_pods_ready is not None:
        yield "waitForPodsReady"
    if any(each.maximum_execution_time_seconds is not None for each, _ in submissions(spec)):
        yield "maximumExecutionTimeSeconds"
    checks = [each for each in spec.timeline if isinstance(each, SetCheck)]
    if any(each.requeue_after_seconds is not None for each in checks):
        yield "requeueAfterSeconds"


def suitable_speed(
    spec: ScenarioSpec, course: ExpectedCourse, seconds: float, *, to_the_end: bool
) -> float:
    """Return how many seconds of a scenario should pass in a real one.

    Not more than is needed for one minute, and not so many that actions of the timeline come
    within a second, which is a tie for Kueue; more only if the scenario takes too long otherwise.
    Timers of Kueue do not get faster: with one of them it is 1.

    Parameters
    ----------
    spec, course
        The scenario, and what the lab does in it.
    seconds
        How long it may take.
    to_the_end
        Whether it is played until the lab comes to rest.

    Examples
    --------
    >>> suitable_speed(ScenarioSpec(), ExpectedCourse(judged=600 * SECOND), 600, to_the_end=False)
    10
    """
    if any(timers_in(spec)):
        return 1
    needed = course.seconds(1, to_the_end=to_the_end)
    times = sorted({action.at for action in spec.timeline})
    gaps = [later - earlier for earlier, later in pairwise(times)]
    possible = min(gaps, default=_SPEEDS[-1] * _RESOLUTION) / _RESOLUTION
    found = max(
        (each for each in _SPEEDS if each <= possible and _is_needed(each, needed)), default=1
    )
    if needed / found > seconds / 2:
        longest = (each for each in _SPEEDS if needed / each <= seconds / 2)
        found = next(longest, _SPEEDS[-1])
    return found


def _is_needed(speed: int, seconds: float) -> bool:
    """Tell whether the next lower speed would take too long."""
    slower = max((each for each in _SPEEDS if each < speed), default=0)
    return bool(slower) and seconds / slower > _SUITABLE_SECONDS


def announcement(
    course: ExpectedCourse, speed: float, *, to_the_end: bool, rounds: int
) -> Iterator[str]:
    """Yield what is said before a scenario is played: how long it takes, and what is left out."""
    seconds = course.seconds(speed, to_the_end=to_the_end)
    if speed == 1:
        yield Message("live.play.expected", seconds=f"{seconds:.0f}")
    else:
        values = {"seconds": f"{seconds:.0f}", "speed": f"{speed:g}"}
        yield Message("live.play.expected-faster", **values)
    if course.loop is not None:
        yield Message("live.play.loop", count=rounds, workloads=", ".join(course.loop.workloads))
    elif not to_the_end and course.end > course.judged:
        judged, end = course.judged / SECOND, course.end / SECOND
        yield Message("live.play.not-to-the-end", judged=f"{judged:.0f}", end=f"{end:.0f}")
