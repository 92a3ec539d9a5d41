"""Capacity: a small sweep of a quota and of the rate at which jobs arrive, run by run."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from types import MappingProxyType
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.writing import write_yaml
from kueuelab.messages import Message
from kueuelab.model import ClusterQueue, ModelObject, amount_string
from kueuelab.model.times import SECOND
from kueuelab.session.capacity_messages import (
    CapacityForm,
    CapacityPlan,
    CellFound,
    CellMeasure,
    MeasureInfo,
    SweepDesign,
    SweptQuota,
)
from kueuelab.session.run_facts import RunFacts
from kueuelab.sweeps.factors import factors_of, varied
from kueuelab.sweeps.plan import Plan, Row
from kueuelab.sweeps.workloads.model import WorkloadModel
from kueuelab.trace.wording import span_text
from kueuelab.whatif.moments import moment_of

__all__ = ["capacity_cell", "capacity_form", "capacity_plan"]

_RATE: Final = "workloads:per_hour"
_PARTS: Final = (0.5, 0.75, 1, 1.5, 2)
_RATES: Final = (15.0, 30.0, 60.0, 120.0)
_JOBS: Final = 100
_RUNS: Final = "10m"
#: A sweep of more cells, or of more jobs in all, is for a machine.
_MOST_CELLS: Final = 64
_MOST_JOBS: Final = 20_000
_MOST_QUOTAS: Final = 200
#: The measures, and whether less of them is better.
_MEASURES: Final[Mapping[str, bool]] = MappingProxyType(
    {"waiting.p95": True, "waiting.mean": True, "utilisation": False, "preemptions": True}
)


def capacity_form(facts: RunFacts) -> CapacityForm:
    """Return which quotas can be varied, and what a sweep begins with."""
    words = facts.words
    found = tuple(_swept(facts, facts.lab_run.fork().objects()))
    return CapacityForm(
        found[:_MOST_QUOTAS],
        tuple(
            MeasureInfo(name, words.text(f"session.capacity.{name.replace('.', '-')}"), less)
            for name, less in _MEASURES.items()
        ),
        "" if found else words.text("session.capacity.none"),
    )


def capacity_plan(facts: RunFacts, design: SweepDesign, name: str) -> CapacityPlan:
    """Return how large a sweep is, and the command that runs it on a machine.

    Raises
    ------
    InputError
        If a value is none, or does not go where it should.
    """
    plan, words = _plan(facts, design), facts.words
    small = len(plan) <= _MOST_CELLS and len(plan) * design.jobs <= _MOST_JOBS
    count = len(plan)
    form = "session.capacity.plan" if small else "session.capacity.large"
    rates = ",".join(f"{each:g}" for each in design.rates)
    command = [
        *("kueuelab", "sweep", f"{name}.yaml"),
        *("--vary", f"{design.quota}={','.join(design.amounts)}", "--vary", f"{_RATE}={rates}"),
        *("--workloads", "jobs.yaml", "--seeds", "5", "--jobs", "2", "--out", "capacity.parquet"),
    ]
    model = {
        "jobs": design.jobs,
        "run_median": moment_of(design.runs) / SECOND,
        "requests": {_resource(design): design.request},
    }
    return CapacityPlan(
        columns=design.amounts,
        rows=tuple(words.text("session.capacity.rate", rate=f"{each:g}") for each in design.rates),
        small=small,
        sentence=words.text(form, count=count, jobs=design.jobs, most=_MOST_CELLS),
        command=shlex.join(command),
        model=write_yaml([model]),
    )


def capacity_cell(facts: RunFacts, design: SweepDesign, cell: int) -> CellFound:
    """Run one cell of a sweep, and return its measures.

    Raises
    ------
    InputError
        If there is no such cell, the sweep is too large, or a value does not go where it should.
    """
    plan, words = _plan(facts, design), facts.words
    if not 0 <= cell < min(len(plan), _MOST_CELLS) or len(plan) * design.jobs > _MOST_JOBS:
        raise InputError(Problem(Message("session.capacity.no-cell", cell=cell)))
    rows = facts.swept.setdefault(plan.fingerprint, {})
    if cell not in rows:
        rows[cell] = plan.row(cell)
    row, columns = rows[cell], len(design.amounts)
    amount, rate = design.amounts[cell % columns], f"{design.rates[cell // columns]:g}"
    return CellFound(
        cell,
        words.text("session.capacity.cell", amount=amount, rate=rate),
        tuple(_measure(design, row, name) for name in _MEASURES),
        row["error"] or "",
        {name: _front(design, rows, name) for name in _MEASURES},
    )


def _swept(facts: RunFacts, objects: Iterable[ModelObject]) -> Iterator[SweptQuota]:
    for queue in objects:
        if not isinstance(queue, ClusterQueue):
            continue
        for index, group in enumerate(queue.resource_groups):
            for flavor in group.flavors:
                for quota in flavor.resources:
                    name, resource = queue.metadata.name, quota.name
                    path = f"spec.resourceGroups[{index}].flavors[{flavor.name}]"
                    about = {"queue": name, "resource": resource, "flavor": flavor.name}
                    factor = f"ClusterQueue/{name}:{path}.resources[{resource}].nominalQuota"
                    amounts = {_rounded(resource, quota.nominal * part) for part in _PARTS}
                    texts = tuple(amount_string(resource, each) for each in sorted(amounts))
                    request = "1Gi" if resource == "memory" else "1"
                    yield SweptQuota(
                        factor,
                        facts.words.text("session.capacity.quota", **about),
                        resource,
                        SweepDesign(factor, texts, _RATES, _JOBS, _RUNS, request),
                    )


def _rounded(resource: str, amount: float) -> int:
    """Return an amount in whole units, at least one."""
    unit = {"cpu": 1000, "memory": 2**30}.get(resource, 1)
    return max(unit, round(amount / unit) * unit)


def _resource(design: SweepDesign) -> str:
    return design.quota.rpartition("resources[")[2].partition("]")[0]


def _plan(facts: RunFacts, design: SweepDesign) -> Plan:
    """Return the runs: the queues of a branch, with jobs that a model makes and no others."""
    if not design.amounts or not design.rates:
        raise InputError(Problem(Message("session.capacity.no-values")))
    model = WorkloadModel(
        jobs=design.jobs,
        run_median=moment_of(design.runs) / SECOND,
        requests={_resource(design): design.request},
    )
    factors = factors_of({_RATE: design.rates, design.quota: design.amounts})
    spec = _without_workloads(facts)
    for amount in design.amounts:
        varied(spec, {design.quota: amount})
    for rate in design.rates:
        replace(model, per_hour=rate)
    return Plan(spec, factors, tuple(product(design.rates, design.amounts)), (0,), model)


def _without_workloads(facts: RunFacts) -> ScenarioSpec:
    fork = facts.lab_run.fork()
    objects: dict[str, tuple[ModelObject, ...]] = {}
    for obj in fork.objects():
        kind = type(obj).__name__
        if kind != "Workload":
            objects[kind] = (*objects.get(kind, ()), obj)
    spec = fork.spec
    manifests = replace(spec.manifests, objects=objects, runs={}, expected_runs={}, deadlines={})
    return replace(spec, manifests=manifests, timeline=(), expect=())


def _measure(design: SweepDesign, row: Row, name: str) -> CellMeasure:
    value = _value(design, row, name)
    if value is None:
        return CellMeasure(name, None, "")
    if name.startswith("waiting"):
        return CellMeasure(name, value, span_text(round(value) * SECOND))
    text = f"{100 * value:.0f} %" if name == "utilisation" else f"{value:g}"
    return CellMeasure(name, value, text)


def _value(design: SweepDesign, row: Row, name: str) -> float | None:
    if name == "utilisation":
        flavor = design.quota.partition("flavors[")[2].partition("]")[0]
        name = f"utilisation[flavor={flavor},resource={_resource(design)}]"
    found = row.get(name)
    return None if found is None else float(found)


def _front(design: SweepDesign, rows: Mapping[int, Row], name: str) -> list[int]:
    """Return the cells for which no smaller quota does as well at the same rate."""
    columns, sign = len(design.amounts), 1 if _MEASURES[name] else -1
    found = []
    for line in range(len(design.rates)):
        best: float | None = None
        for cell in range(line * columns, (line + 1) * columns):
            value = _value(design, rows[cell], name) if cell in rows else None
            if value is not None and (best is None or sign * value < best):
                best = sign * value
                found.append(cell)
    return found
