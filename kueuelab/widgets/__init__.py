"""Views of a run for notebooks: step through it, see the cohort, ask what waits and why.

Each view has a ``widget`` and an ``as_text()``; views of the same run that are made from
one another's ``board`` move together. What they show is plain data of
:mod:`kueuelab.views`, which needs neither widgets nor figures: those are imported
with the first view that is asked for.

Examples
--------
>>> from kueuelab import scenarios
>>> from kueuelab.widgets import CohortGraph, Stepper
>>> run = scenarios.load("reclaim-1-take-back").run()
>>> stepper = Stepper(run)
>>> CohortGraph(stepper.board)
<CohortGraph at step 10 of 103>
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kueuelab.widgets.board import Board
    from kueuelab.widgets.cohort_graph import CohortGraph
    from kueuelab.widgets.decision_panel import DecisionPanel
    from kueuelab.widgets.lab_view import Lab, lab
    from kueuelab.widgets.line_chart import LineChart
    from kueuelab.widgets.multikueue_sequence import SequenceDiagram
    from kueuelab.widgets.multikueue_view import MultiKueueBoard, multikueue_board
    from kueuelab.widgets.prediction import Prediction
    from kueuelab.widgets.queues_panel import QueuesPanel
    from kueuelab.widgets.stepper import Stepper
    from kueuelab.widgets.sweep_views import (
        Distributions,
        HeatMap,
        ParallelCoordinates,
        ParetoFront,
    )
    from kueuelab.widgets.timeline_view import Timeline
    from kueuelab.widgets.topology_view import Topology
    from kueuelab.widgets.what_if import WhatIf
    from kueuelab.widgets.why_panel import WhyPanel

__all__ = [
    "Board",
    "CohortGraph",
    "DecisionPanel",
    "Distributions",
    "HeatMap",
    "Lab",
    "LineChart",
    "MultiKueueBoard",
    "ParallelCoordinates",
    "ParetoFront",
    "Prediction",
    "QueuesPanel",
    "SequenceDiagram",
    "Stepper",
    "Timeline",
    "Topology",
    "WhatIf",
    "WhyPanel",
    "lab",
    "multikueue_board",
]

#: Which file each of them stands in. No file has the name of a function: an import of a
#: file makes it an attribute of the package, too.
_FILES: Final = MappingProxyType(
    {
        "Board": "board",
        "CohortGraph": "cohort_graph",
        "DecisionPanel": "decision_panel",
        "Distributions": "sweep_views",
        "HeatMap": "sweep_views",
        "Lab": "lab_view",
        "LineChart": "line_chart",
        "MultiKueueBoard": "multikueue_view",
        "ParallelCoordinates": "sweep_views",
        "ParetoFront": "sweep_views",
        "Prediction": "prediction",
        "QueuesPanel": "queues_panel",
        "SequenceDiagram": "multikueue_sequence",
        "Stepper": "stepper",
        "Timeline": "timeline_view",
        "Topology": "topology_view",
        "WhatIf": "what_if",
        "WhyPanel": "why_panel",
        "lab": "lab_view",
        "multikueue_board": "multikueue_view",
    }
)


def __getattr__(name: str) -> Any:
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FILES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
