"""Pending workloads: heads, order, parking of the inadmissible, requeueing, waking."""

from kueuelab.queues.admissibility import gated_by, is_admissible, is_on_hold
from kueuelab.queues.head import Head
from kueuelab.queues.manager import QueueManager
from kueuelab.queues.reasons import RequeueReason
from kueuelab.queues.second_pass import backoff as second_pass_backoff

__all__ = [
    "Head",
    "QueueManager",
    "RequeueReason",
    "gated_by",
    "is_admissible",
    "is_on_hold",
    "second_pass_backoff",
]
