"""Texts and tables as HTML, for notebooks: what everything shows beside its text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["details", "paragraphs", "table"]


def table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """Return rows as a table.

    Examples
    --------
    >>> table(["job"], [["<a>"]])
    '<table><thead><tr><th scope="col">job</th></tr></thead>\
<tbody><tr><td style="text-align:left">&lt;a&gt;</td></tr></tbody></table>'
    """
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(text: str) -> str:
    return f'<td style="text-align:left">{escape(text)}</td>'


def paragraphs(text: str) -> str:
    """Return a text as it is laid out, with lines that wrap."""
    style = "white-space:pre-wrap;margin:0"
    return f'<pre style="{style}">{escape(text)}</pre>'


def details(title: str, inner: str) -> str:
    """Return what is shown only when its title is opened."""
    return f"<details><summary>{escape(title)}</summary>{inner}</details>"
