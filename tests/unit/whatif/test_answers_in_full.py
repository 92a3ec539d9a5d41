"""What would admit a workload, what keeps a loop going, what a fork changes: every word and number.

``python tests/unit/whatif/test_answers_in_full.py`` prints what ``answers.yaml`` should hold.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parent))
from small_labs import flavor, job, lab, manifest, queue

from kueuelab import scenarios
from kueuelab.whatif.changes import change_as_data
from kueuelab.whatif.fork import Fork
from kueuelab.whatif.lab import LabRun

FILE = Path(__file__).parent / "answers.yaml"


def answer(run: LabRun, workload: str) -> dict[str, Any]:
    """Return a report in each of its forms."""
    report = run.what_would_admit(workload)
    return {
        "repr": repr(report),
        "text": report.as_text().splitlines(),
        "table": report.table_text().splitlines() if report else [],
        "data": report.as_data(),
    }


def crowded() -> LabRun:
    """A queue that borrows from others, which hold back and wait."""
    threshold = {"policy": "LowerPriority", "maxPriorityThreshold": 1}
    preemption = {"reclaimWithinCohort": "LowerPriority", "borrowWithinCohort": threshold}
    limits = {"borrowingLimit": 1, "lendingLimit": 1}
    objects = [
        flavor(),
        flavor("spot"),
        queue(
            "a",
            {"default": 2, "spot": 0},
            limits={"borrowingLimit": 1},
            cohortName="all",
            preemption=preemption,
            queueingStrategy="StrictFIFO",
        ),
        queue("b", {"default": 3}, limits=limits, cohortName="all"),
        queue("c", {"default": 9}, cohortName="rich"),
    ]
    jobs = [
        job("b1", "b", 1),
        job("b2", "b", 2, 3),
        job("a1", "a", 1, 2),
        job("late", "a", 1, 4, count=2),
    ]
    return lab(objects, jobs).run()


def stopped() -> LabRun:
    """A workload in a stopped LocalQueue of a queue on hold, which lacks its resource."""
    local = manifest("LocalQueue", "team", {"clusterQueue": "team", "stopPolicy": "Hold"})
    objects = [flavor(), queue("team", {"default": 1}, local=False, stopPolicy="Hold"), local]
    gpus = {**job("late", "team", 2), "requests": {"cpu": 2, "gpu": 1}}
    return lab(objects, [gpus]).run()


def astray() -> LabRun:
    """A workload whose LocalQueue is not there."""
    return lab([flavor(), queue("team", {"default": 1})], [job("late", "taem", 1)]).run()


def unsuitable() -> LabRun:
    """Two flavors that do not suit, each for another reason."""
    taint = {"key": "spot", "effect": "NoSchedule"}
    objects = [
        flavor("one", nodeLabels={"zone": "a"}),
        flavor("two", nodeLabels={"zone": "b"}, nodeTaints=[taint]),
        queue("team", {"one": 4, "two": 4}),
    ]
    return lab(objects, [job("late", "team", 1, nodeSelector={"zone": "b"})]).run()


def settled(what: str) -> dict[str, Any]:
    """Return the answer about a workload that is admitted, or has finished."""
    runs = {"runs": 5} if what == "finished" else {}
    return answer(
        lab([flavor(), queue("team", {"default": 1})], [job("x", "team", 1, **runs)]).run(), "x"
    )


def loop(name: str) -> dict[str, Any]:
    report = scenarios.load(name).run().loop_report
    assert report is not None
    return {
        "repr": repr(report),
        "text": report.as_text().splitlines(),
        "table": report.table_text().splitlines(),
        "data": report.as_data(),
    }


def changes() -> dict[str, Any]:
    """Return what a fork with a change of each kind says of itself."""
    objects = [flavor(), queue("team", {"default": 4})]
    start = lab(objects, [job("x", "team", 1), job("y", "team", 1, 3)])
    run = start.run()
    fork: Fork = run.fork(at="2s").edit("cluster-queue/team", {"spec.stopPolicy": "Hold"})
    fork = fork.apply(flavor("spot")).submit(job("z", "team", 1), runs=3).finish("x").delete("y")
    fork = fork.remove("resource-flavor/spot").set_active("x", False).set_active("x", True)
    fork = fork.set_check("x", "check", "Ready").pods_ready("x").pods_ready("x", False)
    fork = fork.reclaim("x", {"main": 1})
    return {
        "repr": [repr(start), repr(run), repr(fork)],
        "text": fork.as_text().splitlines(),
        "data": [change_as_data(change) for change in fork.changes],
    }


def plain(value: Any) -> Any:
    """Return JSON values: messages are texts."""
    return json.loads(json.dumps(value))


ANSWERS: dict[str, Callable[[], Any]] = {
    "in a crowded cohort": lambda: answer(crowded(), "late"),
    "stopped and uncovered": lambda: answer(stopped(), "late"),
    "without a LocalQueue": lambda: answer(astray(), "late"),
    "no flavor suits": lambda: answer(unsuitable(), "late"),
    "admitted": lambda: settled("admitted"),
    "finished": lambda: settled("finished"),
    "a loop of policies": lambda: loop("loop-1-the-victim-returns"),
    "a loop in time": lambda: loop("loop-4-pods-never-ready"),
    "changes of a fork": changes,
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_whole_answer(name: str) -> None:
    expected = yaml.safe_load(FILE.read_text("utf-8"))
    assert plain(ANSWERS[name]()) == expected[name]


def test_every_answer_is_compared() -> None:
    assert list(yaml.safe_load(FILE.read_text("utf-8"))) == list(ANSWERS)


if __name__ == "__main__":
    everything = {name: plain(make()) for name, make in ANSWERS.items()}
    print(yaml.safe_dump(everything, sort_keys=False, allow_unicode=True, width=120), end="")
