"""How Go prints texts and numbers in messages, and what it says of a time that is none."""

from __future__ import annotations

import re
from calendar import monthrange
from decimal import Decimal
from typing import Final

__all__ = ["go_float", "go_quote", "time_error"]

_NAMED: Final = {'"': '\\"', "\\": "\\\\"} | dict(
    zip("\a\b\f\n\r\t\v", ("\\a", "\\b", "\\f", "\\n", "\\r", "\\t", "\\v"), strict=True)
)


def go_quote(text: str) -> str:
    r"""Return a text in quotes, as Go's ``%q`` has it.

    Examples
    --------
    >>> print(go_quote('a "b"\n\x00 é'))
    "a \"b\"\n\x00 é"
    """
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def go_float(value: float) -> str:
    """Return a floating-point number as Go's ``%v`` prints it.

    Examples
    --------
    >>> [go_float(value) for value in (1.5, 2.0, 1e6, 123456789.5, 1e-5, 1e300)]
    ['1.5', '2', '1e+06', '1.234567895e+08', '1e-05', '1e+300']
    """
    number = Decimal(repr(value)).normalize()
    power = number.adjusted()
    if number and not -4 <= power < 6:
        digits = f"{number.scaleb(-power):f}"
        return f"{digits}e{'-' if power < 0 else '+'}{abs(power):02d}"
    return f"{number:f}"


#: The parts of ``2006-01-02T15:04:05Z07:00``: what stands before each, its length, and its range.
_PARTS: Final = (
    ("", "2006", 0, 10_000, ""),
    ("-", "01", 1, 13, "month"),
    ("-", "02", 0, 100, ""),
    ("T", "15", 0, 24, "hour"),
    (":", "04", 0, 60, "minute"),
    (":", "05", 0, 60, "second"),
)
_LAYOUT: Final = "2006-01-02T15:04:05Z07:00"
_ZONE: Final = re.compile(r"Z|[+-]([0-9]{2}):([0-9]{2})")


def time_error(text: str) -> str:
    """Return what Go says of a text that is not a time of RFC 3339, nothing if it is one.

    Examples
    --------
    >>> time_error("2026-01-01T00:00:00Z")
    ''
    >>> time_error("2026-01-01")
    'parsing time "2026-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'
    >>> time_error("2026-13-01T00:00:00Z")
    'parsing time "2026-13-01T00:00:00Z": month out of range'
    """
    found = _Time(text).problem()
    return f"parsing time {_time_quote(text)}{found}" if found else ""


def _time_quote(text: str) -> str:
    """Return a text in quotes as Go's errors about times have it: bytes, not letters."""
    shown = (
        f"\\x{byte:02x}" if byte >= 0x80 or byte < 0x20 else ("\\" * (byte in b'"\\')) + chr(byte)
        for byte in text.encode("utf-8", "surrogatepass")
    )
    return f'"{"".join(shown)}"'


class _Time:
    """Reads a time from left to right; ``rest`` is what has not been read."""

    def __init__(self, text: str) -> None:
        self.rest = text
        self.found: dict[str, int] = {}

    def problem(self) -> str:
        """Return what is wrong first."""
        for before, name, low, high, what in _PARTS:
            if not self.rest.startswith(before):
                return self._unread(before)
            self.rest = self.rest[len(before) :]
            width = len(name)
            digits = self.rest[:width]
            if name == "15" and re.match(r"[0-9](?![0-9])", self.rest):
                digits = digits[:1]
                width = 1
            if not re.fullmatch(r"[0-9]+", digits) or len(digits) < width:
                return self._unread(name)
            self.rest = self.rest[width:]
            self.found[name] = int(digits)
            if not low <= int(digits) < high:
                return f": {what} out of range"
        self.rest = re.sub(r"\A[.,][0-9]+", "", self.rest)
        zone = _ZONE.match(self.rest)
        if zone is None:
            return self._unread("Z07:00")
        self.rest = self.rest[zone.end() :]
        return self._zone(zone) or self._day()

    def _unread(self, part: str) -> str:
        return f' as {_time_quote(_LAYOUT)}: cannot parse {_time_quote(self.rest)} as "{part}"'

    def _zone(self, zone: re.Match[str]) -> str:
        hour, minute = (int(group or 0) for group in zone.groups())
        if hour > 24:
            return ": time zone offset hour out of range"
        return ": time zone offset minute out of range" if minute > 60 else ""

    def _day(self) -> str:
        if self.rest:
            return f": extra text: {_time_quote(self.rest)}"
        year, month, day = (self.found[name] for name in ("2006", "01", "02"))
        # The year 0 is a leap year, as 2000 is.
        last = monthrange(year or 2000, month)[1]
        return "" if 1 <= day <= last else ": day out of range"
