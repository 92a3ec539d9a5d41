"""The history of one job as text: each write, in the column of its cluster."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from kueuelab.multikueue.fact_texts import plain_name
from kueuelab.multikueue.facts import Fact

if TYPE_CHECKING:
    from kueuelab.multikueue.cluster_set import ClusterSet

__all__ = ["job_history"]

_WIDTH = 34


def job_history(cluster_set: ClusterSet, facts: Sequence[Fact], workload: str) -> str:
    """Return the history of a job as text: a column for each cluster, a line for each write.

    Parameters
    ----------
    cluster set
        Its clusters.
    facts
        The writes, see :class:`~kueuelab.multikueue.facts.FactLog`.
    workload
        ``namespace/name``, or the name alone.
    """
    name = plain_name(workload.rpartition("/")[2])
    job = name.removeprefix("job-")
    about_job = [f for f in facts if f.name in (name, job) and f.kind not in ("ClusterQueue",)]
    clusters = [c for c in cluster_set.members if any(f.cluster == c for f in about_job)]
    lines = ["   time  " + "".join(f"{cluster:<{_WIDTH}}" for cluster in clusters).rstrip()]
    for _, group in groupby(about_job, key=lambda fact: fact.write):
        written = list(group)
        first = written[0]
        for text in _short(written):
            indent = " " * (_WIDTH * clusters.index(first.cluster))
            lines.append(f"{first.time / 1e9:6.1f}s  {indent}{text}")
    return "\n".join(lines)


def _short(written: Sequence[Fact]) -> list[str]:
    kind = written[0].kind
    shown = []
    for fact in written:
        text = fact.fact
        if text.startswith(("condition PodsReady", "owner=", "origin=", "prebuiltWorkload=")):
            continue
        if text.startswith("condition "):
            text = text.removeprefix("condition ").partition(" message=")[0]
            text = text.partition(" reason=")[0] if "=True" in text else text
        elif text.startswith("admissionCheckState "):
            text = "check " + text.removeprefix("admissionCheckState ").partition(" message=")[0]
        shown.append(f"{kind} {text}"[: _WIDTH - 2])
    return shown
