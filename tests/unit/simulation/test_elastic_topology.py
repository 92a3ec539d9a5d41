"""Elastic jobs on nodes, with the gate ElasticJobsViaWorkloadSlicesWithTAS and without it."""

from __future__ import annotations

import pytest

import kueuelab as kl
from kueuelab.topology.elastic import truncated
from kueuelab.whatif.lab import LabRun

SCENARIO = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: elastic-topology}
spec:
  configuration: {featureGates: {ElasticJobsViaWorkloadSlicesWithTAS: GATE}}
  nodes: {racks: 2, hosts: 2, cpu: 8}
  queues:
    a: {cpu: 32}
  timeline:
  - {at: 0s, submit: {job: x, queue: a, pods: 4, requests: {cpu: 1}, MORE}}
  - {at: 5s, scale: {job: x, pods: PODS}}
"""


def run_of(pods: int, *, gate: bool = True, way: str = "unconstrained: true") -> LabRun:
    more = f"elastic: true, topology: {{{way}}}"
    text = SCENARIO.replace("GATE", str(gate).lower()).replace("MORE", more)
    found = kl.load(text.replace("PODS", str(pods))).run()
    assert isinstance(found, LabRun)
    return found


def places(run: LabRun, name: str) -> dict[str, int]:
    found = run.cluster.workloads[f"default/{name}"].topology_assignments
    domains = found["main"].domains if found else ()
    return {domain.values[-1]: domain.count for domain in domains}


def test_pods_of_the_slice_before_keep_their_nodes() -> None:
    run = run_of(12)
    before, after = places(run, "x"), places(run, "x-2")
    assert sum(before.values()) == 4
    assert sum(after.values()) == 12
    assert all(after[node] >= count for node, count in before.items())


def test_while_the_difference_is_placed_pods_before_it_count_twice() -> None:
    # 28 cpu are free, and 4 of them are taken to be used by the pods that keep their nodes.
    assert sum(places(run_of(28), "x-2").values()) == 28
    assert places(run_of(29), "x-2") == {}


def test_a_level_can_not_be_named() -> None:
    run = run_of(5, way="required: rack")
    condition = run.cluster.workloads["default/x"].conditions["QuotaReserved"]
    assert condition.message == (
        "failed to assign flavors to pod set main: required topology is not supported with "
        "ElasticJobsViaWorkloadSlices"
    )
    assert places(run_of(5, gate=False, way="required: rack"), "x-2") != {}


@pytest.mark.parametrize(("count", "left"), [(4, [2, 2]), (3, [2, 1]), (0, [])])
def test_the_last_domains_are_given_up(count: int, left: list[int]) -> None:
    assignment = run_of(4).cluster.workloads["default/x"].topology_assignments["main"]
    halves = kl.model.TopologyAssignment(
        assignment.levels,
        tuple(kl.model.TopologyDomain((name,), 2) for name in ("n1", "n2")),
    )
    assert [domain.count for domain in truncated(halves, count).domains] == left
