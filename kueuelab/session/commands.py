"""What a page can ask for: one dataclass for each command, ``do`` on the wire names it.

Of a command that names no branch, it is the last one that was opened or made. One of several
clusters is named ``BRANCH/CLUSTER``; without a cluster, it is the manager.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from kueuelab.errors import UnknownObjectError
from kueuelab.session.build_commands import BUILD_COMMANDS, BuildCommand
from kueuelab.session.capacity_messages import Capacity, CapacityCell, PlanOf
from kueuelab.session.cluster_protocol import (
    AddFault,
    ClusterCommand,
    Clusters,
    Faults,
    Placement,
)
from kueuelab.session.draft_protocol import (
    DiscardDraft,
    DraftsCommand,
    ListDrafts,
    ResumeDraft,
)
from kueuelab.session.exercise_protocol import (
    CaseFrames,
    CheckAnswer,
    ExerciseCommand,
    Exercises,
    OpenExercise,
    ResetExercise,
    RevealSolution,
    TakeHint,
)
from kueuelab.session.job_messages import FormOf, KeepJob, TryJob
from kueuelab.session.preview_protocol import Preview
from kueuelab.session.quota_messages import KeepQuotas, Quotas, TryQuotas
from kueuelab.session.sharing_protocol import Link, OpenLink, Settings, SharingCommand
from kueuelab.session.topology_protocol import Topology
from kueuelab.session.wire import decoded

__all__ = [
    "COMMANDS",
    "Command",
    "Compare",
    "Cost",
    "Decide",
    "Edit",
    "Frames",
    "Hello",
    "Kubectl",
    "Levers",
    "Lint",
    "Load",
    "Objects",
    "Open",
    "Overview",
    "PatchOf",
    "Pending",
    "Redo",
    "Run",
    "Try",
    "Undo",
    "Upgrade",
    "Why",
    "Workload",
    "WorkloadFilters",
    "Workloads",
    "command_of",
]


@dataclass(frozen=True, slots=True)
class Hello:
    """Ask for the words of the app, the examples, and what is open."""


@dataclass(frozen=True, slots=True)
class Open:
    """Open a packaged scenario or dump, a file, or a text, and decide it.

    Attributes
    ----------
    source
        A packaged name, the path of a file that the engine may read, or ``context:NAME`` for the
        state of a cluster that kubectl reaches.
    name, text
        In the place of ``source``: the name and content of a file that was dropped or pasted.
    file
        In the place of ``text``: the id of a file that was sent before.
    decide
        Whether an input with many workloads is decided at once. If not, its workloads are listed,
        until a command needs more, or ``load`` or ``decide`` comes.
    """

    source: str = ""
    name: str = ""
    text: str = ""
    file: str = ""
    decide: bool = True


@dataclass(frozen=True, slots=True)
class Load:
    """Check and load a branch that is only listed; then it is shown as it was read."""

    branch: str = ""


@dataclass(frozen=True, slots=True)
class Decide:
    """Decide a branch that is shown as it was read."""

    branch: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """Ask for the use of quota, the causes of pending workloads, and findings.

    Attributes
    ----------
    resource
        The resource whose quota is shown; the scarcest one if omitted.
    """

    branch: str = ""
    resource: str = ""


@dataclass(frozen=True, slots=True)
class Lint:
    """Ask what the rules of ``kueuelab lint`` find in what is open.

    Attributes
    ----------
    start, count
        The first finding and how many; at most 50.
    """

    branch: str = ""
    start: int = 0
    count: int = 10


@dataclass(frozen=True, slots=True)
class Pending:
    """Ask for the causes of pending workloads, the largest group first."""

    branch: str = ""


@dataclass(frozen=True, slots=True)
class Workloads:
    """Ask for a page of the table of workloads.

    Attributes
    ----------
    search
        Parts of names, queues or reasons, with spaces between: all of them occur.
    phase, queue, cause, priority, flavor, owner
        Only workloads of this phase, ClusterQueue, cause (its ``id``), priority, flavor, or kind of
        owner; those that are offered are the answer to ``workloadFilters``.
    sort, descending
        A column: ``name``, ``queue``, ``position``, ``age``, ``priority``, ``phase``, ``flavor``,
        ``owner``, ``why``.
    group
        What stands together: ``queue``, ``phase``, ``cause``, ``priority``, ``flavor``, ``owner``.
    start, count
        The first row and how many; at most 500.
    """

    branch: str = ""
    search: str = ""
    phase: str = ""
    queue: str = ""
    cause: str = ""
    priority: str = ""
    flavor: str = ""
    owner: str = ""
    sort: str = ""
    descending: bool = False
    group: str = ""
    start: int = 0
    count: int = 100


@dataclass(frozen=True, slots=True)
class WorkloadFilters:
    """Ask by what the table of workloads can be filtered."""

    branch: str = ""


@dataclass(frozen=True, slots=True)
class Kubectl:
    """Ask for the commands that show workloads in a terminal.

    Attributes
    ----------
    workloads
        Their keys, ``namespace/name``; at most 500.
    """

    workloads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Workload:
    """Ask for one workload: where it is, its life, its arithmetic, its candidates."""

    workload: str
    branch: str = ""


@dataclass(frozen=True, slots=True)
class Why:
    """Ask for the whole explanation of a workload after a step; after the last if omitted."""

    workload: str
    branch: str = ""
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Levers:
    """Ask what would admit a workload. Each lever is verified by simulating it."""

    workload: str
    branch: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """Ask what a lever costs others: a branch with it is run, and not kept.

    Attributes
    ----------
    lever
        Its number in the answer to ``levers``.
    more
        The numbers of others that are applied with it.
    """

    workload: str
    lever: int
    branch: str = ""
    more: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Try:
    """Make a branch with a lever.

    Attributes
    ----------
    lever
        Its number in the answer to ``levers``.
    more
        The numbers of others that are applied with it.
    """

    workload: str
    lever: int
    branch: str = ""
    more: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Objects:
    """Ask which objects can be edited, and for the manifest of one; of the first if omitted."""

    object: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """Make a branch in which fields of an object have other values from the start.

    Attributes
    ----------
    object
        ``Kind/name`` or ``Kind/namespace/name``.
    values
        Path to value, as in a manifest; ``null`` takes a field away.
    text
        In the place of ``values``: the manifest with what is to be different.
    """

    object: str
    values: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True)
class Undo:
    """Go back to what was open before the last change."""


@dataclass(frozen=True, slots=True)
class Redo:
    """Do again what was undone."""


@dataclass(frozen=True, slots=True)
class Run:
    """Decide a branch again, up to a time since the start; to the end if omitted.

    Attributes
    ----------
    until
        Seconds of virtual time.
    """

    branch: str = ""
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Frames:
    """Ask for the frames of a branch, or what a view of frames asks.

    Attributes
    ----------
    view
        ``lab``, ``topology``, or ``multikueue`` for several clusters together.
    question
        What a view asks (``{"ask": "chunk", "number": 3}``); the document if it is empty.
    step
        The step that is shown first; the first preemption if omitted.
    """

    branch: str = ""
    question: Mapping[str, Any] = field(default_factory=dict)
    step: int | None = None
    view: str = "lab"


@dataclass(frozen=True, slots=True)
class Compare:
    """Ask what differs between two branches.

    Attributes
    ----------
    rest
        Whether to answer also what is the same.
    """

    before: str
    after: str
    rest: bool = False


@dataclass(frozen=True, slots=True)
class PatchOf:
    """Ask for the manifests that make a cluster as in one branch be as in another."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Upgrade:
    """Ask what changes for the input of a branch with another release of Kueue.

    Attributes
    ----------
    before, after
        The releases.
    """

    before: str = ""
    after: str = ""
    branch: str = ""


Command: TypeAlias = (
    Hello
    | Open
    | Decide
    | Load
    | Overview
    | Lint
    | Pending
    | Workloads
    | WorkloadFilters
    | Kubectl
    | Workload
    | Why
    | Levers
    | Cost
    | Try
    | Objects
    | Edit
    | Undo
    | Redo
    | Run
    | Frames
    | Compare
    | PatchOf
    | Upgrade
    | ClusterCommand
    | BuildCommand
    | FormOf
    | TryJob
    | KeepJob
    | SharingCommand
    | ExerciseCommand
    | Quotas
    | TryQuotas
    | KeepQuotas
    | Capacity
    | PlanOf
    | CapacityCell
    | Topology
    | Preview
    | DraftsCommand
)

#: The commands by the name that they have on the wire.
COMMANDS: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {
        "hello": Hello,
        "open": Open,
        "decide": Decide,
        "load": Load,
        "overview": Overview,
        "lint": Lint,
        "pending": Pending,
        "workloads": Workloads,
        "workloadFilters": WorkloadFilters,
        "kubectl": Kubectl,
        "workload": Workload,
        "why": Why,
        "levers": Levers,
        "cost": Cost,
        "try": Try,
        "objects": Objects,
        "edit": Edit,
        "undo": Undo,
        "redo": Redo,
        "run": Run,
        "frames": Frames,
        "compare": Compare,
        "patch": PatchOf,
        "upgrade": Upgrade,
        "clusters": Clusters,
        "placement": Placement,
        "faults": Faults,
        "fault": AddFault,
        **BUILD_COMMANDS,
        "jobForm": FormOf,
        "tryJob": TryJob,
        "keepJob": KeepJob,
        "settings": Settings,
        "link": Link,
        "openLink": OpenLink,
        "exercises": Exercises,
        "exercise": OpenExercise,
        "exerciseCheck": CheckAnswer,
        "exerciseHint": TakeHint,
        "exerciseReveal": RevealSolution,
        "exerciseReset": ResetExercise,
        "exerciseFrames": CaseFrames,
        "quotas": Quotas,
        "tryQuotas": TryQuotas,
        "keepQuotas": KeepQuotas,
        "capacity": Capacity,
        "capacityPlan": PlanOf,
        "capacityCell": CapacityCell,
        "topology": Topology,
        "preview": Preview,
        "drafts": ListDrafts,
        "draftResume": ResumeDraft,
        "draftDiscard": DiscardDraft,
    }
)


def command_of(data: Mapping[str, Any]) -> Command:
    """Return a command from plain JSON: its name is in ``do``.

    Raises
    ------
    UnknownObjectError
        If there is no such command.
    InputError
        If a field is missing, not known, or of another type.

    Examples
    --------
    >>> command_of({"do": "open", "source": "two-teams"})
    Open(source='two-teams', name='', text='', file='', decide=True)
    """
    name = str(data.get("do", ""))
    if name not in COMMANDS:
        raise UnknownObjectError("command", name, COMMANDS)
    given = {key: value for key, value in data.items() if key not in ("do", "id")}
    command: Command = decoded(COMMANDS[name], given)
    return command
