"""Designs: which values of the factors are tried together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any, Final, Literal, TypeAlias

from kueuelab.errors import InputError, Problem
from kueuelab.messages import Message
from kueuelab.sweeps.factors import Factor, Range

__all__ = ["DESIGNS", "Design", "Point", "points_of"]

Design: TypeAlias = Literal["grid", "random", "latin"]

#: The designs by name.
DESIGNS: Final[tuple[Design, ...]] = ("grid", "random", "latin")

#: A value for each factor, in their order.
Point: TypeAlias = tuple[Any, ...]


def points_of(
    factors: Sequence[Factor], design: Design = "grid", samples: int | None = None, seed: int = 0
) -> tuple[Point, ...]:
    """Return the points of a design.

    Parameters
    ----------
    factors
        What is varied.
    design
        ``grid``: all combinations. ``random``: each value drawn independently. ``latin``: a Latin
        hypercube: the values of each factor are cut into as many parts of equal size as there are
        samples, and each part is drawn from once.
    samples
        How many points; not for a grid.
    seed
        Of the random numbers.

    Raises
    ------
    InputError
        If a grid has a range, or another design does not say how many samples.

    Examples
    --------
    >>> points_of([Factor("a:x", (1, 2)), Factor("a:y", ("p", "q"))])
    ((1, 'p'), (1, 'q'), (2, 'p'), (2, 'q'))
    >>> sorted(points_of([Factor("a:x", Range(1, 4))], "latin", 4))
    [(1,), (2,), (3,), (4,)]
    """
    if design == "grid":
        levels = []
        for factor in factors:
            if isinstance(factor.levels, Range):
                hint = Message("sweeps.design.range.hint")
                problem = Problem(Message("sweeps.design.range", name=factor.name), hint=hint)
                raise InputError(problem)
            levels.append(factor.levels)
        return tuple(product(*levels))
    if not samples or samples < 1:
        hint = Message("sweeps.design.samples.hint")
        raise InputError(Problem(Message("sweeps.design.samples", name=design), hint=hint))
    random = Random(seed)
    if design == "random":
        return tuple(
            tuple(factor.at(random.random()) for factor in factors) for _ in range(samples)
        )
    columns = []
    for factor in factors:
        parts = [(part + random.random()) / samples for part in range(samples)]
        random.shuffle(parts)
        columns.append([factor.at(part) for part in parts])
    return tuple(zip(*columns, strict=True)) if columns else ((),) * samples
