"""What loading gives back: objects, the Configuration, notes and problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.messages import Catalog, Message, english, separated
from kueuelab.model import ClusterQueue, Cohort, Configuration, LocalQueue, ModelObject, Workload

__all__ = ["Manifests", "Note", "PastEvent", "cautions"]

#: So many objects of which the same is true are named.
_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Note:
    """Something that loading did and that the reader may want to know.

    Parameters
    ----------
    message : str
        What was done.
    object : str, optional
        The object it is about.
    location : Location, optional
        Where that was written.
    is_warning : bool, optional
        Whether the API server itself warns of it.
    is_caution : bool, optional
        Whether a decision can be misread without it: what is left out, and what follows from
        that. Commands that show decisions say it, too.

    Examples
    --------
    >>> print(Note("converted from v1beta1 to v1beta2", object="Cohort/root"))
    Cohort/root: converted from v1beta1 to v1beta2
    """

    message: str
    object: str = ""
    location: Location | None = field(default=None, compare=False)
    is_warning: bool = False
    is_caution: bool = False

    def __str__(self) -> str:
        return self.render(english())

    def render(self, catalog: Catalog) -> str:
        """Return it as one line in a language."""
        where = "" if self.location is None else str(self.location)
        parts = (where, self.object, catalog.render(self.message))
        return ": ".join(part for part in parts if part)


def cautions(notes: Iterable[Note]) -> tuple[str, ...]:
    """Return the notes without which decisions can be misread, each once, with its objects.

    Examples
    --------
    >>> of = [Note("Kueue does not manage it", f"Job/{name}", is_caution=True) for name in "abcde"]
    >>> print(*cautions([*of, Note("converted", "Cohort/root")]))
    Job/a, Job/b, Job/c and 2 more: Kueue does not manage it
    """
    found: dict[str, list[Note]] = {}
    for note in notes:
        if note.is_caution:
            found.setdefault(note.message, []).append(note)
    shown: Counter[str] = Counter()
    texts: list[str] = []
    for message, same in found.items():
        kind = message.id if isinstance(message, Message) else message
        shown[kind] += 1
        if shown[kind] <= _NAMED:
            texts.append(_about(message, same))
    if more := sum(count - _NAMED for count in shown.values() if count > _NAMED):
        texts.append(Message("manifests.caution.others", count=more))
    return tuple(texts)


def _about(message: str, notes: list[Note]) -> str:
    if len(notes) == 1:
        parts = (notes[0].location, notes[0].object, message)
        text: str = message
        for part in reversed(parts[:2]):
            if part:
                text = Message("manifests.caution", about=part, text=text)
        return text
    names = list(dict.fromkeys(note.object for note in notes))
    about = separated(names[:_NAMED])
    if len(names) <= _NAMED:
        return Message("manifests.caution", about=about, text=message)
    more = len(names) - _NAMED
    return Message("manifests.caution.more", about=about, count=more, text=message)


@dataclass(frozen=True, slots=True)
class PastEvent:
    """An Event about a Workload (``namespace/name``) that a dump holds; ``time`` may be 0."""

    workload: str
    time: int
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Manifests:
    """The objects that were loaded, by kind, in the order in which they were written.

    Parameters
    ----------
    objects : mapping of str to tuple
        Kind to objects.
    configuration : Configuration, optional
        Kueue's own Configuration, if there was one.
    runs : mapping of str to int
        How long a workload runs once it is admitted, in nanoseconds, by ``namespace/name``;
        only of jobs that say so themselves (``sleep 30``).
    expected_runs : mapping of str to int
        How long a job is expected to run, as its annotation ``kueuelab/runs`` says; likewise.
        Only forecasts use it.
    deadlines : mapping of str to int
        After how long a job is ended at the latest (``activeDeadlineSeconds``); likewise.
    events : tuple of PastEvent
        What Kueue said of Workloads before, if the dump has Events.
    notes : tuple of Note
        What was converted, made up or left out.
    problems : tuple of Problem
        What could not be used. Empty unless loading goes on after problems.

    Examples
    --------
    >>> Manifests().workloads
    ()
    """

    objects: Mapping[str, tuple[ModelObject, ...]] = field(default_factory=dict)
    configuration: Configuration | None = None
    runs: Mapping[str, int] = field(default_factory=dict)
    expected_runs: Mapping[str, int] = field(default_factory=dict)
    deadlines: Mapping[str, int] = field(default_factory=dict)
    events: tuple[PastEvent, ...] = field(default=(), compare=False)
    notes: tuple[Note, ...] = field(default=(), compare=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    def __iter__(self) -> Iterator[ModelObject]:
        for objects in self.objects.values():
            yield from objects

    def __len__(self) -> int:
        return sum(map(len, self.objects.values()))

    def __repr__(self) -> str:
        counts = ", ".join(f"{kind}: {len(found)}" for kind, found in self.objects.items())
        configured = ", configuration" if self.configuration is not None else ""
        wrong = f", {len(self.problems)} problems" if self.problems else ""
        return f"<Manifests {counts or 'empty'}{configured}{wrong}>"

    @property
    def workloads(self) -> tuple[Workload, ...]:
        """The Workloads, those made from jobs among them."""
        return tuple(obj for obj in self.objects.get("Workload", ()) if isinstance(obj, Workload))

    @property
    def cluster_queues(self) -> tuple[ClusterQueue, ...]:
        """The ClusterQueues."""
        found = self.objects.get("ClusterQueue", ())
        return tuple(obj for obj in found if isinstance(obj, ClusterQueue))

    @property
    def local_queues(self) -> tuple[LocalQueue, ...]:
        """The LocalQueues."""
        found = self.objects.get("LocalQueue", ())
        return tuple(obj for obj in found if isinstance(obj, LocalQueue))

    @property
    def cohorts(self) -> tuple[Cohort, ...]:
        """The Cohorts that have an object of their own."""
        return tuple(obj for obj in self.objects.get("Cohort", ()) if isinstance(obj, Cohort))

    def raise_problems(self) -> None:
        """Raise all problems together, if there are any.

        Raises
        ------
        InputError
            With all problems, and these manifests as what was understood.
        """
        if self.problems:
            raise InputError(self.problems, understood=self)
