"""Whole recorded runs through watch → trace: the lab decides as Kueue did, each time."""

from __future__ import annotations

import copy
import gzip
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from stand_in import shared

sys.path.insert(0, str(Path(__file__).parents[1] / "simulation"))
from simulation_lab import flavor, local, make_lab, queue, work

from kueuelab.live.mirror import Mirror
from kueuelab.live.recordings import played_from
from kueuelab.manifests.encode import encode_object
from kueuelab.model import Configuration, WorkloadStatus
from kueuelab.model.times import parse_time
from kueuelab.trace.explain import who_evicted, why
from kueuelab.trace.steps import EventEmitted

SCENARIOS = {
    "reclaim-within-cohort": (20, 2),
    "borrow-within-cohort": (18, 2),
    "priority-preemption": (20, 3),
}


def recorded(name: str) -> tuple[int, list[dict[str, Any]], list[dict[str, Any]]]:
    folder = shared(f"scenarios/{name}")
    objects = [
        {**obj}
        for file in sorted((folder / "before").glob("*.yaml"))
        for obj in yaml.safe_load(file.read_text())["items"]
    ]
    with gzip.open(folder / "stream.jsonl.gz") as stream:
        lines = [json.loads(line) for line in stream]
    job = next(line["object"] for line in lines if line["resource"] == "jobs")
    return parse_time(job["metadata"]["creationTimestamp"]), objects, lines


def mirrored(name: str, lines: list[dict[str, Any]] | None = None) -> Mirror:
    start, objects, stream = recorded(name)
    mirror = Mirror(Configuration(), start, name)
    mirror.load(objects)
    for line in stream if lines is None else lines:
        mirror.feed(start + round(line["t"] * 1e9), line["type"], line["object"])
    mirror.settle()
    return mirror


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_decision_of_a_recorded_run_is_the_labs(name: str) -> None:
    mirror = mirrored(name)
    decisions, evictions = SCENARIOS[name]
    assert [str(decision) for decision in mirror.decisions if not decision.agrees] == []
    assert len(mirror.decisions) == decisions
    assert sum(bool(decision.observed.target) for decision in mirror.decisions) == evictions
    assert mirror.problems == {}
    told = [s.facts.reason for s in mirror.trace if s.kind == "EventEmitted"]  # type: ignore[attr-defined]
    assert told == ["AgreesWithKueue"] * decisions


def test_the_trace_has_what_the_cluster_did_and_the_labs_reasons() -> None:
    trace = mirrored("reclaim-within-cohort").trace
    eviction = who_evicted(trace, "biology/job-leaves-ef962")
    assert eviction is not None
    assert eviction.preemptor == "physics/job-beam-d9726"
    step = next(s.index for s in trace if s.kind == "Evicted")
    explanation = why(trace, "physics/job-beam-d9726", step).as_text()
    assert "2 requested" in explanation or "cpu in flavor default" in explanation
    final = trace.state_at(len(trace) - 1).workloads
    assert {each.phase for each in final.values()} == {"Finished"}


def test_a_trace_is_the_same_every_time() -> None:
    assert mirrored("priority-preemption").trace == mirrored("priority-preemption").trace


def changed(name: str, change: Any) -> Mirror:
    lines = copy.deepcopy(recorded(name)[2])
    for line in lines:
        if line["resource"] == "workloads":
            change(line["object"])
    return mirrored(name, lines)


def test_another_victim_than_the_labs_is_reported() -> None:
    def other_reason(obj: dict[str, Any]) -> None:
        for condition in obj.get("status", {}).get("conditions", ()):
            if condition["type"] == "Preempted" and condition["status"] == "True":
                condition["reason"] = "InClusterQueue"

    found = [d for d in changed("reclaim-within-cohort", other_reason).decisions if not d.agrees]
    assert len(found) == 2
    assert "(InClusterQueue) — differs: the lab would preempt biology/job-leaves" in str(found[0])


def test_another_message_than_the_labs_is_reported() -> None:
    def other_message(obj: dict[str, Any]) -> None:
        for condition in obj.get("status", {}).get("conditions", ()):
            condition["message"] = condition["message"].replace("3 more needed", "4 more needed")

    mirror = changed("reclaim-within-cohort", other_message)
    found = [str(decision) for decision in mirror.decisions if not decision.agrees]
    assert len(found) == 1
    assert "4 more needed — differs: the lab says “" in found[0]
    assert "3 more needed”" in found[0]
    told = [s.facts.reason for s in mirror.trace if s.kind == "EventEmitted"]  # type: ignore[attr-defined]
    assert told.count("DiffersFromKueue") == 1


def test_an_object_that_cannot_be_read_is_left_out_and_named() -> None:
    mirror = Mirror(Configuration(), 0)
    queue = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "odd"},
        "spec": {"resourceGroups": 5},
    }
    mirror.feed(1, "ADDED", queue)
    mirror.feed(2, "BOOKMARK", {"kind": "ClusterQueue", "metadata": {"resourceVersion": "1"}})
    assert list(mirror.problems) == ["ClusterQueue/odd"]


def test_a_workload_that_is_made_anew_is_another() -> None:
    lines = recorded("priority-preemption")[2]
    first = next(line for line in lines if line["resource"] == "workloads")
    again = copy.deepcopy(first)
    again["object"]["metadata"]["uid"] = "another"
    mirror = mirrored("priority-preemption", [first, again, {**again, "type": "DELETED"}])
    kinds = [step.kind for step in mirror.trace if step.workload]
    assert kinds.count("WorkloadCreated") == kinds.count("WorkloadDeleted") == 2
    assert not mirror.workloads


def test_a_message_that_is_written_late_is_judged_on_the_cycle_it_belongs_to() -> None:
    """The cycle counted an admission already, and did not know yet that another job had ended."""
    mirror = played_from(shared("recorded/m11-affinity")).mirror
    assert [str(decision) for decision in mirror.decisions if not decision.agrees] == []
    assert len(mirror.decisions) == 20


def test_sixty_jobs_with_preemption_are_followed_without_a_difference() -> None:
    """Equal heads of one cycle come in any order in Kueue; see ``follow-60-jobs/differ.txt``."""
    folder = shared("recorded/follow-60-jobs")
    text = (folder / "before" / "all.yaml").read_text("utf-8")
    with gzip.open(folder / "stream.jsonl.gz") as stream:
        lines = [json.loads(line) for line in stream]
    start = parse_time(lines[0]["object"]["metadata"]["creationTimestamp"])
    mirror = Mirror(Configuration(), start)
    mirror.load(yaml.load(text, Loader=yaml.CSafeLoader)["items"])
    for line in lines:
        mirror.feed(start + round(line["t"] * 1e9), line["type"], line["object"])
    mirror.settle()
    assert [str(decision) for decision in mirror.decisions if not decision.agrees] == []
    assert len(mirror.decisions) == 231


def test_a_preemptor_that_waits_for_its_target_is_a_head_of_later_cycles() -> None:
    """Nothing is written about it then, but `late` does not fit because of it."""
    objects = [
        flavor(),
        queue("a", "3", cohortName="all", preemption={"reclaimWithinCohort": "Any"}),
        queue("b", "1", cohortName="all"),
        queue("c", "0", cohortName="all"),
        *(local(f"{name}-lq", name) for name in "abc"),
    ]
    lab = make_lab(*objects)
    mirror = Mirror(Configuration(), lab.cluster.now)
    mirror.load([encode_object(obj) for obj in lab.cluster.objects])
    written: list[str] = []
    lab.cluster.plane.on_write = written.append

    def follow() -> None:
        """Show what was written since the last time, in that order."""
        for key in dict.fromkeys(written):
            state = lab.cluster.workloads[key]
            conditions = tuple(state.conditions.values())
            status = WorkloadStatus(conditions=conditions, admission=state.admission)
            mirror.feed(
                lab.cluster.now, "MODIFIED", encode_object(replace(state.obj, status=status))
            )
        written.clear()

    def arrive(name: str, cpu: str, queue_name: str, priority: int) -> None:
        lab.create(work(name, cpu, queue_name=queue_name, priority=priority))
        follow()
        lab.cluster.cycle()
        follow()

    arrive("low", "2", "c-lq", 0)
    arrive("high", "3", "a-lq", 10)
    lab.wait(60)
    arrive("late", "2", "b-lq", 0)
    skipped = "Workload no longer fits after processing another workload"
    assert lab.condition("late", "QuotaReserved").endswith(skipped)
    assert [str(decision) for decision in mirror.decisions if not decision.agrees] == []
    assert len(mirror.decisions) == 4


def test_an_admission_that_is_written_after_what_follows_from_it_is_taken_into_account() -> None:
    """Also if the lab has made that admission before, from a state that was incomplete."""
    objects = [
        flavor(),
        queue("a", "4", cohortName="all"),
        queue("b", "0", cohortName="all"),
        queue("c", "0", cohortName="all"),
        queue("d", "0", cohortName="all"),
        *(local(f"{name}-lq", name) for name in "abcd"),
    ]
    lab = make_lab(*objects)
    mirror = Mirror(Configuration(), lab.cluster.now)
    mirror.load([encode_object(obj) for obj in lab.cluster.objects])

    def show(*names: str) -> None:
        """Show these workloads as they are now, one after another."""
        for name in names:
            state = lab.cluster.workloads[f"default/{name}"]
            conditions = tuple(state.conditions.values())
            status = WorkloadStatus(conditions=conditions, admission=state.admission)
            mirror.feed(
                lab.cluster.now, "MODIFIED", encode_object(replace(state.obj, status=status))
            )

    def arrive(name: str, cpu: str, queue_name: str, priority: int = 0) -> None:
        lab.create(work(name, cpu, queue_name=queue_name, priority=priority))
        show(name)

    arrive("first", "3", "a-lq")
    arrive("second", "2", "b-lq")
    lab.cluster.cycle()
    show("second", "first")  # until `first` is shown, the lab would admit `second`
    lab.cluster.cycle()
    show("second")
    lab.cluster.finish("default/first")
    show("first")
    arrive("other", "1", "d-lq", 10)
    arrive("third", "2", "c-lq")
    lab.cluster.cycle()
    skipped = "Workload no longer fits after processing another workload"
    assert lab.condition("third", "QuotaReserved").endswith(skipped)
    show("other", "third", "second")
    mirror.settle()
    assert [str(decision) for decision in mirror.decisions if not decision.agrees] == []
    assert len(mirror.decisions) == 6


@pytest.mark.parametrize(
    ("versions", "seconds", "agrees"),
    [
        (("7", "6"), 0.1, True),
        (("", ""), 0.1, True),
        (("7", "8"), 0.1, False),
        (("7", "6"), 2.1, False),
    ],
)
@pytest.mark.parametrize("kind", ["ClusterQueue", "LimitRange"])
def test_an_object_whose_change_is_reported_after_what_follows_from_it_is_taken_into_account(
    kind: str, versions: tuple[str, str], seconds: float, agrees: bool
) -> None:
    """But not if it was changed after the decision, or if that is reported much later."""
    limits = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "small", "namespace": "default"},
        "spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}}]},
    }
    quota, more = ("1", []) if kind == "ClusterQueue" else ("2", [limits])
    lab = make_lab(flavor(), queue("a", quota), local("a-lq", "a"), *more)
    mirror = Mirror(Configuration(), lab.cluster.now)
    mirror.load([encode_object(obj) for obj in lab.cluster.objects])

    def show(obj: dict[str, Any], version: str, type_: str = "MODIFIED") -> None:
        metadata = obj["metadata"] | {"resourceVersion": version}
        mirror.feed(lab.cluster.now, type_, obj | {"metadata": metadata})

    lab.create(work("late", "2", queue_name="a-lq"))
    show(encode_object(lab.cluster.workloads["default/late"].obj), "5", "ADDED")
    if kind == "ClusterQueue":
        lab.apply(queue("a", "2"))
    else:
        lab.cluster.remove(kind, "small", "default")
    lab.cluster.cycle()
    state = lab.cluster.workloads["default/late"]
    conditions = tuple(state.conditions.values())
    status = WorkloadStatus(conditions=conditions, admission=state.admission)
    assert status.admission is not None
    show(encode_object(replace(state.obj, status=status)), versions[0])
    assert [decision.agrees for decision in mirror.decisions] == [False]
    lab.cluster.advance_to(lab.cluster.now + round(seconds * 10**9))
    if kind == "ClusterQueue":
        show(queue("a", "2"), versions[1])
    else:
        show(limits, versions[1], "DELETED")
    mirror.settle()
    assert [decision.agrees for decision in mirror.decisions] == [agrees]
    events = [s.facts for s in mirror.trace if isinstance(s.facts, EventEmitted)]
    told = [event.reason for event in events if "Kueue" in event.reason]
    assert told == ["AgreesWithKueue" if agrees else "DiffersFromKueue"]
