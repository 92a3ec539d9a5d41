"""What changes for an input with another release of Kueue: what to change, decisions, causes."""

from __future__ import annotations

from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.messages import Catalog, Message
from kueuelab.model import RELEASE, RELEASES, release_named
from kueuelab.session.answers import UpgradeFound
from kueuelab.session.opened_input import OpenedInput
from kueuelab.whatif.upgrade import upgrade

__all__ = ["upgrade_found"]

_MOST_LINES: Final = 50


def upgrade_found(
    source: OpenedInput | None, before: str, after: str, words: Catalog
) -> UpgradeFound:
    """Run an input under two releases, and return what differs.

    Parameters
    ----------
    source
        What was opened.
    before, after
        The releases; by default the first one that is known, and the one that decides here.

    Raises
    ------
    InputError
        If it was not read from a file or a text.
    UnknownObjectError
        If there is no such release.
    """
    if source is None:
        raise InputError(Problem(Message("session.upgrade.no-input")))
    one = release_named(before or next(iter(RELEASES)))
    other = release_named(after or RELEASE.version)
    found = upgrade(source.spec, one, other, words)
    return UpgradeFound(
        releases=tuple(RELEASES),
        before=one.version,
        after=other.version,
        sentence=words.text(f"session.upgrade.{'safe' if found.is_safe else 'differs'}"),
        required=tuple(words.render(each.text) for each in found.refused),
        objects=(*found.objects, *found.rejected)[:_MOST_LINES],
        gates=tuple(words.render(each.text) for each in found.notable)[:_MOST_LINES],
        first=tuple(line.strip() for line in found.decisions.first_lines),
        workloads=len(found.decisions.ends),
        causes=found.causes,
        fixed=found.fixed[:_MOST_LINES],
        brought=found.brought[:_MOST_LINES],
    )
