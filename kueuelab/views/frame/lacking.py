"""What pods that found no place asked for, and how much room there is for them now."""

from __future__ import annotations

from itertools import islice
from typing import Final

from kueuelab.trace import steps
from kueuelab.trace.trace import Trace
from kueuelab.views.frame.seeking import Seeking
from kueuelab.views.merge_patch import Json

__all__ = ["pods_without_place"]

#: Of very many workloads only the first ones are named.
_MOST: Final = 500


def pods_without_place(trace: Trace) -> Json:
    """Return, by workload and pod set, the pods for which a search once found no place.

    A view adds up at each step what is free for them.

    Examples
    --------
    >>> pods_without_place(Trace(()))
    {}
    """
    last: dict[str, int] = {}
    for index in trace.of_kind("DomainsSearched"):
        facts = trace[index].facts
        if isinstance(facts, steps.DomainsSearched) and facts.reason and not facts.empty:
            last[trace[index].workload] = index
    seeking = Seeking(trace)
    found: Json = {}
    for workload, index in islice(last.items(), _MOST):
        facts = trace[index].facts
        assert isinstance(facts, steps.DomainsSearched)
        pods = seeking.at(index, workload, frozenset({facts.flavor}))
        asked = {"request": facts.request, "level": facts.level}
        if lacking := {name: pods[name] | asked for name in facts.pod_sets if name in pods}:
            found[workload] = lacking
    return found
