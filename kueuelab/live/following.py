"""A real cluster with the views of a simulated run, followed by watches."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event
from types import TracebackType
from typing import TYPE_CHECKING, Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.configured import configuration_of
from kueuelab.live.discovery import served
from kueuelab.live.errors import LiveError
from kueuelab.live.job_player import JobsMode
from kueuelab.live.mirror import Mirror
from kueuelab.live.resources import JOBS, READ, Json
from kueuelab.live.snapshot import NEEDED, latest_time
from kueuelab.live.views import ClusterViews
from kueuelab.live.watching import Change, Watcher
from kueuelab.manifests import ScenarioSpec
from kueuelab.model import Configuration

if TYPE_CHECKING:
    from kueuelab.live.run import LiveRun
    from kueuelab.live.why import LiveAnswer

__all__ = ["Following", "connect"]

#: Kinds that change all the time without changing a decision.
_NOT_WATCHED: Final = ("Node", "PriorityClass")
#: How long an end may take.
_PATIENCE: Final = 5.0


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """How scenarios are played on a cluster that is followed; see :func:`connect`."""

    allow: Collection[str] = ()
    workers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 600.0
    jobs: JobsMode = "auto"
    speed: float = 1.0
    tell: Callable[[str], None] = lambda sentence: None


def connect(
    context: str = "",
    *,
    allow: Collection[str] = (),
    workers: Mapping[str, str] | None = None,
    seconds: float = 600.0,
    jobs: JobsMode = "auto",
    speed: float = 1.0,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Following:
    """Follow the cluster behind a context of the kubeconfig; nothing is written to it.

    Only a scenario that is run on it (``kueuelab.load(file).run(on=...)``) writes, and only
    to kind clusters and those that are allowed.

    Parameters
    ----------
    context
        The context; the current one if empty.
    allow
        Contexts that a scenario may be run on although they are no kind clusters.
    workers
        The contexts of the workers, by their names in a scenario with several clusters.
    seconds, jobs, speed, tell
        How a scenario is played; see :func:`kueuelab.live.playing.play`.

    Raises
    ------
    LiveError
        If the cluster cannot be reached or read.
    """
    from kueuelab.live.access import open_cluster

    api = open_cluster(context)
    options = PlayOptions(allow, dict(workers or {}), seconds, jobs, speed, tell)
    try:
        return Following(api, options=options)
    except BaseException:
        api.close()
        raise


class Following(ClusterViews):
    """A cluster that is followed, until :meth:`close` or the end of a ``with`` block.

    Parameters
    ----------
    api
        The cluster; it is closed with this.
    assumed
        Kueue's Configuration if the cluster's own cannot be read; Kueue's defaults if omitted.
    keep
        Whether to keep what each decision was made from.
    options
        How scenarios are played here.
    """

    def __init__(
        self,
        api: ClusterApi,
        assumed: Configuration | None = None,
        *,
        keep: bool = False,
        options: PlayOptions = PlayOptions(),
    ) -> None:
        self._api, self._options = api, options
        self._stop = Event()
        self._changes: SimpleQueue[Change] = SimpleQueue()
        #: What could not be read or followed, a sentence each.
        self.notes: list[str] = []
        configuration = configuration_of(api, self.notes) or assumed or Configuration()
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
        self._mirror = Mirror(configuration, start, api.context, keep=keep)
        self._mirror.load(objects)
        self._start, self._began = start, time.monotonic_ns()
        self._last_change = time.monotonic()
        self._watchers = watchers
        for watcher in watchers:
            watcher.start()

    def __repr__(self) -> str:
        return repr(self._mirror).replace("Mirror of", "Following")

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

    @property
    def quiet_for(self) -> float:
        """For how many seconds nothing has changed."""
        return time.monotonic() - self._last_change

    def catch_up(self) -> None:
        """Take what has come already.

        Raises
        ------
        LiveError
            If the cluster can't be followed any longer.
        """
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
        self._last_change = time.monotonic()
        resource, event = change
        obj = {"apiVersion": resource.api_version, "kind": resource.kind, **event.object}
        passed = time.monotonic_ns() - self._began
        self._mirror.feed(self._start + passed, event.type, obj)

    def close(self) -> None:
        """End all watches; nothing of them is left behind. Twice does no harm."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._api.close()
        for watcher in self._watchers:
            watcher.join(_PATIENCE)
        self._mirror.settle()

    # --- looking -------------------------------------------------------------------------

    @property
    def context(self) -> str:
        """The context of the kubeconfig."""
        return self._api.context

    @property
    def mirror(self) -> Mirror:
        """The lab's own cluster, as far as changes have come."""
        if not self._stop.is_set():
            self.catch_up()
        return self._mirror

    def ask(self, workload: str) -> LiveAnswer:
        """Ask the cluster now: Kueue's words, the lab's, and what would admit it."""
        from kueuelab.live.why import why

        return why(self._api, workload)

    def run(self, spec: ScenarioSpec) -> LiveRun:
        """Play a scenario here: what ``kueuelab.load(file).run(on=...)`` does.

        It has connections of its own; this goes on following. Kind clusters may be written;
        others if they were named as ``allow``.

        Raises
        ------
        InputError
            If the scenario can't be played; nothing has been written then.
        LiveError
            If a cluster may not be written, or refuses something.
        """
        from kueuelab.live.run import LiveRun, play_on

        options = self._options
        played = play_on(
            spec,
            self.context,
            workers=options.workers,
            allowed=options.allow,
            seconds=options.seconds,
            jobs=options.jobs,
            speed=options.speed,
            tell=options.tell,
        )
        return LiveRun(played)
