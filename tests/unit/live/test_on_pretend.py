"""Playing scenarios on an API server that keeps objects as one does, without any node.

The lab plays Kueue there (see `pretend`). So this is no test of decisions: it is one of what
is written, when, and what is left.
"""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pretend import Pretend, pretending, wait_until
from stand_in import following_threads
from typer.testing import CliRunner

import kueuelab as kl
from kueuelab.cli import app
from kueuelab.conformance import check_file
from kueuelab.live import lease
from kueuelab.live.access import open_cluster
from kueuelab.live.cleaning import clean
from kueuelab.live.conformance_cases import cases_of, write_cases
from kueuelab.live.created_objects import CreatedObjects
from kueuelab.live.errors import LiveError
from kueuelab.live.lease import RunLease
from kueuelab.live.live_run import LiveRun, play_on
from kueuelab.live.play_options import PlayProgress
from kueuelab.live.requests import setup_of
from kueuelab.live.resources import WORKLOADS
from kueuelab.manifests import ScenarioSpec, load, load_scenario
from kueuelab.manifests.scenario import Advance
from kueuelab.model import Configuration, FairSharing

QUEUES = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: small}
spec:
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: small}
    spec:
      namespaceSelector: {}
      preemption: {withinClusterQueue: LowerPriority}
      CHECKS
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{name: default, resources: [{name: cpu, nominalQuota: 2}]}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: main, namespace: small}
    spec: {clusterQueue: small}
  MORE
  timeline:
"""


def scenario(actions: str, checks: str = "", more: str = "") -> ScenarioSpec:
    head = QUEUES.replace("      CHECKS\n", checks).replace("  MORE\n", more)
    return load_scenario(head + "\n".join("  " + line for line in actions.strip().splitlines()))


def job(name: str, more: str = "", cpu: int = 2) -> str:
    return f"submit: {{job: {name}, namespace: small, queue: main, requests: {{cpu: {cpu}}}{more}}}"


@pytest.fixture(autouse=True)
def patient(unhurried: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "_LOOKED", 6.0)


def has(cluster: Pretend, name: str, condition: str, status: str = "True") -> bool:
    """Tell whether Kueue has written this of a job's Workload, or of a Workload without a job."""
    with cluster.store.lock:
        return any(
            each["type"] == condition and each["status"] == status
            for obj in cluster.store.of(WORKLOADS)
            if obj["metadata"]["name"] == name or obj["metadata"]["name"].startswith(f"job-{name}-")
            for each in (obj.get("status") or {}).get("conditions") or ()
        )


#: What Kueue has written of a workload: its name, a condition and the condition's status.
State = tuple[str, str, str]


def waiting(
    cluster: Pretend, after: Mapping[str, State], tell: Callable[[str], None]
) -> Callable[[str], None]:
    """Return a `tell` that holds what ``after`` names until Kueue has written what it says."""

    def gated(sentence: str) -> None:
        for action, state in after.items():
            if sentence.endswith(action):
                wait_until(partial(has, cluster, *state))
        tell(sentence)

    return gated


def played(
    cluster: Pretend,
    spec: ScenarioSpec,
    tell: Callable[[str], None] = lambda sentence: None,
    after: Mapping[str, State] | None = None,
    **more: Any,
) -> LiveRun:
    """Play a scenario; what ``after`` names is done once Kueue has written what it says."""
    before = following_threads()
    options = {"seconds": 600, "patience": 300, "tell": waiting(cluster, after or {}, tell), **more}
    run = LiveRun(play_on(spec, cluster.context, **options))
    assert following_threads() <= before
    assert left(cluster) == []
    return run


def left(cluster: Pretend) -> list[str]:
    keys = cluster.store.objects
    return ["/".join(key[1:]) for key in keys if key[2] != "kueue-system"]


PREEMPTION = f"""
- {{at: 0s, {job("low")}}}
- {{at: 2s, {job("high", ", priority: 10")}}}
- {{at: 3s, finish: small/high}}
- {{at: 4s, finish: small/low}}
"""
LOW_RUNS: dict[str, State] = {"submit small/high": ("low", "Admitted", "True")}


def test_jobs_are_played_where_no_pod_runs(cluster: Pretend) -> None:
    told: list[str] = []
    run = played(cluster, scenario(PREEMPTION), told.append, LOW_RUNS)
    found = run.comparison
    assert (found.agree, found.differences, found.as_in_lab, found.course) == (6, (), 3, ())
    assert run.played.at_rest
    [note] = run.notes
    assert note in told
    assert "no pods run in 'kind-pretend': kueuelab writes the status of its own jobs" in note
    puts = {path for method, path in cluster.asked if method == "PUT"}
    writes = {path for path in puts if "/leases/" not in path}  # the run tells that it is going
    jobs = "/apis/batch/v1/namespaces/small/jobs"
    assert writes == {f"{jobs}/low/status", f"{jobs}/high/status"}
    created = [obj for _, type_, _, obj in cluster.store.log if type_ == "ADDED"]
    made = [obj for obj in created if obj.get("kind") == "Job"]
    assert {obj["metadata"]["labels"]["kueuelab/jobs"] for obj in made} == {"played"}
    assert {obj["spec"]["managedBy"] for obj in made} == {"kueuelab/player"}


def test_a_run_has_the_views_of_a_simulated_one(cluster: Pretend, tmp_path: Path) -> None:
    run = played(cluster, scenario(PREEMPTION), after=LOW_RUNS)
    assert repr(run).startswith("<LiveRun small on kind-pretend: 6 decisions, ")
    assert run.who_evicted("low").preemptor == run.key_of("high")  # type: ignore[union-attr]
    assert "preempt" in run.why("high", run.until(event="preempted").index).as_text()
    told = run.timeline.as_text()
    assert "preempted by small/job-high" in told
    assert told.count("(agrees with Kueue)") == 6
    assert kl.widgets.CohortGraph(run).as_text()
    assert run.state_at(len(run.trace) - 1).workload(run.key_of("low")).phase == "Finished"
    assert run.passed
    run.save(tmp_path / "run.json")
    run.save(tmp_path / "run.html")
    text = (tmp_path / "run.json").read_text() + (tmp_path / "run.html").read_text()
    assert "s3cret" not in text


def test_a_run_is_recorded_as_cases_that_are_judged(cluster: Pretend, tmp_path: Path) -> None:
    run = played(cluster, scenario(PREEMPTION), after=LOW_RUNS, keep=True)
    file = tmp_path / "case.json"
    write_cases(cases_of(run.played), file)
    found = check_file(file)
    assert [(r.case, r.differences) for r in found.with_verdict("failed")] == []
    assert len(found.results) >= 4


def test_a_workload_that_no_job_can_ask_for(cluster: Pretend) -> None:
    """Several pod sets: a Workload without a job, stopped and finished by who plays."""
    sets = ", podSets: [{name: lead, requests: {cpu: 1}}, {name: rest, requests: {cpu: 1}}]"
    low = f"submit: {{job: low, namespace: small, queue: main{sets}}}"
    actions = PREEMPTION.replace(job("low"), low)
    run = played(cluster, scenario(actions), after=LOW_RUNS)
    assert run.comparison.differences == ()
    course = [step.kind for step in run.trace if step.workload == "small/low"]
    assert [kind for kind in course if kind in ("Evicted", "QuotaReserved", "Finished")] == [
        "QuotaReserved",
        "Evicted",
        "QuotaReserved",
        "Finished",
    ]


def test_a_job_that_asks_for_extended_resources_is_accepted(cluster: Pretend) -> None:
    """Kubernetes demands limits for them, equal to the requests; scenarios only say requests."""
    gpu, huge = "nvidia.com/gpu", "hugepages-2Mi"
    queue = f"""
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {{name: gpus}}
    spec:
      namespaceSelector: {{}}
      resourceGroups:
      - coveredResources: [cpu, {gpu}, {huge}]
        flavors:
        - name: default
          resources:
          - {{name: cpu, nominalQuota: 2}}
          - {{name: {gpu}, nominalQuota: 4}}
          - {{name: {huge}, nominalQuota: 8Mi}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {{name: gpus, namespace: small}}
    spec: {{clusterQueue: gpus}}
"""
    requests = f"{{cpu: 1, {gpu}: 2, {huge}: 4Mi}}"
    submit = f"{{job: a, namespace: small, queue: gpus, requests: {requests}, runs: 1s}}"
    run = played(cluster, scenario(f"- {{at: 0s, submit: {submit}}}", more=queue))
    assert run.comparison.differences == ()
    [made] = [o for _, type_, w, o in cluster.store.log if w[1] == "jobs" and type_ == "ADDED"]
    [container] = made["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == {gpu: "2", huge: "4Mi"}
    assert container["resources"]["requests"] == {"cpu": "1", gpu: "2", huge: "4Mi"}


def test_a_job_that_the_server_would_refuse_is_named_before_anything_is_written(
    cluster: Pretend,
) -> None:
    spec = scenario(f"- {{at: 0s, {job('a')}}}\n- {{at: 1s, {job('b').replace('cpu', 'gpu')}}}")
    with pytest.raises(kl.InputError, match="must be a standard resource for containers") as error:
        play_on(spec, cluster.context)
    assert error.value.problems[0].object == "Workload/small/b"
    assert {method for method, _ in cluster.asked} <= {"GET"}


def test_what_a_cluster_does_otherwise_is_said_before_anything_is_created(
    cluster: Pretend,
) -> None:
    spec = scenario(f"""
- {{at: 1s, {job("a", ", runs: 1s", cpu=1)}}}
- {{at: 1s, {job("b", ", runs: 1s", cpu=1)}}}
""")
    told: list[str] = []
    run = played(cluster, spec, told.append)
    note = (
        "2 jobs arrive at 1 s (small/a, small/b): a cluster gets them one after the other, so they "
        "may not share a scheduling cycle"
    )
    assert note in run.notes
    assert told.index(note) < told.index("4 objects are created")
    assert run.comparison.differences == ()
    late = replace(spec, expect=(), timeline=(Advance(60_000_000_000, at=600_000_000_000),))
    with pytest.raises(kl.InputError, match="its timeline takes 660 s, and the run may take 600"):
        play_on(late, cluster.context)
    assert left(cluster) == []


def test_a_deleted_job_ends_there_as_in_the_lab(cluster: Pretend) -> None:
    """Kueue finishes the Workload of a Job that is gone; then the garbage collector takes it."""
    spec = scenario(f"""
- {{at: 0s, {job("a")}}}
- {{at: 1s, {job("b")}}}
- {{at: 3s, delete: small/a}}
""")
    after: dict[str, State] = {
        "submit small/b": ("a", "QuotaReserved", "True"),
        "delete small/a": ("b", "QuotaReserved", "False"),
    }
    run = played(cluster, spec, after=after)
    assert (run.comparison.differences, run.comparison.course) == ((), ())
    own = [step for step in run.trace if step.workload == run.key_of("small/a")]
    [finished] = [step.facts for step in own if step.kind == "Finished"]
    assert finished.reason == "OwnerNotFound"  # type: ignore[union-attr]
    reserved = [step.workload for step in run.trace if step.kind == "QuotaReserved"]
    assert reserved == [run.key_of("small/a"), run.key_of("small/b")]


CHECK = """
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: AdmissionCheck
    metadata: {name: budget}
    spec: {controllerName: example.com/budget}
"""
CHECKS = "      admissionChecksStrategy: {admissionChecks: [{name: budget}]}\n"


def test_a_check_reports_on_a_workload_that_has_quota_as_in_the_lab(cluster: Pretend) -> None:
    """Where the quota comes late, the report waits for it."""
    actions = f"""
- {{at: 0s, {job("a", ", runs: 2s")}}}
- {{at: 0s, setCheck: {{workload: small/a, check: budget, state: Ready}}}}
- {{at: 0.1s, {job("b", ", runs: 1s")}}}
- {{at: 0.2s, setCheck: {{workload: small/b, check: budget, state: Ready}}}}
"""
    told: list[str] = []
    after: dict[str, State] = {"submit small/b": ("a", "QuotaReserved", "True")}
    run = played(cluster, scenario(actions, CHECKS, CHECK), told.append, after)
    assert [line for line in told if "is not in a state that allows it" in line] == []
    steps = [step for step in run.trace if step.workload == run.key_of("small/b")]
    kinds = ("QuotaReserved", "CheckStateChanged", "Admitted")
    assert [s.kind for s in steps if s.kind in kinds] == ["CheckStateChanged", *kinds]


def test_every_action_of_a_timeline(cluster: Pretend) -> None:
    quota = """
    kind: ClusterQueue, metadata: {name: small}, spec: {namespaceSelector: {},
    admissionChecksStrategy: {admissionChecks: [{name: budget}]},
    resourceGroups: [{coveredResources: [cpu], flavors: [{name: default,
    resources: [{name: cpu, nominalQuota: 4}]}]}]}"""
    quota = " ".join(quota.split())
    actions = f"""
- {{at: 0s, {job("a", ", count: 2", cpu=1)}}}
- {{at: 0.5s, setCheck: {{workload: small/a, check: budget, state: Ready}}}}
- {{at: 1s, {job("b", cpu=1)}}}
- {{at: 1.5s, reclaim: {{workload: small/a, pods: {{main: 1}}}}}}
- {{at: 2s, setCheck: {{workload: small/b, check: budget, state: Ready}}}}
- {{at: 2.5s, finish: small/b}}
- {{at: 3s, apply: {{apiVersion: kueue.x-k8s.io/v1beta2, {quota}}}}}
- {{at: 3.5s, {job("c", cpu=2)}}}
- {{at: 4s, setActive: {{workload: small/c, active: false}}}}
- {{at: 5s, delete: small/c}}
- {{at: 5.5s, apply: {{apiVersion: v1, kind: Namespace, metadata: {{name: extra}}}}}}
- {{at: 6s, remove: {{kind: Namespace, name: extra}}}}
- {{at: 6.5s, finish: small/a}}
expect:
- {{at: 2s, workload: small/a, is: admitted}}
- {{at: 7s, workload: small/a, is: finished}}
"""
    told: list[str] = []
    after: dict[str, State] = {
        "setActive small/c": ("c", "QuotaReserved", "True"),
        "delete small/c": ("c", "QuotaReserved", "False"),
    }
    run = played(cluster, scenario(actions, CHECKS, CHECK), told.append, after)
    assert [line for line in told if "is not in a state that allows it" in line] == []
    assert run.comparison.differences == ()
    assert [outcome.differences for outcome in run.outcomes] == [(), ()]
    queues = [o for _, _, w, o in cluster.store.log if w[1] == "clusterqueues"]
    quotas = [
        q["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] for q in queues
    ]
    assert quotas[0] == "2"
    assert "4" in quotas
    assert "preemption" not in queues[-1]["spec"] or queues[-1]["spec"]["preemption"] == {
        "withinClusterQueue": "Never",
        "reclaimWithinCohort": "Never",
    }


def test_a_run_goes_on_until_kueue_has_reacted_to_the_last_submission(cluster: Pretend) -> None:
    """Nothing has changed for a while when the last job comes, and Kueue takes its time."""
    cluster.kueue.reacts_after = 5.0
    spec = scenario(f"- {{at: 0s, {job('a', cpu=1)}}}\n- {{at: 11s, {job('b', cpu=1)}}}")
    run = played(cluster, spec)
    reserved = {step.workload for step in run.trace if step.kind == "QuotaReserved"}
    assert reserved == {run.key_of("small/a"), run.key_of("small/b")}


def test_a_run_goes_on_while_a_timer_is_pending(cluster: Pretend, tmp_path: Path) -> None:
    configuration = """
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
waitForPodsReady: {timeout: 8s, requeuingStrategy: {backoffBaseSeconds: 3600}}
"""
    cluster.configure(configuration)
    actions = f"""
- {{at: 0s, {job("a")}}}
- {{at: 0.5s, podsReady: {{workload: small/a, ready: false}}}}
"""
    spec = replace(scenario(actions), configuration=load(configuration).configuration)
    run = played(cluster, spec)
    evicted = [step.facts.reason for step in run.trace if step.kind == "Evicted"]  # type: ignore[union-attr]
    assert evicted == ["PodsReadyTimeout"]


def test_what_is_expected_and_does_not_come_is_reported(cluster: Pretend) -> None:
    spec = scenario(f"""
- {{at: 0s, {job("a", ", runs: 1s")}}}
expect:
- {{at: 0.5s, workload: small/a, is: evicted}}
""")
    run = played(cluster, spec)
    assert not run.passed
    assert "not as expected: workload small/a is finished, not evicted" in run.as_text()


LONG = f"""
- {{at: 0s, {job("a", ", runs: 9000s")}}}
- {{at: 1s, {job("b", ", runs: 1s")}}}
expect:
- {{at: 2s, workload: small/a, is: admitted}}
- {{at: 2s, workload: small/b, is: pending}}
"""


def test_a_run_ends_once_all_is_judged(cluster: Pretend) -> None:
    """The first job runs for two and a half hours, and the second one after it."""
    said: list[str] = []
    seen: list[PlayProgress] = []
    run = played(
        cluster,
        scenario(LONG),
        said.append,
        {"submit small/b": ("a", "Admitted", "True")},
        to_the_end=False,
        watch=seen.append,
    )
    assert run.passed
    assert any("it takes about 2 s" in each for each in said)
    assert any("--to-the-end goes on until 9001 s" in each for each in said)
    assert run.played.ended_early_at is not None
    assert run.played.at_rest
    # What the lab does after that is no difference.
    assert (run.comparison.differences, run.comparison.course) == ((), ())
    assert run.comparison.agree >= 2
    assert {each.expected for each in seen} == {2.0}
    assert seen[0].elapsed < seen[-1].elapsed


def test_a_loop_is_followed_for_some_rounds(cluster: Pretend) -> None:
    from kueuelab import scenarios

    spec = scenarios.load("loop-2-policies-in-turn").spec
    run = played(cluster, spec, to_the_end=False, rounds=2)
    assert run.played.ended_early_at is not None
    assert not run.played.at_rest
    loop = scenarios.load("loop-2-policies-in-turn").run().loop
    assert loop is not None
    for workload in loop.workloads:
        key = run.key_of(workload)
        admitted = [
            each
            for each in run.mirror.decisions
            if each.observed.workload == key and each.observed.cluster_queue
        ]
        assert len(admitted) > 2


def test_a_server_without_controllers_is_left_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody collects garbage there, and nobody finishes the removal of a namespace."""
    with pretending(tmp_path) as cluster:
        monkeypatch.setenv("KUBECONFIG", str(cluster.kubeconfig))
        spec = scenario(f"- {{at: 0s, {job('a', ', runs: 1s')}}}")
        for _ in range(2):  # and so it can be played again
            play_on(spec, cluster.context, seconds=600, patience=300)
            assert left(cluster) == []
        finalized = [path for _, path in cluster.asked if path.endswith("/finalize")]
        assert finalized == ["/api/v1/namespaces/small/finalize"] * 2


def test_a_server_that_is_away_for_a_while_is_waited_for(cluster: Pretend) -> None:
    told: list[str] = []

    def tell(sentence: str) -> None:
        told.append(sentence)
        if "submit small/b" in sentence:
            cluster.go_down()
        elif "waiting for it" in sentence:
            cluster.come_back(forbidding=3)

    spec = scenario(f"""
- {{at: 0s, {job("a", ", runs: 1s")}}}
- {{at: 1s, {job("b", ", runs: 1s")}}}
""")
    run = played(cluster, spec, tell, patience=30)
    finished = {step.workload for step in run.trace if step.kind == "Finished"}
    assert finished == {run.key_of("small/a"), run.key_of("small/b")}
    [away] = [sentence for sentence in told if "waiting for it" in sentence]
    assert "up to 30 s" in away
    assert any("'kind-pretend' answers again after" in sentence for sentence in told)


def test_a_server_that_stays_away_names_the_command_that_cleans_up(cluster: Pretend) -> None:
    told: list[str] = []

    def tell(sentence: str) -> None:
        told.append(sentence)
        if "submit small/a" in sentence:
            cluster.go_down()

    spec = scenario(f"- {{at: 0s, {job('a', ', runs: 1s')}}}")
    with pytest.raises(LiveError, match="not everything could be removed") as caught:
        play_on(spec, cluster.context, tell=tell, patience=3)
    assert caught.value.problem.hint == "Then run: kueuelab live clean --context kind-pretend"
    cluster.come_back()
    assert left(cluster) != []
    result = CliRunner().invoke(app, ["live", "clean", "--context", cluster.context])
    assert result.exit_code == 0, result.output
    assert left(cluster) == []


def test_clean_leaves_a_run_alone_that_is_still_going(cluster: Pretend) -> None:
    """Another process cleans up meanwhile; only when it is told to, it takes everything."""

    def cleaned(*more: str) -> str:
        result = CliRunner().invoke(app, ["live", "clean", "--context", cluster.context, *more])
        assert result.exit_code == 0, result.output
        return result.stdout

    said: list[str] = []

    def tell(sentence: str) -> None:
        if "submit small/b" in sentence:
            said.append(cleaned())

    spec = scenario(f"""
- {{at: 0s, {job("a", ", runs: 1s")}}}
- {{at: 1s, {job("b", ", runs: 1s")}}}
""")
    run = played(cluster, spec, tell)
    assert run.comparison.differences == ()
    going = "the run of small is still in progress: its 5 objects stay (--force removes them)"
    assert said == [f"{going}\n0 objects are removed\n"]
    assert cleaned().endswith("0 objects are removed\n")


def test_clean_takes_what_a_run_left_that_is_dead(cluster: Pretend) -> None:
    run = ("small", {"kueuelab/run": "small", "app.kubernetes.io/managed-by": "kueuelab"})
    api = open_cluster(cluster.context, writable=True)
    ledger = CreatedObjects(api, run[0])
    for obj in setup_of(scenario(f"- {{at: 0s, {job('a')}}}")):
        ledger.create(obj)
    held = RunLease(api, *run)
    held.take()
    assert clean(api).removed == ()
    assert len(clean(api).going) == 1

    held.abandon()
    assert len(clean(api).removed) == len(ledger)
    assert left(cluster) == []
    # One that is going, by force.
    ledger, held = CreatedObjects(api, run[0]), RunLease(api, *run)
    for obj in setup_of(scenario(f"- {{at: 0s, {job('a')}}}")):
        ledger.create(obj)
    held.take()
    assert len(clean(api, force=True).removed) == len(ledger)
    held.abandon()
    assert left(cluster) == []
    api.close()


def test_a_namespace_that_is_there_stays(cluster: Pretend) -> None:
    store = cluster.store
    meta = {"name": "small", "labels": {"kubernetes.io/metadata.name": "small"}}
    from kueuelab.live.resources import NAMESPACES

    with store.lock:
        store.create(NAMESPACES, "", {"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
    play_on(scenario(f"- {{at: 0s, {job('a', ', runs: 1s')}}}"), cluster.context)
    assert left(cluster) == ["namespaces//small"]


def test_another_configuration_is_refused_before_anything_is_written(cluster: Pretend) -> None:
    cluster.configure("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n")
    spec = replace(
        scenario(f"- {{at: 0s, {job('a')}}}"),
        configuration=Configuration(fair_sharing=FairSharing()),
    )
    with pytest.raises(LiveError, match="does not set fairSharing as the scenario does"):
        play_on(spec, cluster.context)
    assert {method for method, _ in cluster.asked} == {"GET"}


def test_run_on_a_cluster_inside_a_running_event_loop(cluster: Pretend) -> None:
    """As in a notebook: a loop runs already, and `run` is called from it."""

    tell = waiting(cluster, LOW_RUNS, lambda sentence: None)

    async def cell() -> LiveRun:
        lab = kl.Lab(scenario(PREEMPTION))
        with kl.live.connect(cluster.context, tell=tell) as connected:
            run = lab.run(on=connected)
            wait_until(lambda: len(connected.decisions) > 0)  # it has seen it, too
        return run

    run = asyncio.run(cell())
    assert isinstance(run, LiveRun)
    assert run.comparison.differences == ()
    assert left(cluster) == []


def test_a_part_of_a_run_is_not_played(cluster: Pretend) -> None:
    with (
        kl.live.connect(cluster.context) as connected,
        pytest.raises(kl.InputError, match="a part of a run, cannot be run there"),
    ):
        kl.Lab(scenario(PREEMPTION)).run(on=connected, until=1)


def test_a_cluster_that_is_followed_has_answers(cluster: Pretend) -> None:
    spec = scenario(f"""
- {{at: 0s, {job("a")}}}
- {{at: 0.5s, {job("b", ", runs: 1s")}}}
- {{at: 1s, finish: small/a}}
""")
    asked = threading.Event()

    def gated(sentence: str) -> None:
        if sentence.endswith("finish small/a"):
            assert asked.wait(600)

    # On a busy machine both jobs could be seen at once.
    tell = waiting(cluster, {"submit small/b": ("a", "QuotaReserved", "True")}, gated)
    thread = threading.Thread(target=play_on, args=(spec, cluster.context), kwargs={"tell": tell})
    with kl.live.connect(cluster.context) as connected:
        thread.start()
        try:
            wait_until(lambda: any("waits" in str(each) for each in connected.decisions))
            # Each kind has a watch of its own: that of the queues may be behind.
            kinds = {"ResourceFlavor", "ClusterQueue", "LocalQueue"}
            wait_until(lambda: kinds <= connected.fork().spec.manifests.objects.keys())
            answer = connected.ask("small/b")
            report = connected.what_would_admit("small/b")
        finally:
            asked.set()
            thread.join()
    assert answer.verdict.is_ == "agrees"
    assert answer.position is not None
    assert "finish" in report.as_text()
    assert "insufficient unused quota for cpu in flavor default, 2 more needed" in str(answer)


INTERRUPTED = """
import signal, sys
# Whoever started the tests may ignore Ctrl-C, and processes inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
from kueuelab.live.live_run import play_on
from kueuelab.manifests import load_scenario
play_on(load_scenario(sys.argv[1]), sys.argv[2], seconds=60, tell=lambda s: print(s, flush=True))
"""


@pytest.mark.parametrize("after", [0.0, 0.05, 0.3, 1.0])
def test_ctrl_c_at_any_moment_leaves_nothing(
    cluster: Pretend, tmp_path: Path, after: float
) -> None:
    file = tmp_path / "scenario.yaml"
    head = QUEUES.replace("      CHECKS\n", "").replace("  MORE\n", "")
    file.write_text(head + f"  - {{at: 0s, {job('a', ', runs: 60s')}}}\n")
    args = [sys.executable, "-c", INTERRUPTED, str(file), cluster.context]
    process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: any(method == "POST" for method, _ in cluster.asked))
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()
    assert process.returncode != 0
    assert "KeyboardInterrupt" in said
    assert left(cluster) == []


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("live run", signal.SIGTERM),
        ("live verify", signal.SIGTERM),
        ("live verify", signal.SIGHUP),
        ("exercise check", signal.SIGTERM),
    ],
)
def test_a_command_that_is_terminated_leaves_nothing(
    cluster: Pretend, tmp_path: Path, command: str, number: int
) -> None:
    """As by ``timeout``, which sends its signal twice."""
    file = tmp_path / "scenario.yaml"
    head = QUEUES.replace("      CHECKS\n", "").replace("  MORE\n", "")
    file.write_text(head + f"  - {{at: 0s, {job('a', ', runs: 600s')}}}\n")
    where = ["--context", cluster.context, "--allow-context", cluster.context]
    what = [str(file), *where]
    if command == "exercise check":
        what = ["within-a-team", "--on", cluster.context, "--folder", str(tmp_path / "exercise")]
    args = [sys.executable, "-m", "kueuelab", *command.split(), *what]
    process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: any(how == "POST" and "jobs" in path for how, path in cluster.asked))
        process.send_signal(number)
        process.send_signal(number)
        _, said = process.communicate(timeout=300)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 128 + number, said
    assert said.splitlines()[-1] == "kueuelab: terminated"
    assert left(cluster) == []


SEVERAL = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: several}
spec:
  clusters:
    manager:
      manifests:
      - &flavor
        {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
    workers:
      w1:
        manifests:
        - *flavor
        - &queue
          apiVersion: kueue.x-k8s.io/v1beta2
          kind: ClusterQueue
          metadata: {name: small}
          spec:
            namespaceSelector: {}
            resourceGroups:
            - coveredResources: [cpu]
              flavors: [{name: default, resources: [{name: cpu, nominalQuota: 2}]}]
        - &local
          apiVersion: kueue.x-k8s.io/v1beta2
          kind: LocalQueue
          metadata: {name: main, namespace: small}
          spec: {clusterQueue: small}
      w2: {manifests: [*flavor, *queue, *local]}
  timeline:
  - at: 0s
    cluster: w1
    submit: {job: a, namespace: small, queue: main, requests: {cpu: 2}, runs: 1s}
  - at: 0s
    cluster: w2
    submit: {job: b, namespace: small, queue: main, requests: {cpu: 2}, runs: 1s}
  expect:
  - {at: 5s, cluster: w2, workload: small/b, is: finished}
"""


def test_several_clusters(
    cluster: Pretend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = load_scenario(SEVERAL)
    with pytest.raises(LiveError, match=r"no context is given for w1. Give them: --worker w1=CO"):
        play_on(spec, cluster.context)
    # One by its name in the scenario, one in place of the other, one that is not needed.
    with pretending(tmp_path, "w1") as w1, pretending(tmp_path, "w2", complete=True) as w2:
        files = ":".join(str(each.kubeconfig) for each in (cluster, w1, w2))
        monkeypatch.setenv("KUBECONFIG", files)
        workers = {"east": w1.context, "w2": w2.context, "west": "no-context"}
        run = LiveRun(play_on(spec, cluster.context, workers=workers, patience=300))
        assert run.comparison.differences == ()
        assert (run.comparison.agree, run.comparison.as_in_lab) == (2, 2)
        assert [outcome.differences for outcome in run.outcomes] == [()]
        assert list(run.traces) == ["manager", "w1", "w2"]
        assert [left(each) for each in (cluster, w1, w2)] == [[], [], []]
        assert not [path for method, path in w1.asked if method != "GET" and path.endswith("/b")]


def test_faults_of_clusters_are_not_played(cluster: Pretend, tmp_path: Path) -> None:
    file = tmp_path / "fault.yaml"
    text = SEVERAL.replace("  expect:", "  - {at: 1s, disconnect: w1}\n  expect:")
    file.write_text(text)
    number = text[: text.index("disconnect")].count("\n") + 1
    workers = {"w1": cluster.context, "w2": cluster.context}
    what = "is a fault of a whole cluster, which a run does not inject into a real one"
    line = f"{file}:{number}: 'disconnect' {what}"
    with pytest.raises(kl.InputError) as caught:
        play_on(load_scenario(file), cluster.context, workers=workers)
    assert str(caught.value) == line
    assert {method for method, _ in cluster.asked} == {"GET"}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_shows_how_far_a_scenario_is(cluster: Pretend, tmp_path: Path) -> None:
    import os
    import pty

    file = tmp_path / "scenario.yaml"
    head = QUEUES.replace("      CHECKS\n", "").replace("  MORE\n", "")
    lines = "\n".join(f"  {line}" for line in LONG.strip().splitlines())
    file.write_text(f"{head}{lines}\n".replace("\n  expect:", "\n  expect:"))
    shown, terminal = pty.openpty()
    seen: list[bytes] = []

    def read() -> None:
        with suppress(OSError):
            while part := os.read(shown, 65536):
                seen.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    options = ["--context", cluster.context, "--allow-context", cluster.context]
    done = subprocess.run(
        [sys.executable, "-m", "kueuelab", "live", "verify", str(file), *options],
        stdout=subprocess.PIPE,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "160"},
        timeout=900,
        check=False,
    )
    os.close(terminal)
    reader.join()
    os.close(shown)
    text = b"".join(seen).decode()
    assert done.returncode == 0, text
    assert re.search(r"small: \d+ s of about \d+ s", text)
    assert "it takes about 2 s" in text
