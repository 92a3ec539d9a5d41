"""Doing what a scenario's timeline says, when it says so, while everything is followed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from kueuelab.live.conditions import is_true_of
from kueuelab.live.ending import is_finished, pending_timers, rounds_of
from kueuelab.live.expected_course import ExpectedCourse
from kueuelab.live.job_changes import change_job, shown_changes
from kueuelab.live.play_options import PlayProgress
from kueuelab.live.requests import Request
from kueuelab.live.resources import Json
from kueuelab.live.scaling import parallelism_of, scale_job
from kueuelab.live.scenario_cluster import ScenarioCluster
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import (
    Apply,
    ChangeJob,
    Delete,
    Expectation,
    Finish,
    PodsReady,
    Reclaim,
    Remove,
    Scale,
    SetActive,
    SetCheck,
    SetPriority,
    Submit,
)
from kueuelab.messages import Message
from kueuelab.model import Workload
from kueuelab.model.times import SECOND, format_time
from kueuelab.simulation.expectations import Outcome, judge

__all__ = ["TimelinePlayer"]

#: How long what the timeline asks for may take to become possible.
_PATIENCE: Final = 10.0
#: How long after its time something that is expected may come true.
_LATE: Final = 5.0
#: After how long without a request and a change nothing more is expected to happen.
_QUIET: Final = 4.0
#: The same where every job has ended.
_ENDED: Final = 0.5
#: How long it may go on after all was judged, where something always changes.
_RESTLESS: Final = 15.0
#: How long Kueue may take until it makes the Workload of a job.
_REACTION: Final = 30.0
_BREATH: Final = 0.05


class TimelinePlayer:
    """Plays the timeline of a scenario.

    Parameters
    ----------
    clusters
        The clusters, by their names in the scenario.
    spec
        The scenario.
    requests
        What it asks for.
    speed
        How many seconds of the scenario pass in one.
    tell
        Called with what is done.
    course
        What the lab does in it.
    to_the_end
        Whether it goes on after all was judged that is expected, until nothing is left to happen.
    rounds
        How many rounds of the lab's loop are followed.
    watch
        Called with how far it is.

    Attributes
    ----------
    outcomes
        The scenario's expectations so far, and what was found.
    ended_early_at
        The time of the scenario at which it was ended before all was over, in nanoseconds since its
        start; ``None`` if it went to its end.
    """

    def __init__(
        self,
        clusters: Mapping[str, ScenarioCluster],
        spec: ScenarioSpec,
        requests: list[Request],
        speed: float,
        tell: Callable[[str], None],
        course: ExpectedCourse,
        *,
        to_the_end: bool = True,
        rounds: int = 3,
        watch: Callable[[PlayProgress], None] = lambda progress: None,
    ) -> None:
        self._clusters, self._spec, self._requests = clusters, spec, requests
        self._speed, self._tell, self._course = speed, tell, course
        self._to_the_end, self._rounds, self._watch = to_the_end, rounds, watch
        self._seconds = course.seconds(speed, to_the_end=to_the_end)
        self._judged_since: float | None = None
        self._bodies: dict[str, Json] = {}
        self._homes: dict[str, str] = {}
        self._gone: set[str] = set()
        self._submitted: dict[str, float] = {}
        self._began = self._acted = time.monotonic()
        self._deadline = self._began
        self._expected = list(spec.expect)
        self._waiting_for: list[str] = []
        self.outcomes: list[Outcome] = []
        self.ended_early_at: int | None = None

    def play(self, seconds: float) -> bool:
        """Play it all, and wait until nothing more is to come; tell whether that came in time."""
        self._began = time.monotonic()
        deadline = self._deadline = self._began + seconds
        scripted = [r.action for r in self._requests if isinstance(r.action, PodsReady)]
        for cluster in self._clusters.values():
            cluster.player.scripted |= {action.workload for action in scripted}
        for request in self._requests:
            self._follow_until(self._began + request.at / 1e9)
            self._perform(request)
            self._acted = time.monotonic()
        end = self._spec.end if self._to_the_end else self._course.judged
        self._follow_until(min(self._began + end / self._speed / 1e9, deadline))
        is_over = self._is_over if self._to_the_end else self._is_judged
        in_time = self._until(
            lambda: is_over() or self._is_loop_over(), deadline - time.monotonic()
        )
        at_rest = in_time and self._is_at_rest()
        is_more_to_come = not self._to_the_end and self._course.end > self._course.judged
        if is_more_to_come or self._course.loop is not None:
            self.ended_early_at = round((time.monotonic() - self._began) * self._speed * SECOND)
        if not in_time:
            self._tell(
                Message("live.play.ended", seconds=f"{seconds:g}", unfinished=self._unfinished())
            )
            if not all(cluster.played for cluster in self._clusters.values()):
                self._tell(Message("live.play.no-pod-starts"))
        for expectation in self._expected:
            self._hold(expectation)
        self._expected.clear()
        return at_rest

    # --- time --------------------------------------------------------------------------

    def _follow_until(self, when: float) -> None:
        while time.monotonic() < when:
            self._tick(min(_BREATH, max(when - time.monotonic(), 0)))
            self._report()
        self._tick(0)

    def _until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """Go on until something holds, so long at most; tell whether it does."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                return False
            self._tick(_BREATH)
            self._report()
        return True

    def _report(self) -> None:
        elapsed = time.monotonic() - self._began
        self._watch(PlayProgress(elapsed, self._seconds, tuple(self._waiting_for)))

    def _tick(self, breath: float) -> None:
        for cluster in self._clusters.values():
            cluster.tick()
        self._look()
        if breath:
            time.sleep(breath)

    def _is_judged(self) -> bool:
        """Tell whether all was judged that is expected, Kueue has reacted to all, and is quiet."""
        self._waiting_for = [
            *(_expected_text(each) for each in self._expected),
            *(Message("live.play.waits.workload", key=key) for key in self._unnoticed()),
        ]
        if self._waiting_for:
            self._judged_since = None
            return False
        now = time.monotonic()
        self._judged_since = self._judged_since or now
        return self._quiet_for() >= _QUIET or now - self._judged_since >= _RESTLESS

    def _is_loop_over(self) -> bool:
        """Tell whether the loop that the lab finds was followed for as long as is wanted."""
        loop = self._course.loop
        if loop is None or self._expected:
            return False
        own = [self._workload(key, "") for key in loop.workloads]
        keys = [each.key for each in own if each is not None]
        if len(keys) < len(loop.workloads):
            return False
        decisions = self._clusters[""].following.mirror.decisions
        admitted = (each.observed.workload for each in decisions if each.observed.cluster_queue)
        return rounds_of(keys, admitted) >= self._rounds

    def _is_at_rest(self) -> bool:
        """Tell whether nothing changes, and no timer will change something."""
        timers = (timer for each in self._clusters.values() for timer in self._timers(each))
        is_quiet = self._to_the_end or self._quiet_for() >= _QUIET
        return is_quiet and next(timers, None) is None

    def _quiet_for(self) -> float:
        quiet = min(cluster.following.quiet_for for cluster in self._clusters.values())
        return min(quiet, time.monotonic() - self._acted)

    def _is_over(self) -> bool:
        """Tell whether nothing more is to come: Kueue has reacted to all, and all is quiet."""
        ending = self._course.finishing
        self._waiting_for = [
            *self._not_finished(ending),
            *(Message("live.play.waits.workload", key=key) for key in self._unnoticed()),
            *(timer for cluster in self._clusters.values() for timer in self._timers(cluster)),
        ]
        if self._waiting_for:
            return False
        all_ended = self._homes.keys() - self._gone <= set().union(*ending.values())
        return self._quiet_for() >= (_ENDED if all_ended else _QUIET)

    def _unfinished(self) -> str:
        return ", ".join(self._waiting_for) or Message("live.play.waits.changes")

    def _not_finished(self, ending: Mapping[str, set[str]]) -> list[str]:
        """Return which jobs are to finish, and have not."""
        jobs = ((key, home) for key, home in self._homes.items() if key not in self._gone)
        return [
            Message("live.play.waits.end", key=key)
            for key, home in jobs
            if key in ending.get(home, ()) and not is_finished(self._workload(key, home))
        ]

    def _unnoticed(self) -> list[str]:
        """Return the jobs of which Kueue has not made a Workload yet, but may still."""
        since = time.monotonic() - _REACTION
        return [
            key
            for key, at in self._submitted.items()
            if at > since and key not in self._gone and not self._workload(key, self._homes[key])
        ]

    def _timers(self, cluster: ScenarioCluster) -> Iterator[str]:
        mirror = cluster.following.mirror
        now = mirror.now + round(cluster.following.quiet_for * SECOND)
        until = now + round((self._deadline - time.monotonic()) * SECOND)
        own = (cluster.workload_of(body) for body in self._bodies.values())
        workloads = [each for each in own if each is not None]
        return pending_timers(workloads, mirror.configuration.wait_for_pods_ready, now, until)

    # --- doing -------------------------------------------------------------------------

    def _perform(self, request: Request) -> None:
        action = request.action
        cluster = self._clusters[request.cluster]
        at = f"{time.monotonic() - self._began:5.1f}s"
        match action:
            case Submit(workloads=workloads):
                for workload, body in zip(workloads, request.bodies, strict=True):
                    self._tell(Message("live.play.submit", at=at, workload=workload.key))
                    self._submit(cluster, workload.key, body, request.runs[workload.key])
            case Apply():
                for body in request.bodies:
                    name = f"{body['kind']} {body['metadata']['name']}"
                    self._tell(Message("live.play.apply", at=at, object=name))
                    cluster.apply(body)
            case Remove(kind=kind, name=name, namespace=namespace):
                self._tell(Message("live.play.remove", at=at, object=f"{kind} {name}"))
                cluster.remove(kind, name, namespace)
            case Delete(workload=key):
                self._tell(Message("live.play.delete", at=at, workload=key))
                self._delete(cluster, key)
            case Scale(workload=key, pods=pods):
                job, count = self._bodies[key], parallelism_of(pods)
                name = job["metadata"]["name"]
                self._tell(Message("live.play.scale", at=at, job=name, pods=count))
                if not scale_job(cluster.api, job, pods):
                    self._tell(Message("live.play.not-possible", workload=key))
            case ChangeJob(workload=key):
                job = self._bodies[key]
                changed = shown_changes(action)
                name = job["metadata"]["name"]
                self._tell(Message("live.play.change-job", at=at, job=name, changes=changed))
                if not change_job(cluster.api, job, action):
                    self._tell(Message("live.play.not-possible", workload=key))
            case Finish() | SetCheck() | PodsReady() | SetActive() | SetPriority() | Reclaim():
                name = type(action).__name__
                name = name[0].lower() + name[1:]
                self._tell(
                    Message("live.play.action", at=at, action=name, workload=action.workload)
                )
                if not self._until(lambda: self._do(cluster, action), _PATIENCE):
                    self._tell(Message("live.play.not-possible", workload=action.workload))

    def _submit(self, cluster: ScenarioCluster, key: str, body: Json, runs: int | None) -> None:
        body = cluster.submit(body, managed=len(self._clusters) == 1 or cluster.name != "")
        self._bodies[key] = body
        self._homes[key] = cluster.name
        self._submitted[key] = time.monotonic()
        for each in self._clusters.values():
            each.player.add(key, body, runs)

    def _delete(self, cluster: ScenarioCluster, key: str) -> None:
        body = self._bodies[key]
        meta = body["metadata"]
        self._gone.add(key)
        for each in self._clusters.values():
            each.player.forget(key)
        cluster.created.delete(body["kind"], meta["name"], meta.get("namespace", ""))

    def _do(
        self,
        cluster: ScenarioCluster,
        action: Finish | SetCheck | PodsReady | SetActive | SetPriority | Reclaim,
    ) -> bool:
        """Do something about a workload, if it is where that is possible; tell whether."""
        key = action.workload
        workload = self._workload(key, cluster.name)
        if workload is None:
            return False
        match action:
            case Finish():
                return any(each.player.finish(key) for each in self._clusters.values())
            case SetActive(active=active):
                return cluster.edit_workload(workload, partial(_set_active, active))
            case SetPriority(priority=priority):
                return cluster.edit_workload(workload, partial(_set_priority, priority))
            case SetCheck():
                return cluster.edit_workload(workload, partial(_set_check, action), part="status")
            case PodsReady(ready=ready):
                return any(each.player.ready(key, ready) for each in self._clusters.values())
            case Reclaim(pods=pods):
                counts = {pod.name: pod.count for pod in pods}
                return any(each.player.reclaim(key, counts) for each in self._clusters.values())

    def _workload(self, key: str, cluster: str) -> Workload | None:
        body = self._bodies.get(key)
        return None if body is None else self._clusters[cluster].workload_of(body)

    # --- expecting ---------------------------------------------------------------------

    def _look(self) -> None:
        """Hold what is expected by now against what is; it may come true a little late."""
        now = (time.monotonic() - self._began) * self._speed
        for expectation in tuple(self._expected):
            if expectation.at / 1e9 > now:
                return
            late = now - expectation.at / 1e9 > _LATE * self._speed
            if self._outcome(expectation).passed or late:
                self._expected.remove(expectation)
                self._hold(expectation)

    def _hold(self, expectation: Expectation) -> None:
        outcome = self._outcome(expectation)
        self.outcomes.append(Outcome(expectation, outcome.differences))

    def _outcome(self, expectation: Expectation) -> Outcome:
        cluster = self._clusters[expectation.cluster]
        if expectation.workload:
            found = self._workload(expectation.workload, cluster.name)
            if found is not None:
                expectation = replace(expectation, workload=found.key)
        # No pod runs there: its rank is not seen.
        return judge(replace(expectation, ranks=None), cluster.following.mirror.state)


def _expected_text(expectation: Expectation) -> str:
    subject = Outcome(expectation, ()).subject
    return Message("live.play.waits.expected", subject=subject, at=f"{expectation.at / 1e9:g}")


def _set_active(active: bool, obj: Json) -> bool:
    obj["spec"]["active"] = active
    return True


def _set_priority(priority: int, obj: Json) -> bool:
    obj["spec"]["priority"] = priority
    return True


def _set_check(action: SetCheck, obj: Json) -> bool:
    """Let a check report on a Workload that has quota, as in the lab."""
    gone = is_true_of(obj, "Evicted") or is_true_of(obj, "Finished")
    if gone or not is_true_of(obj, "QuotaReserved"):
        return False
    checks = (obj.get("status") or {}).get("admissionChecks") or ()
    for check_ in checks:
        if check_["name"] == action.check:
            now = format_time(time.time_ns())
            check_.update(state=action.state, message=action.message, lastTransitionTime=now)
            if action.requeue_after_seconds is not None:
                check_["requeueAfterSeconds"] = action.requeue_after_seconds
            return True
    return False
