"""What is selected, in a few words: where it stands, and which rule spared or chose it."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.trace.wording import Wording, amount_text
from kueuelab.widgets.viewmodel.background import Background
from kueuelab.widgets.viewmodel.decision import why
from kueuelab.widgets.viewmodel.scene import Role, scene_at
from kueuelab.widgets.viewmodel.tree import members

__all__ = ["selection_text"]


def selection_text(background: Background, index: int, kind: str, name: str) -> str:
    """Return what there is to know of a selected object after a step.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> run = scenarios.load("within-1-all-in-one-queue").run()
    >>> selection_text(Background(run.trace), 40, "Workload", "default/job-0")
    'Admitted in cluster-queue, priority 100, asks for 200m cpu'
    """
    if kind != "Workload":
        return ", ".join(_of_queue(background, index, kind, name))
    parts = [", ".join(_of_workload(background, index, name))]
    verdict = _verdict(background, index, name)
    return "; ".join([*parts, *([verdict] if verdict else [])])


def _of_workload(background: Background, index: int, key: str) -> Iterator[str]:
    found = background.crowd(index).reading(key)
    if found is None:
        yield "not there at this step"
        return
    where = found.cluster_queue or found.queue
    yield f"{found.phase} in {where}" if where else found.phase
    yield f"priority {found.priority}"
    asks = " and ".join(
        f"{amount_text(resource, amount)} {resource}"
        for resource, amount in background.requests(key).items()
    )
    if asks:
        yield f"asks for {asks}"
    if found.phase == "Pending" and found.place == "inadmissible":
        yield "set aside"


def _verdict(background: Background, index: int, key: str) -> str:
    """Return the part that a workload has in the search that is shown, with the rule."""
    trace = background.trace
    scene = scene_at(trace.steps, index)
    words = Wording()
    for candidate in scene.candidates:
        if candidate.workload == key:
            rule = why(trace[candidate.told_by], words) if candidate.cluster_queue else ""
            return f"{candidate.role}: {rule}" if rule else str(candidate.role)
    role = scene.roles().get(key, Role.NONE)
    if role:
        return str(role)
    found = background.crowd(index).reading(key)
    if found is None or found.phase == "Pending":
        return ""
    for skipped in scene.skipped:
        if found.cluster_queue in members(background.tree(index), skipped.name):
            return f"{Role.EXCLUDED}: {why(trace[skipped.told_by], words)}"
    return ""


def _of_queue(background: Background, index: int, kind: str, name: str) -> Iterator[str]:
    crowd = background.crowd(index)
    if kind == "LocalQueue":
        yield f"{len(crowd.waiting(name))} workloads wait in it"
    if kind == "ClusterQueue":
        held = {holding.workload for holding in crowd.holdings(name)}
        yield f"{len(held)} workloads hold quota of it"
    found = background.state(index).get("objects", {}).get(f"{kind}/{name}", {})
    if kind == "ClusterQueue":
        yield str(found.get("queueing_strategy", "BestEffortFIFO"))
        yield from _policies(found.get("preemption"))
    parent = found.get("cohort_name") or found.get("parent_name") or found.get("cluster_queue")
    if parent:
        yield f"below {parent}"


def _policies(preemption: object) -> Iterator[str]:
    """Yield the policies of preemption by Kueue's names."""
    if not isinstance(preemption, dict):
        return
    for field, value in preemption.items():
        first, *rest = str(field).split("_")
        title = first + "".join(part.capitalize() for part in rest)
        if isinstance(value, str):
            yield f"{title} {value}"
        elif isinstance(value, dict) and value.get("policy"):
            yield f"{title} {value['policy']}"
