"""The steps of a record, some of them stored together and separated when they are read."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from operator import attrgetter
from typing import Final, TypeAlias, overload

from kueuelab.frozen import fast_init
from kueuelab.trace.changes import weight_of
from kueuelab.trace.step import Change, Facts, Step

__all__ = ["StepBlock", "StepList", "Stored"]


@fast_init
@dataclass(frozen=True, slots=True)
class StepBlock:
    """Steps that differ in their facts alone, and change nothing.

    Attributes
    ----------
    index
        That of the first one.
    all_facts
        The facts of each.
    """

    index: int
    time: int
    cycle: int
    workload: str
    cluster_queue: str
    all_facts: Sequence[Facts]
    cluster: str = ""

    @property
    def changes(self) -> tuple[Change, ...]:
        """Nothing is changed."""
        return ()

    def __len__(self) -> int:
        return len(self.all_facts)

    def step(self, index: int) -> Step:
        """Return the step with an index."""
        return self._with(index, self.all_facts[index - self.index])

    def __iter__(self) -> Iterator[Step]:
        return (self._with(*each) for each in enumerate(self.all_facts, self.index))

    def _with(self, index: int, facts: Facts) -> Step:
        queue = self.cluster_queue
        return Step(index, self.time, self.cycle, self.workload, queue, facts, (), self.cluster)


_CLUSTER: Final = attrgetter("cluster")

#: What is stored: a step, or several.
Stored: TypeAlias = Step | StepBlock


class StepList(Sequence[Step]):
    """Steps in order; step ``i`` has index ``i``.

    Attributes
    ----------
    stored
        What is stored, in order; read it only.
    length
        How many steps there are.

    Examples
    --------
    >>> from kueuelab.trace.steps import CycleEnded, QueueSkipped
    >>> steps = StepList()
    >>> steps.append(Step(0, 5, 1, "", "", CycleEnded(0, 0)))
    >>> facts = [QueueSkipped(name, "policy-never") for name in "abc"]
    >>> steps.append(StepBlock(1, 5, 1, "default/a", "q", facts))
    >>> len(steps), steps[2].facts.queue, [step.index for step in steps[1:]], len(steps.stored)
    (4, 'b', [1, 2, 3], 2)
    """

    __slots__ = ("_changes", "_clusters", "_firsts", "length", "stored")

    def __init__(self, stored: Iterable[Stored] = ()) -> None:
        self.stored: list[Stored] = []
        self.length = 0
        # Where each stored entry begins; none as long as every one is a single step.
        self._firsts: array[int] | None = None
        # What was counted, of so many entries.
        self._changes = array("L", (0,))
        self._clusters: tuple[int, tuple[str, ...]] = (0, ())
        for each in stored:
            self.append(each)

    @classmethod
    def of(
        cls,
        stored: list[Stored],
        firsts: Sequence[int],
        changes: Sequence[int],
        clusters: tuple[str, ...],
    ) -> StepList:
        """Return the list of what is stored, where one knows what else would be counted.

        Parameters
        ----------
        stored
            What is stored, in order.
        firsts
            The index of the first step of each entry.
        changes
            How many changes there are before each entry, and in all.
        clusters
            The clusters, in the order of their first steps.
        """
        found = cls()
        found._clusters = len(stored), clusters
        found.stored = stored
        found._changes = array("L", changes)
        if stored:
            last = stored[-1]
            found.length = last.index + (len(last) if isinstance(last, StepBlock) else 1)
        if found.length != len(stored):
            found._firsts = array("Q", firsts)
        return found

    def append(self, entry: Stored) -> None:
        """Add a step, or several."""
        index = self.length
        self.stored.append(entry)
        if self._firsts is not None:
            self._firsts.append(index)
        if isinstance(entry, Step):
            self.length = index + 1
            return
        if self._firsts is None:
            self._firsts = array("Q", range(index + 1))
        self.length = index + len(entry)

    def copy(self) -> StepList:
        """Return a list of its own with the same steps."""
        twin = StepList()
        twin.stored, twin.length = list(self.stored), self.length
        twin._firsts = None if self._firsts is None else self._firsts[:]
        return twin

    @property
    def has_blocks(self) -> bool:
        """Whether some steps are stored together."""
        return self._firsts is not None

    @property
    def changes_before(self) -> array[int]:
        """About how many changes are before each stored entry, and in all: some make thousands."""
        if len(self._changes) != len(self.stored) + 1:
            self._changes = array(
                "L", accumulate((weight_of(entry.changes) for entry in self.stored), initial=0)
            )
        return self._changes

    @property
    def clusters(self) -> tuple[str, ...]:
        """The clusters, in the order of their first steps."""
        if self._clusters[0] != len(self.stored):
            self._clusters = len(self.stored), tuple(dict.fromkeys(map(_CLUSTER, self.stored)))
        return self._clusters[1]

    def position(self, index: int) -> int:
        """Return the place, in what is stored, of a step; -1 for -1."""
        return index if self._firsts is None else bisect_right(self._firsts, index) - 1

    def first(self, position: int) -> int:
        """Return the index of the first step of a stored entry."""
        return position if self._firsts is None else self._firsts[position]

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, index: int) -> Step: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...

    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        if isinstance(index, slice):
            return self._part(index)
        if self._firsts is None:
            found = self.stored[index]
            assert isinstance(found, Step)
            return found
        place = index + self.length if index < 0 else index
        if not 0 <= place < self.length:
            raise IndexError("there is no such step")
        entry = self.stored[bisect_right(self._firsts, place) - 1]
        return entry.step(place) if isinstance(entry, StepBlock) else entry

    def _part(self, wanted: slice) -> tuple[Step, ...]:
        start, stop, stride = wanted.indices(self.length)
        if stride != 1:
            return tuple(self[index] for index in range(start, stop, stride))
        return tuple(self.between(start, stop))

    def entries(self, start: int, stop: int) -> Sequence[Stored]:
        """Return the stored entries with the steps from one index to before another one."""
        if start >= stop:
            return ()
        return self.stored[self.position(start) : self.position(stop - 1) + 1]

    def between(self, start: int, stop: int) -> Iterator[Step]:
        """Yield the steps from one index to before another one."""
        return self._told_apart(self.entries(start, stop), start, stop)

    def of_workload(self, workload: str, start: int, stop: int) -> Iterator[Step]:
        """Yield those steps from one index to before another one that are of a workload."""
        own = (entry for entry in self.entries(start, stop) if entry.workload == workload)
        return self._told_apart(own, start, stop)

    @staticmethod
    def _told_apart(entries: Iterable[Stored], start: int, stop: int) -> Iterator[Step]:
        for entry in entries:
            if isinstance(entry, Step):
                yield entry
            elif start <= entry.index and entry.index + len(entry) <= stop:
                yield from entry
            else:
                first, last = max(start, entry.index), min(stop, entry.index + len(entry))
                yield from islice(entry, first - entry.index, last - entry.index)

    def last_of_each_time(self) -> Iterator[int]:
        """Yield the index of the last step of each time; those stored together stay so."""
        for position, entry in enumerate(self.stored, 1):
            if position == len(self.stored) or self.stored[position].time != entry.time:
                yield entry.index + (len(entry) if isinstance(entry, StepBlock) else 1) - 1

    def __iter__(self) -> Iterator[Step]:
        for entry in self.stored:
            if isinstance(entry, StepBlock):
                yield from entry
            else:
                yield entry

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StepList | list | tuple):
            return NotImplemented
        return len(self) == len(other) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]
