"""The archive for machines without internet is installed with no index."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab import workshop
from kueuelab.cli import app
from kueuelab.errors import KueueLabError
from kueuelab.messages import english
from kueuelab.workshop import packing

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")


def run(*command: object, folder: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["KUEUELAB_PROGRESS"] = str(folder / "progress.json")
    done = subprocess.run(
        [str(each) for each in command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
def test_it_is_installed_with_no_index(tmp_path: Path) -> None:
    if find_spec("pip") is None:
        pytest.skip("packages can't be brought: there is no pip in this environment")
    reached = [*PIP, "download", "--no-deps", "--dest", str(tmp_path / "tried"), "hatchling"]
    if subprocess.run(reached, capture_output=True, check=False).returncode:
        pytest.skip("packages can't be brought: no package index is reached")
    archive = tmp_path / "pack.zip"
    arguments = ["workshop", "pack", "--extra", "cli", "-o", str(archive), "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    made = json.loads(result.stdout)
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / "there")
    there = tmp_path / "there"
    wheels = list((there / "wheelhouse").glob("*.whl"))
    assert len(wheels) == made["packages"]
    assert any(each.name.startswith("kueuelab-") for each in wheels)
    page = (there / "README.txt").read_text("utf-8")
    assert "--no-index --find-links wheelhouse 'kueuelab[cli]'" in page
    assert (there / "course" / "notebooks" / "01-first-preemption.ipynb").exists()

    venv.create(tmp_path / "venv", with_pip=False, symlinks=os.name != "nt")
    binaries = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = binaries / Path(sys.executable).name
    install = ("install", "--no-index", "--find-links", "wheelhouse", "kueuelab[cli]")
    run(*PIP, "--python", python, *install, folder=there)
    rows = json.loads(run(binaries / "kueuelab", "exercise", "list", "--json", folder=there))
    assert [row["name"] for row in rows] == list(workshop.names())


def test_an_installed_package_needs_a_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "_CHECKOUT", tmp_path)
    with pytest.raises(KueueLabError, match="--wheel"):
        packing.pack(tmp_path / "pack.zip", english())
    assert not list(tmp_path.iterdir())


def test_what_pip_says_is_shown(tmp_path: Path) -> None:
    archive = tmp_path / "pack.zip"
    with pytest.raises(KueueLabError, match=r"pip failed: .*nothing\.whl"):
        packing.pack(archive, english(), (), str(tmp_path / "nothing.whl"))
    assert not archive.exists()
