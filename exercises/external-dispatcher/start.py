"""An external dispatcher for MultiKueue: your answer is the function dispatch."""

from kueuelab.multikueue import DispatchView, Nomination

#: What an hour of cpu costs.
PRICES = {"campus": 1, "partner": 2, "cloud-west": 3, "cloud-east": 4}

#: How long the workers nominated so far have before another one is nominated too (ns).
PATIENCE = 60 * 1_000_000_000


def dispatch(view: DispatchView) -> Nomination:
    """Nominate workers for view.workload."""
    return Nomination(view.clusters)
