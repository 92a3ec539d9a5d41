"""What is open, and what was open before: undo and redo are steps through values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kueuelab.errors import KueueLabError
from kueuelab.messages import Message
from kueuelab.session.session import Session

__all__ = ["History"]

#: So many changes can be undone.
_MOST: int = 100


@dataclass(frozen=True, slots=True)
class History:
    """Sessions in the order in which changes made them.

    Attributes
    ----------
    present
        What is open.
    past, future
        What was open before, and what was undone; the nearest is last.

    Examples
    --------
    >>> history = History().changed(Session().opened("two-teams"))
    >>> history.undone().present.names, history.undone().redone().present.names
    ((), ('two-teams',))
    """

    present: Session = field(default_factory=Session)
    past: tuple[Session, ...] = ()
    future: tuple[Session, ...] = ()

    def changed(self, session: Session) -> History:
        """Return the history with one more change."""
        return History(session, (*self.past, self.present)[-_MOST:])

    def mapped(self, change: Callable[[Session], Session]) -> History:
        """Return the history of other sessions: what each of them becomes."""
        past, future = (tuple(map(change, each)) for each in (self.past, self.future))
        return History(change(self.present), past, future)

    def undone(self) -> History:
        """Return the history before the last change.

        Raises
        ------
        KueueLabError
            If there is none.
        """
        if not self.past:
            raise KueueLabError(Message("session.nothing-to-undo"))
        return History(self.past[-1], self.past[:-1], (*self.future, self.present))

    def redone(self) -> History:
        """Return the history with the change done again that was undone.

        Raises
        ------
        KueueLabError
            If there is none.
        """
        if not self.future:
            raise KueueLabError(Message("session.nothing-to-redo"))
        return History(self.future[-1], (*self.past, self.present), self.future[:-1])
