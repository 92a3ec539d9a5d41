"""Workloads as chips of a still picture, placed as the front end places them (``chips.js``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from kueuelab.messages import Catalog
from kueuelab.trace.names import short_name
from kueuelab.views.frame.labels import chip_label
from kueuelab.views.merge_patch import Json
from kueuelab.views.svg_drawing import (
    CHIP_RADIUS,
    STRIP,
    fitted,
    look_of,
    rect,
    strip,
    text,
    text_width,
)

__all__ = ["MARKS", "Chips"]

#: What is in front of a name, so that no role is shown by colour alone.
MARKS: Final[Mapping[str, str]] = {
    "head": "▸",
    "preemptor": "▶",
    "candidate": "?",
    "excluded": "∅",
    "skipped": "–",
    "removed": "○",
    "restored": "↩",
    "target": "✖",
}
#: Outlines by role.
_OUTLINES: Final[Mapping[str, str]] = {
    "head": "text",
    "preemptor": "text",
    "candidate": "candidate",
    "excluded": "edge",
    "skipped": "edge",
    "removed": "target",
    "restored": "restored",
    "target": "target",
}
#: Narrower chips are drawn as one, with a count, unless they have one of these roles.
_NARROW: Final = 9
_SINGLE: Final = ("head", "preemptor", "target", "removed", "restored")
#: One that is pending is as wide as its name, between these.
_PENDING: Final = (30.0, 96.0)
#: What stands for those that have no room.
_REST: Final = 48
_SHADES: Final = 5


class Sizes(Protocol):
    """Where bars are, and how long amounts are drawn."""

    left: float
    room: float

    def __call__(self, resource: str, amount: int) -> float: ...


@dataclass(slots=True)
class _Placed:
    chip: Json
    x: float
    width: float
    shade: int
    count: int = 1
    is_strip: bool = False
    labels: list[str] = field(default_factory=list)


class Chips:
    """Draws the chips of a picture.

    Parameters
    ----------
    sizes
        Where the bars are.
    priorities
        The priorities of the run, ascending.
    words
        The language.
    """

    def __init__(self, sizes: Sizes, priorities: Sequence[int], words: Catalog) -> None:
        self._sizes = sizes
        self._priorities = priorities
        self._words = words

    def row(
        self, chips: Sequence[Json], frame: Json, bar: str, top: float, height: float
    ) -> Iterator[str]:
        """Yield the chips of a row; without a bar they are pending."""
        for placed in self._placed(chips, frame, bar):
            yield from self._chip(placed, is_pending=not bar, top=top, height=height)

    def _placed(self, chips: Sequence[Json], frame: Json, key: str) -> list[_Placed]:
        bar = frame["bars"][key] if key else None
        found: list[_Placed] = []
        x, is_open = 0.0, False
        for chip in chips:
            width = self._sizes(bar["resource"], chip["amount"]) if bar else self._asked(chip)
            label = self._words.render(chip_label(chip, frame["bars"]))
            placed = _Placed(
                chip, x, width, self._shade(chip), chip.get("count", 1), labels=[label]
            )
            if bar and chip.get("waits"):
                end = self._sizes(bar["resource"], max(bar["nominal"], bar["used"]))
                if x + width > end + 1:
                    # Others hold that quota still: it is a strip within the frame.
                    placed.x, placed.is_strip = max(0.0, min(x, end - width)), True
                    found.append(placed)
                    is_open = False
                    continue
            is_single = width >= _NARROW or chip.get("role") in _SINGLE
            if not is_single and is_open and _alike(found[-1], placed):
                found[-1].width += width
                found[-1].count += placed.count
                found[-1].labels.append(label)
            else:
                found.append(placed)
                is_open = not is_single
            x += width
        return found if bar else self._inside(found)

    def _inside(self, found: list[_Placed]) -> list[_Placed]:
        """Return the pending workloads for which there is room, and one chip for the others."""
        room = self._sizes.room
        kept = sum(each.x + each.width <= room for each in found)
        if kept == len(found):
            return found
        while kept and found[kept].x + _REST > room:
            kept -= 1
        rest = found[kept:]
        first = rest[0]
        first.width = room - first.x
        first.count = sum(each.count for each in rest)
        first.labels = [label for each in rest for label in each.labels]
        return found[: kept + 1]

    def _chip(
        self, placed: _Placed, *, is_pending: bool, top: float, height: float
    ) -> Iterator[str]:
        chip = placed.chip
        x = self._sizes.left + placed.x
        title = "\n".join(placed.labels[:20])
        inset = min(5.5, height / 5)
        tall = height - 2 * inset - (0 if is_pending else 4)
        if placed.is_strip:
            yield strip(x + 0.5, top + inset + tall - STRIP, max(1.5, placed.width - 1), title)
            return
        role = chip.get("role", "")
        is_hollow = bool(chip.get("hollow"))
        ground = "area" if is_hollow else f"s{placed.shade}"
        outline = _OUTLINES.get(role, "edge" if is_hollow or is_pending else "ground")
        style: dict[str, object] = {"stroke_width": 2.5 if role else 1, "rx": CHIP_RADIUS}
        if chip.get("phase") == "Evicted":
            outline = "target"
            style["stroke_dasharray"] = "5 2"
        elif is_hollow:
            style["stroke_dasharray"] = "4 3"
        elif chip.get("place") == "inadmissible":
            style["stroke_dasharray"] = "2 2"
        wide = max(1.5, placed.width - 1)
        yield rect(x + 0.5, top + inset, wide, tall, look_of(ground, outline), title, **style)
        if shown := self._text(placed):
            look = "f-text" if is_hollow else f"f-t{placed.shade}"
            yield text(x + 5, top + inset + tall / 2 + 4, shown, look)

    def _text(self, placed: _Placed) -> str:
        chip, room = placed.chip, placed.width - 8
        mark = MARKS.get(chip.get("role", ""), "")
        sign = f"{mark} " if mark else ""
        if placed.count > 1:
            more = self._words.text("frontend.chip.more", count=placed.count)
            texts = (sign + more, f"{sign}×{placed.count}", f"×{placed.count}")
            return next((each for each in texts if text_width(each) <= room + 4), "")
        name = short_name(chip.get("group") or chip["workload"])
        whole = sign + name
        if text_width(whole) > room:
            whole = sign + name.rpartition("/")[2]
        found = fitted(whole, room)
        return found if len(found) > len(sign) + 1 else mark if room > 0 else ""

    def _asked(self, chip: Json) -> float:
        """Return the width of a pending workload."""
        least, most = _PENDING
        mark = MARKS.get(chip.get("role", ""), "")
        name = text_width(f"{mark} {short_name(chip.get('group') or chip['workload'])}") + 10
        asks = (self._sizes(*each) for each in chip.get("asks", {}).items())
        return max(least, min(most, name), *asks, 0.0)

    def _shade(self, chip: Json) -> int:
        last = len(self._priorities) - 1
        if last < 1 or chip.get("priority") not in self._priorities:
            return 2
        return round(self._priorities.index(chip["priority"]) / last * (_SHADES - 1))


def _alike(one: _Placed, other: _Placed) -> bool:
    return one.shade == other.shade and all(
        one.chip.get(name) == other.chip.get(name) for name in ("hollow", "role")
    )
