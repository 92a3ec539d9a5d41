"""Files with the sentences of another language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import InputError, Location, NoSentenceError, Problem
from kueuelab.files.reading import read_bytes
from kueuelab.messages import Catalog, Message, english
from kueuelab.messages.catalog import places
from kueuelab.messages.plurals import Plural

#: What a language may be called: it becomes the name of a file, and an attribute in pages.
_LANGUAGE: Final = re.compile(r"[A-Za-z]{1,8}([-_][A-Za-z0-9]{1,8})*")

__all__ = ["load_catalog", "read_messages"]


def load_catalog(path: str | Path, plural: Plural | None = None) -> Catalog:
    """Read the sentences of another language; what it lacks is said in English.

    Parameters
    ----------
    path
        A YAML or JSON file with ``language`` and ``messages``.
    plural
        Chooses the plural category for a number; by default as CLDR has it for the language.

    Raises
    ------
    InputError
        If an id is unknown, or a sentence has a place that the English one does not have.
    """
    file = str(path)
    language, messages = read_messages(read_bytes(path), file)
    if problems := _problems(messages, english(), file):
        raise InputError(problems)
    return Catalog(language, messages, english(), plural)


def read_messages(data: bytes, file: str) -> tuple[str, Mapping[str, Any]]:
    """Return the language of a file with sentences, and its messages.

    Raises
    ------
    InputError
        If it is not such a file.
    """
    import yaml  # only needed to read a language

    try:
        text = data.decode("utf-8")
        found = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        message = Message("files.language.not-yaml", error=str(error).splitlines()[0])
        raise InputError(Problem(message, location=Location(file))) from error
    language = str(found.get("language", "")) if isinstance(found, Mapping) else ""
    if language and not _LANGUAGE.fullmatch(language):
        message = Message("files.language.no-code", language=f"{language!r:.40}")
        raise InputError(Problem(message, location=Location(file)))
    messages = found.get("messages") if isinstance(found, Mapping) else None
    if not isinstance(messages, Mapping):
        raise InputError(Problem(Message("files.language.empty"), location=Location(file)))
    return language, messages


def _problems(messages: Mapping[str, Any], known: Catalog, file: str) -> list[Problem]:
    problems = []
    for message, forms in messages.items():
        try:
            allowed = places(known.forms(str(message))) | {"count"}
        except NoSentenceError:
            text = Message("files.language.unknown", message=repr(message))
            problems.append(Problem(text, location=Location(file)))
            continue
        extra = sorted(places(forms if isinstance(forms, Mapping) else str(forms)) - allowed)
        if extra:
            text = Message(
                "files.language.no-value", message=repr(message), place=f"{{{extra[0]}}}"
            )
            problems.append(Problem(text, location=Location(file)))
    return problems
