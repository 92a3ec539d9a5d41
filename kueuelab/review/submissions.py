"""The workloads that a change is tried with: of a saved run, of a trace of jobs, of a scenario."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.files import read_bytes
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.manifests.scenario import Submit
from kueuelab.messages import Message
from kueuelab.model.times import parse_duration
from kueuelab.review.recorded_workloads import recorded_submissions
from kueuelab.sweeps.workloads.job_trace import JobTrace
from kueuelab.sweeps.workloads.opening import open_workloads
from kueuelab.trace.export import is_run, trace_from_bytes

__all__ = ["History", "read_history", "run_time"]

#: Traces of jobs by the ending of their names; a scenario or a saved run has another one.
_TRACES: Final = (".csv", ".csv.gz", ".parquet", ".swf", ".swf.gz")


@dataclass(frozen=True, slots=True)
class History:
    """Workloads that were submitted once.

    Attributes
    ----------
    name
        What it was read from.
    submits
        Their submissions, in order of time; empty for a trace of jobs.
    jobs
        A trace of jobs, which finds its queues in the configuration.
    left_out
        How many workloads the record does not say enough of.
    """

    name: str
    submits: tuple[Submit, ...] = ()
    jobs: JobTrace | None = None
    left_out: int = 0

    def submissions(self, spec: ScenarioSpec, runs: int | None) -> tuple[Submit, ...]:
        """Return what is submitted to a configuration.

        Parameters
        ----------
        spec
            The configuration.
        runs
            For how long workloads run of which that is not known; ``None``: without end.
        """
        found = self.submits if self.jobs is None else self.jobs.submissions(spec, 0)
        return tuple(each if each.runs is not None else replace(each, runs=runs) for each in found)


def read_history(file: str | Path) -> History:
    """Read a saved run, a trace of jobs, or a scenario with a timeline.

    Raises
    ------
    InputError
        If it is none of these, or no job is submitted in it.
    """
    path, left_out = Path(file), 0
    if path.name.endswith(_TRACES):
        jobs = open_workloads(path)
        assert isinstance(jobs, JobTrace)
        return History(path.name, jobs=jobs, left_out=jobs.left_out + len(jobs.problems))
    content = read_bytes(path)
    if is_run(content):
        submits, left_out = recorded_submissions(trace_from_bytes(content, str(path)))
    else:
        spec = load_scenario(path)
        submits = tuple(each for each in spec.timeline if isinstance(each, Submit))
    if not submits:
        hint = Message("review.no-workloads.hint")
        raise InputError(Problem(Message("review.no-workloads", file=path), hint=hint))
    return History(path.name, submits, left_out=left_out)


def run_time(text: str) -> int:
    """Return a run time in nanoseconds.

    Raises
    ------
    InputError
        If it is none.

    Examples
    --------
    >>> run_time("90s")
    90000000000
    """
    try:
        found = parse_duration(text)
    except ValueError:
        found = 0
    if found <= 0:
        hint = Message("review.runs.hint")
        raise InputError(Problem(Message("review.runs", text=text), hint=hint))
    return found
