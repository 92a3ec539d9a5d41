"""Where workloads, queues and kinds of steps occur in a trace."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import chain
from operator import attrgetter
from typing import Final

from kueuelab.trace.mentions import (
    MENTIONING,
    Place,
    Role,
    mentioned_in,
    mentions,
    places_in,
)
from kueuelab.trace.places import Places
from kueuelab.trace.step import Step
from kueuelab.trace.step_list import StepBlock, StepList, Stored

__all__ = ["TraceIndex"]

_WORKLOAD: Final = attrgetter("workload")
#: The steps of so many workloads are looked up one by one.
_FEW: Final = 4


class TraceIndex:
    """The indexes of steps by kind, workload and ClusterQueue, ascending each."""

    __slots__ = (
        "_blocks",
        "_few",
        "_kinds",
        "_mentions",
        "_queues",
        "_singles",
        "_steps",
        "_subjects",
        "_workloads",
    )

    def __init__(self, steps: StepList) -> None:
        self._steps = steps
        self._queues: dict[str, Places] | None = None
        self._subjects: dict[str, Places] | None = None
        # The own steps of the workloads that were asked for, as long as these are few; then those
        # of all workloads.
        self._few: dict[str, array[int]] = {}
        self._singles: dict[str, array[int]] | None = None
        self._mentions: dict[str, dict[Role, Places]] | None = None
        self._workloads: frozenset[str] | None = None
        kinds: dict[type, array[int]] = {}
        #: Steps that are stored together: looked into only when their kinds are asked for.
        self._blocks: list[StepBlock] = []
        for step in steps.stored:
            if isinstance(step, StepBlock):
                self._blocks.append(step)
                continue
            try:
                kinds[type(step.facts)].append(step.index)
            except KeyError:
                kinds[type(step.facts)] = array("Q", (step.index,))
        self._kinds = {kind.__name__: found for kind, found in kinds.items()}

    def of_kinds(self, kinds: Iterable[str]) -> Sequence[int]:
        """Return the steps of some kinds."""
        wanted = frozenset(kinds)
        lists: list[Sequence[int]] = [self._kinds[kind] for kind in wanted if kind in self._kinds]
        if self._blocks and not wanted.isdisjoint(_IN_BLOCKS):
            lists.append(self._in_blocks(wanted))
        # In order each: to sort them takes a pass in C.
        return lists[0] if len(lists) == 1 else sorted(chain.from_iterable(lists))

    def _in_blocks(self, kinds: frozenset[str]) -> Places:
        found = Places()
        for block in self._blocks:
            for index, facts in enumerate(block.all_facts, block.index):
                if facts.kind in kinds:
                    found.append(index)
        return found

    def about(
        self, workload: str, role: Role | None = None, cluster: str | None = None
    ) -> Sequence[int]:
        """Return the steps about a workload, in one role or in any, in one cluster or in any."""
        found = self._about(workload, role)
        if cluster is None:
            return found
        return [index for index in found if self._steps[index].cluster == cluster]

    def _about(self, workload: str, role: Role | None) -> Sequence[int]:
        if role == "subject":
            return self._by_subject().get(workload, ())
        roles = self._by_mention().get(workload, {})
        if role is not None:
            return list(merge(roles.get(role, ()), self._in_stored(workload, role)))
        own = self._by_subject().get(workload, ())
        return sorted({*own, *chain(*roles.values()), *self._in_stored(workload, None)})

    def single_steps(self, workload: str) -> Sequence[int]:
        """Return the workload's own steps without the verdicts of its searches."""
        found = self._few.get(workload)
        if found is None and len(self._few) < _FEW:
            found = self._few[workload] = self._looked_up(workload)
        return self._all_singles().get(workload, ()) if found is None else found

    def _looked_up(self, workload: str) -> array[int]:
        """Return the own steps of one workload: an explanation asks for few of them."""
        stored = self._steps.stored if workload else ()
        own = [entry for entry in stored if entry.workload == workload]
        return array("Q", [entry.index for entry in own if isinstance(entry, Step)])

    def _all_singles(self) -> dict[str, array[int]]:
        if self._singles is None:
            self._singles = {}
            for entry in self._steps.stored:
                if entry.workload and isinstance(entry, Step):
                    try:
                        self._singles[entry.workload].append(entry.index)
                    except KeyError:
                        self._singles[entry.workload] = array("Q", (entry.index,))
        return self._singles

    def knows(self, workload: str) -> bool:
        """Tell whether any step is about a workload."""
        return bool(self.single_steps(workload)) or workload in self._all_workloads()

    def of_queue(self, cluster_queue: str) -> Sequence[int]:
        """Return the steps about a ClusterQueue."""
        if self._queues is None:
            self._queues = self._places(attrgetter("cluster_queue"))
        return self._queues.get(cluster_queue, ())

    @property
    def queues(self) -> tuple[str, ...]:
        """The ClusterQueues that steps are about, sorted."""
        self.of_queue("")
        return tuple(sorted(self._queues or ()))

    @property
    def workloads(self) -> tuple[str, ...]:
        """All workloads, sorted."""
        return tuple(sorted(self._all_workloads()))

    def _all_workloads(self) -> frozenset[str]:
        """Return the workloads that steps are about; no search is divided into steps for it."""
        if self._workloads is None:
            found = set(self._by_subject())
            found.update(self._by_mention())
            found.update(mentioned_in(block.all_facts for block in self._blocks))
            self._workloads = frozenset(found)
        return self._workloads

    # The two are made apart: an explanation needs the first alone, and that is made in no time.

    def _by_subject(self) -> dict[str, Places]:
        if self._subjects is None:
            self._subjects = self._places(_WORKLOAD)
        return self._subjects

    def _places(self, name_of: Callable[[Stored], str]) -> dict[str, Places]:
        """Return the steps of each name; the steps that follow each other are one range."""
        found: dict[str, Places] = {}
        first, last = 0, ""
        for entry in self._steps.stored:
            name = name_of(entry)
            if name != last:
                _add(found, last, first, entry.index)
                first, last = entry.index, name
        _add(found, last, first, len(self._steps))
        return found

    def _by_mention(self) -> dict[str, dict[Role, Places]]:
        """Return the steps by what they mention, without those that are stored together."""
        if self._mentions is None:
            self._mentions = {}
            for index in merge(*(self._kinds[kind] for kind in MENTIONING if kind in self._kinds)):
                for key, role in mentions(self._steps[index]):
                    roles = self._mentions.setdefault(key, {})
                    roles.setdefault(role, Places()).append(index)
        return self._mentions

    def _in_stored(self, workload: str, role: Role | None) -> Iterator[int]:
        """Yield the steps of those stored together that mention a workload, in a role or any."""
        known: dict[int, list[Place]] = {}
        for block in self._blocks:
            for at, found in places_in(block.all_facts, workload, known):
                if role in (None, found):
                    yield block.index + at


#: The kinds of steps that are stored together.
_IN_BLOCKS: Final = frozenset(
    {"CandidateConsidered", "CandidatePassedOver", "CandidatesOrdered", "QueueSkipped"}
)


def _add(lists: dict[str, Places], name: str, first: int, stop: int) -> None:
    if name and first < stop:
        lists.setdefault(name, Places()).extend(first, stop)
