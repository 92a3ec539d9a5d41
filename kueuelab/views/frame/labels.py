"""What a bar and a chip of a frame say in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from kueuelab.messages import Message, separated
from kueuelab.trace.names import short_name
from kueuelab.trace.wording import amount_text
from kueuelab.views.amounts import amounts_text
from kueuelab.views.frame.chip_groups import taken_apart
from kueuelab.views.merge_patch import Json

__all__ = [
    "amounts_line",
    "bar_label",
    "chip_label",
    "chips_by_place",
    "lane_notes",
    "request_text",
]


def bar_label(bar: Json, node: Json) -> str:
    """Return the numbers of a bar, given the node that it belongs to.

    Examples
    --------
    >>> bar = {"flavor": "default", "resource": "cpu", "nominal": 500, "used": 700, "borrowed": 200}
    >>> bar_label(bar, {"kind": "ClusterQueue", "parent": "c:all"})
    'default/cpu, 700m of 500m used, borrows 200m'
    """
    return separated([f"{bar['flavor']}/{bar['resource']}", *_numbers(bar, node)])


def amounts_line(bar: Json) -> tuple[str, str]:
    """Return what is used of a bar as the picture says it, and the amounts alone.

    Examples
    --------
    >>> amounts_line({"resource": "cpu", "nominal": 500, "used": 700})
    ('700m of 500m cpu', '700m/500m')
    """
    resource = bar["resource"]
    used, nominal = amounts_text(resource, bar["used"], bar["nominal"])
    whole = Message("frontend.bar.used", used=used, nominal=nominal, resource=resource)
    return whole, f"{used}/{nominal}"


def lane_notes(bar: Json) -> Iterator[str]:
    """Yield what the picture says below that: reserved, borrowed, lent, and the limits.

    Examples
    --------
    >>> list(lane_notes({"resource": "cpu", "borrowed": 200, "lendingLimit": 0}))
    ['borrows 200m', 'lending limit 0']
    """
    for name, id_ in (
        ("reserved", "reserved"),
        ("borrowed", "borrows"),
        ("lends", "lends-up-to" if bar.get("upTo") else "lends"),
        ("borrowingLimit", "may-borrow"),
        ("lendingLimit", "may-lend"),
    ):
        if name in bar:
            amount = amount_text(bar["resource"], bar[name])
            yield Message(f"frontend.bar.{id_}", amount=amount)


def _numbers(bar: Json, node: Json) -> Iterator[str]:
    resource = bar["resource"]

    def text(amount: int) -> str:
        return amount_text(resource, amount)

    used, nominal = amounts_text(resource, bar["used"], bar["nominal"])
    yield Message("views.bar.used", used=used, nominal=nominal)
    if node["kind"] == "Cohort" and bar["used"] > bar["nominal"]:
        yield _percent(bar, has_parent=bool(node["parent"]))
    if "reserved" in bar:
        yield Message("views.bar.reserved", amount=text(bar["reserved"]))
    if "borrowed" in bar:
        yield Message("views.bar.borrows-now", amount=text(bar["borrowed"]))
    if "lends" in bar:
        lent = text(bar["lends"])
        if bar.get("upTo"):
            lent = Message("views.bar.up-to", amount=lent)
        yield Message("views.bar.lends-now", amount=lent)
    if "borrowingLimit" in bar:
        yield Message("views.bar.may-borrow", amount=text(bar["borrowingLimit"]))
    if "lendingLimit" in bar:
        yield Message("views.bar.lends", amount=text(bar["lendingLimit"]))


def _percent(bar: Json, *, has_parent: bool) -> str:
    """Return which part of the nominal quota is used, and what is beyond it."""
    if not bar["nominal"]:
        return Message("views.bar.no-nominal-quota")
    percent = Message("views.bar.percent", used=bar["used"] * 100 // bar["nominal"])
    beyond = amount_text(bar["resource"], bar["used"] - bar["nominal"])
    id_ = "borrowed" if has_parent else "beyond"
    return Message(f"views.bar.percent-{id_}", percent=percent, amount=beyond)


def chip_label(chip: Json, bars: Mapping[str, Json]) -> str:
    """Return a workload with what it holds or asks for, its priority, and its role.

    Examples
    --------
    >>> chip = {"queue": "l:default/a", "workload": "default/j", "priority": 7, "role": "head"}
    >>> chip_label(chip | {"asks": {"cpu": 500}}, {})
    'j 500m p7 (head)'
    """
    if "count" in chip:
        return Message("views.chip.more", count=chip["count"])
    bar = bars.get(chip.get("bar", ""))
    amount = amount_text(bar["resource"], chip["amount"]) if bar else _largest(chip)
    if not chip["workload"]:
        return Message("views.chip.simulated", amount=amount)
    name = short_name(chip.get("group") or chip["workload"])
    if chip.get("reserved"):
        return Message("views.chip.reserved", workload=name, amount=amount)
    priority = f"p{chip['priority']}" if "priority" in chip else ""
    label = " ".join(part for part in (name, amount, priority) if part)
    if inside := separated(_parts(chip, bar)):
        label = Message(f"views.chip.{chip['kind']}s", chip=label, parts=inside)
    notes = separated(_notes(chip))
    return Message("views.chip.with-notes", chip=label, notes=notes) if notes else label


def _parts(chip: Json, bar: Json | None) -> Iterator[str]:
    """Yield the slices or variants in a chip; one slice that bears its job's name says nothing."""
    parts: Json = chip.get("parts", {})
    if not parts or (chip["kind"] == "slice" and [*parts] == [chip["group"]]):
        return
    for each in taken_apart(chip):
        own = parts[each["workload"]]
        part = own.get("flavor") or short_name(each["workload"])
        if bar and len(parts) > 1:
            part = f"{part} {amount_text(bar['resource'], each['amount'])}"
        for resource, amount in islice(each.get("adds", {}).items(), 1):
            part = f"{part} +{amount_text(resource, amount)}"
        notes = separated(_part_notes(own))
        yield Message("views.chip.with-notes", chip=part, notes=notes) if notes else part


def _part_notes(part: Json) -> Iterator[str]:
    if outcome := part.get("outcome"):
        yield Message(f"views.chip.outcome.{outcome}")
    if part.get("reserved"):
        yield Message("views.chip.part-reserved")
    if part.get("place") == "inadmissible" and part.get("outcome") != "lost":
        yield Message("views.chip.inadmissible")
    if (phase := part.get("phase")) in ("Evicted", "Finished") and not part.get("outcome"):
        yield phase


def _notes(chip: Json) -> Iterator[str]:
    if role := chip.get("role"):
        yield Message(f"views.role.{role}")
    if chip.get("phase") == "Evicted":
        yield "Evicted"
    if chip.get("place") == "inadmissible":
        yield Message("views.chip.inadmissible")


def _largest(chip: Json) -> str:
    return next((amount_text(*each) for each in chip.get("asks", {}).items()), "")


def request_text(chip: Json) -> str:
    """Return what a waiting workload asks for.

    >>> request_text({"asks": {"cpu": 500, "memory": 1024}})
    '500m cpu, 1Ki memory'
    """
    asks = chip.get("asks", {})
    return ", ".join(f"{amount_text(name, amount)} {name}" for name, amount in asks.items())


def chips_by_place(frame: Json) -> dict[str, list[Json]]:
    """Return the chips of each bar and LocalQueue in their order."""
    found: dict[str, list[Json]] = {}
    for chip in frame.get("chips", {}).values():
        found.setdefault(chip.get("bar") or chip["queue"], []).append(chip)
    return {place: in_order(chips) for place, chips in found.items()}


def in_order(chips: Iterable[Json]) -> list[Json]:
    """Return chips of one place in their order."""

    def turn(chip: Json) -> tuple[Any, ...]:
        return (
            chip.get("order", 0),
            -chip.get("priority", 0),
            chip.get("since", 0),
            chip["workload"],
        )

    return sorted(chips, key=turn)
