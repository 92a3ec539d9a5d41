"""The scheduler of one cluster: what all its cycles share."""

from __future__ import annotations

from collections.abc import Mapping

from kueuelab.model import Configuration, ResourceFlavor
from kueuelab.quota import QuotaTree
from kueuelab.scheduler.access import ClusterAccess
from kueuelab.scheduler.chances import Chances
from kueuelab.scheduler.cycle import Cycle
from kueuelab.scheduler.cycle_log import CycleLog
from kueuelab.scheduler.flavor_rules import FlavorRules
from kueuelab.scheduler.placer import Placer
from kueuelab.topology import TopologyForest
from kueuelab.trace.recorder import Recorder

__all__ = ["Scheduler"]


class Scheduler:
    """Starts scheduling cycles and counts them.

    Parameters
    ----------
    configuration
        Kueue's Configuration.
    tree
        The cluster's quota; the decisions of a cycle leave it as it was.
    flavors
        ResourceFlavors by name, as they are at any moment.
    cluster
        Gives the heads and carries out what is decided.
    recorder
        Records every step, if given.
    forest
        The flavors' topologies, if there are any; a cycle's decisions leave them as they were.
    chances
        The order of what Kueue takes in random order.
    """

    __slots__ = (
        "_cycles",
        "chances",
        "cluster",
        "configuration",
        "flavors",
        "forest",
        "log",
        "placer",
        "recorder",
        "rules",
        "tree",
    )

    def __init__(
        self,
        configuration: Configuration,
        tree: QuotaTree,
        flavors: Mapping[str, ResourceFlavor],
        cluster: ClusterAccess,
        recorder: Recorder | None = None,
        forest: TopologyForest | None = None,
        chances: Chances | None = None,
    ) -> None:
        self.tree = tree
        self.flavors = flavors
        self.forest = forest or TopologyForest(tree.journal, {})
        self.cluster = cluster
        self.recorder = recorder
        self.chances = chances or Chances()
        self.log = None if recorder is None else CycleLog(recorder)
        self._cycles = 0
        self.configure(configuration)

    def configure(self, configuration: Configuration) -> None:
        """Decide by a Configuration from the next cycle on."""
        self.configuration = configuration
        self.rules = FlavorRules.of(configuration)
        self.placer = Placer(self.forest, self.flavors, self.rules, self.cluster, self.recorder)

    def next_cycle(self) -> Cycle:
        """Return a cycle to :meth:`~Cycle.run`."""
        return Cycle(self)

    def count_cycle(self) -> int:
        """Count a cycle that has heads; return its number."""
        self._cycles += 1
        if self.recorder is not None:
            self.recorder.cycle = self._cycles
        return self._cycles
