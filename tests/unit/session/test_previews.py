"""The pictures of the gallery: the queues with their use at the moment that tells most."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.errors import InputError
from kueuelab.session.handler import Handler


def preview(name: str) -> dict[str, Any]:
    found: dict[str, Any] = Handler().answer({"do": "preview", "name": name})
    return found


def rows(name: str) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in preview(name)["rows"]}


def test_the_first_eviction_is_shown_with_what_leaves() -> None:
    found = preview("reclaim-1-take-back")
    assert (found["caption"], found["evicts"]) == ("7s: job-1 is preempted by job-2", True)
    team = rows("reclaim-1-take-back")["team-b"]
    # 200m of its own, 300m borrowed; the job that leaves has all of it.
    assert team["own"] + team["borrowed"] == pytest.approx(team["evicted"], abs=0.002)
    assert rows("reclaim-1-take-back")["team-a"]["pending"] == 1


def test_without_an_eviction_the_last_workload_that_waits_is_shown() -> None:
    found = preview("cohort-1-borrowing")
    assert (found["caption"], found["evicts"]) == ("5s: b-1 stays pending", False)


def test_a_dump_is_shown_as_it_is() -> None:
    assert preview("two-teams")["caption"] == "What is admitted, and what is pending"
    assert rows("two-teams")["cq-b"]["pending"] == 3


def test_each_of_several_clusters_has_its_queues() -> None:
    found = preview("lost-worker")["rows"]
    kinds = [(each["kind"], each["name"], each["depth"]) for each in found]
    assert kinds[:2] == [("Cluster", "manager", 0), ("ClusterQueue", "dispatch", 1)]
    assert [name for kind, name, _ in kinds if kind == "Cluster"] == ["manager", "w1", "w2"]


def test_a_topology_has_its_domains() -> None:
    found = rows("topology-9-preempts-for-a-rack")
    assert (found["r1"]["kind"], found["r1"]["own"]) == ("Domain", 0.5)
    assert preview("racks-1-levels")["more"] == 8


def test_every_example_has_a_picture_and_nothing_is_opened() -> None:
    handler = Handler()
    examples = handler.answer({"do": "hello"})["examples"]
    for each in examples[:: len(examples) // 12]:
        found = handler.answer({"do": "preview", "name": each["name"]})
        assert found["caption"]
        amounts = [row[part] for row in found["rows"] for part in ("nominal", "own", "evicted")]
        assert all(0 <= amount <= 1 for amount in amounts), each["name"]
    assert handler.answer({"do": "hello"})["opened"]["branches"] == []


def test_only_packaged_examples_have_a_picture() -> None:
    with pytest.raises(InputError, match="does not exist"):
        preview("/etc/passwd")
