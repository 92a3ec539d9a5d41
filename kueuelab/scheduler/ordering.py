"""The order in which entries are processed: the fourth step of a scheduling cycle.

Without fair sharing they are sorted once. With fair sharing, a tournament in each cohort
tree decides which entry is next, every time (KEP-1714).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from kueuelab.model import Configuration
from kueuelab.scheduler.chances import Chances
from kueuelab.scheduler.entry import Entry
from kueuelab.scheduler.tournament import by_share
from kueuelab.trace import steps
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import queue_order_timestamp

__all__ = ["by_priority", "in_order"]

#: A rule for ordering: its name and what it compares; the smaller value goes first.
_Rule = tuple[str, Callable[[Entry], int]]


def _rules(configuration: Configuration) -> tuple[_Rule, ...]:
    gates = configuration.gates
    rules: list[_Rule] = [
        ("quota-already-reserved", lambda e: not e.workload.has_quota_reservation)
    ]
    if gates["PrioritizePreemptorWorkloads"]:
        rules.append(("preemptor", lambda e: not e.is_preemptor))
    rules.append(("borrows-less", lambda e: e.borrowing))
    if gates["PrioritySortingWithinCohort"]:
        rules.append(("priority", lambda e: -e.workload.priority))
    rules.append(("queued-earlier", lambda e: queue_order_timestamp(e.workload, configuration)))
    return tuple(rules)


def in_order(
    entries: list[Entry],
    configuration: Configuration,
    recorder: Recorder | None = None,
    chances: Chances | None = None,
) -> Iterator[Entry]:
    """Yield ``entries`` in the order in which they are processed.

    ``chances`` decide what the rules leave open. With fair sharing the order depends on what was
    processed before: each entry is found only when it is asked for.
    """
    chances = chances or Chances()
    if configuration.fair_sharing is None:
        if chances.seed is not None:
            entries[:] = chances.in_order(entries)
        if len(entries) < 2 and recorder is None:
            return iter(entries)
        return by_priority(entries, configuration, recorder)
    return by_share(entries, configuration, recorder, chances)


def by_priority(
    entries: list[Entry], configuration: Configuration, recorder: Recorder | None = None
) -> Iterator[Entry]:
    """Sort ``entries`` in place and yield them.

    Entries with a quota reservation come first, then those that borrow less, then those of
    higher priority, then those that queue longer.
    """
    rules = _rules(configuration)
    # Sorts are stable: the rule that counts least goes first, and none makes a list per entry.
    for _, value in reversed(rules):
        entries.sort(key=value)
    if recorder is not None:
        names = [name for name, _ in rules]
        ranks = [[value(entry) for _, value in rules] for entry in entries]
        recorder.record(
            steps.EntriesOrdered(
                tuple([entry.workload.key for entry in entries]),
                tuple([_first_difference(names, a, b) for a, b in pairwise(ranks)]),
                tuple([entry.numbers(configuration) for entry in entries]),
            )
        )
    yield from entries


def _first_difference(names: list[str], one: list[int], other: list[int]) -> str:
    """Return the first rule by which two entries differ."""
    for name, value, other_value in zip(names, one, other, strict=True):
        if value != other_value:
            return name
    return "as-taken"
