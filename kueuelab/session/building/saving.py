"""Where a draft is written: the file that a person names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kueuelab.errors import InputError, Problem
from kueuelab.files import write_text
from kueuelab.messages import Message
from kueuelab.session.building.draft import Draft

__all__ = ["saved"]


def saved(draft: Draft, path: str | Path, *, own: Path | None = None) -> Draft:
    """Write a draft to the file that a person named; return it with that name.

    Parameters
    ----------
    draft
        What is written.
    path
        The file.
    own
        The file that it was opened from or written to before: only that may be replaced.

    Raises
    ------
    InputError
        If the name is empty, or another file has it.
    """
    named = str(path).strip()
    target = Path(named).expanduser()
    if not named:
        raise InputError(Problem(Message("session.build.no-file")))
    if target.exists() and (own is None or not own.exists() or not target.samefile(own)):
        hint = Message("session.patch.exists.hint")
        raise InputError(Problem(Message("session.patch.exists", file=named), hint=hint))
    write_text(target, draft.text)
    return replace(draft, name=target.name, base=target.parent)
