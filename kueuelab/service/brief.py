"""Answers as short texts with the numbers: what an assistant reads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any, Final

from kueuelab.messages import Catalog
from kueuelab.service.answers import (
    LeversWithCosts,
    ManifestsLinted,
    PendingFound,
    TryFound,
    WhyFound,
)
from kueuelab.session.answers import Comparison, Failure, LeverCost, LintPage, Trouble

__all__ = ["brief"]

#: So many workloads, causes or levers have a line each.
_MOST_LINES: Final = 10


def brief(answer: Any, words: Catalog) -> str:
    """Return an answer as a short text.

    Parameters
    ----------
    answer
        The answer to a request.
    words
        The language.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> brief(Comparison("Nothing differs.", (), None, None, (), 0, ()), english())
    'Nothing differs.'
    """
    return "\n".join(line for line in _lines(answer, words) if line)


@singledispatch
def _lines(answer: Any, words: Catalog) -> Iterator[str]:
    raise TypeError(f"there is no text of {answer!r}")


@_lines.register
def _of_try(answer: TryFound, _: Catalog) -> Iterator[str]:
    yield answer.text


@_lines.register
def _of_pending(answer: PendingFound, words: Catalog) -> Iterator[str]:
    yield answer.sentence
    for cause in answer.causes[:_MOST_LINES]:
        yield words.text("service.brief.pending.cause", count=cause.count, title=cause.title)
    shown = answer.workloads[:_MOST_LINES]
    for each in shown:
        yield words.text(
            "service.brief.pending.workload",
            position=each.position,
            workload=each.workload,
            queue=each.cluster_queue or each.local_queue,
            priority=each.priority,
            age=each.age,
            why=each.why,
        )
    if more := answer.found - answer.start - len(shown):
        yield words.text("service.brief.pending.more", count=more)


@_lines.register
def _of_why(answer: WhyFound, words: Catalog) -> Iterator[str]:
    found = answer.details
    yield f"{found.workload}: {found.about}"
    yield found.sentence
    yield found.detail
    for each in found.arithmetic:
        yield words.text(
            "service.brief.why.arithmetic",
            resource=each.resource,
            flavor=each.flavor,
            requested=each.requested.text,
            available=each.available.text,
            nominal=each.nominal.text,
            verdict=each.verdict,
        )
    if found.message:
        yield words.text("service.brief.why.kueue", message=found.message)


@_lines.register
def _of_levers(answer: LeversWithCosts, words: Catalog) -> Iterator[str]:
    costs = {each.lever: each for each in answer.costs}
    yield from answer.found.obstacles
    for lever in answer.found.levers[:_MOST_LINES]:
        values = {"number": lever.number + 1, "text": lever.text, "cost": lever.cost}
        yield words.text("service.brief.lever", **values)
        if cost := costs.get(lever.number):
            yield from _of_cost(cost, words)
    yield answer.found.note


def _of_cost(cost: LeverCost, words: Catalog) -> Iterator[str]:
    for part in cost.parts:
        items = words.separated([f"{each.name} ({each.text})" for each in part.items])
        yield words.text("service.brief.lever.cost", title=part.title, items=items)
    if cost.note:
        yield f"   {cost.note}"


@_lines.register
def _of_lint(answer: LintPage, words: Catalog) -> Iterator[str]:
    yield answer.sentence
    for each in answer.findings:
        yield words.text(
            "service.brief.lint.finding",
            level=each.level,
            rule=each.rule,
            name=each.name,
            object=each.object,
            text=each.text,
            fix=each.fix,
        )


@_lines.register
def _of_linted_manifests(answer: ManifestsLinted, words: Catalog) -> Iterator[str]:
    yield from map(_problem, answer.problems)
    yield from _of_lint(answer.page, words)


@_lines.register
def _of_comparison(answer: Comparison, words: Catalog) -> Iterator[str]:
    yield answer.sentence
    yield from answer.first
    for each in answer.workloads[:_MOST_LINES]:
        yield words.text(
            "service.brief.compare.workload",
            workload=each.workload,
            before=each.before,
            after=each.after,
        )
    yield from answer.queues[:_MOST_LINES]


@_lines.register
def _of_failure(answer: Failure, _: Catalog) -> Iterator[str]:
    yield from map(_problem, answer.problems)
    if not answer.problems:
        yield answer.message


def _problem(problem: Trouble) -> str:
    place = "" if problem.place is None else f"{problem.place.file}:{problem.place.line}"
    about = (place, problem.object, problem.field, problem.message, problem.hint)
    return ": ".join(filter(None, about))
