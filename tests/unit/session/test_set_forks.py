"""Several clusters: an object of one is edited, a lever is tried, a patch of each is checked."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.errors import InputError
from kueuelab.session.handler import Handler


@pytest.fixture
def handler() -> Handler:
    found = Handler()
    found.answer({"do": "open", "source": "quota-far-above"})
    return found


def ask(handler: Handler, do: str, **fields: Any) -> Any:
    return handler.answer({"do": do, **fields})


def test_the_objects_of_each_cluster_are_edited_on_their_own(handler: Handler) -> None:
    found = ask(handler, "objects", branch="quota-far-above/w1")
    assert found["object"].startswith("ClusterQueue/")
    text = found["text"]
    quota = next(line for line in text.splitlines() if "nominalQuota" in line)
    changed = text.replace(quota, f"{quota.partition(':')[0]}: 100")
    opened = ask(handler, "edit", branch="quota-far-above/w1", object=found["object"], text=changed)
    branch = opened["branches"][-1]
    assert branch["parent"] == "quota-far-above"
    assert "In w1" in branch["change"] or "w1" in branch["change"]
    again = ask(handler, "objects", branch=f"{branch['name']}/w1", object=found["object"])
    assert "nominalQuota: 100" in again["text"] or "nominalQuota: '100'" in again["text"]
    pair = {"before": "quota-far-above", "after": branch["name"]}
    patch = ask(handler, "patch", **{key: f"{name}/w1" for key, name in pair.items()})
    assert (patch["objects"], patch["gives"]) == (1, True)
    assert patch["check"].startswith("Checked: applied to quota-far-above/w1")
    other = ask(handler, "patch", **{key: f"{name}/w2" for key, name in pair.items()})
    assert (other["objects"], other["check"]) == (0, "")


def test_a_lever_of_a_worker_has_a_patch_of_that_cluster() -> None:
    handler = Handler()
    ask(handler, "open", source="limit-not-local-first")
    after = ask(handler, "try", workload="default/remote", lever=0)["branch"]
    found = ask(handler, "compare", before="limit-not-local-first", after=after)
    assert [each["workload"] for each in found["workloads"]] == ["default/remote"]
    patches = {
        name: ask(handler, "patch", before=f"limit-not-local-first/{name}", after=f"{after}/{name}")
        for name in ("manager", "w1")
    }
    assert {name: each["objects"] for name, each in patches.items()} == {"manager": 0, "w1": 1}
    assert patches["w1"]["gives"]
    assert "kind: ClusterQueue" in patches["w1"]["text"]


def test_a_patch_of_one_cluster_is_checked() -> None:
    handler = Handler()
    ask(handler, "open", source="two-teams")
    ask(handler, "try", workload="team-b/job-b-cpu-2-71f14", lever=0)
    patch = ask(handler, "patch", before="two-teams", after="two-teams: quota")
    assert patch["gives"]
    assert patch["check"].startswith("Checked: applied to two-teams, it gives the objects of")


def test_what_does_not_differ_is_no_edit(handler: Handler) -> None:
    found = ask(handler, "objects", branch="quota-far-above/w1")
    with pytest.raises(InputError, match="Nothing is different"):
        ask(
            handler,
            "edit",
            branch="quota-far-above/w1",
            object=found["object"],
            text=found["text"],
        )
