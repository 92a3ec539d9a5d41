"""The scenario with an elastic job: its slices, and what is said of them."""

from __future__ import annotations

import pytest

from kueuelab import scenarios
from kueuelab.trace.explain import step_text
from kueuelab.trace.pending_workloads import headline
from kueuelab.whatif.lab import LabRun


@pytest.fixture(scope="module")
def run() -> LabRun:
    found = scenarios.load("elastic-scale-up").run()
    assert isinstance(found, LabRun)
    return found


def test_the_job_grows_waits_and_shrinks(run: LabRun) -> None:
    assert run.passed
    rows = str(run.timeline).splitlines()
    assert [row.partition("default/")[2] for row in rows if "slice" in row or "was 12" in row] == [
        "train-2  new slice of job default/train, whose number of pods is 8; "
        "it is to replace default/train",
        "train    finished: another slice of its job takes its place",
        "train-3  new slice of job default/train, whose number of pods is 12; "
        "it is to replace default/train-2",
        "train-3  its number of pods is 6 now, it was 12",
        "train-2  finished: another slice of its job takes its place",
    ]


def test_only_other_workloads_are_preempted(run: LabRun) -> None:
    texts = [step_text(run.trace[index]) for index in run.trace.of_kind("EntryProcessed")]
    assert [text for text in texts if "preempt" in text] == [
        "default/train-2 preempts default/report (InClusterQueue), and stays pending until the "
        "quota is released."
    ]


def test_why_speaks_of_the_job_and_the_slice_that_waits(run: LabRun) -> None:
    at = next(
        index
        for index in run.trace.of_kind("CycleEnded")
        if run.trace.state_at(index).workload("default/train-3")
    )
    assert headline(run.trace, "default/train-3", at) == (
        "default/train-3 is pending in team. The difference to default/train-2, the slice of its "
        "job that it is to replace, does not fit: 4 cpu requested, 2 available in default "
        "(team uses 8)."
    )
    waiting = str(run.why("default/train-3", at))
    assert "a slice of the elastic job default/train" in waiting
    assert "default/train-2, which runs on with quota for 8 of the pods until then" in waiting
    assert "default/train-3 waits to replace this slice" in str(run.why("default/train-2", at))
    assert "default/train-2 has taken its place" in str(run.why("default/train", at))
