"""The timeline of one workload beside that of all."""

from __future__ import annotations

import pytest

from kueuelab import scenarios
from kueuelab.trace.timeline import timeline


@pytest.mark.parametrize("name", ["reclaim-1-take-back", "loop-1-the-victim-returns"])
def test_the_rows_of_a_workload_are_those_of_all_that_are_about_it(name: str) -> None:
    trace = scenarios.load(name).run().trace
    whole = list(timeline(trace))
    for workload in trace.workloads:
        alone = list(timeline(trace, workload=workload))
        assert alone == [row for row in whole if row.subject == workload]
        assert alone
