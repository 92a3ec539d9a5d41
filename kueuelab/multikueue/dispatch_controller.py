"""Calls a dispatcher for nominations: the incremental one, or an external one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kueuelab.multikueue.checks import config_of
from kueuelab.multikueue.dispatchers import Dispatcher, DispatchView
from kueuelab.multikueue.views import View
from kueuelab.multikueue.workqueue import ReconcileError, WorkQueue

if TYPE_CHECKING:
    from kueuelab.multikueue.manager import Manager

__all__ = ["DispatchController"]


class DispatchController:
    """Keeps the times of rounds in memory only: a restart loses them.

    Attributes
    ----------
    rounds
        When each workload's round began, and how many there were.
    """

    __slots__ = ("_dispatcher", "_manager", "queue", "rounds")

    def __init__(self, manager: Manager, dispatcher: Dispatcher) -> None:
        self._manager = manager
        self._dispatcher = dispatcher
        self.rounds: dict[str, tuple[int, int]] = {}
        member = manager.member
        self.queue = WorkQueue(
            member.loop, member.timing, member.timing.dispatcher, self._reconcile
        )

    def stop(self) -> None:
        """Forget everything."""
        self.queue.clear()
        self.rounds.clear()

    def _reconcile(self, key: str) -> None:
        manager = self._manager
        state = manager.member.workloads.get(key)
        if state is None or key in manager.member.deleting:
            self.rounds.pop(key, None)
            return
        view = View.of(manager.member, state)
        check = manager.check_of(view)
        if check is None or check.state != "Pending" or view.cluster_name is not None:
            return
        config = config_of(manager, check.name)
        if config is None or not config.clusters:
            raise ReconcileError("no active clusters")
        if view.is_finished or not view.has_quota:
            self.rounds.pop(key, None)
            return
        self._nominate(view, config.clusters)

    def _nominate(self, view: View, clusters: tuple[str, ...]) -> None:
        manager, key = self._manager, view.key
        now = manager.member.loop.now
        began, count = self.rounds.get(key, (None, 0))
        nomination = self._dispatcher(
            DispatchView(
                view.obj,
                clusters,
                tuple(c for c in clusters if c in manager.connections.connected),
                view.nominated,
                None if began is None else now - began,
                count,
                now,
            )
        )
        if nomination.clusters is not None and nomination.clusters != view.nominated:
            manager.nominate(view, nomination.clusters, nomination.ask_after)
            self.rounds[key] = (now, count + 1)
        elif nomination.ask_after is None:
            raise ReconcileError("no more workers to nominate")
        if nomination.ask_after is not None:
            self.queue.add_after(key, nomination.ask_after)
