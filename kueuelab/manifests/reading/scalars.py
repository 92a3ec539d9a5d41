"""What a YAML scalar without quotes means to Kubernetes.

Kubernetes reads YAML 1.1, but for a few differences to what PyYAML makes of it: times
stay text, ``1:30`` is no number, ``1e3`` is one, and ``y`` and ``n`` are booleans.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Final, TypeAlias

__all__ = ["Scalar", "resolve"]

Scalar: TypeAlias = str | int | float | bool | None

_WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(
        ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True
    ),
    **dict.fromkeys(
        ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False
    ),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_DECIMAL: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_OTHER_BASE: Final = re.compile(
    r"[-+]?0(?:[xX](?P<hex>[0-9a-fA-F]+)|[bB](?P<binary>[01]+)|[oO]?(?P<octal>[0-7]+))\Z"
)
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_BASES: Final = {"hex": 16, "binary": 2, "octal": 8}

# Whole numbers beyond 64 bits are read as floating point, and longer ones need no reading.
_MAX_DIGITS: Final = 400


@lru_cache(maxsize=8192)
def resolve(text: str) -> Scalar:
    """Return what ``text`` means without quotes.

    Examples
    --------
    >>> [resolve(text) for text in ("500m", "2", "1e3", "yes", "~", "0x10", "1:30")]
    ['500m', 2, 1000.0, True, None, 16, '1:30']
    >>> resolve("2026-01-01T00:00:00Z")
    '2026-01-01T00:00:00Z'
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789" or len(text) > _MAX_DIGITS:
        return text
    plain = text.replace("_", "") if text[0] != "." else text
    whole = _whole(plain)
    if whole is not None:
        return whole if -(2**63) <= whole < 2**64 else float(whole)
    if _FLOAT.match(plain):
        number = float(plain)
        return number if math.isfinite(number) else text
    return text


def _whole(plain: str) -> int | None:
    if _DECIMAL.match(plain):
        return int(plain)
    match = _OTHER_BASE.match(plain)
    if match is None or match.lastgroup is None:
        return None
    value = int(match[match.lastgroup], _BASES[match.lastgroup])
    return -value if plain[0] == "-" else value
