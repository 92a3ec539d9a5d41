"""Colours and patterns of the figures: safe for colour-blind readers, never alone.

What a colour says is said by a mark or a pattern too. The hues are those of Okabe and Ito.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kueuelab.messages import Message
from kueuelab.views.preemption_view import Role

__all__ = [
    "BORROWED",
    "FRAME",
    "HOLLOW",
    "LEGEND",
    "LENT",
    "OUTLINES",
    "PATTERNS",
    "PHASES",
    "PURPLE",
    "SELECTED",
    "SOFT",
    "SWATCHES",
    "chip_colours",
]

BLUE: Final = "#0072b2"
SKY: Final = "#56b4e9"
ORANGE: Final = "#e69f00"
RED: Final = "#d55e00"
GREEN: Final = "#009e73"
PURPLE: Final = "#aa4499"
GREY: Final = "#8a8a8a"

BORROWED: Final = ORANGE
LENT: Final = SKY
FRAME: Final = GREY
SELECTED: Final = PURPLE
HOLLOW: Final = "#ececec"
#: Text that has the ground of the page behind it, light or dark.
SOFT: Final = "#777777"

#: Outline and its width, by the part of a workload.
OUTLINES: Final[Mapping[Role, tuple[str, float]]] = {
    Role.NONE: ("#ffffff", 1),
    Role.HEAD: (BLUE, 3),
    Role.PREEMPTOR: (BLUE, 3),
    Role.CANDIDATE: (ORANGE, 3),
    Role.EXCLUDED: (GREY, 2),
    Role.PASSED_OVER: (GREY, 2),
    Role.REMOVED: (RED, 2),
    Role.FILLED_BACK: (GREEN, 3),
    Role.TARGET: (RED, 3),
}

#: Pattern, by the part of a workload.
PATTERNS: Final[Mapping[Role, str]] = {
    Role.EXCLUDED: ".",
    Role.PASSED_OVER: ".",
    Role.REMOVED: "/",
    Role.TARGET: "x",
}

#: Colour and pattern of the phases in the timeline.
PHASES: Final[Mapping[str, tuple[str, str]]] = {
    "Pending": ("#c9c9c9", "/"),
    "QuotaReserved": (SKY, ""),
    "Admitted": (BLUE, ""),
    "Evicted": (RED, "x"),
    "Finished": (GREEN, "."),
}

#: Marks and what they stand for, in the order of a decision.
LEGEND: Final = (
    ("▶", "preemptor"),
    ("?", "candidate"),
    ("∅", "excluded"),
    ("–", Message("widgets.role.skipped")),
    ("○", Message("widgets.role.removed")),
    ("↩", Message("widgets.role.restored")),
    ("✖", "target"),
)

#: Classes of the style sheet that draw what stands for this.
SWATCHES: Final = (
    ("frame", Message("widgets.legend.nominal-quota")),
    ("shades", Message("widgets.legend.priority")),
    ("borrowed", "borrowed"),
    ("lent", "lent"),
    ("limit", "limit"),
)

_LIGHT: Final = (214, 232, 245)
_DARK: Final = (11, 79, 138)


def chip_colours(shade: float) -> tuple[str, str]:
    """Return the fill for a priority, from 0 (lowest) to 1, and a text colour to go with it.

    Examples
    --------
    >>> chip_colours(0), chip_colours(1)
    (('#d6e8f5', '#1a1a1a'), ('#0b4f8a', '#ffffff'))
    """
    mixed = [
        round(light + (dark - light) * shade) for light, dark in zip(_LIGHT, _DARK, strict=True)
    ]
    return "#" + "".join(f"{part:02x}" for part in mixed), "#1a1a1a" if shade < 0.55 else "#ffffff"
