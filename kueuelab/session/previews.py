"""The small pictures of packaged examples: the tree of queues with its use at one moment.

The moment is the first eviction; of a run without one, the last time that a workload had to wait,
or that one was admitted. A dump has but one moment, its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from kueuelab import scenarios
from kueuelab.messages import Catalog
from kueuelab.model import UNLIMITED
from kueuelab.model.times import format_duration
from kueuelab.session.preview_protocol import ExamplePreview, PreviewRow
from kueuelab.session.quota_sums import QuotaSum, quota_sums, scarcity
from kueuelab.session.session import Session
from kueuelab.trace.names import short_name
from kueuelab.trace.trace import Trace
from kueuelab.views.frame.document import Document
from kueuelab.views.frame.domain_sums import domain_sums
from kueuelab.views.frame.domains import has_topologies
from kueuelab.views.merge_patch import Json
from kueuelab.views.run_index import RunIndex

__all__ = ["example_preview"]

_MOST_ROWS: Final = 7
#: What happens, by the kind of the step.
_CAPTIONS: Final = ("Evicted", "Pending", "QuotaReserved")


def example_preview(name: str, words: Catalog) -> ExamplePreview:
    """Return the picture of a packaged scenario or dump.

    Parameters
    ----------
    name
        Its name.
    words
        The language.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> found = example_preview("reclaim-1-take-back", english())
    >>> found.caption
    '7s: job-1 is preempted by job-2'
    >>> [(row.name, row.own, row.borrowed) for row in found.rows][1:]
    [('team-a', 0.286, 0.0), ('team-b', 0.286, 0.429)]
    """
    session = Session().opened(name)
    if session.cluster_sets:
        branch = session.cluster_sets[0]
        trace = branch.run.trace
        at = _moment(trace, is_dump=False)
        rows = [
            row
            for cluster in branch.clusters
            for row in _cluster_rows(cluster, branch.run.traces[cluster], trace[at].time, words)
        ]
    else:
        run = session.branches[0].run
        trace = run.trace
        at = _moment(trace, is_dump=name in scenarios.dumps())
        frame = Document(RunIndex(trace, words)).frame(at)
        rows = list(_rows(frame))
        if len(rows) == 1 and has_topologies(trace):
            rows += _domains(frame)
    return ExamplePreview(
        name=name,
        caption=_caption(trace, at, words),
        evicts=trace[at].kind == "Evicted",
        rows=tuple(_scaled(rows)[:_MOST_ROWS]),
        more=max(0, len(rows) - _MOST_ROWS),
    )


def _moment(trace: Trace, *, is_dump: bool) -> int:
    evictions = trace.of_kind("Evicted")
    if evictions:
        return evictions[0]
    if not is_dump:
        for kind in _CAPTIONS[1:]:
            if found := trace.of_kind(kind):
                return found[-1]
    return len(trace) - 1


def _caption(trace: Trace, at: int, words: Catalog) -> str:
    step = trace[at]
    kind = step.kind.lower() if step.kind in _CAPTIONS else "end"
    by = getattr(step.facts, "preemptor", "")
    form = f"session.preview.{'preempted' if by else kind}"
    return words.text(
        form,
        time=format_duration(step.time - trace[0].time),
        workload=short_name(step.workload),
        by=short_name(by),
    )


def _cluster_rows(cluster: str, trace: Trace, time: int, words: Catalog) -> Iterator[PreviewRow]:
    yield PreviewRow("Cluster", cluster, 0, 0, 0, 0, 0, 0, 0)
    before = [index for index, step in enumerate(trace) if step.time <= time]
    if before:
        frame = Document(RunIndex(trace, words)).frame(before[-1])
        yield from (replace(row, depth=row.depth + 1) for row in _rows(frame))


def _rows(frame: Json) -> Iterator[PreviewRow]:
    """Yield the cohorts and ClusterQueues, with amounts of the scarcest resource."""
    sums = quota_sums(frame)
    used = scarcity(sums)
    resource = min(used, key=lambda name: (-used[name], name), default="")
    tree: Mapping[str, Any] = frame.get("tree", {})
    evicted, pending = _chips(frame, tree, resource)
    for key, node in sorted(tree.items(), key=lambda item: item[1]["order"]):
        if node["kind"] == "LocalQueue":
            continue
        found = sums.get((key, resource), QuotaSum())
        yield PreviewRow(
            kind=node["kind"],
            name=node["name"],
            depth=node["depth"],
            # What is unlimited has no length.
            nominal=found.nominal if found.nominal < UNLIMITED else 0,
            own=found.own,
            borrowed=found.borrowed,
            lent=found.lent,
            evicted=evicted[key],
            pending=pending[key],
        )


def _domains(frame: Json) -> Iterator[PreviewRow]:
    """Yield the domains of the first topology, with the resource that is used most."""
    topologies: Mapping[str, Any] = frame.get("topologies", {})
    flavor = min(topologies, key=lambda name: topologies[name]["order"], default="")
    sums = domain_sums(frame, flavor)
    roots = [each for path, each in sums.items() if len(path) == 1]
    used: dict[str, float] = {}
    for each in roots:
        for resource, room in each.room.items():
            if resource != "pods" and room:
                part = 1 - each.free.get(resource, 0) / room
                used[resource] = max(used.get(resource, 0), part)
    resource = min(used, key=lambda name: (-used[name], name), default="")
    for path in sorted(sums):
        room, free = (amounts.get(resource, 0) for amounts in (sums[path].room, sums[path].free))
        yield PreviewRow("Domain", path[-1], len(path), room, room - free, 0, 0, 0, 0)


def _chips(
    frame: Json, tree: Mapping[str, Any], resource: str
) -> tuple[Counter[str], Counter[str]]:
    """Return what evicted workloads hold, and how many are pending, by node."""
    bars: Mapping[str, Any] = frame.get("bars", {})
    evicted, pending = Counter[str](), Counter[str]()
    for chip in frame.get("chips", {}).values():
        bar = bars.get(chip.get("bar", ""))
        if bar is not None and bar["resource"] == resource and chip.get("phase") == "Evicted":
            evicted[bar["node"]] += chip["amount"]
        queue = tree.get(chip.get("queue", ""))
        if queue is not None:
            pending[queue["parent"] if queue["kind"] == "LocalQueue" else chip["queue"]] += 1
    return evicted, pending


def _scaled(rows: list[PreviewRow]) -> list[PreviewRow]:
    """Return the rows with amounts in parts: quota and domains have each their own scale."""
    longest: dict[bool, float] = {}
    for each in rows:
        is_domain = each.kind == "Domain"
        length = max(each.nominal, each.own + each.borrowed)
        longest[is_domain] = max(longest.get(is_domain, 0), length)
    return [_parts(each, longest[each.kind == "Domain"] or 1) for each in rows]


def _parts(row: PreviewRow, longest: float) -> PreviewRow:
    def part(amount: float) -> float:
        return round(amount / longest, 3)

    return replace(
        row,
        nominal=part(row.nominal),
        own=part(row.own),
        borrowed=part(row.borrowed),
        lent=part(row.lent),
        evicted=part(row.evicted),
    )
