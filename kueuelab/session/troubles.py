"""What is wrong, as data: each mistake with its place and what to do next."""

from __future__ import annotations

from kueuelab.errors import Problem
from kueuelab.messages import Catalog
from kueuelab.session.answers import Place, Trouble

__all__ = ["trouble_of"]


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
