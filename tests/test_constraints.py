"""constraints.txt: its versions can be installed with every Python that kueuelab supports."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[1]
PINNED = [
    Requirement(line)
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def oldest_python() -> str:
    """Return the first release of the oldest Python that pyproject.toml names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (oldest,) = SpecifierSet(project["requires-python"])
    assert oldest.operator == ">="
    return f"{oldest.version}.0"


@pytest.mark.parametrize("pinned", PINNED, ids=lambda pinned: pinned.name)
def test_a_pinned_version_works_with_the_oldest_python(pinned: Requirement) -> None:
    """Debian 12 has Python 3.11.2: what wants 3.11.5 keeps ``make lab`` from starting there."""
    try:
        installed = metadata(pinned.name)
    except PackageNotFoundError:
        pytest.skip("belongs to an extra that is not installed")
    if not pinned.specifier.contains(installed["Version"], prereleases=True):
        pytest.skip(f"{installed['Version']} is installed, not what is pinned")
    wanted = installed["Requires-Python"]
    assert wanted is None or oldest_python() in SpecifierSet(wanted)
