"""The scheduler: runs cycles over the quota tree of one cluster."""

from __future__ import annotations

from collections.abc import Mapping

from kueuelab.model import Configuration, ResourceFlavor
from kueuelab.queues import Head
from kueuelab.quota import QuotaTree
from kueuelab.scheduler.cycle import Admissibility, Cycle, Inactive
from kueuelab.scheduler.flavor_rules import FlavorRules
from kueuelab.trace.recorder import Recorder

__all__ = ["Scheduler"]


class Scheduler:
    """Starts scheduling cycles and counts them.

    Parameters
    ----------
    configuration
        Kueue's Configuration.
    tree
        The cluster's quota; a cycle leaves it as it found it.
    flavors
        ResourceFlavors by name, as they are at any moment.
    recorder
        Told of every step, if given.
    """

    def __init__(
        self,
        configuration: Configuration,
        tree: QuotaTree,
        flavors: Mapping[str, ResourceFlavor],
        recorder: Recorder | None = None,
    ) -> None:
        self._configuration = configuration
        self._tree = tree
        self._flavors = flavors
        self._recorder = recorder
        self._rules = FlavorRules.of(configuration)
        self.cycles = 0

    def begin(self, heads: list[Head], inactive: Inactive, admissibility: Admissibility) -> Cycle:
        """Start a cycle: nominate all heads.

        Go on with :meth:`Cycle.process` and end with :meth:`Cycle.finish`.
        """
        self.cycles += 1
        if self._recorder is not None:
            self._recorder.cycle = self.cycles
        wait = self._configuration.wait_for_pods_ready
        pauses = wait is not None and wait.block_admission
        return Cycle(
            self.cycles,
            heads,
            self._configuration,
            self._tree.copy() if pauses else self._tree,
            self._flavors,
            inactive,
            admissibility,
            self._rules,
            self._recorder,
        )
