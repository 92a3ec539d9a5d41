"""What a rule among fields is, and how its evaluation treats fields that aren't there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Object", "Rule", "every", "exactly_one"]

Object: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule about a value (``holds``) or about a change of it (``keeps``)."""

    message: str
    holds: Callable[[Any], bool] | None = None
    keeps: Callable[[Any, Any], bool] | None = None


def every(items: Iterable[Any], holds: Callable[[Any], bool]) -> bool:
    """Tell whether something holds for all items; one that denies it outweighs a missing field."""
    missing: KeyError | None = None
    for item in items:
        try:
            if not holds(item):
                return False
        except KeyError as error:
            missing = missing or error
    if missing is not None:
        raise missing
    return True


def exactly_one(*names: str) -> Callable[[Object], bool]:
    """Return what tells whether one of the fields is there, and only one."""
    return lambda value: sum(name in value for name in names) == 1
