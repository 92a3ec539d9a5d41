"""Which of the given contexts plays which worker of a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from kueuelab.live.clusters.wiring import secret_of
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Apply
from kueuelab.model import ModelObject, MultiKueueCluster

__all__ = ["given_workers", "reaching", "workers_for"]


def given_workers(texts: list[str]) -> dict[str, str]:
    """Return contexts by name of what ``--worker`` was given: ``NAME=CONTEXT``, or ``CONTEXT``.

    Without a name, the first is ``w1``, as `live up` calls it, the second ``w2``.

    Examples
    --------
    >>> given_workers(["east=kind-lab-w1", "kind-lab-w2"])
    {'east': 'kind-lab-w1', 'w1': 'kind-lab-w2'}
    """
    found: dict[str, str] = {}
    free = (f"w{number}" for number in count(1))
    for text in texts:
        name, is_named, context = text.rpartition("=")
        found[name if is_named else next(each for each in free if each not in found)] = context
    return found


def workers_for(spec: ScenarioSpec, given: Mapping[str, str]) -> dict[str, str]:
    """Return which given name plays each worker of a scenario.

    A name that the scenario has plays that worker; the others play the rest, in order. A
    scenario with fewer workers leaves some out.

    Examples
    --------
    >>> from kueuelab.manifests.scenario import ClusterSpec
    >>> spec = ScenarioSpec(workers=(ClusterSpec("east"), ClusterSpec("west")))
    >>> workers_for(spec, {"w1": "a", "west": "b"})
    {'east': 'w1', 'west': 'west'}
    """
    wanted = [worker.name for worker in spec.workers]
    found = {name: name for name in wanted if name in given}
    left = [name for name in given if name not in found]
    found.update(zip([name for name in wanted if name not in found], left, strict=False))
    return {name: found[name] for name in wanted if name in found}


def reaching(spec: ScenarioSpec, played_by: Mapping[str, str]) -> ScenarioSpec:
    """Return a scenario whose manager reaches workers by the Secrets of others.

    Parameters
    ----------
    spec
        The scenario.
    played_by
        By its name, what a worker is called where it was connected; `live up` made a Secret for it.
    """
    secrets = {name: secret_of(alias) for name, alias in played_by.items() if name != alias}
    if not secrets:
        return spec
    objects = spec.manifests.objects
    clusters = tuple(_reaching(each, secrets) for each in objects.get("MultiKueueCluster", ()))
    manifests = replace(spec.manifests, objects={**objects, "MultiKueueCluster": clusters})
    timeline = tuple(
        replace(action, objects=tuple(_reaching(each, secrets) for each in action.objects))
        if isinstance(action, Apply)
        else action
        for action in spec.timeline
    )
    return replace(spec, manifests=manifests, timeline=timeline)


def _reaching(obj: ModelObject, secrets: Mapping[str, str]) -> ModelObject:
    if not isinstance(obj, MultiKueueCluster) or obj.metadata.name not in secrets:
        return obj
    return replace(obj, kubeconfig_location=secrets[obj.metadata.name])
