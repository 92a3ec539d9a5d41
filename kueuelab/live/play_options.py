"""How a scenario is played on clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from kueuelab.live.job_player import JobsMode

__all__ = ["PlayOptions", "PlaySettings"]


class PlaySettings(TypedDict, total=False):
    """Keywords of :func:`kueuelab.live.playing.play` that change how a scenario is played.

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
    tell
        Called with a sentence for each action.
    """

    seconds: float
    jobs: JobsMode
    speed: float
    patience: float
    tell: Callable[[str], None]


class PlayOptions(PlaySettings, total=False):
    """All keywords of :func:`kueuelab.live.playing.play`, which has their defaults.

    Attributes
    ----------
    keep
        Whether to keep the state that each decision was made from.
    """

    keep: bool
