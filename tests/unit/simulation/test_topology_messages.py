"""What the status of a workload says where its flavors have no place for it, to the letter."""

from __future__ import annotations

from typing import Any

import pytest
from simulation_lab import START, flavor, local, make_lab, queue, work

from kueuelab.manifests import load_scenario
from kueuelab.model import Condition
from kueuelab.model.times import format_time
from kueuelab.simulation.player import Player

_API = {"apiVersion": "kueue.x-k8s.io/v1beta2"}
_GPU = "nvidia.com/gpu"
#: Quota for credits stands for licenses, which no node has.
_LICENSES = {"input": "license", "strategy": "Replace", "outputs": {"credits": 1}}


def conditions(
    flavors: dict[str, str], requests: dict[str, int], **gates: bool
) -> dict[str, Condition]:
    """Return the conditions of a job that requires a rack.

    Parameters
    ----------
    flavors
        Resource to flavor; all but ``plain`` have a topology.
    requests
        What its pod requests.
    gates
        Feature gates that are turned on.
    """
    groups = [
        {
            "coveredResources": [resource],
            "flavors": [{"name": flavor, "resources": [{"name": resource, "nominalQuota": 100}]}],
        }
        for resource, flavor in flavors.items()
    ]
    manifests: list[dict[str, Any]] = [
        {
            **_API,
            "kind": "ClusterQueue",
            "metadata": {"name": "cq"},
            "spec": {"namespaceSelector": {}, "resourceGroups": groups},
        },
        {**_API, "kind": "LocalQueue", "metadata": {"name": "q"}, "spec": {"clusterQueue": "cq"}},
        {**_API, "kind": "ResourceFlavor", "metadata": {"name": "plain"}, "spec": {}},
    ]
    pools = [
        {"flavor": name, "name": name, "topology": name, "racks": 1, "hosts": 1, "cpu": 8, "gpu": 8}
        for name in ("tas-a", "tas-b")
    ]
    job = {"job": "a", "queue": "q", "pods": 1, "requests": requests}
    spec = {
        "configuration": {
            "resources": {"transformations": [_LICENSES]},
            "featureGates": gates,
        },
        "nodes": pools,
        "manifests": manifests,
        "timeline": [{"at": "0s", "submit": {**job, "topology": {"required": "rack"}}}],
    }
    kind = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "metadata": {"name": "messages"}}
    player = Player(load_scenario({**kind, "spec": spec}))
    player.play()
    return player.cluster.workload("default/a").conditions


@pytest.mark.parametrize(
    ("flavors", "requests", "message"),
    [
        (
            {"cpu": "tas-a", _GPU: "tas-b"},
            {"cpu": 1, _GPU: 1},
            "failed to assign flavors to pod set main: "
            "more than one TAS flavor assigned: tas-a, tas-b",
        ),
        (
            {"credits": "plain", _GPU: "tas-b"},
            {"license": 1},
            "failed to assign flavors to pod set main: no TAS flavor assigned",
        ),
        (
            {"credits": "plain"},
            {"license": 1},
            "failed to assign flavors to pod set main: "
            "workload requires Topology, but there is no TAS cache information",
        ),
        (
            {"cpu": "plain"},
            {"cpu": 1},
            "couldn't assign flavors to pod set main: "
            'Flavor "plain" does not support TopologyAwareScheduling',
        ),
        (
            {"cpu": "tas-a"},
            {"cpu": 9},
            "couldn't assign flavors to pod set main: topology \"tas-a\" doesn't allow to fit any "
            'of 1 pod(s). Total nodes: 1; excluded: resource "cpu": 1',
        ),
    ],
)
def test_why_quota_is_not_reserved(
    flavors: dict[str, str], requests: dict[str, int], message: str
) -> None:
    found = conditions(flavors, requests)["QuotaReserved"]
    assert (found.reason, found.message) == ("Pending", message)


def test_with_the_gate_for_metrics_both_conditions_have_the_labels_of_a_lack_of_room() -> None:
    """The labels ``reason`` and ``underlying_cause`` of ``kueue_unadmitted_workloads``."""
    found = conditions({"cpu": "tas-a"}, {"cpu": 9}, UnadmittedWorkloadsObservability=True)
    assert found["Admitted"].reason == "NoReservation"
    assert found["QuotaReserved"].reason == "TopologyPlacementFailed"
    assert found["QuotaReserved"].message == (
        "couldn't assign flavors to pod set main: topology \"tas-a\" doesn't allow to fit any "
        'of 1 pod(s). Total nodes: 1; excluded: resource "cpu": 1'
    )


def test_a_place_that_is_not_sought_yet_keeps_a_workload_from_being_admitted() -> None:
    waiting = work("a")
    pod_set = {"name": "main", "count": 1, "flavors": {"cpu": "tas"}, "resourceUsage": {"cpu": 1}}
    since = {"message": "", "lastTransitionTime": format_time(START)}
    waiting["status"] = {
        "admission": {
            "clusterQueue": "cq",
            "podSetAssignments": [{**pod_set, "delayedTopologyRequest": "Pending"}],
        },
        "conditions": [{"type": "QuotaReserved", "status": "True", "reason": "x", **since}],
    }
    levels = {"levels": [{"nodeLabel": "kubernetes.io/hostname"}]}
    lab = make_lab(
        {"kind": "Topology", "metadata": {"name": "dc"}, "spec": levels},
        flavor("tas", topologyName="dc"),
        queue(flavors="tas", cpu="100"),
        local(),
        waiting,
        featureGates={"UnadmittedWorkloadsObservability": True},
    )
    admitted = lab.cluster.workload("default/a").conditions["Admitted"]
    assert (admitted.reason, admitted.message) == (
        "PendingDelayedTopologyRequests",
        "There are pending delayed topology requests",
    )
