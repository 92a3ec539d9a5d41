"""Kueue's own scalability scenarios, run in virtual time; ``benchmarks/README.md`` tells more."""

from kueuelab.bench.growth import GrowthRow, run_growth
from kueuelab.bench.measure import Profile
from kueuelab.bench.runs import SHAPES, Result, run_shape

__all__ = ["SHAPES", "GrowthRow", "Profile", "Result", "run_growth", "run_shape"]
