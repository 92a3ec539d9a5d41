"""Jobs of several Workloads, such as LeaderWorkerSets: one worker runs all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kueuelab.manifests.jobs.constants import COMPONENT_INDEX
from kueuelab.multikueue.workqueue import ReconcileError
from kueuelab.workload import WorkloadState

if TYPE_CHECKING:
    from kueuelab.multikueue.manager import Manager
    from kueuelab.multikueue.views import View

__all__ = ["Components", "components_of"]


@dataclass(frozen=True, slots=True)
class Components:
    """The other Workloads of a job, apart from one.

    Attributes
    ----------
    others
        Their keys.
    complete
        Whether all Workloads of the job exist.
    cluster
        The worker that already runs one of them, ``""`` if there is none.
    is_primary
        Whether this one is dispatched first: it has the lowest index.
    """

    others: tuple[str, ...] = ()
    complete: bool = True
    cluster: str = ""
    is_primary: bool = True


def components_of(manager: Manager, view: View, job_key: str) -> Components:
    """Return the other Workloads of a job.

    Raises
    ------
    ReconcileError
        If they run on different workers.
    """
    job = manager.member.jobs.get(job_key)
    if job is None or len(job.workloads) < 2:
        return Components()
    found = {key: manager.member.workloads.get(key) for key in job.workloads if key != view.key}
    there = {key: state for key, state in found.items() if state is not None}
    clusters = sorted({state.cluster_name for state in there.values() if state.cluster_name})
    if len(clusters) > 1:
        raise ReconcileError("component workloads are on different workers")
    own = _index(view.obj.metadata.annotations.get(COMPONENT_INDEX))
    first = all(own < _index_of(state) for state in there.values())
    return Components(
        tuple(there), len(there) == len(found), clusters[0] if clusters else "", first
    )


def _index_of(state: WorkloadState) -> int:
    return _index(state.obj.metadata.annotations.get(COMPONENT_INDEX))


def _index(text: str | None) -> int:
    return int(text) if text is not None and text.isdecimal() else -1
