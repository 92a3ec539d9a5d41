"""What a page can ask about drafts that are kept beside files, and what the handler answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["DiscardDraft", "DraftsCommand", "KeptDraft", "KeptDrafts", "ListDrafts", "ResumeDraft"]


@dataclass(frozen=True, slots=True)
class ListDrafts:
    """Ask for the drafts that are kept beside the files which the command line named."""


@dataclass(frozen=True, slots=True)
class ResumeDraft:
    """Go on building with a draft that was kept.

    Attributes
    ----------
    file
        One of the files in the answer to ``drafts``.
    text
        In the place of what is kept now: the text that it was gone on with before.
    """

    file: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class DiscardDraft:
    """Delete a draft that was kept. The file beside it stays as it is.

    Attributes
    ----------
    file
        One of the files in the answer to ``drafts``.
    """

    file: str


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """A draft beside a file.

    Attributes
    ----------
    file
        The file that was opened.
    name
        Its name without the folder.
    about
        Where the draft is, as text, and whether the file was changed since.
    time
        When it was written, in seconds since 1970.
    """

    file: str
    name: str
    about: str
    time: int


@dataclass(frozen=True, slots=True)
class KeptDrafts:
    """The answer to ``drafts`` and ``draftDiscard``: those that were written last come first."""

    drafts: tuple[KeptDraft, ...]


DraftsCommand: TypeAlias = ListDrafts | ResumeDraft | DiscardDraft
