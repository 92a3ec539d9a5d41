from __future__ import annotations

import pytest
from simulation_lab import basic_lab, check, checks, flavor, local, make_lab, queue, work

from kueuelab.errors import UnknownObjectError
from kueuelab.testing.invariants import violations


def test_a_cluster_queue_in_use_stays_terminating() -> None:
    lab = basic_lab()
    lab.create(work("a"))
    lab.cluster.cycle()
    lab.create(work("b"))
    lab.cluster.remove("ClusterQueue", "cq")
    status = lab.cluster.cluster_queues["cq"]
    assert (status.active, status.reason) == (False, "Terminating")
    assert status.message == "Can't admit new workloads; clusterQueue is terminating"
    assert lab.cluster.objects.is_terminating("ClusterQueue", "cq")
    assert list(violations(lab.cluster)) == []
    assert lab.condition("b", "QuotaReserved") == "False Inadmissible: ClusterQueue cq is inactive"
    lab.cluster.remove("ClusterQueue", "cq")  # asking twice changes nothing
    lab.cluster.finish("default/a")
    assert "cq" not in lab.cluster.cluster_queues
    assert list(violations(lab.cluster)) == []
    assert lab.condition("b", "QuotaReserved") == (
        "False Inadmissible: ClusterQueue cq doesn't exist"
    )
    assert lab.cluster.state()["clusterQueues"] == {}


def test_an_unused_cluster_queue_goes_at_once() -> None:
    lab = basic_lab()
    lab.cluster.remove("ClusterQueue", "cq")
    assert dict(lab.cluster.cluster_queues) == {}
    lab.apply(queue())
    lab.create(work("a"))
    lab.cluster.cycle()
    assert lab.admitted() == ["a"]


def test_quota_without_admission_is_lost_with_the_queue() -> None:
    lab = make_lab(flavor(), check("c"), queue(admissionChecksStrategy=checks("c")), local())
    lab.create(work("a"))
    lab.cluster.cycle()
    lab.cluster.remove("ClusterQueue", "cq")
    assert "cq" not in lab.cluster.cluster_queues
    assert lab.cluster.workload("default/a").admission is None


def test_flavors_and_checks_stay_while_a_queue_names_them() -> None:
    lab = make_lab(
        flavor(), flavor("other"), check("c"), queue(admissionChecksStrategy=checks("c")), local()
    )
    lab.cluster.remove("ResourceFlavor", "default")
    lab.cluster.remove("AdmissionCheck", "c")
    lab.cluster.remove("ResourceFlavor", "other")
    assert lab.cluster.is_active("cq")
    assert list(lab.cluster.objects.flavors) == ["default"]
    lab.apply(queue(flavors="gone"))
    assert list(lab.cluster.objects.flavors) == []
    assert list(lab.cluster.objects.admission_checks) == []
    assert lab.cluster.objects.terminating == {}


def test_a_local_queue_goes_with_its_place_in_line() -> None:
    lab = basic_lab()
    lab.create(work("a", cpu="3"))
    lab.cluster.cycle()
    lab.create(work("b"))
    lab.cluster.remove("LocalQueue", "lq")
    assert lab.pending() == []
    assert lab.condition("b", "QuotaReserved") == "False Inadmissible: LocalQueue lq doesn't exist"
    assert lab.admitted() == ["a"]
    lab.apply(local())
    assert lab.pending() == ["b"]


def test_cohorts_stay_as_long_as_they_are_referred_to() -> None:
    cohort = {"kind": "Cohort", "metadata": {"name": "team"}, "spec": {"parentName": "org"}}
    lab = make_lab(flavor(), cohort, queue(cohortName="team"), local())
    lab.cluster.remove("Cohort", "team")
    assert list(lab.cluster.state()["cohorts"]) == ["team"]
    lab.cluster.remove("ClusterQueue", "cq")
    assert lab.cluster.state()["cohorts"] == {}


def test_a_queue_that_leaves_a_deep_tree_wakes_the_others() -> None:
    cohort = {"kind": "Cohort", "metadata": {"name": "team"}, "spec": {"parentName": "org"}}
    lab = make_lab(
        flavor(), cohort, queue(cohortName="team"), queue("other", cohortName="team"), local()
    )
    lab.create(work("a", cpu="9"))
    lab.cluster.settle(4)
    assert lab.parked() == ["a"]
    lab.cluster.remove("ClusterQueue", "other")
    assert lab.pending() == ["a"]


def test_removing_what_is_not_there() -> None:
    lab = basic_lab()
    with pytest.raises(UnknownObjectError, match="there is no ClusterQueue named 'cqq'"):
        lab.cluster.remove("ClusterQueue", "cqq")
    with pytest.raises(UnknownObjectError, match="there is no Node named 'n'"):
        lab.cluster.remove("Node", "n")


def test_topologies_decide_whether_a_queue_is_active() -> None:
    topology = {
        "kind": "Topology",
        "metadata": {"name": "dc"},
        "spec": {"levels": [{"nodeLabel": "rack"}]},
    }
    lab = make_lab(flavor("rack", topologyName="dc"), queue(flavors="rack"), local())
    assert lab.cluster.cluster_queues["cq"].reason == "TopologyNotFound"
    lab.apply(topology)
    assert lab.cluster.is_active("cq")


def test_a_topology_stays_as_long_as_a_flavor_names_it() -> None:
    topology = {
        "kind": "Topology",
        "metadata": {"name": "dc"},
        "spec": {"levels": [{"nodeLabel": "rack"}]},
    }
    lab = make_lab(flavor("rack", topologyName="dc"), topology, queue(flavors="rack"), local())
    lab.cluster.remove("Topology", "dc")
    assert lab.cluster.is_active("cq")
    lab.cluster.remove("ClusterQueue", "cq")
    lab.cluster.remove("ResourceFlavor", "rack")
    assert not lab.cluster.objects.topologies
