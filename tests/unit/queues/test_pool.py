"""Pools that change hands as a whole stay in order, and what is left behind stays small."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from kueuelab.model import ObjectMeta, Resources, Workload
from kueuelab.queues.entry import PendingEntry
from kueuelab.queues.pool import EquivalenceClass, Pool
from kueuelab.queues.store import EntryStore
from kueuelab.workload import WorkloadState

numbers = st.lists(st.integers(0, 10_000), unique=True, max_size=60)


def entry(number: int, *, pods: int = 0) -> PendingEntry:
    obj = Workload(ObjectMeta(f"w{number}", "ns"), priority=pods)
    return PendingEntry(WorkloadState(obj, Resources()), (number,))


def drained(pool: Pool) -> list[int]:
    found = []
    while (first := pool.first()) is not None:
        pool.remove(first)
        found.append(first.order[0])
    return found


@given(here=numbers, there=numbers)
def test_absorbing_keeps_everything_in_order(here: list[int], there: list[int]) -> None:
    pool, other = Pool(active=True), Pool(active=False)
    for number in here:
        pool.add(entry(number))
    for number in there:
        other.add(entry(number))
    pool.absorb(other)
    assert (pool.size, other.size) == (len(here) + len(there), 0)
    assert drained(pool) == sorted(here + there)
    assert drained(other) == []


@given(here=numbers, there=numbers)
def test_a_class_parks_and_wakes_as_a_whole(here: list[int], there: list[int]) -> None:
    members = EquivalenceClass("ns")
    for number in here:
        members.active.add(entry(number))
    for number in there:
        members.parked.add(entry(number))
    members.park()
    assert (members.active.size, members.active.active) == (0, True)
    assert members.parked.size == len(here) + len(there)
    assert not any(each.is_active for each in members.parked.entries())
    members.wake()
    assert drained(members.active) == sorted(here + there)
    assert members.is_empty


@given(numbers, st.randoms(use_true_random=False))
def test_entries_are_in_order_whichever_come_and_go(found: list[int], random: Random) -> None:
    pool = Pool(active=True)
    entries = [entry(number) for number in found]
    for each in entries:
        pool.add(each)
    gone = [each for each in entries if random.random() < 0.5]
    for each in gone:
        pool.remove(each)
    left = [each.order[0] for each in entries if each not in gone]
    assert [each.order[0] for each in pool.entries()] == sorted(left)
    assert pool.size == len(left)
    assert all(each.pool is None for each in gone)


def test_empty_classes_and_dead_heads_do_not_pile_up() -> None:
    store = EntryStore(lambda: 0)
    store.activate(entry(0))
    for number in range(1, 1000):
        late = entry(number, pods=number)
        (store.activate if number % 2 else store.park)(late)
        store.remove(late)
    assert len(store._classes) < 100
    assert len(store._heads) < 100
    assert len(store._parked) < 100
    assert [each.order for each in store.entries(active=True)] == [(0,)]
    first = store.first()
    assert first is not None
    assert first.order == (0,)
