"""Bars of quota, flavor by flavor, and the arrows of borrowing between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kueuelab.messages import Message
from kueuelab.model import UNLIMITED
from kueuelab.trace.reading import Quota, State
from kueuelab.trace.wording import amount_text
from kueuelab.views.amounts import amounts_text
from kueuelab.views.run_index import RunIndex
from kueuelab.views.tree import Node, Tree, below, nominal_below

__all__ = ["Arrow", "Bar", "arrows_of", "bars_of"]


@dataclass(frozen=True, slots=True)
class Bar:
    """One flavor and resource of a node: amounts, and where they end in the picture.

    ``lends`` is how much of its unused quota the others of the tree may be using. Only what
    has a parent can borrow.
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
    has_parent: bool = False

    def at(self, amount: int) -> float:
        """Return where an amount ends, as a fraction of the width."""
        return min(amount / self.extent, 1.6)

    @property
    def label(self) -> str:
        """The numbers in words."""
        used, nominal = amounts_text(self.resource, self.used, self.nominal)
        return ", ".join(
            [
                f"{self.flavor}/{self.resource}",
                Message("widgets.bar.used", used=used, nominal=nominal),
                *([self.percent] if self.is_cohort and self.used > self.nominal else []),
                *(
                    [Message("widgets.bar.borrows-now", amount=self._text(self.borrowed))]
                    if self.borrowed
                    else []
                ),
                *([Message("widgets.bar.cut-off")] if self.is_cut else []),
                *([Message("widgets.bar.lends-now", amount=self._lent)] if self.lends else []),
                *(
                    [Message("widgets.bar.may-borrow", amount=self._text(self.borrowing_limit))]
                    if self.borrowing_limit is not None
                    else []
                ),
                *(
                    [Message("widgets.bar.lends", amount=self._text(self.lending_limit))]
                    if self.lending_limit is not None
                    else []
                ),
            ]
        )

    @property
    def percent(self) -> str:
        """Which part of the nominal quota is used, and what is beyond it."""
        if not self.nominal:
            return Message("widgets.bar.no-nominal-quota")
        text = Message("widgets.bar.percent", used=self.used * 100 // self.nominal)
        if self.used <= self.nominal:
            return text
        beyond = self._text(self.used - self.nominal)
        id_ = "borrowed" if self.has_parent else "beyond"
        return Message(f"widgets.bar.percent-{id_}", percent=text, amount=beyond)

    @property
    def _lent(self) -> str:
        """What it lends; of several nodes only the most is known."""
        text = self._text(self.lends)
        return Message("widgets.bar.up-to", amount=text) if self.lenders > 1 else text

    @property
    def is_cohort(self) -> bool:
        """Whether it sums up what is below a cohort."""
        return self.node[0] == "Cohort"

    @property
    def is_cut(self) -> bool:
        """Whether its nominal quota is wider than the picture."""
        return self.extent < self.nominal < UNLIMITED

    @property
    def cells(self) -> tuple[str, str, str, str, str, str]:
        """What it is of, nominal quota, used, borrowed, lent, and limits."""
        limits = []
        if self.borrowing_limit is not None:
            limits.append(Message("widgets.bar.borrows", amount=self._text(self.borrowing_limit)))
        if self.lending_limit is not None:
            limits.append(Message("widgets.bar.lends", amount=self._text(self.lending_limit)))
        used, nominal = amounts_text(self.resource, self.used, self.nominal)
        return (
            f"{self.flavor}/{self.resource}",
            nominal,
            used,
            self._text(self.borrowed) if self.borrowed else "",
            self._lent if self.lends else "",
            ", ".join(limits),
        )

    def _text(self, amount: int) -> str:
        return amount_text(self.resource, amount)


@dataclass(frozen=True, slots=True)
class Arrow:
    """Quota that is borrowed: from one line to another."""

    from_line: int
    to_line: int
    start: float
    end: float
    label: str


def bars_of(run_index: RunIndex, state: State, tree: Tree) -> Iterator[Bar]:
    """Yield the bars of all cohorts and ClusterQueues."""
    roots = _roots(tree)
    usages = {node.name: state.cluster_queue(node.name).usage for node in _queues(tree)}
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
            yield from _cohort_bars(run_index, node, tree, usages)
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
                    extent=run_index.extent(quota.resource),
                    has_parent=node.parent is not None,
                )


def _cohort_bars(
    run_index: RunIndex,
    node: Node,
    tree: Tree,
    usages: Mapping[str, Mapping[tuple[str, str], int]],
) -> Iterator[Bar]:
    """Sum up what is below a cohort, on the scale of the queues."""
    members = below(tree, node)
    for lane in node.lanes:
        quota = lane.quota
        if quota is None:
            continue
        place = (quota.flavor, quota.resource)
        used = sum(usages[each.name].get(place, 0) for each in members if each.name in usages)
        nominal = nominal_below(tree, node, place)
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
            extent=run_index.extent(quota.resource),
            has_parent=node.parent is not None,
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


def arrows_of(tree: Tree, bars: Iterable[Bar]) -> Iterator[Arrow]:
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
            yield Arrow(
                source.line,
                borrower.line,
                source.at(source.nominal),
                borrower.at(borrower.used),
                amount_text(borrower.resource, borrower.borrowed),
            )
