"""Times since the start of a run, as people write them."""

from __future__ import annotations

from kueuelab.errors import InputError, Problem
from kueuelab.manifests.loading.moments import nanoseconds
from kueuelab.messages import Message

__all__ = ["moment_of", "moment_of_fork"]


def moment_of(written: float | str) -> int:
    """Return a time since the start, in seconds or as text, in nanoseconds.

    Raises
    ------
    InputError
        If it isn't one.

    Examples
    --------
    >>> moment_of("1m30s") == moment_of(90) == 90_000_000_000
    True
    """
    try:
        return nanoseconds(written)
    except (ValueError, OverflowError) as error:
        message = Message("whatif.fork.not-a-time", text=written)
        hint = Message("whatif.fork.not-a-time.hint")
        raise InputError(Problem(message, hint=hint)) from error


def moment_of_fork(written: str) -> int:
    """Return the time at which to fork; it is not before the start.

    Raises
    ------
    InputError
        If it is, or isn't a time.
    """
    found = moment_of(written)
    if found < 0:
        message = Message("whatif.fork.before-start", text=written)
        raise InputError(Problem(message, hint=Message("whatif.fork.before-start.hint")))
    return found
