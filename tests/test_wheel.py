"""What somebody has who installed the wheel and has no checkout."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import sysconfig
import venv
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from kueuelab import workshop
from kueuelab.cli.lab import EXTENSION

ROOT = Path(__file__).parents[1]
NAME = "take-back"
SOLVED = {"Never": "Any", "Any": "Never"}

pytestmark = pytest.mark.slow


class Installed:
    """An environment with the wheel, and a folder to work in."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.python, self.folder = python, folder

    def run(self, *arguments: str, code: int = 0) -> str:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
        }
        environment["KUEUELAB_PROGRESS"] = str(self.folder / "progress.json")
        done = subprocess.run(
            [str(self.python.with_name("kueuelab")), *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        assert done.returncode == code, f"{arguments}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def data(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.run(*arguments, "--json", code=code))

    def init(self) -> dict[str, str]:
        """Put everything into the course's folder; return what became of each file."""
        files = self.data("init", "course")["files"]
        return {
            Path(each["path"]).relative_to("course").as_posix(): each["outcome"] for each in files
        }


def _run(*command: object) -> None:
    done = subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build the wheel and install it where there is no checkout; no network is needed."""
    if find_spec("hatchling") is None:
        pytest.skip("the wheel can't be built: hatchling is not installed (pip install '.[test]')")
    if find_spec("pip") is None:
        pytest.skip("the wheel can't be installed: there is no pip in this environment")
    home = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")
    _run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", home, ROOT)
    (wheel,) = home.glob("kueuelab-*.whl")
    venv.create(home / "venv", with_pip=False, symlinks=os.name != "nt")
    binaries = home / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = binaries / Path(sys.executable).name
    _run(*pip, "--python", python, "install", "--no-deps", "--no-index", wheel)
    # What it depends on is taken from here; an editable install is not, as that needs a
    # file of its own in the new environment.
    (packages,) = (home / "venv").glob("[Ll]ib/**/site-packages")
    paths = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (packages / "dependencies.pth").write_text("\n".join(paths) + "\n", "utf-8")
    work = home / "work"
    work.mkdir()
    found = Installed(python, work)
    where = subprocess.run(
        [str(python), "-I", "-c", "import kueuelab; print(kueuelab.__file__)"],
        cwd=work,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert str(home / "venv") in where
    return found


def test_jupyterlab_and_its_server_find_the_app(installed: Installed) -> None:
    prefix = installed.python.parents[1]
    cards = prefix / "share" / "jupyter" / "labextensions" / "kueuelab"
    loaded = json.loads((cards / "package.json").read_text("utf-8"))["jupyterlab"]["_build"]["load"]
    assert (cards / loaded).is_file()
    enabled = prefix / "etc" / "jupyter" / "jupyter_server_config.d" / "kueuelab.json"
    server = json.loads(enabled.read_text("utf-8"))["ServerApp"]["jpserver_extensions"]
    assert server == {EXTENSION: True}
    (front,) = prefix.glob("[Ll]ib/**/site-packages/kueuelab/app/front")
    assert (front / "index.html").is_file()


def test_a_course_from_the_wheel(installed: Installed) -> None:
    written = installed.init()
    assert set(written.values()) == {"written"}
    assert "notebooks/01-first-preemption.ipynb" in written
    assert f"exercises/{NAME}/{NAME}.ipynb" in written
    assert "notebooks/recordings/multikueue/manager.yaml" in written
    assert any(path.startswith("scenarios/") for path in written)
    # Nothing that holds a solution is handed out.
    assert not [path for path in written if ".source." in path or "exercise.yaml" in path]
    rows = installed.data("exercise", "list")
    assert {row["name"] for row in rows} == set(workshop.names())
    assert {row["state"] for row in rows} == {"new"}

    # Beside the course, one exercise by itself: a wrong try, then the solution.
    assert "written" in installed.run("exercise", "start", NAME)
    wrong = installed.run("exercise", "check", NAME, code=1)
    assert "Not solved yet" in wrong
    answer = installed.folder / NAME / "answer.yaml"
    lines = answer.read_text("utf-8").splitlines(keepends=True)
    for number, line in enumerate(lines):
        field, _, value = line.partition("reclaimWithinCohort: ")
        if value:
            lines[number] = f"{field}reclaimWithinCohort: {SOLVED[value.strip()]}\n"
    answer.write_text("".join(lines), "utf-8")
    assert installed.run("exercise", "check", NAME).startswith("Solved")
    assert installed.data("exercise", "progress")["solved"] == 1


def test_updating_leaves_a_learners_work_alone(installed: Installed) -> None:
    installed.init()
    course = installed.folder / "course"
    mine = course / "exercises" / NAME / "answer.yaml"
    theirs = course / "exercises" / NAME / f"{NAME}.ipynb"
    mine.write_text("# mine\n", "utf-8")
    (course / "notes.txt").write_text("mine, too\n", "utf-8")
    gone = course / "notebooks" / "01-first-preemption.ipynb"
    gone.unlink()
    # As if an older release had delivered another notebook.
    theirs.write_text("{}\n", "utf-8")
    record = course / ".kueuelab.json"
    delivered = json.loads(record.read_text("utf-8"))
    delivered[f"exercises/{NAME}/{NAME}.ipynb"] = hashlib.sha256(b"{}\n").hexdigest()
    record.write_text(json.dumps(delivered), "utf-8")

    again = installed.init()
    assert again.pop(f"exercises/{NAME}/answer.yaml") == "kept"
    assert again.pop(f"exercises/{NAME}/{NAME}.ipynb") == "updated"
    assert again.pop("notebooks/01-first-preemption.ipynb") == "written"
    assert set(again.values()) == {"unchanged"}
    assert mine.read_text("utf-8") == "# mine\n"
    assert (course / "notes.txt").read_text("utf-8") == "mine, too\n"
    assert json.loads(theirs.read_text("utf-8"))["cells"]
