"""Each extra brings what its part of the package imports: nothing else can be imported there."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from types import MappingProxyType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS: Mapping[str, Sequence[str]] = PROJECT["optional-dependencies"]

#: What each extra is for, as modules; "" is the package without any.
PROMISED: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "": ("kueuelab", "kueuelab.whatif.lab", "kueuelab.scenarios", "kueuelab.views.run_index"),
        "cli": ("kueuelab.cli", "kueuelab.cli.step_app", "kueuelab.cli.kubectl"),
        "app": ("kueuelab.app.server", "kueuelab.cli.studio", "kueuelab.session.handler"),
        "lab": (
            *("kueuelab.widgets", "kueuelab.widgets.lab_view", "kueuelab.teaching"),
            *("kueuelab.app.cell", "kueuelab.app.jupyter.extension"),
            *("kueuelab.workshop.classroom.server", "kueuelab.cli.class_sending", "plotly"),
            *("jupyterlab", "notebook", "networkx"),
        ),
        "sweep": ("kueuelab.cli.sweep", "pandas", "pyarrow", "optuna"),
        "dask": ("kueuelab.cli.sweep", "distributed"),
        "live": ("kueuelab.live.adapter", "kueuelab.cli.live"),
        "serve": ("kueuelab.service.server", "kueuelab.cli.serve", "kueuelab.live.adapter"),
        "mcp": ("kueuelab.service.mcp_server", "kueuelab.cli.mcp"),
        "test": (
            "schemathesis",
            "pytest",
            "xdist",
            "nbval",
            "nbclient",
            "hypothesis",
            "jsonschema",
            "playwright",
        ),
    }
)
#: What the test run does not install.
NOT_INSTALLED = {"mutants"}

#: Imports modules while only those of some distributions can be found.
SCRIPT = '''
import sys
from importlib import import_module

hidden, wanted = set(sys.argv[1].split(",")), sys.argv[2].split(",")

class Only:
    """A finder that does not see what is hidden."""

    def __init__(self, finder):
        self._finder = finder

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            return None
        return self._finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self._finder, name)

sys.meta_path[:] = map(Only, sys.meta_path)
for name in wanted:
    import_module(name)
'''


def closure(requirements: Sequence[str]) -> set[str]:
    """Return the distributions that requirements bring, with all that these require."""
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()

    def follow(text: str, extra: str) -> None:
        requirement = Requirement(text)
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            return
        name = canonicalize_name(requirement.name)
        for each in ("", *requirement.extras):
            if (name, each) in seen:
                continue
            seen.add((name, each))
            found.add(name)
            for more in _required(name, each):
                follow(more, each)

    for text in requirements:
        follow(text, "")
    return found


def _required(name: str, extra: str) -> Iterator[str]:
    if name == PROJECT["name"]:
        yield from EXTRAS[extra] if extra else PROJECT["dependencies"]
        return
    try:
        yield from requires(name) or ()
    except PackageNotFoundError:
        pytest.fail(f"{name} is required, and not installed")


def test_each_extra_is_tested() -> None:
    assert set(PROMISED) - {""} == set(EXTRAS) - NOT_INSTALLED


@pytest.mark.parametrize("extra", PROMISED)
def test_an_extra_imports_what_it_promises(extra: str) -> None:
    package = f"{PROJECT['name']}[{extra}]" if extra else PROJECT["name"]
    allowed = closure([package])
    hidden = {
        module
        for module, owners in packages_distributions().items()
        if not any(canonicalize_name(owner) in allowed for owner in owners)
    }
    hidden -= {"kueuelab", "pip", "setuptools", "pkg_resources", "_distutils_hack"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, ",".join(sorted(hidden)), ",".join(PROMISED[extra])],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr[-3000:]
