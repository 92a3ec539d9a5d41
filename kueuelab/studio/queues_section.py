"""Queues and cohorts of a branch: use, shares, waiting times, preemptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from kueuelab.model.amount import amount_string
from kueuelab.studio.controls import text_button
from kueuelab.studio.figures import figure_texts
from kueuelab.trace.cohort_tree import NodeId, parents_in
from kueuelab.trace.reading import State
from kueuelab.trace.statistics import QueueStatistics, statistics
from kueuelab.widgets.forms import markup

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["QueuesSection", "queue_rows"]

#: So many queues and cohorts are shown.
_MOST_ROWS: Final = 200
_COLUMNS: Final = (
    "name",
    "admitted",
    "pending",
    "use",
    "share",
    "waiting",
    "preemptions",
    "utilisation",
)
_WIDTHS: Final = " ".join(3 * ["max-content"] + ["minmax(10em,1fr)"] + 4 * ["max-content"])


class QueuesSection:
    """The tree of cohorts and ClusterQueues at the end of a run, with figures of the run."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._table = ipywidgets.GridBox()
        self._table.layout.grid_template_columns = _WIDTHS
        self._table.layout.grid_gap = "2px 12px"
        about = ipywidgets.HTML(markup("p", studio.words.text("studio.queues.about")))
        self.widget = ipywidgets.VBox([about, self._table])

    def show(self, branch: str) -> None:
        """Show the queues of a branch."""
        words, trace = self._studio.words, self._studio.session[branch].run.trace
        cells: list[Any] = [
            ipywidgets.HTML(markup("b", words.text(f"studio.queues.{column}")))
            for column in _COLUMNS
        ]
        if not len(trace):
            self._table.children = ()
            return
        state, figures = trace.state_at(len(trace) - 1), statistics(trace)
        last = len(trace) - 1
        for (kind, name), depth, row in list(queue_rows(state, figures))[:_MOST_ROWS]:
            show = partial(self._studio.show_step, trace, last, (kind, name))
            title = text_button("\u2003" * depth + name, show, hover=f"{kind}/{name}")
            cells += [title, *(ipywidgets.HTML(markup("span", text)) for text in row)]
        self._table.children = cells


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
    [('same', 0, ''), ('cluster-queue', 1, '2'), ('cohort-queue', 1, '0')]
    """
    counts = Counter((view.cluster_queue, view.phase) for view in state.workloads.values())
    parents = {
        node: parent for node, parent in parents_in(state).items() if node[0] != "LocalQueue"
    }

    def below(parent: NodeId | None, depth: int) -> Iterator[tuple[NodeId, int, list[str]]]:
        # ClusterQueues come before the cohorts beside them.
        for node in sorted(each for each, above in parents.items() if above == parent):
            kind, name = node
            if kind == "Cohort":
                cohort = state.cohort(name)
                use, share = _use(cohort.usage, cohort.subtree_quota), cohort.weighted_share
                yield node, depth, ["", "", use, _number(share), "", "", ""]
                yield from below(node, depth + 1)
            else:
                queue = state.cluster_queue(name)
                nominal = {(each.flavor, each.resource): each.nominal for each in queue.quotas}
                own = [str(counts[name, "Admitted"]), str(counts[name, "Pending"])]
                own += [_use(queue.usage, nominal), _number(queue.weighted_share)]
                yield node, depth, own + figure_texts(figures.get(name, QueueStatistics(name)))

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
