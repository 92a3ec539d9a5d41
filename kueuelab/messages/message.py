"""A sentence that can still be said in another language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Message"]


class Message(str):
    """A sentence in English that knows its id and values.

    It is a string, so it goes wherever a string goes: into a `Problem`, an exception, a data
    class. Who shows it gives it to `Catalog.render`, which says it in the reader's language.

    Parameters
    ----------
    id
        Which sentence: ``room.topic.name``.
    values
        What is filled in; messages among them are rendered, too.

    Examples
    --------
    >>> missing = Message("errors.unknown", kind="ClusterQueue", name="x")
    >>> missing
    "there is no ClusterQueue named 'x'"
    >>> missing.id, missing.values["kind"]
    ('errors.unknown', 'ClusterQueue')
    """

    __slots__ = ("id", "values")

    id: str
    values: dict[str, Any]

    def __new__(cls, id: str, /, **values: Any) -> Message:
        """Return the sentence in English."""
        from kueuelab.messages.languages import english

        found = super().__new__(cls, english().text(id, **values))
        found.id = id
        found.values = values
        return found

    def __reduce__(self) -> tuple[Callable[..., Message], tuple[str, dict[str, Any]]]:
        return _again, (self.id, self.values)


def _again(id: str, values: dict[str, Any]) -> Message:
    return Message(id, **values)
