"""Names of workloads and queues are completed where a notebook asks a run about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from IPython.core.completer import CompletionContext, SimpleCompletion, context_matcher

from kueuelab.trace.recorded_run import RecordedRun

__all__ = ["names_matcher"]

#: A question with the beginning of a name: ``run.why("def``.
_ASKED: Final = re.compile(
    r"""(?P<run>\w+)\.
    (?: (?:why|why_not|who_evicted|what_would_admit|key_of)\(\s* | (?P<of>workloads|queues)\[ )
    ["'](?P<start>[^"']*)$""",
    re.VERBOSE,
)


def names_matcher(variables: Mapping[str, Any]) -> Callable[[CompletionContext], Any]:
    """Return what completes names of the objects of runs that variables hold."""

    @context_matcher()
    def kueuelab_names(context: CompletionContext) -> Any:
        line = context.line_with_cursor[: context.cursor_position]
        asked = _ASKED.search(line)
        run = variables.get(asked["run"]) if asked else None
        if asked is None or not isinstance(run, RecordedRun):
            return {"completions": []}
        names = run.queues if asked["of"] == "queues" else run.workloads
        start = asked["start"]
        # A name without its namespace is enough.
        found = sorted(
            name
            for name in names
            if name.startswith(start) or name.split("/")[-1].startswith(start)
        )
        return {
            "completions": [SimpleCompletion(text=name, type="instance") for name in found],
            "matched_fragment": start,
            "suppress": bool(found),
        }

    matcher: Callable[[CompletionContext], Any] = kueuelab_names
    return matcher
