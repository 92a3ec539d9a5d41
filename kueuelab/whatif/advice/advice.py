"""Advice as data, and all rules together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from kueuelab.errors import Location
from kueuelab.manifests import ScenarioSpec
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.model import ModelObject
from kueuelab.whatif.advice import names, queues, topologies, workloads
from kueuelab.whatif.advice.finding import Finding
from kueuelab.whatif.advice.places import Places
from kueuelab.whatif.advice.setting import Setting

__all__ = ["Advice", "advise"]

_RULES: Final[tuple[Callable[[Setting], Iterator[Finding]], ...]] = (
    queues.preemption_without_effect,
    queues.quota_out_of_reach,
    queues.lending_limit_strands_quota,
    queues.flavors_exclude_each_other,
    queues.cohorts_named_alike,
    workloads.larger_than_its_queue,
    workloads.heads_that_block,
    topologies.levels_without_nodes,
    topologies.quota_exceeds_nodes,
    topologies.never_placed,
    names.missing_objects,
    names.stopped_queues,
)


@dataclass(frozen=True, slots=True)
class Advice:
    """One piece of advice.

    Attributes
    ----------
    kind
        The rule: ``preemptionWithoutEffect``, ``quotaOutOfReach``, ...
    object, field
        What it is about: ``Kind/name``, and the path of the field.
    what, why, do
        What is there, why that is probably not intended, and what to do about it.
    location
        Where it was written, as far as that is known.
    """

    kind: str
    object: str
    field: str
    what: str
    why: str
    do: str
    location: Location | None = None

    def __str__(self) -> str:
        return self.as_text()

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return it as a line."""
        return language_of(language).render(self.message)

    @property
    def message(self) -> str:
        """It as a line that can be said in another language."""
        where = "" if self.location is None else str(self.location)
        place = ": ".join(part for part in (where, self.object, self.field) if part)
        return Message("whatif.advice.line", place=place, what=self.what, why=self.why, do=self.do)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        place = self.location
        return {
            "kind": self.kind,
            "object": self.object,
            "field": self.field,
            "what": self.what,
            "why": self.why,
            "do": self.do,
            "file": "" if place is None else place.file,
            "line": 0 if place is None else place.line,
        }


def advise(
    spec: ScenarioSpec, source: Any = None, existing: Iterable[ModelObject] = ()
) -> list[Advice]:
    """Return advice on a scenario or manifests.

    Parameters
    ----------
    spec
        What was loaded.
    source
        What it was loaded from, to say where things are written.
    existing
        What the cluster has already, and may be named.

    Examples
    --------
    >>> from kueuelab.manifests import load_scenario
    >>> spec = load_scenario('''
    ... apiVersion: kueue.x-k8s.io/v1beta2
    ... kind: ClusterQueue
    ... metadata: {name: research}
    ... spec: {preemption: {reclaimWithinCohort: Any}}
    ... ''')
    >>> print(advise(spec)[0])
    ClusterQueue/research: spec.preemption.reclaimWithinCohort: reclaimWithinCohort is Any: \
it has no effect: the ClusterQueue is in no cohort. Set spec.cohortName, or leave it out
    """
    setting = Setting(spec, existing)
    findings = [(rule.__name__, finding) for rule in _RULES for finding in rule(setting)]
    places = Places(source)
    found = []
    for name, each in findings:
        advice = Advice(_camel(name), str(each.object), each.field, each.what, each.why, each.do)
        found.append(replace(advice, location=places.find(each.object, each.field)))
    return found


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
