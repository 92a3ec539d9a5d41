"""The tree of cohorts, ClusterQueues and LocalQueues, also as a networkx graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from kueuelab.trace.reading import State

if TYPE_CHECKING:
    from networkx import DiGraph

__all__ = ["NodeId", "cohort_graph", "graph_of", "parents_in"]

#: Kind and name of an object; a LocalQueue's name is ``namespace/name``.
NodeId: TypeAlias = tuple[str, str]


def parents_in(state: State) -> dict[NodeId, NodeId | None]:
    """Return the parent of each cohort, ClusterQueue and LocalQueue, ``None`` for none.

    Cohorts that are only referred to are there too. Where parents form a circle, the
    circle is cut.
    """
    parents: dict[NodeId, NodeId | None] = {
        node: ("Cohort", parent) if parent else None for node, parent in _cohorts(state).items()
    }
    for queue in state.names("LocalQueue"):
        target = ("ClusterQueue", state.local_queue(queue).cluster_queue)
        if target in parents:
            parents["LocalQueue", queue] = target
    return parents


def _cohorts(state: State) -> dict[NodeId, str]:
    parents = {("Cohort", name): state.cohort(name).parent for name in state.names("Cohort")}
    queues = {
        ("ClusterQueue", name): state.cluster_queue(name).parent
        for name in state.names("ClusterQueue")
    }
    for parent in [*parents.values(), *queues.values()]:
        if parent:
            parents.setdefault(("Cohort", parent), "")
    for kind, name in list(parents):
        seen = {name}
        at = parents[kind, name]
        while at and at not in seen:
            seen.add(at)
            at = parents.get(("Cohort", at), "")
        if at == name:
            parents[kind, name] = ""
    return parents | queues


def graph_of(parents: Mapping[NodeId, NodeId | None]) -> DiGraph[NodeId]:
    """Return a tree as a graph, with an edge from each parent to each of its children."""
    from networkx import DiGraph

    graph: DiGraph[NodeId] = DiGraph()
    graph.add_nodes_from(parents)
    graph.add_edges_from((parent, node) for node, parent in parents.items() if parent is not None)
    return graph


def cohort_graph(state: State) -> DiGraph[NodeId]:
    """Return the tree of cohorts as a networkx graph.

    Parameters
    ----------
    state
        The state of one cluster after a step.

    Returns
    -------
    networkx.DiGraph
        A node for each object, ``(kind, name)``, with an edge from its parent. Cohorts and
        ClusterQueues have the attributes ``nominal`` and ``usage``: amounts by flavor and
        resource, in Kueue's integer unit (milli for cpu).

    Examples
    --------
    >>> queue = {"kind": "ClusterQueue", "spec": {"cohortName": "team"}}
    >>> graph = cohort_graph(State({"": {"objects": {"ClusterQueue/a": queue}}}))
    >>> list(graph.edges)
    [(('Cohort', 'team'), ('ClusterQueue', 'a'))]
    """
    graph = graph_of(parents_in(state))
    for kind, name in graph:
        if kind != "LocalQueue":
            node = state.cohort(name) if kind == "Cohort" else state.cluster_queue(name)
            nominal = {(each.flavor, each.resource): each.nominal for each in node.quotas}
            graph.add_node((kind, name), nominal=nominal, usage=node.usage)
    return graph
