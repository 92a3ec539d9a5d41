"""The design tokens of the style sheets, for pictures that are drawn without a browser.

The style sheets define each token once. A still picture cannot read them: it may be a file of its
own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

from kueuelab.frontend.joining import style

__all__ = ["Colour", "colours", "token"]

_DEFINED: Final = re.compile(r"--kl-([\w-]+):([^;}]+)")
_BOTH: Final = re.compile(r"light-dark\((#\w+), (#\w+)\)")


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour on a light ground and on a dark one."""

    light: str
    dark: str


@cache
def _tokens() -> Mapping[str, str]:
    """Return all tokens; of those that a style sheet defines again, the first value."""
    found: dict[str, str] = {}
    for name, value in _DEFINED.findall(style()):
        found.setdefault(name, value.replace(",", ", "))
    return found


def token(name: str) -> str:
    """Return the value of a token as the style sheets write it.

    Examples
    --------
    >>> token("chip-radius")
    '3px'
    """
    return _tokens()[name]


@cache
def colours() -> Mapping[str, Colour]:
    """Return the tokens that are colours, by name.

    Examples
    --------
    >>> colours()["text"]
    Colour(light='#1b1f24', dark='#e6e9ed')
    """
    pairs = {name: _BOTH.search(value) for name, value in _tokens().items()}
    return MappingProxyType({name: Colour(*both.groups()) for name, both in pairs.items() if both})
