"""The judge: simulates plans, and finds the smallest of a kind that does it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from kueuelab.whatif.levers import Lever, Plan, plan_of, proposal_of
from kueuelab.whatif.sandbox import Sandbox, Trial

__all__ = ["EnoughError", "Judge", "smallest"]

#: How many trials at most, and how many workloads they may simulate together: a trial takes
#: the longer the larger the cluster is.
_MOST_TRIALS: Final = 400
_MOST_WORK: Final = 25_000
_FEWEST_TRIALS: Final = 40

#: Tells whether a plan does what is wanted.
Good = Callable[[Plan], bool]


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


class Judge:
    """Says of plans whether they admit the workload, by simulating them.

    Parameters
    ----------
    sandbox
        Where plans are tried.
    fine
        Whether what happens may change between the steps of levers, too.
    """

    def __init__(self, sandbox: Sandbox, *, fine: bool = False) -> None:
        self._sandbox = sandbox
        self._fine = fine
        self._brief: dict[str, bool] = {}
        self._full: dict[str, Trial] = {}
        count = max(1, sandbox.workloads)
        self._limit = min(_MOST_TRIALS, max(_FEWEST_TRIALS, _MOST_WORK // count))
        self._reserve = 0

    @property
    def trials(self) -> int:
        """How many changes were simulated."""
        return self._sandbox.trials

    @property
    def has_time(self) -> bool:
        """Whether the cluster is so small that little is saved by trying less."""
        return self._limit == _MOST_TRIALS

    def hold_back(self, part: float) -> None:
        """Keep a part of all trials for later; 0 gives them back."""
        self._reserve = round(self._limit * part)

    def _count(self) -> None:
        if self._sandbox.trials >= self._limit - self._reserve:
            raise EnoughError

    def looks_good(self, plan: Plan) -> bool:
        """Tell whether the workload gets quota soon; cheap, and right most of the time."""
        changes = proposal_of(plan).changes
        key = repr(changes)
        if key in self._full:
            return self._full[key].lasts
        if key not in self._brief:
            self._count()
            self._brief[key] = self._sandbox.attempt(changes, briefly=True).reserved
        return self._brief[key]

    def trial(self, plan: Plan) -> Trial:
        """Return what comes of a plan in the end."""
        changes = proposal_of(plan).changes
        key = repr(changes)
        if key not in self._full:
            self._count()
            self._full[key] = self._sandbox.attempt(changes)
        return self._full[key]

    def helps(self, plan: Plan) -> bool:
        """Tell whether the workload gets quota and keeps it; cheap where it doesn't."""
        return self.looks_good(plan) and self.admits(plan)

    def admits(self, plan: Plan) -> bool:
        """Tell whether the workload has quota in the end."""
        return self.trial(plan).lasts

    def admits_in_peace(self, plan: Plan) -> bool:
        """Tell whether the workload has quota in the end, and nobody was evicted."""
        trial = self.trial(plan)
        return trial.lasts and not trial.evicted

    # --- the smallest ------------------------------------------------------------------------

    def enough(self, levers: Iterable[Lever], guess: Plan) -> Plan | None:
        """Return a plan that looks good, not much larger than need be; ``None`` if none does.

        The guess is right most of the time. If it isn't, there is more and more.
        """
        plan = dict(guess)
        while plan:
            if self.looks_good(plan):
                return plan
            more = {lever: min(2 * amount, lever.most) for lever, amount in plan.items()}
            if more == plan:
                break
            plan = more
        most = plan_of(*levers)
        return most if most and self.looks_good(most) else None

    def least(self, plan: Plan) -> Plan | None:
        """Return a part of a plan that admits, and no part of which does; ``None`` if it doesn't.

        No lever in it can be left out, or pulled by a step less.
        """
        if not self.looks_good(plan):
            return None
        found = self._reduced(plan, self.looks_good)
        return self._reduced(found, self.admits) if self.admits(found) else None

    def least_in_peace(self, plan: Plan) -> Plan | None:
        """Return the same of what admits and evicts nobody."""
        if not self.looks_good(plan) or not self.admits_in_peace(plan):
            return None
        return self._reduced(plan, self.admits_in_peace)

    def _reduced(self, plan: Plan, good: Good) -> Plan:
        found = dict(plan)
        changed = True
        while changed:
            changed = False
            for lever in list(found):
                amount = self._least_of(lever, found, good)
                if amount == found[lever]:
                    continue
                changed = True
                if amount:
                    found[lever] = amount
                else:
                    del found[lever]
        return found

    def _least_of(self, lever: Lever, plan: Plan, good: Good) -> int:
        """Return how far one lever of a plan has to be pulled."""
        amount, step = plan[lever], lever.step

        def works(value: int) -> bool:
            return good({**plan, lever: value} if value else _without(plan, lever))

        if len(plan) > 1 and works(0):
            return 0
        below = (amount - 1) // step
        if below and works(below * step):
            return smallest(lambda count: works(count * step), 0, below) * step
        if self._fine and step > 1 and amount > 1 and works(amount - 1):
            return smallest(works, below * step, amount - 1)
        return amount


def _without(plan: Plan, lever: Lever) -> Plan:
    return {each: amount for each, amount in plan.items() if each is not lever}
