"""Rules that `kueuelab validate --advise` has, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kueuelab.lint.rule import Found
from kueuelab.lint.subject import Subject
from kueuelab.messages import Message
from kueuelab.whatif.advice.finding import Finding
from kueuelab.whatif.advice.setting import Setting

__all__ = ["advised"]


def advised(rule: Callable[[Setting], Iterator[Finding]]) -> Callable[[Subject], Iterator[Found]]:
    """Return the check of a rule that finds what a piece of advice is about."""

    def check(subject: Subject) -> Iterator[Found]:
        for each in rule(subject.setting):
            text = Message("lint.advised", what=each.what, why=each.why)
            yield Found(each.object, each.field, text=text, fix=each.do)

    return check
