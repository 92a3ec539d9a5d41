"""Times since the start, as a scenario file writes them."""

from __future__ import annotations

from kueuelab.model.times import SECOND, parse_duration

__all__ = ["nanoseconds"]


def nanoseconds(value: str | int | float | None) -> int:
    """Return a checked duration, or number of seconds, in nanoseconds.

    Examples
    --------
    >>> nanoseconds("1m30s"), nanoseconds(1.5), nanoseconds(None)
    (90000000000, 1500000000, 0)
    """
    if value is None:
        return 0
    return parse_duration(value) if isinstance(value, str) else round(value * SECOND)
