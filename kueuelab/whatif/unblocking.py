"""What would admit a workload while a cycle waits for ready pods: not to wait for them."""

from __future__ import annotations

from collections.abc import Callable

from kueuelab.messages import Message
from kueuelab.simulation import Player
from kueuelab.whatif.change_sets import change_set_of, proposal_of
from kueuelab.whatif.changes import carry_out
from kueuelab.whatif.configuring import BLOCK_ADMISSION, Configure
from kueuelab.whatif.obstacles import obstacles
from kueuelab.whatif.proposals import adjustment
from kueuelab.whatif.report import Report, Suggestion
from kueuelab.whatif.sandbox import Stay
from kueuelab.whatif.subject import Subject

__all__ = ["unblocking"]


def unblocking(player_now: Callable[[], Player], workload: str, until: int | None) -> Report:
    """Return what comes of no longer waiting for ready pods.

    A cycle that waits can't be copied, so that the run is played again for each trial.

    Parameters
    ----------
    player_now
        Plays the run again up to where it is asked.
    workload
        ``namespace/name``.
    until
        Up to which time to look, in nanoseconds since 1970; to the end if omitted.
    """
    before = _Played(player_now(), workload)
    found = tuple(obstacles(Subject(before.player.cluster, workload)))
    now, start = before.player.cluster.now - before.player.start, before.player.start
    limit = None if until is None else until - start
    if any(each.kind in ("finished", "admitted") for each in found):
        return Report(workload, found, (), 0, now=now, until=limit)
    before.go_on(until)
    part = adjustment("unblock", Configure({BLOCK_ADMISSION: False}))
    proposal = proposal_of(change_set_of(part))
    after = _Played(player_now(), workload)
    after.player.intervene()
    for change in proposal.changes:
        carry_out(after.player, change)
    after.go_on(until)
    suggestions: tuple[Suggestion, ...] = ()
    if before.since is not None:
        wait = Message("whatif.report.wait")
        suggestions = (Suggestion("wait", wait, (), size=0.0, time=before.since - start),)
    if after.since is not None and (before.since is None or after.since < before.since):
        evicts = tuple(each for each in after.evicted if each not in before.evicted)
        time = after.since - start
        suggestions = (
            *suggestions,
            Suggestion(proposal.kind, proposal.text, proposal.changes, evicts, time=time),
        )
    return Report(workload, found, suggestions, 1, now=now, until=limit)


class _Played:
    """A run that goes on from where it stands.

    Attributes
    ----------
    since
        From when on the workload holds quota that it keeps, ``None`` if it does not.
    evicted
        The other workloads that are evicted, in order.
    """

    def __init__(self, player: Player, workload: str) -> None:
        self.player = player
        self.since: int | None = None
        self.evicted: tuple[str, ...] = ()
        self._workload = workload

    def go_on(self, until: int | None) -> None:
        """Play to the end, or up to a time."""
        events = self.player.cluster.events
        known, stay = len(events), Stay(self._workload)
        for now in self.player.instants(until):
            stay.look(self.player, now)
            if stay.is_over:
                break
        self.since = stay.since
        others = (event for event in events[known:] if event.object != self._workload)
        gone = (each.object for each in others if each.reason.startswith("EvictedDueTo"))
        self.evicted = tuple(dict.fromkeys(gone))
