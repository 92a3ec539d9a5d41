"""The still picture at the beginning of each notebook: which run, and which step of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import kueuelab as kl
from kueuelab.widgets.board import Board

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks" / "pictures"
RECORDINGS = ROOT / "notebooks" / "recordings"

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
        "02-queues-and-quotas": ("queues-1-flavors-and-namespaces", end),
        "03-cohorts": ("cohort-1-borrowing", end),
        "04-within-cluster-queue": ("within-cq-1-which-candidate", before("urgent")),
        "05-reclaim-within-cohort": ("reclaim-cohort-1-take-back", before("a-1")),
        "06-borrow-within-cohort": ("borrow-cohort-1-threshold", before("a-1")),
        "07-flavor-fungibility": ("flavors-3-preempt-or-borrow", before("urgent")),
        "08-priorities-and-order": ("order-1-after-the-big-one", before("urgent")),
        "09-fair-sharing": ("fair-1-three-teams", before("green-1")),
        "10-hierarchical-cohorts": ("hierarchy-1-two-departments", before("ads-1")),
        "11-admission-checks": ("checks-1-flexible-start", when(workload="other", event="pending")),
        "12-preemption-loops": ("loop-2-policies-in-turn", before("small")),
        "13-debug-your-own-cluster": (kl.scenarios.dump("two-teams"), end),
        "14-multikueue": ("lost-worker", when(event="worker chosen")),
        "15-dispatch-rounds": ("rounds-step-by-step", when(event="worker chosen")),
        "16-when-workers-fail": ("lost-worker", when(workload="train", event="evicted")),
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
        "21-choosing-a-preemption-policy": (RECORDINGS / "gpu-cluster" / "queues.yaml", end),
        "22-topology-aware-scheduling": (
            "racks-1-levels",
            when(workload="sweep", event="admitted"),
        ),
        "23-when-a-node-fails": ("racks-2-node-fails", when(workload="train", event="admitted")),
        "24-fragmentation-and-preemption-with-topologies": (
            "racks-3-fragmentation",
            before("urgent"),
        ),
    }
)


def picture_of(name: str) -> str:
    """Return the picture of a notebook as SVG."""
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
