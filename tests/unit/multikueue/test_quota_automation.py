"""The manager's quota as the sum of the workers', gate MultiKueueManagerQuotaAutomation."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kueuelab.manifests import load, load_configuration
from kueuelab.multikueue import ClusterSet

sys.path.insert(0, str(Path(__file__).parents[2] / "multikueue"))
from cluster_sets import dispatching, queues


def _cluster_set(workers: dict[str, list[dict[str, Any]]], *, asked: bool = True) -> ClusterSet:
    gates = {"featureGates": {"MultiKueueManagerQuotaAutomation": True}}
    objects = [*queues(1, checks=["multikueue"]), *dispatching(list(workers))]
    if asked:
        config = next(o for o in objects if o["kind"] == "MultiKueueConfig")
        config["spec"]["quotaManagement"] = "Automated"
    made = ClusterSet(
        {
            "manager": load_configuration(gates),
            **{name: load_configuration({"namespace": "k"}) for name in workers},
        }
    )
    loaded = {"manager": list(load(objects))}
    loaded.update({name: list(load(objects)) for name, objects in workers.items()})
    made.load(loaded, facts=True)
    return made


def _quota(made: ClusterSet) -> int:
    queue = made.manager.member.cluster.objects.cluster_queues["cq"]
    return queue.resource_groups[0].flavors[0].resources[0].nominal // 1000


def _cq(cpu: int, *, checks: Sequence[str] = ()) -> Any:
    (found,) = load([o for o in queues(cpu, checks=checks) if o["kind"] == "ClusterQueue"])
    return found


def test_the_sum_is_there_from_the_start_and_follows() -> None:
    made = _cluster_set({"w1": queues(4), "w2": queues(3)})
    assert _quota(made) == 7
    assert made.log is not None
    assert not made.log.facts
    made.apply("w1", _cq(6))
    made.advance(2)
    assert _quota(made) == 9
    made.disconnect("w2")
    made.advance(2)
    assert _quota(made) == 6
    made.reconnect("w2")
    made.advance(30)
    assert _quota(made) == 9


def test_what_is_written_over_it_is_put_right_at_once() -> None:
    made = _cluster_set({"w1": queues(4)})
    made.apply("manager", _cq(50, checks=["multikueue"]))
    made.advance(0.1)
    assert _quota(made) == 4


def test_a_restart_starts_from_nothing() -> None:
    made = _cluster_set({"w1": queues(4)})
    made.restart_kueue("manager")
    seen = set()
    for _ in range(30):
        made.advance(0.1)
        seen.add(_quota(made))
    assert seen == {4, 0}
    assert _quota(made) == 4


def test_it_says_why_it_does_nothing() -> None:
    def condition(made: ClusterSet) -> tuple[str, str]:
        found = made.manager.quota_automation.conditions["cq"]
        return found.reason, found.message

    assert condition(_cluster_set({"w1": queues(4)}, asked=False)) == (
        "NotRequested",
        "MultiKueue manager quota automation has not been requested.",
    )
    more = queues(4)
    group = more[1]["spec"]["resourceGroups"][0]
    group["coveredResources"].append("memory")
    group["flavors"][0]["resources"].append({"name": "memory", "nominalQuota": "4Gi"})
    assert condition(_cluster_set({"w1": more})) == (
        "UnsupportedConfiguration",
        "manager-side coveredResources is missing resources configured on workers: [memory]",
    )


def test_a_queue_that_is_multikueues_no_more_loses_the_condition() -> None:
    made = _cluster_set({"w1": queues(4)})
    made.apply("manager", _cq(4))
    made.advance(1)
    assert made.log is not None
    facts = [fact.fact for fact in made.log.facts if fact.name == "cq"]
    assert "condition MultiKueueManagerQuotaAutomation removed" in facts
