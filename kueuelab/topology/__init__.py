"""Topology-aware placement: domains, what fits in them, and which ones pods get."""

from kueuelab.topology.flavor import TopologyFlavor
from kueuelab.topology.forest import DomainUsage, FlavorUsage, TopologyForest
from kueuelab.topology.place import domain_usage, first_failure, place
from kueuelab.topology.request import Placed, PlacementRequest, PlacementRules
from kueuelab.topology.search import NOTHING_WANTED, GroupSearch, Wanted, searches

__all__ = [
    "NOTHING_WANTED",
    "DomainUsage",
    "FlavorUsage",
    "GroupSearch",
    "Placed",
    "PlacementRequest",
    "PlacementRules",
    "TopologyFlavor",
    "TopologyForest",
    "Wanted",
    "domain_usage",
    "first_failure",
    "place",
    "searches",
]
