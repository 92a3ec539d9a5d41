"""What facts have of a job, to be compared with its next write."""

from __future__ import annotations

from typing import Final

from kueuelab.multikueue.fact_texts import follow_conditions, plain_name
from kueuelab.multikueue.jobs import PRIORITY_CLASS, Job, JobStatus

__all__ = ["SeenJob"]

_COUNTERS: Final = ("active", "ready", "succeeded", "failed", "terminating")


class SeenJob:
    """A job as it was written last; before it is created, the defaults.

    When it started and ended is no fact, only that it did.
    """

    __slots__ = ("_names", "_status", "_suspend")

    def __init__(self) -> None:
        self._suspend: bool | None = None
        self._names = ("", "", "", "")
        self._status = JobStatus()

    def follow(self, job: Job) -> list[str]:
        """Return the texts of what a write added and changed, then those of what it removed."""
        changed: list[str] = []
        removed: list[str] = []
        if job.suspend is not self._suspend:
            changed.append(f"suspend={str(job.suspend).lower()}")
            self._suspend = job.suspend
        label = job.labels.get(PRIORITY_CLASS, "")
        names = (job.managed_by, job.origin, job.prebuilt_workload, label)
        if names != self._names:
            known = _texts(self._names)
            changed += [text for text in _texts(names) if text and text not in known]
            self._names = names
        if job.status is not self._status:
            self._follow_status(job.status, changed, removed)
        return changed + removed if removed else changed

    def _follow_status(self, status: JobStatus, changed: list[str], removed: list[str]) -> None:
        known, self._status = self._status, status
        counted = len(_COUNTERS)
        if status[:counted] != known[:counted]:
            for name, before, count in zip(_COUNTERS, known, status, strict=False):
                if before != count:
                    changed.append(f"{name}={count}")
        if status.start_time is None:
            if known.start_time is not None:
                removed.append("startTime cleared")
        elif known.start_time is None:
            changed.append("startTime set")
        if status.completion_time is not None and known.completion_time is None:
            changed.append("completionTime set")
        follow_conditions(known.conditions, status.conditions, changed, removed)


def _texts(names: tuple[str, str, str, str]) -> tuple[str, ...]:
    """Return the texts of those that are set, ``""`` in place of the others."""
    managed_by, origin, workload, priority_class = names
    return (
        f"managedBy={managed_by}" if managed_by else "",
        f"origin={origin}" if origin else "",
        f"prebuiltWorkload={plain_name(workload)}" if workload else "",
        f"priorityClass={priority_class}" if priority_class else "",
    )
