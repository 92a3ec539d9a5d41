"""Rules that `kueuelab validate --advise` has, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kueuelab.lint.rule import Edit, Found
from kueuelab.lint.subject import Subject
from kueuelab.messages import Message
from kueuelab.whatif.advice.finding import Finding
from kueuelab.whatif.advice.setting import Setting

__all__ = ["advised", "found_by_advice"]


def advised(
    rule: Callable[[Setting], Iterator[Finding]], value: Any = None
) -> Callable[[Subject], Iterator[Found]]:
    """Return the check of a rule that finds what a piece of advice is about.

    Parameters
    ----------
    rule
        The advice.
    value
        What the field gets that the advice is about, if one value is right for all.
    """

    def check(subject: Subject) -> Iterator[Found]:
        for each in rule(subject.setting):
            yield found_by_advice(each, value)

    return check


def found_by_advice(advice: Finding, value: Any = None) -> Found:
    """Return what a piece of advice is about; a name that is meant is written."""
    text = Message("lint.advised", what=advice.what, why=advice.why)
    if value is None and isinstance(advice.do, Message):
        value = advice.do.values.get("name", advice.do.values.get("other"))
    edits = () if value is None else (Edit(advice.field, value),)
    return Found(advice.object, advice.field, text=text, fix=advice.do, edits=edits)
