"""A real cluster with the views of a simulated run, followed by watches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from threading import Event
from types import TracebackType
from typing import TYPE_CHECKING, Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.discovery import served
from kueuelab.live.errors import LiveError
from kueuelab.live.mirror import Mirror
from kueuelab.live.redecide import Decision
from kueuelab.live.resources import JOBS, READ, Json
from kueuelab.live.snapshot import NEEDED, latest_time, read_configuration
from kueuelab.live.watching import Change, Watcher
from kueuelab.manifests import load
from kueuelab.manifests.loading.names import WorkloadNames
from kueuelab.model import Configuration
from kueuelab.trace import Trace

if TYPE_CHECKING:
    from kueuelab.live.why import LiveAnswer
    from kueuelab.trace.explain import Story
    from kueuelab.whatif.table import Timeline
    from kueuelab.widgets import Lab

__all__ = ["Following", "connect"]

#: Kinds that change all the time without changing a decision.
_NOT_WATCHED: Final = ("Node", "PriorityClass")
#: How long an end may take.
_PATIENCE: Final = 5.0


def connect(context: str = "") -> Following:
    """Follow the cluster behind a context of the kubeconfig; nothing is written to it.

    Parameters
    ----------
    context
        The context; the current one if empty.

    Raises
    ------
    LiveError
        If the cluster cannot be reached or read.
    """
    from kueuelab.live.access import open_cluster

    api = open_cluster(context)
    try:
        return Following(api)
    except BaseException:
        api.close()
        raise


class Following:
    """A cluster that is followed, until :meth:`close` or the end of a ``with`` block.

    Parameters
    ----------
    api
        The cluster; it is closed with this.
    """

    def __init__(self, api: ClusterApi) -> None:
        self._api = api
        self._stop = Event()
        self._changes: SimpleQueue[Change] = SimpleQueue()
        #: The lab's own cluster, which follows.
        self.mirror: Mirror
        #: What could not be read or followed, a sentence each.
        self.notes: list[str] = []
        configuration = _configuration(api, self.notes)
        watchers: list[Watcher] = []
        objects: list[Json] = []
        for resource in served(api, [each for each in READ if each is not JOBS]):
            try:
                listing = api.list(resource)
            except LiveError as error:
                if resource.kind in NEEDED or error.trouble not in ("forbidden", "missing"):
                    raise
                self.notes.append(f"{resource.plural} are left out: {error}")
                continue
            objects += listing.items
            if resource.kind not in _NOT_WATCHED:
                watchers.append(Watcher(api, resource, listing, self._changes, self._stop))
        start = api.server_time or latest_time(objects)
        self.mirror = Mirror(configuration, start, api.context)
        self.mirror.load(objects)
        self._start, self._began = start, time.monotonic_ns()
        self._watchers = watchers
        for watcher in watchers:
            watcher.start()

    def __repr__(self) -> str:
        return repr(self.mirror).replace("Mirror of", "Following")

    def __enter__(self) -> Following:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # --- following -----------------------------------------------------------------------

    def follow(self, seconds: float) -> Following:
        """Follow for so long; an interrupt ends it early.

        Raises
        ------
        LiveError
            If the cluster can't be followed any longer.
        """
        for _ in self.changes(seconds):
            pass
        return self

    def changes(self, seconds: float) -> Iterator[None]:
        """Follow for so long, and yield after each change."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._stop.is_set():
            try:
                change = self._changes.get(timeout=min(left, 0.5))
            except Empty:
                continue
            self._take(change)
            yield

    def _catch_up(self) -> None:
        """Take what has come already."""
        while True:
            try:
                change = self._changes.get_nowait()
            except Empty:
                return
            self._take(change)

    def _take(self, change: Change) -> None:
        if isinstance(change, LiveError):
            if self._stop.is_set():
                return
            raise change
        resource, event = change
        obj = {"apiVersion": resource.api_version, "kind": resource.kind, **event.object}
        passed = time.monotonic_ns() - self._began
        self.mirror.feed(self._start + passed, event.type, obj)

    def close(self) -> None:
        """End all watches; nothing of them is left behind. Twice does no harm."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._api.close()
        for watcher in self._watchers:
            watcher.join(_PATIENCE)
        self.mirror.settle()

    # --- looking -------------------------------------------------------------------------

    @property
    def context(self) -> str:
        """The context of the kubeconfig."""
        return self._api.context

    @property
    def trace(self) -> Trace:
        """What happened so far, with the lab's cycle before each decision."""
        if not self._stop.is_set():
            self._catch_up()
        return self.mirror.trace

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Every decision so far, held against the lab's."""
        if not self._stop.is_set():
            self._catch_up()
        return tuple(self.mirror.decisions)

    @property
    def problems(self) -> dict[str, str]:
        """Objects that can't be read, and why; they are left out."""
        return dict(self.mirror.problems)

    @property
    def timeline(self) -> Timeline:
        """What happened, one row per thing that a person wants to read."""
        from kueuelab.whatif.table import Timeline

        return Timeline.of(self.trace)

    def why(self, workload: str, at: int | None = None) -> Story:
        """Tell why a workload is where it is, from what was seen so far."""
        from kueuelab.trace.explain import why

        trace = self.trace
        key = WorkloadNames(self.mirror.workloads.values()).key_of(workload)
        return why(trace, key, at)

    def ask(self, workload: str) -> LiveAnswer:
        """Ask the cluster now: Kueue's words, the lab's, and what would admit it."""
        from kueuelab.live.why import why

        return why(self._api, workload)

    def lab(self) -> Lab:
        """Return all views of what was seen so far, for a notebook."""
        from kueuelab.widgets import lab

        return lab(self.trace)


def _configuration(api: ClusterApi, notes: list[str]) -> Configuration:
    return load(read_configuration(api, notes)).configuration or Configuration()
