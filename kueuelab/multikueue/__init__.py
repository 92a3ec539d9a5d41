"""MultiKueue: a manager that dispatches jobs to workers, all of them simulated clusters.

:class:`ClusterSet` has them on one clock; dispatchers are small callables; faults are methods of
the cluster set. https://kueue.sigs.k8s.io/docs/concepts/multikueue/ describes it.
"""

from kueuelab.multikueue.cluster_set import ClusterSet
from kueuelab.multikueue.dispatchers import (
    Dispatcher,
    DispatchView,
    Incremental,
    Nomination,
    all_at_once,
    cheapest_first,
)
from kueuelab.multikueue.facts import Fact, FactLog
from kueuelab.multikueue.jobs import Job, PodPlan
from kueuelab.multikueue.races import Race, Races
from kueuelab.multikueue.recording import SharedRecorder
from kueuelab.multikueue.scenario import ClusterSetRun, MultiKueueScenario, load
from kueuelab.multikueue.timing import Timing

__all__ = [
    "ClusterSet",
    "ClusterSetRun",
    "DispatchView",
    "Dispatcher",
    "Fact",
    "FactLog",
    "Incremental",
    "Job",
    "MultiKueueScenario",
    "Nomination",
    "PodPlan",
    "Race",
    "Races",
    "SharedRecorder",
    "Timing",
    "all_at_once",
    "cheapest_first",
    "load",
]
