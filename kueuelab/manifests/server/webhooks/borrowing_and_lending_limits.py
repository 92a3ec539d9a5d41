"""What Kueue's webhook refuses in a nominal quota, a borrowing limit, and a lending limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

from kueuelab.manifests.server.problems import FieldError, FieldPath, invalid
from kueuelab.quantity import Quantity

__all__ = ["NEGATIVE", "is_negative", "limit_errors", "quantity_errors"]

_Object: TypeAlias = Mapping[str, Any]

NEGATIVE: Final = "must be greater than or equal to 0"


@lru_cache(maxsize=4096, typed=True)
def is_negative(quantity: str | int | float) -> bool:
    """Tell whether a quantity is negative; objects of a dump repeat few of them."""
    return Quantity.parse(quantity).nano < 0


def quantity_errors(text: str, path: FieldPath) -> Iterator[FieldError]:
    """Yield an error if a quantity is negative."""
    if is_negative(text):
        yield invalid(path, text, NEGATIVE)


def limit_errors(
    quota: _Object, path: FieldPath, parent: str, has_parent: bool
) -> Iterator[FieldError]:
    """Yield what is wrong with a quota.

    ``parent`` is what can lend: the ``cohort`` of a ClusterQueue, the ``parent`` of a Cohort.
    """
    nominal = quota["nominalQuota"]
    alone = f"must be nil when {parent} is empty"
    yield from quantity_errors(nominal, (*path, "nominalQuota"))
    borrowing, lending = quota.get("borrowingLimit"), quota.get("lendingLimit")
    if borrowing is not None:
        where = (*path, "borrowingLimit")
        if not has_parent:
            yield invalid(where, borrowing, alone)
        yield from quantity_errors(borrowing, where)
    if lending is not None:
        where = (*path, "lendingLimit")
        yield from quantity_errors(lending, where)
        if not has_parent:
            yield invalid(where, lending, alone)
        # A Cohort may promise more than it has itself: its children have quota, too.
        if parent == "cohort" and Quantity.parse(lending) > Quantity.parse(nominal):
            yield invalid(where, lending, "must be less than or equal to the nominalQuota")
