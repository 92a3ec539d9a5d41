"""The changes of a file: columns that are checked as a whole, and states kept while they are read.

A change is made when it is asked for. States are kept at some of the steps at once, so that the
first state that is asked for is as near as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate, repeat
from typing import Any, Final, overload

from kueuelab.trace.state import Frames, Raw, StateWriter
from kueuelab.trace.step import Change, Path

__all__ = ["ChangeColumns", "Place"]

#: A place of the state, and what looks at its values.
Place = tuple[Path, Callable[[Any], object]]

#: How many states are kept, and between how many changes one at most.
_FRAMES: Final = 28
_CLOSEST: Final = 2048


class _StepChanges(Sequence[Change]):
    """The changes of one step."""

    __slots__ = ("_all", "_start", "_stop")

    def __init__(self, changes: ChangeColumns, start: int, stop: int) -> None:
        self._all, self._start, self._stop = changes, start, stop

    def __len__(self) -> int:
        return self._stop - self._start

    def __iter__(self) -> Iterator[Change]:
        return map(self._all.change, range(self._start, self._stop))

    def __reversed__(self) -> Iterator[Change]:
        return map(self._all.change, range(self._stop - 1, self._start - 1, -1))

    @overload
    def __getitem__(self, index: int) -> Change: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Change, ...]: ...

    def __getitem__(self, index: int | slice) -> Change | tuple[Change, ...]:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Sequence) and not isinstance(other, str):
            return tuple(self) == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class ChangeColumns:
    """All changes, in the order of steps.

    Parameters
    ----------
    steps, paths, after
        Of each change: the number of its stored entry, of its place, and of the value after it.
    others
        Changes whose value before is not that of the change before: its number by theirs.
    places
        The places by number.
    values
        The values by number.
    clusters
        The cluster of each stored entry.

    Raises
    ------
    ArithmeticError, LookupError, TypeError, ValueError
        If no recorder could have written them.
    """

    def __init__(
        self,
        steps: Sequence[int],
        paths: Sequence[int],
        after: Sequence[int],
        others: dict[int, int],
        places: Sequence[Place],
        values: Sequence[Any],
        clusters: Sequence[str],
    ) -> None:
        self._places, self._values = [path for path, _ in places], values
        self._steps, self._paths, self._after, self._clusters = steps, paths, after, clusters
        if steps and (steps[-1] >= len(clusters) or sorted(steps) != steps):
            raise ValueError("changes are not in the order of steps")
        checks = [check for _, check in places]
        wanted = dict.fromkeys(zip(map(checks.__getitem__, paths), after, strict=True))
        wanted.update(dict.fromkeys((checks[paths[at]], other) for at, other in others.items()))
        for check, number in wanted:
            if (value := values[number]) is not None:
                check(value)
        self._are_many = len(set(clusters)) > 1
        #: The number of the value that there is nothing.
        self._nothing = values.index(None) if after else 0
        self._before = self._befores(others)

    def _befores(self, others: dict[int, int]) -> list[int]:
        """Return the number of the value before each change."""
        nothing = self._nothing
        before: list[int] = []
        if self._are_many:
            known: dict[tuple[str, int], int] = {}
            clusters = map(self._clusters.__getitem__, self._steps)
            for place, value in zip(
                zip(clusters, self._paths, strict=True), self._after, strict=True
            ):
                before.append(known.get(place, nothing))
                known[place] = value
        else:
            last = [nothing] * len(self._places)
            for path, value in zip(self._paths, self._after, strict=True):
                before.append(last[path])
                last[path] = value
        for at, value in others.items():
            before[at] = value
        return before

    def change(self, number: int) -> Change:
        """Return a change by its number."""
        values = self._values
        path, before, after = self._paths[number], self._before[number], self._after[number]
        return Change(self._places[path], values[before], values[after])

    def of_entries(self) -> tuple[list[Sequence[Change]], list[int]]:
        """Return the changes of each stored entry, and how many there are before each of them."""
        counts = [0] * len(self._clusters)
        for step in self._steps:
            counts[step] += 1
        starts = list(accumulate(counts, initial=0))
        found: list[Sequence[Change]] = [
            _StepChanges(self, start, start + count) if count else ()
            for start, count in zip(starts, counts, strict=False)
        ]
        return found, starts

    def frames(self, firsts: Sequence[int]) -> Frames:
        """Return states kept at some steps.

        Given is the index of the first step of each stored entry, and of what would follow.
        """
        count = len(self._steps)
        distance = max(_CLOSEST, -(-count // _FRAMES))
        writer = _Writer(self._places)
        kept = {-1: writer.state()}
        start = 0
        while start < count:
            stop = min(start + distance, count)
            # All changes of a step, or none of them.
            while stop < count and self._steps[stop] == self._steps[stop - 1]:
                stop += 1
            self._write(writer, start, stop)
            kept[firsts[self._steps[stop - 1] + 1] - 1] = writer.state()
            start = stop
        return Frames.kept(kept, len(firsts) - 1)

    def _write(self, writer: _Writer, start: int, stop: int) -> None:
        """Write some changes; where nothing is taken away, of each place the last one alone."""
        away = self._taken_away(start, stop)
        for first, end in ((start, away.start), (away.start, away.stop), (away.stop, stop)):
            paths: Collection[int] = self._paths[first:end]
            after: Iterable[int] = self._after[first:end]
            clusters: Iterable[str]
            if first == away.start:
                clusters = map(self._clusters.__getitem__, self._steps[first:end])
            else:
                last = dict(zip(paths, after, strict=True))
                paths, after = last.keys(), last.values()
                clusters = repeat(self._clusters[0], len(paths))
            writer.write(clusters, paths, map(self._values.__getitem__, after))

    def _taken_away(self, start: int, stop: int) -> range:
        """Return the part of some changes after which values may be gone; all of many clusters."""
        if self._are_many:
            return range(start, stop)
        after = self._after[start:stop]
        if self._nothing not in after:
            return range(stop, stop)
        return range(start + after.index(self._nothing), stop - after[::-1].index(self._nothing))


class _Writer:
    """Writes to a state as :class:`StateWriter` does, where places are numbers.

    What holds the value of a place is looked up once until the state is handed out.
    """

    def __init__(self, places: Sequence[Path]) -> None:
        self._places = places
        self._writer = StateWriter()
        # What a place is in, by number: its path without the last name. Before each number is
        # that of what it is in itself, but for the first one.
        self._numbers: dict[Path, int] = {(): 0}
        self._above: list[tuple[int, str]] = [(0, "")]
        self._parents = [self._number(path[:-1]) for path in places]
        self._names = [path[-1] for path in places]
        # What holds the values, by cluster.
        self._holders: dict[str, dict[int, dict[str, Any]]] = {}

    def _number(self, parent: Path) -> int:
        found = self._numbers.get(parent)
        if found is None:
            above = self._number(parent[:-1]), parent[-1]
            found = self._numbers[parent] = len(self._above)
            self._above.append(above)
        return found

    def state(self) -> Raw:
        """Hand out the state as it is now."""
        self._holders = {}
        return self._writer.state()

    def write(self, clusters: Iterable[str], paths: Iterable[int], values: Iterable[Any]) -> None:
        """Write values of places, ``None`` where there is none any more."""
        parents, names = self._parents, self._names
        holders: dict[int, dict[str, Any]] = {}
        last: str | None = None
        for cluster, number, value in zip(clusters, paths, values, strict=True):
            if value is None:
                self._writer.set(self._places[number], None, cluster)
                self._forget(cluster, self._places[number])
                continue
            if cluster != last:
                holders, last = self._holders.setdefault(cluster, {}), cluster
            holder = holders.get(parents[number])
            if holder is None:
                holder = self._holder(holders, parents[number], cluster)
            holder[names[number]] = value

    def _holder(
        self, holders: dict[int, dict[str, Any]], number: int, cluster: str
    ) -> dict[str, Any]:
        """Look up what holds values: a copy of what it was when the state was handed out."""
        if number:
            above, name = self._above[number]
            outer = holders.get(above)
            if outer is None:
                outer = self._holder(holders, above, cluster)
            found = self._writer.own(outer, name)
        else:
            found = self._writer.holder(("",), cluster)
        holders[number] = found
        return found

    def _forget(self, cluster: str, path: Path) -> None:
        """Forget what was looked up above a place that is gone, as far as it became empty."""
        holders = self._holders.get(cluster, {})
        for depth in range(len(path) - 1, -1, -1):
            parent = self._numbers[path[:depth]]
            if holders.get(parent):
                return
            holders.pop(parent, None)
