"""Workloads as chips in the lines of the cohort picture: holding quota, or waiting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Final

from kueuelab.messages import Message
from kueuelab.trace import steps
from kueuelab.trace.names import short_name
from kueuelab.trace.reading import Holding, WorkloadView
from kueuelab.trace.wording import amount_text
from kueuelab.views.bars import Bar
from kueuelab.views.decision import why
from kueuelab.views.preemption_view import PreemptionView, Role
from kueuelab.views.run_index import RunIndex
from kueuelab.views.tree import Tree, members

__all__ = ["MARKS", "Chip", "Chips"]

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

#: More chips than this in one line are drawn together, the smallest ones first; fewer of
#: them in a tree with many lines.
_MOST_CHIPS: Final = 30
_MOST_IN_A_CROWD: Final = 14
_MANY_LINES: Final = 24
#: Those that wait and have no room in the width of the picture are drawn together, too.
_ROOM: Final = 1.0
_REST: Final = 0.15


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


class Chips:
    """Places workloads in lines."""

    def __init__(
        self,
        run_index: RunIndex,
        index: int,
        tree: Tree,
        view: PreemptionView,
    ) -> None:
        self._run_index = run_index
        self._index = index
        self._by_queue = run_index.by_queue(index)
        self._tree = tree
        self._most = _MOST_CHIPS if tree.lines <= _MANY_LINES else _MOST_IN_A_CROWD
        self._roles = view.roles
        words = run_index.words
        self._spared = {
            queue: why(run_index.trace[skipped.step], words)
            for skipped in view.skipped
            for queue in members(tree, skipped.queue)
        }
        self._rules = {
            candidate.workload: why(run_index.trace[candidate.decided_at], words)
            for candidate in view.candidates
            if candidate.rule
        }

    def holding(self, bars: Mapping[int, Bar]) -> Iterator[Chip]:
        """Yield the workloads that hold quota, and the quota set aside in this cycle."""
        lines = {
            (bar_.node[1], bar_.flavor, bar_.resource): bar_
            for bar_ in bars.values()
            if bar_.node[0] == "ClusterQueue"
        }
        by_line: dict[int, list[Chip]] = {}
        aside = self._set_aside(lines)
        for queue in dict.fromkeys(name for name, _, _ in lines):
            for holding in self._by_queue.holdings(queue):
                drawn = lines.get((holding.cluster_queue, holding.flavor, holding.resource))
                if drawn is not None and self._run_index.holds(holding.workload, self._index):
                    chip = self._holding(holding, drawn)
                    by_line.setdefault(drawn.line, []).append(chip)
        for drawn in lines.values():
            held = self._without_the_gone(drawn, by_line.get(drawn.line, []))
            chips = [*_in_order(held, self._most), *aside.get(drawn.line, ())]
            yield from _placed([*chips, *self._on_trial(drawn, chips)], drawn.line)

    def _without_the_gone(self, drawn: Bar, chips: list[Chip]) -> list[Chip]:
        """Take out whom this cycle preempts already, while that is taken for done."""
        if sum(chip.length for chip in chips if not chip.hollow) <= drawn.used / drawn.extent:
            return chips
        return [
            replace(chip, role=Role.REMOVED, hollow=True)
            if chip.workload in self._preempted_before
            else chip
            for chip in chips
        ]

    @cached_property
    def _preempted_before(self) -> frozenset[str]:
        """The targets of the entries of this cycle that were processed already."""
        cycle = self._run_index.trace.cycle_at(self._index)
        if cycle is None:
            return frozenset()
        return frozenset(
            key
            for step in self._run_index.steps("EntryProcessed", cycle.first, self._index)
            if isinstance(step.facts, steps.EntryProcessed)
            for key, _ in step.facts.targets
        )

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
                Message("widgets.chip.simulated", amount=amount),
                Role.NONE,
                0.5,
                waiting=False,
                hollow=True,
                about=Message("widgets.chip.simulated.hover"),
            )

    def _set_aside(self, lines: Mapping[tuple[str, str, str], Bar]) -> dict[int, list[Chip]]:
        """Return the quota that entries of this cycle take, or keep from later ones, by line."""
        found: dict[int, list[Chip]] = {}
        trace = self._run_index.trace
        cycle = trace.cycle_at(self._index)
        if cycle is None or self._index == cycle.last:
            return found
        for step in self._run_index.steps("QuotaHeld", cycle.first, self._index):
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
                        Message(
                            "widgets.chip.reserved", workload=short_name(step.workload), amount=text
                        ),
                        self._roles.get(step.workload, Role.NONE),
                        0.5,
                        waiting=False,
                        hollow=True,
                        about=Message(
                            "widgets.chip.reserved.hover", amount=text, workload=step.workload
                        ),
                    )
                    found.setdefault(drawn.line, []).append(chip)
        return found

    def waiting(self, lines: range) -> Iterator[Chip]:
        """Yield the workloads that wait, in the line of their LocalQueue."""
        for node in self._tree.nodes:
            line = node.lanes[0].line
            if node.kind != "LocalQueue" or line not in lines:
                continue
            order = sorted(self._by_queue.waiting(node.name).values(), key=_turn)
            chips = [self._waiting(found, line) for found in order]
            yield from _placed(_gathered(chips, self._without_room(chips)), line)

    def _without_room(self, chips: list[Chip]) -> list[Chip]:
        """Return the chips at the end for which the line is too short."""
        ends = accumulate(chip.length for chip in chips)
        fitting = sum(end <= _ROOM for end in ends)
        if fitting == len(chips) <= self._most:
            return []
        return chips[max(1, min(fitting, self._most)) :]

    def _holding(self, holding: Holding, drawn: Bar) -> Chip:
        found = self._by_queue.reading(holding.workload)
        priority = found.priority if found else 0
        phase = found.phase if found else ""
        role = self._role(holding.workload, holding.cluster_queue)
        if role is Role.HEAD:
            role = Role.NONE  # Who holds quota has left the queue, even if the step is about it.
        amount = amount_text(holding.resource, holding.amount)
        return Chip(
            holding.workload,
            drawn.line,
            0.0,
            holding.amount / drawn.extent,
            _label(holding.workload, amount, priority, role, phase if phase == "Evicted" else ""),
            role,
            self._run_index.shade(priority),
            waiting=False,
            hollow=role is Role.REMOVED,
            about="; ".join(
                part
                for part in (
                    Message(
                        "widgets.chip.has-quota",
                        phase=phase,
                        amount=amount,
                        flavor=holding.flavor,
                        resource=holding.resource,
                    ),
                    self._rule(holding),
                )
                if part
            ),
        )

    def _waiting(self, found: WorkloadView, line: int) -> Chip:
        key = found.key
        requests = self._run_index.requests(key)
        size, text = max(
            (
                (amount / self._run_index.extent(name), amount_text(name, amount))
                for name, amount in requests.items()
            ),
            default=(0.1, ""),
        )
        role = self._role(key, "")
        note = Message("widgets.chip.inadmissible") if found.place == "inadmissible" else ""
        return Chip(
            key,
            line,
            0.0,
            min(max(size, 0.02), 1.0),
            _label(key, text, found.priority, role, note),
            role,
            self._run_index.shade(found.priority),
            waiting=True,
            hollow=False,
            about=found.waiting or Message("widgets.chip.pending"),
        )

    def _rule(self, holding: Holding) -> str:
        """Return the rule that decided about a candidate for preemption."""
        rule = self._rules.get(holding.workload)
        return rule or self._spared.get(holding.cluster_queue, "")

    def _role(self, key: str, cluster_queue: str) -> Role:
        role = self._roles.get(key, Role.NONE)
        return Role.EXCLUDED if role is Role.NONE and cluster_queue in self._spared else role


def _turn(found: WorkloadView) -> tuple[bool, int, int, str]:
    return found.place == "inadmissible", -found.priority, found.queued_at, found.key


def _label(key: str, amount: str, priority: int, role: Role, note: str) -> str:
    notes = ", ".join(part for part in (str(role), note) if part)
    return " ".join(
        part
        for part in (short_name(key), amount, f"p{priority}", f"({notes})" if notes else "")
        if part
    )


def _in_order(chips: list[Chip], most: int) -> list[Chip]:
    """Put what is removed last; draw many small ones together."""
    chips.sort(key=lambda chip: (chip.hollow, -chip.shade, chip.workload))
    return _gathered(chips, sorted(chips, key=lambda chip: -chip.length)[most:])


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
            length=min(length, _REST) if waiting else length,
            label=f"{len(together)} more",
            about=Message("widgets.chip.more", count=len(together)),
        ),
    ]


def _placed(chips: Iterable[Chip], line: int) -> Iterator[Chip]:
    at = 0.0
    for chip in chips:
        yield replace(chip, line=line, start=at)
        at += chip.length
