"""``kueuelab try``: exit codes, files and standard input, and errors with their places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab.cli.app import app

JOB = """
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  labels: {{kueue.x-k8s.io/queue-name: team-b-jobs}}
spec:
  template:
    spec:
      restartPolicy: {restart}
      containers:
      - {{name: main, image: train, resources: {{requests: {{cpu: {cpu}}}}}}}
"""
SCENARIO = "reclaim-1-take-back"


def tried(*arguments: str, text: str | None = None) -> tuple[int, str, str]:
    """Return the exit code, and what is on standard output and on standard error."""
    result = CliRunner().invoke(app, ["try", *arguments], input=text)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file for a manifest."""
    return tmp_path / "job.yaml"


@pytest.mark.parametrize(
    ("cpu", "restart", "code", "said"),
    [
        ("200m", "Never", 0, "Now: admitted at once by ClusterQueue team-b"),
        ("400m", "Never", 1, "Now: pending at position 2 of 2 in ClusterQueue team-b."),
        ("200m", "Sometimes", 2, "job.yaml:10: Job/train: spec.template.spec.restartPolicy: "),
    ],
)
def test_the_exit_code_says_what_becomes_of_the_job(
    file: Path, cpu: str, restart: str, code: int, said: str
) -> None:
    file.write_text(JOB.format(cpu=cpu, restart=restart))
    found, out, _ = tried(str(file), "--on", SCENARIO)
    assert found == code
    assert said in out


def test_the_job_can_come_from_standard_input() -> None:
    code, out, _ = tried("-", "--on", SCENARIO, "--json", text=JOB.format(cpu=1, restart="Never"))
    answer = json.loads(out)
    assert (code, answer["verdict"], answer["jobs"][0]["now"]["outcome"]) == (1,) + ("pending",) * 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("kind: [\n", "job.yaml:2: this is not YAML"),
        ("just text", "job.yaml:1:"),
        ("", "there is no job that Kueue manages"),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", "there is no job that Kueue"),
        ("{apiVersion: kueuelab/v1, kind: Scenario, metadata: {name: a}}", "a scenario is no job"),
        ("\x00\x01", "job.yaml"),
    ],
)
def test_what_is_no_job_is_refused_in_a_line(file: Path, content: str, said: str) -> None:
    file.write_text(content)
    code, out, err = tried(str(file), "--on", SCENARIO)
    assert code == 2
    assert said in out + err
    assert "Traceback" not in out + err


def test_a_file_that_is_not_there_is_named() -> None:
    code, _, err = tried("nothing.yaml", "--on", SCENARIO)
    assert code == 2
    assert "nothing.yaml: No such file" in err


@pytest.mark.parametrize("options", [(), ("--on", SCENARIO, "--context", "prod")])
def test_there_is_one_cluster(file: Path, options: tuple[str, ...]) -> None:
    file.write_text(JOB.format(cpu=1, restart="Never"))
    code, _, err = tried(str(file), *options)
    assert code == 2
    assert "give either --on or --context" in err


def test_a_scenario_with_several_clusters_is_refused(file: Path) -> None:
    file.write_text(JOB.format(cpu=1, restart="Never"))
    code, _, err = tried(str(file), "--on", "cluster-deleted")
    assert code == 2
    assert "several clusters" in err


def test_standard_input_is_read_once() -> None:
    code, _, err = tried("-", "--on", "-")
    assert code == 2
    assert "standard input" in err


@pytest.mark.parametrize(("most", "code"), [("1h", 0), ("10s", 1)])
def test_a_limit_on_waiting_is_a_check(file: Path, most: str, code: int) -> None:
    file.write_text(JOB.format(cpu="400m", restart="Never"))
    arguments = (str(file), "--on", SCENARIO, "--runs", "10m", "--wait-at-most", most)
    found, out, _ = tried(*arguments)
    assert found == code
    assert "When: starts in " in out


def test_only_what_happens_at_once(file: Path) -> None:
    file.write_text(JOB.format(cpu="400m", restart="Never"))
    _, out, _ = tried(str(file), "--on", SCENARIO, "--now")
    assert "When:" not in out
    assert "What instead:" not in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--runs", "soon"), "soon is no run time"),
        (("--wait-at-most", "soon"), "soon"),
        (("--seeds", "0"), "greater than or equal to 1"),
        (("--watch",), "--watch needs --context"),
    ],
)
def test_options_that_are_wrong(file: Path, options: tuple[str, ...], said: str) -> None:
    file.write_text(JOB.format(cpu="400m", restart="Never"))
    code, out, err = tried(str(file), "--on", SCENARIO, *options)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize("at", ["-5s", "soon", "1e30s"])
def test_a_time_that_is_none_is_refused(file: Path, at: str) -> None:
    file.write_text(JOB.format(cpu=1, restart="Never"))
    code, out, err = tried(str(file), "--on", SCENARIO, f"--at={at}")
    assert (code, out) == (2, "")
    assert err.startswith("kueuelab: ")
