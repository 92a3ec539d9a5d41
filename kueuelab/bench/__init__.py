"""Kueue's own scalability scenarios, run in virtual time; ``benchmarks/README.md`` tells more."""

from kueuelab.bench.cluster_dump import DumpShape
from kueuelab.bench.dump import (
    DUMP_FACTOR,
    DUMP_GOALS,
    MEASURES,
    DumpGoal,
    DumpRow,
    run_dumps,
)
from kueuelab.bench.growth import GrowthRow, run_growth
from kueuelab.bench.measure import Profile
from kueuelab.bench.placing import PlacingResult, run_placing
from kueuelab.bench.runs import SHAPES, Result, run_shape

__all__ = [
    "DUMP_FACTOR",
    "DUMP_GOALS",
    "MEASURES",
    "SHAPES",
    "DumpGoal",
    "DumpRow",
    "DumpShape",
    "GrowthRow",
    "PlacingResult",
    "Profile",
    "Result",
    "run_dumps",
    "run_growth",
    "run_placing",
    "run_shape",
]
