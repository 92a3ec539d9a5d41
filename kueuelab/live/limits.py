"""What a real cluster does differently from the lab in a scenario; said before the run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.live.expected_course import timers_in
from kueuelab.live.requests import has_nodes
from kueuelab.live.retiming import submissions
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Action, Apply, Remove
from kueuelab.messages import Message
from kueuelab.model import Node
from kueuelab.model.times import SECOND

__all__ = ["limits_of", "require_time"]

#: How many jobs a note names.
_NAMED: Final = 4


def limits_of(spec: ScenarioSpec, speed: float) -> Iterator[str]:
    """Yield what a cluster can't do as the lab does it, a sentence each.

    Parameters
    ----------
    spec
        The scenario.
    speed
        How many seconds of the scenario pass in one.

    Examples
    --------
    >>> list(limits_of(ScenarioSpec(), 1.0))
    []
    """
    instants: dict[int, list[str]] = defaultdict(list)
    for workload, at in submissions(spec):
        instants[at].append(workload.key)
    for at, keys in sorted(instants.items()):
        if len(keys) > 1:
            named = ", ".join(keys[:_NAMED]) + (", ..." if keys[_NAMED:] else "")
            yield Message(
                "live.limit.one-instant", count=len(keys), at=f"{at / SECOND:g}", named=named
            )
    if has_nodes(spec) or any(has_nodes(spec, each.name) for each in spec.workers):
        yield Message("live.limit.fake-nodes")
        if any(_is_about_nodes(action) for action in spec.timeline):
            yield Message("live.limit.failed-nodes")
        if any(each.ranks is not None for each in spec.expect):
            yield Message("live.limit.ranks")
    if speed != 1 and (timers := list(timers_in(spec))):
        yield Message("live.limit.timers", speed=f"{speed:g}", timers=", ".join(timers))


def _is_about_nodes(action: Action) -> bool:
    match action:
        case Apply(objects=objects):
            return any(isinstance(each, Node) for each in objects)
        case Remove(kind=kind):
            return kind == "Node"
        case _:
            return False


def require_time(spec: ScenarioSpec, seconds: float, speed: float) -> None:
    """Refuse a scenario whose timeline takes longer than a run may.

    Raises
    ------
    InputError
        If it does.
    """
    needed = spec.end / speed / SECOND
    if needed > seconds:
        text = Message("live.limit.too-long", needed=f"{needed:g}", seconds=f"{seconds:g}")
        hint = Message("live.limit.too-long.hint", needed=f"{needed + 60:.0f}")
        raise InputError(Problem(text, object=f"Scenario/{spec.name}", hint=hint))
