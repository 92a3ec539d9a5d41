"""The decisions of a run that Kueue leaves to chance, read from its trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from kueuelab.messages import Message, listed
from kueuelab.trace import steps
from kueuelab.trace.trace import Trace

__all__ = ["Chance", "chances", "chances_of"]

#: The steps that show a chance.
_KINDS: Final = ("EntriesOrdered", "TournamentWon", "CohortsTied")


@dataclass(frozen=True, slots=True)
class Chance:
    """A decision that Kueue leaves to chance.

    Attributes
    ----------
    step
        The step of the trace.
    time
        When it was made, in nanoseconds since 1970.
    kind
        ``"order"``: entries that are processed in any order; ``"cohort"``: cohorts with the same
        share, one of which gives targets.
    workload
        The preemptor that targets are searched for; ``""`` for an order.
    outcomes
        What could have come first, by name.
    chosen
        What came first in this run.

    Examples
    --------
    >>> print(Chance(7, 0, "order", "", ("default/a", "default/b"), "default/a"))
    step 7: default/a and default/b are equal for Kueue: default/a went first by chance
    """

    step: int
    time: int
    kind: str
    workload: str
    outcomes: tuple[str, ...]
    chosen: str

    def __str__(self) -> str:
        return str(self.as_text())

    def as_text(self) -> str:
        """Return what was equal, and what was taken."""
        return Message(
            f"trace.chance.{self.kind}",
            step=self.step,
            outcomes=listed(self.outcomes),
            chosen=self.chosen,
            workload=self.workload,
        )


def chances(trace: Trace) -> tuple[Chance, ...]:
    """Return the decisions that Kueue leaves to chance, in order.

    Entries of ClusterQueues in different cohort trees do not matter to each other, so that their
    order is none of them.
    """
    places = sorted(index for kind in _KINDS for index in trace.of_kind(kind))
    return tuple(chances_of(trace, places))


def chances_of(trace: Trace, steps_: Iterable[int]) -> Iterator[Chance]:
    """Yield the decisions that Kueue leaves to chance at some steps, in their order."""
    for index in steps_:
        yield from _of_step(trace, index)


def _of_step(trace: Trace, index: int) -> Iterator[Chance]:
    step = trace[index]
    facts = step.facts
    match facts:
        case steps.CohortsTied(tied=tied, chosen=chosen):
            yield Chance(index, step.time, "cohort", step.workload, tied, chosen)
        case steps.EntriesOrdered(entries=entries, why=why):
            for group in _equal(entries, why):
                for equal in _by_tree(trace, index, group).values():
                    if len(equal) > 1:
                        outcomes = tuple(sorted(equal))
                        yield Chance(index, step.time, "order", "", outcomes, equal[0])
        case steps.TournamentWon():
            yield from _of_tournament(index, step.time, facts)


def _equal(entries: tuple[str, ...], why: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield the groups of entries that no rule tells apart."""
    if not entries:
        return
    group = [entries[0]]
    for (_, entry), rule in zip(pairwise(entries), why, strict=False):
        if rule == "as-taken":
            group.append(entry)
            continue
        yield group
        group = [entry]
    yield group


def _by_tree(trace: Trace, index: int, group: list[str]) -> dict[str, list[str]]:
    """Return entries by the root cohort of the ClusterQueue that they wait in."""
    found: dict[str, list[str]] = {}
    if len(group) < 2:
        return found
    state = trace.state_at(index)
    for key in group:
        queue = state.workload(key).cluster_queue
        found.setdefault(state.root_of(queue), []).append(key)
    return found


def _of_tournament(index: int, time: int, facts: steps.TournamentWon) -> Iterator[Chance]:
    """Yield a chance if no rule tells the winner from its rival."""
    numbers = facts.numbers
    winner, rival = numbers.get(facts.winner), numbers.get(facts.rival)
    if winner is None or rival is None or facts.why != "queued-earlier":
        return
    if winner["queuedAt"] == rival["queuedAt"]:
        outcomes = tuple(sorted((facts.winner, facts.rival)))
        yield Chance(index, time, "order", "", outcomes, facts.winner)
