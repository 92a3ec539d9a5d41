"""Errors of real clusters, each one sentence with a hint."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kueuelab.errors import KueueLabError

__all__ = ["LiveError", "NotPlayableError", "Trouble"]

#: The kind of error, so that a caller can continue after some of them.
Trouble: TypeAlias = Literal[
    "config",
    "unreachable",
    "timeout",
    "cut",
    "unauthorized",
    "forbidden",
    "missing",
    "exists",
    "conflict",
    "expired",
    "throttled",
    "unavailable",
    "refused",
    "guarded",
    "kueue",
    "command",
]


class LiveError(KueueLabError, RuntimeError):
    """A request to a real cluster failed.

    Parameters
    ----------
    message
        What happened.
    trouble
        The kind of error.
    hint
        What to do next.
    retry_after
        After how many seconds the server wants to be asked again, ``None`` if it didn't say.

    Examples
    --------
    >>> error = LiveError("the API server refuses the connection", "unreachable")
    >>> error.trouble, str(error)
    ('unreachable', 'the API server refuses the connection')
    """

    trouble: Trouble
    retry_after: float | None

    def __init__(
        self,
        message: str,
        trouble: Trouble,
        *,
        hint: str = "",
        object: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, object=object, hint=hint)
        self.trouble = trouble
        self.retry_after = retry_after


class NotPlayableError(LiveError):
    """A scenario needs what a cluster does not have; nothing was written.

    Examples
    --------
    >>> NotPlayableError("the scenario has 1 worker", "config").trouble
    'config'
    """
