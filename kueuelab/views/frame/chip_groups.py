"""Chips that belong together: an elastic job with its slices, a workload with its variants.

A job is one chip that grows, with its slices inside. Variants of a workload that wait in one
queue are one chip, with a part for each flavor.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kueuelab.trace.workload_groups import Member, WorkloadGroups
from kueuelab.views.merge_patch import Json

__all__ = ["grouped", "taken_apart"]

#: Of the roles in a group the first of these is shown, else that of the first part.
_ROLES: Final = ("preemptor", "target", "removed", "head", "restored")
#: What a part has of its own.
_OF_A_PART: Final = (
    *("amount", "asks", "adds", "hollow", "reserved", "role", "phase", "place", "why"),
    "outcome",
)


def grouped(chips: Mapping[str, Json], groups: WorkloadGroups) -> dict[str, Json]:
    """Return the chips of a queue, with one for all workloads of a group at the same place.

    Examples
    --------
    >>> from kueuelab.trace.trace import Trace
    >>> grouped({"default/a": {"queue": "l:q", "workload": "default/a"}}, WorkloadGroups(Trace(())))
    {'default/a': {'queue': 'l:q', 'workload': 'default/a'}}
    """
    if not groups:
        return dict(chips)
    found: dict[str, Json] = {}
    together: dict[str, list[tuple[Member, Json]]] = {}
    for key, chip in chips.items():
        member = groups.of(chip["workload"])
        if member is None or chip.get("waits"):
            found[key] = chip
        else:
            place = chip.get("bar") or chip["queue"]
            together.setdefault(f"{member.group} {place}", []).append((member, chip))
    for key, members in together.items():
        if any(not _has_lost(chip) for _, chip in members):
            order = groups.members(members[0][0].group)
            members.sort(key=lambda each: order.index(each[1]["workload"]))
            found[key] = _one(members)
    return found


def _has_lost(chip: Json) -> bool:
    """Tell whether a variant was deactivated: it is shown beside those that still race."""
    return "queue" in chip and chip.get("outcome") == "lost"


def taken_apart(chip: Json) -> list[Json]:
    """Return the chips of the workloads of a group, of which one chip was made.

    Examples
    --------
    >>> parts = {"default/a-1": {"flavor": "spot"}, "default/a-2": {"flavor": "large"}}
    >>> for each in taken_apart({"workload": "default/a-1", "priority": 5, "parts": parts}):
    ...     print(each["workload"], each["priority"], each["flavor"])
    default/a-1 5 spot
    default/a-2 5 large
    """
    parts: Json = chip.get("parts", {})
    if len(parts) < 2:
        return [chip]
    same = {name: value for name, value in chip.items() if name not in (*_OF_A_PART, "parts")}
    return [{**same, **part, "workload": workload} for workload, part in parts.items()]


def _one(members: list[tuple[Member, Json]]) -> Json:
    """Return the chip of a group at one place."""
    chips = [chip for _, chip in members]
    first = next((chip for chip in reversed(chips) if _is_held(chip)), chips[0])
    left_out = ("role", "reserved", "outcome")
    chip = {name: value for name, value in first.items() if name not in left_out}
    member = members[0][0]
    chip["group"] = member.group
    chip["kind"] = member.kind
    chip["parts"] = {each["workload"]: _part(of, each, len(members)) for of, each in members}
    if "bar" in chip:
        chip["amount"] = sum(each["amount"] for each in chips)
    roles = [each["role"] for each in chips if "role" in each]
    if roles:
        chip["role"] = next((role for role in _ROLES if role in roles), roles[0])
    if not all(each.get("hollow") for each in chips):
        chip.pop("hollow", None)
        chip.pop("order", None)
    return chip


def _is_held(chip: Json) -> bool:
    return "bar" in chip and not chip.get("reserved") and chip.get("phase") != "Finished"


def _part(member: Member, chip: Json, count: int) -> Json:
    """Return a workload of a group; one that is alone has all that its chip has."""
    own = _OF_A_PART if count > 1 else ("outcome",)
    part = {name: chip[name] for name in own if name in chip}
    if member.flavor:
        part["flavor"] = member.flavor
    if member.replaces:
        part["replaces"] = member.replaces
    return part
