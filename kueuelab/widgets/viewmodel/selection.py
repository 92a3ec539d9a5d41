"""What is selected, in a few words: where it stands, and which rule spared or chose it."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.trace.wording import Wording, amount_text
from kueuelab.widgets.viewmodel.decision import why
from kueuelab.widgets.viewmodel.preemption_view import Role, preemption_view_at, role_of
from kueuelab.widgets.viewmodel.run_index import RunIndex
from kueuelab.widgets.viewmodel.tree import members

__all__ = ["selection_text"]


def selection_text(run_index: RunIndex, index: int, kind: str, name: str) -> str:
    """Return what there is to know of a selected object after a step.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> run = scenarios.load("within-1-all-in-one-queue").run()
    >>> selection_text(RunIndex(run.trace), 40, "Workload", "default/job-0")
    'Admitted in cluster-queue, priority 100, asks for 200m cpu'
    """
    if kind != "Workload":
        return ", ".join(_of_queue(run_index, index, kind, name))
    parts = [", ".join(_of_workload(run_index, index, name))]
    verdict = _verdict(run_index, index, name)
    return "; ".join([*parts, *([verdict] if verdict else [])])


def _of_workload(run_index: RunIndex, index: int, key: str) -> Iterator[str]:
    found = run_index.by_queue(index).reading(key)
    if found is None:
        yield "not there at this step"
        return
    where = found.cluster_queue or found.local_queue
    yield f"{found.phase} in {where}" if where else found.phase
    yield f"priority {found.priority}"
    asks = " and ".join(
        f"{amount_text(resource, amount)} {resource}"
        for resource, amount in run_index.requests(key).items()
    )
    if asks:
        yield f"asks for {asks}"
    if found.phase == "Pending" and found.place == "inadmissible":
        yield "set aside"


def _verdict(run_index: RunIndex, index: int, key: str) -> str:
    """Return the part that a workload has in the search that is shown, with the rule."""
    trace = run_index.trace
    view = preemption_view_at(trace.steps, index)
    words = Wording()
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
        yield f"{len(by_queue.waiting(name))} workloads wait in it"
    if kind == "ClusterQueue":
        held = {holding.workload for holding in by_queue.holdings(name)}
        yield f"{len(held)} workloads hold quota of it"
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
