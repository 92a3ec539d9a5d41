"""What is served: a scenario or a dump, which stays as it is, or a cluster that is followed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from kueuelab.errors import InputError, KueueLabError, Problem
from kueuelab.forecast import Baselines
from kueuelab.messages import Message
from kueuelab.session.session import Branch, Session
from kueuelab.whatif.lab import Lab

if TYPE_CHECKING:
    from kueuelab.live.following import Following

__all__ = ["FileCluster", "FollowedCluster", "ServedCluster", "Source", "State", "open_source"]

#: How many seconds pass at least until the state of a cluster is taken again.
_EVERY: Final = 2.0


@dataclass(frozen=True, slots=True)
class Source:
    """What is served.

    Attributes
    ----------
    file
        A file or folder, or the name of a packaged scenario or dump.
    context
        In its place: the context of the kubeconfig whose cluster is followed; ``""`` is the
        current one, or that of the pod.
    """

    file: str = ""
    context: str = ""


class State:
    """What is served, at one moment.

    Parameters
    ----------
    lab
        It as a scenario, to submit jobs to.
    run
        Decides it: with a large cluster, that takes far longer than to submit a job.
    """

    def __init__(self, lab: Lab, run: Callable[[], Branch]) -> None:
        self.lab, self._run = lab, run

    @cached_property
    def baselines(self) -> Baselines:
        """It at rest, lent to each trial."""
        return Baselines(self.lab)

    @cached_property
    def session(self) -> Session:
        """The run of it, as the one branch of a session."""
        return Session((self._run(),))


class ServedCluster(Protocol):
    """Something whose state is asked for."""

    def state(self) -> State:
        """Return the state: the same one until it changes."""

    def close(self) -> None:
        """End what follows it."""


class FileCluster:
    """A scenario or a dump.

    Parameters
    ----------
    file
        A file or folder, or the name of a packaged scenario or dump.

    Raises
    ------
    InputError
        If it cannot be read, or has several clusters.

    Examples
    --------
    >>> FileCluster("two-teams").state().session.names
    ('two-teams',)
    """

    def __init__(self, file: str) -> None:
        session = Session().opened(file)
        if not session.branches:
            hint = Message("service.several-clusters.hint")
            raise InputError(Problem(Message("service.several-clusters", file=file), hint=hint))
        (branch,) = session.branches
        self._state = State(branch.run.fork(0).lab, lambda: branch)

    def state(self) -> State:
        """Return the run of it."""
        return self._state

    def close(self) -> None:
        """Do nothing: nothing follows a file."""


class FollowedCluster:
    """A cluster behind a context, followed by watches; nothing is written to it.

    Parameters
    ----------
    connect
        Follows it. What fails is followed anew with the next question.
    clock
        Seconds that pass.

    Raises
    ------
    LiveError
        If it cannot be read.
    """

    def __init__(
        self, connect: Callable[[], Following], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._connect, self._clock = connect, clock
        self._following: Following | None = connect()
        self._state: State | None = None
        self._judged = -1
        self._taken_at = 0.0

    def state(self) -> State:
        """Return the state, at most two seconds old.

        Raises
        ------
        LiveError
            If it cannot be read any longer.
        """
        now = self._clock()
        if self._state is not None and now - self._taken_at < _EVERY:
            return self._state
        following = self._caught_up()
        if self._state is None or following.judged != self._judged:
            self._judged = following.judged
            name, lab = following.context, following.fork()
            self._state = State(lab, lambda: Branch(name, lab.run(until=0)))
        self._taken_at = now
        return self._state

    def close(self) -> None:
        """End its watches."""
        if self._following is not None:
            self._following.close()
            self._following = None

    def _caught_up(self) -> Following:
        if self._following is not None:
            try:
                self._following.catch_up()
                return self._following
            except KueueLabError:
                with suppress(KueueLabError):
                    self.close()
                self._following = None
        self._state = None
        self._following = self._connect()
        return self._following


def open_source(source: Source) -> ServedCluster:
    """Open what is served.

    Raises
    ------
    KueueLabError
        If it cannot be read.
    """
    if source.file:
        return FileCluster(source.file)
    from kueuelab.live.following import connect

    return FollowedCluster(lambda: connect(source.context))
