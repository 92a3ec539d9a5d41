"""``docs/kueue-versions.md`` names files, commands and mappings that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab.cli.app import app
from kueuelab.model import RELEASE, RELEASES, Release

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "kueue-versions.md").read_text("utf-8")
COMMANDS = re.findall(r"^ +\$ (.+)$", PAGE, re.MULTILINE)


def test_the_page_is_about_the_release_that_is_modelled() -> None:
    assert f"now {RELEASE.version}" in PAGE


def test_the_files_that_it_names_are_there() -> None:
    named = re.findall(r"`((?:kueuelab|tests|docs)/[^`*]+)`", PAGE)
    assert len(named) > 15
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing


@pytest.mark.parametrize("release", RELEASES.values(), ids=str)
def test_the_tables_of_each_release_are_on_the_page(release: Release) -> None:
    folder = f"kueuelab/manifests/shapes/tables/{release.minor}/"
    assert f"`{folder}`" in PAGE
    assert (ROOT / folder).is_dir()


def test_every_mapping_from_a_release_is_on_the_page() -> None:
    for path in (ROOT / "kueuelab").rglob("*.py"):
        for name in re.findall(r"^(\w+): Final\[Mapping\[Release, ", path.read_text(), re.M):
            assert f"`{name}`" in PAGE, path


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("kueuelab ")])
def test_the_commands_and_their_files_are_there(command: str) -> None:
    words = command.split()[1:]
    files = [word for word in words if "/" in word]
    assert not [file for file in files if not (ROOT / file).exists()]
    options = {word for word in words if word.startswith("--")}
    commands = [word for word in words if "/" not in word and re.fullmatch("[a-z]+", word)]
    shown = CliRunner().invoke(app, [*commands, "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0, shown.output
    assert all(option in shown.output for option in options)
