"""The tree of quota: available, borrowing, lending, shares; simulated and undone in place."""

from kueuelab.quota.cluster_queue import ClusterQueueNode
from kueuelab.quota.cohort import CohortNode
from kueuelab.quota.journal import Journal
from kueuelab.quota.node import Node, Quota
from kueuelab.quota.shares import (
    NO_SHARE,
    Share,
    compare_shares,
    dominant_resource_share,
    share_with,
)
from kueuelab.quota.tree import QuotaTree

__all__ = [
    "NO_SHARE",
    "ClusterQueueNode",
    "CohortNode",
    "Journal",
    "Node",
    "Quota",
    "QuotaTree",
    "Share",
    "compare_shares",
    "dominant_resource_share",
    "share_with",
]
