"""The thirteen variants of the first notebook end as Kueue v0.19.2 ended them."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from kueuelab import scenarios
from kueuelab.errors import UnknownObjectError
from kueuelab.trace.steps import EntryProcessed, Nominated
from kueuelab.whatif.lab import Lab

RECORDED = Path(__file__).parents[2] / "conformance" / "curated-preemption-policies.jsonl.gz"


def recorded_cases() -> dict[str, Any]:
    with gzip.open(RECORDED, "rt", encoding="utf-8") as lines:
        return {case["name"]: _as_named_now(case) for case in map(json.loads, lines)}


def _as_named_now(case: Any) -> Any:
    """Return what was recorded under the names that the objects have in the scenario now."""
    aliases = scenarios.load(case["name"]).spec.aliases
    former = re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, aliases)) + r")(?![\w-])")

    def renamed(value: Any) -> Any:
        match value:
            case str():
                return former.sub(lambda found: aliases[found[0]], value)
            case list():
                return [renamed(each) for each in value]
            case dict():
                return {renamed(key): renamed(each) for key, each in value.items()}
        return value

    return {**case, "expect": renamed(case["expect"])}


CASES = recorded_cases()


def without_uid(message: str) -> str:
    return re.sub(r"\(UID: [^)]*\)", "", message)


def expected_entries(case: Any) -> list[tuple[Any, ...]]:
    return [
        (
            entry["workload"],
            entry["clusterQueue"],
            entry["status"],
            entry["mode"],
            entry["borrowing"],
            entry["message"],
            entry["requeueReason"],
            tuple((target["workload"], target["reason"]) for target in entry["targets"]),
        )
        for step in case["expect"]
        for cycle in step.get("cycles", ())
        for entry in cycle["entries"]
    ]


def decided_entries(trace: Any) -> list[tuple[Any, ...]]:
    borrowing: dict[str, int] = {}
    found = []
    for step in trace:
        if isinstance(step.facts, Nominated):
            borrowing[step.workload] = step.facts.borrowing
        elif isinstance(step.facts, EntryProcessed):
            facts = step.facts
            found.append(
                (
                    step.workload,
                    step.cluster_queue,
                    facts.status,
                    facts.mode,
                    borrowing[step.workload],
                    facts.message,
                    str(facts.requeue_reason),
                    facts.targets,
                )
            )
    return found


def test_every_variant_is_there() -> None:
    assert scenarios.names("preemption-policies") == tuple(sorted(CASES))


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_variant_is_decided_as_recorded(name: str) -> None:
    run = scenarios.load(name).run()
    assert decided_entries(run.trace) == expected_entries(CASES[name])


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_variant_ends_as_recorded(name: str) -> None:
    run = scenarios.load(name).run()
    state = run.state_at(len(run.trace) - 1)
    for key, wanted in CASES[name]["expect"][-1]["state"]["workloads"].items():
        found = state.workload(key)
        assert found.admission.cluster_queue == (wanted["admission"] or {}).get("clusterQueue", "")
        assert {
            (each.type, each.status, each.reason, without_uid(each.message))
            for each in found.conditions
        } == {
            (each["type"], each["status"], each["reason"], without_uid(each["message"]))
            for each in wanted["conditions"]
        }


@pytest.mark.parametrize("name", scenarios.names())
def test_a_scenario_says_what_happens_and_what_it_expects(name: str) -> None:
    scenario = scenarios.load(name)
    assert scenario.name == name
    assert scenario.title
    assert scenario.spec.description.endswith(".")
    assert scenario.spec.expect
    run = scenario.run()
    assert run.passed, [
        (outcome.subject, outcome.differences) for outcome in run.outcomes if not outcome.passed
    ]


def test_an_object_is_found_by_the_name_that_it_had() -> None:
    policy = "spec.preemption.reclaimWithinCohort"
    lab = scenarios.load("reclaim-1-take-back")
    by_name, by_former_name = (
        lab.fork().edit(f"cluster-queue/{name}", {policy: "Never"}).run()
        for name in ("team-a", "cluster-queue")
    )
    assert str(by_former_name.timeline) == str(by_name.timeline)
    assert str(by_name.timeline) != str(lab.run().timeline)


def test_names_of_queues_are_those_of_teams() -> None:
    for name in scenarios.names("preemption-policies"):
        lab = scenarios.load(name)
        assert isinstance(lab, Lab)
        found = lab.spec.manifests
        assert [each.metadata.name for each in found.cluster_queues] == ["team-a", "team-b"]
        assert {each.cohort_name for each in found.cluster_queues} == {"department"}
        assert not {each.metadata.name for each in found.local_queues} & set(lab.spec.aliases)


def test_a_scenario_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownObjectError, match="within-1-all-in-one-queue"):
        scenarios.load("within-1-all-in-one-queu")
