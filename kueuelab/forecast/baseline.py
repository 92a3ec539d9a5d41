"""The cluster that jobs are submitted to: a dump or a scenario, where it stands at a moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from copy import copy
from functools import cached_property
from typing import Final

from kueuelab.collector import without_collection
from kueuelab.errors import InputError, Problem
from kueuelab.manifests.scenario import Action
from kueuelab.messages import Message
from kueuelab.model.times import SECOND, from_seconds
from kueuelab.simulation import Loop, Player
from kueuelab.simulation.player import DEFAULT_START
from kueuelab.trace import Trace
from kueuelab.trace.recorder import Recorder
from kueuelab.whatif.changes import carry_out
from kueuelab.whatif.copies import Copies
from kueuelab.whatif.lab import Lab
from kueuelab.whatif.moments import moment_of
from kueuelab.whatif.replay import replay

__all__ = ["Baseline", "Baselines"]

#: A larger cluster is not recorded: that takes several times as long as to simulate it.
_MOST_RECORDED: Final = 2_000
#: So many cycles are run after jobs are submitted to a large cluster that never comes to rest:
#: one looks at the head of each ClusterQueue.
_CYCLES_IN_A_LOOP: Final = 1


class Baseline:
    """A cluster at a moment, at rest, ready to take jobs.

    The decisions that Kueue was about to take are taken first; and once jobs are submitted to it,
    it is no longer what it was: each answer needs another one, which :class:`Baselines` lend.

    Parameters
    ----------
    lab
        A dump or a scenario. It is left as it is.
    at
        When, after its start (``"90s"``, or seconds). By default one second after the last action
        of its timeline and the last change of its branches, or after the newest time in a dump:
        creation times have no fractions of a second, and what is submitted now comes after all that
        is there.

    Attributes
    ----------
    player
        The run as it stands.
    loop
        What keeps the cluster from coming to rest, if anything does: preemptions without end.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> baseline = Baseline(scenarios.load("reclaim-1-take-back"))
    >>> sorted(baseline.player.cluster.workloads)
    ['default/job-0', 'default/job-1', 'default/job-2']
    """

    def __init__(self, lab: Lab, at: float | str | None = None) -> None:
        self.lab = lab
        self.spec = lab.spec
        if self.spec.workers:
            hint = Message("forecast.several-clusters.hint")
            raise InputError(Problem(Message("forecast.several-clusters"), hint=hint))
        after = _last_action(lab) + SECOND if at is None else moment_of(at)
        self._recorder = Recorder() if _is_recorded(lab) else None
        with without_collection(circles=False):
            self.player = self._played(after)
            # What is due at that time, too.
            next(self.player.instants(self.now))
        #: What keeps it from coming to rest: workloads that preempt each other again and again.
        self.loop: Loop | None = self.player.loop

    def _played(self, after: int) -> Player:
        seconds = after / SECOND
        if self._recorder is not None:
            return replay(self.spec, self.lab.branches, self._recorder, seconds)[0]
        player = Player(self.spec)
        player.play(player.start + from_seconds(seconds))
        return player

    @property
    def now(self) -> int:
        """The time, in nanoseconds since 1970."""
        return self.player.cluster.now

    @property
    def age(self) -> int:
        """The time since the start, in nanoseconds."""
        return self.now - self.player.start

    @property
    def trace(self) -> Trace | None:
        """The record so far; ``None`` of a cluster that is too large to record."""
        return None if self._recorder is None else Trace.of(self._recorder, self.spec.name)

    def submit(self, actions: Iterable[Action]) -> None:
        """Submit jobs, and let everything happen that follows at this instant."""
        with without_collection(circles=False):
            self.player.intervene()
            for action in actions:
                carry_out(self.player, action)
            if self.loop is not None and self._recorder is None:
                self.player.on_pause = _Patience().end
            with suppress(_EnoughError):
                next(self.player.instants(self.now))
            self.player.on_pause = None


class Baselines:
    """Baselines of one cluster at one moment: each trial of jobs is lent one.

    A large cluster is brought to rest once, and then copied, which takes a tenth of the time.

    Parameters
    ----------
    lab, at
        As of :class:`Baseline`.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> with Baselines(scenarios.load("reclaim-1-take-back")).lend() as baseline:
    ...     len(baseline.player.cluster.workloads)
    3
    """

    def __init__(self, lab: Lab, at: float | str | None = None) -> None:
        self._lab, self._at = lab, at

    @contextmanager
    def lend(self) -> Iterator[Baseline]:
        """Lend one, which takes jobs."""
        if _is_recorded(self._lab):
            yield Baseline(self._lab, self._at)
            return
        at_rest, copies = self._at_rest
        with copies.lend() as player:
            lent = copy(at_rest)
            lent.player = player
            yield lent

    @cached_property
    def _at_rest(self) -> tuple[Baseline, Copies]:
        baseline = Baseline(self._lab, self._at)
        return baseline, Copies(baseline.player)


def _is_recorded(lab: Lab) -> bool:
    return len(lab.spec.manifests.workloads) <= _MOST_RECORDED or bool(lab.branches)


def _last_action(lab: Lab) -> int:
    """Return when the last action is, or the last change of a branch, since the start (ns)."""
    start = DEFAULT_START if lab.spec.start is None else lab.spec.start
    actions = [action.at for action in lab.spec.timeline]
    return max([0, *actions, *(branch.time - start for branch in lab.branches)])


class _EnoughError(Exception):
    """So many cycles were run in a cluster that never comes to rest."""


class _Patience:
    """How many cycles are run in a cluster that never comes to rest."""

    def __init__(self) -> None:
        self._left = _CYCLES_IN_A_LOOP

    def end(self) -> bool:
        """End the instant after some cycles; nothing is changed."""
        if not self._left:
            raise _EnoughError
        self._left -= 1
        return False
