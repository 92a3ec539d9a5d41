"""For tests of the lab, and of what others build on it.

`strategies` has Hypothesis strategies for whole valid worlds and timelines (Hypothesis must be
installed); `mutations` damages valid files; `invariants` says what must hold in every cluster at
every step.
"""

from kueuelab.testing.invariants import Watch, violations
from kueuelab.testing.mutations import Mutator

__all__ = ["Mutator", "Watch", "violations"]
