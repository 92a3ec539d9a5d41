"""Errors as data: what is wrong, where, and what to do next."""

from __future__ import annotations

from typing import Final

from kueuelab.errors import InputError, KueueLabError, Problem
from kueuelab.messages import Catalog
from kueuelab.session.answers import Failure, Place, Trouble

__all__ = ["failure_of", "trouble_of"]

_MOST_PROBLEMS: Final = 20


def failure_of(error: KueueLabError, words: Catalog) -> Failure:
    """Return an error as data: what is wrong, where, and what to do next.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> failure_of(KueueLabError("it is closed", hint="Open it"), english()).problems[0].hint
    'Open it'
    """
    problems = error.problems if isinstance(error, InputError) else (error.problem,)
    shown = tuple(trouble_of(each, words) for each in problems[:_MOST_PROBLEMS])
    message = shown[0].message
    if len(problems) > 1:
        message = words.text("errors.problems", count=len(problems)).rstrip(":")
    return Failure(message, shown, len(problems) - len(shown))


def trouble_of(problem: Problem, words: Catalog) -> Trouble:
    """Return one mistake as data.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> trouble_of(Problem("it is closed", hint="Open it"), english()).hint
    'Open it'
    """
    where = problem.location
    place = None if where is None else Place(where.file, where.line, where.column)
    return Trouble(
        words.render(problem.message),
        words.render(problem.object),
        problem.field,
        words.render(problem.hint),
        place,
    )
