"""What is offered, and only that: policies, cohorts, LocalQueues, nodes, combinations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from small_labs import flavor, job, lab, manifest, queue

import kueuelab as kl
from kueuelab.manifests.scenario import Apply
from kueuelab.messages import Catalog, english
from kueuelab.whatif.change_sets import Adjustment
from kueuelab.whatif.changes import Edit
from kueuelab.whatif.lab import Lab, LabRun
from kueuelab.whatif.policies import cohorts, policies
from kueuelab.whatif.report import Report, Suggestion
from kueuelab.whatif.subject import Subject

BLOCK, RACK = "cloud.provider.com/topology-block", "cloud.provider.com/topology-rack"
HOST = "kubernetes.io/hostname"


def edits(adjustments: Iterable[Adjustment]) -> list[dict[str, Any]]:
    """Return the values that adjustments set."""
    changes = [change for each in adjustments for change in each.part(each.most).changes]
    return [dict(change.values) for change in changes if isinstance(change, Edit)]


def subject_of(run: LabRun) -> Subject:
    return Subject(run.cluster, "default/late")


def test_with_several_flavors_the_other_values_of_flavor_fungibility_are_offered() -> None:
    field = "spec.flavorFungibility."
    for now, offered in (
        (
            {},
            [
                {field + "whenCanBorrow": "TryNextFlavor"},
                {field + "whenCanPreempt": "MayStopSearch"},
            ],
        ),
        ({"whenCanBorrow": "TryNextFlavor", "whenCanPreempt": "MayStopSearch"}, []),
    ):
        spec = {"flavorFungibility": now} if now else {}
        objects = [flavor("one"), flavor("two"), queue("team", {"one": 1, "two": 1}, **spec)]
        run = lab(objects, [job("late", "team", 2)]).run()
        found = edits(policies(subject_of(run)))
        assert found == offered
        for values in found:
            assert run.fork().edit("cluster-queue/team", values).run()


def test_other_cohorts_with_queues_are_offered_those_with_the_most_to_spare_first() -> None:
    """Its own has room, too, but not for it; ``empty`` has no queues."""
    quota = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": 99}]}
    groups = [{"coveredResources": ["cpu"], "flavors": [quota]}]
    objects = [
        flavor(),
        manifest("Cohort", "empty", {"resourceGroups": groups}),
        queue("team", {"default": 1}, limits={"borrowingLimit": 0}, cohortName="own"),
        queue("other", {"default": 50}, cohortName="own"),
        *(
            queue(name, {"default": cpu}, cohortName=f"of-{name}")
            for name, cpu in (("a", 2), ("b", 7))
        ),
    ]
    run = lab(objects, [job("late", "team", 2)]).run()
    assert edits(cohorts(subject_of(run))) == [
        {"spec.cohortName": "of-b"},
        {"spec.cohortName": "of-a"},
    ]


def test_a_missing_local_queue_is_created_in_the_namespace_of_the_workload() -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "research"}}
    objects = [flavor(), namespace, queue("team", {"default": 1}, local=False)]
    run = lab(objects, [job("late", "team", 1, namespace="research")]).run()
    report = run.what_would_admit("research/late")
    (found,) = report
    assert found.text == "create LocalQueue research/team for ClusterQueue team"
    admitted = run.fork().change(*found.changes).run().cluster.workload("research/late")
    assert admitted.is_admitted


def of_layers() -> Lab:
    """Have two racks of a block, with one host of 2 cpus each."""
    levels = (BLOCK, RACK, HOST)
    spec = {"levels": [{"nodeLabel": each} for each in levels]}
    nodes = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "uid": f"uid-of-{name}",
                "labels": dict(zip(levels, ("b", f"rack-of-{name}", name), strict=True)),
            },
            "status": {
                "allocatable": {"cpu": "2", "pods": "9"},
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        }
        for name in ("n1", "n2")
    ]
    topology = manifest("Topology", "layers", spec)
    rack = {"topology": {"required": "rack"}}
    return lab(
        [
            topology,
            *nodes,
            flavor(topologyName="layers", nodeLabels={BLOCK: "b"}),
            queue("team", {"default": 9}),
        ],
        [job("late", "team", 1, pods=3, **rack)],
    )


def test_a_node_more_is_another_node_beside_the_one_that_it_is_like() -> None:
    run = of_layers().run()
    report = run.what_would_admit("late")
    found = [each for each in report if each.kind == "node"]
    assert [str(each.text) for each in found] == [
        f"add a node like {name} to rack-of-{name}" for name in ("n1", "n2")
    ]
    (change,) = found[0].changes
    assert isinstance(change, Apply)
    (node,) = change.objects
    assert (node.metadata.name, node.metadata.uid) == ("n1-more", "")
    assert node.metadata.labels == {
        BLOCK: "b",
        RACK: "rack-of-n1",
        HOST: "n1-more",
    }


def test_without_nodes_in_a_topology_none_of_its_levels_is_offered() -> None:
    required = {"topology": {"required": "rack"}}
    run = lab([flavor(), queue("team", {"default": 1})], [job("late", "team", 2, **required)]).run()
    report = run.what_would_admit("late")
    assert not {"preferred", "level", "node"} & {each.kind for each in report}


def test_no_more_than_four_combinations_are_offered() -> None:
    """Its LocalQueue is stopped, and quota in any of five flavors would do."""
    names = [f"flavor-{number}" for number in range(5)]
    objects = [
        *map(flavor, names),
        queue("team", dict.fromkeys(names, 0), local=False),
        manifest("LocalQueue", "team", {"clusterQueue": "team", "stopPolicy": "Hold"}),
    ]
    report = lab(objects, [job("late", "team", 1)]).run().what_would_admit("late")
    assert [each.kind for each in report if "+" in each.kind] == ["stopPolicy+quota"] * 4


def test_the_table_has_all_queues_and_is_in_any_language() -> None:
    one = Suggestion("quota", "do it", (), queues=("a", "b"))
    other = Suggestion("finish", "wait", ())
    report = Report("ns/x", (), (one, other), 2)
    assert [row["queues"] for row in report.as_table()] == ["a, b", "-"]
    german = Catalog("de", {"whatif.report.column.change": "Änderung"}, english())
    assert report.table_text(german).split()[:3] == ["number", "Änderung", "time"]
    assert report.table_text().split()[:3] == ["number", "change", "time"]


# --- changes at the start -------------------------------------------------------------------


def two_queues() -> kl.Lab:
    return lab([flavor(), *(queue(name, {"default": 1}) for name in "ab")], [])


def test_what_changes_at_the_start_leaves_other_objects_of_its_kind_alone() -> None:
    made = two_queues().fork().edit("cluster-queue/a", {"spec.stopPolicy": "Hold"})
    queues = made.run().cluster.objects.cluster_queues
    assert {name: each.stop_policy for name, each in queues.items()} == {"a": "Hold", "b": "None"}
    applied = two_queues().fork().apply(queue("b", {"default": 1}, local=False, stopPolicy="Hold"))
    queues = applied.run().cluster.objects.cluster_queues
    assert {name: each.stop_policy for name, each in queues.items()} == {"a": "None", "b": "Hold"}


def test_what_is_removed_at_the_start_is_not_there_and_the_rest_is() -> None:
    removed = two_queues().fork().remove("cluster-queue/a").run()
    assert [*removed.cluster.objects.cluster_queues] == ["b"]
