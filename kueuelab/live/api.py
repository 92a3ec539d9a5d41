"""What the lab needs of a Kubernetes API server, independent of the client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from kueuelab.live.resources import Json, Resource

__all__ = ["ClusterApi", "Listing", "WatchEvent"]


@dataclass(frozen=True, slots=True)
class Listing:
    """All objects of a kind, and the version of the collection, from which to watch on."""

    items: tuple[Json, ...]
    resource_version: str


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """``type`` is ``ADDED``, ``MODIFIED``, ``DELETED`` or ``BOOKMARK``."""

    type: str
    object: Json


class ClusterApi(Protocol):
    """One API server. Every method raises :class:`~kueuelab.live.errors.LiveError`."""

    @property
    def context(self) -> str:
        """The context of the kubeconfig."""
        ...

    @property
    def server_time(self) -> int | None:
        """The server's clock at its last answer, in nanoseconds since 1970, if it said."""
        ...

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Json:
        """Return the object, list or discovery document at a path."""
        ...

    def list(
        self, resource: Resource, namespace: str = "", query: Mapping[str, str] | None = None
    ) -> Listing:
        """Return all objects of a kind, of one namespace or of all."""
        ...

    def watch(self, resource: Resource, since: str, seconds: int) -> Iterator[WatchEvent]:
        """Yield what changes, until the server ends the stream after about ``seconds``."""
        ...

    def apply(self, obj: Json, *, force: bool = False, dry_run: bool = False) -> Json:
        """Apply an object, server-side."""
        ...

    def create(self, obj: Json) -> Json:
        """Create an object; there must be none."""
        ...

    def replace(self, obj: Json, part: str = "") -> Json:
        """Write an object that was read (or its ``status``), unless it was changed since."""
        ...

    def delete(self, resource: Resource, name: str, namespace: str = "", uid: str = "") -> bool:
        """Delete an object, with what belongs to it; tell whether there was one."""
        ...

    def close(self) -> None:
        """End all streams and connections."""
        ...
