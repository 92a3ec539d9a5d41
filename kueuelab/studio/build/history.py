"""Drafts in the order in which they were made, to undo and redo edits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from kueuelab.session.building.draft import Draft

__all__ = ["History"]

#: So many edits can be undone.
_MOST: Final = 1000


@dataclass(frozen=True, slots=True)
class History:
    """A draft, those before it, and those that were undone.

    Attributes
    ----------
    draft
        The draft that is edited.
    before, after
        What *undo* and *redo* lead to, the nearest last.

    Examples
    --------
    >>> history = History(Draft.new()).edited(Draft.new("other"))
    >>> history.undone().draft.name, history.undone().redone().draft.name
    ('new-cluster.yaml', 'other.yaml')
    """

    draft: Draft
    before: tuple[Draft, ...] = ()
    after: tuple[Draft, ...] = ()

    def edited(self, draft: Draft) -> History:
        """Go on with another draft; what was undone is gone. The same text is no edit."""
        if draft.text == self.draft.text:
            return replace(self, draft=draft)
        return History(draft, (*self.before, self.draft)[-_MOST:])

    def undone(self) -> History:
        """Go back by one edit; at the first draft nothing happens."""
        if not self.before:
            return self
        return History(self.before[-1], self.before[:-1], (*self.after, self.draft))

    def redone(self) -> History:
        """Make the edit again that was undone last."""
        if not self.after:
            return self
        return History(self.after[-1], (*self.before, self.draft), self.after[:-1])
