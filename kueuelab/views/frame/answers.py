"""Answers to what a view of frames asks the kernel: chunks, moves, explanations, names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.frontend.plotly_source import plotly_source
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.explain import why
from kueuelab.trace.names import qualified, short_name
from kueuelab.trace.step_text import step_text
from kueuelab.views.frame.document import Document
from kueuelab.views.frame.multikueue_document import MultiKueueDocument
from kueuelab.views.frame.whys import explanation_data
from kueuelab.views.merge_patch import Json

__all__ = ["answer"]

#: How many names are found at once.
_MOST_FOUND: Final = 50
#: Decisions of a page.
_DECISIONS: Final = 100


def answer(document: Document, question: Mapping[str, Any]) -> Json:
    """Return the answer to a question; empty if it is not understood.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> document = Document(scenarios.load("reclaim-1-take-back").run())
    >>> answer(document, {"ask": "find", "text": "job-2"})
    {'found': ['default/job-2']}
    >>> answer(document, {"ask": "move", "from": 20, "event": "preempted", "direction": 1})
    {'step': 63}
    >>> answer(document, {"ask": "move", "from": 90, "event": "preempted", "direction": 1})
    {'step': -1}
    """
    known = _ANSWERS.get(str(question.get("ask")))
    return known(document, question) if known else {}


def _chunk(document: Document, question: Mapping[str, Any]) -> Json:
    number = int(question["number"])
    return document.chunk(number) if 0 <= number < document.count else {}


def _move(document: Document, question: Mapping[str, Any]) -> Json:
    trace, start = document.trace, int(question["from"])
    forward = int(question.get("direction", 1)) > 0
    if "by" in question:
        condition = Breakpoint.kind(*document.moves.get(str(question["by"]), ()))
    else:
        try:
            condition = _condition(question)
        except (UnknownObjectError, re.error):
            return {"step": -1}
    range_ = (start + 1, len(trace)) if forward else (0, start)
    places: Sequence[int] = condition.places(trace, *range_)
    order: Iterator[int] = iter(places) if forward else reversed(places)
    return {"step": next((index for index in order if condition(trace[index])), -1)}


def _condition(question: Mapping[str, Any]) -> Breakpoint:
    """Return the breakpoint of a question: all that it names has to hold."""
    found = [
        make(str(question[name]))
        for name, make in (
            ("workload", Breakpoint.workload),
            ("queue", Breakpoint.queue),
            ("event", Breakpoint.event),
            ("message", Breakpoint.message),
        )
        if question.get(name)
    ]
    condition = found[0] if found else Breakpoint.kind()
    for each in found[1:]:
        condition = condition & each
    return condition


def _why(document: Document, question: Mapping[str, Any]) -> Json:
    try:
        found = why(
            document.trace,
            str(question["workload"]),
            int(question["step"]),
            document.run_index.words.catalog,
        )
    except UnknownObjectError:
        return {}
    return explanation_data(found)


def _find(document: Document, question: Mapping[str, Any]) -> Json:
    text = str(question.get("text", "")).lower()
    names = (name for name in document.workloads() if text in name.lower())
    return {"found": list(islice(names, _MOST_FOUND))}


def _decisions(document: Document, question: Mapping[str, Any]) -> Json:
    """Return some decisions: from one on, or those around a step, and where in all of them."""
    trace, known = document.trace, document.run_index.decisions
    found = known.of(list(map(str, question.get("outcomes", ()))))
    at = known.last(found, int(question.get("step", -1)))
    number = max(0, int(question.get("page", at // _DECISIONS)))
    first = number * _DECISIONS
    page = found[first : first + _DECISIONS]
    catalog = document.run_index.words.catalog
    rows = []
    for each in page:
        step = trace[each.step]
        job = qualified(step.cluster, short_name(step.workload))
        rows.append([each.step, step.cycle, each.outcome, job, step_text(step, catalog)])
    return {
        "page": number,
        "of": _DECISIONS,
        "found": len(found),
        "counts": dict(known.counts),
        "rows": rows,
        # The steps for which this page has the last decision.
        "from": page[0].step if page else 0,
        "to": found[first + _DECISIONS].step if first + _DECISIONS < len(found) else len(trace),
    }


def _timeline(document: Document, _: Mapping[str, Any]) -> Json:
    return document.timeline()


def _placement(document: Document, question: Mapping[str, Any]) -> Json:
    if not isinstance(document, MultiKueueDocument):
        return {"lines": {}}
    return {"lines": document.placement(int(question["step"]), str(question["workload"]))}


def _sequence(document: Document, question: Mapping[str, Any]) -> Json:
    if not isinstance(document, MultiKueueDocument):
        return {}
    try:
        return {"sequence": document.sequence(str(question["workload"]))}
    except UnknownObjectError:
        return {}


def _plotly(_: Document, __: Mapping[str, Any]) -> Json:
    """Return plotly as the browser runs it; empty if it is not installed."""
    source = plotly_source()
    return {"source": source} if source else {}


_ANSWERS: Final[Mapping[str, Callable[[Document, Mapping[str, Any]], Json]]] = MappingProxyType(
    {
        "chunk": _chunk,
        "move": _move,
        "why": _why,
        "find": _find,
        "decisions": _decisions,
        "timeline": _timeline,
        "placement": _placement,
        "sequence": _sequence,
        "plotly": _plotly,
    }
)
