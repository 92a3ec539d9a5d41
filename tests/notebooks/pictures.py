"""The still picture at the beginning of each notebook: which run, and which step of it.

The first one moves: it is that of the start page and of README. ``make pictures`` draws all.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import kueuelab as kl
from kueuelab.trace.step_text import step_text
from kueuelab.views.svg import drawn_frame
from kueuelab.views.svg_drawing import TEXT, WIDTH, circle, picture, rect, text, wrapped
from kueuelab.widgets.board import Board

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks" / "pictures"
RECORDINGS = ROOT / "notebooks" / "recordings"
START = "00-start"

Step = Callable[[Any], int]


def before(workload: str) -> Step:
    """Return the step at which a workload arrives."""
    return lambda run: int(run.until(workload=workload, event="created").index)


def when(**conditions: str) -> Step:
    """Return the first step at which conditions hold."""
    return lambda run: int(run.until(**conditions).index)


def end(run: Any) -> int:
    """Return the last step."""
    return len(run.trace) - 1


#: The scenario of the package, or the file, and the step that is drawn.
PICTURES: Final = MappingProxyType(
    {
        "01-first-preemption": ("within-1-all-in-one-queue", before("job-2")),
        "02-queues-and-quotas": ("queues-1-flavors-and-namespaces", before("small")),
        "03-cohorts": ("cohort-1-borrowing", before("a-2")),
        "04-within-cluster-queue": ("within-cq-1-which-candidate", before("urgent")),
        "05-reclaim-within-cohort": ("reclaim-cohort-1-take-back", before("a-1")),
        "06-borrow-within-cohort": ("borrow-cohort-1-threshold", before("a-1")),
        "07-flavor-fungibility": ("flavors-3-preempt-or-borrow", before("urgent")),
        "08-priorities-and-order": ("order-1-after-the-big-one", before("urgent")),
        "09-fair-sharing": ("fair-1-three-teams", before("green-1")),
        "10-hierarchical-cohorts": ("hierarchy-1-two-departments", before("ads-1")),
        "11-admission-checks": ("checks-1-flexible-start", before("train")),
        "12-preemption-loops": ("loop-2-policies-in-turn", before("small")),
        "13-debug-your-own-cluster": (kl.scenarios.dump("two-teams"), end),
        "14-multikueue": ("lost-worker", before("train")),
        "15-dispatch-rounds": ("rounds-step-by-step", before("train")),
        "16-when-workers-fail": ("lost-worker", when(event="worker chosen")),
        "17-manager-quota": ("quota-far-above", when(event="worker chosen")),
        "18-from-simulator-to-kind": (
            RECORDINGS / "reclaim-within-cohort" / "scenario.yaml",
            when(event="preempting"),
        ),
        "19-multikueue-on-kind": (
            RECORDINGS / "multikueue" / "scenario.yaml",
            when(event="worker chosen"),
        ),
        "20-capacity-planning": (RECORDINGS / "gpu-cluster" / "queues.yaml", end),
        "21-choosing-a-policy": (RECORDINGS / "gpu-cluster" / "queues.yaml", end),
        "22-topologies": (
            "racks-1-levels",
            before("train"),
        ),
        "23-when-a-node-fails": ("racks-2-node-fails", when(workload="train", event="admitted")),
        "24-fragmentation": (
            "racks-3-fragmentation",
            before("urgent"),
        ),
        "25-elastic-jobs": ("elastic-scale-up", before("train")),
        "26-devices": ("devices-by-class", before("train")),
        "27-what-an-upgrade-changes": ("version-2-undeclared-resource", before("train")),
        "28-before-you-submit": ("reclaim-1-take-back", end),
    }
)


#: The run that the start page and README show in motion: its scenario, and the steps that are
#: drawn, each by the kind of the step and the workload that it is about.
MOVING: Final = (
    "reclaim-1-take-back",
    (
        ("WorkloadCreated", "default/job-2"),
        ("WorkloadRemoved", "default/job-2"),
        ("EntryProcessed", "default/job-2"),
        ("Evicted", "default/job-1"),
        ("Admitted", "default/job-2"),
    ),
)
_SECONDS_A_STEP: Final = 3
#: The same for narrow screens: README shows it there.
NARROW: Final = "00-start-narrow"
_WIDTHS: Final = MappingProxyType({START: WIDTH, NARROW: 400})
_LINE: Final = 18
_MARGIN: Final = 8
_CAPTION: Final = TEXT + 1


def moving_picture(width: int) -> str:
    """Return the picture of the start page and of README: steps of a run, one after another.

    Whoever asks the system for less motion sees the last step only.
    """
    name, wanted = MOVING
    run = kl.scenarios.load(name).run()
    board = Board(run.trace)
    document = board.document
    steps = [
        next(step for step in run.trace if (step.kind, step.workload) == each) for each in wanted
    ]
    drawings, captions = [], []
    for step in steps:
        frame = document.frame(step.index)
        drawings.append(
            drawn_frame(frame, document.scales, board.words, document.priorities, width)
        )
        sentence = step_text(step, board.words).partition(". ")[0]
        captions.append(wrapped(sentence, width - 2 * _MARGIN - 8, _CAPTION))
    lines = max(map(len, captions))
    under = max(height for _, height in drawings) + 6
    height = under + lines * _LINE + 20
    count = len(steps)
    groups = []
    for number, ((parts, _), caption) in enumerate(zip(drawings, captions, strict=True)):
        sentence = "".join(
            text(_MARGIN, under + _LINE * (line + 1), part, font_size=_CAPTION, font_weight=650)
            for line, part in enumerate(caption)
        )
        dots = "".join(
            circle(14 + 14 * each, height - 9, 4, "f-accent" if each <= number else "f-line")
            for each in range(count)
        )
        groups.append(
            f'<g class="step" style="animation-delay:{number * _SECONDS_A_STEP}s">'
            f"{rect(0, 0, width, height, 'f-ground', rx=6)}{''.join(parts)}{sentence}{dots}</g>"
        )
    style = (
        f".step{{opacity:0;animation:show {count * _SECONDS_A_STEP}s steps(1) infinite}}"
        f"@keyframes show{{0%{{opacity:1}}{100 / count:g}%{{opacity:0}}}}"
        "@media(prefers-reduced-motion:reduce){.step{animation:none}"
        ".step:last-of-type{opacity:1}}"
    )
    title = "A job reclaims quota that another queue borrowed, step by step"
    return picture(width, height, title, groups, description=title, style=style) + "\n"


def picture_of(name: str) -> str:
    """Return the picture of a notebook as SVG."""
    if name in _WIDTHS:
        return moving_picture(_WIDTHS[name])
    source, step = PICTURES[name]
    lab = kl.scenarios.load(source) if isinstance(source, str) else kl.load(source)
    run = lab.run()
    if len(run.trace.clusters) > 1:
        board: Board = kl.widgets.multikueue_board(run).board
    else:
        board = Board(run.trace)
    return board.picture(step(run)) + "\n"


def refresh(name: str) -> bool:
    """Write the picture of a notebook; tell whether it changed."""
    file = FOLDER / f"{name}.svg"
    before = file.read_text("utf-8") if file.exists() else ""
    now = picture_of(name)
    FOLDER.mkdir(exist_ok=True)
    file.write_text(now, "utf-8")
    return now != before


if __name__ == "__main__":
    for each in (START, NARROW, *PICTURES):
        print(f"{each}.svg: {'changed' if refresh(each) else 'as it was'}")
