"""The search for the largest pod counts that can be had."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kueuelab.model import PodSet
from kueuelab.scheduler.partial_admission import search_counts


@given(st.integers(1, 50), st.integers(0, 50), st.integers(0, 60))
def test_one_pod_set_gets_the_most_that_fits(count: int, slack: int, room: int) -> None:
    least = max(0, count - slack)
    found = search_counts(
        [PodSet("a", count, least)], lambda counts: list(counts) if counts[0] <= room else None
    )
    if count == least or room < least:
        assert found is None
    else:
        assert found == [min(count, room)]


def test_pod_sets_shrink_together() -> None:
    pod_sets = [PodSet("a", 10, 5), PodSet("b", 4), PodSet("c", 20, 10)]
    found = search_counts(pod_sets, lambda counts: list(counts) if sum(counts) <= 25 else None)
    assert found == [7, 4, 14]
