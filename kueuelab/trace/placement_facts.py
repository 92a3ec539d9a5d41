"""What a search for domains in a topology considers: the kind of step that placement records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kueuelab.trace.step import Facts

__all__ = ["DomainsSearched"]


@dataclass(frozen=True, slots=True)
class DomainsSearched(Facts):
    """Domains of a topology were sought for pods that are placed together.

    ``levels``, ``domains``, ``pods``, ``slices``, ``given``, ``verdicts`` are columns: one row for
    each domain, in the order in which they were considered, level by level.

    Attributes
    ----------
    flavor, topology
        Where they were sought.
    pod_sets
        The pod sets of the group: its leader first, if it has one.
    count, leaders
        The number of workers and of leaders.
    slice_size
        The size of the outermost slices; 1 without slices.
    level
        Where a domain was sought first.
    request
        ``required``, ``preferred`` or ``unconstrained``.
    profile
        ``best-fit``, ``least-free-capacity`` or ``balanced``.
    empty
        Whether the usage of all workloads was left out of account.
    levels, domains
        The level of each domain, and its label values, joined by commas.
    pods, slices
        How many fit into it.
    given
        How many pods it gets.
    verdicts
        ``chosen``; ``too-small``: not all fit into it; ``less-tight``: more would be left over than
        in the chosen one; ``not-needed``: others hold all; ``no-leader``: the leader does not fit.
    more
        Level to the number of its domains that are not listed.
    reason
        Kueue's message if there is no place.
    """

    flavor: str
    topology: str
    pod_sets: tuple[str, ...]
    count: int
    leaders: int
    slice_size: int
    level: str
    request: str
    profile: str
    empty: bool
    levels: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    pods: tuple[int, ...] = ()
    slices: tuple[int, ...] = ()
    given: tuple[int, ...] = ()
    verdicts: tuple[str, ...] = ()
    more: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
