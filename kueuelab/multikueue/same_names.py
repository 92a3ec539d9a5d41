"""Jobs of one name in several clusters: their Workloads have different names.

The name of a Workload has a hash of its job's uid in it, so that the copy of a manager's Workload
never meets the Workload of a worker's own job. A job in the short form names its Workload like
itself; this holds while no other cluster has a job of that name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kueuelab.manifests.jobs.names import default_uid, workload_name
from kueuelab.manifests.scenario import Action, Submit
from kueuelab.model import OwnerReference, Workload

__all__ = ["with_distinct_names"]


def with_distinct_names(timeline: Iterable[Action]) -> tuple[Action, ...]:
    """Return a timeline in which no worker's own Workload has the name of one on the manager.

    Parameters
    ----------
    timeline
        The actions of a scenario with several clusters; ``cluster`` ``""`` is the manager.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta
    >>> train = (Workload(ObjectMeta("train", "default")),)
    >>> actions = (Submit(cluster="w1", workloads=train), Submit(workloads=train))
    >>> [each.workloads[0].key for each in with_distinct_names(actions)]
    ['default/job-train-29418', 'default/train']
    """
    actions = tuple(timeline)
    of_manager = {
        workload.key
        for action in actions
        if isinstance(action, Submit) and not action.cluster
        for workload in action.workloads
    }
    return tuple(
        replace(
            action,
            workloads=tuple(
                _as_kueue_names_it(each, action.cluster) if each.key in of_manager else each
                for each in action.workloads
            ),
        )
        if isinstance(action, Submit) and action.cluster
        else action
        for action in actions
    )


def _as_kueue_names_it(workload: Workload, cluster: str) -> Workload:
    """Return the Workload of a worker's own job by the name that Kueue gives it."""
    meta = workload.metadata
    jobs = (each.name for each in meta.owner_references if each.kind == "Job")
    job = next(jobs, meta.name)
    uid = f"{cluster}-{default_uid(meta.namespace, job)}"
    name = workload_name("batch", "Job", job, uid)
    owner = OwnerReference("batch/v1", "Job", job, controller=True)
    return replace(workload, metadata=replace(meta, name=name, owner_references=(owner,)))
