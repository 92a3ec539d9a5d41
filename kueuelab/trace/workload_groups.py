"""Workloads that belong together: slices of an elastic job, variants of a workload.

A job that changes its size has a slice after another (KEP-77). With concurrent admission a
workload has a variant for each flavor (KEP-8691).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kueuelab.trace.cycle_facts import ReplacesSlice
from kueuelab.trace.effect_facts import SliceCreated, VariantCreated
from kueuelab.trace.trace import Trace

__all__ = ["Member", "WorkloadGroups"]


@dataclass(frozen=True, slots=True)
class Member:
    """What a workload is in its group.

    Attributes
    ----------
    group
        The elastic job, or the workload that has variants: ``namespace/name``.
    kind
        ``slice``, ``variant``, or ``parent`` for the workload that has variants.
    flavor
        The only flavor that a variant may get; ``""`` of all others.
    replaces
        The slice that a slice is to replace; ``""`` if there is none.
    """

    group: str
    kind: Literal["slice", "variant", "parent"]
    flavor: str = ""
    replaces: str = ""


class WorkloadGroups:
    """The groups of a run, with their members in the order in which they were created.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> groups = WorkloadGroups(scenarios.load("elastic-scale-up").run().trace)
    >>> groups.members("default/train")
    ('default/train', 'default/train-2', 'default/train-3')
    >>> groups.of("default/train-2").replaces
    'default/train'
    >>> groups.of("default/report") is None
    True
    """

    __slots__ = ("_members", "_of")

    def __init__(self, trace: Trace) -> None:
        self._of: dict[str, Member] = {}
        for key, member in _found(trace):
            known = self._of.get(key)
            if known is None or (member.replaces and not known.replaces):
                self._of[key] = member
        self._members: dict[str, list[str]] = {}
        for key, member in self._of.items():
            self._members.setdefault(member.group, []).append(key)

    def __bool__(self) -> bool:
        return bool(self._of)

    def of(self, workload: str) -> Member | None:
        """Return what a workload is in its group; ``None`` if it is in none."""
        return self._of.get(workload)

    def members(self, group: str) -> tuple[str, ...]:
        """Return the workloads of a group; of variants, their parent first."""
        return tuple(self._members.get(group, ()))

    @property
    def parents(self) -> frozenset[str]:
        """The workloads that have variants."""
        return frozenset(key for key, member in self._of.items() if member.kind == "parent")


def _found(trace: Trace) -> Iterator[tuple[str, Member]]:
    jobs: dict[str, str] = {}
    for index in trace.of_kind("SliceCreated", "ReplacesSlice", "VariantCreated"):
        step = trace[index]
        facts = step.facts
        if isinstance(facts, VariantCreated):
            yield facts.parent, Member(facts.parent, "parent")
            yield step.workload, Member(facts.parent, "variant", facts.flavor)
        elif isinstance(facts, SliceCreated):
            job = jobs[step.workload] = facts.job
            if facts.replaces:
                jobs[facts.replaces] = job
                yield facts.replaces, Member(job, "slice")
            yield step.workload, Member(job, "slice", replaces=facts.replaces)
        elif isinstance(facts, ReplacesSlice):
            # Of slices that were there at first, only the names are known.
            job = jobs.setdefault(facts.replaced, facts.replaced)
            job = jobs.setdefault(step.workload, job)
            yield facts.replaced, Member(job, "slice")
            yield step.workload, Member(job, "slice", replaces=facts.replaced)
