"""For tests of the lab, and of what others build on it.

`strategies` has Hypothesis strategies for the objects of a cluster and for timelines,
`placed_clusters` for clusters with nodes (Hypothesis must be installed); `mutations` damages
valid files; `invariants` says what must hold in every cluster at every step, `placements` what of
where pods are placed.
"""

from kueuelab.testing.invariants import Watch, violations
from kueuelab.testing.mutations import Mutator
from kueuelab.testing.placements import PlacementWatch, misplaced

__all__ = ["Mutator", "PlacementWatch", "Watch", "misplaced", "violations"]
