"""Each thing that a cluster keeps is compared: damage to it is found, and named."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from simulation_lab import Lab, check, flavor, local, make_lab, queue, work
from test_failed_nodes import TOPOLOGY, node

from kueuelab.testing.kept_state import KEPT, stale
from kueuelab.trace.recorder import Recorder

BY_USAGE = {"admissionScope": {"admissionMode": "UsageBasedAdmissionFairSharing"}}
CPU = ("tas", "cpu")


def busy_lab() -> Lab:
    """Two workloads with quota on a node, and two that wait: one active, one inadmissible."""
    lab = make_lab(
        TOPOLOGY,
        flavor("tas", topologyName="dc"),
        check("c"),
        node("n1"),
        queue(cpu="2", flavors="tas", cohortName="all", **BY_USAGE),
        queue("other", cpu="0", flavors="tas", cohortName="all"),
        local(),
        recorder=Recorder(),
        admissionFairSharing={"usageHalfLifeTime": "10s", "usageSamplingInterval": "5s"},
    )
    lab.create(*(work(name) for name in "abcd"))
    lab.cluster.settle(3)
    lab.create(work("e"))
    assert list(stale(lab.cluster)) == []
    assert lab.admitted() == ["a", "b"]
    return lab


def usage(lab: Lab) -> None:
    lab.cluster.tree.cluster_queues["cq"].usage[CPU] = 1


def quota(lab: Lab) -> None:
    lab.cluster.tree.cohorts["all"].subtree_quota[CPU] = 1


def order_of_candidates(lab: Lab) -> None:
    index = lab.cluster.tree.cluster_queues["cq"].candidates
    lab.cluster.workload("default/a").priority = 7
    assert len(index) == 2


def lost_candidate(lab: Lab) -> None:
    lab.cluster.tree.cluster_queues["cq"].candidates.discard("default/a")


def order_in_the_queue(lab: Lab) -> None:
    lab.cluster.workload("default/e").priority = 7


def lost_in_the_queue(lab: Lab) -> None:
    lab.cluster.queues.delete("default/e")


def leaf(lab: Lab) -> None:
    lab.cluster.plane.forest.flavors["tas"].tree.leaf_of["n1"].usage["cpu"] = 7


def capacity(lab: Lab) -> None:
    ((_, kept), *_) = lab.cluster.plane.forest.flavors["tas"].kept_capacities()
    kept.pods[0][0] += 1


def booked_domains(lab: Lab) -> None:
    lab.cluster.plane.forest.release("default/a")


def count(lab: Lab) -> None:
    lab.cluster.plane.admitted_in["cq"] = 7


def status(lab: Lab) -> None:
    lab.cluster.plane.inactive.add("cq")


def penalty(lab: Lab) -> None:
    fair_usage = lab.cluster.plane.fair_usage
    assert fair_usage is not None
    account = fair_usage.ledger.get("default/lq")
    assert account is not None
    account.pending["cpu"] = 7


def recorded_usage(lab: Lab) -> None:
    recorder = lab.cluster.plane.recorder
    assert recorder is not None
    recorder.change(("clusterQueues", "cq", "usage", *CPU), 7)


def recorded_place(lab: Lab) -> None:
    recorder = lab.cluster.plane.recorder
    assert recorder is not None
    recorder.change(("workloads", "default/e", "queue"), "inflight")


@pytest.mark.parametrize(
    ("damage", "room"),
    [
        (usage, "quota"),
        (quota, "quota"),
        (order_of_candidates, "candidates"),
        (lost_candidate, "candidates"),
        (order_in_the_queue, "queues"),
        (lost_in_the_queue, "queues"),
        (leaf, "topologies"),
        (capacity, "topologies"),
        (booked_domains, "topologies"),
        (count, "counters"),
        (status, "statuses"),
        (penalty, "penalties"),
        (recorded_usage, "record"),
        (recorded_place, "record"),
    ],
)
def test_damage_is_found(damage: Callable[[Lab], None], room: str) -> None:
    lab = busy_lab()
    damage(lab)
    found = {difference.split(":")[0] for difference in stale(lab.cluster)}
    assert room in found
    assert found <= set(KEPT)
