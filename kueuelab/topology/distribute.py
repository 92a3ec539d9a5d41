"""Distributing pods over domains that have room for all of them, using as few as possible."""

from __future__ import annotations

from typing import NamedTuple

from kueuelab.topology.order import Units, best_fit, leader_first

__all__ = ["Share", "distribute"]


class Share(NamedTuple):
    """The pods that a domain gets, and whether the leader is among them."""

    domain: int
    pods: int
    leaders: int = 0


def distribute(
    units: Units, domains: list[int], count: int, leaders: int, *, least_free: bool
) -> list[Share]:
    """Give pods to domains in their order, until none is left.

    With best fit, the last domain is the tightest that takes the rest.

    Parameters
    ----------
    units
        Pods or slices, and how many fit into each domain.
    domains
        Sorted.
    count
        The number of pods.
    leaders
        Whether a leader has to be given a domain, too.
    least_free
        Whether domains with the least room go first, in place of best fit.
    """
    left = count // units.size
    ordered = leader_first(units, domains, left, leaders)
    shares: list[Share] = []
    for place, domain in enumerate(ordered):
        fit = units.beside_leader if leaders else units.fit
        if not least_free and fit[domain] >= left and units.leaders[domain] >= leaders:
            domain = best_fit(units, ordered[place:], left, leaders)
        if fit[domain] >= left and units.leaders[domain] >= leaders:
            shares.append(Share(domain, left * units.size, leaders))
            return shares
        given, its_leaders = min(fit[domain], left), min(units.leaders[domain], leaders)
        shares.append(Share(domain, given * units.size, its_leaders))
        left -= given
        leaders -= its_leaders
    return []
