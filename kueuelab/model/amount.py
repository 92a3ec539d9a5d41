"""Quota amounts: plain integers, with one value that means "unlimited".

Kueue counts quota in int64 and keeps ``math.MaxInt64`` as a sentinel for quota
that can't be represented. Here every amount is an ``int``; :data:`UNLIMITED` is
an ``int`` too, whose arithmetic absorbs, so that finite sums stay ordinary
integer arithmetic and nothing has to ask "is this unlimited?" on the way.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from kueuelab.quantity import MAX_INT64, MIN_INT64, Quantity, QuantityLike, format_amount, to_int

__all__ = [
    "UNLIMITED",
    "FlavorResource",
    "amount_string",
    "quota_amount",
    "request_amount",
    "saturate",
]

#: A flavor and a resource in it: ``("default", "cpu")``. Quota is kept per pair.
FlavorResource = tuple[str, str]


class _Unlimited(int):
    """The amount no sum can exceed: adding to it or taking from it changes nothing.

    ``UNLIMITED - UNLIMITED`` is zero and ``finite - UNLIMITED`` is the smallest
    int64, as Kueue's ``resources.Amount`` has it.
    """

    def __new__(cls) -> _Unlimited:
        return super().__new__(cls, MAX_INT64)

    def __add__(self, other: int) -> int:
        return self

    def __radd__(self, other: int) -> int:
        return self

    def __sub__(self, other: int) -> int:
        return 0 if isinstance(other, _Unlimited) else self

    def __rsub__(self, other: int) -> int:
        return MIN_INT64

    def __repr__(self) -> str:
        return "UNLIMITED"

    def __reduce__(self) -> str:
        # There is one of it in each process.
        return "UNLIMITED"


UNLIMITED: Final[int] = _Unlimited()


def saturate(value: int) -> int:
    """Return ``value``, or :data:`UNLIMITED` where int64 would overflow.

    Examples
    --------
    >>> saturate(5)
    5
    >>> saturate(2**63)
    UNLIMITED
    """
    return UNLIMITED if value >= MAX_INT64 else value


def quota_amount(resource: str, quantity: QuantityLike) -> int:
    """Return a quota in Kueue's unit: thousandths for ``cpu``, base units for the rest.

    Fractions of a unit are rounded up. What int64 can't hold is :data:`UNLIMITED`.

    Examples
    --------
    >>> quota_amount("cpu", "1.5"), quota_amount("memory", "1Ki")
    (1500, 1024)
    >>> quota_amount("cpu", "10E")
    UNLIMITED
    """
    parsed = quantity if isinstance(quantity, Quantity) else Quantity.parse(quantity)
    if resource == "cpu":
        # Kueue compares whole cores, so the last fraction of a core is unlimited already.
        too_much = parsed.nano >= MAX_INT64 // 1000 * 10**9
        return UNLIMITED if too_much else to_int(resource, parsed)
    return saturate(to_int(resource, parsed))


def request_amount(resource: str, quantity: QuantityLike) -> int:
    """Return a request in Kueue's unit, clamped to int64 on both sides.

    Examples
    --------
    >>> request_amount("cpu", "250m"), request_amount("memory", "-10E") < 0
    (250, True)
    """
    return saturate(to_int(resource, quantity))


def amount_string(resource: str, amount: int, binary: Set[str] = frozenset()) -> str:
    """Return ``amount`` as Kueue prints it in messages and status.

    ``binary`` are further resources that it prints as bytes.

    Examples
    --------
    >>> amount_string("cpu", 1500), amount_string("memory", 1024)
    ('1500m', '1Ki')
    >>> amount_string("gpu-memory", 2**32, {"gpu-memory"})
    '4Gi'
    >>> amount_string("cpu", UNLIMITED)
    '<unlimited>'
    """
    return "<unlimited>" if amount is UNLIMITED else format_amount(resource, amount, binary)
