"""A run as one web page that needs nothing else: open it in a browser, offline too.

The page holds the steps with their sentences and changes, and moves through them as the
notebook's views do. All that comes from the run is put in as data and shown as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from typing import Any, Final

from kueuelab.messages import Catalog, english
from kueuelab.messages.catalog import say_script
from kueuelab.messages.languages import ids_of
from kueuelab.model.times import format_duration
from kueuelab.trace.explain import step_text
from kueuelab.trace.index import mentions
from kueuelab.trace.reading import State
from kueuelab.trace.step import Step
from kueuelab.trace.timeline import timeline
from kueuelab.trace.trace import Trace

__all__ = ["page"]

#: The kinds of objects that the page shows.
_SHOWN: Final = ("ClusterQueue/", "Cohort/", "LocalQueue/")


def page(trace: Trace, catalog: Catalog | None = None) -> str:
    """Return the page of a run.

    Parameters
    ----------
    trace
        The record of the run; it must have steps.
    catalog
        Sentences in another language than English.

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
    words = (catalog or english()).table(
        id_ for id_ in ids_of("trace") if id_.startswith("trace.page.")
    )
    document = {
        "words": words,
        "name": trace.name,
        "title": trace.title,
        "kueueVersion": trace.kueue_version,
        "first": arrivals[0] if arrivals else 0,
        "clusters": list(trace.clusters),
        "steps": [
            {
                "cluster": step.cluster,
                "cycle": step.cycle,
                "since": format_duration(step.time - start),
                "text": step_text(step, catalog),
                "preempts": step.kind == "Evicted",
                "about": _about(step),
                "changes": list(_changes(step)),
            }
            for step in trace
        ],
        "rows": [
            {
                "step": row.step,
                "since": format_duration(row.since),
                "subject": row.shown_subject,
                "text": row.text,
            }
            for row in timeline(trace, catalog=catalog)
        ],
    }
    template = resources.files(__name__).joinpath("page.html").read_text("utf-8")
    return template.replace("__SAY__", say_script()).replace("__RUN__", _embedded(document))


def _about(step: Step) -> list[str]:
    """Return the workloads that a step tells of, its own first."""
    names = dict.fromkeys((step.workload, *(name for name, _ in mentions(step))))
    return [name for name in names if name]


def _changes(step: Step) -> Iterator[list[Any]]:
    """Yield what the page shows of what a step changed: path, value before, value after."""
    for change in step.changes:
        if change.path[0] != "objects":
            yield [change.path, change.before, change.after]
        elif change.path[1].startswith(_SHOWN):
            yield [change.path, *(_shown(change.path[1], v) for v in (change.before, change.after))]


def _shown(name: str, manifest: Any) -> Any:
    """Return what the page shows of an object."""
    if manifest is None:
        return None
    state = State({"": {"objects": {name: manifest}}})
    kind, _, key = name.partition("/")
    if kind == "LocalQueue":
        return {"clusterQueue": state.local_queue(key).cluster_queue}
    node = state.cohort(key) if kind == "Cohort" else state.cluster_queue(key)
    quotas = [[f"{q.flavor}/{q.resource}", q.nominal, q.lending_limit] for q in node.quotas]
    return {"parent": node.parent, "quotas": quotas}


def _embedded(document: dict[str, Any]) -> str:
    """Return JSON that can't end the script element that it stands in."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
