"""How a scenario is played on clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from kueuelab.live.configuring import KueueConfigurer
from kueuelab.live.job_player import JobsMode

__all__ = ["PlayOptions"]


class PlayOptions(TypedDict, total=False):
    """Keywords of :func:`kueuelab.live.playing.play`, which has their defaults.

    Attributes
    ----------
    seconds
        How long it may take; then it is ended even if jobs still run.
    jobs
        Whether jobs run as pods, or kueuelab writes their status.
    speed
        How many seconds of the scenario pass in one real second.
    patience
        How many seconds an API server may be unavailable, and the removal of objects may take.
    keep
        Whether to keep the state that each decision was made from.
    configurer
        Gives Kueue the Configuration of the scenario, where kueuelab created the cluster.
    tell
        Called with a sentence for each action.
    """

    seconds: float
    jobs: JobsMode
    speed: float
    patience: float
    keep: bool
    configurer: KueueConfigurer
    tell: Callable[[str], None]
