"""Points to try: all of them, or those that Optuna proposes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, Final

from kueuelab.sweeps.designs import Point
from kueuelab.sweeps.factors import Factor, Range
from kueuelab.sweeps.table import needed

__all__ = ["proposals"]

#: What a point costs at which a condition does not hold, besides its measure.
_FORBIDDEN: Final = 1e12


def proposals(
    factors: Sequence[Factor],
    value: Callable[[Point], tuple[bool, float]],
    trials: int | None,
    try_all: Callable[[Iterable[Point]], None],
) -> Iterator[Point]:
    """Yield points: all, or so many that Optuna proposes by what it knows of the others.

    Parameters
    ----------
    factors
        What is varied, with lists of values.
    value
        Whether the conditions hold at a point, and what is minimised there.
    trials
        How many; ``None`` for all.
    try_all
        Called with points that are known to be needed, so that they can be tried at once.

    Raises
    ------
    KueueLabError
        If Optuna is needed and not installed.
    """
    levels = [() if isinstance(each.levels, Range) else tuple(each.levels) for each in factors]
    if trials is None:
        points = list(product(*levels))
        try_all(points)
        yield from points
        return
    optuna: Any = needed("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    for _ in range(trials):
        trial = study.ask()
        point = tuple(
            own[_place(trial, factor.name, own)]
            for factor, own in zip(factors, levels, strict=True)
        )
        holds, measured = value(point)
        study.tell(trial, measured if holds else _FORBIDDEN + measured)
        yield point


def _place(trial: Any, name: str, levels: tuple[Any, ...]) -> int:
    """Return the place of a proposed value: numbers are in order, names are not."""
    last = len(levels) - 1
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in levels):
        return int(trial.suggest_int(name, 0, last))
    return int(trial.suggest_categorical(name, range(last + 1)))
