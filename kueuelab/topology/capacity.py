"""How many pods and slices fit into each domain, from the leaves up.

The counts of a kind of pod are kept, and brought up to date from the leaves whose usage changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from kueuelab.topology.feasible import Exclusions, Feasible
from kueuelab.topology.tree import Leaf, TopologyTree

__all__ = ["Capacity", "PodShape"]

#: What a pod requests, sorted; one of ``pods`` is among it.
Requests = tuple[tuple[str, int], ...]

_MOST: Final = 2**31 - 1


class PodShape(NamedTuple):
    """What decides how many pods fit into a leaf, and how they count above it.

    Attributes
    ----------
    requests
        What one pod requests.
    leader
        What the leader of the group requests, ``None`` without a leader.
    slice_size, slice_level
        Pods come in slices of that size, each within one domain of that level.
    inner_sizes
        Level to the size of inner slices there: only whole ones count.
    empty
        Count as if no workload used anything.
    """

    requests: Requests
    leader: Requests | None = None
    slice_size: int = 1
    slice_level: int = 0
    inner_sizes: tuple[tuple[int, int], ...] = ()
    empty: bool = False


class Capacity:
    """What fits into each domain, level by level, domains by position.

    Attributes
    ----------
    pods, slices
        How many fit.
    pods_with_leader, slices_with_leader
        How many fit beside a leader.
    leaders
        Whether a leader fits: 1 or 0.
    scores
        What the preferred node affinity makes of it.
    found
        What searches found with these counts, by what they were for; forgotten if counts change.
    """

    __slots__ = (
        "_feasible",
        "_inner",
        "_limits",
        "_seen",
        "_shape",
        "_tree",
        "found",
        "has_preferences",
        "leaders",
        "pods",
        "pods_with_leader",
        "scores",
        "slices",
        "slices_with_leader",
    )

    def __init__(self, tree: TopologyTree, shape: PodShape, feasible: Feasible) -> None:
        self._tree = tree
        self._shape = shape
        self._feasible = feasible
        self._inner = dict(shape.inner_sizes)
        self.found: dict[Hashable, Any] = {}
        self._limits: list[str] = [""] * len(tree.leaves)
        self.pods = _zeros(tree)
        self.scores = _zeros(tree)
        self.leaders = _zeros(tree)
        # Without a leader, what fits beside it is the same; without slices, a pod is one.
        self.pods_with_leader = self.pods if shape.leader is None else _zeros(tree)
        bottom = len(tree.levels) - 1
        if shape.slice_size == 1 and shape.slice_level == bottom:
            self.slices, self.slices_with_leader = self.pods, self.pods_with_leader
        else:
            self.slices = _zeros(tree)
            self.slices_with_leader = self.slices if shape.leader is None else _zeros(tree)
        for position in feasible.scores:
            self._count_leaf(tree.leaves[position])
        #: Whether some domain is preferred to others.
        self.has_preferences = any(feasible.scores.values())
        if self.has_preferences:
            self._score(feasible.scores)
        # A leaf has no children; its slices are its pods, unless there are slices of several.
        lowest = bottom - 1 if self.slices is self.pods else bottom
        for level in range(lowest, -1, -1):
            for position in range(len(tree.values[level])):
                self._roll_up(level, position)
        self._seen = len(tree.changes)

    @property
    def has_leader(self) -> bool:
        """Whether room beside a leader is counted, too."""
        return self._shape.leader is not None

    def refresh(self) -> None:
        """Bring the counts up to date with the leaves that changed."""
        tree = self._tree
        if self._seen == len(tree.changes):
            return
        changed = set(tree.changes[self._seen :])
        self._seen = len(tree.changes)
        scores, leaves = self._feasible.scores, tree.leaves
        # What was simulated and restored changes nothing.
        touched = {
            position
            for position in changed
            if position in scores and self._count_leaf(leaves[position])
        }
        if not touched:
            return
        self.found.clear()
        for level in range(len(tree.levels) - 1, -1, -1):
            for position in touched:
                self._roll_up(level, position)
            touched = {tree.parents[level][position] for position in touched} if level else set()

    def forget_changes(self) -> None:
        """Count changes of leaves from the first again, after their list was emptied."""
        self._seen = 0

    def limited_by(self) -> Counter[str]:
        """Return how many leaves have no room for a single pod, by the resource that is short."""
        pods = self.pods[-1]
        return Counter(
            self._limits[position]
            for position in self._feasible.scores
            if pods[position] == 0 and self._limits[position]
        )

    def exclusions(self, *, outside: int = 0) -> Exclusions:
        """Return what excludes leaves; ``outside`` a domain that was asked for are so many."""
        known = self._feasible.exclusions
        return Exclusions(
            known.total,
            known.node_selector,
            known.affinity,
            outside,
            known.taints,
            self.limited_by(),
        )

    # --- counting ----------------------------------------------------------------------

    def _count_leaf(self, leaf: Leaf) -> bool:
        """Count what fits into a leaf; tell whether it differs from before."""
        shape, position, bottom = self._shape, leaf.position, len(self.pods) - 1
        pods, limit = _count_in(leaf, shape.requests, empty=shape.empty)
        changed = self.pods[bottom][position] != pods or self._limits[position] != limit
        self.pods[bottom][position] = pods
        self._limits[position] = limit
        return self._count_beside_leader(leaf) or changed

    def _count_beside_leader(self, leaf: Leaf) -> bool:
        """Count what fits into a leaf beside a leader; tell whether it differs from before."""
        shape, position, bottom = self._shape, leaf.position, len(self.pods) - 1
        if shape.leader is None:
            return False
        before = self.leaders[bottom][position], self.pods_with_leader[bottom][position]
        fits = _count_in(leaf, shape.leader, empty=shape.empty)[0] > 0
        taken = dict(shape.leader) if fits else {}
        beside = _count_in(leaf, shape.requests, empty=shape.empty, taken=taken)[0]
        self.leaders[bottom][position] = int(fits)
        self.pods_with_leader[bottom][position] = beside
        return before != (int(fits), beside)

    def _score(self, scores: Mapping[int, int]) -> None:
        """Add up the scores of leaves in the domains above them."""
        bottom = len(self.scores) - 1
        for position, score in scores.items():
            self.scores[bottom][position] = score
        for level in range(bottom - 1, -1, -1):
            for position, children in enumerate(self._tree.children[level]):
                self.scores[level][position] = sum(_part(self.scores[level + 1], children))

    def _roll_up(self, level: int, position: int) -> None:
        """Derive the counts of a domain from its children, or its slices from its pods."""
        shape = self._shape
        if level < len(self._tree.levels) - 1:
            self._add_children(level, position)
        if level == shape.slice_level and self.slices is not self.pods:
            size = shape.slice_size
            self.slices[level][position] = self.pods[level][position] // size
            if shape.leader is not None:
                with_leader = self.pods_with_leader[level][position] // size
                self.slices_with_leader[level][position] = with_leader

    def _add_children(self, level: int, position: int) -> None:
        below = level + 1
        children = self._tree.children[level][position]
        inner = self._inner.get(below, 1)
        pods = _whole(_part(self.pods[below], children), inner)
        self.pods[level][position] = total = sum(pods)
        slices: Sequence[int] = ()
        if self.slices is not self.pods:
            slices = _part(self.slices[below], children)
            self.slices[level][position] = sum(slices)
        if self._shape.leader is None:
            return
        leaders = _part(self.leaders[below], children)
        self.leaders[level][position] = max(leaders)
        # Beside the leader fits what is lost least, in one of the children that have room for it.
        with_leader = _whole(_part(self.pods_with_leader[below], children), inner)
        lost = _least_lost(pods, with_leader, leaders)
        self.pods_with_leader[level][position] = 0 if lost is None else total - lost
        if self.slices_with_leader is not self.pods_with_leader:
            lost = _least_lost(slices, _part(self.slices_with_leader[below], children), leaders)
            fits = 0 if lost is None else sum(slices) - lost
            self.slices_with_leader[level][position] = fits

    # --- copies to plan with -----------------------------------------------------------

    def copy(self) -> Capacity:
        """Return a copy that may be changed."""
        copied = object.__new__(Capacity)
        copied._tree, copied._shape, copied._feasible = self._tree, self._shape, self._feasible
        copied._inner, copied._limits, copied._seen = self._inner, self._limits, self._seen
        copied.scores, copied.has_preferences = self.scores, self.has_preferences
        copied.leaders = _copied(self.leaders)
        copied.pods = _copied(self.pods)
        copied.slices = _copied(self.slices)
        if self._shape.leader is None:
            copied.pods_with_leader, copied.slices_with_leader = copied.pods, copied.slices
        else:
            copied.pods_with_leader = _copied(self.pods_with_leader)
            copied.slices_with_leader = _copied(self.slices_with_leader)
        return copied

    def clear(self, level: int, position: int, *, leader_only: bool = False) -> None:
        """Let nothing, or only no leader, fit into a domain and those below it."""
        counts = [self.pods_with_leader, self.slices_with_leader, self.leaders]
        if not leader_only:
            counts += [self.pods, self.slices]
        positions = range(position, position + 1)
        for at in range(level, len(self._tree.levels)):
            for count in counts:
                count[at][positions.start : positions.stop] = [0] * len(positions)
            if at < len(self._tree.levels) - 1 and positions:
                below = self._tree.children[at]
                positions = range(below[positions[0]].start, below[positions[-1]].stop)

    def recount(self, level: int, position: int) -> None:
        """Derive the counts of a domain and those below it from the leaves; of a copy only.

        Inner slices do not matter here.
        """
        self._inner = {}
        if level < len(self._tree.levels) - 1:
            for child in self._tree.children[level][position]:
                self.recount(level + 1, child)
        self._roll_up(level, position)


def _zeros(tree: TopologyTree) -> list[list[int]]:
    return [[0] * len(values) for values in tree.values]


def _copied(counts: Iterable[Sequence[int]]) -> list[list[int]]:
    return [list(level) for level in counts]


def _part(counts: Sequence[int], children: range) -> Sequence[int]:
    return counts[children.start : children.stop]


def _whole(counts: Sequence[int], size: int) -> Sequence[int]:
    return counts if size == 1 else [count // size * size for count in counts]


def _least_lost(
    counts: Sequence[int], with_leader: Sequence[int], leaders: Sequence[int]
) -> int | None:
    triples = zip(counts, with_leader, leaders, strict=True)
    return min((count - beside for count, beside, leader in triples if leader), default=None)


def _count_in(
    leaf: Leaf, requests: Requests, *, empty: bool, taken: Mapping[str, int] | None = None
) -> tuple[int, str]:
    """Return how often requests fit into what is left of a leaf, and which resource limits it.

    It is asked for each leaf and kind of pods: no calls, and no look at what is empty.
    """
    free, assumed, usage = leaf.free, leaf.assumed, {} if empty else leaf.usage
    best, limit = _MOST + 1, ""
    for name, amount in requests:
        left = free.get(name, 0)
        if usage:
            left -= usage.get(name, 0)
        if assumed:
            left -= assumed.get(name, 0)
        if taken:
            left -= taken.get(name, 0)
        count = left // amount if amount else _MOST
        if count < 0:
            count = 0
        elif count > _MOST:
            count = _MOST
        if count < best:
            best, limit = count, name
    return best, limit
