"""A real cluster with the views of a simulated run, followed by watches."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, RLock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Final, Unpack

from kueuelab.collector import FewFullCollections
from kueuelab.errors import KueueLabError
from kueuelab.live.api import ClusterApi, Listing
from kueuelab.live.backlog import Arrival, Backlog
from kueuelab.live.decisions import Counts
from kueuelab.live.device_objects import is_needed
from kueuelab.live.discovery import served
from kueuelab.live.errors import LiveError
from kueuelab.live.installed_release import difference, installed_version
from kueuelab.live.kueue_configuration import configuration_of, installed_configuration
from kueuelab.live.mirror import Mirror
from kueuelab.live.play_options import PlaySettings
from kueuelab.live.record_window import EVERYTHING, LATEST, Keep
from kueuelab.live.resources import JOBS, NODES, PODS, READ, Json
from kueuelab.live.saved_parts import SavedParts
from kueuelab.live.snapshot import NEEDED, latest_time, places_pods
from kueuelab.live.views import ClusterViews
from kueuelab.live.watching import Watcher
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.encode import encode_configuration
from kueuelab.messages import Message
from kueuelab.model import Configuration, nearest_release
from kueuelab.trace import Trace

if TYPE_CHECKING:
    from kueuelab.live.follow_status import FollowStatus
    from kueuelab.live.kueue_memory import Remembered
    from kueuelab.live.live_run import LiveRun
    from kueuelab.live.why import LiveAnswer

__all__ = ["Following", "connect"]

#: Kinds that change all the time without changing a decision; nodes do where pods are placed.
_NOT_WATCHED: Final = ("Node", "PriorityClass")
#: How long a thread may take to end: its requests end with the connection.
_PATIENCE: Final = 60.0
#: How long a view waits for unprocessed changes before it shows the state.
_LOOK: Final = 1.0
#: From this many unprocessed changes on, decisions are not compared, to catch up.
_MOST_BEHIND: Final = 5_000


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How scenarios are played on a cluster that is followed; see :func:`connect`."""

    allow: Collection[str] = ()
    workers: Mapping[str, str] = field(default_factory=dict)
    play: PlaySettings = field(default_factory=PlaySettings)


def connect(
    context: str = "",
    *,
    allow: Collection[str] = (),
    workers: Mapping[str, str] | None = None,
    keep: Keep | int = LATEST,
    save: str | Path = "",
    **options: Unpack[PlaySettings],
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
    keep
        How much is kept of what was followed: a number of decisions, or
        ``Keep(minutes=30)``. Older decisions are only counted.
    save
        A file for the record, as :meth:`~kueuelab.trace.recorded_run.RecordedRun.save` writes
        it. What is older than is kept is written as it goes, to ``NAME-0001`` and so on.
    **options
        How a scenario is played: ``seconds``, ``jobs``, ``speed``, ``patience``, ``tell``; see
        :class:`~kueuelab.live.play_options.PlaySettings`.

    Raises
    ------
    InputError
        If the name of the file does not say what to write.
    LiveError
        If the cluster cannot be reached or read.
    """
    from kueuelab.live.access import open_cluster

    window = Keep(decisions=keep) if isinstance(keep, int) else keep
    saved = SavedParts(save) if save else None
    api = open_cluster(context)
    try:
        run_options = RunOptions(allow, dict(workers or {}), options)
        return Following(api, options=run_options, background=True, window=window, saved=saved)
    except BaseException:
        api.close()
        raise


class Following(ClusterViews):
    """A cluster that is followed, until :meth:`close` or the end of a ``with`` block.

    The lab decides as the release that is nearest to what runs in the cluster.

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
    background
        Whether changes are taken and judged as they come, by a thread. What is shown is what
        is judged; its ``repr`` tells how far behind that is. Without it they are taken when
        it is looked at, and while it follows.
    window
        How much of the record and of the decisions is kept.
    saved
        Takes the record, part by part.
    """

    def __init__(
        self,
        api: ClusterApi,
        assumed: Configuration | None = None,
        *,
        keep: bool = False,
        options: RunOptions = RunOptions(),
        background: bool = False,
        window: Keep = EVERYTHING,
        saved: SavedParts | None = None,
    ) -> None:
        self._api, self._options = api, options
        self._stop = Event()
        self._changes = Backlog()
        self._lock = RLock()
        self._failed: Exception | None = None
        #: What could not be read or followed, or differs from the lab, a sentence each.
        self.notes: list[str] = []
        version = installed_version(api)
        release = nearest_release(version)
        if assumed is not None and not version:
            release = assumed.release
        if note := difference(version, api.context, release):
            self.notes.append(note)
        configuration = (
            configuration_of(api, self.notes, release)
            or assumed
            or installed_configuration(release)
        ).of_release(release)
        written = {"kind": "Configuration", **encode_configuration(configuration)}
        watchers: list[Watcher] = []
        objects: list[Json] = []
        nodes: Listing | None = None
        for resource in served(api, [each for each in READ if each is not JOBS]):
            if not is_needed(resource, [written, *objects]):
                continue
            if resource is PODS and not places_pods(objects):
                continue
            try:
                listing = api.list(resource)
            except LiveError as error:
                if resource.kind in NEEDED or error.trouble not in ("forbidden", "missing"):
                    raise
                self.notes.append(Message("live.left-out", plural=resource.plural, error=error))
                continue
            objects += listing.items
            if resource is NODES:
                nodes = listing
            if resource.kind not in _NOT_WATCHED:
                watchers.append(Watcher(api, resource, listing, self._changes, self._stop))
        if nodes is not None and places_pods(objects):
            watchers.append(Watcher(api, NODES, nodes, self._changes, self._stop))
        start = api.server_time or latest_time(objects)
        self._saved = saved
        self._mirror = Mirror(
            configuration,
            start,
            api.context,
            keep=keep,
            window=window,
            on_complete=self._save_part if saved is not None else None,
        )
        self._mirror.load(objects)
        self._start, self._began = start, time.monotonic_ns()
        self._last_change = time.monotonic()
        self._watchers = watchers
        self._collector = FewFullCollections()
        for watcher in watchers:
            watcher.start()
        self._taker: Thread | None = None
        if background:
            self._taker = Thread(target=self._take_all, name="follow", daemon=True)
            self._taker.start()

    def __repr__(self) -> str:
        text = repr(self._mirror).replace("Mirror of", "Following").removesuffix(">")
        if self.behind:
            text += f", {self.behind} changes behind"
        if self._mirror.not_judged:
            text += f", {self._mirror.not_judged} not judged"
        return f"{text}>"

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
            if self._taker is not None:
                before = self._changes.taken
                if self._changes.wait_for(before + 1, min(left, 0.5)):
                    yield
                self._raise_failure()
            elif self._take_next(min(left, 0.5)):
                yield

    @property
    def behind(self) -> int:
        """How many changes have arrived that are not compared yet."""
        return self._changes.behind

    @property
    def seconds_behind(self) -> float:
        """How long ago the oldest of them arrived."""
        return self._changes.seconds_behind

    @property
    def counts(self) -> Counts:
        """How many decisions were judged so far, and how many of them differ."""
        mirror = self.mirror
        with self._still():
            return mirror.counts

    @property
    def judged(self) -> int:
        """How many changes were taken so far."""
        return self._changes.taken

    @property
    def quiet_for(self) -> float:
        """For how many seconds nothing has changed."""
        return time.monotonic() - self._last_change

    def catch_up(self) -> None:
        """Process the changes that have arrived.

        Raises
        ------
        LiveError
            If the cluster can't be followed any longer.
        """
        if self._taker is None:
            self._catch_up(float("inf"))
            return
        wanted = self._changes.taken + self.behind
        while not self._stop.is_set() and not self._changes.wait_for(wanted, 0.5):
            self._raise_failure()
        self._raise_failure()

    def _catch_up(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self.behind and time.monotonic() < until:
            self._take_next(0)

    def _take_all(self) -> None:
        """Process changes when they arrive, until the end."""
        while not self._stop.is_set():
            try:
                self._take_next(0.5)
            except Exception as error:  # it is raised in the thread that waits
                self._failed = error
                return

    def _raise_failure(self) -> None:
        if self._failed is not None:
            raise self._failed

    def _take_next(self, seconds: float) -> bool:
        """Process the next change, if one arrives in time; tell whether one did."""
        arrival = self._changes.get(seconds)
        if arrival is None:
            return False
        try:
            with self._lock:
                self._take(arrival)
        finally:
            self._changes.done()
        return True

    def _take(self, arrival: Arrival) -> None:
        if isinstance(arrival.change, LiveError):
            if self._stop.is_set():
                return
            raise arrival.change
        self._last_change = time.monotonic()
        resource, event = arrival.change
        obj = {"apiVersion": resource.api_version, "kind": resource.kind, **event.object}
        when = self._start + max(arrival.time - self._began, 0)
        self._mirror.feed(when, event.type, obj, judge=self.behind <= _MOST_BEHIND)

    def close(self) -> None:
        """End all watches and their threads. It can be called twice."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._api.close()
        for watcher in self._watchers:
            watcher.join(_PATIENCE)
        if self._taker is not None:
            self._taker.join(_PATIENCE)
        with self._lock:
            self._mirror.settle()
            if self._saved is not None:
                self._saved.last(self._mirror.last_trace)
        self._collector.end()

    def _save_part(self, trace: Trace) -> None:
        """Save a part of the record; following goes on if that fails."""
        if self._saved is not None:
            try:
                self._saved.next(trace)
            except (KueueLabError, OSError) as error:
                self.notes.append(Message("live.follow.not-saved", error=error))

    # --- reading -------------------------------------------------------------------------

    @property
    def context(self) -> str:
        """The context of the kubeconfig."""
        return self._api.context

    @property
    def mirror(self) -> Mirror:
        """The lab's own cluster, after the changes that were compared."""
        if self._taker is not None:
            self._raise_failure()
        elif not self._stop.is_set():
            self._catch_up(_LOOK)
        return self._mirror

    def still(self) -> AbstractContextManager[object]:
        """Return what holds the mirror still while it is read."""
        return self._lock

    def _still(self) -> AbstractContextManager[object]:
        return self._lock

    @property
    def status(self) -> FollowStatus:
        """What it has come to so far: counts, differences, queues, how far behind."""
        from kueuelab.live.follow_status import status_of

        return status_of(self)

    def memory(self, workload: str) -> Remembered:
        """Return what Kueue remembers of a workload, as far as the decisions that were seen tell.

        Parameters
        ----------
        workload
            ``namespace/name``.

        Raises
        ------
        UnknownObjectError
            If there is no such workload.
        """
        mirror = self.mirror
        with self._still():
            return mirror.memory(workload)

    def ask(self, workload: str) -> LiveAnswer:
        """Ask the cluster now: Kueue's words, the lab's, and what would admit it.

        The notes say what Kueue remembers of it, as far as the decisions that were seen tell.
        """
        from kueuelab.live.why import why

        answer = why(self._api, workload)
        if answer.workload in self.mirror.workloads and (memory := self.memory(answer.workload)):
            return replace(answer, notes=(*answer.notes, memory.as_text()))
        return answer

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
        from kueuelab.live.live_run import LiveRun, play_on

        options = self._options
        played = play_on(
            spec,
            self.context,
            workers=options.workers,
            allowed=options.allow,
            **options.play,
        )
        return LiveRun(played)
