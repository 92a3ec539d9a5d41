"""Views of a run for notebooks: step through it, see the cohort, ask who waits and why.

Each view has a ``widget`` and an ``as_text()``; views of the same run that are made from
one another's ``board`` move together.

Examples
--------
>>> from kueuelab import scenarios
>>> run = scenarios.load("reclaim-1-take-back").run()
>>> stepper = Stepper(run)
>>> CohortGraph(stepper.board)
<CohortGraph at step 10 of 103>
"""

from kueuelab.widgets.board import Board
from kueuelab.widgets.cohort_graph import CohortGraph
from kueuelab.widgets.controls import Controls
from kueuelab.widgets.decision_panel import DecisionPanel
from kueuelab.widgets.lab import Lab, lab
from kueuelab.widgets.multikueue_board import MultiKueueBoard, multikueue_board
from kueuelab.widgets.multikueue_sequence import SequenceDiagram
from kueuelab.widgets.prediction import Prediction
from kueuelab.widgets.queues_panel import QueuesPanel
from kueuelab.widgets.stepper import Stepper
from kueuelab.widgets.timeline_view import Timeline
from kueuelab.widgets.what_if import WhatIf

__all__ = [
    "Board",
    "CohortGraph",
    "Controls",
    "DecisionPanel",
    "Lab",
    "MultiKueueBoard",
    "Prediction",
    "QueuesPanel",
    "SequenceDiagram",
    "Stepper",
    "Timeline",
    "WhatIf",
    "lab",
    "multikueue_board",
]
