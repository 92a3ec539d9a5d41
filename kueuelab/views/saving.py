"""A run's record as a file, in the form that its name asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TextIO

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import check_ending, write_text
from kueuelab.messages import Catalog, Message
from kueuelab.trace.export import write_trace
from kueuelab.trace.trace import Trace
from kueuelab.views.page import page

__all__ = ["ENDINGS", "check_name", "save_trace"]

#: What the name of a saved run may end in.
ENDINGS: Final = (".html", ".json", ".json.gz")
#: A page of so many steps has about 50 MiB, and takes minutes to write.
_MOST_STEPS: Final = 100_000


def save_trace(
    trace: Trace,
    to: str | Path | TextIO,
    catalog: Catalog | None = None,
    *,
    inline_plotly: bool = False,
) -> None:
    """Write a trace to a file.

    A name that ends in ``.html`` gives a page that any browser opens, offline too; one in
    ``.json`` or ``.json.gz`` gives what :func:`kueuelab.trace.export.load_trace` reads.

    Parameters
    ----------
    trace
        The record of the run.
    to
        The file, or a text stream for JSON.
    catalog
        The sentences of a page, in another language than English.
    inline_plotly
        Whether a page holds plotly, which draws all its charts.

    Raises
    ------
    InputError
        If the name has another ending, or a page is asked for of a run that has no steps, or
        too many.
    OSError
        If the file can't be written.

    Examples
    --------
    >>> from io import StringIO
    >>> text = StringIO()
    >>> save_trace(Trace((), name="empty"), text)
    >>> text.getvalue()[:26]
    '{"format":"kueuelab-trace"'
    """
    if not isinstance(to, str | Path):
        write_trace(trace, to)
        return
    check_name(to)
    if str(to).endswith(".html"):
        _check_length(trace, str(to))
        write_text(to, page(trace, catalog, inline_plotly=inline_plotly))
    else:
        write_trace(trace, to)


def _check_length(trace: Trace, to: str) -> None:
    """Refuse a page of nothing, and one that no browser would open."""
    count = len(trace)
    if not count:
        message, hint = Message("trace.page.empty"), Message("trace.page.empty.hint")
    elif count > _MOST_STEPS:
        message = Message("trace.page.too-long", steps=count, most=_MOST_STEPS)
        hint = Message("trace.page.too-long.hint")
    else:
        return
    raise InputError(Problem(message, location=Location(to), hint=hint))


def check_name(to: str | Path) -> None:
    """Refuse a name that does not say what to write.

    Raises
    ------
    InputError
        If it ends in none of ``.html``, ``.json`` and ``.json.gz``.

    Examples
    --------
    >>> check_name("run.txt")
    Traceback (most recent call last):
    kueuelab.errors.InputError: run.txt: the ending does not say what to write. End it in ...
    """
    check_ending(to, ENDINGS)
