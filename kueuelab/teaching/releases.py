"""A scenario of the package under another version of Kueue, and what an upgrade changes."""

from __future__ import annotations

from collections.abc import Callable

from kueuelab import scenarios
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.messages import english
from kueuelab.model import Release, release_named
from kueuelab.whatif.gates import flips
from kueuelab.whatif.lab import Lab
from kueuelab.whatif.upgrade import gate_changes
from kueuelab.whatif.upgrade import upgrade as compared

__all__ = ["gate_defaults", "gates_that_matter", "under", "upgrade"]


def under(name: str, version: str) -> Lab:
    """Load a scenario of the package for a version of Kueue.

    Examples
    --------
    >>> under("version-2-undeclared-resource", "v0.18.6").run().trace.kueue_version
    'v0.18.6'
    """
    return Lab(_loader(name)(release_named(version)))


def upgrade(name: str, before: str, after: str) -> None:
    """Print the first decision of a scenario that two versions make differently, and its cause.

    Examples
    --------
    >>> upgrade("version-3-slices-within-slices", "v0.19.2", "v0.20-dev")
    Both runs decide the same.
    All workloads end in the same place.
    """
    found = compared(_loader(name), release_named(before), release_named(after))
    print(found.decisions.as_text())
    if found.causes:
        print(english().text("teaching.releases.causes", names=", ".join(found.causes)))


def gate_defaults(before: str, after: str) -> None:
    """Print the feature gates whose default differs between two versions.

    Examples
    --------
    >>> gate_defaults("v0.18.6", "v0.18.6")
    """
    for change in gate_changes(release_named(before), release_named(after)):
        if change.kind == "default":
            print(english().render(change.text))


def gates_that_matter(name: str, version: str) -> None:
    """Print the feature gates that, set to the other value, change a decision of a scenario.

    Examples
    --------
    >>> gates_that_matter("version-2-undeclared-resource", "v0.19.2")
    QuotaCheckStrategy: false
    """
    for flip in flips(_loader(name), release_named(version)):
        print(f"{flip.gate.name}: {str(flip.value).lower()}")


def _loader(name: str) -> Callable[[Release], ScenarioSpec]:
    text = scenarios.text(name)
    return lambda release: load_scenario(text, name=f"{name}.yaml", release=release)
