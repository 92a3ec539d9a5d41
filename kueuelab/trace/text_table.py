"""Tables as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["text_table"]


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]], indent: str = "") -> str:
    """Return rows in columns that are as wide as their widest cell.

    Examples
    --------
    >>> print(text_table(["job", "cpu"], [["job-0", "200m"], ["a", "1"]]))
    job    cpu
    job-0  200m
    a      1
    """
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        (
            indent + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
