"""Inputs made after public threads: what would help, in which order, and what the reason names."""

from __future__ import annotations

from pathlib import Path

import pytest

import kueuelab as kl
from kueuelab.cli.step_at import step_at
from kueuelab.trace.pending_workloads import headline

REPORTS = Path(__file__).parents[3].parent / "shared" / "reports"
pytestmark = pytest.mark.skipif(not REPORTS.is_dir(), reason="the inputs are not there")

#: Input, workload, and the first levers, by their text.
LEVERS = {
    "4809-strictfifo-blocks-borrowing.yaml s1": (
        "set queueingStrategy: BestEffortFIFO of ClusterQueue prod",
        "set reclaimWithinCohort: Any of ClusterQueue prod",
    ),
    "q-lending-limit.yaml j": ("let ClusterQueue b lend 2 cpu/std more",),
    "q-uncovered.yaml j": (
        "give ClusterQueue a quota for ephemeral-storage",
        "leave ephemeral-storage out of account in the whole cluster",
        "ignore what a ClusterQueue has no quota for",
        "do not ask for ephemeral-storage",
    ),
    "typo-quota.yaml j1": ("write nvidia.com/gpu instead of nvidia.com/gpus in ClusterQueue team",),
    "2681-cross-queue-priority.yaml high": ("raise the nominal quota of ClusterQueue a by 2",),
    "15029-limitrange-requeue.yaml j": ("have Kueue look at it again",),
    "upgrade/jobs.yaml job-norequests-98877": ("label namespace default: team=ml",),
}

#: Input, workload, time, and a part of the reason or the explanation.
REASONS = [
    ("14863-sticky-preemptor.yaml", "h", 11, "behind default/p."),
    ("14863-sticky-preemptor.yaml", "p", 11, "It is first in line in team"),
    ("4809-strictfifo-blocks-borrowing.yaml", "s1", None, "although it is pending, too"),
    (
        "4809-strictfifo-blocks-borrowing.yaml",
        "s1",
        None,
        "default/p2, which goes first",
    ),
    ("2681-cross-queue-priority.yaml", "high", None, "another policy would not help either"),
    (
        "15225-tas-completed-podset.yaml",
        "next",
        None,
        "its quota suffices in default, but",
    ),
    ("q-lending-limit.yaml", "j", None, "b does not lend 8 that it does not use"),
    ("5289.yaml", "a1", None, "4 of cohort team-ab; 2 lent by team-b"),
    ("10131-fs-hierarchy-priority.yaml", "b0", None, "targets for default/want come from team-b"),
    ("q-big-head.yaml", "big", 61, "4 workloads that came later have got quota meanwhile"),
    ("14879-reactivated-stuck.yaml", "j", None, "fixed in v0.19.3"),
    ("16047-pod-level-smaller.yaml", "job-podlevel-c2fdd", None, "fixed in v0.19.6"),
]
#: What was said of them, and is not so.
UNTRUE = [
    ("4809-strictfifo-blocks-borrowing.yaml", "s1", "took the quota"),
    ("15225-tas-completed-podset.yaml", "next", "too little quota"),
]


def run_of(file: str) -> kl.LabRun:
    lab = kl.load(REPORTS / file)
    assert isinstance(lab, kl.Lab)
    return lab.run()


@pytest.mark.parametrize("row", LEVERS)
def test_the_first_levers_are_what_costs_least(row: str) -> None:
    file, workload = row.split()
    run = run_of(file)
    report = run.what_would_admit(run.key_of(workload))
    found = [str(each.text) for each in report]
    for text, expected in zip(found, LEVERS[row], strict=False):
        assert text.startswith(expected), found
    costs = [each.disturbance for each in report]
    assert costs == sorted(costs)
    for each in report:
        forked = run.fork().change(*each.changes).run()
        assert forked.cluster.workloads[run.key_of(workload)].has_quota_reservation, each


def test_strict_fifo_lets_the_big_head_start_sooner() -> None:
    report = run_of("q-big-head.yaml").what_would_admit("default/big", "1m1s")
    strict = [each for each in report if "StrictFIFO" in each.text]
    assert strict
    assert strict[0].time < report[0].time


@pytest.mark.parametrize(("file", "workload", "at", "said"), REASONS)
def test_the_reason_names_what_is_so(file: str, workload: str, at: int | None, said: str) -> None:
    run = run_of(file)
    key = run.key_of(workload)
    step = None if at is None else step_at(run.trace, run.start, f"{at}s")
    text = run.why(key, step).as_text() + headline(run.trace, key, step)
    assert said in text, text


@pytest.mark.parametrize(("file", "workload", "said"), UNTRUE)
def test_what_is_not_so_is_not_said(file: str, workload: str, said: str) -> None:
    run = run_of(file)
    assert said not in run.why(run.key_of(workload)).as_text()
