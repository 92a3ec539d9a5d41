"""The page on JupyterHub and nbgrader: what it names exists, and its recipe for nbgrader runs."""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tomllib
from contextlib import closing, suppress
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory

import pytest
from typer.testing import CliRunner

from kueuelab.cli import app

ROOT = Path(__file__).parents[3]
HUB = ROOT / "docs" / "workshop" / "jupyterhub"
PAGE = (HUB / "README.md").read_text("utf-8")
DOCKERFILE = (HUB / "Dockerfile").read_text("utf-8")
CONSTRAINTS = str(ROOT / "constraints.txt")
RECIPE = re.findall(r"^nbgrader (.+)$", PAGE, re.MULTILINE)
GRADES = """
SELECT student.id, grade.auto_score FROM grade
JOIN submitted_notebook AS book ON grade.notebook_id = book.id
JOIN submitted_assignment AS work ON book.assignment_id = work.id
JOIN student ON work.student_id = student.id
"""


def test_the_image_has_what_the_package_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (extras,) = re.findall(r"/opt/kueuelab\[(.+?)\]", DOCKERFILE)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    for name in re.findall(r"/opt/kueuelab/([\w.]+)", DOCKERFILE):
        assert (ROOT / name).exists()
    # What is not in the constraints has its version.
    assert re.findall(r"nbgitpuller==\d", DOCKERFILE)
    assert re.findall(r"^FROM \S+:\S*\d", DOCKERFILE, re.MULTILINE)
    (built,) = re.findall(r"docker build -f (\S+)", PAGE)
    assert (ROOT / built).exists()


COMMANDS = sorted({*re.findall(r"^(?:RUN )?\s*kueuelab (.+)$", f"{DOCKERFILE}\n{PAGE}", re.M)})


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_is_understood(command: str) -> None:
    words = shlex.split(command)
    assert CliRunner().invoke(app, [*words, "--help"]).exit_code == 0


def test_the_link_opens_a_notebook_of_the_course() -> None:
    (name,) = re.findall(r"notebooks%2F([\w-]+\.ipynb)", PAGE)
    assert (ROOT / "notebooks" / name).exists()


@pytest.fixture(scope="module")
def nbgrader() -> Path:
    """Return a folder with nbgrader, and with what no other package here needs.

    It is not in the environment itself, where it would be a part of every JupyterLab. It is brought
    once for each environment; what else it needs is there for other reasons.
    """
    (version,) = re.findall(r"pip install 'nbgrader==([\d.]+)'", PAGE)
    kept = Path(sys.prefix) / "kueuelab-tests" / f"nbgrader-{version}"
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        with TemporaryDirectory(dir=kept.parent) as folder:
            names = (f"nbgrader=={version}", "rapidfuzz==3.14.6")
            options = ("--no-deps", "--target", f"{folder}/new", "--constraint", CONSTRAINTS)
            pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")
            done = subprocess.run(
                [*pip, "install", "--quiet", *options, *names],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                pytest.skip(f"nbgrader can't be brought: {done.stderr[-200:]}")
            with suppress(OSError):  # another worker was faster
                Path(folder, "new").rename(kept)
    return kept


@pytest.mark.slow
def test_the_recipe_for_nbgrader_grades_a_solution_and_no_other(
    nbgrader: Path, tmp_path: Path
) -> None:
    def run(*command: str, folder: Path) -> None:
        environment = {**os.environ, "KUEUELAB_PROGRESS": str(tmp_path / "progress.json")}
        environment["PYTHONPATH"] = os.pathsep.join(map(str, (ROOT, nbgrader)))
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    quickstart, generate = RECIPE
    run("nbgrader", *shlex.split(quickstart), folder=tmp_path)
    course = tmp_path / quickstart.split()[-1]
    copied, to = re.findall(r"^cp (\S+) (\S+)$", PAGE, re.MULTILINE)[0]
    (tmp_path / to).parent.mkdir(parents=True)
    copy(ROOT / copied, tmp_path / to)
    run("nbgrader", *shlex.split(generate), folder=course)
    assignment = generate.split()[-1]
    for learner, version in (("ada", "source"), ("ben", "release")):
        handed_in = course / "submitted" / learner / assignment
        handed_in.mkdir(parents=True)
        copy(course / version / assignment / Path(to).name, handed_in)
    run("nbgrader", "autograde", assignment, folder=course)
    with closing(sqlite3.connect(course / "gradebook.db")) as book:
        grades = book.execute(GRADES).fetchall()
    assert max(score for name, score in grades if name == "ada") == 1
    assert max(score for name, score in grades if name == "ben") == 0
