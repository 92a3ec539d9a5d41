"""What became of a draft that was run: a sentence, what was decided, each job over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from kueuelab.messages import Catalog
from kueuelab.model.times import SECOND
from kueuelab.session.answers import HistoryEvent, Opened
from kueuelab.session.build_answers import DraftRun, JobLane, LaneSpan
from kueuelab.session.session import Session
from kueuelab.trace.timeline import Row, timeline
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import span_text

__all__ = ["draft_run"]

_MOST_DECISIONS: Final = 40
_MOST_LANES: Final = 200
_ADMITTED: Final = ("admitted", "admittedAtOnce")
_EVICTED: Final = ("preempted", "evicted")
_DECIDED: Final = (*_ADMITTED, *_EVICTED, "preempting")
#: What a job does from an event on.
_SPANS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(("created", *_EVICTED), "waits"),
        **dict.fromkeys(_ADMITTED, "runs"),
        **dict.fromkeys(("finished", "deleted", "deactivated"), "gone"),
    }
)
_TONES: Final[Mapping[str, str]] = MappingProxyType({"waits": "warn", "runs": "ok"})


def draft_run(session: Session, words: Catalog, opened: Opened) -> DraftRun:
    """Return what the last run of the draft decided.

    Parameters
    ----------
    session
        What is open.
    words
        The language.
    opened
        The same as an answer.
    """
    branch, trace, manager = _traces(session)
    rows = list(timeline(trace, catalog=words))
    decided = [row for row in rows if row.what in _DECIDED]
    own = rows if manager is trace else list(timeline(manager, catalog=words))
    seconds = (trace[-1].time - trace[0].time) / SECOND if len(trace) else 0.0
    lanes = list(_lanes(own, seconds, words))
    preempting = [row.step for row in decided if row.what == "preempted"]
    steps = preempting or [row.step for row in decided]
    return DraftRun(
        branch=branch,
        sentence=_sentence(rows, lanes, words),
        decisions=tuple(map(_event, decided[:_MOST_DECISIONS])),
        more_decisions=max(0, len(decided) - _MOST_DECISIONS),
        lanes=tuple(lanes[:_MOST_LANES]),
        seconds=seconds,
        # Steps of several clusters are counted in each of them.
        step=steps[0] if steps and manager is trace else None,
        opened=opened,
    )


def _traces(session: Session) -> tuple[str, Trace, Trace]:
    """Return the branch, what happened, and what happened on the cluster that gets the jobs."""
    assert session.built is not None
    name = session.built.branch
    for each in session.cluster_sets:
        if each.name == name:
            return name, each.run.trace, each.run.main_trace
    trace = session[name].run.trace
    return name, trace, trace


def _event(row: Row) -> HistoryEvent:
    text = f"{row.shown_subject.removeprefix('default/')} {row.text}"
    return HistoryEvent(span_text(row.since) or "0s", row.what, text, row.step)


def _sentence(rows: Sequence[Row], lanes: Sequence[JobLane], words: Catalog) -> str:
    if not lanes:
        return words.text("session.build.ran.no-jobs")
    waiting = sum(1 for lane in lanes if lane.spans and lane.spans[-1].kind == "waits")
    text = words.text("session.build.ran.all", count=len(lanes))
    if waiting:
        text = words.text("session.build.ran.pending", count=waiting, total=len(lanes))
    first = next((row for row in rows if row.what == "preempted"), None)
    if first is None:
        return text
    moment = span_text(first.since) or "0s"
    name = first.shown_subject.removeprefix("default/")
    preempted = words.text("session.build.ran.preempted", job=name, what=first.text, time=moment)
    return f"{text} {preempted}"


def _lanes(rows: Sequence[Row], seconds: float, words: Catalog) -> Iterator[JobLane]:
    """Yield each job: from when to when it waits, and runs."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.what in _SPANS:
            found.setdefault(row.subject, []).append(row)
    for workload, its in found.items():
        spans: list[LaneSpan] = []
        for at, row in enumerate(its):
            kind, start = _SPANS[row.what], row.since / SECOND
            end = its[at + 1].since / SECOND if at + 1 < len(its) else seconds
            if spans and spans[-1].kind == kind:
                spans[-1] = LaneSpan(kind, spans[-1].start, end)
            elif end > start or at + 1 == len(its):
                spans.append(LaneSpan(kind, start, end))
        last = spans[-1].kind if spans else "waits"
        yield JobLane(
            job=workload.rpartition("/")[2],
            workload=workload,
            tone=_TONES.get(last, ""),
            text=words.text(f"session.build.lane.{last}"),
            spans=tuple(each for each in spans if each.kind != "gone"),
        )
