"""A sentence that can still be said in another language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any

__all__ = ["Message", "clauses", "listed", "separated", "verbatim"]


class Message(str):
    """A sentence in English that knows its id and values.

    It is a string, so it goes wherever a string goes: into a `Problem`, an exception, a data
    class. What shows it gives it to `Catalog.render`, which says it in the reader's language.

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


def listed(parts: Sequence[str]) -> str:
    """Return a list as a sentence has it, which can still be said in another language.

    >>> listed(["a", "b", "c"]), listed(["a"]), listed([])
    ('a, b and c', 'a', 'none')
    """
    if not parts:
        return Message("list.none")
    text = separated(parts[:-1] or parts)
    return text if len(parts) == 1 else Message("list.two", first=text, last=parts[-1])


def clauses(parts: Sequence[str]) -> str:
    """Return clauses of one sentence, which can still be said in another language.

    >>> clauses(["a fits", "b does not"]), clauses([])
    ('a fits; b does not', '')
    """
    return separated(parts, "list.clauses")


def separated(parts: Iterable[str], by: str = "list.more") -> str:
    """Return parts with commas between them, or with what another message says.

    >>> separated(["a", "b", "c"]), separated(["a", "b"], "list.or"), separated([])
    ('a, b, c', 'a or b', '')
    """
    left = iter(parts)
    return reduce(lambda first, last: Message(by, first=first, last=last), left, next(left, ""))


def verbatim(text: str) -> str:
    """Return a text of Kueue's or Kubernetes' as it is; it marks what is never translated.

    >>> verbatim("must be a valid IP address")
    'must be a valid IP address'
    """
    return text


def _again(id: str, values: dict[str, Any]) -> Message:
    return Message(id, **values)
