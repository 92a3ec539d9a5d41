"""Who waits and who holds quota is the same, however one came to a step."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kueuelab.trace import Trace
from kueuelab.widgets.viewmodel import Background
from kueuelab.widgets.viewmodel.crowd import Crowd
from kueuelab.widgets.viewmodel.reading import (
    cluster_queue_names,
    local_queue_targets,
    workload_keys,
)

from .conftest import scenario_trace


def read(crowd: Crowd, state: dict[str, Any]) -> dict[str, Any]:
    """Return all that there is to ask of a crowd."""
    return {
        "readings": {key: crowd.reading(key) for key in workload_keys(state)},
        "all": sorted(found.key for found in crowd.all()),
        "waiting": {
            queue: dict(sorted(crowd.waiting(queue).items()))
            for queue in local_queue_targets(state)
        },
        "holdings": {name: list(crowd.holdings(name)) for name in cluster_queue_names(state)},
    }


@given(st.data())
def test_stepping_and_jumping_lead_to_the_same(data: st.DataObject) -> None:
    trace: Trace = scenario_trace("loop-1-the-victim-returns")
    background = Background(trace)
    places = st.integers(0, len(trace) - 1)
    for index in data.draw(st.lists(places, min_size=2, max_size=8)):
        moved = read(background.crowd(index), background.state(index))
        fresh = Crowd(trace).at(index, background.state(index))
        assert moved == read(fresh, background.state(index))
        assert moved["all"] == workload_keys(background.state(index))
