"""Amounts that are read beside each other, in one unit."""

from __future__ import annotations

from kueuelab.model import UNLIMITED
from kueuelab.trace.wording import amount_text

__all__ = ["amounts_text"]


def amounts_text(resource: str, *amounts: int) -> tuple[str, ...]:
    """Return amounts of a resource, all of them in milli-cpu if one has to be.

    Examples
    --------
    >>> amounts_text("cpu", 1000, 700), amounts_text("cpu", 1000, 2000), amounts_text("cpu", 0, 700)
    (('1000m', '700m'), ('1', '2'), ('0', '700m'))
    >>> amounts_text("memory", 2**30, 2**29)
    ('1Gi', '512Mi')
    """
    in_milli = resource == "cpu" and any(each % 1000 for each in amounts if each < UNLIMITED)
    return tuple(
        f"{each}m" if in_milli and 0 < each < UNLIMITED else amount_text(resource, each)
        for each in amounts
    )
