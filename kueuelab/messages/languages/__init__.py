"""The languages that come with the package: a folder for each, a file for each room."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

from kueuelab.messages.catalog import Catalog, Forms
from kueuelab.messages.pseudo import PSEUDO, pseudo_forms

__all__ = ["LANGUAGES", "english", "ids_of", "language_of", "messages_in", "rooms"]

#: The codes of the languages; the last is for tests.
LANGUAGES: Final = ("en", PSEUDO)

#: Ids without the name of a room are the trace's: ``step.Admitted``.
_TRACE: Final = "trace"


@cache
def messages_in(language: str) -> Catalog:
    """Return the sentences in a language; what it lacks is said in English.

    Raises
    ------
    UnknownObjectError
        If the package does not have that language.

    Examples
    --------
    >>> messages_in("en").text("pods.count", count=2)
    '2 pods'
    >>> messages_in("en-XA").text("pods.count", count=2)
    '[!!2 þöðš!!]'
    """
    if language == "en":
        return Catalog("en", {}, load=_english_room)
    if language == PSEUDO:
        return Catalog(PSEUDO, {}, load=lambda room: pseudo_forms(_english_room(room)))
    if language not in LANGUAGES:
        from kueuelab.errors import UnknownObjectError

        raise UnknownObjectError("language", language, LANGUAGES)
    return Catalog(language, {}, english(), load=lambda room: _room(language, room))


def english() -> Catalog:
    """Return the English sentences."""
    return messages_in("en")


def language_of(catalog: Catalog | str | None) -> Catalog:
    """Return the sentences for what a caller gave as language: its code, its sentences, or nothing.

    Examples
    --------
    >>> language_of(None).language, language_of("en-XA").language
    ('en', 'en-XA')
    """
    if isinstance(catalog, Catalog):
        return catalog
    return messages_in(catalog or "en")


@cache
def rooms(language: str = "en") -> frozenset[str]:
    """Return the rooms that have sentences."""
    folder = resources.files(__package__).joinpath(language)
    return frozenset(
        file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml")
    )


def ids_of(room: str) -> tuple[str, ...]:
    """Return the ids of a room, in the order of its file.

    >>> ids_of("errors")[0]
    'errors.problems'
    """
    return tuple(_room("en", room))


def _english_room(room: str) -> Mapping[str, Forms]:
    return _room("en", room)


@cache
def _room(language: str, room: str) -> Mapping[str, Forms]:
    import yaml  # only needed to read a language

    known = rooms(language)
    file = room if room in known else _TRACE
    if file not in known:
        return {}
    text = resources.files(__package__).joinpath(language, f"{file}.yaml").read_text("utf-8")
    found: Any = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    messages: Mapping[str, Forms] = found["messages"]
    return messages
