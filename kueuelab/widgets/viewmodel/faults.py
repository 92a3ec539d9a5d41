"""What can befall clusters, queues and copies at the moment shown, as actions of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from kueuelab.manifests.scenario import (
    Action,
    Apply,
    Delete,
    Fault,
    FaultName,
    Finish,
    Remove,
    SetActive,
    SetCheck,
)
from kueuelab.model import ClusterQueue
from kueuelab.model.times import SECOND
from kueuelab.multikueue.scenario import WorldRun
from kueuelab.trace.names import short_name
from kueuelab.trace.reading import State, WorkloadView
from kueuelab.widgets.viewmodel.rerun import config_in_use, objects_at

__all__ = ["Offer", "offers_at"]

#: A copy that is stopped by hand is resumed after so long; the manager has noticed by then.
_PAUSE: Final = 3 * SECOND


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that can be done at the moment shown.

    Attributes
    ----------
    id
        Its name for programs: ``disconnect``, ``delete copy``, ``drain dispatch``, ...
    label
        What it does, as on a button.
    hint
        What that stands for on a real cluster.
    actions
        Makes the actions of it, given the run and the time, nanoseconds since the start.
    """

    id: str
    label: str
    hint: str
    actions: Callable[[WorldRun, int], tuple[Action, ...]]


def offers_at(run: WorldRun, state: State, cluster: str, workload: str = "") -> tuple[Offer, ...]:
    """Return what can befall a cluster, and a workload in it.

    Parameters
    ----------
    run
        The run.
    state
        The visible state of all clusters.
    cluster
        Which one.
    workload
        A workload, by ``namespace/name``; what isn't in the cluster is left out.

    Examples
    --------
    >>> from kueuelab.multikueue import load
    >>> run = load("lost-worker").run()
    >>> state = run.trace.state_at(100)
    >>> [offer.id for offer in offers_at(run, state, "w1", "default/train")][:3]
    ['disconnect', 'reconnect', 'break kubeconfig']
    """
    manager = run.world.manager.site.name
    here = state[cluster]
    found: list[Offer] = []
    if cluster != manager:
        found += _of_network(cluster)
        found += _of_config(state[manager], cluster)
    found += _of_kueue(cluster)
    for queue in here.names("ClusterQueue"):
        found += _of_queue(here, cluster, queue)
    copy = here.workload(workload)
    if copy:
        found += _of_copy(cluster, workload, copy, is_manager=cluster == manager)
    return tuple(found)


def _of_network(worker: str) -> Iterator[Offer]:
    yield _fault("disconnect", worker, "The network between the manager and it is cut")
    yield _fault("reconnect", worker, "The network between the manager and it is back")
    yield _kubeconfig(
        "break kubeconfig", worker, "wrong-token", "The token in the manager's Secret is no good"
    )
    yield _kubeconfig("repair kubeconfig", worker, "valid", "The Secret has a good token again")
    yield _crd("removeCRD", worker, "delete the CRD of Workloads on", "What there is of them, too")
    hint = "The manager is connected with its next attempt"
    yield _crd("installCRD", worker, "install the CRD of Workloads on", hint)


def _fault(what: FaultName, on: str, hint: str, words: str = "") -> Offer:
    def actions(run: WorldRun, at: int) -> tuple[Action, ...]:
        return (Fault(what, on, at=at),)

    label = f"{words} on {on}" if words else f"{what} {on}"
    return Offer(words or what, label, hint, actions)


def _kubeconfig(id: str, worker: str, content: str, hint: str) -> Offer:
    def actions(run: WorldRun, at: int) -> tuple[Action, ...]:
        return (Fault("setKubeconfig", worker, content, at=at),)

    verb, _, noun = id.partition(" ")
    return Offer(id, f"{verb} the {noun} of {worker}", hint, actions)


def _crd(what: FaultName, worker: str, words: str, hint: str) -> Offer:
    def actions(run: WorldRun, at: int) -> tuple[Action, ...]:
        return (Fault(what, worker, kind="Workload", at=at),)

    verb = "install" if what == "installCRD" else "delete"
    return Offer(f"{verb} CRD", f"{words} {worker}", hint, actions)


def _of_config(manager: State, worker: str) -> Iterator[Offer]:
    configs = [manager.multi_kueue_config(name) for name in manager.names("MultiKueueConfig")]
    if any(worker in config.clusters for config in configs):
        label = f"take {worker} out of the MultiKueueConfig"
        hint = "kubectl edit multikueueconfig on the manager"
        yield Offer("take out of config", label, hint, _listed(worker, wanted=False))
    elif configs:
        label = f"add {worker} to the MultiKueueConfig"
        hint = "kubectl edit multikueueconfig on the manager; it becomes the last one"
        yield Offer("add to config", label, hint, _listed(worker, wanted=True))
    if manager.has("MultiKueueCluster", worker):

        def delete(run: WorldRun, at: int) -> tuple[Action, ...]:
            return (Remove("MultiKueueCluster", worker, at=at),)

        label = f"delete the MultiKueueCluster {worker}"
        hint = f"kubectl delete multikueuecluster {worker} on the manager"
        yield Offer("delete cluster", label, hint, delete)
    else:

        def create(run: WorldRun, at: int) -> tuple[Action, ...]:
            made = run.scenario.spec.manifests.objects.get("MultiKueueCluster", ())
            return (Apply(tuple(o for o in made if o.metadata.name == worker), at=at),)

        label = f"create the MultiKueueCluster {worker} again"
        yield Offer("create cluster", label, "kubectl apply on the manager", create)


def _listed(worker: str, *, wanted: bool) -> Callable[[WorldRun, int], tuple[Action, ...]]:
    def actions(run: WorldRun, at: int) -> tuple[Action, ...]:
        config = config_in_use(objects_at(run, run.world.manager.site.name, at))
        if config is None:
            return ()
        others = tuple(name for name in config.clusters if name != worker)
        clusters = (*others, worker) if wanted else others
        return (Apply((replace(config, clusters=clusters),), at=at),)

    return actions


def _of_kueue(cluster: str) -> Iterator[Offer]:
    hint = "What Kueue keeps in memory only is forgotten"
    yield _fault("restartKueue", cluster, hint, "restart Kueue")
    yield _fault("stopKueue", cluster, "Nobody decides there any more", "stop Kueue")
    yield _fault("startKueue", cluster, "After it was stopped", "start Kueue")


_POLICIES: Final[tuple[tuple[Literal["None", "Hold", "HoldAndDrain"], str, str], ...]] = (
    ("HoldAndDrain", "drain", "stopPolicy: HoldAndDrain; what was admitted is evicted"),
    ("Hold", "hold", "stopPolicy: Hold; nothing more is admitted"),
    ("None", "resume", "stopPolicy: None"),
)


def _of_queue(here: State, cluster: str, name: str) -> Iterator[Offer]:
    now = here.cluster_queue(name).stop_policy
    for policy, verb, hint in _POLICIES:
        if policy == now:
            continue

        def actions(
            run: WorldRun, at: int, policy: Literal["None", "Hold", "HoldAndDrain"] = policy
        ) -> tuple[Action, ...]:
            queues = objects_at(run, cluster, at).get("ClusterQueue", ())
            changed = tuple(
                replace(queue, stop_policy=policy)
                for queue in queues
                if isinstance(queue, ClusterQueue) and queue.name == name
            )
            return (Apply(changed, at=at, cluster=_named(run, cluster)),)

        yield Offer(f"{verb} {name}", f"{verb} ClusterQueue {name} on {cluster}", hint, actions)


def _of_copy(cluster: str, key: str, copy: WorkloadView, *, is_manager: bool) -> Iterator[Offer]:
    name = short_name(key)
    what = "" if is_manager else "copy"

    def active(*values: bool) -> Callable[[WorldRun, int], tuple[Action, ...]]:
        return lambda run, at: tuple(
            SetActive(key, value, at=at + turn * _PAUSE, cluster=_named(run, cluster))
            for turn, value in enumerate(values)
        )

    def delete(run: WorldRun, at: int) -> tuple[Action, ...]:
        return (Delete(key, at=at, cluster=_named(run, cluster)),)

    def finish(run: WorldRun, at: int) -> tuple[Action, ...]:
        return (Finish(key, at=at),)

    place = f"{name} on {cluster}" if is_manager else f"the copy of {name} on {cluster}"
    if copy.active:
        hint = "kueuectl stop workload, and resume three seconds later"
        yield Offer(f"evict {what}".strip(), f"evict {place}", hint, active(False, True))
        hint = "spec.active: false, as kueuectl stop workload does"
        yield Offer(f"deactivate {what}".strip(), f"deactivate {place}", hint, active(False))
    else:
        hint = "spec.active: true, as kueuectl resume workload does"
        yield Offer(f"activate {what}".strip(), f"activate {place}", hint, active(True))
    hint = "kubectl delete job" if is_manager else "kubectl delete workload on the worker"
    yield Offer(f"delete {what}".strip() if what else "delete job", f"delete {place}", hint, delete)
    if copy.phase == "Admitted":
        hint = "Its pods succeed, wherever they run"
        yield Offer("finish job", f"let the job {name} succeed", hint, finish)
    if is_manager:
        return
    for check in copy.checks:
        for state in ("Ready", "Retry", "Rejected"):
            yield _check(cluster, key, check.name, state)


def _check(
    cluster: str, key: str, check: str, state: Literal["Ready", "Retry", "Rejected"]
) -> Offer:
    def actions(run: WorldRun, at: int) -> tuple[Action, ...]:
        return (SetCheck(key, check, state, at=at, cluster=_named(run, cluster)),)

    label = f"check {check} of {short_name(key)} on {cluster} becomes {state}"
    return Offer(f"{check} {state}", label, "What the check's own controller reports", actions)


def _named(run: WorldRun, cluster: str) -> str:
    """Return the name of a cluster as actions have it: the manager needs none."""
    return "" if cluster == run.world.manager.site.name else cluster
