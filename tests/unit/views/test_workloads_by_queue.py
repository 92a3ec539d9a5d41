"""Who waits and who holds quota is the same, however one came to a step."""

from __future__ import annotations

from typing import Any

from example_runs import scenario_trace
from hypothesis import given
from hypothesis import strategies as st

from kueuelab.trace import Trace
from kueuelab.trace.reading import State
from kueuelab.views import RunIndex
from kueuelab.views.workloads_by_queue import WorkloadsByQueue


def read(by_queue: WorkloadsByQueue, state: State) -> dict[str, Any]:
    """Return all that there is to ask of the workloads by queue."""
    return {
        "readings": {key: by_queue.reading(key) for key in state.workloads},
        "all": sorted(found.key for found in by_queue.all()),
        "waiting": {
            queue: dict(sorted(by_queue.waiting(queue).items()))
            for queue in state.names("LocalQueue")
        },
        "holdings": {name: list(by_queue.holdings(name)) for name in state.names("ClusterQueue")},
    }


@given(st.data())
def test_stepping_and_jumping_lead_to_the_same(data: st.DataObject) -> None:
    trace: Trace = scenario_trace("loop-1-the-victim-returns")
    run_index = RunIndex(trace)
    places = st.integers(0, len(trace) - 1)
    for index in data.draw(st.lists(places, min_size=2, max_size=8)):
        moved = read(run_index.by_queue(index), run_index.state(index))
        fresh = WorkloadsByQueue(trace).at(index, run_index.state(index))
        assert moved == read(fresh, run_index.state(index))
        assert moved["all"] == sorted(run_index.state(index).workloads)
