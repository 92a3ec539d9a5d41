"""Why each workload is where it is, at each step of a short run: for pages without a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from kueuelab.errors import KueueLabError
from kueuelab.messages import Catalog
from kueuelab.trace.explain import Explanation, why
from kueuelab.trace.trace import Trace
from kueuelab.views.merge_patch import Json

__all__ = ["explanation_data", "whys_of"]

#: Explanations of longer runs are asked for.
_MOST: Final = 2_000


def whys_of(trace: Trace, catalog: Catalog | None = None) -> Json:
    """Return the explanations of each workload with the step from which they hold.

    None if there are too many.
    """
    if len(trace) * len(trace.workloads) > _MOST:
        return {}
    return {workload: list(_of(trace, workload, catalog)) for workload in trace.workloads}


def _of(trace: Trace, workload: str, catalog: Catalog | None) -> Iterator[list[Any]]:
    before: Json = {}
    for index in range(trace.index.about(workload)[0], len(trace)):
        try:
            found = explanation_data(why(trace, workload, index, catalog))
        except KueueLabError:
            continue  # A damaged record may name what there is no sentence for.
        if found != before:
            before = found
            yield [index, found]


def explanation_data(found: Explanation) -> Json:
    """Return an explanation as a view of frames shows it."""
    return {
        "title": found.title,
        "sections": [
            {
                "title": section.title,
                "lines": [
                    {"text": line.text, **({} if line.step is None else {"step": line.step})}
                    for line in section.lines
                ],
            }
            for section in found.sections
        ],
    }
