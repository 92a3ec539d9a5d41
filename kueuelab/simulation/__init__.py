"""A cluster in virtual time: objects, controllers, events, and scenarios played on it."""

from kueuelab.simulation.cluster import Cluster
from kueuelab.simulation.cycle_record import CycleRecord
from kueuelab.simulation.events import Event
from kueuelab.simulation.expectations import Outcome
from kueuelab.simulation.found_loop import Loop
from kueuelab.simulation.player import Player
from kueuelab.simulation.run import Run, Scenario

__all__ = ["Cluster", "CycleRecord", "Event", "Loop", "Outcome", "Player", "Run", "Scenario"]
