"""Preemption: which workloads are preempted so that a head fits."""

from kueuelab.scheduler.preemption.preemptor import Preemptor
from kueuelab.scheduler.preemption.search import Reason, Target

__all__ = ["Preemptor", "Reason", "Target"]
