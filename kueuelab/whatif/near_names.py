"""Names that are nearly right."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

__all__ = ["near"]

#: From this likeness on, two names may be meant to be the same.
_ALIKE: Final = 0.8


def near(name: str, names: Iterable[str]) -> list[str]:
    """Return names that this one may be meant to be, the nearest first.

    Examples
    --------
    >>> near("nvidia.com/gpu", ["cpu", "nvidia.com/gpus"])
    ['nvidia.com/gpus']
    """
    return get_close_matches(name, [each for each in names if each != name], 3, _ALIKE)
