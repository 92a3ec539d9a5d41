"""Which run of a scenario an object on a cluster is of."""

from __future__ import annotations

from typing import Final

from kueuelab.live.resources import Json

__all__ = ["RUN_ID", "run_of"]

#: Tells the objects of one run from those of another run of the same scenario.
RUN_ID: Final = "kueuelab/run-id"


def run_of(obj: Json) -> str:
    """Return which run an object is of, ``""`` if it does not say."""
    return str((obj["metadata"].get("annotations") or {}).get(RUN_ID) or "")
