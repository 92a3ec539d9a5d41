"""Something else than the simulator that plays scenarios: a real cluster, for instance."""

from __future__ import annotations

from typing import Protocol, TypeVar

from kueuelab.manifests.scenario import ScenarioSpec

__all__ = ["Elsewhere"]

Result_co = TypeVar("Result_co", covariant=True)


class Elsewhere(Protocol[Result_co]):
    """What a scenario can be run on; ``kueuelab.live.connect(...)`` gives one."""

    def run(self, spec: ScenarioSpec) -> Result_co:
        """Play a scenario, and return what came of it."""
        ...
