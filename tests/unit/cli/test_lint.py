"""``kueuelab lint``: exit codes, formats, fixes, what it reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import kueuelab as kl
from kueuelab.cli import app
from kueuelab.lint import CATALOGUE

runner = CliRunner()
ROOT = Path(__file__).parents[3]

GOOD = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: all}
"""
WARNED = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: Cohort
metadata: {name: all} # of all teams
"""
NOTED = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team-a}
spec:
  stopPolicy: Hold
"""


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def linted(*arguments: str, text: str | None = None) -> Result:
    return runner.invoke(app, ["lint", *arguments], input=text)


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        (GOOD, (), 0),
        (NOTED, (), 0),
        (NOTED, ("--level", "note"), 1),
        (NOTED, ("--level", "note", "--ignore", "KL510"), 0),
        (WARNED, (), 1),
        (WARNED, ("--level", "error"), 0),
        (WARNED, ("--only", "KL101"), 0),
        ("kind: [", (), 2),
        (f"{WARNED}---\nkind: [", ("--level", "error"), 2),
        ("apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: A}", (), 2),
    ],
)
def test_exit_codes(tmp_path: Path, text: str, options: tuple[str, ...], code: int) -> None:
    result = linted(written(tmp_path, "a.yaml", text), *options)
    assert result.exit_code == code, result.output


def test_a_finding_as_text(tmp_path: Path) -> None:
    file = written(tmp_path, "a.yaml", WARNED)
    first, why, fix, total = linted(file).stdout.splitlines()
    assert first.startswith(
        f"{file}:1: Cohort/all: apiVersion: warning KL911 (deprecated-api-version): "
    )
    assert why.startswith("    why: ")
    assert fix.startswith("    fix: ")
    assert total == "Found: 1 warning."


def test_nothing_found(tmp_path: Path) -> None:
    assert linted(written(tmp_path, "a.yaml", GOOD)).stdout == "Found: nothing.\n"


def test_standard_input() -> None:
    result = linted("-", text=WARNED)
    assert result.exit_code == 1
    assert result.stdout.startswith("<stdin>:1: Cohort/all")


def test_folders_and_files_together_are_one_cluster(tmp_path: Path) -> None:
    queue = NOTED.replace("stopPolicy: Hold", "cohortName: all")
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    written(one, "queue.yaml", queue)
    cohort = written(other, "cohort.yaml", GOOD)
    assert linted(cohort, "--level", "note").exit_code == 0
    alone = written(tmp_path, "queue.yaml", queue.replace("cohortName: all", "cohortName: al"))
    apart = linted(cohort, alone, "--level", "note", "--only", "cohort-without-queues")
    assert apart.exit_code == 1
    together = linted(cohort, str(one), "--level", "note", "--only", "cohort-without-queues")
    assert together.exit_code == 0


def test_each_scenario_is_judged_by_itself(tmp_path: Path) -> None:
    for name in ("a", "b"):
        head = f"apiVersion: kueuelab/v1\nkind: Scenario\nmetadata: {{name: {name}}}\nspec:\n"
        written(tmp_path, f"{name}.yaml", f"{head}  queues: {{team: {{cpu: 1}}}}\n")
    written(tmp_path, "queue.yaml", NOTED)
    result = linted(str(tmp_path), "--format", "json")
    data = json.loads(result.stdout)
    assert [finding["object"] for finding in data["findings"]] == ["ClusterQueue/team-a"]
    assert not data["problems"]


def test_what_the_cluster_has_already_may_be_named(tmp_path: Path) -> None:
    local = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
    local += "metadata: {name: jobs, namespace: default}\nspec: {clusterQueue: team-b}\n"
    file = written(tmp_path, "a.yaml", f"{NOTED}---\n{local}")
    assert linted(file).exit_code == 1
    there = written(tmp_path, "b.yaml", NOTED.replace("team-a", "team-b"))
    assert linted(file, "--existing", there).exit_code == 0


def test_json(tmp_path: Path) -> None:
    file = written(tmp_path, "a.yaml", WARNED)
    data = json.loads(linted(file, "--format", "json").stdout)
    assert data["counts"] == {"note": 0, "warning": 1, "error": 0}
    (finding,) = data["findings"]
    assert finding["rule"] == "KL911"
    assert (finding["file"], finding["line"], finding["safe"]) == (file, 1, True)
    assert finding["patch"] == [
        {"op": "set", "field": "apiVersion", "value": "kueue.x-k8s.io/v1beta2"}
    ]


def test_sarif(tmp_path: Path) -> None:
    file = written(tmp_path, "a.yaml", f"{WARNED}---\nkind: [\n")
    report = json.loads(linted(file, "--format", "sarif").stdout)
    assert report["version"] == "2.1.0"
    (run,) = report["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [each["id"] for each in rules] == [rule.id for rule in CATALOGUE]
    assert all(each["help"]["text"] and each["fullDescription"]["text"] for each in rules)
    (result,) = run["results"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "KL911"
    assert result["level"] == "warning"
    (place,) = result["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == file
    assert place["physicalLocation"]["region"]["startLine"] == 1
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    (problem,) = invocation["toolExecutionNotifications"]
    assert problem["locations"][0]["physicalLocation"]["region"]["startLine"] == 6


def test_annotations_for_github(tmp_path: Path) -> None:
    file = written(tmp_path, "a.yaml", f"{WARNED}---\n{NOTED}")
    result = linted(file, "--format", "github", "--ignore", "cohort-without-queues")
    first, second = result.stdout.splitlines()
    assert first.startswith(f"::warning file={file},line=1,")
    assert "title=KL911 Cohort/all" in first
    assert second.startswith(f"::notice file={file},line=9,")


def test_fix_and_diff(tmp_path: Path) -> None:
    file = written(tmp_path, "a.yaml", WARNED)
    shown = linted(file, "--diff")
    assert shown.exit_code == 1
    assert "+apiVersion: kueue.x-k8s.io/v1beta2" in shown.stderr
    assert Path(file).read_text() == WARNED
    fixed = linted(file, "--fix")
    assert fixed.exit_code == 0
    assert "+apiVersion: kueue.x-k8s.io/v1beta2" in fixed.stderr
    assert Path(file).read_text() == WARNED.replace("v1beta1", "v1beta2")
    again = linted(file, "--fix")
    assert (again.exit_code, again.stdout) == (0, "Found: nothing.\n")


def test_the_configuration_file_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, "a.yaml", WARNED)
    written(tmp_path, ".kueuelab-lint.yaml", "levels: {KL911: note}\n")
    monkeypatch.chdir(tmp_path)
    assert linted(file).exit_code == 0
    assert linted(file, "--level", "note").exit_code == 1
    other = written(tmp_path, "other.yaml", "ignore: [KL911]\n")
    ignored = linted(file, "--config", other)
    assert ignored.stdout == "Found: nothing.\n"
    wrong = linted(file, "--config", written(tmp_path, "wrong.yaml", "ignore: [KL0]\n"))
    assert wrong.exit_code == 2
    assert "wrong.yaml:1: ignore: there is no rule named 'KL0'" in wrong.stderr


def test_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def read(context: str, out: object) -> object:
        asked.append(context)
        return kl.load(NOTED)

    monkeypatch.setattr("kueuelab.cli.lint.live_lab", read)
    result = linted("--context", "prod", "--level", "note")
    assert (asked, result.exit_code) == (["prod"], 1)
    assert result.stdout.startswith("ClusterQueue/team-a: spec.stopPolicy: note KL510 ")


def test_the_rules() -> None:
    lines = linted("--rules").stdout.splitlines()
    assert len(lines) == len(CATALOGUE) >= 60
    assert lines[0].startswith("KL101  cohort-quota-adds-up ")
    data = json.loads(linted("--rules", "--format", "json").stdout)
    assert len(data["rules"]) == len(CATALOGUE)


@pytest.mark.parametrize(
    "arguments",
    [(), ("a.yaml", "--context", "kind"), ("--only", "KL0", "a.yaml"), ("no-such-file.yaml",)],
)
def test_a_call_that_makes_no_sense(arguments: tuple[str, ...]) -> None:
    assert linted(*arguments).exit_code == 2


@pytest.mark.parametrize("folder", ["tests/config_repository", "tests/config_repositories/folders"])
def test_good_repositories_have_no_findings(folder: str) -> None:
    result = linted(str(ROOT / folder), "--level", "note")
    assert (result.exit_code, result.stdout) == (0, "Found: nothing.\n")


HOSTILE = [
    "kind: [",
    "\t- a",
    "- " * 300 + "a",
    "a: &a [*a]",
    "a: &x {b: 1}\nc: {<<: *y}",
    "apiVersion: 1\nkind: 2\nmetadata: 3\n",
    "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: []\nspec: x\n",
    "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: a}\nspec: 4\n",
    "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: a}\n"
    "spec: {flavorFungibility: [], preemption: 3}\n",
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, labels: [], annotations: 4}\n"
    "spec: {template: [1, {spec: {containers: 5}}]}\n",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {kueue.x-k8s.io/pod-group-name: []}}\n",
    "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nintegrations: 4\n"
    "resources: []\nfeatureGates: [a]\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    "data: {controller_manager_config.yaml: '['}\n",
    "apiVersion: kueuelab/v1\nkind: Scenario\nspec: {clusters: [], timeline: 3, queues: [a]}\n",
    "apiVersion: kueuelab/v1\nkind: Scenario\nmetadata: {name: a}\n"
    "spec: {manifests: 5, timeline: {a: b}, clusters: {workers: [a]}}\n",
    "apiVersion: kueuelab/v1\nkind: Scenario\nspec:\n",
    '{"items": [{"kind": {}, "metadata": {"name": {}}}]}',
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: [b]}\n",
    "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
    "integrations: {frameworks: 4}\n",
    "a: \x00",
    "5",
    "kind: List\nitems: 5\n",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("format", ["text", "sarif"])
def test_damaged_files_are_reported_with_file_and_line(
    tmp_path: Path, text: str, format: str
) -> None:
    file = written(tmp_path, "a.yaml", text)
    result = linted(file, "--format", format, "--fix")
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (0, 2), result.output
    if result.exit_code == 2 and format == "text":
        assert f"{file}:" in result.stderr
    assert Path(file).read_text() == text
