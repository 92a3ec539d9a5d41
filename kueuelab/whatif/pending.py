"""Everything that is pending, why, and what would admit it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from textwrap import wrap
from typing import Any, Final, overload

from kueuelab.messages import Catalog, Message, language_of
from kueuelab.simulation.known_bugs import KnownBug
from kueuelab.trace.html import table
from kueuelab.trace.pending_workloads import PendingWorkload, pending_workloads
from kueuelab.trace.recorded_run import RecordedRun
from kueuelab.trace.trace import Trace
from kueuelab.whatif.clusters import MultiKueueRun
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.report import Report, Suggestion

__all__ = ["Pending", "PendingRow", "is_cheap", "main_trace_of", "pending"]

#: Up to so many pending workloads, in a cluster of so many, levers are searched unasked.
_MOST_PENDING: Final = 8
_MOST_WORKLOADS: Final = 40

_COLUMNS: Final = ("queue", "position", "age", "workload", "why", "lever")


@dataclass(frozen=True, slots=True)
class PendingRow:
    """A pending workload, and what would admit it.

    Attributes
    ----------
    about
        The workload: where it is pending, since when, and why.
    report
        What would admit it; ``None`` if that was not searched.
    bugs
        The known bugs of Kueue that it meets at the end of the run.
    """

    about: PendingWorkload
    report: Report | None = None
    bugs: tuple[KnownBug, ...] = ()

    @property
    def lever(self) -> Suggestion | None:
        """The least disturbing change that admits it; ``None`` if none is known."""
        return self.report[0] if self.report else None

    @property
    def lever_text(self) -> str:
        """The lever as text; ``""`` if nothing was tried."""
        if self.report is None:
            return ""
        lever = self.lever
        if lever is None:
            return Message("whatif.pending.no-lever") if self.report.tried else ""
        if lever.kind == "wait":
            return Message("whatif.pending.wait", time=lever.as_data()["time"])
        return Message("whatif.pending.lever", change=lever.text, consequence=lever.consequence)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        lever = None if self.lever is None else self.lever.as_data()
        bugs = [{"issue": each.bug.issue, "text": str(each.as_text())} for each in self.bugs]
        return {
            **self.about.as_data(),
            "leverSearched": self.report is not None,
            "lever": lever,
            "knownBugs": bugs,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Pending(Sequence[PendingRow]):
    """The pending workloads of a run, by queue and position.

    Attributes
    ----------
    rows
        One for each workload.
    catalog
        The language.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> pending(scenarios.load("reclaim-1-take-back").run(), levers=False)
    <Pending: 1 workload>
    """

    rows: tuple[PendingRow, ...]
    catalog: Catalog

    def __repr__(self) -> str:
        count = len(self.rows)
        return f"<Pending: {count} workload{'s' * (count != 1)}>"

    def __str__(self) -> str:
        return self.as_text()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[PendingRow]:
        return iter(self.rows)

    @overload
    def __getitem__(self, index: int) -> PendingRow: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[PendingRow, ...]: ...

    def __getitem__(self, index: int | slice) -> PendingRow | tuple[PendingRow, ...]:
        return self.rows[index]

    def as_text(self, width: int | None = None) -> str:
        """Return it as plain text, queue by queue.

        Parameters
        ----------
        width
            Break lines that are longer; by default none is broken.
        """
        return "\n".join(self._lines(width))

    def _lines(self, width: int | None) -> Iterator[str]:
        say = self.catalog.text
        if not self.rows:
            yield say("whatif.pending.none")
        queue = None
        for row in self.rows:
            about = row.about
            if about.cluster_queue != queue:
                if queue is not None:
                    yield ""
                queue = about.cluster_queue
                count = sum(each.about.cluster_queue == queue for each in self.rows)
                form = "queue" if queue else "no-queue"
                yield say(f"whatif.pending.{form}", queue=queue, count=count)
            yield from _wrapped(f"  {self._position(about):>3}  ", self._title(about), width)
            yield from _wrapped(" " * 7, self.catalog.render(about.why), width)
            if row.lever_text:
                yield from _wrapped(" " * 7, self.catalog.render(row.lever_text), width)
            for bug in row.bugs:
                yield from _wrapped(" " * 7, self.catalog.render(bug.as_text()), width)

    def _title(self, about: PendingWorkload) -> str:
        return self.catalog.text(
            "whatif.pending.workload",
            workload=about.workload,
            queue=about.local_queue or "-",
            age=about.age_text,
            priority=about.priority,
        )

    @staticmethod
    def _position(about: PendingWorkload) -> str:
        return str(about.position) if about.position else "-"

    def as_table(self) -> list[dict[str, str]]:
        """Return one row per workload: queue, position, age, workload, why, lever."""
        return [
            {
                "queue": row.about.cluster_queue or "-",
                "position": self._position(row.about),
                "age": row.about.age_text,
                "workload": row.about.workload,
                "why": self.catalog.render(row.about.why),
                "lever": self.catalog.render(row.lever_text),
            }
            for row in self.rows
        ]

    def as_data(self) -> list[dict[str, Any]]:
        """Return it as plain JSON values."""
        return [row.as_data() for row in self.rows]

    def _repr_html_(self) -> str:
        """Return it as a table, for a notebook."""
        if not self.rows:
            return f"<p>{escape(self.catalog.text('whatif.pending.none'))}</p>"
        head = [self.catalog.text(f"whatif.pending.column.{name}") for name in _COLUMNS]
        return table(head, ([row[name] for name in _COLUMNS] for row in self.as_table()))


def pending(
    run: RecordedRun | Trace,
    at: int | None = None,
    *,
    levers: bool | None = None,
    queue: str = "",
    language: str | Catalog = "en",
    progress: Callable[[], object] | None = None,
) -> Pending:
    """Return every pending workload: its queue, position and age, why, and what would admit it.

    Parameters
    ----------
    run
        A run, or its record. Of several clusters, it is about the manager.
    at
        The index of the step after which to look; the last one if omitted.
    levers
        Whether to search what would admit each workload, which simulates many changes. By
        default only where that is quick: in a small cluster, at the end of a run.
    queue
        Only the workloads of this ClusterQueue.
    language
        The language: a code, or a catalogue of sentences.
    progress
        Called after each search.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> print(pending(scenarios.load("reclaim-1-take-back").run()).as_text(88))
    team-b: 1 pending workload
        1  default/job-1 (LocalQueue team-b-jobs, priority 10, age 3s)
           It does not fit: 500m cpu requested, 300m available in default (team-a uses
           400m), and to borrow it may not preempt (borrowWithinCohort is Never; another
           policy would not help either, as team-b uses nothing of it and no other
           ClusterQueue of its cohort borrows).
           What would admit it: raise the nominal quota of ClusterQueue team-b by 200m
           cpu/default; it evicts no workload.
    """
    words = language_of(language)
    found = pending_workloads(main_trace_of(run), at, words, queue)
    if at is None:
        found = tuple(_with_workers(run, each, words) for each in found)
    bugs = _known_bugs(run) if at is None else {}
    if not _are_searched(run, at, levers):
        rows = [PendingRow(each, bugs=bugs.get(each.workload, ())) for each in found]
        return Pending(tuple(rows), words)
    rows = []
    for each in found:
        report = _report(run, each.workload, at)
        rows.append(PendingRow(each, report, bugs.get(each.workload, ())))
        if progress is not None:
            progress()
    return Pending(tuple(rows), words)


def _with_workers(
    run: RecordedRun | Trace, row: PendingWorkload, words: Catalog
) -> PendingWorkload:
    """Return a row that also says why the workload is pending in the workers that have it."""
    trace = run if isinstance(run, Trace) else run.trace
    reasons = []
    for cluster in trace.clusters[1:]:
        own = trace.of_cluster(cluster)
        if not own.index.knows(row.workload):
            continue
        for there in pending_workloads(own, None, words):
            if there.workload == row.workload:
                reasons.append(words.text("whatif.pending.there", cluster=cluster, why=there.why))
    if not reasons:
        return row
    why = words.text("whatif.pending.here-and-there", why=row.why, there=" ".join(reasons))
    return replace(row, why=why)


def _known_bugs(run: RecordedRun | Trace) -> dict[str, tuple[KnownBug, ...]]:
    """Return the known bugs that the workloads of a run meet in its end, by workload."""
    found: dict[str, tuple[KnownBug, ...]] = {}
    for each in run.known_bugs() if isinstance(run, LabRun) else ():
        found[each.workload] = (*found.get(each.workload, ()), each)
    return found


def main_trace_of(run: RecordedRun | Trace) -> Trace:
    """Return the record of one cluster; of several, it is that of the manager."""
    trace = run if isinstance(run, Trace) else run.main_trace
    return trace if len(trace.clusters) == 1 else trace.of_cluster(trace.clusters[0])


def _are_searched(run: RecordedRun | Trace, at: int | None, levers: bool | None) -> bool:
    """Tell whether levers are searched: where they can be, and are asked for or quick."""
    if isinstance(run, MultiKueueRun) and at is not None:
        return False
    if not isinstance(run, LabRun | MultiKueueRun):
        return False
    return is_cheap(run, at) if levers is None else levers


def _report(run: RecordedRun | Trace, workload: str, at: int | None) -> Report:
    if isinstance(run, MultiKueueRun):
        return run.what_would_admit(workload)
    assert isinstance(run, LabRun)
    return run.what_would_admit(workload, at)


def is_cheap(run: LabRun | MultiKueueRun, at: int | None = None) -> bool:
    """Tell whether searching what would admit each pending workload is quick."""
    if isinstance(run, MultiKueueRun):
        workloads = run.cluster_set.manager.member.workloads
    else:
        workloads = run.cluster.workloads
    waiting = sum(not state.has_quota_reservation for state in workloads.values())
    return at is None and len(workloads) <= _MOST_WORKLOADS and waiting <= _MOST_PENDING


def _wrapped(start: str, text: str, width: int | None) -> Iterator[str]:
    if width is None:
        yield start + text
        return
    yield from wrap(
        text,
        max(width, 40),
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    ) or [start]
