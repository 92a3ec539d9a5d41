"""What the page *Build* asks for: edits of the draft, its forms, its run.

An edit changes the text of the draft, and can be undone as every other change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeAlias

__all__ = [
    "BUILD_COMMANDS",
    "Build",
    "BuildAdd",
    "BuildBegin",
    "BuildCommand",
    "BuildComplete",
    "BuildDeleteJob",
    "BuildDeletePool",
    "BuildExport",
    "BuildField",
    "BuildForm",
    "BuildJob",
    "BuildJobs",
    "BuildMove",
    "BuildPool",
    "BuildQuota",
    "BuildRemove",
    "BuildRename",
    "BuildRun",
    "BuildSave",
    "BuildText",
    "DraftEdit",
]


@dataclass(frozen=True, slots=True)
class Build:
    """Ask for the draft, and for the shapes that one can begin with."""


@dataclass(frozen=True, slots=True)
class BuildBegin:
    """Begin a draft: with a shape, with a text, or with what a branch was read from.

    Attributes
    ----------
    shape
        A name of the answer to ``build``.
    name
        What its file is called.
    text
        In the place of a shape, or of what a branch was read from: the text of a draft that was
        kept.
    branch
        In the place of a shape: a branch that was opened.
    """

    shape: str = ""
    name: str = ""
    text: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True)
class BuildText:
    """Write another text."""

    text: str


@dataclass(frozen=True, slots=True)
class BuildAdd:
    """Add an object with a name that is free.

    Attributes
    ----------
    parent
        The object below which it is added, as far as it can be below it.
    name
        Its name, for a cohort that others name already.
    """

    kind: str
    parent: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class BuildRemove:
    """Remove an object, and what cannot be without it."""

    object: str


@dataclass(frozen=True, slots=True)
class BuildRename:
    """Give an object another name, also where others name it."""

    object: str
    name: str


@dataclass(frozen=True, slots=True)
class BuildMove:
    """Move an object below another one; ``""`` is the top."""

    object: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class BuildField:
    """Write a field of an object, as its form shows it; ``""`` removes it."""

    object: str
    field: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class BuildQuota:
    """Write a quota of an object, add one, or remove a flavor.

    Attributes
    ----------
    field
        ``nominalQuota``, ``borrowingLimit`` or ``lendingLimit``; without it, the flavor and the
        resource are added.
    remove
        Whether the flavor is removed.
    """

    object: str
    flavor: str
    resource: str = ""
    field: str = ""
    value: str = ""
    remove: bool = False


@dataclass(frozen=True, slots=True)
class BuildJob:
    """Add a job, or change one. What is ``null`` stays as it is.

    Attributes
    ----------
    job
        The job that is changed; ``""`` for a new one.
    name
        Its name.
    at, runs
        When it arrives, and how long it runs (``10m``).
    requests
        What each pod requests (``cpu: 500m, memory: 3Gi``).
    placement, level
        ``required`` or ``preferred`` with a level, or ``unconstrained``.
    """

    job: str = ""
    name: str | None = None
    queue: str | None = None
    at: str | None = None
    runs: str | None = None
    pods: str | None = None
    requests: str | None = None
    priority: str | None = None
    priority_class: str | None = None
    placement: str | None = None
    level: str | None = None


@dataclass(frozen=True, slots=True)
class BuildJobs:
    """Add many jobs, one after the other, as one edit.

    Attributes
    ----------
    name
        What their names begin with.
    queue
        Their LocalQueue; the first one if omitted.
    jobs
        How many; at most 1000.
    every, runs
        The time between two of them, and how long each runs (``30m``).
    pods
        How many pods each has; of several numbers (``1, 2, 4``) one is drawn for each job.
    requests
        What each pod requests (``cpu: 500m, memory: 3Gi``); as of a new job if omitted.
    seed
        Which numbers of pods are drawn.
    """

    jobs: int
    name: str = ""
    queue: str = ""
    every: str = "1m"
    runs: str = ""
    pods: str = "1"
    requests: str = ""
    seed: int = 1


@dataclass(frozen=True, slots=True)
class BuildDeleteJob:
    """Delete a job, and what happens to it later."""

    job: str


@dataclass(frozen=True, slots=True)
class BuildPool:
    """Write a field of a pool of nodes; without a number, add a pool."""

    number: int | None = None
    field: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class BuildDeletePool:
    """Delete a pool of nodes."""

    number: int


@dataclass(frozen=True, slots=True)
class BuildForm:
    """Ask for the form of an object of the draft."""

    object: str


@dataclass(frozen=True, slots=True)
class BuildComplete:
    """Ask what may be written at a place of a text, by the schema of Kueue's kinds.

    Attributes
    ----------
    line, column
        The place; both count from 0.
    """

    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class BuildRun:
    """Decide the draft. Its last run is replaced; the draft stays as it is."""


@dataclass(frozen=True, slots=True)
class BuildSave:
    """Write the draft to a file that is new, or that it was written to before."""

    file: str


@dataclass(frozen=True, slots=True)
class BuildExport:
    """Ask for the draft as ``manifests``, ``notebook`` or ``exercise``."""

    kind: str


#: What changes the text of a draft.
DraftEdit: TypeAlias = (
    BuildText
    | BuildAdd
    | BuildRemove
    | BuildRename
    | BuildMove
    | BuildField
    | BuildQuota
    | BuildJob
    | BuildJobs
    | BuildDeleteJob
    | BuildPool
    | BuildDeletePool
)
BuildCommand: TypeAlias = (
    Build | BuildBegin | DraftEdit | BuildForm | BuildComplete | BuildRun | BuildSave | BuildExport
)

#: The commands by the name that they have on the wire.
BUILD_COMMANDS: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {
        "build": Build,
        "buildBegin": BuildBegin,
        "buildText": BuildText,
        "buildAdd": BuildAdd,
        "buildRemove": BuildRemove,
        "buildRename": BuildRename,
        "buildMove": BuildMove,
        "buildField": BuildField,
        "buildQuota": BuildQuota,
        "buildJob": BuildJob,
        "buildJobs": BuildJobs,
        "buildDeleteJob": BuildDeleteJob,
        "buildPool": BuildPool,
        "buildDeletePool": BuildDeletePool,
        "buildForm": BuildForm,
        "buildComplete": BuildComplete,
        "buildRun": BuildRun,
        "buildSave": BuildSave,
        "buildExport": BuildExport,
    }
)
