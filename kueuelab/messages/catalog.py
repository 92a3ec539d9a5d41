"""Sentences in one language, by message id."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, reduce
from importlib import resources
from typing import Any, Final

from kueuelab.messages.message import Message
from kueuelab.messages.plurals import Plural, plural_of

__all__ = ["Catalog", "Forms", "places", "say_script"]

_PLACE: Final = re.compile(r"\{(\w+)\}")

#: A template, or one for each plural category of ``{count}``.
Forms = str | Mapping[str, str]


class Catalog:
    """Sentences in one language.

    Parameters
    ----------
    language
        Its code: ``en``.
    messages
        Id to template, or to one template per plural category of ``{count}``.
    fallback
        Where to look for ids that are missing here.
    plural
        Chooses the plural category; by default as the language does.
    load
        Gives the messages of a room when one of them is asked for the first time.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> german = Catalog("de", {"step.Admitted": "{workload} ist zugelassen."}, english())
    >>> german.text("step.Admitted", workload="default/a")
    'default/a ist zugelassen.'
    >>> german.text("pods.count", count=2)
    '2 pods'
    """

    __slots__ = ("_fallback", "_load", "_loaded", "_messages", "_plural", "language")

    def __init__(
        self,
        language: str,
        messages: Mapping[str, Forms],
        fallback: Catalog | None = None,
        plural: Plural | None = None,
        load: Callable[[str], Mapping[str, Forms]] | None = None,
    ) -> None:
        self.language = language
        self._messages = dict(messages)
        self._fallback = fallback
        self._plural = plural or plural_of(language)
        self._load = load
        self._loaded: set[str] = set()

    def __repr__(self) -> str:
        return f"<Catalog {self.language}: {len(self._messages)} messages>"

    def __contains__(self, message: object) -> bool:
        return self._forms(str(message)) is not None or (
            self._fallback is not None and message in self._fallback
        )

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids in this language, of rooms that were used so far, sorted."""
        return tuple(sorted(self._messages))

    def _forms(self, message: str) -> Forms | None:
        found = self._messages.get(message)
        if found is None and self._load is not None:
            room = message.partition(".")[0]
            if room not in self._loaded:
                # Two threads may both load it; neither finds it loaded before it is.
                self._messages.update(self._load(room))
                self._loaded.add(room)
            found = self._messages.get(message)
        return found

    def template(self, message: str, count: int = 1) -> str:
        """Return a template.

        Raises
        ------
        NoSentenceError
            If no language has it.
        """
        found = self._forms(message)
        if found is None:
            if self._fallback is None:
                from kueuelab.errors import NoSentenceError

                raise NoSentenceError(message)
            return self._fallback.template(message, count)
        if isinstance(found, str):
            return found
        return found.get(self._plural(count), found["other"])

    def forms(self, message: str) -> Forms:
        """Return all forms of a message: a template, or one for each plural category.

        Raises
        ------
        NoSentenceError
            If no language has it.
        """
        found = self._forms(message)
        if found is None and self._fallback is not None:
            return self._fallback.forms(message)
        return self.template(message) if found is None else found

    def text(self, message: str, /, **values: Any) -> str:
        """Return a sentence with its values filled in."""
        count = values.get("count", 1)
        template = self.template(message, count if isinstance(count, int) else 1)
        try:
            return _PLACE.sub(lambda match: self.render(values[match[1]]), template)
        except KeyError as error:
            from kueuelab.errors import NoSentenceError

            raise NoSentenceError(f"{message} without {error}") from error

    def render(self, value: object) -> str:
        """Return a message in this language, and anything else as it is.

        Examples
        --------
        >>> from kueuelab.messages import Message
        >>> german = Catalog("de", {"errors.unknown": "es gibt keine {kind} namens {name}"})
        >>> german.render(Message("errors.unknown", kind="ClusterQueue", name="x"))
        'es gibt keine ClusterQueue namens x'
        >>> german.render("Kueue's own words"), german.render(7)
        ("Kueue's own words", '7')
        """
        if isinstance(value, Message):
            return self.text(value.id, **value.values)
        return str(value)

    def join(self, parts: Sequence[str]) -> str:
        """Return a list of words as a sentence has it.

        Examples
        --------
        >>> from kueuelab.messages import english
        >>> english().join(["a", "b", "c"]), english().join([])
        ('a, b and c', 'none')
        """
        if not parts:
            return self.text("list.none")
        text = self.separated(parts[:-1] or parts)
        return text if len(parts) == 1 else self.text("list.two", first=text, last=parts[-1])

    def separated(self, parts: Iterable[str], by: str = "list.more") -> str:
        """Return parts with commas between them, or with what another message says."""
        left = iter(parts)
        return reduce(
            lambda first, last: self.text(by, first=first, last=last), left, next(left, "")
        )

    def table(self, ids: Iterable[str]) -> dict[str, Any]:
        """Return messages for a page or an ES module, which fills them in with ``say.js``.

        Examples
        --------
        >>> from kueuelab.messages import english
        >>> english().table(["pods.count"])
        {'language': 'en',
         'messages': {'pods.count': {'one': '{count} pod', 'other': '{count} pods'}}}
        """
        return {"language": self.language, "messages": {id_: self.forms(id_) for id_ in ids}}


@cache
def say_script() -> str:
    """Return the JavaScript function ``speaker(table)``, to be put before a script that speaks."""
    return resources.files("kueuelab.messages").joinpath("say.js").read_text("utf-8")


def places(forms: Forms) -> set[str]:
    """Return the names of what is filled into a message.

    >>> sorted(places({"one": "{count} of {all}", "other": "{count}"}))
    ['all', 'count']
    """
    texts = (forms,) if isinstance(forms, str) else forms.values()
    return {name for text in texts for name in _PLACE.findall(str(text))}
