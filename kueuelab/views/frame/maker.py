"""Frames of a run, one after another: each costs what its step changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from kueuelab.trace.reading import State
from kueuelab.trace.searches import SearchFollower
from kueuelab.trace.step import Step
from kueuelab.views.frame.chips import Chips
from kueuelab.views.frame.cycle_so_far import CycleSoFar
from kueuelab.views.frame.domains import Domains, has_topologies
from kueuelab.views.frame.keys import node_key
from kueuelab.views.frame.layout import Layout
from kueuelab.views.frame.quotas import Quotas
from kueuelab.views.frame.section import Section
from kueuelab.views.frame.sentence import Sentences
from kueuelab.views.merge_patch import Json, merge_patch
from kueuelab.views.preemption_view import view_of
from kueuelab.views.run_index import RunIndex
from kueuelab.views.tree import Tree, members
from kueuelab.views.workloads_by_queue import WorkloadsByQueue

__all__ = ["SECTIONS", "FrameMaker"]

#: The parts of a frame that are entries by key.
SECTIONS: Final = ("tree", "bars", "arrows", "chips", "queues", *Domains.SECTIONS)

#: A queue whose chips are made anew: its kind and name.
_Queue = tuple[str, str]

_LAID_OUT: Final = ("ClusterQueue/", "Cohort/", "LocalQueue/")


class FrameMaker:
    """Makes the frames of a run of one cluster.

    Parameters
    ----------
    run_index
        The run.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> run = scenarios.load("reclaim-1-take-back").run()
    >>> maker = FrameMaker(RunIndex(run.trace))
    >>> maker.go(16)
    >>> maker.frame()["bars"]["q:team-a|default|cpu"]["used"]
    200
    >>> maker.next()["sentence"]
    'default/job-0 gets its quota.'
    """

    def __init__(self, run_index: RunIndex) -> None:
        self._run_index = run_index
        self._trace = run_index.trace
        self._sentences = Sentences(run_index)
        self._searches = SearchFollower(self._trace)
        self._cycle = CycleSoFar(self._trace)
        self._sections = {name: Section() for name in SECTIONS}
        is_placed = has_topologies(self._trace)
        self._domains = Domains(self._trace, self._sections) if is_placed else None
        self._index = -1
        self._layout = Layout.of(Tree((), 0))
        self._objects: Any = None
        self._head: Json = {}
        self._roles: dict[str, str] = {}
        self._excluded: frozenset[str] = frozenset()
        self._chip_keys: dict[_Queue, tuple[str, ...]] = {}

    @property
    def index(self) -> int:
        """The step of the frame."""
        return self._index

    @property
    def scales(self) -> dict[str, int]:
        """The amount that fills the width of the picture, by resource."""
        return self._run_index.extents

    def frame(self) -> Json:
        """Return the frame."""
        parts = {name: {**each.entries} for name, each in self._sections.items() if each.entries}
        return {**self._head, **parts}

    def go(self, index: int) -> None:
        """Go to a step."""
        self._index = index
        self._build()
        if self._domains is not None:
            state = self._run_index.state(index)
            self._domains.build(state)
            self._domains.seek(index, self._trace[index], state)
        for section in self._sections.values():
            section.take()

    def next(self) -> Json:
        """Go to the next step; return the patch that turns the frame before into its frame."""
        index = self._index = self._index + 1
        step = self._trace[index]
        head = self._head
        if self._rebuilds(step):
            self._build()
        else:
            self._advance(step)
        if self._domains is not None:
            state = self._run_index.state(index)
            self._domains.advance(step, state)
            self._domains.seek(index, step, state)
        patch = merge_patch(head, self._head)
        for name, section in self._sections.items():
            part = section.take()
            if part is None or part:
                patch[name] = part
        return patch

    def _rebuilds(self, step: Step) -> bool:
        """Tell whether a step changes the tree, or more than can be followed."""
        laid_out = self._run_index.laid_out
        if laid_out(step.index) == laid_out(step.index - 1):
            return False
        return any(
            len(change.path) < 2
            or (change.path[0] == "objects" and change.path[1].startswith(_LAID_OUT))
            for change in step.changes
        )

    # --- everything anew ---------------------------------------------------------------

    def _build(self) -> None:
        state = self._run_index.state(self._index)
        by_queue = self._run_index.by_queue(self._index)
        self._cycle.at(self._index)
        self._layout = self._run_index.layout(self._index)
        tree = self._sections["tree"]
        laid_out = self._run_index.laid_out(self._index)
        shown = state if laid_out == self._index else self._trace.state_at(laid_out)
        tree.replace([*tree.entries], self._layout.nodes(shown))
        bars, arrows = self._sections["bars"], self._sections["arrows"]
        self._quotas = Quotas(self._layout, state, bars, arrows, self._cycle.waiting)
        self._read_search()
        queues: dict[_Queue, None] = {
            (node.kind, node.name): None
            for node in self._layout.tree.nodes
            if node.kind != "Cohort"
        }
        gone = self._chip_keys.keys() - queues.keys()
        for queue in gone:
            self._sections["chips"].replace(self._chip_keys.pop(queue), {})
        known = list(self._sections["queues"].entries)
        self._sections["queues"].replace(known, {})
        self._make(queues, state, by_queue)

    # --- one step ----------------------------------------------------------------------

    def _advance(self, step: Step) -> None:
        """Make anew what a step touches."""
        before = self._run_index.by_queue(self._index - 1)
        workloads: dict[str, None] = {}
        used: dict[str, None] = {}
        touched: dict[_Queue, None] = {}
        for change in step.changes:
            if change.path[0] == "workloads":
                workloads[change.path[1]] = None
            elif change.path[0] == "clusterQueues":
                used[change.path[1]] = None
        if step.kind in ("QuotaReserved", "QuotaReleased"):
            workloads[step.workload] = None
        groups = self._run_index.groups
        for member in [groups.of(key) for key in workloads] if groups else ():
            if member is not None:
                workloads.update(dict.fromkeys(groups.members(member.group)))
        touched.update(self._queues_of(workloads, before))
        state = self._run_index.state(self._index)
        by_queue = self._run_index.by_queue(self._index)
        reserved, preempted = self._cycle.at(self._index)
        roles, excluded = self._roles, self._excluded
        self._read_search()
        changed = dict.fromkeys((*workloads, *sorted(preempted)))
        for key in roles | self._roles:
            if roles.get(key) != self._roles.get(key):
                changed[key] = None
        touched.update(self._queues_of(changed, by_queue))
        queues = (*used, *sorted(reserved), *sorted(excluded ^ self._excluded))
        touched.update((("ClusterQueue", name), None) for name in queues)
        if step.kind == "Requeued":
            touched["ClusterQueue", step.cluster_queue] = None
        self._quotas.read((*used, *sorted(reserved)), state, self._cycle.waiting)
        self._make(touched, state, by_queue)

    @staticmethod
    def _queues_of(
        workloads: Iterable[str], by_queue: WorkloadsByQueue
    ) -> Iterator[tuple[_Queue, None]]:
        """Yield the queues that show workloads."""
        for key in workloads:
            found = by_queue.reading(key)
            if found is None:
                continue
            if found.cluster_queue:
                yield ("ClusterQueue", found.cluster_queue), None
            if found.phase == "Pending":
                yield ("LocalQueue", found.local_queue), None

    def _read_search(self) -> None:
        progress = self._searches.at(self._index)
        view = view_of(progress)
        self._roles = {key: role.value for key, role in view.roles.items()}
        self._excluded = frozenset(
            queue for skipped in view.skipped for queue in members(self._layout.tree, skipped.queue)
        )
        self._head = self._sentences.at(self._index, view)

    def _make(self, queues: Iterable[_Queue], state: State, by_queue: WorkloadsByQueue) -> None:
        chips = Chips(
            self._run_index,
            self._index,
            self._layout,
            by_queue,
            self._cycle,
            self._roles,
            self._excluded,
        )
        before: dict[str, None] = {}
        after: dict[str, Json] = {}
        for queue in queues:
            kind, name = queue
            if kind == "ClusterQueue":
                if queue not in self._layout.chain:
                    continue
                found = chips.of_cluster_queue(name, self._sections["bars"].entries)
                self._sections["queues"].put(
                    node_key(("ClusterQueue", name)), self._queue(name, state, by_queue)
                )
            else:
                found = chips.of_local_queue(name)
            # A workload may have gone from one of these queues to another.
            before.update(dict.fromkeys(self._chip_keys.get(queue, ())))
            after |= found
            self._chip_keys[queue] = tuple(found)
        self._sections["chips"].replace(before, after)

    def _queue(self, name: str, state: State, by_queue: WorkloadsByQueue) -> Json:
        """Return what there is to know of a ClusterQueue as a whole."""
        view = state.cluster_queue(name)
        found: Json = {"admitted": by_queue.admitted(name), "pending": by_queue.pending(name)}
        if not view.is_active:
            found["inactive"] = True
        if view.queueing_strategy == "BestEffortFIFO":
            first = by_queue.reading(self._run_index.preemptor(name, self._index))
            if first and first.phase == "Pending" and first.place in ("active", "inflight"):
                found["first"] = first.key
        return found
