"""Rules of other releases that no recording shows: changes of a topology and its flavor."""

from __future__ import annotations

from typing import Any

import pytest
from simulation_lab import START, Lab, local, queue, work

from kueuelab.errors import InputError
from kueuelab.manifests import load_scenario
from kueuelab.manifests.decode import decode_configuration, decode_object
from kueuelab.model import RELEASES, Release
from kueuelab.simulation import Cluster

HOSTNAME = "kubernetes.io/hostname"
BY_VERSION = dict(zip(RELEASES, (False, False, True), strict=True))


def topology(*levels: str) -> dict[str, Any]:
    names = [{"nodeLabel": name} for name in levels]
    return {"kind": "Topology", "metadata": {"name": "rooms"}, "spec": {"levels": names}}


def flavor(pool: str, tolerations: tuple[str, ...] = ()) -> dict[str, Any]:
    tolerated = [{"key": key, "operator": "Exists"} for key in tolerations]
    spec = {"nodeLabels": {"pool": pool}, "topologyName": "rooms", "tolerations": tolerated}
    return {"kind": "ResourceFlavor", "metadata": {"name": "default"}, "spec": spec}


def node(name: str, pool: str, taint: str = "") -> dict[str, Any]:
    taints = [{"key": taint, "effect": "NoSchedule"}] if taint else []
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": {"pool": pool, "rack": "r1", HOSTNAME: name}},
        "spec": {"taints": taints},
        "status": {
            "allocatable": {"cpu": "4", "pods": "20"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def made(release: Release, *objects: dict[str, Any]) -> Lab:
    cluster = Cluster(decode_configuration({}).of_release(release), start=START)
    cluster.load([decode_object(obj) for obj in objects])  # type: ignore[misc]
    return Lab(cluster)


def asking(name: str, cpu: str, level: str) -> dict[str, Any]:
    found = work(name, cpu)
    found["spec"]["podSets"][0]["topologyRequest"] = {"required": level}
    return found


@pytest.mark.parametrize("version", RELEASES)
def test_node_labels_of_a_flavor_count_as_they_are_in_v0_20(version: str) -> None:
    nodes = (node("n1", "a"), node("n2", "b"))
    lab = made(RELEASES[version], topology(HOSTNAME), *nodes, flavor("a"), queue(cpu="8"), local())
    lab.create(asking("first", "3", HOSTNAME), asking("second", "3", HOSTNAME))
    lab.cluster.settle(5)
    assert lab.admitted() == ["first"]
    lab.apply(flavor("b"))
    lab.cluster.settle(5)
    assert (lab.admitted() == ["first", "second"]) is BY_VERSION[version]
    lab.create(asking("third", "2", HOSTNAME))
    lab.cluster.settle(5)
    # n1 is not of the flavor any more, and n2 has 1 cpu left.
    assert "third" not in lab.admitted()


@pytest.mark.parametrize("version", RELEASES)
def test_tolerations_of_a_flavor_count_as_they_are_in_v0_20(version: str) -> None:
    nodes = node("n1", "a", taint="gpu")
    lab = made(RELEASES[version], topology(HOSTNAME), nodes, flavor("a"), queue(), local())
    lab.create(asking("first", "3", HOSTNAME))
    lab.cluster.settle(5)
    assert lab.admitted() == []
    lab.apply(flavor("a", ("gpu",)))
    lab.cluster.settle(5)
    assert (lab.admitted() == ["first"]) is BY_VERSION[version]


@pytest.mark.parametrize("version", RELEASES)
def test_levels_of_a_topology_count_as_they_are_in_v0_20(version: str) -> None:
    lab = made(
        RELEASES[version], topology(HOSTNAME), node("n1", "a"), flavor("a"), queue(), local()
    )
    lab.create(asking("first", "3", HOSTNAME), asking("second", "1", "rack"))
    lab.cluster.settle(5)
    assert lab.admitted() == ["first"]
    lab.apply(topology("rack", HOSTNAME))
    lab.cluster.settle(5)
    assert (lab.admitted() == ["first", "second"]) is BY_VERSION[version]
    # What the first one uses is still counted.
    lab.create(asking("third", "2", HOSTNAME))
    lab.cluster.settle(5)
    assert "third" not in lab.admitted()


@pytest.mark.parametrize("version", RELEASES)
def test_a_timeline_may_do_what_the_server_accepts(version: str) -> None:
    kueue = {"apiVersion": "kueue.x-k8s.io/v1beta2"}
    change = {"at": "1s", "apply": {**kueue, **flavor("b")}}
    scenario = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "labels"},
        "spec": {"kueueVersion": version, "manifests": [kueue | flavor("a")], "timeline": [change]},
    }
    if BY_VERSION[version]:
        assert len(load_scenario(scenario).timeline) == 1
        return
    with pytest.raises(InputError, match="nodeLabels are immutable when topologyName is set"):
        load_scenario(scenario)
