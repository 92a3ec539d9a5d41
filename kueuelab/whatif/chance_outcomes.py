"""How often a run comes out otherwise where Kueue leaves decisions to chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kueuelab.messages import Catalog, Message, language_of

if TYPE_CHECKING:
    from kueuelab.whatif.lab import Lab, LabRun

__all__ = ["ChanceOutcomes", "Outcome", "chance_outcomes"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of some of the runs.

    Attributes
    ----------
    seeds
        The seeds of these runs.
    preempted
        The workloads that were preempted, by name; once for each time.
    pending
        Those that are pending in the end.
    """

    seeds: tuple[int, ...]
    preempted: tuple[str, ...]
    pending: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ChanceOutcomes:
    """What can come of a scenario, the most frequent outcome first.

    Each order of what the rules do not tell apart is taken as often as any other. Go walks a map
    from a random place on, so that Kueue's own frequencies can be others.

    Attributes
    ----------
    runs
        How many runs there were.
    outcomes
        What came of them.
    """

    runs: int
    outcomes: tuple[Outcome, ...]

    def __repr__(self) -> str:
        return f"<ChanceOutcomes: {len(self.outcomes)} of {self.runs} runs>"

    def __str__(self) -> str:
        return self.as_text()

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return one line for each outcome: how often, and what it preempts and leaves pending."""
        catalog = language_of(language)
        return "\n".join(catalog.render(line) for line in self._lines(catalog))

    def _lines(self, catalog: Catalog) -> Iterator[str]:
        if len(self.outcomes) == 1:
            yield Message("whatif.chance.same", runs=self.runs)
        for each in self.outcomes:
            yield Message(
                "whatif.chance.outcome",
                count=len(each.seeds),
                runs=self.runs,
                preempted=_listed(each.preempted, catalog),
                pending=_listed(each.pending, catalog),
                seed=each.seeds[0],
            )

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "runs": self.runs,
            "outcomes": [
                {
                    "count": len(each.seeds),
                    "seeds": list(each.seeds),
                    "preempted": list(each.preempted),
                    "pending": list(each.pending),
                }
                for each in self.outcomes
            ],
        }


def _listed(names: tuple[str, ...], catalog: Catalog) -> str:
    return catalog.join(list(names)) if names else catalog.text("list.none")


def chance_outcomes(
    lab: Lab,
    runs: int,
    *,
    until: float | None = None,
    progress: Callable[[], object] | None = None,
) -> ChanceOutcomes:
    """Run a scenario with so many seeds of chance, and count what comes of it.

    Parameters
    ----------
    lab
        The scenario.
    runs
        How many runs, at least 1; the seeds are 0, 1, ...
    until
        Stop each after so many seconds of virtual time.
    progress
        Called after each run.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> found = chance_outcomes(scenarios.load("reclaim-1-take-back"), 3)
    >>> same, outcome = found.as_text().splitlines()
    >>> print(same)
    All 3 runs come out the same: chance decides nothing that matters here.
    >>> for part in outcome.split("; "):
    ...     print(part)
    3 of 3 runs: preempted: default/job-1
    pending in the end: default/job-1 (for example --chance 0)
    """
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], list[int]] = {}
    for seed in range(max(runs, 1)):
        run = lab.run(until=until, chance=seed)
        found.setdefault((_preempted(run), _pending(run)), []).append(seed)
        if progress is not None:
            progress()
    outcomes = (Outcome(tuple(seeds), *what) for what, seeds in found.items())
    ordered = sorted(outcomes, key=lambda each: (-len(each.seeds), each.seeds))
    return ChanceOutcomes(max(runs, 1), tuple(ordered))


def _preempted(run: LabRun) -> tuple[str, ...]:
    trace = run.trace
    steps = (trace[index] for index in trace.of_kind("Evicted"))
    return tuple(sorted(step.workload for step in steps if getattr(step.facts, "preemptor", "")))


def _pending(run: LabRun) -> tuple[str, ...]:
    workloads = run.cluster.workloads.values()
    return tuple(
        sorted(
            each.key for each in workloads if not (each.has_quota_reservation or each.is_finished)
        )
    )
