"""Places in order, in parts: as a list that is sorted anew each time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelab.quota import sorted_places
from kueuelab.quota.sorted_places import SortedPlaces

KEYS = [f"team/job-{number}" for number in range(14)]
ORDERS = st.tuples(st.integers(0, 2), st.integers(-2, 0), st.sampled_from("ab"))


class Uncompared:
    """Stands for a workload, which no order may ask."""

    def __lt__(self, other: object) -> bool:
        raise AssertionError("workloads are compared")

    __gt__ = __lt__


@pytest.fixture(autouse=True, scope="module")
def short_parts() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_places, "_LARGEST", 3)
        yield


@given(
    st.dictionaries(st.sampled_from(KEYS), ORDERS),
    st.lists(st.tuples(st.sampled_from(KEYS), ORDERS), max_size=60),
)
def test_it_is_as_a_sorted_list(
    first: dict[str, tuple[int, int, str]], changes: list[tuple[str, tuple[int, int, str]]]
) -> None:
    """A change adds a workload that is not there, and removes one that is."""
    known = dict(first)
    found = SortedPlaces(sorted(place(key, order) for key, order in known.items()))
    for key, order in changes:
        if key in known:
            found.discard(known.pop(key), key)
        else:
            known[key] = order
            found.add(place(key, order))
        # One that is not there is not found, whatever its order.
        found.discard(order, "team/none")
        wanted = sorted((order, key) for key, order in known.items())
        assert [(order, key) for order, key, _ in found] == wanted
        assert all(len(part) <= 3 for part in found.parts)
        assert all(found.parts) or found.parts == [[]]


def place(key: str, order: tuple[int, int, str]) -> Any:
    return order, key, Uncompared()
