"""What a fork does to a run, and how it is carried out in a cluster that runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from kueuelab.errors import InputError, Problem, SimulationError
from kueuelab.manifests.encode.parts import compact
from kueuelab.manifests.scenario import (
    Action,
    Advance,
    Apply,
    ChangeJob,
    Delete,
    Finish,
    PodsReady,
    Reclaim,
    Remove,
    Scale,
    SetActive,
    SetCheck,
    SetPriority,
    Submit,
)
from kueuelab.messages import Catalog, Message
from kueuelab.model import ModelObject, Workload
from kueuelab.simulation import Cluster, Player
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.delivery import set_workload
from kueuelab.whatif.configuring import Configure, configured
from kueuelab.whatif.fields import edited
from kueuelab.whatif.references import Reference
from kueuelab.workload import WorkloadState

__all__ = ["Change", "Edit", "LookAgain", "carry_out", "change_as_data", "change_text", "outline"]


@dataclass(frozen=True, slots=True)
class Edit:
    """Fields of an object get other values: path to value, as in a manifest."""

    object: Reference
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LookAgain:
    """Kueue tries again what it set aside in a ClusterQueue, as any edit of that makes it do."""

    cluster_queue: str


Change: TypeAlias = Edit | LookAgain | Configure | Action

_ACTIVE: Final = "spec.active"


def carry_out(player: Player, change: Change) -> None:
    """Change the cluster that a player plays in, now.

    Raises
    ------
    InputError
        If the value of an edit doesn't go where it should.
    SimulationError
        If it doesn't apply: there is no such object, or its quota is reserved.
    """
    if isinstance(change, LookAgain):
        player.cluster.plane.wake([change.cluster_queue])
        return
    if isinstance(change, Configure):
        cluster = player.cluster
        cluster.configure(configured(cluster.configuration, change.values))
        return
    if not isinstance(change, Edit):
        player.do(change)
        return
    cluster, object_ = player.cluster, change.object
    if object_.kind != "Workload":
        found = cluster.objects.get(object_.kind, object_.key)
        if found is None:
            raise SimulationError(Message("whatif.change.no-object"), object=str(object_))
        cluster.apply(_no_workload(edited(found, change.values)))
        return
    state = cluster.workload(object_.key)
    new = edited_workload(cluster, state, change.values)
    cluster.write(state.key, lambda plane, it: _rewrite(plane, it, new))
    if _ACTIVE in change.values:
        cluster.set_active(state.key, new.active)


def edited_workload(cluster: Cluster, state: WorkloadState, values: Mapping[str, Any]) -> Workload:
    """Return a workload with other values, if it may have them now.

    Raises
    ------
    InputError
        If a value doesn't go there, or pod sets would change whose quota is reserved.
    """
    written = cluster.plane.written(state)
    new = edited(written, values)
    assert isinstance(new, Workload)
    if state.has_quota_reservation and (new.pod_sets, new.queue_name) != (
        written.pod_sets,
        written.queue_name,
    ):
        what = "podSets" if new.pod_sets != written.pod_sets else "queueName"
        raise InputError(
            Problem(
                Message("whatif.change.immutable"),
                f"Workload/{state.key}",
                f"spec.{what}",
                hint=Message("whatif.change.immutable.hint"),
            )
        )
    return new


def _rewrite(plane: ControlPlane, state: WorkloadState, new: Workload) -> bool:
    meta = replace(new.metadata, generation=new.metadata.generation + 1)
    # Kueue's own write says whether it runs; that comes after.
    set_workload(plane, state, replace(new, metadata=meta, active=state.active))
    plane.tree.refresh_workload(state)
    plane.changed(state.key)
    return True


def _no_workload(obj: ModelObject) -> Any:
    assert not isinstance(obj, Workload)
    return obj


# --- as text and as data ------------------------------------------------------------------


def outline(title: str, texts: Iterable[str], catalog: Catalog) -> str:
    """Return a title with the changes below it, line by line."""
    lines = [catalog.render(text) for text in texts] or [catalog.text("whatif.fork.no-change")]
    return "\n".join([catalog.render(title), *(f"  {line}" for line in lines)])


def change_text(change: Change) -> str:
    """Return what a change does, in a few words.

    Examples
    --------
    >>> change_text(Edit(Reference("ClusterQueue", "", "a"), {"spec.cohortName": "all"}))
    'edit ClusterQueue/a: spec.cohortName: all'
    >>> policy = {"spec.preemption.borrowWithinCohort": {"policy": "LowerPriority"}}
    >>> change_text(Edit(Reference("ClusterQueue", "", "a"), policy))
    'edit ClusterQueue/a: spec.preemption.borrowWithinCohort: {policy: LowerPriority}'
    >>> change_text(Finish("default/job-0"))
    'finish default/job-0'
    """
    match change:
        case Edit(object=object_, values=values):
            shown = ", ".join(f"{path}: {_shown(value)}" for path, value in values.items())
            return Message("whatif.change.edit", object=str(object_), values=shown)
        case LookAgain(cluster_queue=queue):
            return Message("whatif.change.look-again", queue=queue)
        case Configure(values=values):
            shown = ", ".join(f"{path}: {_shown(value)}" for path, value in values.items())
            return Message("whatif.change.configure", values=shown)
        case Submit(workloads=workloads):
            keys = ", ".join(workload.key for workload in workloads)
            return Message("whatif.change.submit", workloads=keys)
        case Apply(objects=objects):
            names = ", ".join(str(Reference.of(obj)) for obj in objects)
            return Message("whatif.change.apply", objects=names)
        case Remove(kind=kind, name=name, namespace=namespace):
            return Message("whatif.change.remove", object=str(Reference(kind, namespace, name)))
        case Finish(workload=key):
            return Message("whatif.change.finish", workload=key)
        case Delete(workload=key):
            return Message("whatif.change.delete", workload=key)
        case SetCheck(workload=key, check=check, state=state):
            return Message("whatif.change.check", check=check, workload=key, state=state)
        case PodsReady(workload=key, ready=ready):
            kind = "pods-ready" if ready else "pods-not-ready"
            return Message(f"whatif.change.{kind}", workload=key)
        case SetActive(workload=key, active=active):
            verb = "activate" if active else "deactivate"
            return Message(f"whatif.change.{verb}", workload=key)
        case SetPriority(workload=key, priority=priority):
            return Message("whatif.change.priority", workload=key, priority=priority)
        case ChangeJob(workload=key):
            return Message("whatif.change.job", workload=key)
        case Scale(workload=key, pods=pods):
            return Message("whatif.change.scale", workload=key, pods=_shown(pods))
        case Reclaim(workload=key):
            return Message("whatif.change.reclaim", workload=key)
        case Advance():
            return Message("whatif.change.advance")
    return type(change).__name__


def _shown(value: Any) -> str:
    """Return a value as YAML has it in one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_shown(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "(none)" if value is None else str(value)


def change_as_data(change: Change) -> dict[str, Any]:
    """Return a change as plain JSON values: what it does, to what, and how.

    Examples
    --------
    >>> change_as_data(Finish("default/job-0"))
    {'do': 'finish', 'object': 'Workload/default/job-0'}
    """
    if isinstance(change, Edit):
        return {"do": "edit", "object": str(change.object), "values": dict(change.values)}
    if isinstance(change, LookAgain):
        return {"do": "lookAgain", "object": f"ClusterQueue/{change.cluster_queue}"}
    if isinstance(change, Configure):
        return {"do": "configure", "values": dict(change.values)}
    verb = type(change).__name__
    verb = verb[0].lower() + verb[1:]
    if isinstance(change, Submit | Apply):
        objects = change.workloads if isinstance(change, Submit) else change.objects
        return {"do": verb, "objects": [str(Reference.of(obj)) for obj in objects]}
    if isinstance(change, Remove):
        return {"do": verb, "object": str(Reference(change.kind, change.namespace, change.name))}
    key = getattr(change, "workload", "")
    return compact(do=verb, object=f"Workload/{key}" if key else None)
