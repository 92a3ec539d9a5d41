"""Advice on topologies: levels, quota and requests that do not suit the nodes."""

from __future__ import annotations

from typing import Any

import kueuelab as kl
from kueuelab.manifests import load_scenario
from kueuelab.whatif.advice import advise


def advice(nodes: Any = None, quota: int = 16, jobs: Any = (), flavor: Any = None) -> list[str]:
    queue = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "main"},
        "spec": {
            "namespaceSelector": {},
            "resourceGroups": [
                {
                    "coveredResources": ["cpu"],
                    "flavors": [
                        {
                            "name": "default",
                            "resources": [{"name": "cpu", "nominalQuota": quota}],
                        }
                    ],
                }
            ],
        },
    }
    local = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "main", "namespace": "default"},
        "spec": {"clusterQueue": "main"},
    }
    spec: dict[str, Any] = {
        "manifests": [queue, local, *([flavor] if flavor else [])],
        "nodes": nodes or {"racks": 2, "hosts": 2, "cpu": 4},
        "timeline": [{"submit": {"queue": "main", **job}} for job in jobs],
    }
    scenario = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "spec": spec}
    return [str(each) for each in advise(load_scenario(scenario))]


def job(pods: int, **topology: Any) -> dict[str, Any]:
    return {"job": "a", "pods": pods, "requests": {"cpu": 2}, "topology": topology}


def test_what_fits_gets_no_advice() -> None:
    assert advice(jobs=[job(4, required="rack")]) == []


def test_quota_that_the_nodes_do_not_hold() -> None:
    assert advice(quota=17) == [
        "ResourceFlavor/default: the quota of all ClusterQueues and cohorts is 17 cpu of flavor "
        "default: its nodes hold 16 cpu: workloads can have quota and find no place. "
        "Lower the quota, or add nodes"
    ]


def test_pods_that_no_domain_has_room_for() -> None:
    (line,) = advice(jobs=[job(5, required="rack")])
    assert "one domain of cloud.provider.com/topology-rack for 5 pods" in line
    assert "has room for more than 4 of them" in line
    assert line.endswith(
        "Require a wider level, prefer the level, or ask for fewer or smaller pods"
    )
    assert advice(jobs=[job(5, preferred="rack")]) == []


def test_slices_that_no_domain_has_room_for() -> None:
    def slices(pods: int, size: int, **level: str) -> dict[str, Any]:
        return job(pods, slices=[{"level": "host", "size": size}], **level)

    assert advice(jobs=[slices(4, 2, required="rack")]) == []
    (line,) = advice(jobs=[slices(6, 2, required="rack")])
    assert "one domain of cloud.provider.com/topology-rack for 3 slices of 2 pods" in line
    assert line.endswith("Ask for smaller slices, a wider level, or fewer or smaller pods")
    assert "has room for more than 2 of them" in line
    (line,) = advice(jobs=[slices(3, 3)])
    assert "it asks for 1 slice of 3 pods, each slice in one domain of kubernetes.io/host" in line
    assert "have room for no more than 0 of them" in line


def test_slices_in_several_layers_are_counted_whole_in_each() -> None:
    """A host has room for 3 pods, a rack for 9; in pairs on a host, a rack takes 6."""

    def layers(pods: int) -> dict[str, Any]:
        slices = [{"level": "rack", "size": pods}, {"level": "host", "size": 2}]
        return job(pods, slices=slices)

    nodes = {"racks": 2, "hosts": 3, "cpu": 6}
    assert advice(nodes=nodes, jobs=[layers(6)]) == []
    (line,) = advice(nodes=nodes, jobs=[layers(8)])
    assert "it asks for 1 slice of 8 pods, each slice in one domain of" in line
    assert "have room for no more than 0 of them" in line


def test_a_leader_beside_which_its_workers_have_no_room() -> None:
    def gang(workers: int, cpu: int) -> dict[str, Any]:
        place = {"required": "rack", "group": "ring"}
        return {
            "job": "a",
            "podSets": [
                {"name": "leader", "requests": {"cpu": 1}, "topology": place},
                {"name": "workers", "count": workers, "requests": {"cpu": cpu}, "topology": place},
            ],
        }

    assert advice(jobs=[gang(3, 2)]) == []
    (line,) = advice(jobs=[gang(4, 2)])
    assert "topology-rack for 4 pods" in line
    assert "beside the leader, no domain that ClusterQueue main can use" in line
    assert "has room for more than 3 of them" in line


def test_a_level_that_the_topology_lacks() -> None:
    (line,) = advice(jobs=[job(1, required="block")])
    assert "has room for more than 0 of them" in line


def test_a_level_that_no_node_has() -> None:
    topology = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Topology",
        "metadata": {"name": "rows"},
        "spec": {"levels": [{"nodeLabel": "row"}, {"nodeLabel": "kubernetes.io/hostname"}]},
    }
    flavor = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": "default"},
        "spec": {"nodeLabels": {"pool": "a"}, "topologyName": "rows"},
    }
    found = advice(flavor={"kind": "List", "apiVersion": "v1", "items": [topology, flavor]})
    (line,) = (each for each in found if "levels[0]" in each)
    assert "the level is the node label row: no node of flavor default has that label" in line


def test_the_gallery_gets_no_advice() -> None:
    for name in kl.scenarios.names("topology"):
        lab = kl.scenarios.load(name)
        assert isinstance(lab, kl.Lab)
        assert [str(each) for each in advise(lab.spec)] == []
