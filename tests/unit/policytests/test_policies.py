"""A configuration in Git whose policies are tested: by the command, and by pytest's plugin."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from typer.testing import CliRunner, Result

from kueuelab.cli import app

HERE = Path(__file__)
ROOT = HERE.parents[3]
REPOSITORY = ROOT / "tests/config_repository"
PAGE = ROOT / "docs/policy-tests.md"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(REPOSITORY, tmp_path / "config")
    monkeypatch.chdir(tmp_path / "config")
    return tmp_path / "config"


def less_quota(repository: Path) -> None:
    """Change one quota."""
    file = repository / "kueue/team-a.yaml"
    text = file.read_text()
    assert text.count("nominalQuota: 8") == 1
    file.write_text(text.replace("nominalQuota: 8", "nominalQuota: 4"))


def judged(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["test", *map(str, arguments)])


def by_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest as users do: it finds the plugin by the entry point of the package."""
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    return subprocess.run(
        [*command, "-p", "no:cacheprovider", str(folder)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_policies_hold(repository: Path) -> None:
    result = judged()
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith("7 of 7 expectations pass, in files: 2.\n")


def test_one_changed_quota_fails_them(repository: Path) -> None:
    less_quota(repository)
    result = judged()
    assert result.exit_code == 1
    failed = [line for line in result.stdout.splitlines() if line.startswith("FAIL ")]
    assert failed == [
        "FAIL no-starvation.scenario.yaml:12: 3s workload default/a-1 admitted: "
        "is evicted, not admitted",
        "FAIL reclaim.scenario.yaml:13: 9s workload default/b-2 admitted: is pending, not admitted",
        "FAIL reclaim.scenario.yaml:15: 11s workload default/a-1 admitted: "
        "is pending, not admitted; is in no ClusterQueue",
    ]


def test_junit_names_each_expectation_and_each_failure(repository: Path) -> None:
    less_quota(repository)
    (repository / "broken.scenario.yaml").write_text(
        "apiVersion: kueuelab/v1\nkind: Scenario\nmetadata: {name: x}\nspec: {expect: [{at: 1x}]}\n"
    )
    result = judged("--junit", "out.xml")
    assert result.exit_code == 2
    assert "broken.scenario.yaml:4" in result.stderr
    root = ElementTree.parse("out.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("8", "3", "1")
    names = [case.get("name") for case in root.iter("testcase") if case.find("failure") is not None]
    assert names == [
        "3s workload default/a-1 admitted",
        "9s workload default/b-2 admitted",
        "11s workload default/a-1 admitted",
    ]


def test_update_rewrites_what_fails_and_nothing_else(repository: Path) -> None:
    less_quota(repository)
    scenario = repository / "reclaim.scenario.yaml"
    text = scenario.read_text().replace(", clusterQueue: team-a}", "} # as before")
    scenario.write_text(text)
    result = judged("--update")
    assert result.exit_code == 0, result.output
    assert "reclaim.scenario.yaml:15: is: admitted -> pending\n" in result.stdout
    wanted = text.replace("b-2, is: admitted", "b-2, is: pending")
    assert scenario.read_text() == wanted.replace("a-1, is: admitted", "a-1, is: pending")
    assert judged().exit_code == 0


def test_update_knows_every_field(repository: Path) -> None:
    scenario = repository / "reclaim.scenario.yaml"
    head, _ = scenario.read_text().split("  expect:\n")
    expect = """\
  expect:
  - at: 11s
    workload: a-1
    is: pending        # was
    reason: "Other"
    message: 'no'
    flavors: {nvidia.com/gpu: other}
    count: 7
  - {at: 11s, workload: gone, is: admitted}
  - {at: 11s, clusterQueue: team-b, usage: {h100: {nvidia.com/gpu: 1}}, pending: 9, admitted: 9}
"""
    gone = "  - {at: 2s, submit: {job: gone, queue: team-b, requests: {nvidia.com/gpu: 1}}}\n"
    gone += "  - {at: 3s, delete: gone}\n"
    scenario.write_text(head + gone + expect)
    result = judged("--update", scenario)
    assert result.exit_code == 0, result.output
    first, second, third = yaml.safe_load(scenario.read_text())["spec"]["expect"]
    assert (first["is"], first["reason"], first["count"]) == ("admitted", "Admitted", 1)
    assert first["flavors"] == {"nvidia.com/gpu": "h100"}
    assert second["is"] == "deleted"
    assert third["usage"] == {"h100": {"nvidia.com/gpu": "8"}}
    assert (third["pending"], third["admitted"]) == (1, 1)
    assert "# was" in scenario.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: No such file or directory"),
        (["kueue"], "kueue has no scenario with expectations. Their names end in .scenario.yaml"),
        (["kueue/cohort.yaml"], "kueue/cohort.yaml expects nothing. Add spec.expect"),
        (["--junit", "no/such/out.xml"], "no/such/out.xml: No such file or directory"),
    ],
)
def test_bad_input(repository: Path, arguments: list[str], said: str) -> None:
    result = judged(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_files_outside_of_the_folder_need_an_option(repository: Path) -> None:
    inner = repository / "policies"
    inner.mkdir()
    text = (repository / "reclaim.scenario.yaml").read_text().replace("kueue/", "../kueue/")
    (inner / "reclaim.scenario.yaml").write_text(text)
    assert judged(inner).exit_code == 2
    assert judged(inner, "--allow-outside").exit_code == 0
    assert by_pytest(inner).returncode == 2
    assert by_pytest(inner, "-o", "kueuelab_allow_outside=true").returncode == 0


def test_data(repository: Path) -> None:
    found = json.loads(judged("--json").stdout)["expectations"]
    assert len(found) == 7
    assert all(each["passed"] and each["line"] for each in found)


# --- pytest --------------------------------------------------------------------------------


def test_pytest_collects_an_item_for_each_expectation(repository: Path) -> None:
    less_quota(repository)
    done = by_pytest(repository)
    assert done.returncode == 1, done.stdout
    assert "3 failed, 4 passed" in done.stdout
    assert "reclaim.scenario.yaml:15: 11s workload default/a-1 admitted: is pending" in done.stdout
    assert "Traceback" not in done.stdout
    assert "pytest_plugin.py" not in done.stdout


def test_pytest_leaves_other_files_alone_and_imports_nothing_for_them(tmp_path: Path) -> None:
    (tmp_path / "other.scenario.yaml").write_text("Feature: not ours\nexpect: [1]\n")
    (tmp_path / "binary.scenario.yaml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "silent.scenario.yaml").write_text("apiVersion: kueuelab/v1\nkind: Scenario\n")
    (tmp_path / "test_it.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    heavy = {f'kueuelab.{room}' for room in ('simulation', 'manifests', 'policytests')}\n"
        "    assert not {*heavy, 'yaml'} & set(sys.modules)\n"
    )
    done = by_pytest(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_pytest_says_what_is_wrong_with_a_file_without_a_traceback(repository: Path) -> None:
    file = repository / "reclaim.scenario.yaml"
    file.write_text(file.read_text().replace("clusterQueue: team-b", "clusterQeue: team-b"))
    done = by_pytest(repository)
    assert done.returncode == 2
    assert "clusterQeue" in done.stdout
    assert "reclaim.scenario.yaml:17" in done.stdout
    assert "Traceback" not in done.stdout


def test_the_plugin_is_an_entry_point() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\nkueuelab = "kueuelab.pytest_plugin"' in text


# --- the page ------------------------------------------------------------------------------


def test_the_page_shows_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = PAGE.read_text()
    assert (REPOSITORY / "reclaim.scenario.yaml").read_text() in text
    console = re.search(r"```console\n\$ kueuelab (.*?)\n(.*?)```", text, re.DOTALL)
    assert console is not None
    result = CliRunner().invoke(app, console[1].split())
    assert result.stdout == console[2]


def test_the_page_shows_how_they_fail(repository: Path) -> None:
    less_quota(repository)
    (line,) = re.findall(r"^FAIL tests/config_repository/(.*)$", PAGE.read_text(), re.MULTILINE)
    assert f"FAIL {line}\n" in judged().stdout


def test_the_action_is_yaml_and_calls_commands_that_exist() -> None:
    (action,) = re.findall(r"```yaml\n(name: kueue\n.*?)```", PAGE.read_text(), re.DOTALL)
    steps = yaml.safe_load(action)["jobs"]["policies"]["steps"]
    commands = [
        step["run"].split()[1] for step in steps if "run" in step and "kueuelab " in step["run"]
    ]
    assert commands == ["validate", "test"]
    for command in commands:
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0


MAKES_JOBS = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: nightly}
spec:
  queues: {a: {cpu: 4}}
  manifests:
  - apiVersion: batch/v1
    kind: CronJob
    metadata: {name: nightly, namespace: default}
    spec:
      schedule: "0 3 * * *"
      jobTemplate:
        metadata: {labels: {kueue.x-k8s.io/queue-name: a}}
        spec: {template: {spec: {containers: []}}}
  timeline:
  - {at: 1s, submit: {job: x, queue: a, requests: {cpu: 1}}}
  expect:
  - {at: 2s, workload: x, is: admitted}
"""


def test_standard_input_is_tested_and_what_is_left_out_is_said() -> None:
    result = CliRunner().invoke(app, ["test", "-"], input=MAKES_JOBS)
    assert result.exit_code == 0, result.output
    assert "PASS <stdin>:19: 2s workload default/x admitted" in result.stdout
    assert "kueuelab: <stdin>:10: CronJob" in result.stderr
    assert "CronJob" in result.stderr


def test_standard_input_is_not_rewritten() -> None:
    result = CliRunner().invoke(app, ["test", "-", "--update"], input=MAKES_JOBS)
    assert result.exit_code == 2
    assert "does not take standard input" in result.output
