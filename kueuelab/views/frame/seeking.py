"""The pods that look for a place in a topology, as far as a scheduling cycle has come."""

from __future__ import annotations

from functools import cached_property

from kueuelab.trace import steps
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Trace
from kueuelab.views.merge_patch import Json

__all__ = ["Seeking", "judged_by"]


class Seeking:
    """Tells which pod sets have found quota in a flavor and need domains there.

    Parameters
    ----------
    trace
        The record.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def at(self, index: int, workload: str, flavors: frozenset[str]) -> Json:
        """Return the pod sets of a pending workload that need a place, by name.

        Parameters
        ----------
        index
            The step.
        workload
            The workload that the step is about.
        flavors
            The flavors with a topology.
        """
        found: Json = {}
        requests: Json = {}
        for place in reversed(self._steps.get(workload, ())):
            if place > index:
                continue
            facts = self._trace[place].facts
            if isinstance(facts, steps.FlavorChosen):
                if facts.flavor in flavors:
                    found.update(dict.fromkeys(facts.pod_sets, facts.flavor))
            elif isinstance(facts, steps.NominationStarted):
                requests = {name: (count, amounts) for name, count, amounts in facts.requests}
                break
        return {
            name: {
                "workload": workload,
                "flavor": flavor,
                "count": requests[name][0],
                "each": {
                    resource: amount // max(1, requests[name][0])
                    for resource, amount in requests[name][1].items()
                },
            }
            for name, flavor in found.items()
            if name in requests
        }

    @cached_property
    def _steps(self) -> dict[str, list[int]]:
        """The steps of nominations by workload."""
        found: dict[str, list[int]] = {}
        for index in self._trace.of_kind("NominationStarted", "FlavorChosen"):
            found.setdefault(self._trace[index].workload, []).append(index)
        return found


def judged_by(step: Step) -> tuple[Json, Json]:
    """Return the domains that a step judges, in their order, and what is asked, by pod set."""
    facts = step.facts
    if not isinstance(facts, steps.DomainsSearched):
        return {}, {}
    rows: Json = {}
    columns = zip(facts.domains, facts.pods, facts.given, facts.verdicts, strict=True)
    for number, (domain, fits, given, verdict) in enumerate(columns):
        row: Json = {"domain": f"{facts.flavor}|{domain}", "fits": fits, "verdict": verdict}
        rows[str(number)] = row | ({"given": given} if given else {})
    asked: Json = {"request": facts.request, "level": facts.level}
    if facts.empty:
        asked["empty"] = True
    return rows, dict.fromkeys(facts.pod_sets, asked)
