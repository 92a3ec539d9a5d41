"""What the handler answers to the page *Build*: the draft, its forms, its run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from kueuelab.session.answers import HistoryEvent, Opened, Trouble

__all__ = [
    "BUILD_ANSWERS",
    "Choice",
    "Completions",
    "DraftForm",
    "DraftJobInfo",
    "DraftPage",
    "DraftPool",
    "DraftRow",
    "DraftRun",
    "ExportedFile",
    "ExportedFiles",
    "FormFieldInfo",
    "JobLane",
    "LaneSpan",
    "QuotaInfo",
    "SavedFile",
    "ShapeInfo",
]


@dataclass(frozen=True, slots=True)
class ShapeInfo:
    """What a draft can begin with."""

    name: str
    title: str
    about: str


@dataclass(frozen=True, slots=True)
class DraftRow:
    """A row of the tree of a draft.

    Attributes
    ----------
    object
        What edits call it.
    level
        How deep it is; the roots have 1.
    implicit
        Whether it is a cohort that others name, and that has no object.
    wrong
        What is wrong with it; ``""`` if nothing is.
    """

    object: str
    kind: str
    name: str
    level: int
    implicit: bool
    wrong: str


@dataclass(frozen=True, slots=True)
class DraftJobInfo:
    """A job of a draft, as its form shows it.

    Attributes
    ----------
    at_seconds, runs_seconds
        The same as numbers; ``None`` where that is not known.
    plain
        Whether the form shows all of it.
    text
        The job as a sentence.
    """

    job: str
    queue: str
    at: str
    runs: str
    pods: str
    requests: str
    priority: str
    priority_class: str
    placement: str
    level: str
    at_seconds: float | None
    runs_seconds: float | None
    plain: bool
    text: str


@dataclass(frozen=True, slots=True)
class DraftPool:
    """A pool of nodes: fields to what is written."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DraftPage:
    """The answer to ``build`` and to each edit.

    Attributes
    ----------
    name
        What the file of the draft is called; ``""`` if there is no draft.
    branch
        The branch with its last run; ``""`` if it was not run.
    chosen
        The object or job that was added or renamed; ``""`` if none was.
    pool_fields
        The fields of a pool.
    kept
        Where the draft is kept, as text; ``""`` if it is of no file that was named.
    """

    name: str
    branch: str
    text: str
    chosen: str
    shapes: tuple[ShapeInfo, ...]
    kinds: tuple[str, ...]
    rows: tuple[DraftRow, ...]
    jobs: tuple[DraftJobInfo, ...]
    queues: tuple[str, ...]
    priority_classes: tuple[str, ...]
    pools: tuple[DraftPool, ...]
    pool_fields: tuple[str, ...]
    problems: tuple[Trouble, ...]
    more_problems: int
    about: str
    file: str
    kept: str
    opened: Opened


@dataclass(frozen=True, slots=True)
class FormFieldInfo:
    """A field of a form.

    Attributes
    ----------
    group, label
        Its path in two parts: ``preemption`` and ``withinClusterQueue``.
    form
        The kind of its control: ``choice``, ``quantity``, ``integer`` or ``text``.
    choices
        What can be chosen.
    url
        Kueue's page on it.
    """

    path: str
    group: str
    label: str
    form: str
    value: str
    choices: tuple[str, ...]
    meaning: str
    url: str
    wrong: str


@dataclass(frozen=True, slots=True)
class QuotaInfo:
    """A quota of an object as it is written."""

    flavor: str
    resource: str
    nominal_quota: str
    borrowing_limit: str
    lending_limit: str


@dataclass(frozen=True, slots=True)
class DraftForm:
    """The answer to ``buildForm``.

    Attributes
    ----------
    note
        Why there is no form; ``""`` if there is one.
    """

    object: str
    kind: str
    name: str
    url: str
    implicit: bool
    note: str
    has_quota: bool
    quotas: tuple[QuotaInfo, ...]
    flavors: tuple[str, ...]
    fields: tuple[FormFieldInfo, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """What may be written at a place.

    Attributes
    ----------
    kind
        ``field`` or ``value``.
    detail, info
        What it holds, and what it is for.
    """

    text: str
    kind: str
    detail: str
    info: str


@dataclass(frozen=True, slots=True)
class Completions:
    """The answer to ``buildComplete``; ``column`` is where the word begins."""

    column: int
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class LaneSpan:
    """What a job does from a second to another one: ``waits``, ``runs`` or ``gone``."""

    kind: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class JobLane:
    """A job over time; ``text`` says where it ends."""

    job: str
    workload: str
    tone: str
    text: str
    spans: tuple[LaneSpan, ...]


@dataclass(frozen=True, slots=True)
class DraftRun:
    """The answer to ``buildRun``.

    Attributes
    ----------
    branch
        Its branch.
    decisions
        What was decided, in order: the first of them.
    step
        The step of the first preemption, else the first decision; ``None`` if there is none, and
        where several clusters were run.
    """

    branch: str
    sentence: str
    decisions: tuple[HistoryEvent, ...]
    more_decisions: int
    lanes: tuple[JobLane, ...]
    seconds: float
    step: int | None
    opened: Opened


@dataclass(frozen=True, slots=True)
class SavedFile:
    """The answer to ``buildSave``."""

    file: str
    note: str


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file of an export."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ExportedFiles:
    """The answer to ``buildExport``."""

    files: tuple[ExportedFile, ...]


#: The answer to each command.
BUILD_ANSWERS: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {
        "build": DraftPage,
        "buildBegin": DraftPage,
        "draftResume": DraftPage,
        "buildText": DraftPage,
        "buildAdd": DraftPage,
        "buildRemove": DraftPage,
        "buildRename": DraftPage,
        "buildMove": DraftPage,
        "buildField": DraftPage,
        "buildQuota": DraftPage,
        "buildJob": DraftPage,
        "buildJobs": DraftPage,
        "buildDeleteJob": DraftPage,
        "buildPool": DraftPage,
        "buildDeletePool": DraftPage,
        "buildForm": DraftForm,
        "buildComplete": Completions,
        "buildRun": DraftRun,
        "buildSave": SavedFile,
        "buildExport": ExportedFiles,
    }
)
