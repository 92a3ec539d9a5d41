"""Goal seek: the least value that is enough, or the best values under conditions.

Every answer names the runs that verify it: they are in the table of all runs that were made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from operator import ge, gt, le, lt
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from kueuelab.errors import InputError, Problem, UnknownObjectError
from kueuelab.manifests import ScenarioSpec
from kueuelab.messages import Catalog, Message, language_of, listed
from kueuelab.model.times import SECOND, parse_duration
from kueuelab.sweeps.designs import Point
from kueuelab.sweeps.factors import Factor, Range
from kueuelab.sweeps.optimising import proposals
from kueuelab.sweeps.plan import Plan, Row, WorkloadSource, shown_value
from kueuelab.sweeps.processes import rows_by_processes
from kueuelab.sweeps.summary import Spread, spread_of
from kueuelab.sweeps.sweeping import Progress, Sweep, plan_of
from kueuelab.whatif.lab import Lab

__all__ = ["Answer", "Condition", "seek"]

#: How an answer was found.
Way: TypeAlias = Literal["bisection", "all", "samples"]

_CONDITION: Final = re.compile(r"\s*(\S.*?)\s*(<=|>=|<|>)\s*(\S+)\s*")
_COMPARE: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<=": le,
    ">=": ge,
    "<": lt,
    ">": gt,
}
#: A range of numbers with fractions is cut into so many steps.
_STEPS: Final = 64
#: So many values on each side of a bisection's answer are tried, too.
_NEIGHBOURS: Final = 2


@dataclass(frozen=True, slots=True)
class Condition:
    """What must hold of a measure.

    Examples
    --------
    >>> Condition.parse("waiting.p95[queue=team-a] <= 10m")
    Condition(measure='waiting.p95[queue=team-a]', sign='<=', bound=600.0)
    >>> Condition.parse("utilisation[resource=cpu] > 90%").bound
    0.9
    """

    measure: str
    sign: str
    bound: float

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Return the condition that a text writes down.

        Raises
        ------
        InputError
            If it is none.
        """
        found = _CONDITION.fullmatch(text)
        bound = None if found is None else _number(found[3])
        if found is None or bound is None:
            hint = Message("sweeps.seek.no-condition.hint")
            message = Message("sweeps.seek.no-condition", text=repr(text))
            raise InputError(Problem(message, hint=hint))
        return cls(found[1], found[2], bound)

    def __str__(self) -> str:
        return f"{self.measure} {self.sign} {self.bound:g}"

    def holds(self, row: Row) -> bool:
        """Tell whether it holds in a run; it does not where there is no such measure.

        What is never admitted would wait for longer than the run lasted.
        """
        is_short_wait = self.measure.startswith("waiting.") and self.sign in ("<", "<=")
        if is_short_wait and row.get("never_admitted"):
            return False
        value = row.get(self.measure)
        return value is not None and _COMPARE[self.sign](value, self.bound)


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What a goal seek found.

    Attributes
    ----------
    values
        The values that are the answer, by the names of the factors; ``None`` if no values that
        were tried meet the conditions.
    measures
        Over the seeds of the answer: those of the conditions and the one that is sought.
    runs
        The runs that verify it: those with these values in which the conditions hold, as numbers
        in ``sweep``.
    refuted
        The runs of the next smaller value in which a condition does not hold.
    sweep
        All runs that were made.
    way
        How it was found: by bisection, by all values, or by samples.
    monotonic
        Whether each larger value that was tried meets the conditions, and no smaller one does.
    """

    values: dict[str, Any] | None
    measures: dict[str, Spread]
    runs: tuple[int, ...]
    refuted: tuple[int, ...]
    sweep: Sweep
    way: Way
    monotonic: bool = True

    def __repr__(self) -> str:
        if self.values is None:
            return f"<Answer: none, in {len(self.sweep)} runs>"
        values = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        return f"<Answer: {values}, in {len(self.sweep)} runs>"

    def __str__(self) -> str:
        return self.as_text()

    def as_data(self) -> dict[str, Any]:
        """Return the answer and all runs as plain JSON values."""
        return {
            "values": self.values,
            "measures": {name: asdict(spread) for name, spread in self.measures.items()},
            "runs": list(self.runs),
            "refuted": list(self.refuted),
            "way": self.way,
            "monotonic": self.monotonic,
            "rows": list(self.sweep.rows),
        }

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return the answer in sentences, with the runs that verify it."""
        words = language_of(language)
        count = len(self.sweep)
        if self.values is None:
            return words.text("sweeps.seek.none", count=count)
        lines: list[str] = [f"{name} = {shown_value(each)}" for name, each in self.values.items()]
        lines += [f"  {name}: {spread.as_text(name)}" for name, spread in self.measures.items()]
        runs = words.render(listed([str(run) for run in self.runs]))
        lines.append(words.text("sweeps.seek.verified", count=len(self.runs), runs=runs))
        if self.refuted:
            runs = words.render(listed([str(run) for run in self.refuted]))
            lines.append(words.text("sweeps.seek.refuted", count=len(self.refuted), runs=runs))
        if not self.monotonic:
            lines.append(words.text("sweeps.seek.not-monotonic"))
        lines.append(words.text(f"sweeps.seek.way.{self.way}", count=count))
        return "\n".join(lines)


def seek(
    scenario: Lab | ScenarioSpec | str | Path,
    vary: Mapping[str, Sequence[Any] | Range],
    *,
    so_that: str | Iterable[str] = (),
    minimise: str | None = None,
    maximise: str | None = None,
    seeds: int | Iterable[int] = 1,
    in_seeds: float = 1.0,
    jobs: int = 1,
    workloads: WorkloadSource | None = None,
    until: float | None = None,
    trials: int = 60,
    progress: Progress | None = None,
) -> Answer:
    """Search for the least value that is enough, or the best values under conditions.

    With one factor and nothing to minimise or maximise, the answer is the first of its values
    (from the least) with which the conditions hold: by bisection, whose answer is checked with the
    values next to it. If those show that more is not always enough, all values are tried.
    Otherwise the answer is the point with the lowest or highest measure, averaged over the
    seeds, at which the conditions hold: of all points if there are no more than ``trials``, else
    of so many that Optuna proposes.

    Parameters
    ----------
    scenario, vary, seeds, jobs, workloads, until, progress
        As for :func:`~kueuelab.sweeps.sweeping.sweep`. Values are in order: the least first.
    so_that
        What must hold: ``"waiting.p95[queue=team-a] <= 10m"``. A bound is a number, a duration or
        a percentage.
    minimise, maximise
        A measure.
    in_seeds
        In which part of the seeds the conditions must hold.
    trials
        How many points are tried at most, where not all are.

    Raises
    ------
    InputError
        If a condition is none, or there is nothing to search for.
    UnknownObjectError
        If no run has a measure that is named.
    """
    texts = (so_that,) if isinstance(so_that, str) else tuple(so_that)
    conditions = tuple(map(Condition.parse, texts))
    if not vary or (minimise and maximise) or not (conditions or minimise or maximise):
        raise InputError(
            Problem(Message("sweeps.seek.nothing"), hint=Message("sweeps.seek.nothing.hint"))
        )
    ends = {name: _ends(levels) for name, levels in vary.items()}
    plan = plan_of(scenario, ends, seeds, "grid", None, workloads, until)
    factors = tuple(Factor(name, _levels(levels)) for name, levels in vary.items())
    trial = _Trials(replace(plan, factors=factors, points=()), conditions, in_seeds, jobs, progress)
    goal = minimise or maximise
    if goal is None and len(factors) == 1:
        return _least(trial, factors[0], trials)
    return _best(trial, goal, -1.0 if maximise else 1.0, trials)


class _Trials:
    """The points that were tried, each once, and whether the conditions hold there."""

    def __init__(
        self,
        plan: Plan,
        conditions: tuple[Condition, ...],
        in_seeds: float,
        jobs: int,
        progress: Progress | None,
    ) -> None:
        self.plan = plan
        self.conditions = conditions
        self._in_seeds = in_seeds
        self._jobs = jobs
        self._progress = progress
        self._rows: list[Row] = []
        self._places: dict[str, int] = {}

    def place(self, point: Point) -> int:
        """Return the number of a point, which is tried if it was not yet."""
        known = self._places.get(repr(point))
        if known is None:
            self.try_all([point])
            known = self._places[repr(point)]
        return known

    def try_all(self, points: Iterable[Point]) -> None:
        """Try those points that were not yet tried."""
        new = {repr(point): point for point in points if repr(point) not in self._places}
        first = len(self._rows)
        for key in new:
            self._places[key] = len(self._places)
        self.plan = replace(self.plan, points=(*self.plan.points, *new.values()))
        found = {}
        for row in rows_by_processes(self.plan, range(first, len(self.plan)), self._jobs):
            found[row["run"]] = row
            if self._progress is not None:
                self._progress(row)
        self._rows += [found[run] for run in range(first, len(self.plan))]
        self._check_measures([each.measure for each in self.conditions])

    def _check_measures(self, names: Iterable[str]) -> None:
        known = {name for row in self._rows for name in row}
        if not any(row["error"] is None for row in self._rows):
            raise InputError(Problem(str(self._rows[0]["error"])))
        for name in names:
            if name not in known:
                raise UnknownObjectError(Message("sweeps.kind.measure"), name, sorted(known))

    def runs(self, place: int) -> tuple[int, ...]:
        """Return the numbers of the runs of a point."""
        size = len(self.plan.seeds)
        return tuple(range(place * size, (place + 1) * size))

    def rows(self, place: int) -> list[Row]:
        """Return the rows of a point."""
        return [self._rows[run] for run in self.runs(place)]

    def holds(self, point: Point) -> bool:
        """Tell whether the conditions hold at a point, in so many seeds as they must."""
        place = self.place(point)
        return len(self.held(place)) >= self._in_seeds * len(self.runs(place))

    def held(self, place: int) -> tuple[int, ...]:
        """Return the runs of a point in which the conditions hold."""
        rows = self.rows(place)
        return tuple(row["run"] for row in rows if all(each.holds(row) for each in self.conditions))

    def mean(self, point: Point, measure: str) -> float | None:
        """Return a measure at a point, averaged over the seeds; ``None`` if a run has none."""
        values = [row.get(measure) for row in self.rows(self.place(point))]
        known = [value for value in values if value is not None]
        self._check_measures([measure])
        return sum(known) / len(known) if len(known) == len(values) else None

    def answer(
        self,
        point: Point | None,
        way: Way,
        measures: Sequence[str] = (),
        below: Point | None = None,
        *,
        monotonic: bool = True,
    ) -> Answer:
        """Return the answer that a point is."""
        sweep = Sweep(self.plan, tuple(self._rows))
        if point is None:
            return Answer(None, {}, (), (), sweep, way, monotonic)
        place = self.place(point)
        names = dict.fromkeys([*measures, *(each.measure for each in self.conditions)])
        spreads = {
            name: spread
            for name in names
            if (spread := spread_of([r[name] for r in self.rows(place) if name in r])) is not None
        }
        values = dict(zip((f.name for f in self.plan.factors), point, strict=True))
        refuted: tuple[int, ...] = ()
        if below is not None:
            smaller = self.place(below)
            held = self.held(smaller)
            refuted = tuple(run for run in self.runs(smaller) if run not in held)
        return Answer(values, spreads, self.held(place), refuted, sweep, way, monotonic)


def _least(trial: _Trials, factor: Factor, trials: int) -> Answer:
    """Return the first value with which the conditions hold."""
    levels = factor.levels
    assert not isinstance(levels, Range)
    held: dict[int, bool] = {}

    def holds(place: int) -> bool:
        if place not in held:
            held[place] = trial.holds((levels[place],))
        return held[place]

    low, high = -1, len(levels) - 1
    found = high if holds(high) else None
    if found is not None:
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(middle) else (middle, high)
        found = high
    around = len(levels) - 1 if found is None else found
    for place in range(around - _NEIGHBOURS, around + _NEIGHBOURS + 1):
        if 0 <= place < len(levels):
            holds(place)
    way: Way = "bisection"
    monotonic = _is_monotonic(held)
    if not monotonic:
        # More is not always enough, so that each value counts for itself.
        if len(levels) <= trials:
            trial.try_all((level,) for level in levels)
            way = "all"
        tried = range(len(levels)) if way == "all" else sorted(held)
        found = next((place for place in tried if holds(place)), None)
    if found is None:
        return trial.answer(None, way, monotonic=monotonic)
    below = (levels[found - 1],) if found and not holds(found - 1) else None
    return trial.answer((levels[found],), way, below=below, monotonic=monotonic)


def _is_monotonic(held: Mapping[int, bool]) -> bool:
    order = [held[place] for place in sorted(held)]
    return order == sorted(order)


def _best(trial: _Trials, goal: str | None, sign: float, trials: int) -> Answer:
    """Return the point with the best measure at which the conditions hold."""
    factors = trial.plan.factors
    count = 1
    for factor in factors:
        assert not isinstance(factor.levels, Range)
        count *= len(factor.levels)

    def value(point: Point) -> tuple[bool, float]:
        measured = 0.0 if goal is None else trial.mean(point, goal)
        if measured is None or not trial.holds(point):
            return False, 0.0 if measured is None else sign * measured
        return True, sign * measured

    way: Way = "all" if count <= trials else "samples"
    best: tuple[float, Point] | None = None
    for point in proposals(factors, value, None if way == "all" else trials, trial.try_all):
        holds, measured = value(point)
        if holds and (best is None or measured < best[0]):
            best = measured, point
    return trial.answer(None if best is None else best[1], way, [goal] if goal else [])


def _ends(levels: Sequence[Any] | Range) -> list[Any]:
    if isinstance(levels, Range):
        return [levels.low, levels.high]
    return [levels] if isinstance(levels, str) else list(levels)


def _levels(levels: Sequence[Any] | Range) -> tuple[Any, ...]:
    """Return all values in order, the least first; a range with fractions in steps."""
    if not isinstance(levels, Range):
        return tuple(_ends(levels))
    if isinstance(levels.low, int) and isinstance(levels.high, int):
        return tuple(range(levels.low, levels.high + 1))
    return tuple(dict.fromkeys(levels.at(step / _STEPS) for step in range(_STEPS + 1)))


def _number(text: str) -> float | None:
    """Return a number, a duration in seconds, or a percentage."""
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        return float(text)
    except ValueError:
        pass
    try:
        return parse_duration(text) / SECOND
    except ValueError:
        return None
