"""The cohort picture: bars of quota, chips of workloads, arrows of borrowing, as data.

Lengths are fractions of the width of the picture. What is drawn here, and how it reads as
text, is decided; what it looks like is the renderer's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kueuelab.messages import Message
from kueuelab.views.bars import Arrow, Bar, arrows_of, bars_of
from kueuelab.views.chips import Chip, Chips
from kueuelab.views.preemption_view import PreemptionView, preemption_view_at
from kueuelab.views.run_index import RunIndex
from kueuelab.views.text_bar import text_bar
from kueuelab.views.tree import Node, Tree

__all__ = ["CohortPicture", "Row", "cohort_picture"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the picture as a row: ``key`` is the kind and the name of its node."""

    key: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CohortPicture:
    """Everything the cohort graph shows at one step."""

    tree: Tree
    bars: tuple[Bar, ...]
    chips: tuple[Chip, ...]
    arrows: tuple[Arrow, ...]
    inactive: frozenset[str]
    view: PreemptionView

    def as_text(self) -> str:
        """Return the picture as an indented list."""
        bars: dict[int, Bar] = {each.line: each for each in self.bars}
        chips: dict[int, list[Chip]] = {}
        for chip in self.chips:
            chips.setdefault(chip.line, []).append(chip)
        return "\n".join(
            line for node in self.tree.nodes for line in self._lines_of(node, bars, chips)
        )

    def rows(self) -> Iterator[Row]:
        """Yield the picture as rows of a table."""
        bars = {each.line: each for each in self.bars}
        chips: dict[int, list[str]] = {}
        for chip in self.chips:
            chips.setdefault(chip.line, []).append(chip.label)
        for node in self.tree.nodes:
            name = f"{'· ' * node.depth}{node.name}"
            for lane in node.lanes:
                drawn, held = bars.get(lane.line), ", ".join(chips.get(lane.line, ()))
                cells = ("", "", "", "", "", "") if drawn is None else drawn.cells
                yield Row(f"{node.kind} {node.name}", (name, *cells, held))

    def _lines_of(
        self, node: Node, bars: Mapping[int, Bar], chips: Mapping[int, list[Chip]]
    ) -> Iterator[str]:
        indent = "  " * node.depth
        note = " (inactive)" if node.kind == "ClusterQueue" and node.name in self.inactive else ""
        title = f"{indent}{node.kind} {node.name}{note}"
        if node.kind == "LocalQueue":
            waiting = ", ".join(f"{chip.label}" for chip in chips.get(node.lanes[0].line, []))
            if waiting:
                yield Message("widgets.queues.pending-list", queue=title, pending=waiting)
            else:
                yield Message("widgets.queues.pending-none", queue=title)
            return
        yield title
        for lane in node.lanes:
            drawn = bars.get(lane.line)
            if drawn is None:
                continue
            yield f"{indent}  {text_bar(drawn.used, drawn.nominal)} {drawn.label}"
            held = ", ".join(chip.label for chip in chips.get(lane.line, []))
            if held:
                yield Message("widgets.queues.held-by", indent=indent, held=held)


def cohort_picture(run_index: RunIndex, index: int, lines: range | None = None) -> CohortPicture:
    """Return what the cohort graph shows after a step; only some of its lines, if given."""
    trace = run_index.trace
    state = run_index.state(index)
    tree = run_index.tree(index)
    view = preemption_view_at(trace, index)
    seen = range(tree.lines) if lines is None else lines
    every = tuple(bars_of(run_index, state, tree))
    bars = tuple(each for each in every if each.line in seen)
    found = Chips(run_index, index, tree, view)
    return CohortPicture(
        tree,
        bars,
        (*found.holding({each.line: each for each in bars}), *found.waiting(seen)),
        tuple(
            arrow
            for arrow in arrows_of(tree, every)
            if arrow.from_line in seen or arrow.to_line in seen
        ),
        frozenset(
            node.name
            for node in tree.nodes
            if node.kind == "ClusterQueue" and not state.cluster_queue(node.name).is_active
        ),
        view,
    )
