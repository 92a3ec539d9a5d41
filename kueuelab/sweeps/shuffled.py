"""The workloads of a scenario in another order: what a seed means where nothing makes workloads."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Submit

__all__ = ["with_order_of"]


def with_order_of(spec: ScenarioSpec, seed: int) -> ScenarioSpec:
    """Return a scenario whose submissions have changed places, as a seed says.

    The times at which something is submitted stay, and so do all other actions. Seed 0 changes
    nothing.

    Examples
    --------
    >>> from kueuelab.model import ObjectMeta, Workload
    >>> jobs = [Submit((Workload(ObjectMeta(f"job-{n}")),), at=n) for n in range(3)]
    >>> spec = ScenarioSpec(timeline=tuple(jobs))
    >>> with_order_of(spec, 0) == spec
    True
    >>> [(each.at, each.workloads[0].name) for each in with_order_of(spec, 1).timeline]
    [(0, 'job-1'), (1, 'job-2'), (2, 'job-0')]
    """
    if not seed:
        return spec
    places = [place for place, each in enumerate(spec.timeline) if isinstance(each, Submit)]
    order = list(places)
    Random(seed).shuffle(order)
    timeline = list(spec.timeline)
    for place, other in zip(places, order, strict=True):
        timeline[place] = replace(spec.timeline[other], at=spec.timeline[place].at)
    return replace(spec, timeline=tuple(timeline))
