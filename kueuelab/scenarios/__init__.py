"""Scenarios that come with the package: small, each about one idea.

Examples
--------
>>> scenario = load("reclaim-1-take-back")
>>> scenario.title
'Reclaiming what another queue borrowed'
>>> scenario.run().passed
True
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.manifests import load_scenario
from kueuelab.whatif.clusters import MultiKueueLab
from kueuelab.whatif.lab import Lab

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["dump", "dumps", "load", "names", "text", "title"]

_TITLE: Final = re.compile(r"^  title: (.+)$", re.MULTILINE)


def dumps() -> tuple[str, ...]:
    """Return the names of the dumps of clusters that come with the package, sorted.

    Examples
    --------
    >>> dumps()
    ('two-teams', 'two-teams-later')
    """
    return tuple(sorted(_dumps()))


def dump(name: str) -> Path:
    """Return the folder of a dump; `kueuelab.load` takes it.

    Raises
    ------
    UnknownObjectError
        If there is no such dump.
    """
    found = _dumps()
    if name not in found:
        raise UnknownObjectError("dump", name, found)
    return found[name]


def names(folder: str = "") -> tuple[str, ...]:
    """Return the names of all scenarios, or of those in one folder, sorted.

    Those in the folder ``multikueue`` have several clusters; they are only named if asked
    for.

    Examples
    --------
    >>> names("preemption-policies")[:2]
    ('borrow-1-at-creation', 'borrow-2-needs-borrowing')
    """
    return tuple(
        name
        for name, (where, _) in _files().items()
        if where == folder or (not folder and where != "multikueue")
    )


def load(name: str) -> Lab | MultiKueueLab:
    """Load a scenario by its name, ready to run and to fork.

    Parameters
    ----------
    name
        Its name, which is that of its file: one of :func:`names`.

    Raises
    ------
    UnknownObjectError
        If there is no such scenario.
    """
    spec = load_scenario(text(name), name=f"{name}.yaml")
    return MultiKueueLab(spec) if spec.workers else Lab(spec)


def text(name: str) -> str:
    """Return a scenario as it is written.

    Raises
    ------
    UnknownObjectError
        If there is no such scenario.
    """
    files = _files()
    if name not in files:
        raise UnknownObjectError("scenario", name, files)
    return files[name][1].read_text("utf-8")


def title(name: str) -> str:
    """Return the title of a scenario, without reading the rest of it.

    Raises
    ------
    UnknownObjectError
        If there is no such scenario.

    Examples
    --------
    >>> title("reclaim-1-take-back")
    'Reclaiming what another queue borrowed'
    """
    found = _TITLE.search(text(name))
    return "" if found is None else found[1].strip("\"'")


def _dumps() -> dict[str, Path]:
    root = Path(str(resources.files(__name__))) / "dumps"
    return {folder.name: folder for folder in root.iterdir() if folder.is_dir()}


@cache
def _files() -> dict[str, tuple[str, Traversable]]:
    root = resources.files(__name__)
    found = [
        (file.name.removesuffix(".yaml"), folder.name, file)
        for folder in root.iterdir()
        if folder.is_dir()
        for file in folder.iterdir()
        if file.name.endswith(".yaml")
    ]
    return {name: (folder, file) for name, folder, file in sorted(found, key=lambda each: each[0])}
