"""A patch as text, and whether it gives what it was made for: it is applied, and compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import yaml

from kueuelab.messages import Catalog
from kueuelab.session.answers import PatchText
from kueuelab.session.patch import Patch, patch_between
from kueuelab.session.session import Session
from kueuelab.session.set_forks import end_of_set

__all__ = ["patch_text"]

#: So many objects that a patch does not give are named.
_MOST_NAMES: Final = 3


def patch_text(session: Session, before: str, after: str, words: Catalog) -> PatchText:
    """Return the patch between two branches, or between the same cluster of two sets of clusters.

    The text of the patch is applied to the branch before it, as ``kubectl apply`` would, and the
    objects are compared with those of the branch after it.

    Parameters
    ----------
    session
        What is open.
    before, after
        The branches; of several clusters ``BRANCH/CLUSTER``.
    words
        The language.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> session = Session().opened("two-teams")
    >>> report = session["two-teams"].run.what_would_admit("team-b/job-b-cpu-2-71f14")
    >>> session = session.tried("two-teams", report[0])
    >>> patch_text(session, "two-teams", session.last, english()).check
    'Checked: applied to two-teams, it gives the objects of two-teams: quota.'
    """
    one, other = session.member(before), session.member(after)
    if one is not None and other is not None:
        cluster = other[1]
        start, end = end_of_set(one[0]), end_of_set(other[0]).objects(cluster)
        patch = patch_between(start.objects(cluster), end)
        text = patch.as_text(words)
        applied = start.apply(text, cluster=cluster).objects(cluster) if patch.manifests else ()
    else:
        patch = session.patch(before, after)
        text, end = patch.as_text(words), session[after].run.fork().objects()
        fork = session[before].run.fork()
        applied = fork.apply(text).objects() if patch.manifests else ()
    rest = patch_between(applied, end).manifests if patch.manifests else ()
    check = _check(patch, rest, before, after, words) if patch.manifests else ""
    return PatchText(_file(after), text, len(patch.manifests), check, not rest)


def _check(patch: Patch, rest: Sequence[str], before: str, after: str, words: Catalog) -> str:
    """Return what applying the patch gives, by the manifests that differ then."""
    values = {"before": before, "after": after}
    if rest:
        found = [yaml.safe_load(each) for each in rest[:_MOST_NAMES]]
        names = [f"{each['kind']}/{each['metadata']['name']}" for each in found]
        return words.text("session.patch.differs", **values, objects=words.join(names))
    form = "partly" if patch.deleted or patch.left_out else "checked"
    return words.text(f"session.patch.{form}", **values)


def _file(branch: str) -> str:
    name = "".join(each if each.isalnum() else "-" for each in branch).strip("-")
    return f"{name}.yaml"
