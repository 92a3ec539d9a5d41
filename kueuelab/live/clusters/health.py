"""The health of a cluster or a connection, for `kueuelab live status`."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Health"]


@dataclass(frozen=True, slots=True)
class Health:
    """A sentence about a cluster or a connection, and whether it is healthy.

    Examples
    --------
    >>> print(Health("lab: not there", is_well=False))
    lab: not there
    """

    text: str
    is_well: bool

    def __str__(self) -> str:
        return self.text
