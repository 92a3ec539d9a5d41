"""A sandbox: exact copies of a run as it stands, each to try out one thing.

The state of a run is packed once; objects that never change are shared by all copies, and
what was recorded stays behind. That is much faster than playing the run again.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, is_dataclass
from fractions import Fraction
from typing import Any, Final

from kueuelab import model
from kueuelab.errors import KueueLabError
from kueuelab.manifests import scenario
from kueuelab.quota.node import Quota
from kueuelab.simulation import Event, Player
from kueuelab.simulation.recording import Announcer
from kueuelab.trace.recorder import Recorder
from kueuelab.whatif.changes import Change, carry_out
from kueuelab.workload import PodSetRequests, WorkloadState

__all__ = ["Sandbox", "Trial"]

#: Immutable objects, which copies share.
_SHARED: Final = frozenset(
    {
        value
        for room in (model, scenario)
        for value in vars(room).values()
        if isinstance(value, type) and is_dataclass(value)
    }
    | {Event, Quota, PodSetRequests, Fraction, type(model.UNLIMITED)}
)
_LEFT_BEHIND: Final = (Recorder, Announcer)
_NOTHING: Final = "nothing"
_CYCLES: Final = "cycles"
_EVENTS: Final = "events"


class _StoppedError(Exception):
    """A trial has shown what it was to show."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of trying something out.

    Attributes
    ----------
    reserved
        Whether the workload has quota in the end.
    evicted
        The other workloads that were evicted, in order.
    looped
        Whether the run came back to where it was, for ever.
    pods
        Pod set to number of pods that the workload has quota for.
    admitted
        Whether its checks let it start, too.
    """

    reserved: bool
    evicted: tuple[str, ...] = ()
    looped: bool = False
    pods: tuple[tuple[str, int], ...] = ()
    admitted: bool = False

    @property
    def lasts(self) -> bool:
        """Whether it has quota in the end, and the run comes to an end."""
        return self.reserved and not self.looped


class Sandbox:
    """Copies of a player, to see what would come of changes.

    Parameters
    ----------
    player
        Stands where nothing is under way. It stays as it is.
    workload
        The key of the workload that is to be admitted.
    horizon
        How long to go on, in nanoseconds since 1970; by default only as long as decisions
        follow from each other without time passing.

    Attributes
    ----------
    trials
        How many copies were made.
    workloads
        How many workloads each copy holds.
    """

    def __init__(self, player: Player, workload: str, horizon: int | None = None) -> None:
        self._workload = workload
        self._horizon = horizon
        self._shared: list[Any] = []
        self._packed = self._pack(player)
        self.trials = 0
        self.workloads = len(player.cluster.workloads)

    def _pack(self, player: Player) -> bytes:
        buffer = io.BytesIO()
        self._events = list(player.cluster.events)
        pickler = _Packer(buffer, player, self._shared)
        on_pause, player.on_pause = player.on_pause, None
        try:
            pickler.dump(player)
        finally:
            player.on_pause = on_pause
        return buffer.getvalue()

    def copy(self) -> Player:
        """Return a copy of the player that nothing records."""
        player = _Unpacker(self._packed, self._shared, self._events).load()
        assert isinstance(player, Player)
        player.loop = None
        player.stops_at_recurrence = False
        return player

    def attempt(self, changes: Iterable[Change], *, briefly: bool = False) -> Trial:
        """Make changes and see what comes of them.

        Parameters
        ----------
        changes
            What to change.
        briefly
            Stop as soon as the workload has quota, or was turned away: quicker, but who
            else is evicted later isn't seen.
        """
        self.trials += 1
        player = self.copy()
        seen = len(player.cluster.events)
        key = self._workload

        def stop_when_clear() -> bool:
            if _has_quota(player, key) or _was_turned_away(player, key):
                raise _StoppedError
            return False

        if briefly:
            player.on_pause = stop_when_clear
        try:
            player.intervene()
            for change in changes:
                carry_out(player, change)
        except KueueLabError:
            return Trial(False)
        with suppress(_StoppedError):
            if self._horizon is None:
                next(player.instants())
            else:
                player.play(self._horizon)
        evicted = [
            event.object
            for event in player.cluster.events[seen:]
            if event.reason.startswith("EvictedDueTo") or event.reason == "Preempted"
            if event.object != key
        ]
        looped = player.loop is not None
        state = player.cluster.workloads.get(key)
        admission = None if state is None else state.admission
        assignments = () if admission is None else admission.pod_set_assignments
        pods = tuple((each.name, each.count or 0) for each in assignments)
        reserved = _has_quota(player, key)
        admitted = reserved and state is not None and state.is_admitted
        return Trial(reserved, tuple(dict.fromkeys(evicted)), looped, pods, admitted)


def _has_quota(player: Player, key: str) -> bool:
    state = player.cluster.workloads.get(key)
    return state is not None and _holds(state)


def _holds(state: WorkloadState) -> bool:
    return state.has_quota_reservation and not state.is_evicted and not state.is_finished


def _was_turned_away(player: Player, key: str) -> bool:
    """Tell whether the workload was tried in the last cycle and set aside."""
    if not player.cycles or key not in player.cycles[-1].heads:
        return False
    name = player.cluster.tree.cluster_queues
    state = player.cluster.workloads.get(key)
    if state is None:
        return True
    queue = player.cluster.plane.queueing.get(state.queue_key, "")
    return queue not in name or key in player.cluster.queues.inadmissible(queue)


class _Packer(pickle.Pickler):
    def __init__(self, buffer: io.BytesIO, player: Player, shared: list[Any]) -> None:
        super().__init__(buffer, protocol=pickle.HIGHEST_PROTOCOL)
        self._cycles = player.cycles
        self._events = player.cluster.events
        self._shared = shared

    def persistent_id(self, obj: Any) -> Any:
        """Return what stands for an object that isn't copied, ``None`` for one that is."""
        kind = type(obj)
        if kind in _SHARED:
            self._shared.append(obj)
            return len(self._shared) - 1
        if kind in _LEFT_BEHIND:
            return _NOTHING
        if obj is self._cycles:
            return _CYCLES
        if obj is self._events:
            return _EVENTS
        return None


class _Unpacker(pickle.Unpickler):
    def __init__(self, packed: bytes, shared: Sequence[Any], events: Sequence[Event]) -> None:
        super().__init__(io.BytesIO(packed))
        self._shared = shared
        self._lists: dict[str, list[Any]] = {_CYCLES: [], _EVENTS: list(events)}

    def persistent_load(self, pid: Any) -> Any:
        """Return the object that an id stands for."""
        if type(pid) is int:
            return self._shared[pid]
        return self._lists.get(pid)
