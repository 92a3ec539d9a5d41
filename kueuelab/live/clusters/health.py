"""What `kueuelab live status` finds out about a cluster or a connection."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Health"]


@dataclass(frozen=True, slots=True)
class Health:
    """A sentence about a cluster or a connection, and whether all is well with it.

    Examples
    --------
    >>> print(Health("lab: not there", is_well=False))
    lab: not there
    """

    text: str
    is_well: bool

    def __str__(self) -> str:
        return self.text
