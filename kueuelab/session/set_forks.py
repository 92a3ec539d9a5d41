"""Forks of runs with several clusters: an object of one of them is edited, a lever is tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuelab.errors import NotModelledError
from kueuelab.messages import Message, listed
from kueuelab.model import ModelObject
from kueuelab.multikueue import ClusterSetRun
from kueuelab.session.member_run import MemberRun
from kueuelab.session.session import ClusterSetBranch, Session
from kueuelab.whatif.clusters import MultiKueueFork, MultiKueueRun
from kueuelab.whatif.report import Suggestion

__all__ = ["end_of_set", "member_objects", "set_edited", "set_lever_fork"]


def _forked(run: ClusterSetRun, at: int | None = None) -> MultiKueueFork:
    """Return a fork of a run, at its start (0) or its end.

    Raises
    ------
    NotModelledError
        If it is the record of a run alone.
    """
    if not isinstance(run, MultiKueueRun):
        hint = Message("session.clusters.levers.hint")
        raise NotModelledError(Message("session.clusters.fork"), hint=hint)
    return run.fork(at)


def member_objects(branch: ClusterSetBranch, cluster: str) -> tuple[ModelObject, ...]:
    """Return the objects of one of several clusters at the start.

    Raises
    ------
    NotModelledError
        If it is the record of a run alone.

    Examples
    --------
    >>> branch = Session().opened("lost-worker").cluster_sets[0]
    >>> {type(each).__name__ for each in member_objects(branch, "w1")} >= {"ClusterQueue"}
    True
    """
    return _forked(branch.run, 0).objects(cluster)


def set_edited(
    session: Session, branch: ClusterSetBranch, cluster: str, name: str, values: Mapping[str, Any]
) -> Session:
    """Fork a run at its start with an object of one cluster edited, and run the fork."""
    fork = _forked(branch.run, 0).edit(name, values, cluster=cluster)
    title = f"{branch.name}: {name.partition('/')[2]} {cluster}"
    return session.set_kept(branch.name, title, listed(fork.texts), fork.run())


def set_lever_fork(run: MemberRun, lever: Suggestion) -> MultiKueueFork:
    """Return a fork of all clusters at the end of their run, with a lever of one of them."""
    return _forked(run.whole).change(*lever.changes, cluster=lever.cluster)


def end_of_set(branch: ClusterSetBranch) -> MultiKueueFork:
    """Return a fork of all clusters at the end of their run, without a change.

    Raises
    ------
    NotModelledError
        If it is the record of a run alone.
    """
    return _forked(branch.run)
