"""The search for changes that would admit a workload; every one is simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Final

from kueuelab.collector import without_collection
from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Message
from kueuelab.simulation import Player
from kueuelab.whatif import amounts, policies, proposals
from kueuelab.whatif.change_sets import (
    Adjustment,
    ChangeSet,
    Part,
    Proposal,
    change_set_of,
    proposal_of,
)
from kueuelab.whatif.changes import LookAgain
from kueuelab.whatif.coverage import coverage, near_labels, uncounted
from kueuelab.whatif.evaluator import EnoughError, Evaluator, Good
from kueuelab.whatif.finishing import finishing
from kueuelab.whatif.moving import moving
from kueuelab.whatif.obstacles import obstacles
from kueuelab.whatif.on_the_dump import on_the_dump
from kueuelab.whatif.other_places import other_places, slice_sizes
from kueuelab.whatif.others import moved_quota, policies_of_others, weights
from kueuelab.whatif.quota_choices import MOST_FLAVORS, QuotaChoice, quota_choices
from kueuelab.whatif.replay import player_at
from kueuelab.whatif.report import Obstacle, Report, Suggestion
from kueuelab.whatif.sandbox import Sandbox, Trial, Trials
from kueuelab.whatif.subject import Subject
from kueuelab.whatif.suggestions import without_more_than_needed
from kueuelab.whatif.unblocking import unblocking

if TYPE_CHECKING:
    from kueuelab.whatif.lab import LabRun

__all__ = ["Search", "what_would_admit"]

#: So much of all trials is kept for combinations.
_FOR_COMBINATIONS: Final = 0.3
#: How many combinations are reported.
_MOST_COMBINATIONS: Final = 4

_NO_SEARCH: Final = ("finished", "admitted", "podsReady")


def what_would_admit(
    run: LabRun,
    workload: str,
    at: int | str | None = None,
    until: float | str | None = None,
    progress: Callable[[], object] | None = None,
) -> Report:
    """Search for changes by which a workload of a run would be admitted.

    Parameters
    ----------
    run
        The run.
    workload
        ``namespace/name``.
    at
        The step or the time at which the changes are made; the end of the run if omitted.
    until
        Up to which time after the start to look (``"1m30s"``, or seconds): a change counts if
        the workload is admitted by then, and sooner than without it. The time of the changes
        itself means: at once. By default it looks to the end of the run, or, in a large
        cluster, as far as that takes a few cycles; the report says how far that was.
    progress
        Called after each change that was simulated; in a large cluster each takes seconds.

    Raises
    ------
    UnknownObjectError
        If there is no such workload at that time.
    InputError
        If a time isn't one.
    """
    player = run.player if at is None else _player_at(run, at)
    if workload not in player.cluster.workloads:
        if workload in run.trace.workloads:
            unknown = Obstacle("unknown", Message("whatif.obstacle.unknown"))
            return Report(workload, (unknown,), (), 0)
        raise UnknownObjectError("workload", workload, player.cluster.workloads)
    with without_collection():
        moment = None if until is None else run.moment(until)
        if player.cluster.is_blocked:
            report = unblocking(lambda: _player_at(run, at), workload, moment)
        else:
            with Search(player, workload, moment, progress) as search:
                report = search.report()
    return on_the_dump(run, report) if at is None else report


def _player_at(run: LabRun, at: int | str | None) -> Player:
    fork = run.fork(at)
    return player_at(fork.spec, fork.earlier, fork.step, fork.time)


class Search:
    """One search.

    Parameters
    ----------
    player
        A run as it stands. It is left as it is.
    workload
        The workload that is to be admitted.
    until
        Up to which time to look, in nanoseconds since 1970; see :class:`Sandbox`.
    progress
        Called after each change that was simulated.
    """

    def __init__(
        self,
        player: Player,
        workload: str,
        until: int | None = None,
        progress: Callable[[], object] | None = None,
    ) -> None:
        self._workload = workload
        self._start = player.start
        self._lent = ExitStack()
        if player.cluster.is_blocked:
            self._subject = Subject(player.cluster, workload)
            return
        sandbox = Sandbox(player, workload, until)
        copy = self._lent.enter_context(sandbox.lend())
        self._search(sandbox, Subject(copy.cluster, workload), progress)

    def _search(
        self, sandbox: Trials, subject: Subject, progress: Callable[[], object] | None
    ) -> None:
        """Say where plans are tried, and where the workload that they are for waits."""
        self._sandbox = sandbox
        self._subject = subject
        fine = subject.cluster.configuration.fair_sharing_enabled
        self._evaluator = Evaluator(sandbox, fine=fine, progress=progress)
        #: Suggestions by their changes.
        self._found: dict[str, Suggestion] = {}
        #: Levers that don't help alone, as far as they go.
        self._weak: dict[Adjustment, None] = {}

    def __enter__(self) -> Search:
        return self

    def __exit__(self, *_: object) -> None:
        self._lent.close()

    def report(self) -> Report:
        """Search, and return what was found."""
        found = tuple(obstacles(self._subject))
        if any(each.kind in _NO_SEARCH for each in found):
            return Report(self._workload, found, (), 0)
        if self._subject.state.has_quota_reservation and not self._subject.state.is_evicted:
            return self._report_on_checks(found)
        unchanged = self._sandbox.unchanged
        if unchanged.lasts:
            # It waits for something that comes by itself.
            wait = Proposal("wait", Message("whatif.report.wait"), (), size=0.0)
            self._found["wait"] = self._suggestion(wait, unchanged)
        stale = self._looked_too_early()
        if stale is not None:
            text = Message("whatif.obstacle.stale")
            return self._report((*found, Obstacle("stale", text)), (stale,))
        complete = True
        if not unchanged.lasts or unchanged.time != self._sandbox.now:
            self._evaluator.hold_back(_FOR_COMBINATIONS)
            complete = self._noted(self._singles())
            self._evaluator.hold_back(0)
            complete = self._noted(self._combinations()) and complete and self._evaluator.exact
            complete = complete and not self._sandbox.gave_up
        needed = without_more_than_needed(list(self._found.values()))
        ranked = sorted(needed, key=lambda each: (*each.disturbance, each.time, each.text))
        return self._report(found, ranked, complete=complete)

    def _looked_too_early(self) -> Suggestion | None:
        """Return that Kueue has to look again, if nothing else is needed; or ``None``.

        Any other change would only seem to help then.
        """
        queue = self._subject.queue
        if queue is None or self._sandbox.unchanged.lasts:
            return None
        part = Part("lookAgain", (LookAgain(queue.name),), {"queue": queue.name}, size=0.0)
        plan = change_set_of(Adjustment(lambda _: part))
        with suppress(EnoughError):
            if self._evaluator.helps(plan):
                return self._suggestion(proposal_of(plan), self._evaluator.trial(plan))
        return None

    def _report(
        self, found: tuple[Obstacle, ...], ranked: Iterable[Suggestion], *, complete: bool = True
    ) -> Report:
        sandbox, start = self._sandbox, self._start
        until = None if sandbox.until is None else sandbox.until - start
        trials = self._evaluator.trials
        return Report(
            self._workload, found, tuple(ranked), trials, complete, sandbox.now - start, until
        )

    def _report_on_checks(self, found: tuple[Obstacle, ...]) -> Report:
        plan = change_set_of(proposals.checks(self._subject))
        proposal, trial = proposal_of(plan), self._evaluator.trial(plan)
        suggestions = (self._suggestion(proposal, trial),) if trial.admitted else ()
        return self._report(found, suggestions)

    # --- what was found ------------------------------------------------------------------------

    def _noted(self, plans: Iterator[ChangeSet]) -> bool:
        """Note the suggestions that plans make; tell whether all of them could be tried."""
        with suppress(EnoughError):
            for plan in plans:
                proposal = proposal_of(plan)
                trial = self._evaluator.trial(plan)
                if self._evaluator.helps(plan):
                    suggestion = self._suggestion(proposal, trial)
                    self._found.setdefault(repr(proposal.changes), suggestion)
            return True
        return False

    def _suggestion(self, proposal: Proposal, trial: Trial) -> Suggestion:
        cluster = self._subject.cluster
        states = [cluster.workloads[key] for key in trial.evicted if key in cluster.workloads]
        # One that gets quota only later loses it where it waits now.
        losing = {state.cluster_queue or cluster.plane.queue_of(state)[0] for state in states}
        return Suggestion(
            proposal.kind,
            proposal.text,
            proposal.changes,
            trial.evicted,
            tuple(sorted({*proposal.queues, *losing} - {""})),
            proposal.size,
            (trial.time or self._sandbox.now) - self._start,
        )

    # --- single adjustments ------------------------------------------------------------

    def _singles(self) -> Iterator[ChangeSet]:
        subject = self._subject
        counts = subject.node is not None and all(demand.flavors for demand in subject.demands)
        quotas = quota_choices(subject) if counts else []
        yield from self._all_that_help(proposals.remedies(subject))
        yield from self._all_that_help(coverage(subject))
        yield from self._alone(uncounted(subject))
        yield from self._all_that_help(near_labels(subject))
        yield from self._all_that_help(other_places(subject))
        yield from self._first_that_helps(slice_sizes(subject))
        yield from self._first_that_helps(slice_sizes(subject, larger=True))
        if counts and not self._evaluator.has_time:
            yield from self._likely(quotas[:1])
        yield from self._gentlest(policies.preemption(subject))
        yield from self._all_that_help(policies.policies(subject))
        if not counts:
            return
        yield from self._higher_priority()
        yield from self._more_quota(quotas[:1])
        yield from finishing(subject, self._evaluator)
        yield from moving(subject, self._evaluator)
        yield from self._smaller_job()
        yield from self._more_quota(quotas[1:])
        yield from self._looser_limits()
        yield from self._first_that_helps(policies.cohorts(subject))
        yield from self._alone(policies.order_and_preference(subject))
        yield from self._alone(weights(subject))
        yield from self._alone(policies_of_others(subject))
        for moved, guess in moved_quota(subject):
            plan = self._evaluator.enough((moved,), {moved: guess})
            if plan is not None and (found := self._evaluator.least(plan)) is not None:
                yield found

    def _likely(self, choices: list[QuotaChoice]) -> Iterator[ChangeSet]:
        """Yield what helps most often: in a large cluster there may be no time for more."""
        for choice in choices:
            adjustments, guess = choice.adjustments(self._subject)
            if guess and self._evaluator.helps(guess):
                yield from self._least(*adjustments, guess=guess)
        yield from self._higher_priority()

    def _all_that_help(self, adjustments: Iterable[Adjustment]) -> Iterator[ChangeSet]:
        for adjustment in adjustments:
            if self._evaluator.helps(change_set_of(adjustment)):
                yield change_set_of(adjustment)
            else:
                self._weak[adjustment] = None

    def _first_that_helps(self, adjustments: Iterable[Adjustment]) -> Iterator[ChangeSet]:
        for adjustment in adjustments:
            if self._evaluator.helps(change_set_of(adjustment)):
                yield change_set_of(adjustment)
                return

    def _gentlest(self, adjustments: Iterable[Adjustment]) -> Iterator[ChangeSet]:
        """Yield the least that each adjustment has to do."""
        for adjustment in adjustments:
            plans: list[ChangeSet] = [
                {adjustment: level} for level in range(1, adjustment.most + 1)
            ]
            if not self._evaluator.has_time and not self._evaluator.helps(plans[-1]):
                plans.clear()  # what is weaker hardly ever helps then
            helping = next((plan for plan in plans if self._evaluator.helps(plan)), None)
            if helping is None:
                self._weak[adjustment] = None
            else:
                yield helping

    def _alone(self, adjustments: Iterable[Adjustment]) -> Iterator[ChangeSet]:
        """Yield the least that each adjustment has to do; none is combined with others."""
        for adjustment in adjustments:
            plans = ({adjustment: level} for level in range(1, adjustment.most + 1))
            helping = next((plan for plan in plans if self._evaluator.helps(plan)), None)
            if helping is not None:
                yield helping

    def _least(
        self, *adjustments: Adjustment, guess: ChangeSet | None = None
    ) -> Iterator[ChangeSet]:
        """Yield the least of these adjustments that helps, then at once, then without evictions.

        The guess says how much will do most of the time.
        """
        if not adjustments:
            return
        judge = self._evaluator
        start = judge.enough(adjustments, guess or {}) or change_set_of(*adjustments)
        least = judge.least(start)
        if least is None:
            self._weak.update(dict.fromkeys(adjustments))
            return
        yield least
        if len(least) > 1:
            yield from self._each_alone(*adjustments)
        # In a large cluster it costs too much to look further.
        larger = [start, change_set_of(*adjustments)] if judge.has_time else [start]
        if not judge.helps_at_once(least):
            yield from self._first_least(larger, judge.helps_at_once)
        if judge.trial(least).evicted:
            yield from self._first_least(larger, judge.helps_without_evictions)

    def _first_least(self, plans: Iterable[ChangeSet], good: Good) -> Iterator[ChangeSet]:
        """Yield the least part of the first of some plans that does what is wanted."""
        found = next(filter(None, (self._evaluator.least(plan, good) for plan in plans)), None)
        if found is not None:
            yield found

    def _each_alone(self, *adjustments: Adjustment) -> Iterator[ChangeSet]:
        for adjustment in adjustments:
            if found := self._evaluator.least(change_set_of(adjustment)):
                yield found

    def _more_quota(self, choices: list[QuotaChoice]) -> Iterator[ChangeSet]:
        for choice in choices:
            adjustments, guess = choice.adjustments(self._subject)
            yield from self._least(*adjustments, guess=guess)

    def _higher_priority(self) -> Iterator[ChangeSet]:
        adjustment = amounts.priority(self._subject)
        if adjustment is not None:
            yield from self._least(adjustment)

    def _smaller_job(self) -> Iterator[ChangeSet]:
        subject = self._subject
        partial = amounts.partial(subject)
        for adjustment in (*([partial] if partial else []), *amounts.fewer_pods(subject)):
            if found := self._evaluator.least(change_set_of(adjustment)):
                yield found
        adjustments = amounts.less_per_pod(subject)
        if adjustments and (found := self._evaluator.least(change_set_of(*adjustments))):
            yield found

    def _looser_limits(self) -> Iterator[ChangeSet]:
        subject = self._subject
        for demand in subject.demands:
            for flavor in demand.flavors[:MOST_FLAVORS]:
                yield from self._least(*amounts.borrowing(subject, flavor, demand))
        yield from self._least(*amounts.lending(subject))

    # --- combinations --------------------------------------------------------------------------

    def _combinations(self) -> Iterator[ChangeSet]:
        """Yield adjustments that help together, of which none can be left out.

        Starts from all that don't help alone; then without one of those that were found, so
        that others have to do.
        """
        judge = self._evaluator
        here, elsewhere = self._pools()
        queue = [change_set_of(*pool) for pool in (here, [*here, *elsewhere]) if len(pool) > 1]
        seen: set[frozenset[Adjustment]] = set()
        reported = 0
        while queue and reported < _MOST_COMBINATIONS:
            start = queue.pop(0)
            if frozenset(start) in seen:
                continue
            seen.add(frozenset(start))
            found = judge.least(start)
            if found is None:
                continue
            reported += 1
            yield found
            queue += [{each: n for each, n in start.items() if each is not one} for one in found]

    def _pools(self) -> tuple[list[Adjustment], list[Adjustment]]:
        """Return what may be combined: where it queues, and what lets it queue elsewhere.

        Of those that lead to different queues, there is only the first.
        """
        here: list[Adjustment] = []
        elsewhere: dict[str, Adjustment] = {}
        for adjustment in self._weak:
            kind = adjustment.part(adjustment.most).kind
            if kind in proposals.ALTERNATIVES:
                elsewhere.setdefault(kind, adjustment)
            else:
                here.append(adjustment)
        return here, list(elsewhere.values())
