"""Cases of exercises on a cluster: stand-ins for one, and a recorded run of a real one."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from kueuelab import workshop
from kueuelab.errors import InputError, Problem
from kueuelab.live.mirror import Mirror
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Submit
from kueuelab.model import OwnerReference, Workload
from kueuelab.model.times import parse_time
from kueuelab.trace import Trace, steps
from kueuelab.trace.recorder import Recorder
from kueuelab.whatif.lab import Lab
from kueuelab.workshop import Exercise, Progress
from kueuelab.workshop.checks import NoLoop
from kueuelab.workshop.live_check import verdict_on
from kueuelab.workshop.reading import read_exercise

RECORDED = Path(__file__).parents[2] / "data" / "live" / "scenarios" / "reclaim-within-cohort"
SECOND = 1_000_000_000
SINGLE = [spec.name for spec in workshop.specs() if spec.topic != "multikueue"]


@dataclass(frozen=True)
class ObservedCluster:
    trace: Trace
    seen: Mapping[str, Workload]


class Cluster:
    """What every player has."""

    name = "kind-lab"

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self.told: list[str] = []

    def tell(self, sentence: str) -> None:
        self.told.append(sentence)

    def require_playable(self, scenario: ScenarioSpec) -> None:
        """Take everything."""


class Rehearsal(Cluster):
    """The simulator in the place of a cluster: another clock, and names that end in a hash."""

    def __init__(self, speed: float = 1.0) -> None:
        super().__init__(speed)
        self.seconds: list[float] = []
        self.seen: dict[str, Workload] = {}
        self.keys: dict[str, str] = {}

    def play(self, scenario: ScenarioSpec, seconds: float) -> ObservedCluster:
        self.seconds.append(seconds)
        self.seen, self.keys = {}, {}
        timeline = [self._renamed(action) for action in scenario.timeline]
        spec = replace(
            scenario,
            timeline=tuple(timeline),
            expect=(),
            start=parse_time("2026-05-05T05:05:05Z"),
        )
        run = Lab(spec).run(until=seconds)
        return ObservedCluster(run.trace, dict(self.seen))

    def _renamed(self, action: Any) -> Any:
        action = replace(action, at=round(action.at / self.speed))
        if not isinstance(action, Submit):
            # The timeline names a workload as the scenario does, as a player on a cluster does.
            key = getattr(action, "workload", None)
            return action if key is None else replace(action, workload=self.keys[key])
        found = []
        for workload in action.workloads:
            name = workload.metadata.name
            owner = OwnerReference("batch/v1", "Job", name, "uid")
            meta = replace(workload.metadata, name=f"job-{name}-1a2b3", owner_references=(owner,))
            found.append(replace(workload, metadata=meta))
            self.seen[found[-1].key] = found[-1]
            self.keys[workload.key] = found[-1].key
        runs = None if action.runs is None else round(action.runs / self.speed)
        return replace(action, workloads=tuple(found), runs=runs)


class Recording(Cluster):
    """A recorded run of a real cluster."""

    def play(self, scenario: ScenarioSpec, seconds: float) -> Mirror:
        with gzip.open(RECORDED / "stream.jsonl.gz", "rt") as stream:
            lines = [json.loads(line) for line in stream]
        first = next(line["object"] for line in lines if line["resource"] == "jobs")
        start = parse_time(first["metadata"]["creationTimestamp"])
        mirror = Mirror(scenario.configuration, start, "kind-lab")
        mirror.load(
            obj
            for file in sorted((RECORDED / "before").glob("*.yaml"))
            for obj in yaml.safe_load(file.read_text())["items"]
        )
        for line in lines:
            mirror.feed(start + round(line["t"] * SECOND), line["type"], line["object"])
        mirror.settle()
        return mirror


@pytest.fixture
def recorded(tmp_path: Path) -> Exercise:
    """Return an exercise about what was recorded."""
    scenario = yaml.safe_load((RECORDED / "scenario.yaml").read_text())["spec"]
    checks = [
        {"id": "beam", "admitted": "physics/beam", "within": "5s"},
        {"id": "early", "admitted": "physics/beam", "within": "500ms"},
        {"id": "victim", "evicted": "biology/leaves", "reason": "InCohortReclamation"},
        {"id": "peace", "notEvicted": {"queue": "biology"}},
        {"id": "cells", "notEvicted": {"workload": "biology/cells"}},
        {"id": "full", "expect": {"at": "7s", "clusterQueue": "biology", "admitted": 3}},
        {"id": "empty", "expect": {"at": "7s", "clusterQueue": "biology", "admitted": 0}},
        {"id": "genes", "expect": {"at": "7s", "workload": "biology/genes", "is": "admitted"}},
        {"id": "rest", "noLoop": True},
    ]
    case = {"id": "monday", "timeline": scenario["timeline"], "checks": checks}
    spec = {"number": 1, "topic": "cohorts", "difficulty": "easy", "minutes": 5, "cases": [case]}
    document = {"apiVersion": "kueuelab/v1", "kind": "Exercise", "metadata": {"name": "recorded"}}
    folder = tmp_path / "recorded"
    (folder / "texts").mkdir(parents=True)
    (folder / "exercise.yaml").write_text(yaml.safe_dump({**document, "spec": spec}))
    (folder / "start.yaml").write_text(yaml.safe_dump_all(scenario["manifests"]))
    texts = {f"check.{check['id']}": check["id"] for check in checks}
    texts |= {"case.monday": "Monday", "title": "Recorded", "goal": "?"}
    (folder / "texts" / "en.yaml").write_text(yaml.safe_dump({"messages": texts}))
    progress = Progress(tmp_path / "progress.json")
    return Exercise(read_exercise(folder), tmp_path / "work", progress, 1)


def test_a_recorded_run_is_judged_by_the_same_checks(recorded: Exercise) -> None:
    feedback = recorded.check(Recording())
    assert {verdict.check for verdict in feedback.failed} == {"early", "peace", "empty"}
    assert [verdict.check for verdict in feedback.skipped] == ["rest"]
    text = feedback.as_text()
    assert text.startswith("Not solved yet on kind-lab: 5 of 8 checks pass")
    assert "1 check is only for the simulator." in text
    assert "physics/beam was not admitted within 0.5 s" in text
    assert "– rest\n      Not judged: it has not happened so far" in text
    evicted = next(verdict for verdict in feedback.failed if verdict.check == "peace")
    assert evicted.played is not None
    assert evicted.step is not None
    assert evicted.played.trace[evicted.step].kind == "Evicted"
    # It is in the lab that an exercise is solved.
    assert recorded.record.checks == 0


@pytest.mark.parametrize("name", SINGLE)
def test_the_verdicts_are_those_of_the_simulator(name: str, tmp_path: Path) -> None:
    exercise = workshop.exercise(name, tmp_path, progress=tmp_path / "progress.json")
    here, there = exercise.check(), exercise.check(Rehearsal())
    skipped = {(verdict.case, verdict.check) for verdict in there.skipped}
    wrong = {(verdict.case, verdict.check) for verdict in here.failed} - skipped
    assert {(verdict.case, verdict.check) for verdict in there.failed} == wrong
    told = {(v.case, v.check): here.explanation_of(v)[:1] for v in here.failed}
    for verdict in there.failed:
        assert there.explanation_of(verdict)[:1] == told[verdict.case, verdict.check]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("culprit-in-a-dump", "this case begins with jobs that have been running for long"),
        ("rented-machines", "Kueue's own controller decides AdmissionCheck capacity"),
        ("cheapest-cluster-first", "this case has several clusters"),
        ("external-dispatcher", "this case has several clusters"),
    ],
)
def test_cases_that_no_cluster_can_play_are_reported(name: str, why: str, tmp_path: Path) -> None:
    player = Rehearsal()
    exercise = workshop.exercise(name, tmp_path, progress=tmp_path / "progress.json")
    feedback = exercise.check(player)
    assert not feedback.passed
    assert not feedback.failed
    assert feedback.as_text().startswith("No case of this exercise can be judged on kind-lab.")
    assert why in feedback.as_text()
    assert player.seconds == []
    assert len(player.told) == len(exercise.spec.cases)


@pytest.mark.parametrize("method", ["play", "require_playable"])
def test_what_the_cluster_cannot_play_is_said(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise InputError(Problem("'reclaim' can't be played on a cluster"))

    monkeypatch.setattr(Rehearsal, method, refuse)
    exercise = workshop.exercise("take-back", tmp_path, progress=tmp_path / "progress.json")
    text = exercise.check(Rehearsal()).as_text()
    assert "cannot run on a cluster: 'reclaim' can't be played on a cluster." in text


def test_what_is_not_judged_is_said_before_anything_is_played(tmp_path: Path) -> None:
    """Playing the other cases takes minutes."""

    class Choosy(Rehearsal):
        def require_playable(self, scenario: ScenarioSpec) -> None:
            if scenario.name.endswith("tuesday"):
                raise InputError(Problem("it has a reclaim"))

        def play(self, scenario: ScenarioSpec, seconds: float) -> ObservedCluster:
            self.told.append(f"plays {scenario.name}")
            return super().play(scenario, seconds)

    player = Choosy()
    workshop.exercise("share-a-cohort", tmp_path, progress=tmp_path / "progress.json").check(player)
    first, *played = map(str, player.told)
    assert "Not judged: this case cannot run on a cluster: it has a reclaim." in first
    assert [each.rpartition("-")[2] for each in played] == ["monday", "wednesday", "thursday"]


@pytest.mark.parametrize("name", ["take-back", "share-a-cohort"])
def test_a_faster_case_has_the_same_verdicts(name: str, tmp_path: Path) -> None:
    exercise = workshop.exercise(name, tmp_path, progress=tmp_path / "progress.json")
    player = Rehearsal(speed=4)
    slow, fast = exercise.check(Rehearsal()), exercise.check(player)
    assert [v.failed for v in fast.verdicts] == [v.failed for v in slow.verdicts]
    # Within one second Kueue doesn't know which of two came first, so who it is may differ.
    times = [v.finding and v.finding.values.get("at") for v in slow.verdicts]
    assert [v.finding and v.finding.values.get("at") for v in fast.verdicts] == times
    assert max(player.seconds) < 200


def test_a_case_lasts_until_everything_can_be_judged(tmp_path: Path) -> None:
    player = Rehearsal()
    workshop.exercise("take-back", tmp_path, progress=tmp_path / "progress.json").check(player)
    # 70 s is the last moment, 60 s + 5 s, 60 s + 10 min the last admission; and some calm.
    assert player.seconds == [100, 100, 690]


def test_a_loop_shows_by_what_happens_again_and_again() -> None:
    recorder = Recorder()
    for _ in range(3):
        evicted = steps.Evicted("Preempted", "", preemptor="default/b", preemption_reason="X")
        recorder.record(evicted, "default/a", "queue")

    @dataclass(frozen=True)
    class PlayedScenario:
        trace = Trace.of(recorder)
        start = 0
        loop = None
        outcomes = ()

    found, skipped = verdict_on(NoLoop("rest"), PlayedScenario())
    assert skipped is None
    assert found is not None
    assert (found.message, found.step) == ("workshop.found.repeated", 2)
