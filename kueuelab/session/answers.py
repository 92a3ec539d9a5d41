"""What the handler answers: one dataclass for each command. Texts are in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from kueuelab.session.cluster_protocol import (
    ClusterInfo,
    ClustersFound,
    FaultsFound,
    PlacementFound,
)
from kueuelab.session.draft_protocol import KeptDrafts
from kueuelab.session.exercise_protocol import (
    CheckedAnswer,
    ExerciseFound,
    ExercisesFound,
    SolutionText,
)
from kueuelab.session.preview_protocol import ExamplePreview
from kueuelab.session.sharing_protocol import LinkText
from kueuelab.session.topology_protocol import TopologyFound

__all__ = [
    "ANSWERS",
    "Amount",
    "Arithmetic",
    "AvailableShare",
    "BranchInfo",
    "CauseGroup",
    "Causes",
    "Comparison",
    "CostItem",
    "CostPart",
    "EvictionInfo",
    "Example",
    "Explained",
    "ExplainedSection",
    "Facet",
    "Failure",
    "Figure",
    "Filter",
    "Filters",
    "FindingInfo",
    "FramesData",
    "Greeting",
    "HistoryEvent",
    "KubectlText",
    "LeverCost",
    "LeverInfo",
    "LeversFound",
    "LintFinding",
    "LintPage",
    "ObjectText",
    "Opened",
    "OverviewData",
    "PatchText",
    "Place",
    "QuotaRow",
    "Trouble",
    "UpgradeFound",
    "Verdict",
    "Working",
    "WorkloadChange",
    "WorkloadDetails",
    "WorkloadPage",
    "WorkloadRow",
]


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount: in Kueue's integer unit, to draw it, and as Kubernetes prints it."""

    value: int
    text: str


@dataclass(frozen=True, slots=True)
class BranchInfo:
    """A branch that is open.

    Attributes
    ----------
    parent
        What it was made from; ``""`` if it was opened.
    title
        Its title; its name where it has none.
    about
        How large it is, as text.
    change
        What is different from the parent, as text.
    steps, workloads, pending
        How many there are; of several clusters, workloads of the manager.
    clusters
        The clusters, the manager first; none if there is but one.
    topologies
        Whether it has a topology.
    release
        The release of Kueue that decided it.
    at
        Of the state of a cluster: when it was read, in seconds since 1970.
    source
        The packaged name or the path that it was opened from; ``""`` for other branches.
    stage
        ``"decided"`` if it ran; else ``"read"`` if it is shown as it was read, or ``"listed"`` if
        it is not yet checked.
    """

    name: str
    parent: str
    title: str
    about: str
    change: str
    steps: int
    workloads: int
    pending: int
    clusters: tuple[ClusterInfo, ...] = ()
    topologies: bool = False
    release: str = ""
    at: int | None = None
    source: str = ""
    stage: str = "decided"


@dataclass(frozen=True, slots=True)
class Example:
    """A packaged scenario or dump of the gallery; a dump has no title."""

    name: str
    group: str
    group_title: str
    title: str


@dataclass(frozen=True, slots=True)
class Greeting:
    """The answer to ``hello``.

    Attributes
    ----------
    words
        The sentences that the app says: ids to templates.
    folder
        Whether paths of files can be opened.
    languages, releases
        What can be chosen.
    release
        The release that was chosen; ``""`` for the one that the input names.
    contexts
        The contexts of the kubeconfig whose clusters can be opened.
    """

    protocol: int
    kueue_version: str
    language: str
    words: Mapping[str, Any]
    examples: tuple[Example, ...]
    folder: bool
    contexts: tuple[str, ...]
    opened: Opened
    languages: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()
    release: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """What is open after a command that changed it.

    Attributes
    ----------
    branch
        The name of the branch to show; ``""`` if nothing is open.
    note
        What was done, as a sentence.
    undo, redo
        Whether there is a change to undo, or one to do again.
    """

    branch: str
    branches: tuple[BranchInfo, ...]
    note: str
    undo: bool
    redo: bool


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of the overview; ``tone`` is ``""``, ``ok``, ``warn`` or ``bad``."""

    id: str
    label: str
    value: str
    note: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class QuotaRow:
    """The quota of a cohort or ClusterQueue for one resource, all its flavors together.

    Attributes
    ----------
    own
        What it uses of its nominal quota.
    borrowed
        What it uses beyond.
    lent
        What it may lend, of what others borrow.
    text
        The same as a sentence.
    """

    kind: str
    name: str
    depth: int
    nominal: Amount
    own: Amount
    borrowed: Amount
    lent: Amount
    pending: int
    text: str


@dataclass(frozen=True, slots=True)
class CauseGroup:
    """Pending workloads with the same cause.

    Attributes
    ----------
    kind
        As ``kueuelab.trace.pending_cause.CAUSES`` has it.
    workload
        The first of them.
    never
        Whether a person has to change something: time does not admit them.
    """

    id: str
    kind: str
    count: int
    title: str
    detail: str
    queue: str
    workload: str
    never: bool


@dataclass(frozen=True, slots=True)
class Causes:
    """The answer to ``pending``."""

    sentence: str
    count: int
    causes: tuple[CauseGroup, ...]


@dataclass(frozen=True, slots=True)
class FindingInfo:
    """What is probably not intended in a run: a loop, or a hazard of several clusters.

    Attributes
    ----------
    step
        The step that shows it; ``None`` without one.
    """

    kind: str
    label: str
    text: str
    detail: str
    object: str
    step: int | None


@dataclass(frozen=True, slots=True)
class EvictionInfo:
    """Workloads that one workload preempted in one cycle, or that were evicted for another reason.

    Attributes
    ----------
    text
        Which were evicted, and which workload preempted them.
    detail
        When, and the reason.
    step
        The first of their evictions.
    """

    text: str
    detail: str
    step: int


@dataclass(frozen=True, slots=True)
class OverviewData:
    """The answer to ``overview``; the latest evictions come first."""

    sentence: str
    phases: tuple[Facet, ...]
    figures: tuple[Figure, ...]
    resources: tuple[str, ...]
    resource: str
    quota: tuple[QuotaRow, ...]
    more_quota: int
    pending: int
    causes: tuple[CauseGroup, ...]
    evictions: tuple[EvictionInfo, ...]
    more_evictions: int
    findings: tuple[FindingInfo, ...]
    more_findings: int


@dataclass(frozen=True, slots=True)
class LintFinding:
    """What a rule of ``kueuelab lint`` finds.

    Attributes
    ----------
    rule, name
        The rule: ``KL101``, ``cohort-quota-adds-up``.
    tone, level
        How serious it is, as a tone and as text.
    object, field
        What it is about.
    place
        Where it is written, as far as that is known.
    workload, queue
        The workload or ClusterQueue that it is about; ``""`` if it is another object.
    manifest
        The object as YAML; ``""`` if there is none.
    """

    rule: str
    name: str
    tone: str
    level: str
    text: str
    why: str
    fix: str
    object: str
    field: str
    place: Place | None
    workload: str
    queue: str
    manifest: str


@dataclass(frozen=True, slots=True)
class LintPage:
    """The answer to ``lint``: the most serious findings first.

    Attributes
    ----------
    found
        How many there are.
    """

    sentence: str
    found: int
    start: int
    findings: tuple[LintFinding, ...]


@dataclass(frozen=True, slots=True)
class WorkloadRow:
    """A row of the table of workloads."""

    workload: str
    name: str
    namespace: str
    queue: str
    phase: str
    phase_text: str
    position: int
    age: str
    priority: int
    flavor: str
    owner: str
    why: str


@dataclass(frozen=True, slots=True)
class Facet:
    """How many workloads have a value: a phase, for example."""

    id: str
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class WorkloadPage:
    """The answer to ``workloads``.

    Attributes
    ----------
    found, total
        How many match, and how many there are.
    phases
        How many of those that match in all else have which phase.
    cause
        The cause that was asked for, as a title.
    groups
        The groups in the order of the rows, with the number of rows of each; none without a group.
    """

    sentence: str
    found: int
    total: int
    start: int
    rows: tuple[WorkloadRow, ...]
    phases: tuple[Facet, ...]
    cause: str
    groups: tuple[Facet, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    """What a table can be filtered by, and grouped by: the values with most workloads first.

    Attributes
    ----------
    more
        How many other values there are.
    """

    id: str
    label: str
    values: tuple[Facet, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Filters:
    """The answer to ``workloadFilters``."""

    filters: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class KubectlText:
    """The answer to ``kubectl``: one command for each namespace."""

    text: str


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """Something that happened to a workload; ``what`` is the id of the event."""

    time: str
    what: str
    text: str
    step: int


@dataclass(frozen=True, slots=True)
class AvailableShare:
    """A part of what is available: ``own``, of a ``cohort``, or ``lent`` by a ClusterQueue."""

    kind: str
    name: str
    amount: Amount


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A request held against the quota of one flavor.

    Attributes
    ----------
    nominal, used
        Of the ClusterQueue.
    available, potential
        What it could use now, and what it could ever use.
    missing
        What is missing of the request; 0 if it fits.
    fits
        Whether the request fits.
    verdict
        The outcome as a sentence.
    shares, whose
        Whose the available quota is, and that as a sentence; empty if all is its own. Limits may
        leave less of it than the sum.
    """

    flavor: str
    resource: str
    requested: Amount
    nominal: Amount
    used: Amount
    borrowed: Amount
    available: Amount
    potential: Amount
    missing: Amount
    fits: bool
    verdict: str
    step: int
    shares: tuple[AvailableShare, ...]
    whose: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """A candidate for preemption, or a queue of candidates, and why it is a target or none."""

    about: str
    verdict: str
    text: str
    step: int | None


@dataclass(frozen=True, slots=True)
class GroupMember:
    """A slice of an elastic job, or a variant of a workload.

    Attributes
    ----------
    name
        What it is called there: its own name, or the flavor of a variant.
    tone, state, about
        How far it is, and how many pods it has, or why it waits or lost.
    is_shown
        Whether the answer is about it.
    """

    workload: str
    name: str
    tone: str
    state: str
    about: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class WorkloadGroup:
    """The slices of an elastic job, or the variants of a workload, which race for admission.

    Attributes
    ----------
    kind
        ``slices`` or ``variants``.
    group
        The job, or the workload that has variants.
    """

    kind: str
    group: str
    title: str
    members: tuple[GroupMember, ...]


@dataclass(frozen=True, slots=True)
class WorkloadDetails:
    """The answer to ``workload``.

    Attributes
    ----------
    sentence, detail
        Where it is and why, in one sentence; and what else there is to say.
    message
        Kueue's own words; ``""`` if there are none.
    tone
        ``ok``, ``warn``, ``bad`` or ``""``.
    life
        What happened to it; of a slice, to all slices of its job.
    devices
        What the devices that its pods claim count against quota; ``""`` for none.
    """

    workload: str
    name: str
    namespace: str
    queue: str
    phase: str
    phase_text: str
    tone: str
    about: str
    sentence: str
    detail: str
    message: str
    life: tuple[HistoryEvent, ...]
    arithmetic: tuple[Arithmetic, ...]
    arithmetic_of: str
    devices: str
    group: WorkloadGroup | None
    candidates: tuple[Verdict, ...]
    more_candidates: int
    evicted: str
    manifest: str


@dataclass(frozen=True, slots=True)
class ExplainedSection:
    """A part of an explanation."""

    id: str
    title: str
    sentences: tuple[str, ...]
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Explained:
    """The answer to ``why``."""

    workload: str
    step: int
    title: str
    sections: tuple[ExplainedSection, ...]


@dataclass(frozen=True, slots=True)
class LeverInfo:
    """A change by which a workload is admitted.

    Attributes
    ----------
    number
        What ``try`` calls it.
    text, cost
        The change, and what follows from it.
    evicts
        Workloads that are evicted by it.
    changes
        The fields that change, as text.
    can_try
        Whether it is a change: waiting is none.
    """

    number: int
    kind: str
    text: str
    cost: str
    evicts: tuple[str, ...]
    changes: tuple[str, ...]
    can_try: bool


@dataclass(frozen=True, slots=True)
class LeversFound:
    """The answer to ``levers``."""

    workload: str
    obstacles: tuple[str, ...]
    levers: tuple[LeverInfo, ...]
    note: str


@dataclass(frozen=True, slots=True)
class ObjectText:
    """The answer to ``objects``.

    Attributes
    ----------
    objects
        What can be edited: ``Kind/name`` or ``Kind/namespace/name``.
    object, text
        One of them, and its manifest; ``""`` if there is none.
    """

    objects: tuple[str, ...]
    object: str
    text: str


@dataclass(frozen=True, slots=True)
class CostItem:
    """A workload or a quota that a lever costs something.

    Attributes
    ----------
    workload
        ``namespace/name``; ``""`` for a quota.
    name, text
        What it is, and where it ends.
    """

    workload: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class CostPart:
    """One kind of what follows from a lever.

    Attributes
    ----------
    kind
        ``evicts``, ``waits``, ``shrinks``, ``grows`` or ``gains``.
    count
        How many there are; ``items`` are the first of them.
    """

    kind: str
    title: str
    count: int
    items: tuple[CostItem, ...]


@dataclass(frozen=True, slots=True)
class LeverCost:
    """The answer to ``cost``.

    Attributes
    ----------
    note
        That it costs no other workload anything; ``""`` if it does.
    end
        Where the workload is in the end.
    """

    lever: int
    parts: tuple[CostPart, ...]
    note: str
    end: str


@dataclass(frozen=True, slots=True)
class FramesData:
    """The answer to ``frames``: a frame document (docs/frames.md), or an answer to a view."""

    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WorkloadChange:
    """A workload that ends elsewhere; ``tone`` is ``ok`` if it gains, ``bad`` if it loses."""

    workload: str
    before: str
    after: str
    tone: str


@dataclass(frozen=True, slots=True)
class FigurePair:
    """A figure of a queue or a cohort in both branches.

    Attributes
    ----------
    figure, title
        Which one, and what it is called, with its flavor and resource.
    before, after
        What it says; ``""`` if that branch has none.
    value_before, value_after
        The numbers for a chart.
    """

    figure: str
    title: str
    before: str
    after: str
    value_before: float
    value_after: float


@dataclass(frozen=True, slots=True)
class QueueFigures:
    """Figures of a ClusterQueue or a cohort, and how deep it is in its tree."""

    name: str
    kind: str
    depth: int
    figures: tuple[FigurePair, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answer to ``compare``: only what differs, unless the rest is asked for."""

    sentence: str
    first: tuple[str, ...]
    step_before: int | None
    step_after: int | None
    workloads: tuple[WorkloadChange, ...]
    more_workloads: int
    queues: tuple[str, ...]
    figures: tuple[QueueFigures, ...] = ()
    more_figures: int = 0


@dataclass(frozen=True, slots=True)
class PatchText:
    """The answer to ``patch``.

    Attributes
    ----------
    name
        What a file of it may be called.
    objects
        How many objects are in it.
    check
        What applying it to the branch before gives; ``""`` if it has no objects.
    gives
        Whether that are the objects of the branch after.
    """

    name: str
    text: str
    objects: int
    check: str
    gives: bool


@dataclass(frozen=True, slots=True)
class UpgradeFound:
    """The answer to ``upgrade``.

    Attributes
    ----------
    releases
        The releases that can be chosen.
    required, objects, gates
        Gates with which Kueue does not start; objects in a version that is not served any more,
        or that are refused; gates that are new, or have another default or a lock.
    first
        The first decision that differs.
    workloads
        How many workloads end elsewhere.
    causes
        Gates and changes of rules that alone make a decision differ.
    fixed, brought
        Known bugs that the workloads meet under one release and not under the other.
    """

    releases: tuple[str, ...]
    before: str
    after: str
    sentence: str
    required: tuple[str, ...]
    objects: tuple[str, ...]
    gates: tuple[str, ...]
    first: tuple[str, ...]
    workloads: int
    causes: tuple[str, ...]
    fixed: tuple[str, ...]
    brought: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file; line and column count from 1, 0 if they are not known."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """One mistake: what is wrong, where, and what to do next."""

    message: str
    object: str
    field: str
    hint: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Failure:
    """What every command may answer instead: what is wrong, and nothing changed.

    Attributes
    ----------
    problems
        The first mistakes; ``more`` says how many others there are.
    """

    message: str
    problems: tuple[Trouble, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Working:
    """How far a command is, sent before its answer while that takes long.

    Attributes
    ----------
    text
        As a sentence.
    done, total
        How much of the present part is done, and how much there is.
    """

    text: str
    done: int
    total: int


#: The answer to each command.
ANSWERS: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {
        "hello": Greeting,
        "open": Opened,
        "decide": Opened,
        "load": Opened,
        "overview": OverviewData,
        "lint": LintPage,
        "pending": Causes,
        "workloads": WorkloadPage,
        "workloadFilters": Filters,
        "kubectl": KubectlText,
        "workload": WorkloadDetails,
        "why": Explained,
        "levers": LeversFound,
        "cost": LeverCost,
        "try": Opened,
        "objects": ObjectText,
        "edit": Opened,
        "undo": Opened,
        "redo": Opened,
        "run": Opened,
        "frames": FramesData,
        "compare": Comparison,
        "patch": PatchText,
        "upgrade": UpgradeFound,
        "clusters": ClustersFound,
        "placement": PlacementFound,
        "faults": FaultsFound,
        "fault": Opened,
        "settings": Greeting,
        "link": LinkText,
        "openLink": Opened,
        "exercises": ExercisesFound,
        "exercise": ExerciseFound,
        "exerciseCheck": CheckedAnswer,
        "exerciseHint": ExerciseFound,
        "exerciseReveal": SolutionText,
        "exerciseReset": ExerciseFound,
        "exerciseFrames": FramesData,
        "topology": TopologyFound,
        "preview": ExamplePreview,
        "drafts": KeptDrafts,
        "draftDiscard": KeptDrafts,
    }
)
