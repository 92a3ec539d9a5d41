"""``kueuelab pending``, the headline of ``explain``, and ``run`` on a dump."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from kueuelab import scenarios
from kueuelab.cli import app
from kueuelab.manifests import load_scenario
from kueuelab.whatif.lab import Lab

WHY = "It does not fit: 4 cpu requested, 2 available in generic (cq-b uses 8 and cq-a uses 6)."
RAISE = "raise the nominal quota of ClusterQueue cq-b by 2 cpu/generic"
LEVER = f"What would admit it: {RAISE}; it evicts no workload."


def called(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def shown(*arguments: str | Path) -> str:
    result = called(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_dump_is_listed_with_levers() -> None:
    lines = shown("pending", "two-teams").splitlines()
    assert lines[0] == "cq-b: 3 pending workloads"
    assert lines[4:7] == [
        "    2  team-b/job-b-cpu-2-71f14 (LocalQueue main, priority 10, age 8s)",
        f"       {WHY}",
        f"       {LEVER}",
    ]
    assert lines[-1] == "(Kueue v0.19.2)"


def test_without_levers_it_says_how_to_get_them() -> None:
    text = shown("pending", "two-teams", "--no-levers")
    assert "What would admit it" not in text
    assert "--levers searches what would admit each of them" in text


def test_one_queue_and_json() -> None:
    found = json.loads(shown("pending", "cohort-1-borrowing", "--queue", "team-b", "--json"))
    (row,) = found["pending"]
    assert (row["workload"], row["clusterQueue"], row["position"]) == ("default/b-1", "team-b", 1)
    assert row["lever"]["text"] == "set reclaimWithinCohort: Any of ClusterQueue team-b"


def test_an_earlier_moment_by_time_or_step(tmp_path: Path) -> None:
    name = "reclaim-1-take-back"
    run = scenarios.load(name).run()
    step = run.until(event="preempting").index
    # Nothing is pending while job-1 runs; job-2 is while it waits for its room.
    assert shown("pending", name, "--at", "5s").startswith("No workload is pending.")
    text = shown("pending", name, "--at", str(step + 1))
    assert "default/job-2 (LocalQueue" in text
    assert "default/job-1 (" not in text
    assert "What would admit it" not in text
    assert "What would admit it" in shown("pending", name, "--at", "7s", "--levers")
    file = tmp_path / "run.json"
    run.save(file)
    assert shown("pending", file, "--at", "5s").startswith("No workload is pending.")


def test_an_earlier_moment_of_several_clusters() -> None:
    assert "default/train (LocalQueue team" in shown("pending", "lost-worker", "--at", "1200ms")


def test_a_saved_run_has_no_levers(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    scenarios.load("cohort-1-borrowing").run().save(file)
    assert "not in the record of a run" in shown("pending", file)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give either a file or --context"),
        (["two-teams", "--context", "kind-lab"], "give either a file or --context"),
        (["nothing"], "there is no file or scenario named 'nothing'"),
        (["two-teams", "--queue", "cq-x"], "there is no ClusterQueue named 'cq-x'"),
        (["two-teams", "--when", "x"], "No such option"),
        (["two-teams", "--at", "soon"], "--at: 'soon' is not a duration"),
        (["two-teams", "--at", "-5s"], "--at: nothing has happened by -5s"),
        (["two-teams", "--at", "9999"], "there is no step 9999"),
        (["--context", "kind-lab", "--at", "5s"], "--at needs a file"),
    ],
)
def test_bad_input(arguments: list[str], said: str) -> None:
    result = called("pending", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_a_context_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(context: str, out: object) -> object:
        assert context == "kind-lab"
        lab = scenarios.load("cohort-1-borrowing")
        assert isinstance(lab, Lab)
        return lab

    monkeypatch.setattr("kueuelab.cli.pending.live_lab", read)
    # As a snapshot is: nothing after its instant counts.
    assert "No workload is pending" in shown("pending", "--context", "kind-lab")


def test_a_context_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    result = called("pending", "--context", "nowhere")
    assert result.exit_code == 2
    assert result.stderr.startswith("kueuelab: ")


def test_an_interrupt_ends_with_130_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **more: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("kueuelab.whatif.lab.Lab.run", interrupted)
    for command in ("pending", "run", "step", "diff"):
        arguments = [command, *(["reclaim-1-take-back"] * (2 if command == "diff" else 1))]
        result = called(*arguments)
        assert (result.exit_code, result.stderr) == (130, "kueuelab: interrupted\n")


# --- explain -------------------------------------------------------------------------------


def test_explain_begins_with_the_reason_and_the_best_lever() -> None:
    first, second, *_ = shown("explain", "two-teams", "b-cpu-2").splitlines()
    assert first == f"team-b/job-b-cpu-2-71f14 is pending in cq-b. {WHY} {LEVER}"
    assert second == ""


def test_explain_says_what_would_help_if_it_is_asked() -> None:
    text = shown("explain", "two-teams", "b-cpu-2", "--what-would-help")
    assert f"What would admit team-b/job-b-cpu-2-71f14?\n  1. {RAISE}" in text
    data = json.loads(shown("explain", "two-teams", "b-cpu-2", "--what-would-help", "--json"))
    assert data["headline"].endswith(LEVER)
    assert data["whatWouldHelp"]["suggestions"][0]["kind"] == "quota"


def test_a_change_is_written_as_manifests_that_admit_the_workload() -> None:
    patch = shown("explain", "two-teams", "b-gpu-1", "--patch", "quota")
    (queue,) = yaml.safe_load_all(patch)
    assert queue["metadata"] == {"name": "cq-b"}
    assert "status" not in queue
    fork = Lab(load_scenario(scenarios.dump("two-teams"))).run().fork().apply(patch)
    trace = fork.run().trace
    key = "team-b/job-b-gpu-1-5202f"
    assert trace.state_at(len(trace) - 1).workload(key).phase == "Admitted"


def test_a_change_that_no_report_has_is_named() -> None:
    result = called("explain", "two-teams", "b-gpu-1", "--patch", "more-luck")
    assert result.exit_code == 2
    assert "there is no change named 'more-luck'. There are: '1', '2'" in result.stderr


def test_an_admitted_workload_needs_no_lever() -> None:
    first = shown("explain", "two-teams", "b-cpu-hi").splitlines()[0]
    assert first.startswith("team-b/job-b-cpu-hi-2da09 is admitted by ClusterQueue cq-b")


def test_the_record_of_a_run_can_not_say_what_would_help(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    scenarios.load("cohort-1-borrowing").run().save(file)
    assert "is pending in team-b. It does not fit" in shown("explain", file, "b-1")
    result = called("explain", file, "b-1", "--what-would-help")
    assert result.exit_code == 2
    assert "is a saved run. Give the scenario that was run" in result.stderr


# --- run -----------------------------------------------------------------------------------


def test_run_on_a_dump_begins_with_what_runs_and_what_is_pending() -> None:
    lines = shown("run", "two-teams").splitlines()
    assert lines[2].startswith("cq-a: 3 admitted workloads: team-a/job-a-gpu-1-5bad9, ")
    assert lines[5] == "cq-b: 3 pending workloads"
    assert "(8 more lines: --all shows them)" in lines
    assert not any("as read" in line for line in lines)
    everything = shown("run", "two-teams", "--all").splitlines()
    assert sum("as read" in line for line in everything) == 7


def test_many_that_are_tried_again_are_one_line(tmp_path: Path) -> None:
    large = [f"{{job: j{i}, queue: a, requests: {{cpu: {i + 2}}}}}" for i in range(9)]
    small = "{at: 5s, submit: {job: small, queue: a, requests: {cpu: 1}, runs: 5s}}"
    jobs = ", ".join([*(f"{{at: 0s, submit: {job}}}" for job in large), small])
    file = tmp_path / "many.yaml"
    file.write_text(f"""\
apiVersion: kueuelab/v1
kind: Scenario
metadata: {{name: many}}
spec:
  manifests:
  - {{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {{name: default}}}}
  - &queue
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {{name: a}}
    spec:
      namespaceSelector: {{}}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{{name: default, resources: [{{name: cpu, nominalQuota: 1}}]}}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {{name: a, namespace: default}}
    spec: {{clusterQueue: a}}
  timeline: [{jobs}]
""")
    text = shown("run", file)
    assert "  9 workloads tried again\n" in text
    assert "lines: --all shows them)" in text
    everything = shown("run", file, "--all")
    assert everything.count("  tried again\n") == 9
    assert "--all" not in everything
