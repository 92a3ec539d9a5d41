"""Many histories of the same workloads under two releases of Kueue: how often they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import exp
from random import Random
from typing import TYPE_CHECKING, Any, Final

from kueuelab.manifests.scenario import ScenarioSpec, Submit
from kueuelab.messages import Catalog, Message
from kueuelab.model.times import SECOND
from kueuelab.sweeps.shuffled import with_order_of
from kueuelab.trace.diff import Diff, diff
from kueuelab.whatif.upgrade import played

if TYPE_CHECKING:
    from kueuelab.sweeps.plan import WorkloadSource

__all__ = ["UpgradeRuns", "upgrade_runs", "varied_history"]

#: The spread of the logarithm of run times: two of three are between 0.6 and 1.6 times as long.
_SPREAD: Final = 0.5
#: What workloads of a dump run for that say nothing, before that is varied.
_UNKNOWN: Final = 1800 * SECOND


@dataclass(frozen=True, slots=True)
class UpgradeRuns:
    """What comes of many histories under two releases.

    Attributes
    ----------
    seeds
        The seeds of the histories.
    submitted, running
        How many submissions changed places, and how many run times were varied, in each.
    differing
        The seeds whose decisions differ.
    first
        What differs in the first of them.
    """

    seeds: tuple[int, ...]
    submitted: int
    running: int
    differing: tuple[int, ...]
    first: Diff | None = None

    @property
    def share(self) -> float:
        """The share of the histories that differ."""
        return len(self.differing) / len(self.seeds)

    @property
    def lines(self) -> Iterator[str]:
        """What was tried, and how often decisions differ."""
        yield Message("sweeps.upgrade.tried", submitted=self.submitted, running=self.running)
        if self.first is None:
            yield Message("sweeps.upgrade.same", count=len(self.seeds))
            return
        yield Message(
            "sweeps.upgrade.differ",
            differing=len(self.differing),
            count=len(self.seeds),
            percent=round(100 * self.share),
            seed=self.differing[0],
        )
        yield from self.first.first_lines

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "runs": len(self.seeds),
            "submissions": self.submitted,
            "runTimes": self.running,
            "differing": list(self.differing),
            "first": None if self.first is None else self.first.as_data(),
        }


def upgrade_runs(
    before: ScenarioSpec,
    after: ScenarioSpec,
    seeds: int,
    source: WorkloadSource | None = None,
    catalog: Catalog | None = None,
    progress: Callable[[], object] = lambda: None,
) -> UpgradeRuns:
    """Play random histories of the same workloads under two releases, and compare.

    Parameters
    ----------
    before, after
        The scenario of each release.
    seeds
        How many histories: the seeds are 1 and those that follow.
    source
        A trace or a model of workloads, which come besides those of the scenario.
    catalog
        The language of what differs.
    progress
        Called after each history.

    Examples
    --------
    >>> upgrade_runs(ScenarioSpec(), ScenarioSpec(), seeds=3).differing
    ()
    """
    differing: list[int] = []
    first: Diff | None = None
    for seed in range(1, seeds + 1):
        one, other = (varied_history(spec, seed, source) for spec in (before, after))
        found = diff(played(one), played(other), catalog)
        if found.decides_otherwise:
            differing.append(seed)
            first = first or found
        progress()
    spec = varied_history(before, 1, source)
    submits = [each for each in spec.timeline if isinstance(each, Submit)]
    running = sum(each.runs is not None for each in submits) + len(spec.manifests.runs)
    return UpgradeRuns(tuple(range(1, seeds + 1)), len(submits), running, tuple(differing), first)


def varied_history(
    spec: ScenarioSpec, seed: int, source: WorkloadSource | None = None
) -> ScenarioSpec:
    """Return a scenario whose workloads come in another order and run for other times.

    Run times are log-normal around those that are written; workloads of a dump that say nothing
    run around half an hour. The same seed gives a workload the same time in every release.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta, Workload
    >>> job = Submit((Workload(ObjectMeta("job")),), at=0, runs=60_000_000_000)
    >>> spec = ScenarioSpec(timeline=(job,))
    >>> times = [varied_history(spec, seed).timeline[0].runs for seed in (1, 2)]
    >>> times[0] != times[1], varied_history(spec, 1) == varied_history(spec, 1)
    (True, True)
    """
    if source is not None:
        made = source.submissions(spec, seed)
        timeline = sorted((*spec.timeline, *made), key=lambda action: action.at)
        spec = replace(spec, timeline=tuple(timeline))
    spec = with_order_of(spec, seed)
    actions = [
        replace(each, runs=_drawn(each.runs, f"{seed} {each.workloads[0].key}"))
        if isinstance(each, Submit) and each.runs is not None
        else each
        for each in spec.timeline
    ]
    manifests = replace(spec.manifests, runs=_runs_of_dump(spec, seed))
    return replace(spec, timeline=tuple(actions), manifests=manifests)


def _runs_of_dump(spec: ScenarioSpec, seed: int) -> Mapping[str, int]:
    known = spec.manifests.runs
    if not spec.timeline:
        unknown = dict.fromkeys((each.key for each in spec.manifests.workloads), _UNKNOWN)
        known = {**unknown, **known}
    return {key: _drawn(runs, f"{seed} {key}") for key, runs in known.items()}


def _drawn(runs: int, seed: str) -> int:
    return max(1, round(runs * exp(Random(seed).gauss(0, _SPREAD))))
