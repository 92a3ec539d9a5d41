"""What happens at once to jobs that are submitted."""

from __future__ import annotations

import pytest
from submitted import job

import kueuelab as kl
from kueuelab.errors import InputError
from kueuelab.forecast import Baseline, Baselines, try_job
from kueuelab.manifests import load_scenario
from kueuelab.whatif.lab import Lab

QUEUES = """
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: WorkloadPriorityClass, metadata: {name: high}, value: 9}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team-a}
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 1}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: jobs, namespace: default}
spec: {clusterQueue: team-a}
"""
SCENARIO = f"""
apiVersion: kueuelab/v1
kind: Scenario
metadata: {{name: busy}}
spec:
  timeline:
  - {{at: 0s, submit: {{job: first, queue: jobs, requests: {{cpu: 600m}}, runs: 10m}}}}
  - {{at: 60s, submit: {{job: second, queue: jobs, requests: {{cpu: 900m}}, runs: 10m}}}}
---
{QUEUES}"""


def test_a_job_that_fits_is_admitted_at_once() -> None:
    answer = try_job(job("jobs", "400m"), SCENARIO)
    now = answer.jobs[0].now
    assert (answer.verdict, now.outcome, now.cluster_queue) == ("admitted", "admitted", "team-a")
    assert now.places[0].flavors == {"cpu": "default"}


def test_a_job_that_does_not_fit_is_pending_behind_others_with_a_reason() -> None:
    answer = try_job(job("jobs", "500m"), SCENARIO)
    now = answer.jobs[0].now
    assert (answer.verdict, now.position, now.pending) == ("pending", 2, 2)
    assert "500m cpu requested" in now.why
    assert now.message.startswith("couldn't assign flavors")


def test_before_the_second_job_there_is_nothing_to_wait_behind() -> None:
    now = try_job(job("jobs", "500m"), SCENARIO, at="10s").jobs[0].now
    assert (now.position, now.pending) == (1, 1)


def test_a_higher_priority_preempts_and_says_what_is_lost() -> None:
    answer = try_job(job("jobs", "500m", priority="high"), SCENARIO)
    assert answer.verdict == "admitted"
    (lost,) = answer.displaced
    assert (lost.workload, lost.reason, lost.ran) == ("default/first", "InClusterQueue", 61 * 10**9)
    assert dict(lost.usage) == {("default", "cpu"): 600}
    assert "loses 1m1s of run time on 600m cpu" in answer.as_text()


def test_pending_workloads_behind_it_are_named() -> None:
    now = try_job(job("jobs", "2", priority="high"), SCENARIO).jobs[0].now
    assert (now.position, now.behind) == (1, ("default/second",))


def test_several_jobs_compete_with_each_other() -> None:
    jobs = [job("jobs", "300m", name="one"), job("jobs", "300m", name="two")]
    assert [each.now.outcome for each in try_job(jobs, SCENARIO).jobs] == ["admitted", "pending"]


def test_a_local_queue_in_the_manifests_is_created_first() -> None:
    queue = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "new", "namespace": "default"},
        "spec": {"clusterQueue": "team-a"},
    }
    assert try_job(job("new"), SCENARIO).verdict == "pending"
    assert try_job([queue, job("new")], SCENARIO).verdict == "admitted"


def test_a_job_without_its_local_queue_is_pending() -> None:
    answer = try_job(job("nowhere"), SCENARIO)
    assert answer.jobs[0].now.position == 0
    assert "nowhere does not exist" in answer.as_text()


def test_refused_jobs_have_place_and_hint_and_the_others_are_answered() -> None:
    jobs = f"{job('jobs', name='good')}\n---\n{job('jobs', name='Bad')}\n"
    answer = try_job(jobs, SCENARIO, name="jobs.yaml")
    assert answer.verdict == "refused"
    assert {problem.field for problem in answer.problems} == {"metadata.name"}
    assert {str(problem.location) for problem in answer.problems} == {"jobs.yaml:3"}
    assert [each.now.workload.partition("-")[2][:4] for each in answer.jobs] == ["good"]


def test_a_job_that_exists_is_refused() -> None:
    dump = f"{QUEUES}---\n{job('jobs')}\n"
    answer = try_job(job("jobs"), dump)
    assert [problem.object for problem in answer.problems] == ["Job/default/train"]


def test_a_job_without_a_queue_is_none_of_kueue() -> None:
    manifest = job("jobs")
    del manifest["metadata"]["labels"]
    with pytest.raises(InputError, match="no job that Kueue manages"):
        try_job(manifest, SCENARIO)


def test_it_is_for_one_cluster() -> None:
    lab = kl.scenarios.load("cluster-deleted")
    with pytest.raises(InputError, match="several"):
        Baseline(lab)  # type: ignore[arg-type]


def test_an_answer_is_the_same_without_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = try_job(job("jobs", "500m"), SCENARIO).jobs[0].now
    monkeypatch.setattr("kueuelab.forecast.baseline._MOST_RECORDED", -1)
    now = try_job(job("jobs", "500m"), SCENARIO).jobs[0].now
    assert (now.outcome, now.position, now.message) == ("pending", 2, recorded.message)
    assert now.why == now.message


def test_a_loop_is_said_and_does_not_keep_the_answer_from_coming() -> None:
    answer = try_job(job("team-a-jobs", "1"), kl.scenarios.load("loop-1-the-victim-returns"))
    assert answer.loop
    assert "never comes to rest" in answer.as_text()


def test_each_trial_of_a_baseline_that_is_lent_is_of_the_same_cluster(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dump = Lab(load_scenario(kl.scenarios.dump("two-teams")))
    trials = [
        lambda baseline: try_job(job("main", "1", namespace="team-b"), baseline, seeds=3),
        lambda baseline: try_job(job("main", "9", namespace="team-a"), baseline, seeds=3),
    ]
    anew = [trial(Baseline(dump)).as_text() for trial in trials]

    def lent(baselines: Baselines) -> list[str]:
        said = []
        for trial in (*trials, *trials):
            with baselines.lend() as each:
                said.append(trial(each).as_text())
        return said

    assert anew[0].splitlines()[1].startswith("Now: admitted")
    assert lent(Baselines(dump)) == anew * 2
    # One that is not recorded is copied, and is compared with such ones.
    monkeypatch.setattr("kueuelab.forecast.baseline._MOST_RECORDED", 0)
    assert lent(Baselines(dump)) == [trial(Baseline(dump)).as_text() for trial in trials] * 2
