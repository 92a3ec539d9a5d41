"""``kueuelab run`` and ``kueuelab explain`` on scenarios, of the package and of one's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab import KUEUE_VERSION, scenarios
from kueuelab.cli import app
from kueuelab.trace.export import load_trace, trace_from_json

runner = CliRunner()
SCENARIO = "reclaim-1-take-back"
DUMP = Path(__file__).parents[3] / "kueuelab/scenarios/dumps/two-teams"

SMALL = """\
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: small, title: One job}
spec:
  manifests:
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ResourceFlavor
    metadata: {name: default}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: team-a}
    spec:
      namespaceSelector: {}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{name: default, resources: [{name: cpu, nominalQuota: 1}]}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: team-a, namespace: default}
    spec: {clusterQueue: team-a}
  timeline:
  - {at: 0s, submit: {job: job-0, queue: team-a, requests: {cpu: 1}, runs: 10s}}
  - {at: 2s, submit: {job: job-1, queue: team-a, requests: {cpu: 1}, runs: 10s}}
  expect:
  - {at: 3s, workload: job-0, is: admitted}
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    return path


def test_timeline_of_a_file(small: Path) -> None:
    result = runner.invoke(app, ["run", str(small)])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == f"small: One job (Kueue {KUEUE_VERSION})"
    assert any("default/job-0" in line and "admitted by team-a" in line for line in lines)
    assert "1 of 1 expectation passes." in lines
    assert lines[-1] == "<Run small: 2 workloads, 3 cycles, 20s>"


def test_scenario_of_the_package_by_its_name() -> None:
    result = runner.invoke(app, ["run", SCENARIO])
    assert result.exit_code == 0
    assert "preempted by default/job-2 (InCohortReclamation)" in result.stdout


def test_run_stops_when_asked(small: Path) -> None:
    result = runner.invoke(app, ["run", str(small), "--until", "1"])
    assert "job-1" not in result.stdout


def test_expectation_that_fails_exits_with_1_and_says_where(small: Path) -> None:
    small.write_text(SMALL.replace("is: admitted", "is: finished"))
    result = runner.invoke(app, ["run", str(small)])
    assert result.exit_code == 1
    assert "0 of 1 expectation passes." in result.stdout
    line = len(SMALL.splitlines())
    assert f"{small}:{line}: expected at 3s: workload default/job-0: is " in result.stderr


def test_json_is_the_trace_and_always_the_same_bytes(small: Path) -> None:
    outputs = []
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-m", "kueuelab", "run", str(small), "--json"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert trace_from_json(outputs[0].decode()).name == "small"


def test_part_that_is_not_modelled_is_said(small: Path) -> None:
    gate = "configuration: {featureGates: {SchedulerLibraryIntegration: true}}"
    placing = "metadata: {name: default}\n    spec: {nodeLabels: {rack: x}, topologyName: racks}\n"
    changed = SMALL.replace("spec:\n", f"spec:\n  {gate}\n", 1)
    small.write_text(changed.replace("metadata: {name: default}\n", placing, 1))
    result = runner.invoke(app, ["run", str(small)])
    assert "is not modelled" in result.stderr


def test_why_a_workload_waits() -> None:
    result = runner.invoke(app, ["explain", SCENARIO, "job-1"])
    assert result.exit_code == 0
    assert "default/job-1 is pending" in result.stdout
    assert "default/job-2 preempted it" in result.stdout
    assert KUEUE_VERSION in result.stdout


def test_explanation_of_an_earlier_time() -> None:
    result = runner.invoke(app, ["explain", SCENARIO, "default/job-1", "--at", "5s"])
    assert result.exit_code == 0
    assert "preempted" not in result.stdout


def test_why_not_another_victim() -> None:
    result = runner.invoke(app, ["explain", SCENARIO, "job-2", "--why-not", "job-0"])
    assert "default/job-2 does not preempt default/job-0" in result.stdout


def test_explain_names_the_preemptor() -> None:
    result = runner.invoke(app, ["explain", SCENARIO, "job-1", "--who-evicted"])
    assert "default/job-2 preempted it (InCohortReclamation)" in result.stdout
    assert "The two queues meet in cohort department." in result.stdout


def test_explanation_as_json() -> None:
    record = json.loads(runner.invoke(app, ["explain", SCENARIO, "job-1", "--json"]).stdout)
    assert (record["workload"], record["phase"]) == ("default/job-1", "Pending")
    assert record["kueueVersion"] == KUEUE_VERSION
    assert all(line["text"] for section in record["sections"] for line in section["lines"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "nowhere.yaml"], "nowhere.yaml: No such file or directory"),
        (["run", "reclaim-1-take-bak"], "Did you mean 'reclaim-1-take-back'?"),
        (["explain", SCENARIO, "job-0", "--who-evicted"], "default/job-0 was not evicted"),
        (["explain", "lost-worker", "train", "--who-evicted"], "--who-evicted does not work for"),
        (["explain", SCENARIO, "job-9"], "there is no workload named 'job-9'"),
        (["explain", SCENARIO, "job-1", "--at", "soon"], "--at: 'soon' is not a duration"),
        (["explain", SCENARIO, "job-1", "--why-not", "job-9"], "no workload named 'job-9'"),
        (["run", SCENARIO, "--save", "nowhere/run.html"], "nowhere/run.html: No such file"),
        (["run", "lost-worker", "--save", "nowhere/run.json"], "nowhere/run.json: No such file"),
    ],
)
def test_bad_input_is_said_in_a_line(arguments: list[str], said: str) -> None:
    result = runner.invoke(app, arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("name", ["run.html", "run.json", "run.json.gz"])
def test_a_run_of_several_clusters_is_saved(name: str, tmp_path: Path) -> None:
    result = runner.invoke(app, ["run", "lost-worker", "--save", str(tmp_path / name)])
    assert result.exit_code == 0
    if name == "run.html":
        assert '"cluster":"w1"' in (tmp_path / name).read_text("utf-8")
    else:
        trace = load_trace(tmp_path / name)
        assert {step.cluster for step in trace.steps} == {"manager", "w1", "w2"}
        assert {step.workload for step in trace.steps} == {"", "default/filler", "default/train"}


def test_same_name_in_two_namespaces_must_be_distinguished(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(
        "".join(
            "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, "
            f"metadata: {{name: job, namespace: {namespace}}}, "
            "spec: {queueName: main, podSets: [{name: main, count: 1, "
            "template: {spec: {containers: [{name: c}]}}}]}}\n"
            for namespace in ("a", "b")
        )
    )
    result = runner.invoke(app, ["explain", str(file), "job"])
    assert result.exit_code == 2
    assert "Choose one: a/job, b/job" in result.stderr


def test_a_workload_may_be_called_by_the_name_of_its_job() -> None:
    result = runner.invoke(app, ["explain", str(DUMP), "b-gpu-1"])
    assert result.exit_code == 0
    assert "b-gpu-1" in result.stdout


def test_expectations_of_several_clusters_are_checked() -> None:
    result = runner.invoke(app, ["run", "lost-worker"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert "6 of 6 expectations pass." in result.stdout


def test_a_saved_run_of_several_clusters(tmp_path: Path) -> None:
    file = str(tmp_path / "run.json.gz")
    scenarios.load("lost-worker").run().save(file)
    found = runner.invoke(app, ["explain", file, "train"])
    assert found.exit_code == 0
    headings = [line for line in found.stdout.splitlines() if line in ("manager:", "w1:", "w2:")]
    assert headings == ["manager:", "w1:", "w2:"]
    for command in (["step", file], ["explain", file, "train", "--why-not", "filler"]):
        refused = runner.invoke(app, command)
        assert refused.exit_code == 2
        assert "several clusters" in refused.stderr


@pytest.mark.parametrize(
    ("name", "said"), [("run.html", "open it in a browser"), ("run.json", "opens it again")]
)
def test_save_says_what_it_wrote(tmp_path: Path, name: str, said: str) -> None:
    file = tmp_path / name
    result = runner.invoke(app, ["run", SCENARIO, "--save", str(file)])
    assert result.exit_code == 0
    assert f"wrote {file} ({file.stat().st_size / 1000:,.0f} kB): " in result.stderr
    assert said in result.stderr
