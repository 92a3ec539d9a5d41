"""What a trace is made of: steps, the facts each one states, the changes it makes.

A step's facts are one of the frozen dataclasses gathered here; its changes say which
values of the visible state (:mod:`kueuelab.trace.timetravel`) it turned from what into
what, so that a cursor can apply or undo them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from kueuelab.trace import cycle_facts, effect_facts, placement_facts, status_facts
from kueuelab.trace.cycle_facts import *  # noqa: F403
from kueuelab.trace.effect_facts import *  # noqa: F403
from kueuelab.trace.multikueue_facts import *  # noqa: F403
from kueuelab.trace.placement_facts import *  # noqa: F403
from kueuelab.trace.status_facts import *  # noqa: F403
from kueuelab.trace.step import Change, Facts, Path, Step

__all__ = ["KINDS", "Change", "Facts", "Path", "Step"]

#: Every kind of step by name.
KINDS: Final[Mapping[str, type[Facts]]] = MappingProxyType(
    {cls.__name__: cls for cls in Facts.__subclasses__()}
)

__all__ += cycle_facts.__all__
__all__ += effect_facts.__all__
__all__ += placement_facts.__all__
__all__ += status_facts.__all__
