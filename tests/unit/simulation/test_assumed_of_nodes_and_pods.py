"""What is assumed of nodes and of ``waitForPodsReady``, said where a decision depends on it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kueuelab as kl

LEVELS = ("block", "rack")
HEAD = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: rooms}
spec: {levels: [{nodeLabel: block}, {nodeLabel: rack}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: gpu}
spec: {topologyName: rooms, nodeLabels: {pool: gpu}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec:
  namespaceSelector: {}
  resourceGroups:
  - {coveredResources: [cpu], flavors: [{name: gpu, resources: [{name: cpu, nominalQuota: 9}]}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: default}
spec: {clusterQueue: q}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j, labels: {kueue.x-k8s.io/queue-name: q}}
spec:
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]
"""
NODE = """
---
apiVersion: v1
kind: Node
metadata: {{name: n{index}, labels: {labels}}}
status:
  allocatable: {{cpu: 4, pods: 10}}
  conditions: [{{type: Ready, status: "True"}}]
"""


def is_admitted(lab: kl.Lab) -> bool:
    """Tell whether the one workload is admitted at the end."""
    run = lab.run()
    [view] = run.state_at(len(run.trace) - 1).workloads.values()
    return view.phase == "Admitted"


def test_a_topology_without_nodes() -> None:
    lab = kl.load(HEAD)
    assert isinstance(lab, kl.Lab)
    [said] = lab.assumptions
    assert said.startswith(
        "there are no Nodes, but ResourceFlavor gpu places pods by Topology rooms: "
        "no workload can be admitted with it"
    )
    assert "kubectl get nodes -o yaml" in said
    assert not is_admitted(lab)


LABELS = st.dictionaries(st.sampled_from(["block", "rack", "pool"]), st.just("gpu"))


@settings(max_examples=40, deadline=None, database=None)
@given(st.lists(LABELS, min_size=1, max_size=3))
def test_it_is_said_just_where_no_node_can_take_a_pod(nodes: list[dict[str, str]]) -> None:
    text = HEAD + "".join(NODE.format(index=n, labels=labels) for n, labels in enumerate(nodes))
    lab = kl.load(text)
    assert isinstance(lab, kl.Lab)
    assert bool(lab.assumptions) is not is_admitted(lab)
    if lab.assumptions:
        assert (
            "that ResourceFlavor gpu and Topology rooms need (pool=gpu, block, rack)"
            in (lab.assumptions[0])
        )


SCENARIO = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {{name: late}}
spec:
  configuration: {configuration}
  timeline:
  - {{at: 0s, submit: {{job: j, queue: q}}}}
  - {{at: 1s, podsReady: {{workload: j, ready: {ready}}}}}
"""


@pytest.mark.parametrize(
    ("configuration", "ready", "is_said"),
    [
        ("{}", "false", True),
        ("{fairSharing: {preemptionStrategies: [LessThanInitialShare]}}", "false", True),
        ("{}", "true", False),
        ("{waitForPodsReady: {timeout: 30m}}", "false", False),
    ],
)
def test_the_default_of_wait_for_pods_ready(configuration: str, ready: str, is_said: bool) -> None:
    lab = kl.load(SCENARIO.format(configuration=configuration, ready=ready))
    assert any("waitForPodsReady is off here" in said for said in lab.assumptions) is is_said
