"""What searches share of a record is what each of them would record by itself."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.bench.cluster_dump import DumpShape, dump_objects
from kueuelab.manifests.scenario import ScenarioSpec
from kueuelab.model import ClusterQueue
from kueuelab.scheduler.preemption.candidate_log import _CandidateLog
from kueuelab.trace.fact_list import CandidateFacts, FactList
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.step_list import StepBlock
from kueuelab.trace.steps import PreemptionStarted, QueueSkipped
from kueuelab.whatif.lab import Lab


def dump(queues: int, policy: str) -> ScenarioSpec:
    """Return a cluster in which ClusterQueues preempt within themselves, too."""
    objects = list(dump_objects(DumpShape(queues=queues)))
    for obj in objects:
        if obj["kind"] == "ClusterQueue":
            obj["spec"].setdefault("preemption", {})["withinClusterQueue"] = policy
    found = kl.load(objects)
    assert isinstance(found, Lab)
    return found.spec


SPECS = [
    *(scenarios.load(name).spec for name in scenarios.names("preemption-policies")),
    *(dump(6, policy) for policy in ("LowerPriority", "LowerOrNewerEqualPriority")),
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name or "dump")
def test_verdicts_that_are_shared_are_those_of_each_search(
    spec: ScenarioSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def saved(name: str) -> bytes:
        path = tmp_path / name
        Lab(spec).run().save(path)
        return gzip.decompress(path.read_bytes())

    shared = saved("shared.json.gz")
    monkeypatch.setattr(_CandidateLog, "verdicts", _CandidateLog._verdicts)
    assert saved("each.json.gz") == shared


def deep(queues: int, reclaim: str = "Any", within: str = "Never") -> Lab:
    """Return a cluster of three levels of Cohorts in which all have the same policies."""
    objects = list(dump_objects(DumpShape(queues=queues, pending=3, admitted=2)))
    for obj in objects:
        if obj["kind"] == "ClusterQueue":
            obj["spec"]["preemption"] = {
                "reclaimWithinCohort": reclaim,
                "withinClusterQueue": within,
            }
    found = kl.load(objects)
    assert isinstance(found, Lab)
    return found


def test_what_cohorts_have_in_common_is_what_each_search_finds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def made_each_time(_: _CandidateLog, key: object, make: Callable[[], object]) -> object:
        return make()

    shared = deep(40).run().trace.steps
    monkeypatch.setattr(_CandidateLog, "_once", made_each_time)
    assert deep(40).run().trace.steps == shared


def test_the_candidates_of_a_cohort_are_asked_for_once_by_all_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = 0
    verdicts = _CandidateLog.verdicts

    def counted(*args: Any, **options: Any) -> CandidateFacts:
        nonlocal asked
        asked += 1
        return verdicts(*args, **options)

    monkeypatch.setattr(_CandidateLog, "verdicts", counted)
    trace = deep(100).run().trace
    found = [entry.all_facts for entry in trace.steps.stored if isinstance(entry, StepBlock)]
    lists = [facts for facts in found if isinstance(facts, FactList)]
    seen = sum(1 for facts in lists for queue in facts.queues() if len(queue))
    own = len(trace.of_kind("PreemptionStarted"))
    assert (asked - own) * 4 < seen - own


def test_a_search_that_never_reclaims_skips_all_but_its_own_cluster_queue() -> None:
    lab = deep(40, reclaim="Never", within="LowerPriority")
    every = {obj.name for obj in lab.spec.manifests if isinstance(obj, ClusterQueue)}
    trace = lab.run().trace
    skipped: dict[int, list[str]] = {}
    for step in trace.steps:
        if isinstance(step.facts, PreemptionStarted):
            skipped[step.index] = names = []
            own = step.cluster_queue
        elif isinstance(step.facts, QueueSkipped):
            assert step.cluster_queue == own
            names.append(step.facts.queue)
    assert skipped
    assert all(
        sorted(names) == sorted(every - {trace.steps[start].cluster_queue})
        for start, names in skipped.items()
    )


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name or "dump")
def test_facts_that_are_one_object_are_those_of_each_step(
    spec: ScenarioSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = Lab(spec).run().trace.steps
    monkeypatch.setattr(Recorder, "once", lambda _, __, make: make())
    monkeypatch.setattr(Recorder, "same", lambda _, kind, *values: kind(*values))
    assert Lab(spec).run().trace.steps == shared
