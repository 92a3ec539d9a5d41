"""The judge: simulates plans, and finds the smallest of a kind that does it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Final

from kueuelab.whatif.change_sets import Adjustment, ChangeSet, change_set_of, proposal_of
from kueuelab.whatif.sandbox import Trial, Trials

__all__ = ["EnoughError", "Evaluator", "Good", "smallest"]

#: How many trials at most, and how much work they may be together (:attr:`Sandbox.work`): a
#: trial takes the longer the larger the cluster is, and the longer the run goes on. The last one
#: is for clusters that are so large that a trial takes seconds.
_MOST_TRIALS: Final = 800
_MOST_WORK: Final = 60_000
_FEWEST_TRIALS: Final = 40
_MOST_WORK_IF_HUGE: Final = 300_000
#: Clusters with no more workloads than this are small: little is saved by trying less.
_SMALL: Final = 60
#: Which part of all trials may go into showing that less of one adjustment does not do.
_PART_FOR_LESS: Final = 0.15
_PART_FOR_LESS_IF_LARGE: Final = 0.03

#: Tells whether a plan does what is wanted.
Good = Callable[[ChangeSet], bool]


class EnoughError(Exception):
    """So many changes were simulated that the search ends."""


def smallest(works: Callable[[int], bool], low: int, high: int) -> int:
    """Return the smallest number above ``low`` that works, where ``high`` does.

    What comes right before it doesn't work, even where larger numbers don't always.

    Examples
    --------
    >>> smallest(lambda number: number >= 37, 0, 100)
    37
    """
    while high - low > 1:
        middle = (low + high) // 2
        if works(middle):
            high = middle
        else:
            low = middle
    return high


class Evaluator:
    """Says of plans whether they admit the workload, by simulating them.

    Parameters
    ----------
    sandbox
        Where plans are tried.
    fine
        Whether what happens may change between the steps of adjustments, too.
    progress
        Called after each plan that was simulated.

    Attributes
    ----------
    exact
        Whether all that is smaller than what was found was shown not to do, so far.
    """

    def __init__(
        self,
        sandbox: Trials,
        *,
        fine: bool = False,
        progress: Callable[[], object] | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._fine = fine
        self._progress = progress
        self._trials: dict[str, Trial] = {repr(()): sandbox.unchanged}
        most = _FEWEST_TRIALS * sandbox.workloads
        self._is_huge = most > _MOST_WORK_IF_HUGE
        self._most_work = max(_MOST_WORK, min(most, _MOST_WORK_IF_HUGE))
        self._part = 1.0
        self.exact = True

    @property
    def trials(self) -> int:
        """How many changes were simulated."""
        return self._sandbox.trials - 1

    @property
    def has_time(self) -> bool:
        """Whether the cluster is so small that little is saved by trying less."""
        return self._sandbox.workloads <= _SMALL

    def hold_back(self, part: float) -> None:
        """Keep a part of all trials for later, unless there are very few; 0 gives them back."""
        self._part = 1.0 if self._is_huge else 1 - part

    @property
    def _spent(self) -> float:
        """Which part of what may be tried was tried."""
        sandbox = self._sandbox
        return max(sandbox.trials / _MOST_TRIALS, sandbox.work / self._most_work)

    @property
    def _spent_on_one(self) -> float:
        return self._spent / max(1, self._sandbox.trials)

    def trial(self, plan: ChangeSet) -> Trial:
        """Return what comes of a plan."""
        changes = proposal_of(plan).changes
        key = repr(changes)
        if key not in self._trials:
            if self._spent >= self._part:
                raise EnoughError
            self._trials[key] = self._sandbox.attempt(changes)
            if self._progress is not None:
                self._progress()
        return self._trials[key]

    def helps(self, plan: ChangeSet) -> bool:
        """Tell whether the workload is admitted, and sooner than if nothing is changed."""
        trial, unchanged = self.trial(plan), self._sandbox.unchanged
        if trial.time is None or not trial.lasts:
            return False
        return not unchanged.lasts or unchanged.time is None or trial.time < unchanged.time

    def helps_at_once(self, plan: ChangeSet) -> bool:
        """Tell whether it is admitted without any time passing."""
        return self.helps(plan) and self.trial(plan).time == self._sandbox.now

    def helps_without_evictions(self, plan: ChangeSet) -> bool:
        """Tell whether it helps, and nothing is evicted for it."""
        return self.helps(plan) and not self.trial(plan).evicted

    # --- the smallest ------------------------------------------------------------------------

    def enough(self, adjustments: Iterable[Adjustment], guess: ChangeSet) -> ChangeSet | None:
        """Return a plan that helps, not much larger than need be; ``None`` if none does.

        The guess is right most of the time. If it isn't, there is more and more.
        """
        plan = dict(guess)
        while plan:
            if self.helps(plan):
                return plan
            more = {
                adjustment: min(2 * amount, adjustment.most) for adjustment, amount in plan.items()
            }
            if more == plan:
                break
            plan = more
        most = change_set_of(*adjustments)
        return most if most and self.helps(most) else None

    def least(self, plan: ChangeSet, good: Good | None = None) -> ChangeSet | None:
        """Return a part of a plan that does it, and no part of which does.

        No adjustment in it can be left out, or made any smaller. The plan itself has to do it,
        unless it is one adjustment: less of that may do it where more doesn't.

        Parameters
        ----------
        plan
            The adjustments, and how far they may go.
        good
            What it is to do: to help if omitted.
        """
        good = good or self.helps
        if not plan:
            return None
        if not good(plan):
            if len(plan) > 1:
                return None
            ((adjustment, amount),) = plan.items()
            less = self._less(adjustment, {}, [0, amount], good)
            return {adjustment: less} if less else None
        return self._reduced(plan, good)

    def _reduced(self, plan: ChangeSet, good: Good) -> ChangeSet:
        found = dict(plan)
        changed = True
        while changed:
            changed = False
            for adjustment in list(found):
                amount = self._least_of(adjustment, found, good)
                if amount == found[adjustment]:
                    continue
                changed = True
                if amount:
                    found[adjustment] = amount
                else:
                    del found[adjustment]
        return found

    def _least_of(self, adjustment: Adjustment, plan: ChangeSet, good: Good) -> int:
        """Return how far one adjustment of a plan has to go, 0 if it is not needed."""
        others = _without(plan, adjustment)
        least, step = plan[adjustment], adjustment.step
        tried = [0, least]

        def works(value: int) -> bool:
            nonlocal least
            does_it = good(_with(others, adjustment, value))
            tried.append(value)
            least = min(least, value) if does_it else least
            return does_it

        try:
            if others and works(0):
                return 0
            below = (least - 1) // step
            if below and works(below * step):
                smallest(lambda count: works(count * step), 0, below)
            elif self._fine and step > 1 and least > 1 and works(least - 1):
                smallest(works, below * step, least - 1)
        except EnoughError:
            self.exact = False
            return least
        # By bisection it is the least of its surroundings; even less may do it.
        points = sorted({value for value in tried if value <= least})
        less = self._less(adjustment, others, points, good)
        return least if less is None else less

    def _less(
        self, adjustment: Adjustment, others: ChangeSet, points: list[int], good: Good
    ) -> int | None:
        """Return the least amount between the first and the last of some points that does it.

        Every comparison of the scheduler comes out the same for all amounts between two for
        which it decides the same; so what lies between those needs no trial.
        """
        part = _PART_FOR_LESS if self.has_time else _PART_FOR_LESS_IF_LARGE
        limit = min(self._part, self._spent + part)

        def first(low: int, high: int) -> int | None:
            if self._trial_of(others, adjustment, low) == self._trial_of(others, adjustment, high):
                return None
            middle = _between(low, high, adjustment.step, fine=self._fine)
            if middle is not None and self._spent + self._spent_on_one > limit:
                self.exact, middle = False, None
            if middle is None:
                return high if good(_with(others, adjustment, high)) else None
            found = first(low, middle)
            return first(middle, high) if found is None else found

        for low, high in pairwise(points):
            if (found := first(low, high)) is not None:
                return found
        return None

    def _trial_of(
        self, others: ChangeSet, adjustment: Adjustment, amount: int
    ) -> tuple[object, ...]:
        trial = self.trial(_with(others, adjustment, amount))
        return trial.decisions, trial.time, trial.evicted


def _between(low: int, high: int, step: int, *, fine: bool) -> int | None:
    """Return an amount between two, a multiple of a step if there is one."""
    first, last = low // step + 1, (high - 1) // step
    if first <= last:
        return (first + last) // 2 * step
    return (low + high) // 2 if fine and high - low > 1 else None


def _with(others: ChangeSet, adjustment: Adjustment, amount: int) -> ChangeSet:
    return {**others, adjustment: amount} if amount else others


def _without(plan: ChangeSet, adjustment: Adjustment) -> ChangeSet:
    return {each: amount for each, amount in plan.items() if each is not adjustment}
