"""A real cluster, if ``KUEUELAB_LIVE_CONTEXT`` names its context; runs write to it.

With ``KUEUELAB_LIVE_MANAGER`` and ``KUEUELAB_LIVE_WORKERS`` (``w1=CONTEXT,w2=CONTEXT``), also a
manager and its workers, which `kueuelab live up --manager … --worker …` has to have connected
under these names. Nodes are not needed: where none is ready, jobs are played.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import kueuelab as kl
from kueuelab.cli import app
from kueuelab.conformance import check_file
from kueuelab.live.live_run import LiveRun, play_on
from kueuelab.manifests import load_scenario

CONTEXT = os.environ.get("KUEUELAB_LIVE_CONTEXT", "")
MANAGER = os.environ.get("KUEUELAB_LIVE_MANAGER", "")
WORKERS = dict(
    each.partition("=")[::2]
    for each in os.environ.get("KUEUELAB_LIVE_WORKERS", "").split(",")
    if each
)
pytestmark = pytest.mark.live
on_one = pytest.mark.skipif(not CONTEXT, reason="KUEUELAB_LIVE_CONTEXT names no context")
on_several = pytest.mark.skipif(
    not (MANAGER and WORKERS),
    reason="KUEUELAB_LIVE_MANAGER and KUEUELAB_LIVE_WORKERS (w1=CONTEXT,...) name no contexts",
)
runner = CliRunner()

HEAD = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: kueuelab-live-test}
spec:
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: kueuelab-live}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: AdmissionCheck
    metadata: {name: kueuelab-live-check}
    spec: {controllerName: kueuelab.example/check}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: kueuelab-live}
    spec: &queue
      namespaceSelector: {}
      preemption: {withinClusterQueue: LowerPriority}
      resourceGroups:
      - coveredResources: [cpu]
        flavors:
        - {name: kueuelab-live, resources: [{name: cpu, nominalQuota: 200m}]}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: kueuelab-live-checked}
    spec:
      namespaceSelector: {}
      admissionChecksStrategy: {admissionChecks: [{name: kueuelab-live-check}]}
      resourceGroups:
      - coveredResources: [cpu]
        flavors:
        - {name: kueuelab-live, resources: [{name: cpu, nominalQuota: 200m}]}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: main, namespace: kueuelab-live}
    spec: {clusterQueue: kueuelab-live}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: checked, namespace: kueuelab-live}
    spec: {clusterQueue: kueuelab-live-checked}
  timeline:
"""

#: A job is preempted, waits, and runs again.
PREEMPTION = """
  - at: 0s
    submit: {job: low, namespace: kueuelab-live, queue: main, requests: {cpu: 200m}, runs: 15s}
  - at: 5s
    submit:
      {job: high, namespace: kueuelab-live, queue: main, requests: {cpu: 200m}, runs: 5s,
       priority: 10}
  expect:
  - {at: 3s, workload: kueuelab-live/low, is: admitted}
"""

#: What else a timeline may say; several pod sets, too.
ACTIONS = """
  - at: 0s
    submit:
      job: pair
      namespace: kueuelab-live
      queue: main
      runs: 5s
      podSets: [{name: lead, requests: {cpu: 100m}}, {name: rest, requests: {cpu: 100m}}]
  - {at: 3s, submit: {job: held, namespace: kueuelab-live, queue: checked, requests: {cpu: 100m}}}
  - {at: 6s, setCheck: {workload: kueuelab-live/held, check: kueuelab-live-check, state: Ready}}
  - {at: 10s, finish: kueuelab-live/held}
  - {at: 13s, submit: {job: big, namespace: kueuelab-live, queue: main, requests: {cpu: 300m}}}
  - at: 16s
    apply:
      apiVersion: kueue.x-k8s.io/v1beta2
      kind: ClusterQueue
      metadata: {name: kueuelab-live}
      spec:
        namespaceSelector: {}
        resourceGroups:
        - coveredResources: [cpu]
          flavors:
          - {name: kueuelab-live, resources: [{name: cpu, nominalQuota: 300m}]}
  - {at: 20s, setActive: {workload: kueuelab-live/big, active: false}}
  - {at: 24s, delete: kueuelab-live/big}
  expect:
  - {at: 9s, workload: kueuelab-live/held, is: admitted}
  - {at: 18s, workload: kueuelab-live/big, is: admitted}
"""


def ran(*args: str) -> Result:
    return runner.invoke(app, ["live", *args])


def live(*args: str) -> str:
    result = ran(*args)
    assert result.exit_code == 0, result.output
    return result.stdout


def scenario_in(folder: Path, timeline: str) -> str:
    file = folder / "scenario.yaml"
    file.write_text(HEAD + timeline.lstrip("\n"))
    return str(file)


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """See that no test leaves a thread, or an object of a run."""
    before = set(threading.enumerate())
    yield
    left = [t for t in threading.enumerate() if t not in before and t.name.startswith("watch-")]
    assert left == []
    if CONTEXT:
        said = live("clean", "--context", CONTEXT, "--allow-context", CONTEXT)
        assert said.endswith("0 objects are removed\n")


# --- look ----------------------------------------------------------------------------------


@on_one
def test_a_snapshot_of_it_loads(tmp_path: Path) -> None:
    plain, redacted = tmp_path / "dump.yaml", tmp_path / "redacted.yaml"
    live("snapshot", "--context", CONTEXT, "-o", str(plain))
    live("snapshot", "--context", CONTEXT, "--redact", "-o", str(redacted))
    assert kl.load(plain).run(until=0).trace is not None
    assert kl.load(redacted).spec.manifests is not None
    assert CONTEXT not in redacted.read_text()
    for text in (plain.read_text(), redacted.read_text()):
        assert "kind: Secret" not in text
        assert "last-applied-configuration" not in text


@on_one
def test_it_is_followed_and_let_go() -> None:
    with kl.live.connect(CONTEXT) as cluster:
        cluster.follow(3)
        assert repr(cluster).startswith(f"<Following {CONTEXT}")
    assert cluster.problems == {}


@on_one
def test_why_a_workload_waits_there(tmp_path: Path) -> None:
    timeline = """
  - at: 0s
    submit: {job: first, namespace: kueuelab-live, queue: main, requests: {cpu: 200m}, runs: 20s}
  - at: 2s
    submit: {job: second, namespace: kueuelab-live, queue: main, requests: {cpu: 200m}, runs: 2s}
"""
    spec = load_scenario(Path(scenario_in(tmp_path, timeline)))
    run = threading.Thread(target=play_on, args=(spec, CONTEXT), kwargs={"allowed": [CONTEXT]})
    run.start()
    try:
        with kl.live.connect(CONTEXT) as cluster:
            deadline = time.monotonic() + 60
            while not any("job-second" in str(d) for d in cluster.decisions):
                assert time.monotonic() < deadline
                cluster.follow(0.5)
            cluster.follow(1)
            said = live("why", "kueuelab-live/second", "--context", CONTEXT)
            assert "kueuelab-live" in cluster.timeline.as_text()
            assert kl.widgets.CohortGraph(cluster).as_text()
    finally:
        run.join()
    assert "Kueue says" in said
    assert "The lab agrees with Kueue" in said
    assert "What would admit" in said


# --- run and verify ------------------------------------------------------------------------


@on_one
def test_it_is_not_written_unless_it_may_be(tmp_path: Path) -> None:
    if CONTEXT.startswith("kind-"):
        pytest.skip("a kind cluster may be written")
    result = ran("run", scenario_in(tmp_path, PREEMPTION), "--context", CONTEXT)
    assert result.exit_code != 0
    assert "--allow-context" in f"{result.output}{result.exception}"


@on_one
@pytest.mark.parametrize("timeline", [PREEMPTION, ACTIONS], ids=["preemption", "actions"])
def test_a_scenario_is_decided_there_as_in_the_lab(tmp_path: Path, timeline: str) -> None:
    file = scenario_in(tmp_path, timeline)
    said = live("verify", file, "--context", CONTEXT, "--allow-context", CONTEXT)
    assert said.splitlines()[-1].endswith(", 0 differ"), said


@on_one
def test_a_deleted_job_is_finished_before_it_goes(tmp_path: Path) -> None:
    spec = load_scenario(Path(scenario_in(tmp_path, ACTIONS)))
    run = LiveRun(play_on(spec, CONTEXT, allowed=[CONTEXT]))
    assert (run.passed, run.comparison.differences) == (True, ()), run.as_text()
    big = run.key_of("kueuelab-live/big")
    ends = [step.facts for step in run.trace if step.workload == big and step.kind == "Finished"]
    assert [getattr(facts, "reason", "") for facts in ends] == ["OwnerNotFound"]


@on_one
def test_a_run_from_a_running_loop_has_the_views_of_a_simulated_one(tmp_path: Path) -> None:
    async def cell() -> LiveRun:
        lab = kl.load(scenario_in(tmp_path, PREEMPTION))
        with kl.live.connect(CONTEXT, allow=[CONTEXT]) as cluster:
            run = lab.run(on=cluster)
        assert isinstance(run, LiveRun)
        return run

    run = asyncio.run(cell())
    assert run.passed, run.as_text()
    evicted = run.who_evicted("kueuelab-live/low")
    assert evicted is not None
    assert evicted.preemptor == run.key_of("kueuelab-live/high")
    assert "(agrees with Kueue)" in run.timeline.as_text()
    assert [str(d) for d in run.decisions if not d.agrees] == []


@on_one
def test_its_decisions_are_recorded_and_judged_again(tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    scenario = scenario_in(tmp_path, PREEMPTION)
    live("record", scenario, "-o", str(file), "--context", CONTEXT, "--allow-context", CONTEXT)
    found = check_file(file)
    assert len(found.results) >= 4
    failed = found.with_verdict("failed")
    assert [(each.case, [d.where for d in each.differences]) for each in failed] == []


# --- several clusters ----------------------------------------------------------------------


def several() -> str:
    clusters = "\n".join(
        f"""
      - apiVersion: kueue.x-k8s.io/v1beta2
        kind: MultiKueueCluster
        metadata: {{name: {name}}}
        spec: {{clusterSource: {{kubeConfig: {{locationType: Secret, location: {name}-secret}}}}}}
"""
        for name in WORKERS
    )
    names = ", ".join(WORKERS)
    workers = "\n".join(
        f"      {name}: {{manifests: [*flavor, {WORK}, *local]}}" for name in WORKERS
    )
    return f"""
apiVersion: kueuelab/v1
kind: Scenario
metadata: {{name: kueuelab-live-several}}
spec:
  clusters:
    manager:
      manifests:
      - &flavor
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: ResourceFlavor
        metadata: {{name: kueuelab-live}}
{clusters}
      - apiVersion: kueue.x-k8s.io/v1beta2
        kind: MultiKueueConfig
        metadata: {{name: kueuelab-live}}
        spec: {{clusters: [{names}]}}
      - apiVersion: kueue.x-k8s.io/v1beta2
        kind: AdmissionCheck
        metadata: {{name: kueuelab-live}}
        spec:
          controllerName: kueue.x-k8s.io/multikueue
          parameters: {{apiGroup: kueue.x-k8s.io, kind: MultiKueueConfig, name: kueuelab-live}}
      - apiVersion: kueue.x-k8s.io/v1beta2
        kind: ClusterQueue
        metadata: {{name: kueuelab-live}}
        spec:
          namespaceSelector: {{}}
          resourceGroups:
          - coveredResources: [cpu]
            flavors: [{{name: kueuelab-live, resources: [{{name: cpu, nominalQuota: 1}}]}}]
          admissionChecksStrategy: {{admissionChecks: [{{name: kueuelab-live}}]}}
      - &local
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: LocalQueue
        metadata: {{name: main, namespace: kueuelab-live}}
        spec: {{clusterQueue: kueuelab-live}}
    workers:
{workers}
  timeline:
  - at: 0s
    submit:
      {{job: away, namespace: kueuelab-live, queue: main, requests: {{cpu: 100m}}, runs: 10s}}
  expect:
  - {{at: 8s, workload: kueuelab-live/away, is: admitted}}
"""


#: The ClusterQueue of a worker.
WORK = (
    "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: kueuelab-live}, "
    "spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors: "
    "[{name: kueuelab-live, resources: [{name: cpu, nominalQuota: 1}]}]}]}}"
)


@on_several
def test_a_job_is_sent_away_and_comes_back_finished() -> None:
    contexts = [MANAGER, *WORKERS.values()]
    played = play_on(
        load_scenario(several()), MANAGER, workers=WORKERS, allowed=contexts, seconds=180
    )
    run = LiveRun(played)
    assert run.passed, run.as_text()
    finished = [s.workload for s in run.trace if s.kind == "Finished"]
    assert [run.mirror.seen[key].metadata.owner_references[0].name for key in finished] == ["away"]
    on_workers = [
        name
        for name, trace in run.traces.items()
        if name != "manager" and any(step.kind == "QuotaReserved" for step in trace)
    ]
    assert on_workers
    for context in contexts:
        said = live("clean", "--context", context, "--allow-context", context)
        assert said.endswith("0 objects are removed\n")
