"""Playing a scenario on a cluster: its timeline, its jobs, the scheduler in between.

At each instant all that is due is done first: timers, then what the timeline says, then
jobs whose time is over. Then the scheduler runs until nothing changes any more; pods of
evicted workloads are gone after each cycle, or after the time that they take. A run that
comes back to a state in which it was before, with nothing but its own decisions in between,
would go on for ever: it stops with that finding. So does one in which only time goes by
between the same states (:mod:`kueuelab.simulation.recurrence`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from heapq import heappop, heappush
from types import MappingProxyType
from typing import Final

from kueuelab.collector import without_collection
from kueuelab.errors import InputError, Problem
from kueuelab.manifests.scenario import (
    Action,
    Advance,
    Apply,
    ChangeJob,
    Delete,
    Expectation,
    Finish,
    PodsReady,
    Reclaim,
    Remove,
    Scale,
    ScenarioSpec,
    SetActive,
    SetCheck,
    SetPriority,
    Submit,
)
from kueuelab.messages import Message
from kueuelab.model import Workload
from kueuelab.model.times import SECOND, parse_time
from kueuelab.progress import note_progress
from kueuelab.scheduler.chances import Chances
from kueuelab.simulation.cluster import Cluster
from kueuelab.simulation.cycle_record import CycleRecord
from kueuelab.simulation.expectations import Outcome, judge
from kueuelab.simulation.found_loop import Loop
from kueuelab.simulation.recurrence import Recurrence, Recurring, deciding_state
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import JobResumed, LoopFound
from kueuelab.workload.slices import is_slice, job_of, replacement_for
from kueuelab.workload.variants import parent_name

__all__ = ["DEFAULT_START", "Player"]

#: The clock at the start of a scenario that doesn't say.
DEFAULT_START: Final = parse_time("2026-01-01T00:00:00Z")

#: How long timers alone keep a run going after the last thing that anybody did.
_PATIENCE: Final = 3600 * SECOND

#: At one instant: actions before jobs that end, so that what is asked for comes first.
_ACTION, _JOB_ENDS, _EXPECTATION = 0, 1, 2

#: What is on the agenda: when, its rank, its number, what is done, and what goes on by itself
#: (what, and to which workload), empty for actions of the scenario.
_Entry = tuple[int, int, int, Callable[[], None], tuple[str, str]]


class Player:
    """Plays one scenario.

    Parameters
    ----------
    spec
        The scenario.
    recorder
        Records every step, if given.

    Attributes
    ----------
    cluster
        The cluster, as it is now.
    outcomes
        The expectations that were due so far, judged by the record; none without a recorder.
    loop
        The loop that ended the run, if one did.
    cycles
        Records of all cycles, as long as ``keeps_cycles``.
    """

    def __init__(self, spec: ScenarioSpec, recorder: Recorder | None = None) -> None:
        if spec.workers:
            hint = Message("simulation.several-clusters.hint")
            raise InputError(Problem(Message("simulation.several-clusters"), hint=hint))
        self.spec = spec
        self.start = DEFAULT_START if spec.start is None else spec.start
        self.cycles: list[CycleRecord] = []
        self.cluster = Cluster(
            spec.configuration,
            start=self.start,
            recorder=recorder,
            on_cycle=self._note_cycle,
            chances=Chances(spec.chance),
        )
        self.outcomes: list[Outcome] = []
        self.loop: Loop | None = None
        self._recorder = recorder
        #: Whether it keeps the records of all cycles, and not only of the latest ones.
        self.keeps_cycles = True
        self._latest_cycles: deque[CycleRecord] = deque(maxlen=2)
        #: Whether it stops where it finds that the same comes again as time goes by.
        self.stops_at_recurrence = True
        self._recurrence = Recurrence(self.cluster)
        self._recurring: Recurring | None = None
        #: When something was asked for last, or a job ended.
        self._last_asked = self.start + spec.end
        self._agenda: list[_Entry] = []
        self._asked = 0
        self._sequence = 0
        self._stops: dict[str, int] = {}
        self._runs: dict[str, int] = dict(spec.manifests.runs)
        for workload in spec.manifests.workloads:
            if workload.key in self._runs:
                self._runs[_job(workload)] = self._runs[workload.key]
        self._admissions: dict[str, int] = {}
        #: When jobs that run end, by the workload that was admitted last.
        self._ends: dict[str, int] = {}
        self._events_seen = 0
        self._scripted = {a.workload for a in spec.timeline if isinstance(a, PodsReady)}
        #: Called whenever nothing is under way: before the first cycle of an instant and
        #: after each cycle. It tells whether it changed anything.
        self.on_pause: Callable[[], bool] | None = None
        self.cluster.plane.pods_follow_assignments = True
        self.cluster.load(spec.manifests, spec.manifests.events)
        self.cluster.plane.restarts_take_time = True
        for action in spec.timeline:
            self.at(self.start + action.at, partial(self.do, action))
        for expectation in spec.expect:
            self._expect(expectation)
        self._planned = self._asked
        self._take_over_running()

    # --- the agenda --------------------------------------------------------------------

    def at(self, time: int, do: Callable[[], None], *, rank: int = _ACTION) -> None:
        """Put something on the agenda, in nanoseconds since 1970."""
        self._put(time, do, rank, ("", ""))
        self._asked += 1

    def _put(self, time: int, do: Callable[[], None], rank: int, what: tuple[str, str]) -> None:
        self._sequence += 1
        heappush(self._agenda, (time, rank, self._sequence, do, what))

    def _do_next(self) -> None:
        """Do what is first on the agenda."""
        _, _, _, do, what = heappop(self._agenda)
        if not any(what):
            self._asked -= 1
            self._forget_recurrence()
        do()

    def _expect(self, expectation: Expectation) -> None:
        self.at(self.start + expectation.at, partial(self._check, expectation), rank=_EXPECTATION)

    def _check(self, expectation: Expectation) -> None:
        if self._recorder is not None:
            self.outcomes.append(judge(expectation, self._recorder.state()))

    def play(self, until: int | None = None) -> None:
        """Go on until nothing is left to do, or until a time (ns since 1970)."""
        with without_collection(circles=False):
            for _ in self.instants(until):
                pass

    def instants(self, until: int | None = None) -> Iterator[int]:
        """Go on, and yield the time after each instant at which something was done.

        To stop at a time and to go on from there changes nothing.
        """
        if self.loop is None:
            self._schedule()
            self._stop_at_recurrence()
        yield self.cluster.now
        while self.loop is None and (due := self._next_due()) is not None:
            if self._agenda:
                self._last_asked = max(self._last_asked, self._agenda[0][0])
            if until is not None and due > until:
                break
            if until is None and due > self._last_asked + _PATIENCE:
                break
            note_progress("playing", self._planned - self._asked, self._planned)
            self._pass_to(due)
            self._look_for_recurrence()
            self._stop_at_recurrence()
            yield self.cluster.now
        if until is not None and self.loop is None:
            self.cluster.advance_to(until)

    def intervene(self) -> None:
        """Note that the cluster is changed now, other than by the agenda.

        A loop that ended the run may be over; and what happens by itself has its time again.
        """
        self.loop = None
        self._forget_recurrence()
        self._last_asked = max(self._last_asked, self.cluster.now)

    def _next_due(self) -> int | None:
        timer = self.cluster.next_timer()
        asked = self._agenda[0][0] if self._agenda else None
        return min((due for due in (timer, asked) if due is not None), default=None)

    def _pass_to(self, time: int) -> None:
        """Move on to an instant and do all that is due then."""
        self.cluster.advance_to(time)
        self._follow_jobs()
        agenda = self._agenda
        while agenda and agenda[0][0] <= time and agenda[0][1] != _EXPECTATION:
            self._do_next()
            self._follow_jobs()
        self._schedule()
        while agenda and agenda[0][0] <= time:
            self._do_next()

    # --- what the timeline says ----------------------------------------------------------

    def do(self, action: Action) -> None:
        """Do what an action says, now."""
        cluster = self.cluster
        match action:
            case Submit(workloads=workloads, runs=runs, stops=stops):
                for workload in workloads:
                    self._stops[_job(workload)] = stops
                    self.submit(workload, runs)
            case Apply(objects=objects):
                for obj in objects:
                    if not isinstance(obj, Workload):
                        cluster.apply(obj)
            case Remove(kind=kind, name=name, namespace=namespace):
                cluster.remove(kind, name, namespace)
            case Finish(workload=key):
                cluster.finish_slices(key)
            case Delete(workload=key):
                for each in cluster.slices_of(key):
                    self._admissions.pop(each, None)
                    cluster.delete_job(each)
            case SetCheck():
                cluster.set_check(
                    cluster.current_slice(action.workload),
                    action.check,
                    action.state,
                    action.message,
                    action.requeue_after_seconds,
                )
            case PodsReady(workload=key, ready=ready):
                cluster.pods_ready(cluster.current_slice(key), ready)
            case SetActive(workload=key, active=active):
                cluster.set_active(cluster.current_slice(key), active)
            case SetPriority(workload=key, priority=priority):
                cluster.set_priority(cluster.current_slice(key), priority)
            case ChangeJob(workload=key):
                cluster.change_job(key, action)
                if action.suspend:
                    self._resume(cluster.current_slice(key))
            case Scale(workload=key, pods=number):
                cluster.scale_job(key, number)
            case Reclaim(workload=key, pods=pods):
                cluster.reclaim(cluster.current_slice(key), pods)
            case Advance(duration=duration):
                self.at(cluster.now + duration, _nothing)

    def submit(self, workload: Workload, runs: int | None = None) -> None:
        """Create a workload whose job runs for ``runs`` ns each time it is admitted."""
        # One of the same name that was deleted may have run for another time.
        self._runs.pop(_job(workload), None)
        if runs is not None:
            self._runs[_job(workload)] = runs
        self.cluster.create_workload(workload)

    # --- jobs ----------------------------------------------------------------------------

    @property
    def runs(self) -> Mapping[str, int]:
        """How long jobs run each time they are admitted, in nanoseconds, where that is known."""
        return MappingProxyType(self._runs)

    def expect_run(self, key: str, runs: int | None, left: int | None = None) -> None:
        """Let a job run for ``runs`` ns each time it is admitted, whatever was known before.

        If it runs now, it ends after ``left``. ``None`` is until something finishes it.
        """
        if runs is None:
            self._runs.pop(key, None)
        else:
            self._runs[key] = runs
        if key not in self._admissions:
            return
        # An end that was due before is none of this admission.
        self._sequence += 1
        admission = self._admissions[key] = self._sequence
        if left is not None:
            ended = partial(self._ended, key, admission)
            self._put(self.cluster.now + left, ended, _JOB_ENDS, ("ends", key))

    def _take_over_running(self) -> None:
        """Let jobs that run at the start end when their time, counted from there, is over.

        Pods that were not ready when the status was read stay so until the timeline says more.
        """
        for key, state in self.cluster.workloads.items():
            if state.is_admitted and not state.is_finished:
                ready = state.conditions.get("PodsReady")
                self._started(key, ready=ready is None or ready.status == "True")

    def _follow_jobs(self) -> None:
        """Start the jobs that were admitted since the last time, stop the evicted ones."""
        events = self.cluster.events
        while self._events_seen < len(events):
            event = events[self._events_seen]
            self._events_seen += 1
            if event.reason == "Admitted":
                self._started(self._running(event.object))
            elif event.reason == "QuotaReserved":
                self._sync_slices(event.object)
            elif event.reason.startswith("EvictedDueTo"):
                key = self._running(event.object)
                if key != event.object and not self.cluster.workload(key).is_evicted:
                    continue  # A variant that lost: another one runs.
                self._admissions.pop(key, None)
                self._ends.pop(key, None)
                self._sync_slices(key)

    def _running(self, key: str) -> str:
        """Return the workload whose job runs where this one is admitted: a variant's parent."""
        state = self.cluster.workloads.get(key)
        name = "" if state is None else parent_name(state.obj)
        parent = f"{key.partition('/')[0]}/{name}"
        return parent if name and parent in self.cluster.workloads else key

    def _started(self, key: str, *, ready: bool = True) -> None:
        ends = self._end_of(key)
        admission = self._sequence
        self._admissions[key] = admission
        if ends is not None:
            self._ends[key] = ends
            ended = partial(self._ended, key, admission)
            self._put(ends, ended, _JOB_ENDS, ("ends", key))
        waits = self.cluster.configuration.wait_for_pods_ready is not None
        if waits and ready and key not in self._scripted:
            self.cluster.pods_ready(key)

    def _resume(self, key: str) -> None:
        """Let Kueue resume a running job that its user suspended: all its pods start anew."""
        if key not in self._admissions:
            return
        if self._recorder is not None:
            self._recorder.record(JobResumed(), key)
        waits = self.cluster.configuration.wait_for_pods_ready is not None
        if waits and key not in self._scripted:
            self.cluster.pods_ready(key, False)
        self._started(key)

    def _end_of(self, key: str) -> int | None:
        """Return when a job that was admitted now ends; pods of a replaced slice run on."""
        state = self.cluster.workloads.get(key)
        if state is None:
            return None
        replaced = replacement_for(state.obj)
        if self._admissions.pop(replaced, None) is not None:
            return self._ends.pop(replaced, None)
        runs = self._runs.get(_job(state.obj))
        return None if runs is None else self.cluster.now + runs

    def _sync_slices(self, key: str) -> None:
        """Let the controller of an elastic job look at its slices after one of them changed."""
        state = self.cluster.workloads.get(key)
        if state is not None and is_slice(state.obj):
            self.cluster.sync_slices(job_of(state.obj))

    def _ended(self, key: str, admission: int) -> None:
        # One that was evicted in the meantime ends when it has run again, in full.
        if self._admissions.get(key) == admission:
            del self._admissions[key]
            self._ends.pop(key, None)
            self.cluster.finish_slices(key)

    def _complete_evictions(self) -> int:
        """Let pods of evicted workloads be gone, now or after the time that they take."""
        if not self.cluster.plane.evicting:
            return 0
        slow = {
            key: time
            for key in self.cluster.plane.evicting
            if not self._releases_at_once(key)
            and (time := self._stops.get(_job(self.cluster.workload(key).obj)))
        }
        if not slow:
            return self.cluster.complete_evictions()
        under_way = {what[1] for *_, what in self._agenda if what[0] == "stops"}
        for key, time in slow.items():
            if key not in under_way:
                gone = partial(self._pods_gone, key)
                self._put(self.cluster.now + time, gone, _JOB_ENDS, ("stops", key))
        return self.cluster.complete_evictions(self.cluster.plane.evicting.keys() - slow.keys())

    def _releases_at_once(self, key: str) -> bool:
        """Tell whether quota is free as soon as pods begin to stop, with a feature gate."""
        fast = self.cluster.configuration.gates["FastQuotaReleaseInPodIntegration"]
        return fast and self.cluster.workload(key).is_owned_by_pods

    def _pods_gone(self, key: str) -> None:
        self.cluster.complete_evictions([key])

    # --- the scheduler -------------------------------------------------------------------

    def _note_cycle(self, record: CycleRecord) -> None:
        self._latest_cycles.append(record)
        if self.keeps_cycles:
            self.cycles.append(record)

    def _schedule(self) -> None:
        """Run cycles until nothing changes any more, or a loop is found."""
        cluster = self.cluster
        self._follow_jobs()
        seen: dict[object, int] = {}
        evicted: dict[str, int] = {}
        self._paused()
        while True:
            if cluster.at_rest:
                # But pods of those that a timer evicted have to go as well, and those that a
                # stopped queue evicted may queue again.
                if not self._complete_evictions() and not cluster.requeue_restarted():
                    return
                self._follow_jobs()
                continue
            recorded = len(cluster.events)
            note_progress()
            record = cluster.cycle()
            # Targets whose pods are still going are not preempted once more.
            events = cluster.events[recorded:]
            preempted = [event.object for event in events if event.reason == "Preempted"]
            self._complete_evictions()
            self._follow_jobs()
            if preempted:
                evicted.update(dict.fromkeys(preempted, record.number))
                first = seen.setdefault(deciding_state(cluster), record.number)
                if first != record.number:
                    on_the_way = [key for key, cycle in evicted.items() if cycle > first]
                    self._found_loop(first, record.number, on_the_way)
                    return
            if self._paused():
                # An action interrupts the chain of decisions that follow from each other.
                seen.clear()
                evicted.clear()

    def _paused(self) -> bool:
        if self.on_pause is None or not self.on_pause():
            return False
        self._forget_recurrence()
        self._follow_jobs()
        return True

    def _look_for_recurrence(self) -> None:
        """Find out whether the same comes again and again, once no action is left."""
        if self._asked or self.loop is not None or self._recurring is not None:
            return
        now, alive = self.cluster.now, self._admissions
        coming = [
            (time - now, *what)
            for time, _, _, do, what in self._agenda
            if what[0] != "ends" or (isinstance(do, partial) and alive.get(what[1]) == do.args[1])
        ]
        # A cycle without heads has no number.
        cycle = max((record.number for record in self._latest_cycles), default=0)
        self._recurring = self._recurrence.look(cycle, coming)

    def _stop_at_recurrence(self) -> None:
        found = self._recurring
        if found is not None and self.loop is None and self.stops_at_recurrence:
            self._found_loop(found.first_cycle, found.last_cycle, found.evicted, found.period)

    def _forget_recurrence(self) -> None:
        """Begin to look anew: the run does not go on by itself alone."""
        self._recurrence.forget()
        self._recurring = None

    def _found_loop(self, first: int, last: int, workloads: Iterable[str], period: int = 0) -> None:
        self.loop = Loop(self.cluster.now, first, last, tuple(sorted(workloads)), period)
        if self._recorder is not None:
            self._recorder.record(LoopFound(first, last, self.loop.workloads))


def _nothing() -> None:
    pass


def _job(workload: Workload) -> str:
    """Return what stands for the job of a workload: the slices of an elastic one have the same."""
    return f"Job/{job_of(workload)}" if is_slice(workload) else workload.key
