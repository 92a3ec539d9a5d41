"""What the views show, as plain data: no widget and no figure is needed to read it."""

from kueuelab.views.frame.document import Document, frames
from kueuelab.views.moment import Moment, moment_at
from kueuelab.views.preemption_view import PreemptionView, Role, preemption_view_at
from kueuelab.views.run_index import RunIndex
from kueuelab.views.timeline import Timeline, timeline_of

__all__ = [
    "Document",
    "Moment",
    "PreemptionView",
    "Role",
    "RunIndex",
    "Timeline",
    "frames",
    "moment_at",
    "preemption_view_at",
    "timeline_of",
]
