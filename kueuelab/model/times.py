"""Points in time and durations, as integers of nanoseconds.

The lab keeps times exactly. :func:`to_seconds` gives the whole second that the API
server stores, for the places where Kueue decides by what it reads back.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from kueuelab.errors import InputError
from kueuelab.messages import Message

__all__ = [
    "SECOND",
    "format_duration",
    "format_time",
    "from_seconds",
    "parse_duration",
    "parse_time",
    "to_seconds",
]

MICROSECOND: Final = 1_000
MILLISECOND: Final = 1_000_000
SECOND: Final = 1_000_000_000

#: A duration has 64 bits.
_MOST_SECONDS: Final = (2**63 - 1) // SECOND

_UNITS: Final = {
    "ns": 1,
    "us": MICROSECOND,
    "µs": MICROSECOND,
    "ms": MILLISECOND,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}
_DURATION_PART: Final = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)")
#: What Go reads as RFC 3339, too: an hour of one digit, a fraction behind a comma, the year 0.
_RFC3339: Final = re.compile(
    r"(\d{4})(-\d\d-\d\d)[Tt ](\d\d?)(:\d\d:\d\d)([.,]\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))\Z",
)
_FOUR_CENTURIES: Final = 146_097 * 86_400
#: Seconds since 1970 of the first moment that Python's calendar has.
_YEAR_ONE: Final = -62_135_596_800


def parse_time(text: str) -> int:
    """Return an RFC 3339 time as nanoseconds since 1970.

    Raises
    ------
    ValueError
        If ``text`` isn't an RFC 3339 time.

    Examples
    --------
    >>> parse_time("2026-01-01T00:00:01Z") - parse_time("2026-01-01T00:00:00Z")
    1000000000
    """
    match = _RFC3339.match(text)
    if match is None:
        raise ValueError(Message("model.not-a-time", text=repr(text)))
    year, day, hour, clock, fraction, sign, *zone = match.groups()
    # Python's calendar begins with the year 1, and repeats itself every 400 years.
    is_zero = year == "0000"
    moment = f"{'0400' if is_zero else year}{day}T{hour:0>2}{clock}+00:00"
    seconds = int(datetime.fromisoformat(moment).timestamp()) - is_zero * _FOUR_CENTURIES
    if sign:
        ahead = 3600 * int(zone[0]) + 60 * int(zone[1])
        seconds -= ahead if sign == "+" else -ahead
    nanos = int(((fraction or ".0")[1:] + "0" * 9)[:9])
    return seconds * SECOND + nanos


def format_time(time: int) -> str:
    """Return nanoseconds since 1970 as an RFC 3339 time, in whole seconds.

    Examples
    --------
    >>> format_time(parse_time("2026-01-01T01:00:00.5+01:00"))
    '2026-01-01T00:00:00Z'
    """
    seconds = time // SECOND
    is_before = seconds < _YEAR_ONE
    found = datetime.fromtimestamp(seconds + is_before * _FOUR_CENTURIES, UTC)
    return f"{found.year - is_before * 400:04}{found:-%m-%dT%H:%M:%SZ}"


def from_seconds(seconds: float, most: int = _MOST_SECONDS) -> int:
    """Return how long a person wants a run to go on, in nanoseconds.

    Raises
    ------
    InputError
        If it is negative, infinite, or longer than ``most`` (a duration of Kubernetes, if that is
        not given).

    Examples
    --------
    >>> from_seconds(1.5)
    1500000000
    >>> from_seconds(float("inf"))
    Traceback (most recent call last):
    kueuelab.errors.InputError: inf is not a number of seconds from 0 to 9223372036
    """
    # A comparison with what is no number is false.
    if not 0 <= seconds <= most:
        raise InputError(Message("model.not-seconds", value=f"{seconds!r:.40}", most=most))
    return round(seconds * SECOND)


def to_seconds(time: int) -> int:
    """Return ``time`` without its fraction of a second, as the API server stores it."""
    return time - time % SECOND


def parse_duration(text: str) -> int:
    """Return a Go duration (``"1h30m"``, ``"300ms"``, ``"0"``) in nanoseconds.

    Raises
    ------
    ValueError
        If ``text`` isn't a Go duration.

    Examples
    --------
    >>> parse_duration("1m30s") == 90 * SECOND
    True
    >>> parse_duration("0")
    0
    """
    body = text[1:] if text[:1] in ("+", "-") else text
    sign = -1 if text[:1] == "-" else 1
    if body == "0":
        return 0
    total = 0
    position = 0
    for match in _DURATION_PART.finditer(body):
        if match.start() != position:
            break
        whole, _, fraction = match[1].partition(".")
        unit = _UNITS[match[2]]
        total += int(whole or "0") * unit
        if fraction:
            total += int(fraction) * unit // 10 ** len(fraction)
        position = match.end()
    if position == 0 or position != len(body):
        raise ValueError(Message("model.not-a-duration", text=repr(text)))
    return sign * total


def format_duration(duration: int) -> str:
    """Return nanoseconds as Go prints a duration.

    Examples
    --------
    >>> format_duration(90 * SECOND), format_duration(300_000_000), format_duration(0)
    ('1m30s', '300ms', '0s')
    """
    if duration < 0:
        return "-" + format_duration(-duration)
    if duration == 0:
        return "0s"
    if duration < SECOND:
        for unit, size in (("ms", MILLISECOND), ("µs", MICROSECOND), ("ns", 1)):
            if duration >= size:
                return _decimal(duration, size) + unit
    minutes, rest = divmod(duration, 60 * SECOND)
    hours, minutes = divmod(minutes, 60)
    text = _decimal(rest, SECOND) + "s"
    if hours or minutes:
        text = f"{minutes}m{text}"
    return f"{hours}h{text}" if hours else text


def _decimal(value: int, unit: int) -> str:
    whole, rest = divmod(value, unit)
    if not rest:
        return str(whole)
    digits = len(str(unit)) - 1
    return f"{whole}.{rest:0{digits}d}".rstrip("0")
