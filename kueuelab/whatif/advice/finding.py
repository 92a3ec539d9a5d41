"""What a rule finds, before it is known where that was written."""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.whatif.references import Reference

__all__ = ["Finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """About which field of which object, what is there, why it is odd, what to do."""

    object: Reference
    field: str
    what: str
    why: str
    do: str
