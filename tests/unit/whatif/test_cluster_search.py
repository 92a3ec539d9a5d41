"""What would let a job run that a manager dispatches: each lever is verified in all clusters."""

from __future__ import annotations

from pathlib import Path

import pytest

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.errors import NotModelledError, UnknownObjectError
from kueuelab.whatif.changes import LookAgain
from kueuelab.whatif.clusters import MultiKueueLab, MultiKueueRun
from kueuelab.whatif.pending import pending

REPORT = Path(__file__).parents[4] / "shared/reports/8602-never-admitted-anywhere.yaml"


def run_with(**quotas: int) -> MultiKueueRun:
    """Run one job of 2 cpu, where the manager and the workers have so much."""
    lab = scenarios.load("lost-worker")
    assert isinstance(lab, MultiKueueLab)
    fork = lab.fork()
    for cluster, quota in quotas.items():
        path = "spec.resourceGroups[0].flavors[generic].resources[cpu].nominalQuota"
        fork = fork.edit("cluster-queue/dispatch", {path: quota}, cluster=cluster)
    return fork.run(until=5)


def admitted(run: MultiKueueRun, workload: str) -> bool:
    return run.cluster_set.manager.member.workloads[workload].is_admitted


@pytest.mark.parametrize(
    ("quotas", "clusters"),
    [({"manager": 1}, {"manager"}), ({"w1": 1, "w2": 1}, {"w1", "w2"})],
    ids=["the manager", "the workers"],
)
def test_each_lever_changes_the_cluster_that_keeps_the_job_waiting(
    quotas: dict[str, int], clusters: set[str]
) -> None:
    run = run_with(**quotas)
    key = run.why("train").workload
    assert not admitted(run, key)
    report = run.what_would_admit("train")
    assert {each.cluster for each in report} == clusters
    costs = [each.disturbance for each in report]
    assert costs == sorted(costs)
    for each in report:
        after = run.fork().change(*each.changes, cluster=each.cluster).run()
        assert isinstance(after, MultiKueueRun)
        assert admitted(after, key), each
        assert str(each.text).startswith(("In the manager: ", "In w"))


def test_pending_names_the_lever_of_a_worker() -> None:
    found = pending(run_with(w1=1, w2=1))
    row = next(row for row in found if row.about.workload.endswith("/train"))
    assert row.lever is not None
    assert row.lever.cluster in ("w1", "w2")
    assert f"In {row.lever.cluster}: raise the nominal quota" in found.as_text()


def test_a_job_that_runs_needs_no_lever() -> None:
    run = run_with()
    assert run.what_would_admit("train").as_text().splitlines()[1:] == [
        "  It is admitted, or has finished."
    ]


def test_what_cannot_be_asked_is_said() -> None:
    run = run_with()
    with pytest.raises(UnknownObjectError, match="no workload named 'nothing'"):
        run.what_would_admit("nothing")
    with pytest.raises(NotModelledError, match="look again"):
        run.fork().change(LookAgain("dispatch"))


@pytest.mark.skipif(not REPORT.exists(), reason=f"there is no {REPORT}")
def test_a_job_that_no_worker_can_hold_has_levers_on_the_workers() -> None:
    lab = kl.load(REPORT)
    assert isinstance(lab, MultiKueueLab)
    run = lab.run()
    assert isinstance(run, MultiKueueRun)
    found = [str(each.text) for each in run.what_would_admit("huge")]
    assert found == [
        f"In {worker}: raise the nominal quota of ClusterQueue dispatch by 2 cpu/generic"
        for worker in ("w1", "w2")
    ]
