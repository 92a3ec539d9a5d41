"""What is selected, in a few words: where it stands, and which rule spared or chose it."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.messages import Message
from kueuelab.trace.wording import amount_text
from kueuelab.views.decision import why
from kueuelab.views.preemption_view import Role, preemption_view_at, role_of
from kueuelab.views.run_index import RunIndex
from kueuelab.views.tree import members

__all__ = ["selection_text"]


def selection_text(run_index: RunIndex, index: int, kind: str, name: str) -> str:
    """Return what there is to know of a selected object after a step.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> run = scenarios.load("within-1-all-in-one-queue").run()
    >>> selection_text(RunIndex(run.trace), 40, "Workload", "default/job-0")
    'Admitted in cluster-queue, priority 100, requests 200m cpu'
    """
    if kind != "Workload":
        return ", ".join(_of_queue(run_index, index, kind, name))
    parts = [", ".join(_of_workload(run_index, index, name))]
    verdict = _verdict(run_index, index, name)
    return "; ".join([*parts, *([verdict] if verdict else [])])


def _of_workload(run_index: RunIndex, index: int, key: str) -> Iterator[str]:
    found = run_index.by_queue(index).reading(key)
    if found is None:
        yield Message("widgets.selection.missing")
        return
    where = found.cluster_queue or found.local_queue
    if where:
        yield Message("widgets.selection.phase-in", phase=found.phase, queue=where)
    else:
        yield found.phase
    yield Message("widgets.selection.priority", priority=found.priority)
    asks = " and ".join(
        f"{amount_text(resource, amount)} {resource}"
        for resource, amount in run_index.requests(key).items()
    )
    if asks:
        yield Message("widgets.selection.requests", asks=asks)
    if found.phase == "Pending" and found.place == "inadmissible":
        yield Message("widgets.selection.inadmissible")


def _verdict(run_index: RunIndex, index: int, key: str) -> str:
    """Return the part that a workload has in the search that is shown, with the rule."""
    trace = run_index.trace
    view = preemption_view_at(trace, index)
    words = run_index.words
    for candidate in view.candidates:
        if candidate.workload == key:
            rule = why(trace[candidate.decided_at], words) if candidate.queue else ""
            role = role_of(candidate)
            return f"{role}: {rule}" if rule else str(role)
    role = view.roles.get(key, Role.NONE)
    if role:
        return str(role)
    found = run_index.by_queue(index).reading(key)
    if found is None or found.phase == "Pending":
        return ""
    for skipped in view.skipped:
        if found.cluster_queue in members(run_index.tree(index), skipped.queue):
            return f"{Role.EXCLUDED}: {why(trace[skipped.step], words)}"
    return ""


def _of_queue(run_index: RunIndex, index: int, kind: str, name: str) -> Iterator[str]:
    by_queue = run_index.by_queue(index)
    if kind == "LocalQueue":
        yield Message("widgets.selection.pending", count=len(by_queue.waiting(name)))
    if kind == "ClusterQueue":
        held = {holding.workload for holding in by_queue.holdings(name)}
        yield Message("widgets.selection.with-quota", count=len(held))
    state = run_index.state(index)
    if kind == "ClusterQueue":
        queue = state.cluster_queue(name)
        yield queue.queueing_strategy
        for field, policy in queue.preemption_policies:
            yield f"{field} {policy}"
        parent = queue.parent
    elif kind == "Cohort":
        parent = state.cohort(name).parent
    else:
        parent = state.local_queue(name).cluster_queue
    if parent:
        yield f"below {parent}"
