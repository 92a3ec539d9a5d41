"""The changes that are offered where something is stopped, missing, or does not suit."""

from __future__ import annotations

from typing import Any

from offered import offers, subject_of, texts
from small_labs import flavor, job, lab, manifest, queue

from kueuelab.manifests.scenario import Apply
from kueuelab.whatif.proposals import checks, remedies

TEAM = ("team",)


def local(name: str, cluster_queue: str, **spec: Any) -> dict[str, Any]:
    return manifest("LocalQueue", name, {"clusterQueue": cluster_queue, **spec})


def namespace(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def test_what_is_in_order_needs_no_remedy() -> None:
    run = lab([flavor(), queue("team", {"default": 1})], [job("late", "team", 2)]).run()
    assert offers(remedies(subject_of(run))) == []


def test_what_is_stopped_goes_on() -> None:
    objects = [
        flavor(),
        queue("team", {"default": 1}, local=False, stopPolicy="Hold", namespaceSelector=None),
        local("team", "team", stopPolicy="HoldAndDrain"),
    ]
    run = lab(objects, [job("late", "team", 1, active=False)]).run()
    assert offers(remedies(subject_of(run))) == [
        ("activate", "activate default/late", ["activate default/late"], (), 1),
        (
            "stopPolicy",
            "remove the stop policy of LocalQueue/default/team",
            ["edit LocalQueue/default/team: spec.stopPolicy: None"],
            (),
            1,
        ),
        (
            "stopPolicy",
            "remove the stop policy of ClusterQueue/team",
            ["edit ClusterQueue/team: spec.stopPolicy: None"],
            TEAM,
            1,
        ),
        (
            "namespaceSelector",
            "let ClusterQueue team select all namespaces (empty namespaceSelector)",
            ["edit ClusterQueue/team: spec.namespaceSelector: {}"],
            TEAM,
            1,
        ),
    ]


def test_a_namespace_that_is_not_selected_is_labelled_or_all_are_selected() -> None:
    named = {**namespace("default"), "metadata": {"name": "default", "labels": {"area": "a"}}}
    for area, offered in (("a", []), ("b", ["namespaceLabel", "namespaceSelector"])):
        selector = {"matchLabels": {"area": area}}
        team = queue("team", {"default": 1}, namespaceSelector=selector)
        subject = subject_of(lab([flavor(), named, team], [job("late", "team", 2)]).run())
        assert [each.kind for each in offers(remedies(subject))] == offered


def test_a_local_queue_without_a_cluster_queue_may_point_to_another() -> None:
    """To any of the first four, by name."""
    queues = [queue(name, {"default": 1}, local=False) for name in "ebdca"]
    run = lab([flavor(), *queues, local("team", "missing")], [job("late", "team", 1)]).run()
    assert offers(remedies(subject_of(run))) == [
        (
            "clusterQueue",
            f"let LocalQueue default/team point to ClusterQueue {name}",
            [f"edit LocalQueue/default/team: spec.clusterQueue: {name}"],
            (),
            1,
        )
        for name in "abcd"
    ]


def test_a_missing_local_queue_is_created_for_any_of_four_cluster_queues() -> None:
    queues = [queue(name, {"default": 1}, local=False) for name in "ebdca"]
    subject = subject_of(lab([flavor(), *queues], [job("late", "team", 1)]).run())
    found = list(remedies(subject))
    assert [(each.kind, each.text, each.queues, each.size) for each in offers(found)] == [
        ("localQueue", f"create LocalQueue default/team for ClusterQueue {name}", (), 1)
        for name in "abcd"
    ]
    (change,) = found[1].part(1).changes
    assert isinstance(change, Apply)
    (made,) = change.objects
    assert str(made.metadata.name) == "team"
    assert made.metadata.namespace == "default"
    assert getattr(made, "cluster_queue", "") == "b"


def test_a_workload_of_no_queue_is_sent_to_one_that_is_there() -> None:
    late = manifest("Workload", "late", {"podSets": [pod_set("main")]})
    late["metadata"]["namespace"] = "default"
    run = lab([flavor(), queue("team", {"default": 1}), late], []).run()
    assert offers(remedies(subject_of(run))) == [
        (
            "queueName",
            "submit it to LocalQueue team",
            ["edit Workload/default/late: spec.queueName: team"],
            (),
            1,
        )
    ]


def test_it_may_be_sent_to_other_local_queues_of_its_namespace() -> None:
    """Not to those of the same ClusterQueue, and to four of them at most."""
    other = local("other", "other")
    other["metadata"]["namespace"] = "another"
    objects = [
        flavor(),
        namespace("another"),
        queue("team", {"default": 1}),
        local("also", "team"),
        other,
        queue("other", {"default": 1}, local=False),
        *(local(name, "other") for name in "ebdca"),
    ]
    run = lab(objects, [job("late", "team", 2)]).run()
    assert texts(remedies(subject_of(run))) == [f"submit it to LocalQueue {n}" for n in "abcd"]


def test_flavors_that_are_missing_are_created() -> None:
    objects = [flavor("here"), queue("team", {"gone": 1, "here": 1, "lost": 1})]
    found = list(remedies(subject_of(lab(objects, [job("late", "team", 2)]).run())))
    assert offers(found) == [
        (
            "flavor",
            f"create the ResourceFlavor {name}",
            [f"apply ResourceFlavor/{name}"],
            TEAM,
            1,
        )
        for name in ("gone", "lost")
    ]


# --- placement --------------------------------------------------------------------------------


def pod_set(name: str, **pod: Any) -> dict[str, Any]:
    containers = [{"name": "c", "resources": {"requests": {"cpu": 1}}}]
    return {"name": name, "count": 1, "template": {"spec": {"containers": containers, **pod}}}


def placed(*objects: Any, pod_sets: tuple[dict[str, Any], ...] = (pod_set("main"),)) -> Any:
    late = manifest("Workload", "late", {"queueName": "team", "podSets": [*pod_sets]})
    late["metadata"]["namespace"] = "default"
    return offers(remedies(subject_of(lab([*objects, late], []).run())))


SPOT = {"key": "spot", "value": "yes", "effect": "NoSchedule"}
BUSY = {"key": "busy", "effect": "NoExecute"}


def test_taints_of_each_flavor_are_tolerated_and_node_selectors_are_removed() -> None:
    zone = {"nodeSelector": {"zone": "b"}}
    kept = {"key": "old", "operator": "Exists"}
    found = placed(
        flavor("free", nodeLabels={"zone": "a"}),
        flavor("spot", nodeTaints=[SPOT, BUSY]),
        queue("team", {"free": 9, "missing": 9, "spot": 9}),
        pod_sets=(pod_set("a", **zone), pod_set("b", tolerations=[kept]), pod_set("c", **zone)),
    )
    assert found[0].kind == "flavor"
    added = (
        "{key: spot, operator: Equal, value: yes, effect: NoSchedule}, "
        "{key: busy, operator: Equal, value: , effect: NoExecute}"
    )
    edit, field = "edit Workload/default/late: ", "template.spec"
    assert found[1:] == [
        (
            "nodeSelector",
            "remove its node selector",
            [
                f"{edit}spec.podSets[a].{field}.nodeSelector: (none), "
                f"spec.podSets[c].{field}.nodeSelector: (none)"
            ],
            (),
            1,
        ),
        (
            "toleration",
            "add tolerations for the taints of flavor spot",
            [
                f"{edit}spec.podSets[a].{field}.tolerations: [{added}], "
                f"spec.podSets[b].{field}.tolerations: [{{key: old, operator: Exists}}, {added}], "
                f"spec.podSets[c].{field}.tolerations: [{added}]"
            ],
            (),
            1,
        ),
    ]


def test_where_a_flavor_suits_nothing_about_the_others_is_offered() -> None:
    objects = [flavor("spot", nodeTaints=[SPOT]), flavor("plain")]
    assert placed(*objects, queue("team", {"spot": 9, "plain": 0})) == []


def test_only_flavors_of_a_group_in_which_none_suits_are_tolerated() -> None:
    groups = [
        {
            "coveredResources": [resource],
            "flavors": [
                {"name": name, "resources": [{"name": resource, "nominalQuota": 1}]}
                for name in names
            ],
        }
        for resource, names in (("cpu", ["plain", "spot"]), ("gpu", ["tainted"]))
    ]
    team = manifest("ClusterQueue", "team", {"namespaceSelector": {}, "resourceGroups": groups})
    flavors = [flavor("plain"), *(flavor(n, nodeTaints=[SPOT]) for n in ("spot", "tainted"))]
    late = {**job("late", "team", 2), "requests": {"cpu": 2, "gpu": 1}}
    run = lab([*flavors, team, local("team", "team")], [late]).run()
    assert texts(remedies(subject_of(run))) == ["add tolerations for the taints of flavor tainted"]


# --- checks -----------------------------------------------------------------------------------


def test_the_checks_that_it_waits_for_are_set_to_ready() -> None:
    names = ("b", "done", "a")
    strategy = {"admissionChecks": [{"name": name} for name in names]}
    objects = [
        flavor(),
        *(manifest("AdmissionCheck", name, {"controllerName": "ours"}) for name in names),
        queue("team", {"default": 1}, admissionChecksStrategy=strategy),
    ]
    run = (
        lab(objects, [job("late", "team", 1)]).run().fork().set_check("late", "done", "Ready").run()
    )
    assert offers([checks(subject_of(run))]) == [
        (
            "check",
            "set admission check a and b to Ready",
            [f"set check {name} of default/late to Ready" for name in "ab"],
            (),
            2,
        )
    ]
