"""What goes wrong with an expression."""

from __future__ import annotations

__all__ = ["CelError"]


class CelError(Exception):
    """An expression can't be read, or has no value for a device.

    It never leaves `kueuelab.simulation.devices`: Kueue writes its text on the workload.
    """
