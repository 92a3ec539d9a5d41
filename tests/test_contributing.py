"""CONTRIBUTING.md, the workflows and the hooks say what is true, and their commands run."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
COMMANDS = list(dict.fromkeys(re.findall(r"^\$ (.+)$", PAGE, re.MULTILINE)))
#: What belongs to a person's shell.
NOT_STARTED = (". .venv/bin/activate", "pre-commit install")
#: Collects the tests of each command; the exit code is that of the first that finds none.
COLLECT = """
import json, sys, pytest
for command in json.loads(sys.argv[1]):
    print("pytest", *command, flush=True)
    if code := pytest.main([*command, "--collect-only", "-p", "no:cacheprovider"]):
        sys.exit(code)
"""
#: Names in capitals stand for one's own.
FILES = [
    name
    for name in sorted(set(re.findall(r"`((?:kueuelab|tests)/[\w/.-]+)`", PAGE)))
    if not re.search(r"(?<![a-z])[A-Z]{3,}(?![a-z])", name.replace("README", ""))
]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.startswith("kueuelab ")])
def test_each_command_of_kueuelab_runs(command: str) -> None:
    run(sys.executable, "-m", *shlex.split(command))


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.startswith("make ")])
def test_each_target_of_make_exists(command: str) -> None:
    run("make", "--dry-run", *shlex.split(command)[1:])


def test_each_command_of_pytest_finds_tests() -> None:
    """The tests themselves run elsewhere in a test run; none found is exit code 5.

    One process collects for all: most of its time goes into what they import.
    """
    commands = [shlex.split(each)[1:] for each in COMMANDS if each.startswith("pytest ")]
    assert commands
    run(sys.executable, "-c", COLLECT, json.dumps(commands))


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.startswith("python ")])
def test_each_command_of_python_runs(command: str, tmp_path: Path) -> None:
    """What a command writes is compared to what is there; a notebook is run in a short copy."""
    command, _, written = command.partition(" > ")
    words = shlex.split(command)[1:]
    for place, word in enumerate(words):
        if word.endswith(".ipynb"):
            words[place] = str(_short_copy(ROOT / word, tmp_path))
    said = run(sys.executable, *words)
    if written:
        assert said == (ROOT / written).read_text("utf-8")


def _short_copy(notebook: Path, folder: Path) -> Path:
    """Return a copy that ends after the first cell with code."""
    content = json.loads(notebook.read_text("utf-8"))
    kinds = [cell["cell_type"] for cell in content["cells"]]
    content["cells"] = content["cells"][: kinds.index("code") + 1]
    copy = folder / notebook.name
    copy.write_text(json.dumps(content), "utf-8")
    return copy


def test_each_command_is_tried() -> None:
    assert {each.split()[0] for each in COMMANDS if each not in NOT_STARTED} == {
        *("kueuelab", "make", "pytest", "python")
    }
    assert set(NOT_STARTED) < set(COMMANDS)


@pytest.mark.parametrize("path", FILES)
def test_each_file_that_is_named_is_there(path: str) -> None:
    assert (ROOT / path).exists()


#: Questions with a word, and the file that has the answer.
QUESTIONS = re.findall(r"^\| .*\? \| `(.+)` \| `(kueuelab/[^`]+)`", PAGE, re.MULTILINE)
SOURCES = [
    path.relative_to(ROOT).as_posix()
    for kind in ("py", "js")
    for path in (ROOT / "kueuelab").rglob(f"*.{kind}")
]


@pytest.mark.parametrize(("word", "file"), QUESTIONS)
def test_a_newcomer_finds_the_answer_by_the_names_of_files(word: str, file: str) -> None:
    found = [name for name in SOURCES if word in name]
    assert file in found
    assert len(found) <= 3, found


def test_where_is_what_is_said_of_two_dozen_things() -> None:
    questions = PAGE.partition("## Where is what")[2].partition("\n## ")[0]
    assert len(QUESTIONS) == questions.count("? |") >= 24


def test_each_link_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", PAGE)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_changelog_has_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    headings = re.findall(r"^## \[(.+?)\](?: - \d{4}-\d{2}-\d{2})?$", changelog, re.MULTILINE)
    assert headings[:2] == ["Unreleased", project["version"]]


def test_one_workflow_runs_every_check_and_one_builds_the_wheel() -> None:
    found = {}
    for path in WORKFLOWS:
        jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"].values()
        found[path.stem] = "\n".join(step.get("run", "") for job in jobs for step in job["steps"])
    assert "make test" in found["ci"].splitlines()
    assert "chromium" in found["ci"]
    assert "pip wheel" in found["wheel"]


def test_hooks_are_local_and_are_the_static_checks_of_a_test_run() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    hooks = config["repos"][0]["hooks"]
    assert {hook["language"] for hook in hooks} == {"system"}
    recipe = (ROOT / "Makefile").read_text("utf-8")
    for hook in hooks:
        command = hook["entry"].removesuffix(" --force-exclude")
        assert f"$(BIN)/{command}" in recipe


def test_what_takes_long_is_there_and_is_begun_with() -> None:
    named = re.findall(r'^    "((?:tests|notebooks)/[^"]*)",$', _conftest(), re.MULTILINE)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert "--no-loadscope-reorder" in (ROOT / "Makefile").read_text("utf-8")


def _conftest() -> str:
    return (ROOT / "tests" / "conftest.py").read_text("utf-8")


def test_no_package_registry_is_named() -> None:
    names = (".pre-commit-config.yaml", "constraints.txt", "pyproject.toml", "Makefile")
    for path in (*(ROOT / name for name in names), *WORKFLOWS):
        assert not re.search(r"pypi\.org|pythonhosted|npmjs|index-url", path.read_text("utf-8"))


@pytest.mark.parametrize("path", [*WORKFLOWS, *FORMS], ids=lambda path: path.name)
def test_files_for_the_forge_can_be_read(path: Path) -> None:
    assert yaml.safe_load(path.read_text("utf-8"))["name"]
