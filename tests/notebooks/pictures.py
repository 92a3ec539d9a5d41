"""The still picture at the beginning of each notebook: which run, and which step of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from xml.sax.saxutils import escape

import kueuelab as kl
from kueuelab.trace.step_text import step_text
from kueuelab.widgets.board import Board

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks" / "pictures"
RECORDINGS = ROOT / "notebooks" / "recordings"
START = "00-start"
HEIGHT = 190

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
    }
)


#: The run that the start page shows in motion: its scenario and the steps that are drawn.
MOVING: Final = ("reclaim-1-take-back", ("created", "nominated", "preempting", "preempted", "end"))
_SECONDS_A_STEP: Final = 2.5


def moving_picture() -> str:
    """Return the picture of the start page: steps of a run, one after another.

    Whoever asks the system for less motion sees the last step only.
    """
    name, events = MOVING
    run = kl.scenarios.load(name).run()
    board = Board(run.trace)
    at = [
        end(run) if event == "end" else run.until(workload="job-2", event=event).index
        for event in events[:3]
    ]
    at += [run.until(workload="job-1", event="evicted").index, end(run)]
    count = len(at)
    seconds = count * _SECONDS_A_STEP
    groups = []
    for number, index in enumerate(at):
        drawn = board.picture(index)
        inner = drawn.partition("<rect")[2].rpartition("</svg>")[0]
        said = escape(shortened(step_text(run.trace[index], board.words)))
        groups.append(
            f'<g class="step" style="animation-delay:{number * _SECONDS_A_STEP}s"><rect{inner}'
            f'<text x="8" y="{HEIGHT - 12}" font-weight="bold">{said}</text></g>'
        )
    title = "A job reclaims quota that another queue borrowed, step by step"
    style = (
        f".step{{opacity:0;animation:show {seconds}s steps(1) infinite}}"
        f"@keyframes show{{0%{{opacity:1}}{100 / count}%{{opacity:0}}}}"
        "@media (prefers-reduced-motion:reduce){.step{animation:none}"
        ".step:last-of-type{opacity:1}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {HEIGHT}" width="900"'
        f' height="{HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="12"'
        f' fill="#1a1a1a"><title>{title}</title><desc>{title}</desc><style>{style}</style>'
        f'<rect width="900" height="{HEIGHT}" fill="#ffffff"/>{"".join(groups)}</svg>\n'
    )


def shortened(text: str) -> str:
    """Return the first sentence of a text."""
    return text.partition(". ")[0][:120]


def picture_of(name: str) -> str:
    """Return the picture of a notebook as SVG."""
    if name == START:
        return moving_picture()
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
