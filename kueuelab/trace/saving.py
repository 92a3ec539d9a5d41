"""A run's record as a file, in the form that its name asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from kueuelab.files import write_text
from kueuelab.trace.export import write_trace
from kueuelab.trace.page import page
from kueuelab.trace.trace import Trace

__all__ = ["save_trace"]


def save_trace(trace: Trace, to: str | Path | TextIO, *, clusters: Sequence[str] = ()) -> None:
    """Write a trace to a file.

    A name that ends in ``.html`` gives a page that any browser opens, offline too; everything
    else is JSON (compressed if the name ends in ``.gz``), which
    :func:`kueuelab.trace.export.load_trace` reads.

    Parameters
    ----------
    trace
        The record of the run.
    to
        The file, or a text stream for JSON.
    clusters
        The cluster of each step, if several clusters were recorded together.

    Raises
    ------
    ValueError
        If the run has no steps and a page of it is asked for.
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
    if isinstance(to, str | Path) and str(to).endswith(".html"):
        write_text(to, page(trace, clusters=clusters))
    else:
        write_trace(trace, to)
