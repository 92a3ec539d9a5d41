"""The figures of queues and cohorts, of two runs side by side: at the end, and over the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final, TypeAlias

from kueuelab.messages import Catalog
from kueuelab.model.amount import amount_string
from kueuelab.model.times import format_duration
from kueuelab.session.answers import FigurePair, QueueFigures
from kueuelab.trace.cohort_tree import NodeId, parents_in
from kueuelab.trace.diff import QueueDiff
from kueuelab.trace.names import qualified
from kueuelab.trace.reading import State
from kueuelab.trace.statistics import QueueStatistics
from kueuelab.trace.trace import Trace

__all__ = ["FIGURES", "queue_figures"]

#: A flavor and a resource; of a figure that has none, two empty texts.
_Place: TypeAlias = tuple[str, str]
#: What a figure says, and the number that a chart of it has.
_Values: TypeAlias = dict[tuple[str, _Place], tuple[str, float]]

#: What there is of each ClusterQueue; of cohorts, their use and their share.
FIGURES: Final = (
    "admitted",
    "pending",
    "use",
    "share",
    "waiting",
    "preemptions",
    "utilisation",
)
_NOWHERE: Final = ("", "")


def queue_figures(
    before: Trace,
    after: Trace,
    queues: Iterable[QueueDiff],
    words: Catalog,
    *,
    rest: bool = False,
    cluster: str = "",
) -> Iterator[QueueFigures]:
    """Yield the queues and cohorts of a cluster whose figures differ, with those that do.

    Parameters
    ----------
    before, after
        The records of the two runs, of this cluster alone.
    queues
        What the runs say of the ClusterQueues, over the same time.
    words
        The language.
    rest
        Whether to yield also what is the same.
    cluster
        What the names begin with, where there are several clusters.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> from kueuelab.messages import english
    >>> from kueuelab.trace.diff import queue_diffs
    >>> trace = scenarios.load("reclaim-1-take-back").run().trace
    >>> queues = list(queue_diffs(trace, trace))
    >>> list(queue_figures(trace, trace, queues, english()))
    []
    >>> found = list(queue_figures(trace, trace, queues, english(), rest=True))
    >>> [(each.name, each.depth, each.figures[0].before) for each in found]
    [('department', 0, '400m of 700m'), ('team-a', 1, '2'), ('team-b', 1, '0')]
    """
    known = [(each.queue, each.before, each.after) for each in queues]
    one = _of(before, {name: found for name, found, _ in known}, words)
    other = _of(after, {name: found for name, _, found in known}, words)
    for node in dict.fromkeys((*other, *one)):
        depth, _ = other.get(node) or one[node]
        was, now = (run[node][1] if node in run else {} for run in (one, other))
        names = sorted({**was, **now}, key=lambda each: FIGURES.index(each[0]))
        figures = tuple(
            _pair(name, was, now, words) for name in names if rest or was.get(name) != now.get(name)
        )
        if figures:
            yield QueueFigures(qualified(cluster, node[1]), node[0], depth, figures)


def _pair(name: tuple[str, _Place], before: _Values, after: _Values, words: Catalog) -> FigurePair:
    figure, (flavor, resource) = name
    title = words.text(f"session.figures.{figure}")
    if flavor:
        title = words.text("session.figures.in", figure=title, flavor=flavor, resource=resource)
    (one, first), (other, second) = before.get(name, ("", 0.0)), after.get(name, ("", 0.0))
    return FigurePair(figure, title, one, other, first, second)


def _of(
    trace: Trace, figures: Mapping[str, QueueStatistics], words: Catalog
) -> dict[NodeId, tuple[int, _Values]]:
    if not len(trace):
        return {}
    state = trace.state_at(len(trace) - 1)
    return {node: (depth, values) for node, depth, values in _nodes(state, figures, words)}


def _nodes(
    state: State, figures: Mapping[str, QueueStatistics], words: Catalog
) -> Iterator[tuple[NodeId, int, _Values]]:
    """Yield each cohort and ClusterQueue with its depth, ClusterQueues first."""
    counts = Counter((view.cluster_queue, view.phase) for view in state.workloads.values())
    parents = {
        node: parent for node, parent in parents_in(state).items() if node[0] != "LocalQueue"
    }
    inside: dict[NodeId | None, list[NodeId]] = {}
    for node, above in parents.items():
        inside.setdefault(above, []).append(node)

    @cache
    def in_tree(node: NodeId) -> tuple[Counter[_Place], Counter[_Place]]:
        """Return what is used and what is nominal quota of a node and all below it."""
        kind, name = node
        is_queue = kind == "ClusterQueue"
        quotas = (state.cluster_queue(name) if is_queue else state.cohort(name)).quotas
        used: Counter[_Place] = Counter(state.cluster_queue(name).usage if is_queue else {})
        nominal = Counter({(each.flavor, each.resource): each.nominal for each in quotas})
        for child in inside.get(node, ()):
            for total, more in zip((used, nominal), in_tree(child), strict=True):
                total.update(more)
        return used, nominal

    def below(parent: NodeId | None, depth: int) -> Iterator[tuple[NodeId, int, _Values]]:
        for node in sorted(inside.get(parent, ())):
            kind, name = node
            found: _Values = {}
            if kind == "ClusterQueue":
                for phase in ("Admitted", "Pending"):
                    count = counts[name, phase]
                    found[phase.lower(), _NOWHERE] = str(count), count
                share = state.cluster_queue(name).weighted_share
                own = figures.get(name, QueueStatistics(name))
                found["waiting", _NOWHERE] = format_duration(own.waiting), own.waiting
                found["preemptions", _NOWHERE] = str(own.preemptions), own.preemptions
                for place, part in own.utilisation.items():
                    found["utilisation", place] = f"{100 * part:.0f} %", part
            else:
                share = state.cohort(name).weighted_share
            if share is not None:
                found["share", _NOWHERE] = str(share), share
            used, nominal = in_tree(node)
            for place in dict.fromkeys((*nominal, *used)):
                taken, quota = (amount_string(place[1], each[place]) for each in (used, nominal))
                text = words.text("session.figures.of", used=taken, quota=quota)
                found["use", place] = text, used[place]
            yield node, depth, found
            if kind == "Cohort":
                yield from below(node, depth + 1)

    yield from below(None, 0)
