"""The draft that a session builds, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kueuelab.session.building.draft import Draft

__all__ = ["Built"]


@dataclass(frozen=True, slots=True)
class Built:
    """A draft, the branch with its last run, and the file that it was written to.

    Attributes
    ----------
    draft
        The draft.
    branch
        The name of the branch; ``""`` if it was not run.
    file
        The file; ``None`` if it was not written.
    source
        The file that it began with; ``None`` if there is none.
    """

    draft: Draft
    branch: str = ""
    file: Path | None = None
    source: Path | None = None
