"""The figures of queues and cohorts: at the end of a run, and of two runs side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from kueuelab.messages import Catalog
from kueuelab.model.amount import amount_string
from kueuelab.model.times import format_duration
from kueuelab.trace.cohort_tree import NodeId, parents_in
from kueuelab.trace.html import table
from kueuelab.trace.reading import State
from kueuelab.trace.statistics import QueueStatistics, statistics
from kueuelab.trace.trace import Trace

__all__ = ["FIGURES", "figures_table", "queue_rows"]

#: A flavor and a resource.
_Place: TypeAlias = tuple[str, str]

#: What there is of each queue and cohort.
FIGURES: Final = (
    "admitted",
    "pending",
    "use",
    "share",
    "waiting",
    "preemptions",
    "utilisation",
)


def figures_table(before: Trace, after: Trace, words: Catalog) -> str:
    """Return a row for each queue and cohort: before and after, or one value if both are the same.

    A figure that no queue has is left out.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> from kueuelab.messages import english
    >>> trace = scenarios.load("reclaim-1-take-back").run().trace
    >>> "team-a" in figures_table(trace, trace, english())
    True
    """
    one, other = _rows_of(before), _rows_of(after)
    empty = [""] * len(FIGURES)
    rows = {
        node: [
            _both(*pair) for pair in zip(one.get(node, empty), other.get(node, empty), strict=True)
        ]
        for node in dict.fromkeys((*one, *other))
    }
    kept = [place for place in range(len(FIGURES)) if any(row[place] for row in rows.values())]
    return table(
        [words.text(f"session.figures.{name}") for name in ("name", *(FIGURES[it] for it in kept))],
        [[node[1], *(row[place] for place in kept)] for node, row in rows.items()],
        words.text("session.figures"),
    )


def _rows_of(trace: Trace) -> dict[NodeId, list[str]]:
    if not len(trace):
        return {}
    found = queue_rows(trace.state_at(len(trace) - 1), statistics(trace))
    return {node: row for node, _, row in found}


def _both(before: str, after: str) -> str:
    return before if before == after else f"{before or '-'} → {after or '-'}"


def queue_rows(
    state: State, figures: Mapping[str, QueueStatistics]
) -> Iterator[tuple[NodeId, int, list[str]]]:
    """Yield each cohort and ClusterQueue, with its depth, and one text a column but the first.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> trace = scenarios.load("reclaim-1-take-back").run().trace
    >>> rows = queue_rows(trace.state_at(len(trace) - 1), statistics(trace))
    >>> [(name, depth, row[0]) for (_, name), depth, row in rows]
    [('department', 0, ''), ('team-a', 1, '2'), ('team-b', 1, '0')]
    """
    counts = Counter((view.cluster_queue, view.phase) for view in state.workloads.values())
    parents = {
        node: parent for node, parent in parents_in(state).items() if node[0] != "LocalQueue"
    }

    def in_tree(node: NodeId) -> tuple[Counter[_Place], Counter[_Place]]:
        """Return what is used and what is nominal quota of a node and all below it."""
        kind, name = node
        is_queue = kind == "ClusterQueue"
        quotas = (state.cluster_queue(name) if is_queue else state.cohort(name)).quotas
        used: Counter[_Place] = Counter(state.cluster_queue(name).usage if is_queue else {})
        nominal = Counter({(each.flavor, each.resource): each.nominal for each in quotas})
        for child in (each for each, above in parents.items() if above == node):
            for total, more in zip((used, nominal), in_tree(child), strict=True):
                total.update(more)
        return used, nominal

    def below(parent: NodeId | None, depth: int) -> Iterator[tuple[NodeId, int, list[str]]]:
        # ClusterQueues come before the cohorts beside them.
        for node in sorted(each for each, above in parents.items() if above == parent):
            kind, name = node
            if kind == "Cohort":
                share = _number(state.cohort(name).weighted_share)
                use = _use(*in_tree(node))
                yield node, depth, ["", "", use, share, "", "", ""]
                yield from below(node, depth + 1)
            else:
                queue = state.cluster_queue(name)
                own = [str(counts[name, "Admitted"]), str(counts[name, "Pending"])]
                own += [_use(*in_tree(node)), _number(queue.weighted_share)]
                yield node, depth, own + _texts(figures.get(name, QueueStatistics(name)))

    yield from below(None, 0)


def _use(usage: Mapping[tuple[str, str], int], quota: Mapping[tuple[str, str], int]) -> str:
    """Return what is used of what there is: ``4 of 8 cpu/generic``."""
    places = dict.fromkeys((*quota, *usage))
    return ", ".join(
        f"{amount_string(resource, usage.get((flavor, resource), 0))}"
        f"/{amount_string(resource, quota.get((flavor, resource), 0))} {resource}/{flavor}"
        for flavor, resource in places
    )


def _number(found: int | None) -> str:
    return "" if found is None else str(found)


def _texts(found: QueueStatistics) -> list[str]:
    """Return waiting time, preemptions and utilisation as texts; "-" where no time goes by.

    Examples
    --------
    >>> _texts(QueueStatistics("team-a"))
    ['0s', '0', '-']
    """
    utilisation = ", ".join(
        f"{100 * part:.0f} % {resource}/{flavor}"
        for (flavor, resource), part in found.utilisation.items()
    )
    return [format_duration(found.waiting), str(found.preemptions), utilisation or "-"]
