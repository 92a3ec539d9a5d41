"""Which quotas could be larger, and by how much."""

from __future__ import annotations

from typing import Final, NamedTuple

from kueuelab.whatif import amounts
from kueuelab.whatif.change_sets import Adjustment
from kueuelab.whatif.subject import Demand, Subject

__all__ = ["MOST_FLAVORS", "QuotaChoice", "quota_choices"]

#: Of how many flavors more quota is tried.
MOST_FLAVORS: Final = 6


class QuotaChoice(NamedTuple):
    """The quota of a flavor that a ClusterQueue or a cohort could have more of.

    Attributes
    ----------
    holder
        The quotas of the ClusterQueue or cohort.
    demand
        What the workload demands of this flavor.
    flavor
        The flavor.
    """

    holder: amounts.Quotas
    demand: Demand
    flavor: str

    def adjustments(self, subject: Subject) -> tuple[list[Adjustment], dict[Adjustment, int]]:
        """Return adjustments on this quota, and on the best ones for other resources.

        The second part is a guess of how much will do most of the time.
        """
        chosen = [
            (each, self.flavor if each is self.demand else subject.best_flavor(each))
            for each in subject.demands
        ]
        found: list[Adjustment] = []
        guess: dict[Adjustment, int] = {}
        for each, name in chosen:
            for resource, lacking in subject.lacking(each, name).items():
                if (name, resource) not in self.holder:
                    continue
                most = lacking + subject.requests[resource]
                most += sum(
                    asked.requests.get(resource, 0)
                    for state in subject.waiting()
                    for asked in state.requests
                )
                adjustment = self.holder.raised((name, resource), most)
                found.append(adjustment)
                if lacking:
                    guess[adjustment] = lacking
        return found, guess


def quota_choices(subject: Subject) -> list[QuotaChoice]:
    """Return the quotas that could be larger: those nearby first, the best flavor first."""
    node = subject.node
    assert node is not None
    holders = [amounts.Quotas(subject, holder) for holder in (node, *node.ancestors())]
    return [QuotaChoice(holder, *each) for holder in holders for each in _flavors(subject)]


def _flavors(subject: Subject) -> list[tuple[Demand, str]]:
    """Return the flavors that suit, the best ones first; those without a choice together."""
    best = [(demand, subject.best_flavor(demand)) for demand in subject.demands]
    others = [
        (demand, flavor) for demand, first in best for flavor in demand.flavors if flavor != first
    ]
    return [*best[:1], *others][:MOST_FLAVORS]
