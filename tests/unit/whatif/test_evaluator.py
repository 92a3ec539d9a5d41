"""The judge finds the smallest plan, whatever the effect of each amount is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from kueuelab.whatif import evaluator as room
from kueuelab.whatif.change_sets import Adjustment, ChangeSet, Part, change_set_of
from kueuelab.whatif.changes import Change, Edit
from kueuelab.whatif.evaluator import EnoughError, Evaluator, smallest
from kueuelab.whatif.references import Reference
from kueuelab.whatif.sandbox import Trial

NOW = 10
#: What comes of amounts by the name of the adjustment: when it is admitted, and evictions.
ObjectIndex = Callable[[dict[str, int]], Trial]


class Pretended:
    """A sandbox in which a function says what comes of changes."""

    def __init__(self, answer: ObjectIndex, workloads: int = 1) -> None:
        self._object_index = answer
        self.workloads = workloads
        self.now = NOW
        self.trials = 1
        self.work = workloads
        self.unchanged = answer({})
        self.asked: list[dict[str, int]] = []

    def attempt(self, changes: Iterable[Change]) -> Trial:
        amounts: dict[str, int] = {}
        for change in changes:
            assert isinstance(change, Edit)
            amounts[change.object.name] = change.values["amount"]
        self.trials += 1
        self.work += self.workloads
        self.asked.append(amounts)
        return self._object_index(amounts)


def adjustment(name: str, most: int, step: int = 1) -> Adjustment:
    def part(amount: int) -> Part:
        return Part(
            "quota", (Edit(Reference("Cohort", "", name), {"amount": amount}),), {"where": name}
        )

    return Adjustment(part, most, step)


def admitted(time: int | None = NOW, *decisions: int, evicted: tuple[str, ...] = ()) -> Trial:
    return Trial(time, evicted, decisions=decisions)


def judged(
    answer: ObjectIndex, *, fine: bool = False, workloads: int = 1
) -> tuple[Evaluator, Pretended]:
    sandbox = Pretended(answer, workloads)
    found: Any = sandbox
    return Evaluator(found, fine=True) if fine else Evaluator(found), sandbox


def where(condition: Callable[[int], bool]) -> ObjectIndex:
    """Return answers in which amounts of one adjustment are admitted if a condition holds."""

    def answer(amounts: dict[str, int]) -> Trial:
        amount = sum(amounts.values())
        return admitted(NOW if condition(amount) else None, amount)

    return answer


def least(
    judge: Evaluator, plan: ChangeSet, good: Callable[[ChangeSet], bool] | None = None
) -> list[int] | None:
    found = judge.least(plan, good)
    return None if found is None else list(found.values())


@pytest.mark.parametrize("low", [0, 1, 4])
@pytest.mark.parametrize("high", [5, 6, 17, 64])
def test_the_smallest_number(low: int, high: int) -> None:
    for answer in range(low + 1, high + 1):
        asked: list[int] = []

        def works(number: int, answer: int = answer, asked: list[int] = asked) -> bool:
            asked.append(number)
            return number >= answer

        assert smallest(works, low, high) == answer
        assert all(low < number < high for number in asked)


@pytest.mark.parametrize("first", range(1, 21))
def test_one_amount_is_the_least(first: int) -> None:
    judge, _ = judged(where(lambda amount: amount >= first))
    assert least(judge, change_set_of(adjustment("a", 20))) == [first]
    assert judge.exact


@pytest.mark.parametrize("first", range(1, 16))
def test_less_does_it_where_more_does_not(first: int) -> None:
    """Bisection alone ends at 16: a gap lies between."""
    judge, _ = judged(where(lambda amount: amount == first or amount >= 16))
    assert least(judge, change_set_of(adjustment("a", 20))) == [first]


@pytest.mark.parametrize("only", range(1, 21))
def test_what_the_most_does_not_do_less_may_do(only: int) -> None:
    judge, _ = judged(where(lambda amount: amount == only))
    assert least(judge, change_set_of(adjustment("a", 20))) == [only]
    judge, _ = judged(where(lambda amount: False))
    assert least(judge, change_set_of(adjustment("a", 20))) is None


def test_amounts_for_which_the_same_is_decided_are_not_tried() -> None:
    def answer(amounts: dict[str, int]) -> Trial:
        amount = amounts.get("a", 0)
        return admitted(NOW if amount >= 700 else None, amount >= 300, amount >= 700)

    judge, sandbox = judged(answer)
    assert least(judge, change_set_of(adjustment("a", 1000))) == [700]
    assert judge.exact
    assert len(sandbox.asked) < 32


def test_steps_are_kept_to_and_gone_below_only_where_it_matters() -> None:
    answer = where(lambda amount: amount >= 23)
    assert least(judged(answer)[0], change_set_of(adjustment("a", 100, 10))) == [30]
    assert least(judged(answer, fine=True)[0], change_set_of(adjustment("a", 100, 10))) == [23]
    assert least(judged(answer, fine=True)[0], change_set_of(adjustment("a", 25, 10))) == [23]
    # What is no multiple stays, if no multiple below does it.
    assert least(judged(answer)[0], change_set_of(adjustment("a", 25, 10))) == [25]
    everything = where(lambda amount: amount >= 1)
    assert least(judged(everything)[0], change_set_of(adjustment("a", 100, 10))) == [10]
    assert least(judged(everything, fine=True)[0], change_set_of(adjustment("a", 100, 10))) == [1]


@pytest.mark.parametrize("first", range(1, 26))
def test_between_steps_each_amount_can_be_the_least(first: int) -> None:
    judge, sandbox = judged(where(lambda amount: amount >= first), fine=True)
    assert least(judge, change_set_of(adjustment("a", 25, 10))) == [first]
    assert max(asked["a"] for asked in sandbox.asked) == 25
    judge, _ = judged(where(lambda amount: amount == first), fine=True)
    assert least(judge, change_set_of(adjustment("a", 25, 10))) == [first]


def test_each_lever_of_several_is_reduced_and_left_out_if_it_can_be() -> None:
    first, second, third = adjustment("a", 9), adjustment("b", 9), adjustment("c", 9)

    def answer(amounts: dict[str, int]) -> Trial:
        does_it = amounts.get("a", 0) >= 4 and amounts.get("b", 0) >= 2
        return admitted(NOW if does_it else None, *amounts.items())

    judge, _ = judged(answer)
    found = judge.least(change_set_of(first, second, third))
    assert found == {first: 4, second: 2}
    assert judge.least(change_set_of(first, third)) is None


def test_a_lever_of_which_one_is_enough_is_not_left_out() -> None:
    first, second = adjustment("a", 9), adjustment("b", 9)

    def answer(amounts: dict[str, int]) -> Trial:
        does_it = amounts.get("a", 0) >= 1 and amounts.get("b", 0) >= 2
        return admitted(NOW if does_it else None, *amounts.items())

    judge, _ = judged(answer)
    assert judge.least(change_set_of(first, second)) == {first: 1, second: 2}
    # One that is as small as it can be keeps no other one from getting smaller.
    assert judge.least({first: 1, second: 9}) == {first: 1, second: 2}


def test_a_lever_can_be_less_once_another_one_is() -> None:
    first, second = adjustment("a", 9), adjustment("b", 9)

    def answer(amounts: dict[str, int]) -> Trial:
        a, b = amounts.get("a", 0), amounts.get("b", 0)
        return admitted(NOW if (b == 3 and a >= 2) or (b > 3 and a >= 7) else None, a, b)

    judge, _ = judged(answer)
    assert judge.least(change_set_of(first, second)) == {first: 2, second: 3}


def test_only_what_is_sooner_helps() -> None:
    def answer(amounts: dict[str, int]) -> Trial:
        return admitted(
            {0: 50, 1: 50, 2: 60, 3: 49, 4: NOW}[amounts.get("a", 0)], *amounts.values()
        )

    judge, _ = judged(answer)
    one = adjustment("a", 4)
    assert [judge.helps({one: amount}) for amount in range(1, 5)] == [False, False, True, True]
    assert [judge.helps_at_once({one: amount}) for amount in range(1, 5)] == [False] * 3 + [True]
    assert least(judge, change_set_of(one)) == [3]
    assert least(judge, change_set_of(one), judge.helps_at_once) == [4]


def test_what_turns_for_ever_does_not_help() -> None:
    loops = Trial(NOW, looped=True)
    judge, _ = judged(lambda amounts: loops if amounts else Trial())
    assert not judge.helps(change_set_of(adjustment("a", 1)))
    # Nor is it waited for if nothing is changed.
    judge, _ = judged(lambda amounts: admitted(90, 1) if amounts else loops)
    assert judge.helps(change_set_of(adjustment("a", 1)))


def test_without_evictions() -> None:
    def answer(amounts: dict[str, int]) -> Trial:
        amount = amounts.get("a", 0)
        return admitted(NOW if amount > 1 else None, amount, evicted=("x",) if amount < 6 else ())

    judge, _ = judged(answer)
    one = adjustment("a", 9)
    assert least(judge, change_set_of(one)) == [2]
    assert least(judge, change_set_of(one), judge.helps_without_evictions) == [6]
    assert not judge.helps_without_evictions({one: 1})


def test_enough_is_the_guess_then_twice_as_much_then_the_most() -> None:
    one = adjustment("a", 50)
    judge, sandbox = judged(where(lambda amount: amount >= 20))
    assert judge.enough([one], {one: 6}) == {one: 24}
    assert [asked["a"] for asked in sandbox.asked] == [6, 12, 24]
    judge, sandbox = judged(where(lambda amount: amount >= 49))
    assert judge.enough([one], {one: 6}) == {one: 50}
    judge, sandbox = judged(where(lambda amount: False))
    assert judge.enough([one], {one: 6}) is None
    assert judge.enough([], {}) is None
    judge, sandbox = judged(where(lambda amount: amount >= 49))
    assert judge.enough([one], {}) == {one: 50}
    assert len(sandbox.asked) == 1


def test_no_plan_is_no_answer() -> None:
    judge, _ = judged(where(lambda amount: True))
    assert judge.least({}) is None


def test_the_same_is_simulated_once() -> None:
    judge, sandbox = judged(where(lambda amount: amount > 3))
    plan = {adjustment("a", 9): 4}
    assert judge.helps(plan)
    assert judge.helps(dict(plan))
    assert judge.trials == len(sandbox.asked) == 1
    assert judge.trial({}) is sandbox.unchanged
    assert judge.trials == 1


def test_a_search_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MOST_TRIALS", 10)
    judge, sandbox = judged(where(lambda amount: False))
    one = adjustment("a", 99)
    judge.hold_back(0.5)
    for amount in range(1, 5):
        judge.trial({one: amount})
    with pytest.raises(EnoughError):
        judge.trial({one: 5})
    # What was tried is known still.
    assert not judge.helps({one: 4})
    judge.hold_back(0)
    for amount in range(5, 10):
        judge.trial({one: amount})
    with pytest.raises(EnoughError):
        judge.trial({one: 10})
    assert judge.trials == len(sandbox.asked) == 9


def test_a_trial_in_a_large_cluster_counts_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MOST_WORK", 1000)
    monkeypatch.setattr(room, "_FEWEST_TRIALS", 4)
    for workloads, most in ((1, 999), (100, 9), (250, 3), (1000, 3)):
        monkeypatch.setattr(room, "_MOST_TRIALS", 10**6)
        judge, _ = judged(where(lambda amount: False), workloads=workloads)
        one = adjustment("a", 10**6)
        for amount in range(1, most + 1):
            judge.trial({one: amount})
        with pytest.raises(EnoughError):
            judge.trial({one: most + 1})
        assert judge.has_time == (workloads <= 60)


def test_where_trials_take_seconds_there_are_few_and_none_is_held_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "_MOST_WORK", 100)
    monkeypatch.setattr(room, "_MOST_WORK_IF_HUGE", 4000)
    for workloads, most in ((100, 27), (101, 39), (1000, 3), (3000, 1)):
        judge, _ = judged(where(lambda amount: False), workloads=workloads)
        judge.hold_back(0.3)
        one = adjustment("a", 10**6)
        for amount in range(1, most + 1):
            judge.trial({one: amount})
        with pytest.raises(EnoughError):
            judge.trial({one: most + 1})


def test_in_a_large_cluster_fewer_trials_go_into_showing_that_less_does_not_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All decisions differ: 10 trials find the least by bisection, the others look below it."""
    monkeypatch.setattr(room, "_MOST_TRIALS", 200)
    monkeypatch.setattr(room, "_MOST_WORK", 10**9)
    trials = {}
    for workloads in (60, 61):
        judge, _ = judged(where(lambda amount: amount >= 600), workloads=workloads)
        assert least(judge, change_set_of(adjustment("a", 1000))) == [600]
        assert not judge.exact
        trials[workloads] = judge.trials
    assert 10 < trials[61] < 30 < 40 < trials[60]


def test_as_many_trials_show_that_less_does_not_do_as_their_part_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All decisions differ; after the first trial there may be four of eight."""
    monkeypatch.setattr(room, "_MOST_TRIALS", 8)
    monkeypatch.setattr(room, "_MOST_WORK", 10**9)
    monkeypatch.setattr(room, "_PART_FOR_LESS", 0.5)
    judge, _ = judged(where(lambda amount: False))
    assert least(judge, change_set_of(adjustment("a", 1000))) is None
    assert not judge.exact
    assert judge.trials == 1 + 4


def test_what_is_found_is_kept_if_there_is_no_time_to_show_that_less_does_not_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "_MOST_TRIALS", 5)
    judge, _ = judged(where(lambda amount: amount >= 600))
    assert least(judge, change_set_of(adjustment("a", 1000))) == [749]
    assert not judge.exact
    monkeypatch.setattr(room, "_MOST_TRIALS", 40)
    judge, _ = judged(where(lambda amount: amount == 1 or amount >= 600))
    # All decisions differ: what lies below is looked at no longer than that may take.
    assert least(judge, change_set_of(adjustment("a", 1000))) == [600]
    assert not judge.exact
    assert judge.trials < 25
