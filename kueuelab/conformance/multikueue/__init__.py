"""Recorded scenarios of MultiKueue: several clusters, and the facts that a watcher noted.

A file with one of them is recognised by what is in it; ``kueuelab conformance`` takes it like
any other.
"""

from kueuelab.conformance.multikueue.check import check_multikueue_file, differences_of
from kueuelab.conformance.multikueue.recording import (
    RaceOutcomes,
    Recording,
    is_recording,
    read_recording,
)
from kueuelab.conformance.multikueue.replay import replay

__all__ = [
    "RaceOutcomes",
    "Recording",
    "check_multikueue_file",
    "differences_of",
    "is_recording",
    "read_recording",
    "replay",
]
