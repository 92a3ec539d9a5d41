"""Scheduling cycles: heads, snapshot, nominate, order, process, requeue."""

from kueuelab.scheduler.access import ClusterAccess
from kueuelab.scheduler.assignment import Assignment, Mode
from kueuelab.scheduler.cycle import Cycle
from kueuelab.scheduler.entry import Entry, Inadmissible
from kueuelab.scheduler.preemption import Target
from kueuelab.scheduler.scheduler import Scheduler

__all__ = [
    "Assignment",
    "ClusterAccess",
    "Cycle",
    "Entry",
    "Inadmissible",
    "Mode",
    "Scheduler",
    "Target",
]
