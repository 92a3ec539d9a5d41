"""The record of a run: steps, moving through them, why things are as they are.

The rest is where its name says: :mod:`~kueuelab.trace.explain`,
:mod:`~kueuelab.trace.export`, :mod:`~kueuelab.trace.timeline`, :mod:`~kueuelab.trace.diff`.
"""

from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.step import Change, Step
from kueuelab.trace.timetravel import Cursor
from kueuelab.trace.trace import Trace

__all__ = ["Breakpoint", "Change", "Cursor", "Recorder", "Step", "Trace"]
