"""A job of a cluster as the record has it: how many of its pods run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["JobView"]


@dataclass(frozen=True, slots=True)
class JobView:
    """A job; one that isn't there is false."""

    key: str
    _raw: Mapping[str, Any]

    def __bool__(self) -> bool:
        return bool(self._raw)

    @property
    def workloads(self) -> tuple[str, ...]:
        """The keys of its Workloads."""
        return tuple(self._raw.get("workloads", ()))

    @property
    def framework(self) -> str:
        """The integration that manages jobs of its kind."""
        return str(self._raw.get("framework", ""))

    @property
    def is_managed(self) -> bool:
        """Whether the cluster's Kueue has that integration."""
        return bool(self._raw.get("managed", True))

    @property
    def pods(self) -> int:
        """How many pods it runs at a time."""
        return int(self._raw.get("pods", 0))

    @property
    def active(self) -> int:
        """How many pods have been created and have not ended."""
        return int(self._raw.get("active", 0))

    @property
    def ready(self) -> int:
        """How many pods are ready."""
        return int(self._raw.get("ready", 0))

    @property
    def without_node(self) -> int:
        """How many pods no node has room for."""
        return int(self._raw.get("withoutNode", 0))
