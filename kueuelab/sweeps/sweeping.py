"""A sweep: the same scenario with many values and seeds, and a table of what came of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kueuelab.errors import InputError, Problem
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.messages import Message
from kueuelab.sweeps.designs import Design, points_of
from kueuelab.sweeps.factors import Factor, Range, factors_of, varied, varied_model
from kueuelab.sweeps.plan import Plan, Row, WorkloadSource, shown_value
from kueuelab.sweeps.processes import rows_by_processes
from kueuelab.sweeps.store import Store
from kueuelab.sweeps.summary import Summary, summary_of
from kueuelab.sweeps.table import columns_of, needed, table_of
from kueuelab.sweeps.workloads.mapping import local_queues_of
from kueuelab.whatif.lab import Lab, LabRun

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Sweep", "plan_of", "run_plan", "sweep"]

#: Called with each row as its run ends.
Progress = Callable[[Row], object]


@dataclass(frozen=True, slots=True, repr=False)
class Sweep:
    """What came of a sweep: a row for each run, in their order.

    Attributes
    ----------
    plan
        The runs.
    rows
        Number of the run, seed, values, error, and measures by name.

    Examples
    --------
    >>> import kueuelab as kl
    >>> lab = kl.scenarios.load("reclaim-1-take-back")
    >>> factor = "cluster-queue/team-a:spec.preemption.reclaimWithinCohort"
    >>> found = kl.sweep(lab, {factor: ["Never", "Any"]})
    >>> found
    <Sweep reclaim-1-take-back: 2 runs>
    >>> [row["preemptions"] for row in found.rows]
    [0, 1]
    """

    plan: Plan
    rows: tuple[Row, ...]

    def __repr__(self) -> str:
        failed = len(self.failed)
        wrong = f", {failed} failed" if failed else ""
        runs = f"{len(self.rows)} run{'s' * (len(self.rows) != 1)}"
        return f"<Sweep {self.plan.spec.name or 'unnamed'}: {runs}{wrong}>"

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def failed(self) -> tuple[Row, ...]:
        """The rows of the runs that failed."""
        return tuple(row for row in self.rows if row["error"] is not None)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return columns_of(self.plan, self.rows)

    @property
    def measures(self) -> list[str]:
        """The names of the measures."""
        return self.columns[3 + len(self.plan.factors) :]

    @property
    def table(self) -> pyarrow.Table:
        """The rows as an Arrow table."""
        return table_of(self.plan, self.rows)

    @property
    def frame(self) -> pandas.DataFrame:
        """The rows as a pandas table."""
        needed("pandas")
        return self.table.to_pandas()

    def save(self, to: str | Path) -> None:
        """Write the table to a Parquet file."""
        Store(to, self.plan).finish(list(self.rows))

    def lab(self, run: int) -> Lab:
        """Return the scenario of a run, to run it with a record, to ask and to fork it.

        Raises
        ------
        InputError
            If there is no such run.
        """
        if not 0 <= run < len(self.plan):
            hint = Message("sweeps.no-run.hint", count=len(self.plan))
            raise InputError(Problem(Message("sweeps.no-run", run=run), hint=hint))
        return Lab(self.plan.scenario(run))

    def run(self, run: int) -> LabRun:
        """Play a run again, and record it."""
        return self.lab(run).run(until=self.plan.until)

    def summary(self, *measures: str) -> Summary:
        """Return the measures of each point over its seeds: mean, lowest and highest.

        Raises
        ------
        UnknownObjectError
            If no run has such a measure.
        """
        return summary_of(self.plan, self.rows, measures)

    def as_text(self, *measures: str) -> str:
        """Return the summary as text; of the general measures if none is named."""
        return self.summary(*measures).as_text()


def sweep(
    scenario: Lab | ScenarioSpec | str | Path,
    vary: Mapping[str, Sequence[Any] | Range] | None = None,
    *,
    seeds: int | Iterable[int] = 1,
    jobs: int = 1,
    design: Design = "grid",
    samples: int | None = None,
    workloads: WorkloadSource | None = None,
    until: float | None = None,
    out: str | Path | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Run a scenario with many values and seeds, and measure each run.

    Parameters
    ----------
    scenario
        What :func:`kueuelab.load` gives, or a file.
    vary
        Name of a factor to its values; see :class:`~kueuelab.sweeps.factors.Factor`.
    seeds
        How many seeds, from 0, or which. With ``workloads`` a seed chooses what is made; without,
        seed 0 is the scenario as it is, and another seed its workloads in another order.
    jobs
        In how many processes.
    design, samples
        Which values are tried together; see :func:`~kueuelab.sweeps.designs.points_of`.
    workloads
        A model or a trace that makes the workloads.
    until
        Each run stops after so many seconds; by default when nothing is left to do.
    out
        A Parquet file. Each row is kept when its run ends; a sweep that was stopped goes on.
    dask
        The address of a Dask scheduler (``tcp://…``), or ``local``.
    progress
        Called with each row as its run ends.

    Raises
    ------
    InputError
        If there is no such object or field, or a value does not go there.

    Examples
    --------
    >>> import kueuelab as kl
    >>> kl.sweep(kl.scenarios.load("reclaim-1-take-back"), seeds=2)
    <Sweep reclaim-1-take-back: 2 runs>
    """
    plan = plan_of(scenario, vary, seeds, design, samples, workloads, until)
    return run_plan(plan, jobs=jobs, out=out, dask=dask, progress=progress)


def plan_of(
    scenario: Lab | ScenarioSpec | str | Path,
    vary: Mapping[str, Any] | None = None,
    seeds: int | Iterable[int] = 1,
    design: Design = "grid",
    samples: int | None = None,
    workloads: WorkloadSource | None = None,
    until: float | None = None,
) -> Plan:
    """Return the plan of a sweep, checked: each value goes where it should.

    Raises
    ------
    InputError
        As for :func:`sweep`.
    """
    spec = _spec_of(scenario)
    factors = factors_of(vary)
    chosen = tuple(range(seeds)) if isinstance(seeds, int) else tuple(dict.fromkeys(seeds))
    if not chosen:
        raise InputError(Problem(Message("sweeps.no-seeds")))
    points = points_of(factors, design, samples)
    _check(spec, workloads, factors, points)
    if workloads is not None:
        local_queues_of(spec)
    return Plan(spec, factors, points, chosen, workloads, until)


def run_plan(
    plan: Plan,
    *,
    jobs: int = 1,
    out: str | Path | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Run what a plan says and is not there yet; see :func:`sweep`."""
    store = None if out is None else Store(out, plan)
    rows = {} if store is None else store.rows()
    left = [run for run in range(len(plan)) if run not in rows]
    # Closed also by Ctrl-C: no process and no worker goes on with runs of this sweep.
    with closing(_rows(plan, left, jobs, dask)) as found:
        for row in found:
            rows[row["run"]] = row
            if store is not None:
                store.add(row)
            if progress is not None:
                progress(row)
    ordered = [rows[run] for run in range(len(plan))]
    if store is not None:
        store.finish(ordered)
    return Sweep(plan, tuple(ordered))


def _rows(plan: Plan, runs: list[int], jobs: int, dask: str | None) -> Generator[Row, None, None]:
    if dask is None or not runs:
        return rows_by_processes(plan, runs, jobs)
    from kueuelab.sweeps.dask_cluster import rows_by_dask

    return rows_by_dask(plan, runs, dask, jobs)


def _spec_of(scenario: Lab | ScenarioSpec | str | Path) -> ScenarioSpec:
    if isinstance(scenario, str | Path):
        scenario = load_scenario(scenario)
    if isinstance(scenario, Lab) and scenario.branches:
        hint = Message("sweeps.forked.hint")
        raise InputError(Problem(Message("sweeps.forked"), hint=hint))
    spec = scenario if isinstance(scenario, ScenarioSpec) else scenario.spec
    if spec.workers:
        hint = Message("sweeps.several-clusters.hint")
        raise InputError(Problem(Message("sweeps.several-clusters"), hint=hint))
    return spec


def _check(
    spec: ScenarioSpec,
    source: WorkloadSource | None,
    factors: Sequence[Factor],
    points: Sequence[tuple[Any, ...]],
) -> None:
    """Try each value alone, so that a mistake is an error and not a table of failed runs."""
    for place, factor in enumerate(factors):
        tried = {repr(shown_value(point[place])): point[place] for point in points}
        ends = list(tried.values()) if not isinstance(factor.levels, Range) else []
        for value in ends or [factor.at(0.0)]:
            if factor.of_workloads:
                varied_model(source, {factor.name: value})
            else:
                varied(spec, {factor.name: value})
