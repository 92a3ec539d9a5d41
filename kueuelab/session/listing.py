"""The workloads of a large input as it says itself, before anything in it is checked.

To check and to load tens of thousands of workloads takes seconds. Meanwhile there is a table of
them. It has what is written in them, and no more: no positions and no causes. What is wrong with
the input is found when it is checked; here a value of a wrong type counts as none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

from kueuelab.collector import without_collection
from kueuelab.manifests.decode import DEFAULT_NAMESPACE
from kueuelab.manifests.loading.items import Findings, items_of
from kueuelab.manifests.reading.documents import Document
from kueuelab.messages import Catalog
from kueuelab.model.times import parse_time
from kueuelab.session.workload_rows import IndexedRow
from kueuelab.trace.pending_cause import Cause
from kueuelab.trace.pending_workloads import PendingWorkload

__all__ = ["ListedWorkloads", "Listing", "WrittenWorkload", "listing_of"]

_GROUP: Final = "kueue.x-k8s.io/"
_PENDING: Final = ("Pending", "QuotaReserved")


class WrittenWorkload(NamedTuple):
    """What is written of a workload: its names, how far it is, and what Kueue said last."""

    key: str
    queue: str
    local_queue: str
    phase: str
    said: str
    created: int
    priority: int
    flavor: str
    owner: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The workloads of an input that was read and not checked.

    Attributes
    ----------
    workloads
        The workloads in it.
    now
        The newest time in them, in nanoseconds since 1970: when a dump was taken.
    """

    workloads: Sequence[WrittenWorkload] = field(repr=False)
    now: int
    _documents: list[Document] = field(default_factory=list, repr=False, compare=False)

    def taken(self) -> Iterator[Document] | None:
        """Return the documents, one by one, which are not kept; ``None`` if they are gone.

        There is room for them, and for what becomes of them, if both are not there at once.
        """
        documents = self._documents[::-1]
        self._documents.clear()
        return _used_up(documents) if documents else None


def _used_up(documents: list[Document]) -> Iterator[Document]:
    while documents:
        yield documents.pop()


def listing_of(documents: Sequence[Document], least: int) -> Listing | None:
    """Return the listing of a dump, ``None`` of a scenario or with fewer workloads than asked for.

    Examples
    --------
    >>> listing_of([Document({"kind": "Workload", "apiVersion": "kueue.x-k8s.io/v1beta2"})], 2)
    """
    with without_collection(circles=False):
        return _listing_of(documents, least)


def _listing_of(documents: Sequence[Document], least: int) -> Listing | None:
    workloads: list[Mapping[str, Any]] = []
    queues: dict[tuple[str, str], str] = {}
    for document in documents:
        for item in items_of(document.value, document, (), Findings()):
            obj = item.obj
            kind, version = obj.get("kind"), obj.get("apiVersion")
            if kind == "Scenario":
                return None
            if not (isinstance(version, str) and version.startswith(_GROUP)):
                continue
            if kind == "Workload":
                workloads.append(obj)
            elif kind == "LocalQueue":
                queues[_name_of(obj)] = _text(_map(obj.get("spec")).get("clusterQueue"))
    if len(workloads) < least:
        return None
    now = max((time for each in workloads for time in _times(each)), default=0)
    return Listing([_written(each, queues) for each in workloads], now, list(documents))


class ListedWorkloads:
    """The table of a listing.

    Parameters
    ----------
    listing
        The listing.
    words
        The language.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> job = {"kind": "Workload", "apiVersion": "kueue.x-k8s.io/v1beta2"}
    >>> job |= {"metadata": {"name": "a"}, "status": {"admission": {"clusterQueue": "team-a"}}}
    >>> listing = listing_of([Document(job)], 1)
    >>> assert listing is not None
    >>> [
    ...     (row.workload, row.queue, row.phase) for row in ListedWorkloads(listing, english()).rows
    ... ]
    [('default/a', 'team-a', 'Pending')]
    """

    #: Nothing was explained yet.
    causes_by_id: Final[Mapping[str, Cause]] = {}
    cause_groups: Final[Mapping[Cause, Sequence[PendingWorkload]]] = {}

    def __init__(self, listing: Listing, words: Catalog) -> None:
        self.listing = listing
        self.words = words
        self.shown: tuple[Any, Any] = (None, None)
        self.matching: tuple[Any, str, Sequence[IndexedRow]] = (None, "", ())

    @cached_property
    def phases(self) -> Counter[str]:
        """How many workloads are in which phase."""
        return Counter(row.phase for row in self.rows)

    @cached_property
    def rows(self) -> tuple[IndexedRow, ...]:
        """All workloads: those that are pending first, by queue and priority."""
        reasons = {"": ("", "")}
        with without_collection(circles=False):
            rows = [self._row(each, reasons) for each in self.listing.workloads]
        rows.sort(
            key=lambda row: (
                row.phase not in _PENDING,
                row.queue if row.phase in _PENDING else "",
                -row.priority if row.phase in _PENDING else 0,
                row.workload,
            )
        )
        return tuple(rows)

    def _row(self, found: WrittenWorkload, reasons: dict[str, tuple[str, str]]) -> IndexedRow:
        is_pending, said = found.phase in _PENDING, found.said
        if said not in reasons:
            why = self.words.text("status.message", message=said)
            reasons[said] = why, why.lower()
        why, why_text = reasons[said]
        return IndexedRow(
            workload=found.key,
            queue=found.queue,
            phase=found.phase,
            position=0,
            age=self.listing.now - found.created if found.created and is_pending else 0,
            priority=found.priority,
            why=why,
            why_text=why_text,
            cause="",
            flavor=found.flavor,
            owner=found.owner,
            text=f"{found.key} {found.queue} {found.local_queue} {found.phase}".lower(),
        )


# --- what is written in an object ---------------------------------------------------------


def _written(obj: Mapping[str, Any], queues: Mapping[tuple[str, str], str]) -> WrittenWorkload:
    metadata, spec, status = (_map(obj.get(name)) for name in ("metadata", "spec", "status"))
    namespace, name = _name_of(obj)
    admission, conditions = _map(status.get("admission")), _conditions(status)
    local = _text(spec.get("queueName"))
    phase, priority = _phase(conditions), spec.get("priority")
    said = _text(conditions.get("QuotaReserved", {}).get("message")) if phase == "Pending" else ""
    return WrittenWorkload(
        f"{namespace}/{name}",
        _text(admission.get("clusterQueue")) or queues.get((namespace, local), ""),
        local,
        phase,
        said,
        _time(metadata.get("creationTimestamp")),
        priority if isinstance(priority, int) else 0,
        ", ".join(sorted({*_flavors(admission)})),
        _owner(metadata),
    )


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _maps(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _name_of(obj: Mapping[str, Any]) -> tuple[str, str]:
    metadata = _map(obj.get("metadata"))
    return _text(metadata.get("namespace")) or DEFAULT_NAMESPACE, _text(metadata.get("name"))


@lru_cache(maxsize=4096)
def _parsed(text: str) -> int:
    try:
        return parse_time(text)
    except ValueError:
        return 0


def _time(value: Any) -> int:
    return _parsed(value) if isinstance(value, str) else 0


def _times(obj: Mapping[str, Any]) -> Iterator[int]:
    """Yield when something happened to a workload: its newest time is when the dump was taken."""
    yield _time(_map(obj.get("metadata")).get("creationTimestamp"))
    status = _map(obj.get("status"))
    for field_ in ("conditions", "admissionChecks"):
        for each in _maps(status.get(field_)):
            yield _time(each.get("lastTransitionTime"))


def _conditions(status: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    return {_text(each.get("type")): each for each in _maps(status.get("conditions"))}


def _phase(conditions: Mapping[str, Mapping[str, Any]]) -> str:
    """Return how far a workload is; it is evicted until its quota is gone."""
    holds = {name for name, each in conditions.items() if each.get("status") == "True"}
    if "Finished" in holds:
        return "Finished"
    if {"Evicted", "QuotaReserved"} <= holds:
        return "Evicted"
    return next((each for each in ("Admitted", "QuotaReserved") if each in holds), "Pending")


def _flavors(admission: Mapping[str, Any]) -> Iterator[str]:
    for assignment in _maps(admission.get("podSetAssignments")):
        yield from filter(None, map(_text, _map(assignment.get("flavors")).values()))


def _owner(metadata: Mapping[str, Any]) -> str:
    found = ""
    for owner in _maps(metadata.get("ownerReferences")):
        if owner.get("controller") or not found:
            found = _text(owner.get("kind"))
    return found
