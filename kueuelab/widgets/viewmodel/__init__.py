"""What the views show, as plain data: no widget and no figure is needed to read it."""

from kueuelab.widgets.viewmodel.decision import Decision, decision_at
from kueuelab.widgets.viewmodel.moment import Moment, cycle_marks, moment_at
from kueuelab.widgets.viewmodel.picture import CohortPicture, cohort_picture
from kueuelab.widgets.viewmodel.preemption_view import PreemptionView, Role, preemption_view_at
from kueuelab.widgets.viewmodel.queues import Queues, queues_at
from kueuelab.widgets.viewmodel.run_index import RunIndex
from kueuelab.widgets.viewmodel.timeline import Timeline, timeline_of

__all__ = [
    "CohortPicture",
    "Decision",
    "Moment",
    "PreemptionView",
    "Queues",
    "Role",
    "RunIndex",
    "Timeline",
    "cohort_picture",
    "cycle_marks",
    "decision_at",
    "moment_at",
    "preemption_view_at",
    "queues_at",
    "timeline_of",
]
