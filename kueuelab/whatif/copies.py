"""Exact copies of a run as it stands.

The state of a run is packed once; objects that never change are shared by all copies, and
what was recorded stays behind. That is much faster than playing the run again.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import is_dataclass
from fractions import Fraction
from typing import Any, Final

from kueuelab import model
from kueuelab.manifests import scenario
from kueuelab.queues.pending import PendingWorkloads
from kueuelab.queues.pool import Pool
from kueuelab.quota import ClusterQueueNode, CohortNode
from kueuelab.quota.node import Quota
from kueuelab.scheduler.cycle_log import CycleLog
from kueuelab.simulation import Cluster, Event, Player
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.recording import Announcer
from kueuelab.simulation.seen import Seen
from kueuelab.trace.recorder import RecordedValue, Recorder
from kueuelab.workload import PodSetRequests

__all__ = ["Copies"]

#: Immutable objects, which copies share.
_SHARED: Final = frozenset(
    {
        value
        for room in (model, scenario)
        for value in vars(room).values()
        if isinstance(value, type) and is_dataclass(value)
    }
    | {model.Condition, Event, Fraction, PodSetRequests, Quota, Seen, type(model.UNLIMITED)}
)
_LEFT_BEHIND: Final = (Recorder, RecordedValue, Announcer, CycleLog)
#: Every circle of references in a copy goes through one of these.
_HUBS: Final = (
    Player,
    Cluster,
    ControlPlane,
    ClusterQueueNode,
    CohortNode,
    PendingWorkloads,
    Pool,
)


class Copies:
    """Copies of a player.

    Parameters
    ----------
    player
        Stands where nothing is under way. It stays as it is.

    Attributes
    ----------
    events
        The events that there are so far.
    """

    def __init__(self, player: Player) -> None:
        self._shared: list[Any] = []
        self.events = list(player.cluster.events)
        self._packed = self._pack(player)

    def _pack(self, player: Player) -> bytes:
        buffer = io.BytesIO()
        left, on_pause = (player.cycles[:], player.cluster.events[:]), player.on_pause
        player.on_pause = None
        player.cycles.clear()
        player.cluster.events.clear()
        try:
            packer = _Packer(buffer, self._shared)
            packer.dump(player)
            packer.dump(packer.hubs)
        finally:
            player.on_pause = on_pause
            player.cycles[:], player.cluster.events[:] = left
        return buffer.getvalue()

    @contextmanager
    def lend(self) -> Iterator[Player]:
        """Lend a copy that nothing records, and free it: the collector would take long for it."""
        unpacker = _Unpacker(self._packed, self._shared)
        player, hubs = unpacker.load(), unpacker.load()
        assert isinstance(player, Player)
        player.cluster.events.extend(self.events)
        player.loop = None
        player.stops_at_recurrence = True
        try:
            yield player
        finally:
            for hub in hubs:
                _clear(hub)


def _clear(obj: object) -> None:
    """Take all its attributes from an object."""
    for kind in type(obj).__mro__:
        for slot in kind.__dict__.get("__slots__", ()):
            if hasattr(obj, slot):
                delattr(obj, slot)
    if hasattr(obj, "__dict__"):
        vars(obj).clear()


def _shared(place: int) -> Any:
    """Stand for a shared object; when a copy is made, its place in the list is looked up."""
    raise NotImplementedError(place)


def _nothing() -> None:
    """Stand for what is left behind."""


class _Packer(pickle.Pickler):
    """Asks about objects of certain types only: `persistent_id` would be called for each."""

    def __init__(self, buffer: io.BytesIO, shared: list[Any]) -> None:
        super().__init__(buffer, protocol=pickle.HIGHEST_PROTOCOL)
        self._shared = shared
        self.hubs: list[object] = []
        self.dispatch_table = {
            **dict.fromkeys(_SHARED, self._share),
            **dict.fromkeys(_LEFT_BEHIND, lambda obj: (_nothing, ())),
            **dict.fromkeys(_HUBS, self._note_hub),
        }

    def _note_hub(self, obj: object) -> str | tuple[Any, ...]:
        self.hubs.append(obj)
        return obj.__reduce_ex__(pickle.HIGHEST_PROTOCOL)

    def _share(self, obj: Any) -> tuple[Callable[[int], Any], tuple[int]]:
        self._shared.append(obj)
        return _shared, (len(self._shared) - 1,)


class _Unpacker(pickle.Unpickler):
    def __init__(self, packed: bytes, shared: Sequence[Any]) -> None:
        super().__init__(io.BytesIO(packed))
        self._shared = shared

    def find_class(self, module: str, name: str) -> Any:
        """Return what a name stands for."""
        if (module, name) == (_shared.__module__, _shared.__name__):
            return self._shared.__getitem__
        return super().find_class(module, name)
