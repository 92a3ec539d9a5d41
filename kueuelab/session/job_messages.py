"""What a page can ask about a job before it is submitted, and what it gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from kueuelab.session.answers import CostPart, Opened, Trouble

__all__ = [
    "ANSWERS",
    "Alternative",
    "FormOf",
    "JobForm",
    "JobTrial",
    "KeepJob",
    "Start",
    "TrialForm",
    "TriedJob",
    "TryJob",
    "When",
]


@dataclass(frozen=True, slots=True)
class JobForm:
    """A job as a small form has it.

    Attributes
    ----------
    queue
        Its LocalQueue, ``namespace/name``.
    requests
        What each pod asks for: resource to quantity.
    runs
        How long it runs: ``2h``; ``""`` if that is not known.
    """

    name: str
    queue: str
    pods: int
    requests: Mapping[str, Any]
    priority: int
    runs: str


@dataclass(frozen=True, slots=True)
class FormOf:
    """Ask what the form of a job begins with.

    Attributes
    ----------
    workload
        A workload that is to be changed; ``""`` for a new job.
    """

    workload: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True)
class TryJob:
    """Ask what would happen if jobs were submitted; nothing is submitted.

    Attributes
    ----------
    text, form
        The jobs as manifests, or one as a form.
    workload
        A workload in whose place the job is tried: it is deleted first.
    at
        When, after the start (``90s``); ``""`` for one second after the last action.
    runs
        How long jobs run that say nothing of it: ``2h``, or ``30m..4h`` for nine of ten.
    now
        Whether only what happens at once is asked for.
    """

    text: str = ""
    form: JobForm | None = None
    workload: str = ""
    at: str = ""
    runs: str = ""
    now: bool = False
    branch: str = ""


@dataclass(frozen=True, slots=True)
class KeepJob:
    """Make a branch in which jobs are submitted.

    Attributes
    ----------
    text, form, workload, at
        As in ``tryJob``.
    job, change
        The number of a job and of an alternative that the answer to ``tryJob`` has for it: the job
        is submitted so. -1 for none.
    """

    text: str = ""
    form: JobForm | None = None
    workload: str = ""
    at: str = ""
    job: int = 0
    change: int = -1
    branch: str = ""


@dataclass(frozen=True, slots=True)
class TrialForm:
    """The answer to ``jobForm``.

    Attributes
    ----------
    form
        What it begins with; ``None`` for a workload of several pod sets, which no form has.
    text
        The same as a manifest.
    queues, resources
        The LocalQueues, and the resources that quotas cover.
    moment
        When the job is tried, as a sentence.
    note
        What stands in the way of trying one; ``""`` if nothing does.
    """

    form: JobForm | None
    text: str
    queues: tuple[str, ...]
    resources: tuple[str, ...]
    moment: str
    note: str


@dataclass(frozen=True, slots=True)
class Start:
    """By when a job has started in a part of the runs.

    Attributes
    ----------
    percent
        The part.
    seconds
        The time after its submission; ``None`` if it does not start in so many.
    text
        The same as text.
    """

    percent: int
    seconds: float | None
    text: str


@dataclass(frozen=True, slots=True)
class When:
    """When a job would start.

    Attributes
    ----------
    sentence
        When, in one sentence.
    basis
        What that rests on, and what it does not know.
    starts
        By when it has started; empty if it never does, or the time is known.
    unknown
        Whether nothing tells how long the workloads run that have to end first.
    """

    sentence: str
    basis: tuple[str, ...]
    starts: tuple[Start, ...]
    unknown: bool


@dataclass(frozen=True, slots=True)
class Alternative:
    """A change of a job with which it is admitted.

    Attributes
    ----------
    number
        What ``keepJob`` calls it.
    text, cost
        The change, and what follows from it.
    at_once
        Whether the job is then admitted at once.
    changes
        The fields that change, as text.
    """

    number: int
    text: str
    cost: str
    at_once: bool
    evicts: tuple[str, ...]
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TriedJob:
    """What would become of one job.

    Attributes
    ----------
    outcome, tone
        ``admitted``, ``reserved`` or ``pending``; and as ``ok``, ``warn`` or ``bad``.
    outcome_text
        The outcome in a word or two.
    about
        Its queue and priority.
    now
        What happens at once: the first sentence is the most important one.
    when, instead
        When it would start and what else would be admitted, if it is pending and that was
        asked for.
    instead_note
        How many changes were simulated.
    """

    workload: str
    name: str
    about: str
    outcome: str
    outcome_text: str
    tone: str
    now: tuple[str, ...]
    when: When | None
    instead: tuple[Alternative, ...]
    instead_note: str


@dataclass(frozen=True, slots=True)
class JobTrial:
    """The answer to ``tryJob``.

    Attributes
    ----------
    verdict
        What becomes of the jobs together: ``admitted``, ``pending`` or ``refused``.
    text
        The manifests that were tried.
    moment
        When they were tried, as a sentence.
    problems
        What the API server would refuse.
    others
        What it costs other workloads, and which it helps.
    notes
        What else there is to know of the manifests or of the cluster.
    whole
        Whether also the forecast and the alternatives are in it.
    """

    verdict: str
    text: str
    moment: str
    jobs: tuple[TriedJob, ...]
    problems: tuple[Trouble, ...]
    others: tuple[CostPart, ...]
    notes: tuple[str, ...]
    whole: bool


#: The answer to each of these commands.
ANSWERS: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {"jobForm": TrialForm, "tryJob": JobTrial, "keepJob": Opened}
)
