"""An API server that may be unavailable for a while: requests are sent again until it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from threading import Event
from typing import Final, TypeVar

from kueuelab.live.api import ClusterApi, Listing, WatchEvent
from kueuelab.live.errors import LiveError
from kueuelab.live.resources import Json, Resource
from kueuelab.messages import Message

__all__ = ["RetryingApi"]

_T = TypeVar("_T")

#: Temporary errors. The server may have carried out the request in spite of them.
_TEMPORARY: Final = ("cut", "timeout", "unavailable", "throttled")
#: How long a server that was restarted may not know all access rules yet.
_RECOVERY_SECONDS: Final = 30.0
_RETRY_INTERVAL: Final = 1.0


class RetryingApi:
    """Sends requests again while the API server is unavailable, up to a limit, and reports it.

    A request whose answer was lost is sent again, too. So objects are only created that are
    identifiable (see :class:`~kueuelab.live.created_objects.CreatedObjects`), and only
    written or deleted in the version that was read.

    Parameters
    ----------
    api
        The API server.
    tell
        Called with a sentence when it becomes unavailable and when it answers again.
    seconds
        How long it may be unavailable.
    """

    def __init__(
        self,
        api: ClusterApi,
        tell: Callable[[str], None] = lambda sentence: None,
        seconds: float = 60.0,
    ) -> None:
        self._api, self._tell, self._seconds = api, tell, seconds
        self._closed = Event()
        # There is no waiting for a server that never answered.
        self._gave_up = True
        self._last_failure = float("-inf")

    @property
    def context(self) -> str:
        """The context of the kubeconfig."""
        return self._api.context

    @property
    def server_time(self) -> int | None:
        """The server's clock at its last answer, in nanoseconds since 1970, if it said."""
        return self._api.server_time

    # --- requests ----------------------------------------------------------------------

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Json:
        """Return the object, list or discovery document at a path."""
        return self._with_retries(lambda: self._api.get(path, query))

    def list(
        self, resource: Resource, namespace: str = "", query: Mapping[str, str] | None = None
    ) -> Listing:
        """Return all objects of a kind."""
        return self._with_retries(lambda: self._api.list(resource, namespace, query))

    def watch(self, resource: Resource, since: str, seconds: int) -> Iterator[WatchEvent]:
        """Yield what changes; the caller of a watch starts it again by itself."""
        try:
            yield from self._api.watch(resource, since, seconds)
        except LiveError as error:
            if not self._is_temporary(error):
                raise
            if error.trouble == "forbidden":  # a watch treats this as final
                message = error.problem.message
                raise LiveError(message, "unavailable", retry_after=_RETRY_INTERVAL) from error
            self._last_failure = time.monotonic()
            raise

    def apply(self, obj: Json, *, force: bool = False, dry_run: bool = False) -> Json:
        """Apply an object, server-side."""
        return self._with_retries(lambda: self._api.apply(obj, force=force, dry_run=dry_run))

    def create(self, obj: Json) -> Json:
        """Create an object; it may be there already if an answer was lost."""
        return self._with_retries(lambda: self._api.create(obj))

    def replace(self, obj: Json, part: str = "") -> Json:
        """Write an object that was read, or a subresource of it."""
        return self._with_retries(lambda: self._api.replace(obj, part))

    def delete(self, resource: Resource, name: str, namespace: str = "", uid: str = "") -> bool:
        """Delete an object; tell whether there was one."""
        return self._with_retries(lambda: self._api.delete(resource, name, namespace, uid))

    def close(self) -> None:
        """Close all streams and connections, and stop waiting."""
        self._closed.set()
        self._api.close()

    # --- waiting -----------------------------------------------------------------------

    def _with_retries(self, ask: Callable[[], _T]) -> _T:
        began: float | None = None
        while True:
            try:
                found = ask()
            except LiveError as error:
                if not self._is_temporary(error):
                    raise
                now = self._last_failure = time.monotonic()
                if began is None:
                    began = now
                    if not self._gave_up:
                        why = error.problem.message
                        self._tell(
                            Message("live.play.waiting", why=why, seconds=f"{self._seconds:g}")
                        )
                if self._gave_up or now - began >= self._seconds or self._closed.is_set():
                    self._gave_up = True  # the next request does not wait again
                    raise
                self._closed.wait(_RETRY_INTERVAL)
                continue
            if began is not None:
                waited = time.monotonic() - began
                self._tell(
                    Message("live.play.answers-again", context=self.context, waited=f"{waited:.0f}")
                )
            self._gave_up = False
            return found

    def _is_temporary(self, error: LiveError) -> bool:
        if error.trouble == "unreachable":
            return error.retry_after is not None  # a wrong name or certificate does not change
        if error.trouble == "forbidden":
            return time.monotonic() - self._last_failure < _RECOVERY_SECONDS
        return error.trouble in _TEMPORARY
