"""Selectors of devices: the Common Expression Language as far as such selectors use it.

See https://kubernetes.io/docs/reference/using-api/cel/ and the field
``devices.requests[].exactly.selectors`` of a ResourceClaim.
"""

from kueuelab.simulation.devices.cel.errors import CelError
from kueuelab.simulation.devices.cel.selector import compiled, device_value, matches

__all__ = ["CelError", "compiled", "device_value", "matches"]
