"""What a lever costs others: each part is what a branch with the lever shows."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.errors import InputError
from kueuelab.session.handler import Handler

FIRST, SECOND, GPU = (
    "team-b/job-b-" + name for name in ("cpu-1-05bb5", "cpu-2-71f14", "gpu-1-5202f")
)
#: Two pending workloads of one queue, and one that is admitted; another queue lends its quota.
TWO_QUEUES = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: queues}
spec:
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
  - {apiVersion: v1, kind: Namespace, metadata: {name: default}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: team}
    spec:
      namespaceSelector: {}
      preemption: {withinClusterQueue: LowerPriority}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: main, namespace: default}
    spec: {clusterQueue: team}
  timeline:
  - {at: 0s, submit: {job: runs, queue: main, requests: {cpu: 4}, priority: 5}}
  - {at: 1s, submit: {job: waits, queue: main, requests: {cpu: 4}, priority: 1}}
  - {at: 2s, submit: {job: last, queue: main, requests: {cpu: 4}}}
"""


def costs(handler: Handler, workload: str) -> dict[str, dict[str, Any]]:
    """Return the costs of all levers, by their text; of each, the parts by kind."""
    levers = handler.answer({"do": "levers", "workload": workload})["levers"]
    found = {}
    for each in levers:
        if each["canTry"]:
            asked = {"do": "cost", "workload": workload, "lever": each["number"]}
            answer = handler.answer(asked)
            parts = {part["kind"]: part for part in answer["parts"]}
            found[each["text"]] = {**parts, "note": answer["note"]}
    return found


@pytest.fixture(scope="module")
def two_teams() -> Handler:
    handler = Handler()
    handler.answer({"do": "open", "source": "two-teams"})
    return handler


def test_workloads_that_are_evicted_are_named_with_where_they_end(two_teams: Handler) -> None:
    found = costs(two_teams, SECOND)[f"raise the priority of {SECOND} from 10 to 1001"]
    assert found["evicts"]["title"] == "2 workloads are evicted"
    assert [(each["workload"], each["text"]) for each in found["evicts"]["items"]] == [
        ("team-b/job-b-cpu-hi-2da09", "admitted again"),
        ("team-a/job-a-gpu-2-104cf", "pending at position 1 in cq-a"),
    ]
    assert found["note"] == ""


def test_a_quota_that_grows_costs_others_nothing(two_teams: Handler) -> None:
    found = costs(two_teams, SECOND)[
        "raise the nominal quota of ClusterQueue cq-b by 2 cpu/generic"
    ]
    assert [each["text"] for each in found["grows"]["items"]] == ["8 → 10 cpu (generic)"]
    assert "shrinks" not in found
    assert found["note"].startswith("No other workload loses anything")


def test_workloads_that_are_admitted_as_well_are_named(two_teams: Handler) -> None:
    found = costs(two_teams, GPU)["wait until team-b/job-b-cpu-hi-2da09 finishes"]
    assert [each["workload"] for each in found["gains"]["items"]] == [SECOND]


def test_a_workload_that_falls_back_in_its_queue_waits_longer() -> None:
    handler = Handler()
    handler.answer({"do": "open", "name": "queues.yaml", "text": TWO_QUEUES})
    rows = handler.answer({"do": "workloads", "phase": "Pending"})["rows"]
    last = next(each["workload"] for each in rows if "last" in each["name"])
    found = costs(handler, last)
    raised = next(parts for text, parts in found.items() if "priority" in text)
    assert [each["name"] for each in raised["waits"]["items"]] == [
        each["workload"] for each in rows if "waits" in each["name"]
    ]


def test_to_ask_for_a_cost_keeps_no_branch(two_teams: Handler) -> None:
    costs(two_teams, FIRST)
    assert two_teams.history.present.names == ("two-teams",)
    with pytest.raises(InputError, match="no lever 99"):
        two_teams.answer({"do": "cost", "workload": FIRST, "lever": 99})
