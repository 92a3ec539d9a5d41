"""What the table of workloads is filtered and grouped by, and what is copied of it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType
from typing import Final

from kueuelab.session.answers import Facet, Filter, Filters, KubectlText
from kueuelab.session.overview import cause_title
from kueuelab.session.workload_rows import IndexedRow, WorkloadTable

__all__ = [
    "GROUPINGS",
    "VALUES",
    "group_label",
    "kubectl_text",
    "workload_filters",
]

_MOST_VALUES: Final = 200
_MOST_WORKLOADS: Final = 500
_RESOURCE: Final = "workloads.kueue.x-k8s.io"

#: The value of a row in each filter; a row may have several flavors.
VALUES: Final = MappingProxyType[str, Callable[[IndexedRow], Sequence[str]]](
    {
        "queue": lambda row: (row.queue,),
        "cause": lambda row: (row.cause,),
        "priority": lambda row: (str(row.priority),),
        "flavor": lambda row: row.flavor.split(", "),
        "owner": lambda row: (row.owner,),
    }
)
#: What a row is grouped by.
GROUPINGS: Final = MappingProxyType[str, Callable[[IndexedRow], str]](
    {
        "queue": lambda row: row.queue,
        "phase": lambda row: row.phase,
        "cause": lambda row: row.cause,
        "priority": lambda row: str(row.priority),
        "flavor": lambda row: row.flavor,
        "owner": lambda row: row.owner,
    }
)


def workload_filters(facts: WorkloadTable) -> Filters:
    """Return what the table can be filtered by, and the values that there are."""
    return Filters(tuple(_filters(facts)))


def _filters(facts: WorkloadTable) -> Iterator[Filter]:
    for name, values in VALUES.items():
        counts = Counter(value for row in facts.rows for value in values(row) if value)
        ranked = sorted(counts, key=lambda value: (-counts[value], value))
        shown = ranked[:_MOST_VALUES]
        yield Filter(
            name,
            facts.words.text(f"session.filter.{name}"),
            tuple(Facet(each, group_label(facts, name, each), counts[each]) for each in shown),
            len(ranked) - len(shown),
        )


def group_label(facts: WorkloadTable, name: str, value: str) -> str:
    """Return what a value of a filter, or of a group, is called."""
    words = facts.words
    if not value:
        return words.text(f"session.filter.{name}.none")
    if name == "phase":
        return words.text(f"session.phase.{value.lower()}")
    if name == "cause":
        known = facts.causes_by_id.get(value)
        return value if known is None else cause_title(facts, known)
    return value


def kubectl_text(workloads: Sequence[str]) -> KubectlText:
    """Return the commands that show workloads in a terminal, one for each namespace.

    Examples
    --------
    >>> print(kubectl_text(["team-a/one", "team-b/two", "team-a/three"]).text)
    kubectl get workloads.kueue.x-k8s.io -n team-a one three
    kubectl get workloads.kueue.x-k8s.io -n team-b two
    """
    names: dict[str, list[str]] = {}
    for key in workloads[:_MOST_WORKLOADS]:
        namespace, _, name = key.rpartition("/")
        names.setdefault(namespace, []).append(name)
    # A name of a file that no API server saw may hold anything; a shell takes it as one word.
    lines = [
        shlex.join(["kubectl", "get", _RESOURCE, "-n", namespace, *found])
        for namespace, found in names.items()
    ]
    return KubectlText("\n".join(lines))
