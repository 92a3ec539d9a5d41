"""What a change of the configuration would have done to the workloads of a record."""

from kueuelab.review.comment import comment
from kueuelab.review.reviewing import Course, Review, WorkloadReview, review
from kueuelab.review.submissions import History, read_history

__all__ = [
    "Course",
    "History",
    "Review",
    "WorkloadReview",
    "comment",
    "read_history",
    "review",
]
