"""An endless watch of one kind: it survives disconnects, timeouts, expired versions."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Final, Protocol

from kueuelab.live.api import ClusterApi, Listing, WatchEvent
from kueuelab.live.errors import LiveError
from kueuelab.live.resources import Json, Resource

__all__ = ["Change", "Changes", "Watcher"]

#: For how long the server is asked to keep a watch open.
_SECONDS: Final = 60
#: How long to wait before trying again, at most.
_LONGEST: Final = 15.0
#: Errors that pass.
_PASSING: Final = ("cut", "timeout", "unreachable", "unavailable", "throttled", "refused")

#: A change, or what ended the watch.
Change = tuple[Resource, WatchEvent] | LiveError


class Changes(Protocol):
    """A queue for changes."""

    def put(self, change: Change, /) -> None:
        """Add a change."""


class Watcher:
    """Puts every change of one kind into a queue, from a thread of its own.

    Parameters
    ----------
    api
        The cluster.
    resource
        The kind.
    listing
        What is known already.
    changes
        Where changes go; a :class:`~kueuelab.live.errors.LiveError` is the last of them.
    stop
        Set when it is to end.
    """

    def __init__(
        self,
        api: ClusterApi,
        resource: Resource,
        listing: Listing,
        changes: Changes,
        stop: Event,
    ) -> None:
        self._api, self._resource = api, resource
        self._changes, self._stop = changes, stop
        self._since = listing.resource_version
        self._known = {_uid(item): item for item in listing.items}
        self._thread = Thread(target=self._run, name=f"watch-{resource.plural}", daemon=True)

    def start(self) -> None:
        """Start."""
        self._thread.start()

    def join(self, seconds: float) -> bool:
        """Wait for the end; tell whether the thread has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        failures = 0
        step: Callable[[], None] = self._watch
        while not self._stop.is_set():
            try:
                step()
            except LiveError as error:
                if self._stop.is_set():
                    return
                if error.trouble == "expired":
                    step = self._list_again
                    continue
                if error.trouble not in _PASSING:
                    self._changes.put(error)
                    return
                failures += 1
                wait = max(error.retry_after or 0.0, min(0.25 * 2**failures, _LONGEST))
                self._stop.wait(wait)
            else:
                failures, step = 0, self._watch

    def _watch(self) -> None:
        seen = False
        for event in self._api.watch(self._resource, self._since, _SECONDS):
            seen = True
            self._take(event)
            if self._stop.is_set():
                return
        if not seen:
            # A server that ends watches at once is asked again only after a pause.
            self._stop.wait(0.25)

    def _take(self, event: WatchEvent) -> None:
        version = (event.object.get("metadata") or {}).get("resourceVersion")
        self._since = str(version or self._since)
        if event.type == "BOOKMARK":
            return
        if event.type == "DELETED":
            self._known.pop(_uid(event.object), None)
        else:
            self._known[_uid(event.object)] = event.object
        self._changes.put((self._resource, event))

    def _list_again(self) -> None:
        """Read everything again, and report the differences as changes."""
        listing = self._api.list(self._resource)
        now = {_uid(item): item for item in listing.items}
        for uid, item in list(self._known.items()):
            if uid not in now:
                self._take(WatchEvent("DELETED", item))
        for uid, item in now.items():
            known = self._known.get(uid)
            if known is None or _version(known) != _version(item):
                self._take(WatchEvent("ADDED" if known is None else "MODIFIED", item))
        self._since = listing.resource_version


def _uid(obj: Json) -> str:
    return str(obj["metadata"].get("uid") or obj["metadata"].get("name"))


def _version(obj: Json) -> str:
    return str(obj["metadata"].get("resourceVersion"))
