"""The figures of the overview say only what there is to say."""

from __future__ import annotations

from typing import Any

from kueuelab.session.handler import Handler


def figures(source: str) -> dict[str, dict[str, Any]]:
    handler = Handler()
    handler.answer({"do": "open", "source": source})
    return {each["id"]: each for each in handler.answer({"do": "overview"})["figures"]}


def test_what_is_borrowed_is_left_out_where_nothing_is() -> None:
    borrowed = figures("cohort-1-borrowing")["borrowed"]
    assert (borrowed["value"], borrowed["note"]) == ("6", "cpu, by 1 ClusterQueue")
    assert "borrowed" not in figures("topology-1-required")


def test_a_second_age_is_said_only_if_it_is_another_one() -> None:
    assert figures("cohort-1-borrowing")["waiting"]["note"] == ""
    assert figures("queues-1-flavors-and-namespaces")["waiting"]["note"].startswith("95 %")


def test_what_needs_a_change_is_said() -> None:
    assert figures("queues-1-flavors-and-namespaces")["pending"]["note"] == "2 need a change"


def test_which_workload_preempted_which_is_said() -> None:
    handler = Handler()
    handler.answer({"do": "open", "source": "reclaim-1-take-back"})
    (eviction,) = handler.answer({"do": "overview"})["evictions"]
    assert eviction["text"] == "default/job-2 preempted default/job-1"
    assert eviction["detail"] == "after 7s, InCohortReclamation"
    frame = handler.answer({"do": "why", "workload": "default/job-1", "step": eviction["step"]})
    assert "job-2" in str(frame)


def test_what_one_workload_preempted_in_a_cycle_is_said_together_the_latest_first() -> None:
    handler = Handler()
    handler.answer({"do": "open", "source": "devices-partitions"})
    (eviction,) = handler.answer({"do": "overview"})["evictions"]
    assert eviction["text"] == "default/whole preempted default/large and default/small"
    handler.answer({"do": "open", "source": "loop-1-the-victim-returns"})
    steps = [each["step"] for each in handler.answer({"do": "overview"})["evictions"]]
    run = handler.history.present["loop-1-the-victim-returns"].run
    assert len(steps) > 1
    assert steps == sorted(run.trace.of_kind("Evicted"), reverse=True)[: len(steps)]


def test_each_workload_is_in_one_phase() -> None:
    handler = Handler()
    for source in ("two-teams", "racks-1-levels", "queues-1-flavors-and-namespaces"):
        handler.answer({"do": "open", "source": source})
        phases = {each["id"]: each for each in handler.answer({"do": "overview"})["phases"]}
        page = handler.answer({"do": "workloads", "count": 500})
        assert sum(each["count"] for each in phases.values()) == page["total"]
        for name, each in phases.items():
            assert each["count"] == sum(row["phase"] == name for row in page["rows"])
            assert each["label"]
