"""What Typer says of a wrong call, in the language of a reader.

Typer has its sentences in its code. They are recognized by the English ones of the catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, Final

import typer

from kueuelab.messages import Catalog, english

__all__ = ["usage_errors_in"]

#: The exception of a wrong call, which Typer does not export.
_UsageError: Final[Any] = typer.BadParameter.__mro__[1]
#: Names of sentences; of two that fit, the first.
_SENTENCES: Final = (
    "no-option.similar",
    "no-option",
    "no-command.similar",
    "no-command",
    "missing-command",
    "missing-argument",
    "missing-option",
    "extra-arguments",
    "needs-value",
    "takes-no-value",
    "invalid",
    "not-a-number",
    "not-an-integer",
    "too-small",
    "too-large",
    "not-one-of",
    "no-file",
    "no-folder",
    "not-there",
)


@contextmanager
def usage_errors_in(words: Catalog) -> Iterator[None]:
    """Let a wrong call be reported in a language."""
    try:
        yield
    except _UsageError as error:
        error.format_message = partial(_said, error.format_message(), words)
        raise


def _said(text: str, words: Catalog) -> str:
    """Return a sentence of Typer's in a language, and one that is not known as it is."""
    for name in _SENTENCES:
        id_ = f"cli.usage.{name}"
        found = _pattern(id_).fullmatch(text)
        if found:
            values = {key: _said(value, words) for key, value in found.groupdict().items()}
            return words.text(id_, **values)
    return text


@cache
def _pattern(message: str) -> re.Pattern[str]:
    """Return what the English sentences of a message look like."""
    pieces = re.split(r"\{(\w+)\}", english().template(message))
    return re.compile(
        "".join(
            f"(?P<{piece}>.+)" if place % 2 else re.escape(piece)
            for place, piece in enumerate(pieces)
        ),
        re.DOTALL,
    )
