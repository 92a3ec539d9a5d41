"""Faults of clusters, queues and copies at the moment shown, as actions of a scenario."""

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
from kueuelab.messages import Message
from kueuelab.model import ClusterQueue
from kueuelab.model.times import SECOND
from kueuelab.multikueue.scenario import ClusterSetRun
from kueuelab.trace.names import short_name
from kueuelab.trace.reading import State, WorkloadView
from kueuelab.views.rerun import config_in_use, objects_at

__all__ = ["Offer", "offers_at"]

#: A copy that is stopped by hand is resumed after so long; the manager has noticed by then.
_PAUSE: Final = 3 * SECOND


class _Id:
    """Names of faults, for programs."""

    BREAK_KUBECONFIG: Final = "break kubeconfig"
    REPAIR_KUBECONFIG: Final = "repair kubeconfig"
    REMOVE_WORKER: Final = "take out of config"
    ADD_WORKER: Final = "add to config"
    DELETE_CLUSTER: Final = "delete cluster"
    CREATE_CLUSTER: Final = "create cluster"
    RESTART_KUEUE: Final = "restart Kueue"
    STOP_KUEUE: Final = "stop Kueue"
    START_KUEUE: Final = "start Kueue"
    DELETE_JOB: Final = "delete job"
    FINISH_JOB: Final = "finish job"


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
    actions: Callable[[ClusterSetRun, int], tuple[Action, ...]]


def offers_at(
    run: ClusterSetRun, state: State, cluster: str, workload: str = ""
) -> tuple[Offer, ...]:
    """Return the faults of a cluster, and of a workload in it.

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
    manager = run.cluster_set.manager.member.name
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
    yield _fault("disconnect", worker, Message("views.fault.disconnect.hover"))
    yield _fault("reconnect", worker, Message("views.fault.reconnect.hover"))
    yield _kubeconfig(
        _Id.BREAK_KUBECONFIG,
        worker,
        "wrong-token",
        Message("views.fault.break-kubeconfig.hover"),
    )
    yield _kubeconfig(
        _Id.REPAIR_KUBECONFIG,
        worker,
        "valid",
        Message("views.fault.repair-kubeconfig.hover"),
    )
    yield _crd("removeCRD", worker, "delete")
    yield _crd("installCRD", worker, "install")


def _fault(what: FaultName, on: str, hint: str, id_: str = "") -> Offer:
    def actions(run: ClusterSetRun, at: int) -> tuple[Action, ...]:
        return (Fault(what, on, at=at),)

    label = Message(f"views.fault.{(id_ or what).lower().replace(' ', '-')}", cluster=on)
    return Offer(id_ or what, label, hint, actions)


def _kubeconfig(id: str, worker: str, content: str, hint: str) -> Offer:
    def actions(run: ClusterSetRun, at: int) -> tuple[Action, ...]:
        return (Fault("setKubeconfig", worker, content, at=at),)

    return Offer(id, Message(f"views.fault.{id.replace(' ', '-')}", cluster=worker), hint, actions)


def _crd(what: FaultName, worker: str, verb: str) -> Offer:
    def actions(run: ClusterSetRun, at: int) -> tuple[Action, ...]:
        return (Fault(what, worker, kind="Workload", at=at),)

    id_ = f"views.fault.{verb}-crd"
    label, hint = Message(id_, cluster=worker), Message(f"{id_}.hover")
    return Offer(f"{verb} CRD", label, hint, actions)


def _of_config(manager: State, worker: str) -> Iterator[Offer]:
    configs = [manager.multi_kueue_config(name) for name in manager.names("MultiKueueConfig")]
    if any(worker in config.clusters for config in configs):
        label = Message("views.fault.remove-worker", worker=worker)
        hint = Message("views.fault.remove-worker.hover")
        yield Offer(_Id.REMOVE_WORKER, label, hint, _listed(worker, wanted=False))
    elif configs:
        label = Message("views.fault.add-worker", worker=worker)
        hint = Message("views.fault.add-worker.hover")
        yield Offer(_Id.ADD_WORKER, label, hint, _listed(worker, wanted=True))
    if manager.has("MultiKueueCluster", worker):

        def delete(run: ClusterSetRun, at: int) -> tuple[Action, ...]:
            return (Remove("MultiKueueCluster", worker, at=at),)

        label = Message("views.fault.delete-cluster", worker=worker)
        hint = Message("views.fault.delete-cluster.hover", worker=worker)
        yield Offer(_Id.DELETE_CLUSTER, label, hint, delete)
    else:

        def create(run: ClusterSetRun, at: int) -> tuple[Action, ...]:
            made = run.scenario.spec.manifests.objects.get("MultiKueueCluster", ())
            return (Apply(tuple(o for o in made if o.metadata.name == worker), at=at),)

        label = Message("views.fault.create-cluster", worker=worker)
        yield Offer(
            _Id.CREATE_CLUSTER,
            label,
            Message("views.fault.create-cluster.hover"),
            create,
        )


def _listed(worker: str, *, wanted: bool) -> Callable[[ClusterSetRun, int], tuple[Action, ...]]:
    def actions(run: ClusterSetRun, at: int) -> tuple[Action, ...]:
        config = config_in_use(objects_at(run, run.cluster_set.manager.member.name, at))
        if config is None:
            return ()
        others = tuple(name for name in config.clusters if name != worker)
        clusters = (*others, worker) if wanted else others
        return (Apply((replace(config, clusters=clusters),), at=at),)

    return actions


def _of_kueue(cluster: str) -> Iterator[Offer]:
    hint = Message("views.fault.restart-kueue.hover")
    yield _fault("restartKueue", cluster, hint, _Id.RESTART_KUEUE)
    yield _fault(
        "stopKueue",
        cluster,
        Message("views.fault.stop-kueue.hover"),
        _Id.STOP_KUEUE,
    )
    yield _fault(
        "startKueue",
        cluster,
        Message("views.fault.start-kueue.hover"),
        _Id.START_KUEUE,
    )


_POLICIES: Final[tuple[tuple[Literal["None", "Hold", "HoldAndDrain"], str, str], ...]] = (
    ("HoldAndDrain", "drain", Message("views.fault.hold-and-drain.hover")),
    ("Hold", "hold", Message("views.fault.hold.hover")),
    ("None", "resume", "stopPolicy: None"),
)


def _of_queue(here: State, cluster: str, name: str) -> Iterator[Offer]:
    now = here.cluster_queue(name).stop_policy
    for policy, verb, hint in _POLICIES:
        if policy == now:
            continue

        def actions(
            run: ClusterSetRun, at: int, policy: Literal["None", "Hold", "HoldAndDrain"] = policy
        ) -> tuple[Action, ...]:
            queues = objects_at(run, cluster, at).get("ClusterQueue", ())
            changed = tuple(
                replace(queue, stop_policy=policy)
                for queue in queues
                if isinstance(queue, ClusterQueue) and queue.name == name
            )
            return (Apply(changed, at=at, cluster=_named(run, cluster)),)

        label = Message(f"views.fault.{verb}-queue", queue=name, cluster=cluster)
        yield Offer(f"{verb} {name}", label, hint, actions)


def _of_copy(cluster: str, key: str, copy: WorkloadView, *, is_manager: bool) -> Iterator[Offer]:
    name = short_name(key)
    what = "" if is_manager else "copy"

    def active(*values: bool) -> Callable[[ClusterSetRun, int], tuple[Action, ...]]:
        return lambda run, at: tuple(
            SetActive(key, value, at=at + turn * _PAUSE, cluster=_named(run, cluster))
            for turn, value in enumerate(values)
        )

    def delete(run: ClusterSetRun, at: int) -> tuple[Action, ...]:
        return (Delete(key, at=at, cluster=_named(run, cluster)),)

    def finish(run: ClusterSetRun, at: int) -> tuple[Action, ...]:
        return (Finish(key, at=at),)

    def label(verb: str) -> str:
        of = "workload" if is_manager else "copy"
        return Message(f"views.fault.{verb}-{of}", workload=name, cluster=cluster)

    if copy.active:
        hint = Message("views.fault.stop-and-resume.hover")
        yield Offer(f"evict {what}".strip(), label("evict"), hint, active(False, True))
        hint = Message("views.fault.deactivate.hover")
        yield Offer(f"deactivate {what}".strip(), label("deactivate"), hint, active(False))
    else:
        hint = Message("views.fault.activate.hover")
        yield Offer(f"activate {what}".strip(), label("activate"), hint, active(True))
    hint = (
        Message("views.fault.delete-job.hover")
        if is_manager
        else Message("views.fault.delete-copy.hover")
    )
    yield Offer(
        f"delete {what}".strip() if what else _Id.DELETE_JOB,
        label("delete"),
        hint,
        delete,
    )
    if copy.phase == "Admitted":
        hint = Message("views.fault.finish-job.hover")
        yield Offer(
            _Id.FINISH_JOB,
            Message("views.fault.finish-job", name=name),
            hint,
            finish,
        )
    if is_manager:
        return
    for check in copy.checks:
        for state in ("Ready", "Retry", "Rejected"):
            yield _check(cluster, key, check.name, state)


def _check(
    cluster: str, key: str, check: str, state: Literal["Ready", "Retry", "Rejected"]
) -> Offer:
    def actions(run: ClusterSetRun, at: int) -> tuple[Action, ...]:
        return (SetCheck(key, check, state, at=at, cluster=_named(run, cluster)),)

    label = Message(
        "views.fault.set-check",
        check=check,
        workload=short_name(key),
        cluster=cluster,
        state=state,
    )
    return Offer(f"{check} {state}", label, Message("views.fault.set-check.hover"), actions)


def _named(run: ClusterSetRun, cluster: str) -> str:
    """Return the name of a cluster as actions have it: the manager needs none."""
    return "" if cluster == run.cluster_set.manager.member.name else cluster
