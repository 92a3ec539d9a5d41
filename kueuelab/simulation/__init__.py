"""A cluster in virtual time: objects, controllers, events, and scenarios played on it."""

from kueuelab.simulation.cluster import Cluster
from kueuelab.simulation.events import Event
from kueuelab.simulation.outcome import CycleRecord

__all__ = ["Cluster", "CycleRecord", "Event"]
