"""A backend that runs scenarios: a real cluster, for example."""

from __future__ import annotations

from typing import Protocol, TypeVar

from kueuelab.manifests.scenario import ScenarioSpec

__all__ = ["ScenarioBackend"]

Result_co = TypeVar("Result_co", covariant=True)


class ScenarioBackend(Protocol[Result_co]):
    """A backend that runs scenarios; ``kueuelab.live.connect(...)`` returns one."""

    def run(self, spec: ScenarioSpec) -> Result_co:
        """Run a scenario, and return its result."""
        ...
