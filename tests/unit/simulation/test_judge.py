"""Expectations are judged by the record: while it is written as from the finished one."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import get_args

import pytest

from kueuelab import scenarios, workshop
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Expectation, WorkloadStateName
from kueuelab.simulation import Outcome
from kueuelab.simulation.expectations import judge
from kueuelab.whatif.lab import Lab, LabRun
from kueuelab.workshop.answer import Answer
from kueuelab.workshop.play import lab_of

SECOND = 1_000_000_000


def asked_of(run: LabRun) -> ScenarioSpec:
    """Return the scenario with an expectation about everything, every few seconds."""
    spec = run._lab.spec
    found: list[Expectation] = []
    last = min(spec.end // SECOND, 200)
    for at in (*range(0, last, max(1, last // 7)), last + 1):
        for key in run.trace.workloads:
            found += [
                Expectation(at=at * SECOND, workload=key, state=state)
                for state in get_args(WorkloadStateName)
            ]
            flavors = {"cpu": "default"}
            found.append(Expectation(at=at * SECOND, workload=key, flavors=flavors, count=1))
            found.append(Expectation(at=at * SECOND, workload=key, message="quota"))
            found.append(
                Expectation(at=at * SECOND, workload=key, state="pending", reason="Pending")
            )
        for name in run.cluster.tree.cluster_queues:
            usage = {("default", "cpu"): 4000}
            found.append(
                Expectation(
                    at=at * SECOND, cluster_queue_name=name, usage=usage, pending=1, admitted=2
                )
            )
    return replace(spec, expect=tuple(found))


def held(run: LabRun) -> list[Outcome]:
    found = []
    for each in run.outcomes:
        time = run.start + each.expectation.at
        index = bisect_right(run.trace.steps, time, key=lambda step: step.time) - 1
        found.append(judge(each.expectation, run.trace.state_at(index)))
    return found


@pytest.mark.parametrize("name", scenarios.names())
def test_scenarios(name: str) -> None:
    first = scenarios.load(name).run()
    run = Lab(asked_of(first)).run()
    assert len({outcome.passed for outcome in run.outcomes}) == 2
    assert held(run) == list(run.outcomes)


@pytest.mark.parametrize("spec", workshop.specs(), ids=lambda spec: spec.name)
def test_cases_of_exercises(spec: workshop.library.ExerciseSpec) -> None:
    for case in spec.cases:
        if "multikueue" in case.scenario:
            continue
        run = lab_of(spec, case, Answer(spec.start)).run()
        assert held(run) == list(run.outcomes)
