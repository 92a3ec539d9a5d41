"""The order of fair sharing: a tournament in each cohort tree finds the next entry (KEP-1714).

In each cohort, from the leaves up, the child with the smallest share wins, its entry's request
included. Processing a winner changes usage only on the way from its ClusterQueue to the root. So
only the cohorts on that way compare anew; the winners of all other cohorts stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from math import inf
from typing import Any, TypeAlias

from kueuelab.frozen import EMPTY
from kueuelab.model import Configuration, FlavorResource
from kueuelab.quota import CohortNode, Node, Share, share_with
from kueuelab.scheduler.chances import Chances
from kueuelab.scheduler.entry import Entry
from kueuelab.trace import steps
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import queue_order_timestamp

__all__ = ["Tournament", "by_share"]

#: An entry that lost: its key, the winner's, the cohort, the rule, and both shares there.
_Lost: TypeAlias = tuple[str, str, str, str, float, float]


@dataclass(frozen=True, slots=True)
class _Finalist:
    """The winner of one child of a cohort, and the child's share with the entry's request.

    ``rank`` has what the rules compare, in their order.
    """

    entry: Entry
    child: Node
    share: Share
    rank: tuple[Any, ...]


#: The rank and, among equals, the position of the child; the smallest wins.
_Place: TypeAlias = tuple[tuple[Any, ...], int, _Finalist]


class Tournament:
    """The entries of one cohort tree that are not processed yet.

    Attributes
    ----------
    rules
        The names of the rules, in the order in which they compare.
    """

    def __init__(
        self,
        root: CohortNode,
        contenders: Sequence[Entry],
        configuration: Configuration,
        chances: Chances,
    ) -> None:
        gates = configuration.gates
        self._chances = chances
        self._root = root
        self._configuration = configuration
        self._prefers_preemptors = gates["PrioritizePreemptorWorkloads"]
        self._prefers_non_borrowing = gates["FairSharingPrioritizeNonBorrowing"]
        self._sorts_by_priority = gates["PrioritySortingWithinCohort"]
        rules = {
            "preemptor": self._prefers_preemptors,
            "not-borrowing": self._prefers_non_borrowing,
            "smaller-share": True,
            "priority": self._sorts_by_priority,
            "queued-earlier": True,
        }
        self.rules = tuple(name for name, counts in rules.items() if counts)
        #: A heap for each cohort with contenders below it.
        self._finalists: dict[CohortNode, list[_Place]] = {}
        self._waiting = {entry.cluster_queue: entry for entry in contenders}
        self._fill(root)

    @property
    def winner(self) -> Entry:
        """The next entry."""
        return self._finalists[self._root][0][2].entry

    def remove_winner(self) -> None:
        """Remove the winner once it is processed, and compare anew on its way to the root."""
        winner = self.winner
        del self._waiting[winner.cluster_queue]
        below: list[_Place] = []
        for cohort in winner.node.ancestors():
            places = self._finalists[cohort]
            # It won in each of these cohorts, so that it is the first of each heap.
            _, position, beaten = places[0]
            if below:
                heapreplace(places, self._place(position, beaten.child, below[0][2].entry))
            else:
                heappop(places)
            below = places

    def _fill(self, cohort: CohortNode) -> Entry | None:
        """Return the winner of a cohort's subtree, if it has contenders."""
        # Cohorts come before ClusterQueues, each in random order: among equals the first wins.
        in_order = self._chances.in_order
        children: list[tuple[Node, Entry | None]] = [
            *((child, self._fill(child)) for child in in_order(cohort.sorted_cohorts)),
            *((queue, self._waiting.get(queue.name)) for queue in in_order(cohort.sorted_queues)),
        ]
        places = [
            self._place(position, child, entry)
            for position, (child, entry) in enumerate(children)
            if entry is not None
        ]
        if not places:
            return None
        heapify(places)
        self._finalists[cohort] = places
        return places[0][2].entry

    def _place(self, position: int, child: Node, entry: Entry) -> _Place:
        share = _share_with(entry, child)
        # Among nodes of weight 0 that borrow, the ratio decides.
        size = share.weighted
        rank: list[Any] = [not entry.is_preemptor] if self._prefers_preemptors else []
        if self._prefers_non_borrowing:
            rank.append(share.borrows_on(_usage(entry)))
        rank.append((size, share.ratio if size == inf else 0.0))
        if self._sorts_by_priority:
            rank.append(-entry.workload.priority)
        rank.append(queue_order_timestamp(entry.workload, self._configuration))
        finalist = _Finalist(entry, child, share, tuple(rank))
        return finalist.rank, position, finalist

    # --- for the record ----------------------------------------------------------------

    def contenders(self) -> list[tuple[str, float]]:
        """Return the entries with the share of their branch below the root."""
        found = []
        for queue in self._root.cluster_queues():
            entry = self._waiting.get(queue.name)
            if entry is not None:
                nodes: list[Node] = [queue, *queue.ancestors()]
                found.append((entry.key, _share_with(entry, nodes[-2]).weighted))
        return found

    def finals(self, cohort: CohortNode) -> Iterator[tuple[CohortNode, list[_Finalist]]]:
        """Yield the cohorts of a subtree with their finalists, the lowest cohorts first."""
        for child in cohort.sorted_cohorts:
            yield from self.finals(child)
        if places := self._finalists.get(cohort):
            yield cohort, [place[2] for place in sorted(places, key=lambda place: place[1])]

    def decisive_rule(self, one: _Finalist, other: _Finalist) -> str:
        """Return the rule that tells two finalists apart."""
        ranks = zip(self.rules, one.rank, other.rank, strict=True)
        return next((rule for rule, left, right in ranks if left != right), self.rules[-1])


def _usage(entry: Entry) -> Mapping[FlavorResource, int]:
    """Return what admitting an entry would use in addition."""
    assert entry.assignment is not None
    return EMPTY if entry.workload.has_quota_reservation else entry.assignment.usage


def _share_with(entry: Entry, node: Node) -> Share:
    """Return the share of a node at or above the entry's ClusterQueue, its request included."""
    at: Node = entry.node
    more = _usage(entry)
    while at is not node:
        assert at.parent is not None
        more = at.beyond_local_quota(more)
        at = at.parent
    return share_with(node, more)


def by_share(
    entries: list[Entry],
    configuration: Configuration,
    recorder: Recorder | None = None,
    chances: Chances | None = None,
) -> Iterator[Entry]:
    """Yield ``entries`` in the order of fair sharing; usage of processed entries counts.

    Kueue does not define which of several independent trees is next; without a seed for chance it
    is the tree of the ClusterQueue whose name comes first.
    """
    chances = chances or Chances()
    waiting = {entry.cluster_queue: entry for entry in entries}
    trees: dict[Node, list[Entry]] = {}
    for entry in waiting.values():
        trees.setdefault(entry.node.root, []).append(entry)
    tournaments: dict[Node, Tournament] = {}
    for name in chances.in_order(sorted(waiting)):
        while name in waiting:
            root = waiting[name].node.root
            if not isinstance(root, CohortNode):
                yield waiting.pop(name)
                continue
            tournament = tournaments.get(root)
            if tournament is None:
                tournament = tournaments[root] = Tournament(
                    root, trees[root], configuration, chances
                )
            winner = tournament.winner
            if recorder is not None:
                _record(recorder, tournament, root, winner, configuration)
            yield waiting.pop(winner.cluster_queue)
            tournament.remove_winner()


def _record(
    recorder: Recorder,
    tournament: Tournament,
    root: CohortNode,
    winner: Entry,
    configuration: Configuration,
) -> None:
    """Record which one won and where the others lost, if there were others."""
    lost: list[_Lost] = []
    rivals: list[tuple[tuple[Any, ...], int, _Finalist, str]] = []
    contenders = tournament.contenders()
    order = {key: position for position, (key, _) in enumerate(contenders)}
    for cohort, finalists in tournament.finals(root):
        best = min(finalists, key=lambda finalist: finalist.rank)
        losers = [each for each in finalists if each is not best]
        rules = [tournament.decisive_rule(best, each) for each in losers]
        lost += [
            (
                each.entry.key,
                best.entry.key,
                cohort.name,
                rule,
                best.share.weighted,
                each.share.weighted,
            )
            for each, rule in zip(losers, rules, strict=True)
        ]
        if best.entry is winner and losers:
            # The rival is the best that lost to the winner in the highest cohort they met in.
            rivals = [
                (each.rank, order[each.entry.key], each, rule)
                for each, rule in zip(losers, rules, strict=True)
            ]
    if not lost:
        return
    _, _, rival, why = min(rivals)
    recorder.record(
        steps.TournamentWon(
            winner.key,
            tuple(contenders),
            why,
            rival.entry.key,
            {each.key: each.numbers(configuration) for each in (winner, rival.entry)},
            tuple(lost),
        ),
        winner.key,
        winner.cluster_queue,
    )
