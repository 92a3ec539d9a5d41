"""Quotas that are moved, and several levers at once: what comes of them, and the branches."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.session.handler import Handler

WORKLOAD = "team-b/job-b-cpu-2-71f14"


@pytest.fixture
def handler() -> Handler:
    handler = Handler()
    handler.answer({"do": "open", "source": "two-teams"})
    return handler


def slider(handler: Handler, kind: str, name: str) -> Any:
    found = handler.answer({"do": "quotas", "workload": WORKLOAD})["sliders"]
    return next(each for each in found if (each["kind"], each["name"]) == (kind, name))


def setting(each: Any, value: str | None) -> dict[str, Any]:
    return {"object": each["object"], "field": each["field"], "value": value}


def tried(handler: Handler, *settings: Any) -> Any:
    command = {"do": "tryQuotas", "workload": WORKLOAD, "settings": list(settings)}
    return handler.answer(command)


def test_the_queue_of_the_workload_and_its_lenders_have_sliders(handler: Handler) -> None:
    found = handler.answer({"do": "quotas", "workload": WORKLOAD})
    kinds = {(each["name"], each["kind"], each["own"]) for each in found["sliders"]}
    assert kinds == {
        ("cq-b", "nominalQuota", True),
        ("cq-b", "borrowingLimit", True),
        ("cq-a", "nominalQuota", False),
        ("cq-a", "lendingLimit", False),
    }
    for each in found["sliders"]:
        values = [stop["value"] for stop in each["stops"] if stop["value"] >= 0]
        assert values == sorted(values)
        assert 0 <= each["at"] < len(each["stops"])
    assert found["outcome"]["tone"] == "warn"


def test_more_nominal_quota_admits_it_and_keeps_nothing(handler: Handler) -> None:
    own = slider(handler, "nominalQuota", "cq-b")
    found = tried(handler, setting(own, "10"))
    assert (found["tone"], found["parts"]) == ("ok", [])
    bar = next(each for each in found["bars"] if each["resource"] == "cpu")
    assert (bar["nominal"]["text"], bar["own"]["text"], bar["borrowed"]["text"]) == (
        "10",
        "10",
        "2",
    )
    assert tried(handler)["tone"] == "warn"
    assert len(handler.history.present.branches) == 1


def test_less_quota_of_a_lender_does_not_admit_it(handler: Handler) -> None:
    lends = slider(handler, "lendingLimit", "cq-a")
    assert tried(handler, setting(lends, "0"))["tone"] == "warn"


def test_a_value_that_the_api_server_refuses_is_an_error(handler: Handler) -> None:
    lends = slider(handler, "lendingLimit", "cq-a")
    with pytest.raises(InputError):
        tried(handler, setting(lends, "99"))
    with pytest.raises(UnknownObjectError):
        handler.answer({"do": "quotas", "workload": "nobody"})


def test_quotas_are_kept_as_a_branch_with_the_same_outcome(handler: Handler) -> None:
    own = slider(handler, "nominalQuota", "cq-b")
    settings = [setting(own, "10")]
    opened = handler.answer({"do": "keepQuotas", "workload": WORKLOAD, "settings": settings})
    assert opened["branch"] == "two-teams: quotas"
    assert handler.answer({"do": "workload", "workload": WORKLOAD})["phase"] == "Admitted"
    patch = handler.answer({"do": "patch", "before": "two-teams", "after": opened["branch"]})
    assert patch["objects"] == 1


def test_several_levers_are_one_branch_with_one_cost(handler: Handler) -> None:
    levers = handler.answer({"do": "levers", "workload": WORKLOAD})["levers"]
    first, second = [each["number"] for each in levers if each["canTry"]][:2]
    alone = handler.answer({"do": "cost", "workload": WORKLOAD, "lever": second})
    assert alone["parts"][0]["kind"] == "evicts"
    joint = {"workload": WORKLOAD, "lever": first, "more": [second]}
    found = handler.answer({"do": "cost", **joint})
    # With more quota, the higher priority has nothing to evict.
    assert [part["kind"] for part in found["parts"]] == ["grows"]
    assert found["end"] == "The workload in the end: Admitted."
    opened = handler.answer({"do": "try", **joint})
    assert opened["branch"] == "two-teams: levers"
    assert "nominalQuota: 10" in opened["branches"][-1]["change"]
    assert "priority: 1001" in opened["branches"][-1]["change"]
    with pytest.raises(InputError):
        handler.answer({"do": "cost", "workload": WORKLOAD, "lever": 0, "more": [99]})
