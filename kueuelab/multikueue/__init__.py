"""MultiKueue: a manager that dispatches jobs to workers, all of them simulated clusters.

:class:`World` has them on one clock; dispatchers are small callables; faults are methods of
the world. https://kueue.sigs.k8s.io/docs/concepts/multikueue/ describes it.
"""

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
from kueuelab.multikueue.scenario import MultiKueueScenario, WorldRun, load
from kueuelab.multikueue.timing import Timing
from kueuelab.multikueue.world import World

__all__ = [
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
    "World",
    "WorldRun",
    "all_at_once",
    "cheapest_first",
    "load",
]
