"""A language for tests: English with other letters.

A text that is not in a catalogue stands out in it. Its code, ``en-XA``, is CLDR's for accented
English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["PSEUDO", "pseudo", "pseudo_forms"]

PSEUDO: Final = "en-XA"

_ACCENTED: Final = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŤÛṼŴẊÝŽåƀçðéƒĝĥîĵķļɱñöþǫŕšťûṽŵẋýž",
)
_KEPT: Final = re.compile(r"(\{\w+\})")


def pseudo(text: str) -> str:
    """Return a template in the language for tests.

    Examples
    --------
    >>> pseudo("This {workload} waits.")
    '[!!Ťĥîš {workload} ŵåîťš.!!]'
    """
    parts = _KEPT.split(text)
    parts[::2] = [part.translate(_ACCENTED) for part in parts[::2]]
    return f"[!!{''.join(parts)}!!]"


def pseudo_forms(
    messages: Mapping[str, str | Mapping[str, str]],
) -> dict[str, str | dict[str, str]]:
    """Return all forms of messages in the language for tests."""
    return {
        id_: pseudo(forms)
        if isinstance(forms, str)
        else {category: pseudo(form) for category, form in forms.items()}
        for id_, forms in messages.items()
    }
