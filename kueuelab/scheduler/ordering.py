"""The order in which entries are processed: the fourth step of a scheduling cycle.

Without fair sharing they are sorted once. With fair sharing, a tournament in each cohort
tree decides which entry is next, every time (KEP-1714).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cmp_to_key
from itertools import pairwise
from typing import Final

from kueuelab.model import Configuration, FlavorResource
from kueuelab.quota import (
    CohortNode,
    QuotaTree,
    Share,
    compare_shares,
    dominant_resource_share,
)
from kueuelab.scheduler.entry import Entry
from kueuelab.trace import steps
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import queue_order_timestamp

__all__ = ["by_priority", "by_share", "in_order"]

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
    tree: QuotaTree,
    configuration: Configuration,
    recorder: Recorder | None = None,
) -> Iterator[Entry]:
    """Yield ``entries`` in the order in which they are processed.

    With fair sharing the order depends on what was processed before: each entry is found
    only when it is asked for.
    """
    if configuration.fair_sharing is None:
        return by_priority(entries, configuration, recorder)
    return by_share(entries, tree, configuration, recorder)


def by_priority(
    entries: list[Entry], configuration: Configuration, recorder: Recorder | None = None
) -> Iterator[Entry]:
    """Sort ``entries`` in place and yield them.

    Entries with a quota reservation come first, then those that borrow less, then those of
    higher priority, then those that queue longer.
    """
    if len(entries) < 2 and recorder is None:
        yield from entries
        return
    rules = _rules(configuration)
    entries.sort(key=lambda entry: tuple(value(entry) for _, value in rules))
    if recorder is not None:
        why = tuple(
            next((name for name, value in rules if value(a) != value(b)), "as-taken")
            for a, b in pairwise(entries)
        )
        recorder.record(
            steps.EntriesOrdered(
                tuple(entry.key for entry in entries),
                why,
                tuple(_numbers(entry, configuration) for entry in entries),
            )
        )
    yield from entries


def _numbers(entry: Entry, configuration: Configuration) -> dict[str, int]:
    return {
        "borrowing": entry.borrowing,
        "priority": entry.workload.priority,
        "queuedAt": queue_order_timestamp(entry.workload, configuration),
    }


class _Shares:
    """Shares from each entry's ClusterQueue up to the root, with the entry's request included."""

    def __init__(self, tree: QuotaTree, contenders: Sequence[Entry]) -> None:
        self._shares: dict[tuple[str, str], Share] = {}
        self._requests: dict[str, dict[FlavorResource, int]] = {}
        for entry in contenders:
            self._compute(tree, entry)

    def _compute(self, tree: QuotaTree, entry: Entry) -> None:
        queue, assignment = entry.queue, entry.assignment
        assert queue is not None
        assert assignment is not None
        usage = {} if entry.workload.has_quota_reservation else assignment.usage
        mark = tree.mark()
        tree.add_usage(queue, usage)
        self._requests[entry.key] = usage
        share = dominant_resource_share(queue)
        for cohort in queue.ancestors():
            self._shares[cohort.name, entry.key] = share
            share = dominant_resource_share(cohort)
        tree.undo(mark)

    def at(self, cohort: CohortNode, entry: Entry) -> Share:
        """Return the share that is compared among the children of ``cohort``."""
        return self._shares[cohort.name, entry.key]

    def borrows(self, cohort: CohortNode, entry: Entry) -> bool:
        """Tell whether the entry's branch below ``cohort`` borrows what the entry requests."""
        return self.at(cohort, entry).borrows_on(self._requests[entry.key])


#: An entry that lost, the entry that won, in which cohort, by which rule, and both shares.
_Lost = tuple[str, str, str, str, float, float]


class _Tournament:
    """Finds the next entry: in each cohort, from the leaves up, the smallest share wins."""

    def __init__(self, configuration: Configuration, shares: _Shares) -> None:
        self._configuration = configuration
        self._shares = shares

    def winner(
        self, cohort: CohortNode, waiting: dict[str, Entry], lost: list[_Lost] | None = None
    ) -> Entry | None:
        """Return the next entry of ``cohort``'s subtree, if it has one.

        ``lost``, if given, receives the entries that lose.
        """
        finalists = [
            winner
            for child in cohort.sorted_cohorts
            if (winner := self.winner(child, waiting, lost)) is not None
        ]
        finalists += [
            waiting[queue.name] for queue in cohort.sorted_queues if queue.name in waiting
        ]
        if not finalists:
            return None
        # The first of equal entries wins.
        best = finalists[0]
        for entry in finalists[1:]:
            if self.compare(entry, best, cohort)[0] < 0:
                best = entry
        if lost is not None:
            lost += [self._lost(each, best, cohort) for each in finalists if each is not best]
        return best

    def _lost(self, loser: Entry, winner: Entry, cohort: CohortNode) -> _Lost:
        return (
            loser.key,
            winner.key,
            cohort.name,
            self.compare(winner, loser, cohort)[1],
            self._shares.at(cohort, winner).weighted,
            self._shares.at(cohort, loser).weighted,
        )

    def compare(self, left: Entry, right: Entry, cohort: CohortNode) -> tuple[int, str]:
        """Return which goes first (negative: ``left``), and the rule that says so."""
        gates = self._configuration.gates
        shares = self._shares
        if gates["PrioritizePreemptorWorkloads"] and left.is_preemptor != right.is_preemptor:
            return right.is_preemptor - left.is_preemptor, "preemptor"
        if gates["FairSharingPrioritizeNonBorrowing"]:
            borrowing = shares.borrows(cohort, left) - shares.borrows(cohort, right)
            if borrowing:
                return borrowing, "not-borrowing"
        order = compare_shares(shares.at(cohort, left), shares.at(cohort, right))
        if order:
            return order, "smaller-share"
        if gates["PrioritySortingWithinCohort"]:
            difference = right.workload.priority - left.workload.priority
            if difference:
                return difference, "priority"
        return _age(left, self._configuration) - _age(right, self._configuration), "queued-earlier"

    def numbers(self, entry: Entry) -> dict[str, int]:
        """Return what is compared besides shares, for the record."""
        return _numbers(entry, self._configuration)


def _age(entry: Entry, configuration: Configuration) -> int:
    return queue_order_timestamp(entry.workload, configuration)


def by_share(
    entries: list[Entry],
    tree: QuotaTree,
    configuration: Configuration,
    recorder: Recorder | None = None,
) -> Iterator[Entry]:
    """Yield ``entries`` in the order of fair sharing; usage of processed entries counts.

    Kueue does not define which of several independent trees is next; here it is the tree of
    the ClusterQueue whose name comes first.
    """
    waiting = {entry.cluster_queue: entry for entry in entries}
    while waiting:
        first = waiting[min(waiting)]
        assert first.queue is not None
        root = first.queue.root
        if not isinstance(root, CohortNode):
            yield waiting.pop(first.cluster_queue)
            continue
        contenders = [
            waiting[queue.name] for queue in root.cluster_queues() if queue.name in waiting
        ]
        shares = _Shares(tree, contenders)
        tournament = _Tournament(configuration, shares)
        lost: list[_Lost] | None = None if recorder is None else []
        winner = tournament.winner(root, waiting, lost)
        assert winner is not None
        if recorder is not None and lost:
            _record_tournament(recorder, tournament, shares, root, winner, contenders, lost)
        yield waiting.pop(winner.cluster_queue)


def _record_tournament(
    recorder: Recorder,
    tournament: _Tournament,
    shares: _Shares,
    root: CohortNode,
    winner: Entry,
    contenders: Sequence[Entry],
    lost: Sequence[_Lost],
) -> None:
    # The rival is the best entry that lost to the winner in the highest cohort they met in.
    met = [each for each in lost if each[1] == winner.key]
    beaten = {each[0]: each[3] for each in met if each[2] == met[-1][2]}
    assert winner.queue is not None
    cohort = next(each for each in winner.queue.ancestors() if each.name == met[-1][2])

    def order(left: Entry, right: Entry) -> int:
        return tournament.compare(left, right, cohort)[0]

    rivals = (entry for entry in contenders if entry.key in beaten)
    rival = min(rivals, key=cmp_to_key(order))
    recorder.record(
        steps.TournamentWon(
            winner.key,
            tuple((entry.key, shares.at(root, entry).weighted) for entry in contenders),
            beaten[rival.key],
            rival.key,
            {each.key: tournament.numbers(each) for each in (winner, rival)},
            tuple(lost),
        ),
        winner.key,
        winner.cluster_queue,
    )


#: The names of the rules that order entries, for the message catalogue.
ORDER_RULES: Final = (
    "quota-already-reserved",
    "preemptor",
    "borrows-less",
    "not-borrowing",
    "smaller-share",
    "priority",
    "queued-earlier",
    "as-taken",
)
