"""Topology-aware placement: domains, what fits in them, and which ones pods get."""

from kueuelab.topology.flavor import TopologyFlavor
from kueuelab.topology.forest import DomainUsage, FlavorUsage, TopologyForest
from kueuelab.topology.place import domain_usage, first_failure, place
from kueuelab.topology.request import Placed, PlacementRequest, PlacementRules

__all__ = [
    "DomainUsage",
    "FlavorUsage",
    "Placed",
    "PlacementRequest",
    "PlacementRules",
    "TopologyFlavor",
    "TopologyForest",
    "domain_usage",
    "first_failure",
    "place",
]
