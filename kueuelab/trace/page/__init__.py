"""A run as one web page that needs nothing else: open it in a browser, offline too.

The page holds the steps with their sentences and changes, and moves through them as the
notebook's views do. All that comes from the run is put in as data and shown as text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from itertools import repeat
from typing import Any

from kueuelab.messages import Catalog
from kueuelab.model.times import format_duration
from kueuelab.trace.explain import step_text
from kueuelab.trace.index import mentions
from kueuelab.trace.step import Step
from kueuelab.trace.timeline import timeline
from kueuelab.trace.trace import Trace

__all__ = ["page"]


def page(trace: Trace, catalog: Catalog | None = None, *, clusters: Sequence[str] = ()) -> str:
    """Return the page of a run.

    Parameters
    ----------
    trace
        The record of the run; it must have steps.
    catalog
        Sentences in another language than English.
    clusters
        The cluster of each step, if the trace is that of several clusters together: in it, the
        state of a cluster is below the cluster's name, and names begin with it (``w1:team/a``).

    Raises
    ------
    ValueError
        If the run has no steps.

    Examples
    --------
    >>> from kueuelab.trace import Recorder
    >>> from kueuelab.trace.steps import CycleStarted
    >>> recorder = Recorder()
    >>> recorder.record(CycleStarted(("default/a",)))
    >>> "<title>kueuelab</title>" in page(Trace.of(recorder, "small"))
    True
    """
    if not len(trace):
        raise ValueError("this run has no steps: there is nothing to show")
    start = trace[0].time
    arrivals = trace.of_kind("WorkloadCreated", "CycleStarted")
    document = {
        "name": trace.name,
        "title": trace.title,
        "kueueVersion": trace.kueue_version,
        "first": arrivals[0] if arrivals else 0,
        "clusters": list(dict.fromkeys(clusters)),
        "steps": [
            {
                "cluster": cluster,
                "cycle": step.cycle,
                "since": format_duration(step.time - start),
                "text": step_text(step, catalog),
                "preempts": step.kind == "Evicted",
                "about": _about(step, cluster),
                "changes": [[each.path, each.before, each.after] for each in step.changes],
            }
            for step, cluster in zip(trace.steps, clusters or repeat(""), strict=False)
        ],
        "rows": [
            {
                "step": row.step,
                "since": format_duration(row.since),
                "subject": row.subject,
                "text": row.text,
            }
            for row in timeline(trace, catalog=catalog)
        ],
    }
    template = resources.files(__name__).joinpath("page.html").read_text("utf-8")
    return template.replace("__RUN__", _embedded(document))


def _about(step: Step, cluster: str) -> list[str]:
    """Return the workloads that a step tells of, its own first."""
    prefix = f"{cluster}:" if cluster else ""
    names = dict.fromkeys((step.workload, *(f"{prefix}{name}" for name, _ in mentions(step))))
    return [name for name in names if name]


def _embedded(document: dict[str, Any]) -> str:
    """Return JSON that can't end the script element that it stands in."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
