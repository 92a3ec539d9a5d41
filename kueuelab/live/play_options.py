"""How a scenario is played on clusters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

from kueuelab.live.configuring import KueueConfigurer
from kueuelab.live.job_player import JobsMode

__all__ = ["PlayOptions", "PlayProgress", "PlaySettings"]


@dataclass(frozen=True, slots=True)
class PlayProgress:
    """How far a scenario is.

    Attributes
    ----------
    elapsed
        For how many seconds it has been played.
    expected
        How many it takes, as the lab says.
    waiting_for
        What is waited for, once the timeline is over.
    """

    elapsed: float
    expected: float
    waiting_for: tuple[str, ...] = ()


class PlaySettings(TypedDict, total=False):
    """Keywords of :func:`kueuelab.live.playing.play` that change how a scenario is played.

    Attributes
    ----------
    seconds
        How long it may take; then it is ended even if jobs still run.
    jobs
        Whether jobs run as pods, or kueuelab writes their status.
    speed
        How many seconds of the scenario pass in one real second; ``None`` is a speed that suits.
    to_the_end
        Whether it goes on after all was judged that is expected, until nothing is left to happen.
    rounds
        How many rounds of a loop are followed that the lab finds.
    patience
        How many seconds an API server may be unavailable, and the removal of objects may take.
    configurer
        Gives Kueue the Configuration of the scenario, where kueuelab created the cluster.
    tell
        Called with a sentence for each action.
    watch
        Called with how far it is, many times a second.
    """

    seconds: float
    jobs: JobsMode
    speed: float | None
    to_the_end: bool
    rounds: int
    patience: float
    configurer: KueueConfigurer
    tell: Callable[[str], None]
    watch: Callable[[PlayProgress], None]


class PlayOptions(PlaySettings, total=False):
    """All keywords of :func:`kueuelab.live.playing.play`, which has their defaults.

    Attributes
    ----------
    keep
        Whether to keep the state that each decision was made from.
    """

    keep: bool
