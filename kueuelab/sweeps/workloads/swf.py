"""The Standard Workload Format: a job a line, 18 numbers, of which -1 is unknown.

See https://www.cs.huji.ac.il/labs/parallel/workload/swf.html.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

from kueuelab.errors import Location, Problem
from kueuelab.files import reading
from kueuelab.messages import Message
from kueuelab.model.times import SECOND
from kueuelab.sweeps.workloads.job_trace import JobTrace
from kueuelab.sweeps.workloads.jobs import Job
from kueuelab.sweeps.workloads.mapping import Mapped

__all__ = ["read_swf"]

_FIELDS: Final = 18
_COMMENT: Final = ";"

#: Places of the fields, from 0.
_NUMBER, _SUBMITTED, _RUNS, _ALLOCATED, _REQUESTED = 0, 1, 3, 4, 7
_USER, _GROUP, _QUEUE, _PARTITION = 11, 12, 14, 15


def read_swf(
    path: str | Path,
    *,
    resource: str = "cpu",
    processors_per_pod: int = 1,
    mapped: Mapped | None = None,
) -> JobTrace:
    """Read a trace in the Standard Workload Format, compressed with gzip or not.

    A job asks for the processors that it was allocated, or requested where that is unknown. Its
    flavor is its partition. Jobs that never ran are left out; lines that are no job are left out,
    too, and are in ``problems`` with file and line.

    Parameters
    ----------
    path
        The file.
    resource
        What a processor is in Kubernetes.
    processors_per_pod
        How many of them a pod has; a job has as many pods as it needs for all.
    mapped
        How jobs find queues and flavors.

    Raises
    ------
    InputError
        If it is no regular file, or there is no job in it.
    """
    jobs, problems, left_out = [], [], 0
    with reading(path) as stream:
        for number, line in enumerate(io.TextIOWrapper(stream, "utf-8", "replace"), 1):
            text = line.partition(_COMMENT)[0].split()
            if not text:
                continue
            job = _job(text, resource, processors_per_pod)
            if isinstance(job, Job):
                jobs.append(job)
            elif job is None:
                left_out += 1
            else:
                problems.append(Problem(job, location=Location(str(path), number)))
    jobs.sort(key=lambda job: job.submitted)
    return JobTrace(tuple(jobs), tuple(problems), left_out, mapped or Mapped())


def _job(text: list[str], resource: str, per_pod: int) -> Job | Message | None:
    """Return the job of a line, ``None`` if it never ran, or what is wrong with the line."""
    if len(text) != _FIELDS:
        return Message("sweeps.swf.fields", count=len(text))
    numbers = []
    for place, each in enumerate(text, 1):
        try:
            numbers.append(float(each))
        except ValueError:
            return Message("sweeps.swf.no-number", text=f"{each!r:.40}", place=place)
        if not abs(numbers[-1]) < 2**53:
            return Message("sweeps.swf.no-number", text=f"{each!r:.40}", place=place)
    if numbers[_SUBMITTED] < 0:
        return Message("sweeps.swf.no-submission")
    processors = next((int(numbers[at]) for at in (_ALLOCATED, _REQUESTED) if numbers[at] > 0), 0)
    if numbers[_RUNS] <= 0 or not processors:
        return None
    pods = -(-processors // per_pod)
    return Job(
        str(int(numbers[_NUMBER])),
        round(numbers[_SUBMITTED] * SECOND),
        round(numbers[_RUNS] * SECOND),
        pods,
        {resource: str(min(per_pod, processors))},
        user=_name(numbers[_USER]),
        group=_name(numbers[_GROUP]),
        queue=_name(numbers[_QUEUE]),
        flavor=_name(numbers[_PARTITION]),
    )


def _name(number: float) -> str:
    return "" if number < 0 else str(int(number))
