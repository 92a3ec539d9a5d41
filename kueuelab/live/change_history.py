"""The last changes of a cluster: what counts for a workload is found without reading the rest."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TypeAlias

from kueuelab.model import ClusterObject, Workload
from kueuelab.workload import WorkloadState

__all__ = ["Ahead", "Change", "ChangeHistory", "Content", "ObjectKey", "Version", "contents_before"]

#: Kind and key of an object; the kind of a workload is ``""``.
ObjectKey: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Version:
    """A workload at one time; its state no longer changes.

    ``counts``: whether its usage counts in the quota tree.
    """

    model: Workload
    state: WorkloadState
    counts: bool


#: The object with a key; ``None`` if there is none.
Content: TypeAlias = Version | ClusterObject | None


@dataclass(frozen=True, slots=True)
class Change:
    """The change with the number ``mark``.

    ``moves_quota``: whether it can matter to workloads other than the one that changed.
    """

    mark: int
    time: int
    key: ObjectKey
    before: Content
    after: Content
    tree: str
    moves_quota: bool

    @property
    def is_admission(self) -> bool:
        """Whether a workload is admitted."""
        before, after = self.before, self.after
        return (
            isinstance(before, Version)
            and isinstance(after, Version)
            and before.model.status.admission is None
            and after.model.status.admission is not None
        )


@dataclass(frozen=True, slots=True)
class Ahead:
    """Later changes that count already.

    Kueue counts an admission at once, and writes it later: those of all workloads but ``but``,
    or that of ``only`` alone. And a watch may report late how an ``object`` was changed.
    """

    but: str = ""
    only: str = ""
    object: ObjectKey | None = None

    def contains(self, change: Change) -> bool:
        """Tell whether a change counts already."""
        if self.object is not None:
            return change.key == self.object
        workload = change.key[1]
        return change.is_admission and (
            workload == self.only if self.only else workload != self.but
        )


class ChangeHistory:
    """Changes in their order: all of them, those of a cohort tree, those of a workload."""

    def __init__(self) -> None:
        self._all: deque[Change] = deque()
        #: Changes of objects, which count in all trees.
        self._of_objects: deque[Change] = deque()
        #: Changes of workloads that move quota, by tree.
        self._of_trees: defaultdict[str, deque[Change]] = defaultdict(deque)
        self._of_workloads: defaultdict[str, deque[Change]] = defaultdict(deque)

    @property
    def last(self) -> Change | None:
        """The last change; ``None`` if there is none."""
        return self._all[-1] if self._all else None

    def add(self, change: Change) -> None:
        """Append a change."""
        for changes in self._lists_of(change):
            changes.append(change)

    def forget(self, before: int) -> None:
        """Forget the changes before a time."""
        while self._all and self._all[0].time < before:
            old = self._all[0]
            for changes in self._lists_of(old):
                changes.popleft()
            if not old.key[0] and not self._of_workloads[old.key[1]]:
                del self._of_workloads[old.key[1]]
            if not self._of_trees.get(old.tree, True):
                del self._of_trees[old.tree]

    def since(self, mark: int, tree: str, workloads: Collection[str]) -> list[Change]:
        """Return the changes from a mark on that can matter to workloads of a cohort tree."""
        objects = _from(self._of_objects, mark)
        if any(_changes_trees(change) for change in objects):
            return self.all_since(mark, tree)
        found = objects + _from(self._of_trees.get(tree, ()), mark)
        for key in workloads:
            own = _from(self._of_workloads.get(key, ()), mark)
            found += [each for each in own if not (each.moves_quota and each.tree == tree)]
        return sorted(found, key=lambda change: change.mark)

    def all_since(self, mark: int, tree: str) -> list[Change]:
        """Return the changes from a mark on of a cohort tree, and of objects.

        Where ClusterQueues may have been in other trees, those of all trees.
        """
        found = _from(self._all, mark)[::-1]
        if any(_changes_trees(change) for change in found):
            return found
        return [change for change in found if _concerns(change, tree)]

    def mark_since(self, time: int, otherwise: int) -> int:
        """Return the mark of the first change since a time, ``otherwise`` if there is none."""
        mark = otherwise
        for change in takewhile(lambda change: change.time >= time, reversed(self._all)):
            mark = change.mark
        return mark

    def mark_of_last(self, number: int, tree: str) -> int:
        """Return the mark of the first of the last changes in a cohort tree, so many of them."""
        mark = self._all[-1].mark + 1 if self._all else 0
        for change in islice((c for c in reversed(self._all) if _concerns(c, tree)), number):
            mark = change.mark
        return mark

    def _lists_of(self, change: Change) -> Iterator[deque[Change]]:
        yield self._all
        kind, name = change.key
        if kind:
            yield self._of_objects
            return
        yield self._of_workloads[name]
        if change.moves_quota:
            yield self._of_trees[change.tree]


def contents_before(
    changes: Iterable[Change], ahead: Ahead | None = None
) -> tuple[dict[ObjectKey, Content], bool]:
    """Return each object before the changes, and whether that differs from now.

    With ``ahead`` those changes stay; then the second value is whether there are any.
    """
    changes = list(changes)
    then = {change.key: change.before for change in reversed(changes)}
    if ahead is None:
        return then, bool(changes)
    kept: dict[ObjectKey, Content] = {}
    for change in changes:
        if ahead.contains(change):
            kept.setdefault(change.key, change.after)
    return then | kept, bool(kept)


def _concerns(change: Change, tree: str) -> bool:
    """Tell whether a change can matter in a cohort tree; a change of an object always can."""
    return change.key[0] != "" or change.tree == tree


def _changes_trees(change: Change) -> bool:
    """Tell whether workloads may have been in another cohort tree before a change."""
    return change.key[0] in ("ClusterQueue", "Cohort", "LocalQueue")


def _from(changes: Sequence[Change] | deque[Change], mark: int) -> list[Change]:
    return list(takewhile(lambda change: change.mark >= mark, reversed(changes)))
