"""Kubernetes quantities and the integers that Kueue decides with.

A quantity such as ``500m`` or ``1.5Gi`` is read exactly, to the nano, and printed exactly as
Kubernetes prints it. Kueue decides with 64-bit integers: thousandths of a core for ``cpu``, base
units for every other resource. `to_int` makes them, and `format_amount` prints them as they appear
in messages and status. Quotas, which may have no end, are in :mod:`kueuelab.model.amount`.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from math import isfinite
from typing import Final, TypeAlias

from kueuelab.errors import QuantityError

__all__ = [
    "MAX_INT64",
    "MIN_INT64",
    "Format",
    "Quantity",
    "QuantityError",
    "QuantityLike",
    "format_amount",
    "to_int",
]

MAX_INT64: Final = 2**63 - 1
"""The largest amount; a larger request counts as this much."""

MIN_INT64: Final = -(2**63)
"""The smallest amount."""

_NANO: Final = 10**9
_MILLI_IN_NANO: Final = 10**6

# Beyond this, reading a number would only cost memory: every amount is far smaller.
_MAX_EXPONENT: Final = 1000
_MAX_TEXT: Final = 1000

_WRONG_FORMAT: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_WRONG_SUFFIX: Final = "unable to parse quantity's suffix"
_WRONG_NUMBER: Final = "unable to parse numeric part of quantity"

_SCAN: Final = re.compile(
    r"(?P<sign>[+-]?)0*(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?"
    r"(?P<suffix>[eEinumkKMGTP]*[-+]?[0-9]*)"
)


class Format(StrEnum):
    """How a quantity was written, and so how it is printed."""

    DECIMAL_SI = "DecimalSI"
    BINARY_SI = "BinarySI"
    DECIMAL_EXPONENT = "DecimalExponent"


_DECIMAL_SUFFIXES: Final = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_BINARY_SUFFIXES: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_NAMES: Final = {exponent: suffix for suffix, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_NAMES: Final = ("", *_BINARY_SUFFIXES)

# Kubernetes keeps a number of up to this many digits in a machine word.
_WORD_DIGITS: Final = 18


def _away_from_zero(number: int, divisor: int) -> int:
    """Divide and round away from zero, as Kubernetes rounds quantities."""
    return -(-number // divisor) if number >= 0 else number // divisor


def _clamp(number: int) -> int:
    return MIN_INT64 if number < MIN_INT64 else min(number, MAX_INT64)


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """An exact amount of something, as Kubernetes writes it.

    Two quantities are equal when they are the same amount, however they were written.

    Parameters
    ----------
    nano : int
        The amount in billionths.
    format : Format, optional
        How it is printed.

    Examples
    --------
    >>> Quantity.parse("1.5Gi")
    Quantity('1536Mi')
    >>> Quantity.parse("0.1") == Quantity.parse("100m")
    True
    >>> Quantity.parse("1Gi") > Quantity.parse("1G")
    True
    """

    nano: int
    format: Format = field(default=Format.DECIMAL_SI, compare=False)
    # The text as it was written, where Kubernetes prints that again instead of the canonical form.
    _written: str = field(default="", compare=False, repr=False)

    @classmethod
    def parse(cls, text: str | int | float) -> Quantity:
        """Read a quantity as Kubernetes reads it.

        Parameters
        ----------
        text : str, int or float
            A quantity; numbers are what YAML makes of a quantity without quotes.

        Returns
        -------
        Quantity
            The exact amount, rounded away from zero to the nano.

        Raises
        ------
        QuantityError
            When it is no quantity; the message is Kubernetes' own.

        Notes
        -----
        Kubernetes' parser alone takes a text without any digit (``+``, ``.``, ``m``) for zero; the
        API server refuses it in Kueue's objects, and so does this.

        Examples
        --------
        >>> Quantity.parse("289298239n").nano
        289298239
        >>> Quantity.parse("2e3").value()
        2000
        >>> Quantity.parse(0.1).milli_value()
        100
        >>> Quantity.parse("5GB")
        Traceback (most recent call last):
        kueuelab.errors.QuantityError: '5GB': quantities must match the regular expression \
'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'. Write a quantity such as 500m, 2 or 1.5Gi
        """
        if isinstance(text, str):
            return _parse(text)
        if isinstance(text, bool) or not isinstance(text, int | float):
            raise QuantityError(_WRONG_FORMAT, str(text))
        return _parse(_number_text(text))

    def value(self) -> int:
        """Return the amount in whole units, rounded away from zero.

        Examples
        --------
        >>> Quantity.parse("1001m").value()
        2
        """
        return _away_from_zero(self.nano, _NANO)

    def milli_value(self) -> int:
        """Return the amount in thousandths, rounded away from zero.

        Examples
        --------
        >>> Quantity.parse("289298239n").milli_value()
        290
        """
        return _away_from_zero(self.nano, _MILLI_IN_NANO)

    def __str__(self) -> str:
        return self._written or _canonical(self.nano, self.format)

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"


QuantityLike: TypeAlias = Quantity | str | int | float
"""A quantity, parsed or as it was written."""


def _quantity(written: QuantityLike) -> Quantity:
    return written if isinstance(written, Quantity) else Quantity.parse(written)


def _number_text(number: float) -> str:
    """Write a YAML number as Kubernetes' tools do on the way from YAML to JSON."""
    if isinstance(number, int):
        return str(number)
    if not isfinite(number):
        raise QuantityError(_WRONG_FORMAT, str(number))
    exact = Decimal(repr(number))
    if exact and not 1e-6 <= abs(number) < 1e21:
        return f"{exact.normalize():e}"
    whole = exact.to_integral_value()
    return f"{whole if whole == exact else exact:f}"


@lru_cache(maxsize=65536)
def _parse(text: str) -> Quantity:
    if len(text) > _MAX_TEXT:
        raise QuantityError(_WRONG_NUMBER, f"{text[:20]}…")
    found = _SCAN.fullmatch(text)
    if found is None:
        raise QuantityError(_WRONG_FORMAT, text)
    sign, whole, fraction, suffix = found.group("sign", "whole", "fraction", "suffix")
    fraction = fraction or ""
    if not re.match(r"[+-]?\.?[0-9]", text):
        raise QuantityError(_WRONG_FORMAT, text)

    binary = _BINARY_SUFFIXES.get(suffix)
    if binary is not None:
        return _parse_binary(text, sign, whole, fraction, binary)

    exponent = _DECIMAL_SUFFIXES.get(suffix)
    form = Format.DECIMAL_SI
    if exponent is None:
        exponent = _exponent(text, suffix)
        form = Format.DECIMAL_EXPONENT
    digits = (whole.lstrip("0") or "0") + fraction
    scale = exponent - len(fraction)
    magnitude = int(digits)
    if magnitude == 0:
        return Quantity(0, form)
    # Kubernetes prints what it could keep in a machine word as it was written,
    # provided that it looks canonical: so `1.500` and `+1` stay what they are.
    written = ""
    if len(digits) <= _WORD_DIGITS and scale >= -9:
        looks_canonical = scale % 3 == 0 and digits[0] != "0" and not digits.endswith("000")
        written = text if looks_canonical else ""
    shift = scale + 9
    nano = magnitude * 10**shift if shift >= 0 else -(-magnitude // 10**-shift)
    return Quantity(-nano if sign == "-" else nano, form, written)


def _parse_binary(text: str, sign: str, whole: str, fraction: str, exponent: int) -> Quantity:
    digits = (whole or "0") + fraction
    magnitude = int(digits)
    nano = -(-(magnitude << exponent) * _NANO // 10 ** len(fraction))
    form = Format.BINARY_SI
    written = ""
    word_digits = 15 - len(whole or "0") - exponent * 3 // 10 - 1
    if not fraction and word_digits >= 0:
        written = text if magnitude & 7 else ""
    else:
        nano = min(nano, MAX_INT64 * _NANO)
        if 0 < nano < _NANO:
            form = Format.DECIMAL_SI
    return Quantity(-nano if sign == "-" else nano, form, written)


def _exponent(text: str, suffix: str) -> int:
    if not re.fullmatch(r"[eE][+-]?[0-9]+", suffix):
        raise QuantityError(_WRONG_SUFFIX, text)
    exponent = int(suffix[1:])
    if abs(exponent) > _MAX_EXPONENT:
        raise QuantityError(_WRONG_NUMBER, text)
    return exponent


@lru_cache(maxsize=65536)
def _canonical(nano: int, form: Format) -> str:
    """Print an amount with the largest suffix that needs no fraction.

    Kubernetes drops the suffix of amounts from 1000E on, and so prints another amount; this does
    not follow it there.
    """
    if nano == 0:
        return "0"
    if form is Format.BINARY_SI and abs(nano) >= 1024 * _NANO and nano % _NANO == 0:
        amount, power = nano // _NANO, 0
        while power < len(_BINARY_NAMES) - 1 and amount % 1024 == 0:
            amount //= 1024
            power += 1
        return f"{amount}{_BINARY_NAMES[power]}"
    amount, exponent = nano, -9
    largest = None if form is Format.DECIMAL_EXPONENT else 18
    while exponent != largest and amount % 1000 == 0:
        amount //= 1000
        exponent += 3
    if form is Format.DECIMAL_EXPONENT:
        return f"{amount}e{exponent}" if exponent else str(amount)
    return f"{amount}{_DECIMAL_NAMES[exponent]}"


def to_int(resource: str, quantity: QuantityLike) -> int:
    """Return the integer that Kueue counts for a requested quantity.

    Parameters
    ----------
    resource : str
        The name of the resource.
    quantity : Quantity, str, int or float
        The quantity, parsed or as it was written.

    Returns
    -------
    int
        Thousandths for ``cpu``, whole units for everything else, rounded away from zero and
        held within 64 bits.

    Raises
    ------
    QuantityError
        When the text is no quantity.

    Examples
    --------
    >>> to_int("cpu", "500m"), to_int("cpu", 2), to_int("memory", "1Ki")
    (500, 2000, 1024)
    >>> to_int("example.com/gpu", "1500m")
    2
    >>> to_int("cpu", "1E") == MAX_INT64
    True
    """
    return _request(quantity, resource == "cpu")


@lru_cache(maxsize=65536, typed=True)
def _request(written: QuantityLike, milli: bool) -> int:
    quantity = _quantity(written)
    return _clamp(quantity.milli_value() if milli else quantity.value())


_NONE_BINARY: Final[frozenset[str]] = frozenset()


@lru_cache(maxsize=65536)
def _format_amount(amount: int, form: Format, milli: bool) -> str:
    return _canonical(amount * _MILLI_IN_NANO if milli else amount * _NANO, form)


def format_amount(resource: str, amount: int, binary: Set[str] = _NONE_BINARY) -> str:
    """Print an integer amount as Kueue prints it in messages and status.

    Parameters
    ----------
    resource : str
        The name of the resource.
    amount : int
        Thousandths for ``cpu``, whole units for everything else.
    binary : set of str, optional
        Further resources that are counted in bytes, as device class mappings make them.

    Returns
    -------
    str
        The quantity.

    Examples
    --------
    >>> format_amount("cpu", 500), format_amount("cpu", 2000)
    ('500m', '2')
    >>> format_amount("memory", 1536 * 2**20), format_amount("memory", 2000)
    ('1536Mi', '2k')
    >>> format_amount("example.com/gpu", 8)
    '8'
    """
    if resource == "cpu":
        return _format_amount(amount, Format.DECIMAL_SI, True)
    if (
        resource in ("memory", "ephemeral-storage")
        or resource.startswith("hugepages-")
        or resource in binary
    ):
        # An amount without a binary suffix is read again by Kueue, and so becomes decimal.
        if amount % 1024:
            return _format_amount(amount, Format.DECIMAL_SI, False)
        return _format_amount(amount, Format.BINARY_SI, False)
    return _format_amount(amount, Format.DECIMAL_SI, False)
