"""Kubernetes Events, as Kueue emits them."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

__all__ = ["Event", "truncated_for_condition", "truncated_for_event"]

EventType = Literal["Normal", "Warning"]

_EVENT_LIMIT: Final = 1024
_CONDITION_LIMIT: Final = 32 * 1024
_ELLIPSIS: Final = " ..."


class Event(NamedTuple):
    """One Event: ``object`` is the ``namespace/name`` of the workload it is about.

    Examples
    --------
    >>> print(Event("Normal", "Admitted", "Admitted by ClusterQueue a", "default/job-0", 0))
    Normal Admitted default/job-0: Admitted by ClusterQueue a
    """

    type: EventType
    reason: str
    message: str
    object: str
    time: int

    def __str__(self) -> str:
        return f"{self.type} {self.reason} {self.object}: {self.message}"


def _truncated(message: str, limit: int) -> str:
    data = message.encode()
    if len(data) <= limit:
        return message
    return data[: limit - len(_ELLIPSIS)].decode(errors="replace") + _ELLIPSIS


def truncated_for_event(message: str) -> str:
    """Return ``message`` as it fits into an Event.

    Examples
    --------
    >>> len(truncated_for_event("x" * 2000)), truncated_for_event("x" * 2000)[-5:]
    (1024, 'x ...')
    """
    # The limit counts bytes: up to four for a character.
    return message if len(message) * 4 <= _EVENT_LIMIT else _truncated(message, _EVENT_LIMIT)


def truncated_for_condition(message: str) -> str:
    """Return ``message`` as it fits into a condition."""
    short = len(message) * 4 <= _CONDITION_LIMIT
    return message if short else _truncated(message, _CONDITION_LIMIT)
