"""Two runs whose final states differ never have an empty diff."""

from __future__ import annotations

from typing import Any

from how_many import SCENARIOS, many
from hypothesis import given, settings
from hypothesis import strategies as st

from kueuelab.errors import KueueLabError
from kueuelab.manifests import load_scenario
from kueuelab.testing.strategies import scenarios
from kueuelab.trace.diff import diff
from kueuelab.whatif.lab import Lab


@settings(many, max_examples=max(SCENARIOS // 20, 1))
@given(scenarios(), st.data())
def test_what_ends_differently_is_named(scenario: dict[str, Any], data: st.DataObject) -> None:
    run = Lab(load_scenario(scenario)).run()
    queues = [obj for obj in scenario["spec"]["manifests"] if obj["kind"] == "ClusterQueue"]
    queue = data.draw(st.sampled_from(queues))
    flavor = queue["spec"]["resourceGroups"][0]["flavors"][0]
    path = "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota"
    quota = flavor["resources"][0]
    place = data.draw(st.integers(0, max(len(run.trace) - 1, 0)))
    value = data.draw(st.integers(quota.get("lendingLimit", 0), 12))
    try:
        name = f"cluster-queue/{queue['metadata']['name']}"
        other = run.fork(place).edit(name, {path: value}).run()
    except KueueLabError:
        return  # It is not there any more, or the quota may not be this.
    found = diff(run.trace, other.trace)
    one, two = (each.state_at(len(each.trace) - 1) for each in (run, other))
    assert found or one == two
    named = {end.workload for end in found.ends} | {each.workload for each in found.statuses}
    keys = {*one.workloads, *two.workloads}
    assert named == {key for key in keys if one.workload(key) != two.workload(key)}
    assert all(key in found.as_text() for key in named)
