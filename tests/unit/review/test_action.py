"""The GitHub Action: its scripts run in a repository with a change, with a stand-in for gh."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import kueuelab as kl

ROOT = Path(__file__).parents[3]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / ".github/actions/review/action.yml").read_text())
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
REPOSITORY = ROOT / "tests" / "config_repository"


def run(command: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )


def git(folder: Path, *arguments: str) -> str:
    author = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    return run(["git", *author, *arguments], folder).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a change of quotas, and the record of a run before it."""
    folder = tmp_path / "repository"
    shutil.copytree(REPOSITORY, folder)
    git(folder, "init", "--quiet")
    kl.load(folder / "reclaim.scenario.yaml").run().save(folder / "week.json.gz")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "before")
    file = folder / "kueue" / "team-a.yaml"
    file.write_text(file.read_text("utf-8").replace("nominalQuota: 8", "nominalQuota: 0"), "utf-8")
    git(folder, "commit", "--quiet", "-am", "after")
    return folder


def test_the_scripts_write_the_comment(repository: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in (
        ("kueuelab", f'exec {sys.executable} -m kueuelab "$@"'),
        ("gh", 'echo "$@" > "$RUNNER_TEMP/gh"'),
    ):
        (tools / name).write_text(f"#!/bin/sh\n{text}\n", "utf-8")
        (tools / name).chmod(stat.S_IRWXU)
    values = {
        "inputs.path": "kueue",
        "inputs.run": "week.json.gz",
        "inputs.base": git(repository, "rev-parse", "HEAD~1"),
        "inputs.pull-request": "7",
        "inputs.token": "t",
    }
    outside = {
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    steps = {each["name"]: each for each in ACTION["runs"]["steps"]}
    for name in ("Write the comment", "Comment on the pull request"):
        step = steps[name]
        own = {
            key: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: values[found.group(1)], text)
            for key, text in step["env"].items()
        }
        script = step["run"]
        run(["bash", "-e", "-o", "pipefail", "-c", script], repository, **outside, **own)
    text = (tmp_path / "comment.md").read_text("utf-8")
    assert "| waits longer | `default/a-1` | `team-a` | starts after 0s | never starts |" in text
    assert (tmp_path / "summary.md").read_text("utf-8") == text
    assert (tmp_path / "output").read_text() == f"comment={tmp_path / 'comment.md'}\n"
    called = (tmp_path / "gh").read_text()
    assert called.startswith("pr comment 7 --edit-last --create-if-none --body-file")
    assert git(repository, "status", "--porcelain") == ""


def test_no_script_has_an_expression_of_the_workflow() -> None:
    """What a pull request says would otherwise be run as a command."""
    assert all("${{" not in step["run"] for step in ACTION["runs"]["steps"])


def test_inputs_that_scripts_use_are_there() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", yaml.safe_dump(ACTION["runs"])))
    assert used == set(ACTION["inputs"])


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_hooks_and_steps_call_commands_with_options_that_they_have(hook: dict[str, Any]) -> None:
    scripts = " ".join(step["run"] for step in ACTION["runs"]["steps"]).replace("\\\n", " ")
    for line in (hook["entry"], *re.findall(r"^kueuelab .*", scripts, re.MULTILINE)):
        _, command, *rest = line.split()
        shown = run(
            [sys.executable, "-m", "kueuelab", command, "--help"], ROOT, COLUMNS="200"
        ).stdout
        assert all(each in shown for each in rest if each.startswith("--")), line
