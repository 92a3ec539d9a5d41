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

    Explanations share most of their texts: each is there once, and is named by its number. There
    is nothing if there are too many explanations.
    """
    if len(trace) * len(trace.workloads) > _MOST:
        return {}
    texts: dict[str, int] = {}
    of = {workload: list(_of(trace, workload, catalog, texts)) for workload in trace.workloads}
    return {"texts": list(texts), "of": of}


def _of(
    trace: Trace, workload: str, catalog: Catalog | None, texts: dict[str, int]
) -> Iterator[list[Any]]:
    before: list[Any] = []
    for index in range(trace.index.about(workload)[0], len(trace)):
        try:
            found = _pooled(why(trace, workload, index, catalog), texts)
        except KueueLabError:
            continue  # A damaged record may name what there is no sentence for.
        if found != before:
            before = found
            yield [index, found]


def _pooled(found: Explanation, texts: dict[str, int]) -> list[Any]:
    """Return an explanation with numbers of texts; new texts are added."""

    def number(text: str) -> int:
        return texts.setdefault(text, len(texts))

    return [
        number(found.title),
        [
            [
                number(section.title),
                [
                    [number(line.text), *([] if line.step is None else [line.step])]
                    for line in section.lines
                ],
            ]
            for section in found.sections
        ],
    ]


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
