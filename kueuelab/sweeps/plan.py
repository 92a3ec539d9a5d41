"""A plan: all runs of a sweep, each known by its number alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Protocol, TypeAlias

from kueuelab.errors import KueueLabError
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Submit
from kueuelab.model.releases import RELEASE
from kueuelab.sweeps.designs import Point
from kueuelab.sweeps.factors import Factor, varied, varied_model
from kueuelab.sweeps.measures import measures_of
from kueuelab.sweeps.observation import observe
from kueuelab.sweeps.shuffled import with_order_of

__all__ = ["Plan", "Row", "WorkloadSource", "factor_columns", "shown_value"]

#: A run of a sweep: its number, seed, values and measures, or its error.
Row: TypeAlias = dict[str, Any]


class WorkloadSource(Protocol):
    """What makes the workloads of a run; the same seed gives the same ones."""

    def submissions(self, spec: ScenarioSpec, seed: int) -> tuple[Submit, ...]:
        """Return the workloads that are submitted, in order of time."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The runs of a sweep: each point with each seed.

    Attributes
    ----------
    spec
        The scenario.
    factors
        What is varied.
    points
        A value for each factor; the runs of a point follow one another.
    seeds
        The seeds of each point. They choose what the source makes; without a source, seed 0 is
        the scenario as it is, and another seed its workloads in another order.
    source
        What makes the workloads, if they are not those of the scenario.
    until
        Each run stops after so many seconds; by default when nothing is left to do.
    """

    spec: ScenarioSpec
    factors: tuple[Factor, ...] = ()
    points: tuple[Point, ...] = ((),)
    seeds: tuple[int, ...] = (0,)
    source: WorkloadSource | None = None
    until: float | None = None

    def __len__(self) -> int:
        return len(self.points) * len(self.seeds)

    def values(self, run: int) -> dict[str, Any]:
        """Return the values of the factors in a run, by name."""
        point = self.points[run // len(self.seeds)]
        return {factor.name: value for factor, value in zip(self.factors, point, strict=True)}

    def seed(self, run: int) -> int:
        """Return the seed of a run."""
        return self.seeds[run % len(self.seeds)]

    def scenario(self, run: int) -> ScenarioSpec:
        """Return the scenario of a run.

        Raises
        ------
        InputError
            If a value does not go where it should.
        """
        values, seed = self.values(run), self.seed(run)
        spec = varied(self.spec, values)
        source = varied_model(self.source, values)
        return with_order_of(spec, seed) if source is None else _with(spec, source, seed)

    def row(self, run: int) -> Row:
        """Run one, and return its row; if it fails, the row has the error."""
        try:
            measures = measures_of(observe(self.scenario(run), self.until))
        except KueueLabError as error:
            return self.failed(run, str(error))
        except Exception as error:  # one run that fails does not end the others
            return self.failed(run, f"{type(error).__name__}: {error}")
        return {**self.failed(run, None), **measures}

    def failed(self, run: int, error: str | None) -> Row:
        """Return the row of a run without measures: its number, seed, values and error."""
        shown = {name: shown_value(value) for name, value in self.values(run).items()}
        return {"run": run, "seed": self.seed(run), **shown, "error": error}

    @property
    def fingerprint(self) -> str:
        """What tells this plan from others: equal plans have equal rows."""
        source = getattr(self.source, "fingerprint", None) or repr(self.source)
        rest = replace(self, source=None)
        return sha256(f"{RELEASE.version} {source} {rest!r}".encode()).hexdigest()


def shown_value(value: Any) -> Any:
    """Return a value as a table has it: numbers and texts as they are, all else as JSON.

    Examples
    --------
    >>> shown_value(3), shown_value("Any"), shown_value({"policy": "Never"})
    (3, 'Any', '{"policy": "Never"}')
    """
    if isinstance(value, bool | int | float | str):
        return value
    return json.dumps(value, sort_keys=True)


def _with(spec: ScenarioSpec, source: WorkloadSource, seed: int) -> ScenarioSpec:
    """Return a scenario with the workloads of a source besides its own."""
    made = source.submissions(spec, seed)
    timeline = sorted((*spec.timeline, *made), key=lambda action: action.at)
    return replace(spec, timeline=tuple(timeline))


def factor_columns(plan: Plan) -> Mapping[str, type]:
    """Return the type of the values of each factor in a table: text where they are mixed."""
    found: dict[str, type] = {}
    for place, factor in enumerate(plan.factors):
        kinds: set[type] = {type(shown_value(point[place])) for point in plan.points}
        if kinds <= {int, float} and kinds != {int}:
            kinds = {float}
        found[factor.name] = kinds.pop() if len(kinds) == 1 else str
    return found
