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

import atexit
import re
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from kueuelab.errors import UnknownObjectError
from kueuelab.manifests import load_scenario
from kueuelab.whatif.clusters import MultiKueueLab
from kueuelab.whatif.lab import Lab

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["ScenarioEntry", "dump", "dumps", "entries", "load", "names", "text"]


@dataclass(frozen=True, slots=True)
class ScenarioEntry:
    """What a list of scenarios says of one.

    Attributes
    ----------
    name
        What it is opened by.
    folder
        The folder that it is in: what it is about.
    title
        Its title.
    description
        The situation that it is about; it does not say what comes of it.
    """

    name: str
    folder: str
    title: str
    description: str

    def as_data(self) -> dict[str, str]:
        """Return it as plain JSON values."""
        return {
            "name": self.name,
            "folder": self.folder,
            "title": self.title,
            "description": self.description,
        }

    def has(self, word: str) -> bool:
        """Tell whether a word, or a part of one, is in what is said of it."""
        said = " ".join((self.name, self.folder, self.title, self.description))
        return word.lower() in said.lower()


def entries(*search: str) -> tuple[ScenarioEntry, ...]:
    """Return what there is to say of the scenarios, by folder and name; numbers in names count.

    Parameters
    ----------
    search
        Words; what is returned has all of them. A name returns that scenario alone.

    Examples
    --------
    >>> [entry.name for entry in entries("reclaimwithincohort", "finishes")]
    ['reclaim-3-late-after-finish']
    """
    files = _files()
    if len(search) == 1 and search[0] in files:
        return (_entry(search[0]),)
    found = (_entry(name) for name in files)
    chosen = [entry for entry in found if all(entry.has(word) for word in search)]
    return tuple(sorted(chosen, key=lambda entry: (entry.folder, _numbered(entry.name))))


def _numbered(name: str) -> list[tuple[int, str]]:
    """Return a key by which 2 comes before 10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in name.split("-")]


@cache
def _entry(name: str) -> ScenarioEntry:
    # The head of a file is enough, and read fast.
    head, _, _ = text(name).partition("\nspec:")
    metadata = yaml.safe_load(head)["metadata"]
    return ScenarioEntry(
        name, _files()[name], metadata.get("title", ""), (metadata.get("description") or "").strip()
    )


@cache
def dumps() -> tuple[str, ...]:
    """Return the names of the dumps of clusters that come with the package, sorted.

    Examples
    --------
    >>> dumps()
    ('two-teams', 'two-teams-later')
    """
    root = _root().joinpath("dumps")
    return tuple(sorted(folder.name for folder in root.iterdir() if folder.is_dir()))


def dump(name: str) -> Path:
    """Return the folder of a dump; `kueuelab.load` takes it.

    Raises
    ------
    UnknownObjectError
        If there is no such dump.
    """
    found = dumps()
    if name not in found:
        raise UnknownObjectError("dump", name, found)
    return _folder_of_dump(name)


def names(folder: str = "") -> tuple[str, ...]:
    """Return the names of all scenarios, or of those in one folder: topology-2 before topology-10.

    Those in the folder ``multikueue`` have several clusters; they are only named if asked
    for.

    Examples
    --------
    >>> names("preemption-policies")[:2]
    ('borrow-1-at-creation', 'borrow-2-needs-borrowing')
    """
    return tuple(
        name
        for name, where in _files().items()
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


@cache
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
    return _root().joinpath(files[name], f"{name}.yaml").read_text("utf-8")


def _root() -> Traversable:
    return resources.files(__name__)


@cache
def _folder_of_dump(name: str) -> Path:
    """Return the folder of a dump; if the package is in a zip, a copy until the process ends."""
    copied = ExitStack()
    atexit.register(copied.close)
    return copied.enter_context(resources.as_file(_root().joinpath("dumps", name)))


@cache
def _files() -> dict[str, str]:
    """Return the folder of each scenario."""
    found = [
        (file.name.removesuffix(".yaml"), folder.name)
        for folder in _root().iterdir()
        if folder.is_dir()
        for file in folder.iterdir()
        if file.name.endswith(".yaml")
    ]
    found.sort(key=lambda each: _natural(each[0]))
    return dict(found)


def _natural(name: str) -> list[tuple[int, str]]:
    """Return what orders names: numbers in them by their size.

    >>> sorted(["topology-10-a", "topology-2-b"], key=_natural)
    ['topology-2-b', 'topology-10-a']
    """
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]
