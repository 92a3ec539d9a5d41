"""Scenarios that can be run, and what came of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from kueuelab.manifests.result import cautions
from kueuelab.manifests.scenario import ScenarioSpec
from kueuelab.messages import Catalog, language_of
from kueuelab.model.times import SECOND, from_seconds
from kueuelab.simulation.assumptions import assumptions
from kueuelab.simulation.cluster import Cluster
from kueuelab.simulation.events import Event
from kueuelab.simulation.expectations import Outcome
from kueuelab.simulation.found_loop import Loop
from kueuelab.simulation.known_bugs import KnownBug, known_bugs, with_bugs
from kueuelab.simulation.not_modelled import not_modelled
from kueuelab.simulation.player import Player
from kueuelab.trace import Trace
from kueuelab.trace.chances import Chance, chances
from kueuelab.trace.explanation import Explanation
from kueuelab.trace.recorded_run import RecordedClusterRun
from kueuelab.trace.recorder import Recorder

__all__ = ["Run", "Scenario"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario, ready to run as often as wanted; every run is the same to the byte.

    Examples
    --------
    >>> Scenario(ScenarioSpec(name="empty")).run()
    <Run empty: 0 workloads, 0 cycles, 0s>
    """

    spec: ScenarioSpec

    def __repr__(self) -> str:
        spec = self.spec
        objects = len(spec.manifests)
        return (
            f"<Scenario {spec.name or 'unnamed'}: {objects} objects, {len(spec.timeline)} actions>"
        )

    @property
    def name(self) -> str:
        """The scenario's name."""
        return self.spec.name

    @property
    def title(self) -> str:
        """What it shows, in a few words."""
        return self.spec.title

    @property
    def not_modelled(self) -> tuple[str, ...]:
        """What the scenario depends on and the simulator doesn't decide yet."""
        return not_modelled(self.spec.configuration, self.spec.manifests)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What its files have and the lab leaves out or reads otherwise, and what follows."""
        return cautions(self.spec.notes)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is taken for granted because the scenario or dump doesn't say it."""
        spec = self.spec
        return assumptions(spec.configuration, spec.manifests, spec.timeline)

    def run(self, *, until: float | None = None, chance: int | None = None) -> Run:
        """Play the scenario to its end and record it.

        Parameters
        ----------
        until
            Stop after so many seconds of virtual time; by default when nothing is left
            to do.
        chance
            The seed of another outcome where Kueue leaves the outcome to chance; see
            :meth:`Run.chances`.
        """
        scenario, recorder = self.with_chance(chance), Recorder()
        player = Player(scenario.spec, recorder)
        player.play(None if until is None else player.start + from_seconds(until))
        return Run(scenario, player, recorder)

    def with_chance(self, seed: int | None) -> Self:
        """Return the scenario with a seed for chance; itself, if none is given."""
        return self if seed is None else replace(self, spec=replace(self.spec, chance=seed))


class Run(RecordedClusterRun):
    """What came of a scenario: the trace, the cluster at the end, expectations held against it.

    Attributes
    ----------
    scenario
        What was run.
    loop
        The loop that ended the run, ``None`` if it came to its end.
    outcomes
        The scenario's expectations and what was found.
    """

    outcomes: tuple[Outcome, ...] = ()

    def __init__(self, scenario: Scenario, player: Player, recorder: Recorder) -> None:
        self.scenario = scenario
        self.loop: Loop | None = player.loop
        self.outcomes = tuple(player.outcomes)
        self._player = player
        self._recorder = recorder

    @cached_property
    def trace(self) -> Trace:
        """The record of every step."""
        scenario, cluster = self.scenario, self.cluster
        version = cluster.configuration.release.version
        about = scenario.spec.description
        return Trace.of(self._recorder, scenario.name, scenario.title, cluster.now, version, about)

    def known_bugs(self) -> tuple[KnownBug, ...]:
        """Return the bugs of this release of Kueue that it met in the end, with what to do.

        Examples
        --------
        >>> Scenario(ScenarioSpec(name="empty")).run().known_bugs()
        ()
        """
        return self._known_bugs

    @cached_property
    def _known_bugs(self) -> tuple[KnownBug, ...]:
        return known_bugs(self.cluster.plane, self.trace)

    def why(
        self, workload: str, at: int | None = None, language: str | Catalog = "en"
    ) -> Explanation:
        """Return why a workload is where it is, after a step or at the end.

        At the end it says which known bugs of Kueue the workload meets.
        """
        found = super().why(workload, at, language)
        if at is not None and at != len(self.trace) - 1:
            return found
        return with_bugs(found, self.known_bugs(), self.cluster.plane, language_of(language))

    def chances(self) -> tuple[Chance, ...]:
        """Return the decisions that Kueue leaves to chance, each with the other outcomes.

        Examples
        --------
        >>> Scenario(ScenarioSpec(name="empty")).run().chances()
        ()
        """
        return chances(self.trace)

    @property
    def cluster(self) -> Cluster:
        """The cluster as it was left."""
        return self._player.cluster

    @property
    def events(self) -> tuple[Event, ...]:
        """The Kubernetes Events, in order."""
        return tuple(self.cluster.events)

    @property
    def start(self) -> int:
        """The clock at the start, in nanoseconds since 1970."""
        return self._player.start

    def __repr__(self) -> str:
        seconds = (self.cluster.now - self.start) / SECOND
        cycles = sum(bool(record.heads) for record in self._player.cycles)
        workloads = len(self.cluster.workloads)
        name = self.scenario.name or "unnamed"
        return f"<Run {name}: {workloads} workloads, {cycles} cycles, {seconds:g}s>"
