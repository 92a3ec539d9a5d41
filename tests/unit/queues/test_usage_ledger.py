"""The books of admission fair sharing: amounts, penalties, fading."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelab.model import AdmissionFairSharing
from kueuelab.model.times import SECOND
from kueuelab.queues.half_life import faded_share
from kueuelab.queues.usage_ledger import (
    UsageAccount,
    UsageLedger,
    as_quantities,
    scaled,
    total,
    usage_text,
)

RULES = AdmissionFairSharing(10 * SECOND, usage_sampling_interval=5 * SECOND)

AMOUNTS = st.dictionaries(
    st.sampled_from(["cpu", "memory", "example.com/gpu"]), st.integers(0, 10**22), max_size=3
)
DURATIONS = st.integers(0, 10_000 * SECOND)


def ledger(**changes: object) -> UsageLedger:
    values = {"usage_half_life_time": 10 * SECOND, "usage_sampling_interval": 5 * SECOND}
    return UsageLedger(AdmissionFairSharing(**{**values, **changes}))  # type: ignore[arg-type]


# --- arithmetic ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("elapsed", "half_life", "share"),
    [
        (0, 5, 0.0),
        (5, 5, 0.5),
        (50, 5, 1 - 2**-10),
        (5, 10, 1 - 0.5**0.5),
        (5, 0, 0.0),
        (10**7, 1, 1.0),
        (1.5, 0.5, 0.875),
    ],
)
def test_share_that_fades(elapsed: float, half_life: float, share: float) -> None:
    assert faded_share(int(elapsed * SECOND), int(half_life * SECOND)) == share


@given(DURATIONS, st.integers(1, 10_000 * SECOND))
def test_share_is_as_good_as_a_power(elapsed: int, half_life: int) -> None:
    assert faded_share(elapsed, half_life) == pytest.approx(1 - 0.5 ** (elapsed / half_life))


@pytest.mark.parametrize(
    ("elapsed", "half_life", "left"),
    # Where C libraries come to another last bit than Kueue's builds do.
    [
        (2, 5, 0.757858283255199),
        (3, 10, 0.8122523963562355),
        (24, 60, 0.757858283255199),
        (11, 2, 0.022097086912079612),
        (8, 10, 0.5743491774985175),
        (15, 10, 0.3535533905932738),
    ],
)
def test_share_to_the_last_bit(elapsed: int, half_life: int, left: float) -> None:
    assert faded_share(elapsed * SECOND, half_life * SECOND) == 1 - left


@given(AMOUNTS, st.floats(0, 1))
def test_scaling_rounds_down_and_never_exceeds(amounts: dict[str, int], factor: float) -> None:
    result = scaled(amounts, factor)
    assert result.keys() == amounts.keys()
    assert all(0 <= result[name] <= amounts[name] for name in amounts)
    assert scaled(amounts, 1.0) == amounts


@pytest.mark.parametrize(
    ("usage", "text"),
    [
        (inf, "+Inf"),
        (0.0, "0"),
        (12.0, "12"),
        (0.00012345, "0.00012345"),
        (0.000012345, "1.2345e-05"),
        (123456.5, "123456.5"),
        (1234567.5, "1.2345675e+06"),
    ],
)
def test_usage_is_printed_as_kueue_prints_it(usage: float, text: str) -> None:
    assert usage_text(usage) == text


def test_negative_amounts_are_cut_towards_zero() -> None:
    assert scaled({"cpu": -3}, 0.5) == {"cpu": -1}


# --- an account ------------------------------------------------------------------------

OPERATIONS = st.lists(st.tuples(st.sampled_from("abc"), st.none() | AMOUNTS))


@given(OPERATIONS)
def test_pending_is_the_sum_of_the_penalties(operations: list[tuple[str, dict[str, int]]]) -> None:
    account = UsageAccount(0)
    for workload, penalty in operations:
        if penalty is None:
            account.waive(workload)
        else:
            account.charge(workload, penalty)
        expected = total(*account.penalties.values())
        assert {k: v for k, v in account.pending.items() if v} == {
            k: v for k, v in expected.items() if v
        }


@given(AMOUNTS, st.lists(DURATIONS, min_size=1), st.integers(1, 1000 * SECOND))
def test_usage_only_falls_while_nothing_is_used(
    start: dict[str, int], waits: list[int], half_life: int
) -> None:
    account = UsageAccount(0)
    account.consumed = dict(start)
    now = 0
    for wait in waits:
        before, now = dict(account.consumed), now + wait
        account.fade({}, now, half_life)
        assert account.consumed.keys() == before.keys()
        assert all(account.consumed[name] <= before[name] for name in before)


@given(AMOUNTS, st.lists(DURATIONS, min_size=1), st.integers(1, 1000 * SECOND))
def test_usage_never_exceeds_what_is_in_use(
    current: dict[str, int], waits: list[int], half_life: int
) -> None:
    account = UsageAccount(0)
    now = 0
    for wait in waits:
        before, now = dict(account.consumed), now + wait
        account.fade(current, now, half_life)
        for name, amount in current.items():
            # Both parts are rounded down, and their factors add up to 1 but for the last bit.
            slack = 2 + amount // 10**15
            assert before.get(name, 0) - slack <= account.consumed[name] <= amount + slack


def test_time_that_runs_backwards_changes_nothing() -> None:
    account = UsageAccount(10)
    account.consumed = {"cpu": 5}
    account.fade({"cpu": 100}, 3, SECOND)
    assert (account.consumed, account.last_update) == ({"cpu": 5}, 10)


# --- the ledger ------------------------------------------------------------------------


def test_penalty_is_what_one_interval_would_use() -> None:
    books = ledger()
    penalty = books.charge("ns/x", "ns/a", {"cpu": 2000, "memory": 2**30}, now=0)
    assert as_quantities(penalty) == {"cpu": "585786437n", "memory": "314491699005987495n"}
    assert books.pending("ns/x") == penalty
    assert books.consumed("ns/x") == {}


def test_a_second_penalty_takes_the_place_of_the_first() -> None:
    books = ledger()
    books.charge("ns/x", "ns/a", {"cpu": 2000}, now=0)
    penalty = books.charge("ns/x", "ns/a", {"cpu": 1000}, now=0)
    assert books.pending("ns/x") == penalty


def test_settling_moves_the_penalty_once() -> None:
    books = ledger()
    penalty = books.charge("ns/x", "ns/a", {"cpu": 2000}, now=0)
    books.charge("ns/x", "ns/b", {"cpu": 1000}, now=0)
    assert books.settle("ns/x", "ns/a", {"cpu": 2000}, now=0) == penalty
    assert books.settle("ns/x", "ns/a", {"cpu": 2000}, now=0) is None
    assert books.consumed("ns/x") == penalty
    assert books.waive("ns/x", "ns/b") is not None
    assert books.pending("ns/x") == {}


def test_waiving_what_is_not_owed_opens_no_account() -> None:
    books = ledger()
    assert books.waive("ns/x", "ns/a") is None
    assert books.get("ns/x") is None


def test_history_counts_once_even_after_a_penalty() -> None:
    books = ledger()
    books.settle("ns/x", "ns/a", {"cpu": 0}, now=0)
    assert books.open("ns/x", {"cpu": 4 * 10**9}, now=0)
    assert books.open("ns/x", {"cpu": 4 * 10**9}, now=0)
    assert books.consumed("ns/x") == {"cpu": 4 * 10**9}
    assert not books.open("ns/y", {}, now=0)
    penalty = books.charge("ns/z", "ns/b", {"cpu": 2000}, now=0)["cpu"]
    assert books.usage("ns/z", weight=1.0) == pytest.approx(penalty / 10**9)
    books.settle("ns/z", "ns/b", {"cpu": 2000}, now=0)
    books.open("ns/z", {"cpu": 10**9}, now=0)
    assert books.consumed("ns/z") == {"cpu": penalty + 10**9}


def test_without_a_half_life_nothing_is_remembered() -> None:
    books = ledger(usage_half_life_time=0)
    assert books.charge("ns/x", "ns/a", {"cpu": 2000}, now=0) == {"cpu": 0}
    account = books.get("ns/x")
    assert account is not None
    assert not account.has_pending
    books.settle("ns/x", "ns/a", {"cpu": 2000}, now=0)
    books.sample("ns/x", {"cpu": 2000}, now=5 * SECOND)
    assert (books.consumed("ns/x"), account.last_update) == ({}, 5 * SECOND)


def test_usage_weighs_resources_and_the_queue() -> None:
    books = ledger(resource_weights={"cpu": 2.0, "memory": 0.0})
    books.open("ns/x", {"cpu": 3 * 10**9, "memory": 10**18, "example.com/gpu": 10**9}, now=0)
    assert books.usage("ns/x", weight=2.0) == 3.5
    assert books.usage("ns/nobody", weight=2.0) == 0.0
    assert books.usage("ns/x", weight=0.0) == books.usage("ns/nobody", weight=0.0) == inf


def test_closed_accounts_are_forgotten() -> None:
    books = ledger()
    books.charge("ns/x", "ns/a", {"cpu": 2000}, now=0)
    books.close("ns/x")
    assert books.usage("ns/x", weight=1.0) == 0.0
    books.close("ns/x")
