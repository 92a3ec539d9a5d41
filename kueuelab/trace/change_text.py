"""What a step changed in the visible state, as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from kueuelab.trace.changes import parts_of
from kueuelab.trace.names import short_name
from kueuelab.trace.step import Change, Step
from kueuelab.trace.wording import MessageParts, amount_text

__all__ = ["change_lines"]

#: More changes than these are counted.
_MOST: Final = 6
_PLACES: Final = {"active": "active", "inflight": "inflight", "inadmissible": "inadmissible"}


def change_lines(step: Step, in_cycle: bool, words: MessageParts) -> list[str]:
    """Return what a step changed, a sentence for each value; empty if that is nothing.

    Parameters
    ----------
    step
        The step.
    in_cycle
        Whether it is a part of a scheduling cycle: usage is then that of the cycle's snapshot.
    words
        The language.

    Examples
    --------
    >>> from kueuelab.trace import steps
    >>> change = Change(("clusterQueues", "team-a", "usage", "default", "cpu"), 0, 500)
    >>> held = steps.QuotaHeld((("default", "cpu", 500),), "fits")
    >>> change_lines(Step(7, 0, 1, "default/a", "team-a", held, (change,)), True, MessageParts())
    ['team-a: 0 → 500m cpu/default in the snapshot']
    >>> change_lines(Step(8, 0, 1, "default/a", "team-a", held), True, MessageParts())
    []
    """
    lines: list[str] = []
    rest = 0
    for part in parts_of(step.changes):
        if isinstance(part, Change):
            found = list(_of(part, in_cycle, words))
        else:
            some = islice(part, 1)
            found = [line for each in some for line in _of(each, in_cycle, words)]
            rest += len(part) - 1 if found else 0
        for line in found:
            if len(lines) < _MOST:
                lines.append(line)
            else:
                rest += 1
    if rest:
        lines.append(words("changed.more", count=rest))
    return lines


def _of(change: Change, in_cycle: bool, words: MessageParts) -> Iterator[str]:
    match change.path:
        case ("clusterQueues" | "cohorts", node, "usage", flavor, resource):
            form = "changed.usage.snapshot" if in_cycle else "changed.usage"
            after, before = (
                amount_text(resource, each or 0) for each in (change.after, change.before)
            )
            values = {"node": node, "resource": resource, "flavor": flavor}
            yield words(form, **values, after=after, before=before)
        case ("clusterQueues", node, "active"):
            yield words(
                "changed.queue.active" if change.after else "changed.queue.inactive", queue=node
            )
        case ("workloads", key, *rest):
            yield from _of_workload(short_name(key), tuple(rest), change, words)
        case ("objects", name):
            form = "new" if change.before is None else "gone" if change.after is None else "other"
            yield words(f"changed.object.{form}", object=name)


def _of_workload(
    name: str, inside: tuple[str, ...], change: Change, words: MessageParts
) -> Iterator[str]:
    before, after = change.before, change.after
    match inside:
        case ("phase",) if after and before:
            yield words("changed.phase", workload=name, after=after, before=before)
        case ("phase",) if after:
            yield words("changed.phase.new", workload=name, after=after)
        case ("phase",):
            yield words("changed.phase.gone", workload=name)
        case ("queue",):
            yield words(f"changed.place.{_PLACES.get(after or '', 'none')}", workload=name)
        case ("conditions", kind) if isinstance(after, dict):
            yield words("changed.condition", workload=name, condition=kind, **_said(after))
        case ("admissionChecks", check) if isinstance(after, dict):
            state = str(after.get("state", ""))
            yield words("changed.check", workload=name, check=check, state=state)
        case ("admission",):
            yield words("changed.admission" if after else "changed.admission.gone", workload=name)
        case ("active",) if before is not None:
            yield words("changed.active" if after else "changed.inactive", workload=name)
        case ("priority",) if before is not None:
            yield words("changed.priority", workload=name, after=after, before=before)


def _said(condition: dict[str, Any]) -> dict[str, str]:
    return {"status": str(condition.get("status", "")), "reason": str(condition.get("reason", ""))}
