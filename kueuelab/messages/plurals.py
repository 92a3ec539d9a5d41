"""Which form of a sentence goes with a number, by language, as Unicode's CLDR has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

__all__ = ["Plural", "plural_of"]

#: Chooses the plural category for a number, among those of Unicode's CLDR.
Plural = Callable[[int], str]


def _one_or_other(count: int) -> str:
    return "one" if count == 1 else "other"


def _other(count: int) -> str:
    return "other"


def _zero_is_one(count: int) -> str:
    return "one" if count in (0, 1) else "other"


_RULES: Final[dict[str, Plural]] = {
    "en": _one_or_other,
    "de": _one_or_other,
    "es": _one_or_other,
    "fr": _zero_is_one,
    "ja": _other,
    "ko": _other,
    "pt": _zero_is_one,
    "vi": _other,
    "zh": _other,
}


def plural_of(language: str) -> Plural:
    """Return the rule of a language; of one that is not in the table, the rule of English.

    Examples
    --------
    >>> plural_of("en")(1), plural_of("ja")(1), plural_of("zh-Hant")(1), plural_of("fr")(0)
    ('one', 'other', 'other', 'one')
    """
    return _RULES.get(language.partition("-")[0].lower(), _one_or_other)
