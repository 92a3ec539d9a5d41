"""What the views show, as plain data: no widget and no figure is needed to read it."""

from kueuelab.views.decision import Decision, decision_at
from kueuelab.views.frame.document import Document, frames
from kueuelab.views.moment import Moment, cycle_marks, moment_at
from kueuelab.views.picture import CohortPicture, cohort_picture
from kueuelab.views.preemption_view import PreemptionView, Role, preemption_view_at
from kueuelab.views.queues import Queues, queues_at
from kueuelab.views.run_index import RunIndex
from kueuelab.views.timeline import Timeline, timeline_of

__all__ = [
    "CohortPicture",
    "Decision",
    "Document",
    "Moment",
    "PreemptionView",
    "Queues",
    "Role",
    "RunIndex",
    "Timeline",
    "cohort_picture",
    "cycle_marks",
    "decision_at",
    "frames",
    "moment_at",
    "preemption_view_at",
    "queues_at",
    "timeline_of",
]
