"""A scenario that takes a while."""

from __future__ import annotations

from kueuelab import scenarios


def long_scenario(count: int) -> str:
    """Return a scenario that takes a while."""
    before, mark, _ = scenarios.text("reclaim-1-take-back").partition("  timeline:\n")
    assert mark
    jobs = (
        f"  - {{at: {number}s, submit: {{job: large-{number}, queue: team-a-jobs,"
        " requests: {cpu: 100m}, runs: 50s}}"
        for number in range(count)
    )
    return "\n".join([before + mark.rstrip(), *jobs, ""])
