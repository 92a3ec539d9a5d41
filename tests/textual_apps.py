"""Waiting for what an app in a terminal shows."""

from __future__ import annotations

from collections.abc import Callable

from textual.pilot import Pilot

__all__ = ["until"]


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    """Wait for a state; what never comes is a failure."""
    for _ in range(3000):
        if condition():
            return
        await pilot.pause(0.01)
    raise AssertionError("it never comes")
