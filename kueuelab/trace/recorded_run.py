"""What every run can be asked: simulated or real, of one cluster or of several."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import reduce
from html import escape
from operator import and_
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from kueuelab.errors import InputError, Problem
from kueuelab.messages import Catalog, Message, english, language_of
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.html import details, paragraphs
from kueuelab.trace.reading import Queues, State, Workloads
from kueuelab.trace.timeline import timeline_text
from kueuelab.trace.timetravel import Cursor
from kueuelab.trace.trace import Trace

if TYPE_CHECKING:
    from networkx import DiGraph

    from kueuelab.trace.cohort_tree import NodeId
    from kueuelab.trace.diff import Diff
    from kueuelab.trace.explain import Eviction, Explanation
    from kueuelab.trace.workload_moment import Instant
    from kueuelab.widgets.view import View

__all__ = ["RecordedClusterRun", "RecordedRun"]


class _Outcome(Protocol):
    """An expectation that passed or failed."""

    @property
    def passed(self) -> bool: ...


class RecordedRun(ABC):
    """Something that was recorded, and what people ask about it.

    Answers are texts in a ``language``: a code, or a catalogue of sentences.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> run = scenarios.load("lost-worker").run()
    >>> run.until(event="admitted", cluster="w1").step.cluster
    'w1'
    >>> sorted(run.traces)
    ['manager', 'w1', 'w2']
    """

    @property
    @abstractmethod
    def trace(self) -> Trace:
        """The record of every step, of all clusters."""

    @property
    def traces(self) -> Mapping[str, Trace]:
        """The record of each cluster by itself, by its name."""
        trace = self.trace
        if len(trace.clusters) == 1:
            return {trace.clusters[0]: trace}
        return {cluster: trace.of_cluster(cluster) for cluster in trace.clusters}

    @property
    def main_trace(self) -> Trace:
        """The record that questions are about: the manager's, where there are several clusters."""
        return self.trace

    @property
    def outcomes(self) -> Sequence[_Outcome]:
        """The scenario's expectations and what was found; none where none were judged."""
        return ()

    @property
    def passed(self) -> bool:
        """Whether all expectations of the scenario passed."""
        return all(outcome.passed for outcome in self.outcomes)

    def key_of(self, workload: str) -> str:
        """Return the key of the workload that a name means."""
        return workload

    def state_at(self, step: int) -> State:
        """Return the visible state right after a step, as views."""
        return self.trace.state_at(step)

    @property
    def workloads(self) -> Workloads:
        """The workloads at the end; of several clusters, those of the manager."""
        return self._end.workloads

    @property
    def queues(self) -> Queues:
        """The ClusterQueues at the end; of several clusters, those of the manager."""
        return self._end.queues

    @property
    def _end(self) -> State:
        """The state of one cluster after the last step."""
        trace = self.main_trace
        return trace.state_at(len(trace) - 1)[trace.clusters[0]]

    def lab(self, language: str | Catalog | None = None, *, at: int | Cursor | None = None) -> View:
        """Return all views of the run together, for a notebook.

        Parameters
        ----------
        language
            The language: a code, or a catalogue.
        at
            The step that they open at: its index, or what `until` gives.

        Raises
        ------
        ModuleNotFoundError
            If Jupyter is not installed; it comes with ``pip install 'kueuelab[lab]'``.
        """
        from kueuelab.widgets import showing

        return showing.shown(self, language, at)

    def _repr_html_(self) -> str:
        """Return what became of the run, for a notebook; `lab` shows all views of it."""
        words = english()
        trace = self.main_trace
        title = ": ".join(part for part in (trace.name, trace.title) if part)
        text = timeline_text(trace)
        shown = details(words.text("shown.timeline"), paragraphs(text)) if text else ""
        return (
            f"<p><b>{escape(title)}</b> {escape(repr(self))}</p>"
            f"{self.queues._repr_html_()}{shown}<p>{escape(words.text('shown.lab'))}</p>"
        )

    def graph(self, at: int | None = None) -> DiGraph[NodeId]:
        """Return the tree of cohorts, ClusterQueues and LocalQueues as a networkx graph.

        Of several clusters it is the manager's.

        Parameters
        ----------
        at
            The index of a step: the graph is as after it. At the end if omitted.

        Returns
        -------
        networkx.DiGraph
            A node for each object, ``(kind, name)``, with an edge from its parent. Cohorts
            and ClusterQueues have the attributes ``nominal`` and ``usage``: amounts by
            flavor and resource, in Kueue's integer unit (milli for cpu).

        Raises
        ------
        ModuleNotFoundError
            If networkx is not installed; it comes with ``pip install 'kueuelab[lab]'``.

        Examples
        --------
        >>> import networkx as nx
        >>> from kueuelab import scenarios
        >>> graph = scenarios.load("reclaim-1-take-back").run().graph()
        >>> sorted(nx.descendants(graph, ("Cohort", "department")))[:2]
        [('ClusterQueue', 'team-a'), ('ClusterQueue', 'team-b')]
        >>> graph.nodes["ClusterQueue", "team-a"]["usage"]
        {('default', 'cpu'): 400}
        """
        from kueuelab.trace.cohort_tree import cohort_graph

        trace = self.main_trace
        return cohort_graph(trace.state_at(len(trace) - 1 if at is None else at))

    def until(
        self,
        breakpoint: Breakpoint | None = None,
        *,
        workload: str | None = None,
        queue: str | None = None,
        event: str | None = None,
        message: str | None = None,
        cluster: str | None = None,
        after: int = -1,
    ) -> Cursor:
        """Return a cursor at the first step at which all conditions hold; else at the end.

        Parameters
        ----------
        breakpoint
            Any breakpoint (see :class:`~kueuelab.trace.breakpoints.Breakpoint`).
        workload
            The step has to do with this workload.
        queue
            It is about this ClusterQueue.
        event
            It is of this kind: ``admitted``, ``preempted``, ``skipped``, ``requeued``, ...
        message
            It has a message that matches this regular expression.
        cluster
            It happens in this cluster, of several.
        after
            Look behind this step.

        Raises
        ------
        InputError
            If there is no condition.
        """
        found = [
            breakpoint,
            None if workload is None else Breakpoint.workload(self.key_of(workload)),
            None if queue is None else Breakpoint.queue(queue),
            None if event is None else Breakpoint.event(event),
            None if message is None else Breakpoint.message(message),
            None if cluster is None else Breakpoint.cluster(cluster),
        ]
        conditions = [each for each in found if each is not None]
        if not conditions:
            hint = Message("trace.run.no-condition.hint")
            raise InputError(Problem(Message("trace.run.no-condition"), hint=hint))
        condition, trace = reduce(and_, conditions), self.trace
        for index in condition.places(trace, after + 1, len(trace)):
            if condition(trace[index]):
                return Cursor(trace, index)
        return Cursor(trace, len(trace) - 1)

    def who_evicted(
        self, workload: str, at: int | None = None, language: str | Catalog = "en"
    ) -> Eviction | None:
        """Return what evicted a workload the last time, ``None`` if it was not evicted."""
        from kueuelab.trace.explain import who_evicted

        return who_evicted(self.main_trace, self.key_of(workload), at, language_of(language))

    def diff(self, other: RecordedRun, language: str | Catalog = "en") -> Diff:
        """Compare with another run: ``before`` is the other one, ``after`` is this one."""
        from kueuelab.trace.diff import diff

        return diff(other.main_trace, self.main_trace, language_of(language))

    def save(
        self,
        to: str | Path | TextIO,
        language: str | Catalog = "en",
        *,
        inline_plotly: bool = False,
    ) -> None:
        """Write the record to a file.

        A name that ends in ``.html`` gives a page that any browser opens, offline too;
        one in ``.json`` or ``.json.gz`` what :func:`kueuelab.trace.export.load_trace` reads.
        The page is in the language, a code or a catalogue of sentences. Its lines over time are
        drawn, other charts show their tables; with ``inline_plotly`` plotly draws all, and the page
        is 5 MB larger.
        """
        from kueuelab.views.saving import save_trace

        save_trace(self.trace, to, language_of(language), inline_plotly=inline_plotly)


class RecordedClusterRun(RecordedRun):
    """A run of one cluster: one explanation says all that there is to say of a workload."""

    _instant: Instant | None = None

    def why(
        self, workload: str, at: int | None = None, language: str | Catalog = "en"
    ) -> Explanation:
        """Return why a workload is where it is, after a step or at the end."""
        from kueuelab.trace.explain import explanation_of, why
        from kueuelab.trace.wording import MessageParts
        from kueuelab.trace.workload_moment import workload_at

        trace, key, words = self.main_trace, self.key_of(workload), language_of(language)
        if not trace or at not in (None, len(trace) - 1):
            return why(trace, key, at, words)
        return explanation_of(workload_at(self._last_instant(trace), key, MessageParts(words)))

    def _last_instant(self, trace: Trace) -> Instant:
        """Return the last step: all explanations there have much in common."""
        found = self._instant
        if found is None or found.trace is not trace or found.at != len(trace) - 1:
            from kueuelab.trace.workload_moment import Instant

            found = self._instant = Instant(trace, len(trace) - 1)
        return found

    def why_not(
        self,
        workload: str,
        victim: str,
        at: int | None = None,
        language: str | Catalog = "en",
    ) -> Explanation:
        """Return why a workload does not preempt another one, or that it does."""
        from kueuelab.trace.explain import why_not

        keys = self.key_of(workload), self.key_of(victim)
        return why_not(self.main_trace, *keys, at, language_of(language))
