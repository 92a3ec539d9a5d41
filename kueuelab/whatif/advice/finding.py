"""What a rule finds, before it is known where that was written."""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.whatif.references import Reference

__all__ = ["Finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is probably not intended: in which field of which object, why, what to do."""

    object: Reference
    field: str
    what: str
    why: str
    do: str
