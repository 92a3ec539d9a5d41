"""What a page can ask about capacity, a small sweep, and what it gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

__all__ = [
    "ANSWERS",
    "Capacity",
    "CapacityCell",
    "CapacityForm",
    "CapacityPlan",
    "CellFound",
    "CellMeasure",
    "MeasureInfo",
    "PlanOf",
    "SweepDesign",
    "SweptQuota",
]


@dataclass(frozen=True, slots=True)
class SweepDesign:
    """A small sweep: each amount of a quota with each rate of arrivals.

    Attributes
    ----------
    quota
        The ``id`` of a quota.
    amounts, rates
        Its nominal quotas as in a manifest, and jobs an hour.
    jobs
        How many jobs are made for each run.
    runs
        How long half of them run at most: ``10m``.
    request
        What each pod asks for of the resource.
    """

    quota: str
    amounts: tuple[str, ...]
    rates: tuple[float, ...]
    jobs: int
    runs: str
    request: str


@dataclass(frozen=True, slots=True)
class Capacity:
    """Ask which quotas a small sweep can vary, and what it begins with."""

    branch: str = ""


@dataclass(frozen=True, slots=True)
class PlanOf:
    """Ask how many runs a sweep has, and for the command that runs it on a machine."""

    sweep: SweepDesign
    branch: str = ""


@dataclass(frozen=True, slots=True)
class CapacityCell:
    """Ask for one run of a sweep.

    Attributes
    ----------
    cell
        Its number: the amounts of the first rate, then those of the next one.
    """

    sweep: SweepDesign
    cell: int
    branch: str = ""


@dataclass(frozen=True, slots=True)
class SweptQuota:
    """A nominal quota that can be varied, with the design that begins there."""

    id: str
    label: str
    resource: str
    design: SweepDesign


@dataclass(frozen=True, slots=True)
class MeasureInfo:
    """A measure of a run; ``less`` tells whether less of it is better."""

    id: str
    label: str
    less: bool


@dataclass(frozen=True, slots=True)
class CapacityForm:
    """The answer to ``capacity``."""

    quotas: tuple[SweptQuota, ...]
    measures: tuple[MeasureInfo, ...]
    note: str


@dataclass(frozen=True, slots=True)
class CapacityPlan:
    """The answer to ``capacityPlan``.

    Attributes
    ----------
    columns, rows
        The amounts and the rates, as text.
    small
        Whether it can run here.
    sentence
        How many runs it has.
    command, model
        The command that runs it on a machine, and the file of workloads that it reads.
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    small: bool
    sentence: str
    command: str
    model: str


@dataclass(frozen=True, slots=True)
class CellMeasure:
    """A measure of one run; ``value`` is ``None`` if the run has none."""

    id: str
    value: float | None
    text: str


@dataclass(frozen=True, slots=True)
class CellFound:
    """The answer to ``capacityCell``.

    Attributes
    ----------
    about
        The run as text.
    error
        Why the run failed; ``""`` if it did not.
    front
        By measure, the cells of those that ran for which no smaller quota does as well at the same
        rate (the Pareto front).
    """

    cell: int
    about: str
    measures: tuple[CellMeasure, ...]
    error: str
    front: Mapping[str, Any]


#: The answer to each of these commands.
ANSWERS: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {"capacity": CapacityForm, "capacityPlan": CapacityPlan, "capacityCell": CellFound}
)
