"""Tables as plain text: what every view has beside its picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["bar", "table"]


def table(header: Sequence[str], rows: Iterable[Sequence[str]], indent: str = "") -> str:
    """Return rows in columns as wide as they have to be.

    Examples
    --------
    >>> print(table(["job", "cpu"], [["job-0", "200m"], ["a", "1"]]))
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


def bar(used: int, nominal: int, width: int = 20) -> str:
    """Return a bar of text: ``#`` within the nominal quota, ``+`` beyond it.

    Examples
    --------
    >>> bar(200, 500, 10), bar(700, 500, 10), bar(1, 0, 10)
    ('[####......]', '[##########]++++', '[]++++++++++')
    """
    if nominal <= 0:
        return "[]" + "+" * (width if used > 0 else 0)
    within = round(min(used, nominal) * width / nominal)
    beyond = min(2 * width, round(max(0, used - nominal) * width / nominal))
    return f"[{'#' * within}{'.' * (width - within)}]{'+' * beyond}"
