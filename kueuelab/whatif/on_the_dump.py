"""What a suggestion would do to a dump as it is, before the lab has let anything move."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kueuelab.trace.status_read import comparisons
from kueuelab.whatif.report import Report, Suggestion

if TYPE_CHECKING:
    from kueuelab.whatif.lab import LabRun

__all__ = ["on_the_dump"]

#: Of so many suggestions it is tried, in a dump of so many workloads.
_TRIED: Final = 3
_MOST_WORKLOADS: Final = 300
_HOLDS: Final = ("QuotaReserved", "Admitted")


def on_the_dump(run: LabRun, report: Report) -> Report:
    """Return a report that says which workloads have moved first, and what that changes.

    A dump is seldom at rest: the lab takes the decisions that Kueue was about to take, and the
    changes are made after them.

    Parameters
    ----------
    run
        The run of a dump to its end. Of another one the report stays as it is.
    report
        What was found there, at its end.
    """
    trace = run.trace
    if not report.suggestions or not trace.of_kind("StatusRead"):
        return report
    read = list(comparisons(trace, len(trace) - 1))
    moved = tuple(each.workload for each in read if each.view.phase != each.facts.phase)
    if not moved:
        return report
    holding = {each.workload for each in read if each.facts.phase in _HOLDS}
    few = len(run.cluster.workloads) <= _MOST_WORKLOADS
    suggestions = [
        _tried(run, each, holding) if few and index < _TRIED else each
        for index, each in enumerate(report.suggestions)
    ]
    return replace(report, suggestions=tuple(suggestions), moved_first=moved)


def _tried(run: LabRun, suggestion: Suggestion, holding: set[str]) -> Suggestion:
    """Return a suggestion with what it evicts on the dump as it is, if that is not the same."""
    if suggestion.kind == "wait":
        return suggestion
    unchanged = _evicted(run, holding)
    found = _evicted(run.fork(0).change(*suggestion.changes).run(), holding)
    evicted = tuple(key for key in found if key not in unchanged)
    return suggestion if evicted == suggestion.evicts else replace(suggestion, evicts_first=evicted)


def _evicted(run: LabRun, holding: set[str]) -> tuple[str, ...]:
    """Return the workloads that hold quota in the dump and are evicted, in order."""
    steps = (run.trace[index] for index in run.trace.of_kind("Evicted"))
    return tuple(dict.fromkeys(step.workload for step in steps if step.workload in holding))
