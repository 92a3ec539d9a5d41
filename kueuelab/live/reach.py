"""Which workloads have a part in a decision: heads, and those that hold quota."""

from __future__ import annotations

from collections.abc import Iterable

from kueuelab.model import Workload

__all__ = ["holding"]


def holding(workloads: Iterable[Workload], heads: Iterable[str]) -> list[Workload]:
    """Return the heads, and those who hold quota."""
    wanted = frozenset(heads)
    return [w for w in workloads if w.status.admission is not None or w.key in wanted]
