"""A frame as plain text: the picture, the queues, the decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kueuelab.messages import Catalog, Message, english, separated
from kueuelab.trace.names import qualified
from kueuelab.trace.text_table import text_table
from kueuelab.views.frame.chip_groups import taken_apart
from kueuelab.views.frame.labels import bar_label, chip_label, chips_by_place, in_order
from kueuelab.views.merge_patch import Json
from kueuelab.views.text_bar import text_bar

__all__ = ["decision_text", "moment_text", "picture_text", "queues_text"]

#: How the places of the queue read.
_PLACES: Final[Mapping[str, str]] = {
    "active": "queued",
    "inflight": "considered",
    "inadmissible": "inadmissible",
    "": "not-queued",
}
_QUEUED: Final = ("inflight", "active")
_RANK: Final[Mapping[str, int]] = {"inflight": 0, "active": 1, "inadmissible": 2, "": 3}


# --- the picture -----------------------------------------------------------------------


def picture_text(frame: Json, catalog: Catalog | None = None) -> str:
    """Return the tree as an indented list, with bars and workloads."""
    tree: Json = frame.get("tree", {})
    chips = chips_by_place(frame)
    bars: dict[str, list[str]] = {}
    for key, bar in sorted(frame.get("bars", {}).items(), key=lambda each: each[1]["order"]):
        bars.setdefault(bar["node"], []).append(key)
    nodes = sorted(tree.items(), key=lambda each: each[1]["order"])
    say = (catalog or english()).render
    return "\n".join(
        say(line)
        for key, node in nodes
        for line in _node_lines(frame, key, node, bars.get(key, []), chips)
    )


def _node_lines(
    frame: Json, key: str, node: Json, bars: list[str], chips: Mapping[str, list[Json]]
) -> Iterator[str]:
    indent = "  " * node["depth"]
    title = f"{indent}{node['kind']} {qualified(node.get('cluster', ''), node['name'])}"
    if frame.get("queues", {}).get(key, {}).get("inactive"):
        title = Message("views.queues.inactive-queue", queue=title)
    if node["kind"] == "LocalQueue":
        pending = separated(chip_label(chip, {}) for chip in chips.get(key, []))
        if pending:
            yield Message("views.queues.pending-list", queue=title, pending=pending)
        else:
            yield Message("views.queues.pending-none", queue=title)
        return
    yield title
    for place in bars:
        bar = frame["bars"][place]
        drawn = f"{indent}  {text_bar(bar['used'], bar['nominal'])}"
        yield Message("views.queues.bar", bar=drawn, text=bar_label(bar, node))
        held = separated(chip_label(chip, frame["bars"]) for chip in chips.get(place, []))
        if held:
            yield Message("views.queues.held-by", indent=indent, held=held)


# --- the queues ------------------------------------------------------------------------


def queues_text(frame: Json, catalog: Catalog | None = None) -> str:
    """Return each ClusterQueue with the workloads that are pending in it."""
    tree: Json = frame.get("tree", {})
    waiting: dict[str, list[Json]] = {}
    for chip in frame.get("chips", {}).values():
        if "queue" in chip and chip["workload"]:
            waiting.setdefault(tree[chip["queue"]]["parent"], []).extend(taken_apart(chip))
    queues: Json = frame.get("queues", {})
    words = catalog or english()
    lines: list[str] = []
    for key in sorted(queues):
        name, queue = tree[key]["name"], queues[key]
        lines.append(
            words.text(
                f"views.queues.{'inactive' if queue.get('inactive') else 'active'}",
                queue=name,
                admitted=queue["admitted"],
                pending=queue["pending"],
            )
        )
        rows = list(queue_rows(waiting.get(key, []), queue))
        if rows:
            names = ("workload", "priority", "place", "why")
            head = ("#", *(words.text(f"views.column.{name}") for name in names))
            lines.append(
                text_table(head, [list(map(words.render, row)) for row in rows], indent="  ")
            )
        if queue["pending"] > len(rows):
            lines.append("  " + words.text("views.chip.more", count=queue["pending"] - len(rows)))
    return "\n".join(lines)


def queue_rows(chips: list[Json], queue: Json) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the workloads that are pending in a ClusterQueue: position, name, priority, place, why.

    Examples
    --------
    >>> chips = [{"workload": "a", "priority": 1, "place": "active"},
    ...          {"workload": "b", "priority": 5, "place": "inadmissible", "why": "no quota"}]
    >>> list(queue_rows(chips, {}))
    [('1', 'a', '1', 'in the queue', ''), ('-', 'b', '5', 'inadmissible', 'no quota')]
    """
    first = queue.get("first", "")
    order = sorted(in_order(chips), key=lambda each: _RANK.get(each.get("place", ""), 3))
    ahead = [each for each in order if each["workload"] == first]
    position = 0
    for chip in [*ahead, *(each for each in order if each["workload"] != first)]:
        place = chip.get("place", "")
        queued = place in _QUEUED
        position += queued
        text: str = Message(f"views.place.{_PLACES[place]}")
        if chip["workload"] == first:
            text = Message("views.place.after-preemption", place=text)
        yield (
            str(position) if queued else "-",
            chip["workload"],
            str(chip["priority"]),
            text,
            chip.get("why", ""),
        )


# --- the decision ----------------------------------------------------------------------


def moment_text(frame: Json, steps: int, cycles: int) -> str:
    """Return where in the run the frame is; steps count from 1 here."""
    at = frame["at"]
    values = {"step": at["step"] + 1, "steps": steps, "time": at["time"]}
    if not at["cycle"]:
        return Message("views.moment", **values)
    return Message("views.moment.in-cycle", **values, cycle=at["cycle"], cycles=cycles)


def decision_text(frame: Json, steps: int, cycles: int, catalog: Catalog | None = None) -> str:
    """Return what the step decides: the sentence, the numbers, the candidates."""
    words = catalog or english()
    moment = words.render(moment_text(frame, steps, cycles))
    parts = [moment, f"{frame['title']}: {frame['sentence']}"]
    if "difference" in frame:
        parts.append(frame["difference"])
    if "numbersOf" in frame:
        parts.append(frame["numbersOf"])
    if "numbers" in frame:
        numbers = [(name, value) for name, value in frame["numbers"].values()]
        parts.append(text_table(("", ""), numbers, indent="  ").lstrip("\n"))
    if "message" in frame:
        parts.append(words.text("views.decision.kueue-says", message=frame["message"]))
    if "candidates" in frame:
        rows = [
            (
                str(row.get("rank", "")),
                row["workload"] or words.text("views.decision.all-of", queue=row["queue"]),
                row["verdict"],
                row.get("why", ""),
            )
            for row in frame["candidates"].values()
            if "verdict" in row
        ]
        names = ("candidate", "verdict", "why")
        head = ("#", *(words.text(f"views.column.{name}") for name in names))
        parts.append(text_table(head, rows, indent="  "))
    if "changed" in frame:
        lines = (f"  {line}" for line in frame["changed"].splitlines())
        parts.append("\n".join((words.text("views.decision.changed"), *lines)))
    elif "cluster" not in frame:
        parts.append(words.text("views.decision.changes-nothing"))
    return "\n".join(parts)
