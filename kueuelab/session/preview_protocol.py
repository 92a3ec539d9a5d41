"""What a page can ask about the pictures of examples, and what the handler answers."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ExamplePreview", "Preview", "PreviewRow"]


@dataclass(frozen=True, slots=True)
class Preview:
    """Ask for the small picture of a packaged scenario or dump; nothing is opened.

    Attributes
    ----------
    name
        Its name.
    """

    name: str


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A cluster, cohort, ClusterQueue or domain of a picture.

    Attributes
    ----------
    kind
        ``Cluster``, ``Cohort``, ``ClusterQueue`` or ``Domain``.
    depth
        How many rows are above it in the tree.
    nominal, own, borrowed, lent
        Amounts in parts of the longest row of the same sort, from 0 to 1: quota, or domains.
    evicted
        How much of ``own`` and ``borrowed`` the evicted workloads still hold.
    pending
        How many workloads are pending in it.
    """

    kind: str
    name: str
    depth: int
    nominal: float
    own: float
    borrowed: float
    lent: float
    evicted: float
    pending: int


@dataclass(frozen=True, slots=True)
class ExamplePreview:
    """The answer to ``preview``: the queues and their use at the moment that tells most.

    Attributes
    ----------
    caption
        What happens then.
    evicts
        Whether a workload is evicted then.
    more
        How many rows are left out.
    """

    name: str
    caption: str
    evicts: bool
    rows: tuple[PreviewRow, ...]
    more: int
