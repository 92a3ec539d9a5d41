"""Bars as plain text."""

from __future__ import annotations

__all__ = ["text_bar"]


def text_bar(used: int, nominal: int, width: int = 20) -> str:
    """Return a bar of text: ``#`` within the nominal quota, ``+`` beyond it.

    Examples
    --------
    >>> text_bar(200, 500, 10), text_bar(700, 500, 10), text_bar(1, 0, 10)
    ('[####......]', '[##########]++++', '[]++++++++++')
    """
    if nominal <= 0:
        return "[]" + "+" * (width if used > 0 else 0)
    within = round(min(used, nominal) * width / nominal)
    beyond = min(2 * width, round(max(0, used - nominal) * width / nominal))
    return f"[{'#' * within}{'.' * (width - within)}]{'+' * beyond}"
