"""How much of a history is left after some time, in Kueue's own arithmetic.

Usage of many gigabytes is kept to the billionth of a byte, so the very last bit of the
factor that it is multiplied with can be seen. That bit depends on how a power is computed,
and C libraries differ in it. What Kueue's builds for amd64 compute is this: whole
half-lives by halving, the rest as e to a small power. For that a sixteenth of the exponent
goes into a Taylor polynomial for ``e**x - 1``, which is then doubled four times (Shibata,
"Efficient evaluation methods of elementary functions suitable for SIMD computation",
2010), with fused multiplications and additions: rounded once, not twice.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import factorial, ldexp, modf, sqrt
from typing import Final

from kueuelab.model.times import SECOND

__all__ = ["faded_share"]

_LOG_OF_HALF: Final = -0.6931471805599453
# 1/8!, 1/7!, ... 1/1!
_COEFFICIENTS: Final = tuple(1.0 / factorial(n) for n in range(8, 0, -1))


def _seconds(duration: int) -> float:
    whole, rest = divmod(duration, SECOND)
    return float(whole) + float(rest) / 1e9


def _fused(factor: float, other: float, summand: float) -> float:
    """Return ``factor * other + summand``, rounded once."""
    return float(Fraction(factor) * Fraction(other) + Fraction(summand))


def _exponential(power: float) -> float:
    """Return e to a power of at most a third or so."""
    small = power * 0.0625
    polynomial = _COEFFICIENTS[0]
    for coefficient in _COEFFICIENTS[1:]:
        polynomial = _fused(polynomial, small, coefficient)
    # From e**x - 1 to e**2x - 1, and the 1 in the end.
    less_one = small * polynomial
    for _ in range(3):
        less_one = less_one * (less_one + 2.0)
    return _fused(less_one, less_one + 2.0, 1.0)


def _left_after(half_lives: float) -> float:
    """Return one half to the power of ``half_lives``."""
    if half_lives == 0.5:
        return sqrt(0.5)
    rest, whole = modf(half_lives)
    if rest > 0.5:
        rest, whole = rest - 1.0, whole + 1.0
    return ldexp(_exponential(rest * _LOG_OF_HALF), -int(whole))


@lru_cache(maxsize=4096)
def faded_share(elapsed: int, half_life: int) -> float:
    """Return the share of history that fades within ``elapsed``; 0 without a half-life.

    The same share of what is in use meanwhile takes its place. Both times are in
    nanoseconds.

    Examples
    --------
    >>> faded_share(5 * SECOND, 5 * SECOND), faded_share(10 * SECOND, 5 * SECOND)
    (0.5, 0.75)
    """
    if half_life == 0:
        return 0.0
    return 1.0 - _left_after(_seconds(elapsed) / _seconds(half_life))
