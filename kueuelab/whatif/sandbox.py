"""A sandbox: exact copies of a run as it stands, each to try out one thing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol

from kueuelab.errors import KueueLabError
from kueuelab.manifests.scenario import Submit
from kueuelab.scheduler.assignment import Assignment
from kueuelab.simulation import Loop, Player
from kueuelab.simulation.cycle_record import CycleRecord
from kueuelab.whatif.changes import Change, carry_out
from kueuelab.whatif.copies import Copies
from kueuelab.workload import WorkloadState

__all__ = ["Sandbox", "Stay", "Trial", "Trials"]

#: So much work a trial may be if it isn't asked to look up to a time: behind the instant of
#: the change it looks no further than that takes. A workload that is copied counts as one.
_MOST_WORK: Final = 600
_WORK_OF_A_HEAD: Final = 5
#: A chain of preemptions that goes on for longer than this many heads is not followed to its end.
_MOST_HEADS_AT_ONCE: Final = 40_000


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of trying something out.

    Attributes
    ----------
    time
        When the workload gets the quota that it keeps, in nanoseconds since 1970; ``None`` if
        it gets none, or loses it to a preemptor again.
    evicted
        The other workloads that are evicted, in order, and hold quota at that time if nothing
        is changed.
    looped
        Whether the workload loses its quota and gets it again, for ever.
    pods
        Pod set to number of pods that the workload has quota for.
    admitted
        Whether its checks let it start, too.
    pending
        The workloads that the changes submit, and that hold no quota when the workload gets
        its own.
    decisions
        A hash of what the scheduler decided, cycle by cycle, without amounts.
    """

    time: int | None = None
    evicted: tuple[str, ...] = ()
    looped: bool = False
    pods: tuple[tuple[str, int], ...] = ()
    admitted: bool = False
    pending: tuple[str, ...] = ()
    decisions: tuple[int, ...] = ()

    @property
    def lasts(self) -> bool:
        """Whether it gets quota that it keeps."""
        return self.time is not None and not self.looped


class Trials(Protocol):
    """Where changes are tried out: copies of one cluster, or of several; see :class:`Sandbox`."""

    now: int
    unchanged: Trial
    until: int | None
    trials: int
    work: int
    workloads: int
    gave_up: bool

    def attempt(self, changes: Iterable[Change]) -> Trial:
        """Make changes and see what comes of them."""


class _TooLongError(Exception):
    """One instant of a trial takes too long."""


class Sandbox:
    """Copies of a player, to see what would come of changes.

    Parameters
    ----------
    player
        Stands where nothing is under way. It stays as it is.
    workload
        The key of the workload that is to be admitted.
    until
        Up to which time to look, in nanoseconds since 1970; by default to the end of the
        run, or as far as that takes no more than a few cycles.

    Attributes
    ----------
    now
        When the changes are made.
    unchanged
        What comes of no change.
    until
        Up to which time it looks; ``None``: to the end of the run.
    trials
        How many copies were made.
    work
        What they cost: workloads copied, and heads considered.
    workloads
        How many workloads each copy holds.
    gave_up
        Whether a trial was given up, since it took too long to see what comes of it.
    """

    def __init__(self, player: Player, workload: str, until: int | None = None) -> None:
        self._workload = workload
        self._copies = Copies(player)
        self.now = player.cluster.now
        self.trials = 0
        self.work = 0
        self.gave_up = False
        self.workloads = len(player.cluster.workloads)
        self.until = None if until is None else max(until, self.now)
        #: Which workloads hold quota from when on if nothing is changed.
        self._holding: list[tuple[int, frozenset[str]]] = []
        with self.lend() as copy:
            self.unchanged = self._see_unchanged(copy, player.loop)

    def lend(self) -> AbstractContextManager[Player]:
        """Lend a copy of the player that nothing records; nothing is left of it in the end."""
        return self._copies.lend()

    def attempt(self, changes: Iterable[Change]) -> Trial:
        """Make changes and see what comes of them."""
        with self.lend() as player:
            return self._tried(player, tuple(changes))

    def _tried(self, player: Player, made: tuple[Change, ...]) -> Trial:
        try:
            player.intervene()
            for change in made:
                carry_out(player, change)
        except KueueLabError:
            self._count(player)
            return Trial()
        submits = (change for change in made if isinstance(change, Submit))
        submitted = tuple(each.key for change in submits for each in change.workloads)
        stay = Stay(self._workload, submitted)
        player.on_pause = _Patience(player).end
        try:
            for now in player.instants(self.until):
                stay.look(player, now)
                if stay.is_over:
                    break
        except _TooLongError:
            self.gave_up = True
            self._count(player)
            return Trial()
        return self._trial(player, stay)

    def _see_unchanged(self, player: Player, loop: Loop | None) -> Trial:
        """Play on without a change; note which workloads hold quota when, and how far it looked."""
        stay = Stay(self._workload)
        limited = self.until is None
        most = (_MOST_WORK - self.workloads) // _WORK_OF_A_HEAD
        first: int | None = None
        instants = player.instants(self.until)
        if limited and most < 0 and loop is not None and self._workload not in loop.workloads:
            # It looks at this instant only, and that has come to a loop without the workload.
            instants = iter((self.now,))
        for now in instants:
            stay.look(player, now)
            keys = (key for key, state in player.cluster.workloads.items() if _holds(state))
            self._holding.append((now, frozenset(keys)))
            heads = sum(len(cycle.heads) for cycle in player.cycles)
            first = heads if first is None else first
            if limited and heads - first > most:
                self.until = now
                break
        return self._trial(player, stay)

    def _count(self, player: Player) -> None:
        self.trials += 1
        heads = sum(len(cycle.heads) for cycle in player.cycles)
        self.work += self.workloads + _WORK_OF_A_HEAD * heads

    def _trial(self, player: Player, stay: Stay) -> Trial:
        self._count(player)
        evicted = [
            event.object
            for event in player.cluster.events[len(self._copies.events) :]
            if event.reason.startswith("EvictedDueTo")
            if event.object != self._workload and self._holds_unchanged(event.object, event.time)
        ]
        loop = player.loop
        looped = loop is not None and not stay.is_over and self._workload in loop.workloads
        # The decisions themselves, of thousands of heads each, are too much to keep.
        decisions = tuple([hash(_decision(cycle)) for cycle in player.cycles])
        unique = tuple(dict.fromkeys(evicted))
        return Trial(stay.since, unique, looped, stay.pods, stay.admitted, stay.pending, decisions)

    def _holds_unchanged(self, key: str, time: int) -> bool:
        """Tell whether a workload holds quota at a time if nothing is changed."""
        before = bisect_right(self._holding, time, key=lambda each: each[0])
        return before > 0 and key in self._holding[before - 1][1]


class _Patience:
    """How many heads an instant may have."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._now = player.cluster.now
        self._looked_at = 0
        self._heads = 0

    def end(self) -> bool:
        """End the trial if the instant takes too long; nothing is changed."""
        cycles, now = self._player.cycles, self._player.cluster.now
        if now != self._now:
            self._now, self._heads = now, 0
        self._heads += sum(len(cycle.heads) for cycle in cycles[self._looked_at :])
        self._looked_at = len(cycles)
        if self._heads > _MOST_HEADS_AT_ONCE:
            raise _TooLongError
        return False


class Stay:
    """How long the workload holds quota, seen after each instant.

    Attributes
    ----------
    since
        From when on, ``None`` while it holds none.
    is_over
        Whether that has come to its end, and not by preemption.
    pods, admitted, pending
        As in a trial.
    """

    def __init__(self, workload: str, submitted: tuple[str, ...] = ()) -> None:
        self._workload = workload
        self._submitted = submitted
        self.pending: tuple[str, ...] = ()
        self.since: int | None = None
        self.is_over = False
        self.pods: tuple[tuple[str, int], ...] = ()
        self.admitted = False

    def look(self, player: Player, now: int) -> None:
        """Note how it is after an instant."""
        state = player.cluster.workloads.get(self._workload)
        if state is not None and _holds(state):
            if self.since is None:
                self.since = now
                known = player.cluster.workloads
                self.pending = tuple(
                    key for key in self._submitted if key not in known or not _holds(known[key])
                )
            self.admitted = state.is_admitted
            admission = state.admission
            assignments = () if admission is None else admission.pod_set_assignments
            self.pods = tuple((each.name, each.count or 0) for each in assignments)
            return
        ended = state is None or state.is_finished
        if ended or (self.since is not None and not _was_preempted(player, self._workload)):
            self.is_over = True
        else:
            self.since = None


def _holds(state: WorkloadState) -> bool:
    return state.has_quota_reservation and not state.is_evicted and not state.is_finished


def _was_preempted(player: Player, key: str) -> bool:
    """Tell whether the last eviction of a workload was a preemption."""
    events = (event for event in reversed(player.cluster.events) if event.object == key)
    reasons = (event.reason for event in events if event.reason.startswith("EvictedDueTo"))
    return next(reasons, "") == "EvictedDueToPreempted"


def _decision(cycle: CycleRecord) -> object:
    """Return what a cycle decided: the same wherever all comparisons came out the same."""
    entries = tuple(
        (
            entry.key,
            entry.status,
            entry.preempting,
            entry.borrowing,
            tuple(target.workload.key for target in entry.targets),
            () if entry.assignment is None else _flavors(entry.assignment),
        )
        for entry in cycle.entries
    )
    return cycle.heads, entries, tuple(entry.key for entry in cycle.inadmissible), cycle.blocked


def _flavors(assignment: Assignment) -> object:
    return tuple(
        (
            pods.count,
            tuple((name, f.name, f.mode, f.borrow) for name, f in pods.flavors.items()),
            tuple((each.flavor, each.mode, each.possibility) for each in pods.attempts),
        )
        for pods in assignment.pod_sets
    )
