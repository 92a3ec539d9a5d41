"""Texts and tables as HTML, for notebooks: what everything shows beside its text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import Final

from kueuelab.messages import english

__all__ = ["details", "paragraphs", "table"]

#: A notebook keeps what it shows: of so many rows or lines, and no more.
_MOST: Final = 1_000


def table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """Return rows as a table; where there are very many, the first ones.

    Examples
    --------
    >>> table(["job"], [["<a>"]])
    '<table><thead><tr><th scope="col">job</th></tr></thead>\
<tbody><tr><td style="text-align:left">&lt;a&gt;</td></tr></tbody></table>'
    """
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    given = iter(rows)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in islice(given, _MOST))
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    found = f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    rest = sum(1 for _ in given)
    return f"{found}<p>{english().text('shown.more-rows', count=rest)}</p>" if rest else found


def _cell(text: str) -> str:
    return f'<td style="text-align:left">{escape(text)}</td>'


def paragraphs(text: str) -> str:
    """Return a text as it is laid out, with lines that wrap; of a very long one, the beginning."""
    lines = text.split("\n")
    if (rest := len(lines) - _MOST) > 0:
        text = "\n".join([*lines[:_MOST], english().text("shown.more-lines", count=rest)])
    style = "white-space:pre-wrap;margin:0"
    return f'<pre style="{style}">{escape(text)}</pre>'


def details(title: str, inner: str) -> str:
    """Return what is shown only when its title is opened."""
    return f"<details><summary>{escape(title)}</summary>{inner}</details>"
