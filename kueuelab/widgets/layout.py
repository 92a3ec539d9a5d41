"""The places of the lines and nodes of the cohort graph, in pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from kueuelab.trace.cohort_tree import NodeId, graph_of
from kueuelab.views.tree import Node, Tree

if TYPE_CHECKING:
    from networkx import DiGraph

__all__ = ["Layout"]

#: Up to so many lines, each has room for its numbers above its bar.
_ROOMY: Final = 24
#: Pixels: the height of a line with a bar and of one without, if roomy and if not.
_HEIGHTS: Final = {True: (46, 26), False: (28, 20)}
#: Pixels below the top of a line: its bar and its strip.
_PLACES: Final = {True: (25.0, 39.5), False: (12.0, 24.0)}
_MARGIN: Final = 6


@dataclass(frozen=True)
class Layout:
    """The lines from top to bottom. Heights are negative: they grow upwards in a figure.

    Examples
    --------
    >>> from kueuelab.trace.reading import State
    >>> from kueuelab.views.tree import tree_of
    >>> queue = {"kind": "ClusterQueue", "spec": {"cohortName": "team"}}
    >>> layout = Layout(tree_of(State({"": {"objects": {"ClusterQueue/a": queue}}})))
    >>> layout.height, layout.bar(0), layout.bar(1)
    (64, -19.0, -45.0)
    >>> list(layout.strokes(0, -64))
    [(0, -19.0), (0, -45.0), (1, -45.0), (1, -45.0), (0, -45.0), (0, -19.0), None]
    """

    tree: Tree

    @property
    def roomy(self) -> bool:
        """Whether bars have captions."""
        return self.tree.lines <= _ROOMY

    @cached_property
    def _nodes(self) -> tuple[Node, ...]:
        return tuple(node for node in self.tree.nodes for _ in node.lanes)

    def node(self, line: int) -> Node:
        """Return the cohort or queue that a line belongs to."""
        return self._nodes[line]

    @cached_property
    def _barred(self) -> tuple[bool, ...]:
        """Whether there is a bar in a line."""
        return tuple(lane.quota is not None for node in self.tree.nodes for lane in node.lanes)

    @cached_property
    def _tops(self) -> tuple[int, ...]:
        with_bar, without = _HEIGHTS[self.roomy]
        heights = (with_bar if barred else without for barred in self._barred)
        return tuple(accumulate(heights, initial=_MARGIN))

    @property
    def height(self) -> int:
        """The height of the whole picture."""
        return self._tops[-1] + _MARGIN

    def bar(self, line: int) -> float:
        """Return the middle of the bar of a line, or of its chips if it has no bar."""
        if self._barred[line]:
            return -(self._tops[line] + _PLACES[self.roomy][0])
        return -(self._tops[line] + _HEIGHTS[self.roomy][1] / 2)

    def strip(self, line: int) -> float:
        """Return the middle of the strip below the bar of a line."""
        return -(self._tops[line] + _PLACES[self.roomy][1])

    def caption(self, line: int) -> float:
        """Return the middle of the caption above the bar of a line."""
        return -(self._tops[line] + 7.5)

    def lines(self, top: float, bottom: float) -> range:
        """Return the lines between two heights, counted in pixels from the top."""
        found = [
            line
            for line in range(self.tree.lines)
            if self._tops[line + 1] > top and self._tops[line] < bottom
        ]
        return range(found[0], found[-1] + 1) if found else range(0)

    @cached_property
    def graph(self) -> DiGraph[NodeId]:
        """The tree as a graph, with the place of each node: its depth, and its height."""
        graph = graph_of({node.key: node.parent for node in self.tree.nodes})
        for node in self.tree.nodes:
            graph.nodes[node.key]["at"] = (node.depth, self.bar(node.lanes[0].line))
        return graph

    def place(self, node: Node) -> tuple[int, float]:
        """Return the depth and the height of a node."""
        at: tuple[int, float] = self.graph.nodes[node.key]["at"]
        return at

    @cached_property
    def _lowest(self) -> dict[tuple[str, str], float]:
        """The height of the lowest node at or below each node."""
        found: dict[tuple[str, str], float] = {}
        for node in reversed(self.tree.nodes):
            below = (found[key] for key in self.graph.successors(node.key))
            found[node.key] = min(below, default=self.place(node)[1])
        return found

    def strokes(self, highest: float, lowest: float) -> Iterator[tuple[int, float] | None]:
        """Yield the ends of the lines of the tree between two heights: their depth, and height.

        The lines of each root are drawn in one go, from each node back to the one above it: a
        picture with few lines is drawn sooner. ``None`` stands between two roots.
        """
        for node in self.tree.nodes:
            if node.parent is None and self._crosses(node.key, highest, lowest):
                yield from self._strokes(node.key, highest, lowest)
                yield None

    def _strokes(
        self, key: tuple[str, str], highest: float, lowest: float
    ) -> Iterator[tuple[int, float]]:
        depth, height = self.graph.nodes[key]["at"]
        yield depth, height
        for below in self.graph.successors(key):
            _, turn = self.graph.nodes[below]["at"]
            if self._lowest[below] > highest:
                continue
            yield depth, turn
            if turn < lowest:
                break
            yield from self._strokes(below, highest, lowest)
            yield depth, turn
        yield depth, height

    def _crosses(self, key: tuple[str, str], highest: float, lowest: float) -> bool:
        top: float = self.graph.nodes[key]["at"][1]
        return top >= lowest and self._lowest[key] <= highest
