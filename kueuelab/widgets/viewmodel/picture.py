"""The cohort picture: bars of quota, chips of workloads, arrows of borrowing, as data.

Lengths are fractions of the width of the picture. What is drawn here, and how it reads as
text, is decided; what it looks like is the renderer's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from kueuelab.model import UNLIMITED
from kueuelab.trace import steps
from kueuelab.trace.wording import amount_text
from kueuelab.widgets.viewmodel.background import Background
from kueuelab.widgets.viewmodel.reading import (
    Holding,
    Quota,
    holdings,
    is_active,
    short_name,
    usage_of,
    workload_keys,
    workload_reading,
)
from kueuelab.widgets.viewmodel.scene import Role, Scene, scene_at
from kueuelab.widgets.viewmodel.tables import bar
from kueuelab.widgets.viewmodel.tree import Node, Tree

__all__ = ["MARKS", "Arrow", "Bar", "Chip", "CohortPicture", "cohort_picture"]

#: What stands before the name of a workload, so that no part is told by colour alone.
MARKS: Final[Mapping[Role, str]] = {
    Role.NONE: "",
    Role.HEAD: "▸ ",
    Role.PREEMPTOR: "▶ ",
    Role.CANDIDATE: "? ",
    Role.EXCLUDED: "∅ ",
    Role.PASSED_OVER: "– ",
    Role.REMOVED: "○ ",
    Role.FILLED_BACK: "↩ ",
    Role.TARGET: "✖ ",
}

#: More chips than this in one line are drawn together, the smallest ones first.
_MOST_CHIPS: Final = 30


@dataclass(frozen=True, slots=True)
class Bar:
    """One flavor and resource of a node: amounts, and where they end in the picture.

    ``lends`` is how much of its unused quota the others of the tree may be using.
    """

    node: tuple[str, str]
    line: int
    flavor: str
    resource: str
    nominal: int
    used: int
    borrowed: int
    lends: int
    lenders: int
    borrowing_limit: int | None
    lending_limit: int | None
    extent: int

    def at(self, amount: int) -> float:
        """Return where an amount ends, as a fraction of the width."""
        return min(amount / self.extent, 1.6)

    @property
    def label(self) -> str:
        """The numbers in words."""
        return ", ".join(
            [
                f"{self.flavor}/{self.resource}",
                f"{self._text(self.used)} of {self._text(self.nominal)} used",
                *([f"borrows {self._text(self.borrowed)}"] if self.borrowed else []),
                *(
                    [f"lends {'up to ' * (self.lenders > 1)}{self._text(self.lends)}"]
                    if self.lends
                    else []
                ),
                *(
                    [f"may borrow {self._text(self.borrowing_limit)}"]
                    if self.borrowing_limit is not None
                    else []
                ),
                *(
                    [f"lends at most {self._text(self.lending_limit)}"]
                    if self.lending_limit is not None
                    else []
                ),
            ]
        )

    def _text(self, amount: int) -> str:
        return amount_text(self.resource, amount)


@dataclass(frozen=True, slots=True)
class Chip:
    """A workload in a line: holding quota, or waiting.

    ``workload`` is ``""`` where it stands for several, or for quota that is set aside.
    """

    workload: str
    line: int
    start: float
    length: float
    label: str
    role: Role
    shade: float
    waiting: bool
    hollow: bool
    about: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """Quota that is borrowed: from one line to another."""

    from_line: int
    to_line: int
    start: float
    end: float
    label: str


@dataclass(frozen=True, slots=True)
class CohortPicture:
    """Everything the cohort graph shows at one step."""

    tree: Tree
    bars: tuple[Bar, ...]
    chips: tuple[Chip, ...]
    arrows: tuple[Arrow, ...]
    inactive: frozenset[str]
    scene: Scene

    def as_text(self) -> str:
        """Return the picture as an indented list."""
        bars: dict[int, Bar] = {each.line: each for each in self.bars}
        chips: dict[int, list[Chip]] = {}
        for chip in self.chips:
            chips.setdefault(chip.line, []).append(chip)
        return "\n".join(
            line for node in self.tree.nodes for line in self._lines_of(node, bars, chips)
        )

    def _lines_of(
        self, node: Node, bars: Mapping[int, Bar], chips: Mapping[int, list[Chip]]
    ) -> Iterator[str]:
        indent = "  " * node.depth
        note = " (inactive)" if node.kind == "ClusterQueue" and node.name in self.inactive else ""
        title = f"{indent}{node.kind} {node.name}{note}"
        if node.kind == "LocalQueue":
            waiting = ", ".join(f"{chip.label}" for chip in chips.get(node.lanes[0].line, []))
            yield f"{title}: {'waiting: ' + waiting if waiting else 'nobody waits'}"
            return
        yield title
        for lane in node.lanes:
            drawn = bars.get(lane.line)
            if drawn is None:
                continue
            yield f"{indent}  {bar(drawn.used, drawn.nominal)} {drawn.label}"
            held = ", ".join(chip.label for chip in chips.get(lane.line, []))
            if held:
                yield f"{indent}    held by: {held}"


def cohort_picture(background: Background, index: int) -> CohortPicture:
    """Return what the cohort graph shows after a step."""
    trace = background.trace
    state = background.state(index)
    tree = background.tree(index)
    scene = scene_at(trace.steps, index)
    bars = tuple(_bars(background, state, tree))
    found = _Chips(background, index, state, tree, scene)
    return CohortPicture(
        tree,
        bars,
        (*found.holding({each.line: each for each in bars}), *found.waiting()),
        tuple(_arrows(tree, bars)),
        frozenset(
            node.name
            for node in tree.nodes
            if node.kind == "ClusterQueue" and not is_active(state, node.name)
        ),
        scene,
    )


# --- bars ------------------------------------------------------------------------------


def _bars(background: Background, state: Mapping[str, Any], tree: Tree) -> Iterator[Bar]:
    roots = _roots(tree)
    usages = {node.name: usage_of(state, *node.key) for node in _queues(tree)}
    borrowed: dict[tuple[tuple[str, str], str, str], int] = {}
    idle: dict[tuple[tuple[str, str], str, str], list[tuple[str, int]]] = {}
    for node in _queues(tree):
        for own in _quotas(node):
            place = (roots[node.key], own.flavor, own.resource)
            rest = own.nominal - usages[node.name].get((own.flavor, own.resource), 0)
            if rest < 0:
                borrowed[place] = borrowed.get(place, 0) - rest
            elif rest > 0 and node.parent is not None:
                limit = own.lending_limit
                lendable = rest if limit is None else min(rest, limit)
                if lendable:
                    idle.setdefault(place, []).append((node.name, lendable))
    for node in tree.nodes:
        if node.kind == "Cohort":
            yield from _cohort_bars(node, tree, usages)
        elif node.kind == "ClusterQueue":
            for lane in node.lanes:
                if (quota := lane.quota) is None:
                    continue
                place = (roots[node.key], quota.flavor, quota.resource)
                used = usages[node.name].get((quota.flavor, quota.resource), 0)
                lendable = dict(idle.get(place, ())).get(node.name, 0)
                yield Bar(
                    node.key,
                    lane.line,
                    quota.flavor,
                    quota.resource,
                    quota.nominal,
                    used,
                    borrowed=max(0, used - quota.nominal),
                    lends=min(lendable, borrowed.get(place, 0)),
                    lenders=len(idle.get(place, ())),
                    borrowing_limit=quota.borrowing_limit,
                    lending_limit=quota.lending_limit,
                    extent=background.extent(quota.resource),
                )


def _cohort_bars(
    node: Node, tree: Tree, usages: Mapping[str, Mapping[tuple[str, str], int]]
) -> Iterator[Bar]:
    """Sum up what is below a cohort; its bar is as wide as all that quota."""
    below = _below(tree, node)
    for lane in node.lanes:
        quota = lane.quota
        if quota is None:
            continue
        place = (quota.flavor, quota.resource)
        used = sum(usages[each.name].get(place, 0) for each in below if each.name in usages)
        nominal = sum(
            own.nominal
            for each in (node, *below)
            for own in (each.own if each.kind == "Cohort" else _quotas(each))
            if (own.flavor, own.resource) == place
        )
        nominal = min(nominal, UNLIMITED)
        limits = next((own for own in node.own if (own.flavor, own.resource) == place), None)
        yield Bar(
            node.key,
            lane.line,
            quota.flavor,
            quota.resource,
            nominal,
            used,
            borrowed=0,
            lends=0,
            lenders=0,
            borrowing_limit=limits.borrowing_limit if limits else None,
            lending_limit=limits.lending_limit if limits else None,
            extent=max(1, used if nominal >= UNLIMITED else max(used, nominal)),
        )


def _queues(tree: Tree) -> Iterator[Node]:
    return (node for node in tree.nodes if node.kind == "ClusterQueue")


def _quotas(node: Node) -> Iterator[Quota]:
    return (lane.quota for lane in node.lanes if lane.quota is not None)


def _roots(tree: Tree) -> dict[tuple[str, str], tuple[str, str]]:
    roots: dict[tuple[str, str], tuple[str, str]] = {}
    for node in tree.nodes:  # parents come before their children
        roots[node.key] = node.key if node.parent is None else roots[node.parent]
    return roots


def _below(tree: Tree, top: Node) -> list[Node]:
    inside = {top.key}
    found = []
    for node in tree.nodes:
        if node.parent in inside and node.kind != "LocalQueue":
            inside.add(node.key)
            found.append(node)
    return found


# --- arrows ----------------------------------------------------------------------------


def _arrows(tree: Tree, bars: Iterable[Bar]) -> Iterator[Arrow]:
    """Draw borrowing from the lender if there is only one, else from the cohort."""
    parents = {node.key: node.parent for node in tree.nodes}
    roots = _roots(tree)
    places: dict[tuple[tuple[str, str], str, str], list[Bar]] = {}
    for each in bars:
        places.setdefault((roots[each.node], each.flavor, each.resource), []).append(each)
    for together in places.values():
        lenders = [each for each in together if each.lends]
        for borrower in together:
            if not borrower.borrowed:
                continue
            source = next((each for each in together if each.node == parents[borrower.node]), None)
            if len(lenders) == 1:
                source = lenders[0]
            if source is None:
                continue
            lent = source.at(source.nominal) - source.at(source.lends) / 2
            over = (borrower.at(borrower.nominal) + borrower.at(borrower.used)) / 2
            yield Arrow(
                source.line,
                borrower.line,
                lent if source.lends else source.at(source.nominal),
                over,
                amount_text(borrower.resource, borrower.borrowed),
            )


# --- chips -----------------------------------------------------------------------------


class _Chips:
    """Places workloads in lines."""

    def __init__(
        self,
        background: Background,
        index: int,
        state: Mapping[str, Any],
        tree: Tree,
        scene: Scene,
    ) -> None:
        self._background = background
        self._index = index
        self._state = state
        self._tree = tree
        self._roles = scene.roles()
        self._spared = _members(tree, [skipped.name for skipped in scene.skipped])

    def holding(self, bars: Mapping[int, Bar]) -> Iterator[Chip]:
        """Yield the workloads that hold quota, and the quota set aside in this cycle."""
        lines = {
            (bar_.node[1], bar_.flavor, bar_.resource): bar_
            for bar_ in bars.values()
            if bar_.node[0] == "ClusterQueue"
        }
        by_line: dict[int, list[Chip]] = {}
        aside = self._set_aside(lines)
        for holding in holdings(self._state):
            drawn = lines.get((holding.cluster_queue, holding.flavor, holding.resource))
            if drawn is not None and self._background.holds(holding.workload, self._index):
                chip = self._holding(holding, drawn)
                by_line.setdefault(drawn.line, []).append(chip)
        for drawn in lines.values():
            chips = [*_in_order(by_line.get(drawn.line, [])), *aside.get(drawn.line, ())]
            yield from _placed([*chips, *self._on_trial(drawn, chips)], drawn.line)

    def _on_trial(self, drawn: Bar, chips: Iterable[Chip]) -> Iterator[Chip]:
        """Show what is counted in this step only: it is neither held nor set aside."""
        known = sum(chip.length for chip in chips if chip.role is not Role.REMOVED)
        rest = drawn.used / drawn.extent - known
        if rest > 1e-9:
            amount = amount_text(drawn.resource, round(rest * drawn.extent))
            yield Chip(
                "",
                drawn.line,
                0.0,
                rest,
                f"{amount} on trial",
                Role.NONE,
                0.5,
                waiting=False,
                hollow=True,
                about="counted on trial, to see who fits then",
            )

    def _set_aside(self, lines: Mapping[tuple[str, str, str], Bar]) -> dict[int, list[Chip]]:
        """Return the quota that entries of this cycle take, or keep from later ones, by line."""
        found: dict[int, list[Chip]] = {}
        trace = self._background.trace
        cycle = trace.cycle_at(self._index)
        if cycle is None or self._index == cycle.last:
            return found
        for step in trace.steps[cycle.first : self._index + 1]:
            if not isinstance(step.facts, steps.QuotaHeld):
                continue
            for flavor, resource, amount in step.facts.usage:
                drawn = lines.get((step.cluster_queue, flavor, resource))
                if drawn is not None and amount > 0:
                    text = amount_text(resource, amount)
                    chip = Chip(
                        step.workload,
                        drawn.line,
                        0.0,
                        amount / drawn.extent,
                        f"{short_name(step.workload)} {text} (set aside)",
                        self._roles.get(step.workload, Role.NONE),
                        0.5,
                        waiting=False,
                        hollow=True,
                        about=f"{text} set aside in this cycle for {step.workload}",
                    )
                    found.setdefault(drawn.line, []).append(chip)
        return found

    def waiting(self) -> Iterator[Chip]:
        """Yield the workloads that wait, in the line of their LocalQueue."""
        lines = {
            node.name: node.lanes[0].line for node in self._tree.nodes if node.kind == "LocalQueue"
        }
        by_line: dict[int, list[tuple[tuple[Any, ...], Chip]]] = {}
        for key in workload_keys(self._state):
            found = workload_reading(self._state, key)
            if found is None or found.phase != "Pending" or found.queue not in lines:
                continue
            line = lines[found.queue]
            parked = found.place == "inadmissible"
            order = (parked, -found.priority, found.queued_at, key)
            by_line.setdefault(line, []).append((order, self._waiting(key, line, parked=parked)))
        for line in sorted(by_line):
            chips = [chip for _, chip in sorted(by_line[line], key=_first)]
            yield from _placed(_gathered(chips, chips[_MOST_CHIPS:]), line)

    def _holding(self, holding: Holding, drawn: Bar) -> Chip:
        found = workload_reading(self._state, holding.workload)
        priority = found.priority if found else 0
        phase = found.phase if found else ""
        role = self._role(holding.workload, holding.cluster_queue)
        amount = amount_text(holding.resource, holding.amount)
        return Chip(
            holding.workload,
            drawn.line,
            0.0,
            holding.amount / drawn.extent,
            _label(holding.workload, amount, priority, role, phase if phase == "Evicted" else ""),
            role,
            self._background.shade(priority),
            waiting=False,
            hollow=role is Role.REMOVED,
            about=f"{phase}, holds {amount} of {holding.flavor}/{holding.resource}",
        )

    def _waiting(self, key: str, line: int, *, parked: bool) -> Chip:
        found = workload_reading(self._state, key)
        assert found is not None
        requests = self._background.requests(key)
        size, text = max(
            (
                (amount / self._background.extent(name), amount_text(name, amount))
                for name, amount in requests.items()
            ),
            default=(0.1, ""),
        )
        role = self._role(key, "")
        return Chip(
            key,
            line,
            0.0,
            min(max(size, 0.02), 1.0),
            _label(key, text, found.priority, role, "set aside" if parked else ""),
            role,
            self._background.shade(found.priority),
            waiting=True,
            hollow=False,
            about=found.waiting or "waits for its turn",
        )

    def _role(self, key: str, cluster_queue: str) -> Role:
        role = self._roles.get(key, Role.NONE)
        return Role.EXCLUDED if role is Role.NONE and cluster_queue in self._spared else role


def _first(pair: tuple[tuple[Any, ...], Chip]) -> tuple[Any, ...]:
    return pair[0]


def _members(tree: Tree, names: Iterable[str]) -> set[str]:
    """Return the ClusterQueues of these names, or below cohorts of these names."""
    wanted = set(names)
    if not wanted:
        return set()
    found = {node.name for node in _queues(tree) if node.name in wanted}
    for node in tree.nodes:
        if node.kind == "Cohort" and node.name in wanted:
            found |= {each.name for each in _below(tree, node) if each.kind == "ClusterQueue"}
    return found


def _label(key: str, amount: str, priority: int, role: Role, note: str) -> str:
    notes = ", ".join(part for part in (str(role), note) if part)
    return " ".join(
        part
        for part in (short_name(key), amount, f"p{priority}", f"({notes})" if notes else "")
        if part
    )


def _in_order(chips: list[Chip]) -> list[Chip]:
    """Put what is removed last; draw many small ones together."""
    chips.sort(key=lambda chip: (chip.hollow, -chip.shade, chip.workload))
    return _gathered(chips, sorted(chips, key=lambda chip: -chip.length)[_MOST_CHIPS:])


def _gathered(chips: list[Chip], rest: list[Chip]) -> list[Chip]:
    """Draw those of the rest that play no part as one chip, at the end."""
    together = [chip for chip in rest if not chip.role and not chip.hollow]
    if len(together) < 2:
        return chips
    gone = {chip.workload for chip in together}
    waiting = together[0].waiting
    length = sum(chip.length for chip in together)
    return [
        *(chip for chip in chips if chip.workload not in gone),
        replace(
            together[0],
            workload="",
            length=min(length, 0.3) if waiting else length,
            label=f"{len(together)} more",
            about=f"{len(together)} more workloads",
        ),
    ]


def _placed(chips: Iterable[Chip], line: int) -> Iterator[Chip]:
    at = 0.0
    for chip in chips:
        yield replace(chip, line=line, start=at)
        at += chip.length
