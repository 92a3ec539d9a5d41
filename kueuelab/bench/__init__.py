"""Kueue's own scalability scenarios, run in virtual time; ``benchmarks/README.md`` tells more."""

from kueuelab.bench.growth import GrowthRow, run_growth
from kueuelab.bench.measure import Profile
from kueuelab.bench.placing import PlacingResult, run_placing
from kueuelab.bench.runs import SHAPES, Result, run_shape

__all__ = [
    "SHAPES",
    "GrowthRow",
    "PlacingResult",
    "Profile",
    "Result",
    "run_growth",
    "run_placing",
    "run_shape",
]
