"""The search for changes that would admit a workload; every one is simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Final

from kueuelab.collector import without_collection
from kueuelab.errors import UnknownObjectError
from kueuelab.queues.admissibility import NEVER, backs_off_until
from kueuelab.simulation import Player
from kueuelab.whatif import amounts, proposals
from kueuelab.whatif.obstacles import obstacles
from kueuelab.whatif.proposals import Proposal
from kueuelab.whatif.replay import player_at
from kueuelab.whatif.report import Obstacle, Report, Suggestion
from kueuelab.whatif.sandbox import Sandbox, Trial
from kueuelab.whatif.subject import Subject
from kueuelab.whatif.words import words

if TYPE_CHECKING:
    from kueuelab.whatif.lab import LabRun

__all__ = ["Search", "what_would_admit"]

#: How many changes are simulated at most.
_MOST_TRIALS: Final = 150
#: With so many single changes that help, nobody asks for combinations.
_PLENTY: Final = 4
#: How many pairs are tried.
_MOST_PAIRS: Final = 24

_NO_SEARCH: Final = ("finished", "admitted", "podsReady")


def what_would_admit(run: LabRun, workload: str, at: int | str | None = None) -> Report:
    """Search for changes by which a workload of a run would be admitted.

    Parameters
    ----------
    run
        The run.
    workload
        ``namespace/name``.
    at
        The step or the time from which to look; the end of the run if omitted.
    """
    if at is None:
        player = run.player
    else:
        fork = run.fork(at)
        player = player_at(fork.spec, fork.earlier, fork.step, fork.time or 0)
    if workload not in player.cluster.workloads:
        if workload in run.trace.workloads:
            return Report(workload, (Obstacle("unknown", words().text("obstacle.unknown")),), (), 0)
        raise UnknownObjectError("workload", workload, player.cluster.workloads)
    with without_collection():
        return Search(player, workload).report()


class Search:
    """One search.

    Parameters
    ----------
    player
        A run as it stands. It is left as it is.
    workload
        Who is to be admitted.
    """

    def __init__(self, player: Player, workload: str) -> None:
        self._workload = workload
        state = player.cluster.workloads[workload]
        self._blocked = player.cluster.is_blocked
        until = backs_off_until(state)
        later = until if player.cluster.now < until < NEVER else None
        if self._blocked:
            self._subject = Subject(player.cluster, workload)
            return
        self._sandbox = Sandbox(player, workload, later)
        self._subject = Subject(self._sandbox.copy().cluster, workload)
        self._known: dict[str, bool] = {}
        self._told: set[str] = set()

    def report(self) -> Report:
        """Search, and return what was found."""
        found = tuple(obstacles(self._subject))
        if any(each.kind in _NO_SEARCH for each in found):
            return Report(self._workload, found, (), 0)
        if self._subject.state.has_quota_reservation and not self._subject.state.is_evicted:
            return self._report_on_checks(found)
        if self._sandbox.attempt(()).reserved:
            # It only waits for something that comes by itself.
            nothing = Suggestion("wait", words().text("report.wait"), (), size=0.0)
            return Report(self._workload, found, (nothing,), self._sandbox.trials)
        suggestions = list(self._verified(self._singles()))
        if len(suggestions) < _PLENTY:
            suggestions += self._verified(self._combinations(suggestions))
        suggestions.sort(key=lambda each: (*each.disturbance, each.text))
        return Report(self._workload, found, tuple(suggestions), self._sandbox.trials)

    def _report_on_checks(self, found: tuple[Obstacle, ...]) -> Report:
        proposal = proposals.checks(self._subject)
        trial = self._sandbox.attempt(proposal.changes)
        suggestions = (self._suggestion(proposal, trial),) if trial.admitted else ()
        return Report(self._workload, found, suggestions, self._sandbox.trials)

    # --- trying out --------------------------------------------------------------------------

    def works(self, proposal: Proposal) -> bool:
        """Tell whether a change admits the workload; ``False`` when enough was tried."""
        key = repr(proposal.changes)
        if key not in self._known:
            if self._sandbox.trials >= _MOST_TRIALS:
                return False
            self._known[key] = self._sandbox.attempt(proposal.changes, briefly=True).reserved
        return self._known[key]

    def _pods(self, proposal: Proposal) -> Mapping[str, int]:
        trial = self._sandbox.attempt(proposal.changes, briefly=True)
        return dict(trial.pods) if trial.reserved else {}

    def _verified(self, found: Iterator[Proposal]) -> Iterator[Suggestion]:
        """Yield what admits the workload for good, with whom it evicts."""
        for proposal in found:
            if repr(proposal.changes) in self._told:
                continue
            self._told.add(repr(proposal.changes))
            trial = self._sandbox.attempt(proposal.changes)
            if trial.reserved and not trial.looped:
                yield self._suggestion(proposal, trial)

    def _suggestion(self, proposal: Proposal, trial: Trial) -> Suggestion:
        workloads = self._subject.cluster.workloads
        evicted = [key for key in trial.evicted if key != self._workload]
        losing = {workloads[key].cluster_queue for key in evicted if key in workloads}
        queues = tuple(sorted({*proposal.queues, *losing} - {""}))
        return Suggestion(
            proposal.kind,
            proposal.text,
            proposal.changes,
            tuple(evicted),
            queues,
            proposal.size,
        )

    # --- what to try ---------------------------------------------------------------------------

    def _singles(self) -> Iterator[Proposal]:
        subject, works = self._subject, self.works
        yield from (each for each in proposals.remedies(subject) if works(each))
        for group in proposals.policies(subject):
            yield from _first(group, works)
        if subject.node is None or not all(demand.flavors for demand in subject.demands):
            return
        yield from (each for each in proposals.finishing(subject) if works(each))
        yield from amounts.quotas(subject, works)
        yield from amounts.limits(subject, works)
        yield from amounts.lending(subject, works)
        yield from amounts.priorities(subject, works)
        yield from amounts.smaller(subject, works, self._pods)

    def _combinations(self, found: list[Suggestion]) -> Iterator[Proposal]:
        """Yield pairs of changes that help together but not alone."""
        subject = self._subject
        pool = [each for each in proposals.remedies(subject) if not self.works(each)]
        pool += [
            group[-1]
            for group in proposals.policies(subject)
            if group and not any(map(self.works, group))
        ]
        pool += self._loosened()
        helped = {suggestion.kind for suggestion in found}
        pool = [each for each in pool if each.kind not in helped or each.kind == "preemption"]
        if len(pool) < 2 or not self._together(pool):
            return
        pairs = list(combinations(pool, 2))[:_MOST_PAIRS]
        yield from (pair for pair in map(_joined, pairs) if self.works(pair))

    def _together(self, pool: list[Proposal]) -> bool:
        """Tell whether there is hope: all changes at once, or at least some pair."""
        return len(pool) <= 4 or self.works(_joined(pool))

    def _loosened(self) -> Iterator[Proposal]:
        """Yield limits taken away and priorities raised that don't help alone."""
        tried: list[Proposal] = []

        def note(proposal: Proposal) -> bool:
            tried.append(proposal)
            return False

        subject = self._subject
        if subject.node is None or not all(demand.flavors for demand in subject.demands):
            return
        for explore in (amounts.limits, amounts.lending, amounts.priorities):
            tried.clear()
            for _ in explore(subject, note):
                pass
            if tried and not self.works(tried[-1]):
                yield tried[-1]


def _first(group: list[Proposal], works: Callable[[Proposal], bool]) -> list[Proposal]:
    return next(([each] for each in group if works(each)), [])


def _joined(parts: tuple[Proposal, ...] | list[Proposal]) -> Proposal:
    return Proposal(
        "+".join(dict.fromkeys(part.kind for part in parts)),
        words().join([part.text for part in parts]),
        tuple(change for part in parts for change in part.changes),
        tuple(sorted({name for part in parts for name in part.queues})),
        sum(part.size for part in parts),
    )
