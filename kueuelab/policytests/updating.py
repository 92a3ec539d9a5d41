"""Expectations that are rewritten to what was found; the rest of the file stays as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from kueuelab.files import write_text
from kueuelab.manifests.writing import write_inline
from kueuelab.messages import Message
from kueuelab.model import amount_string
from kueuelab.policytests.verdicts import Verdict
from kueuelab.simulation.expectations import CONDITIONS, STATES, is_in
from kueuelab.trace.reading import State, WorkloadView

__all__ = ["update"]

_UNCHANGED: Final = object()


def update(file: Path, verdicts: Sequence[Verdict]) -> list[str]:
    """Rewrite the values of expectations that fail to those that were found.

    Comments, order and layout stay. Where a value cannot be stated in the field that is
    there, that field stays as it is.

    Parameters
    ----------
    file
        The scenario.
    verdicts
        What came of its expectations.

    Returns
    -------
    list of str
        What was changed, a line each.
    """
    text = file.read_text("utf-8")
    nodes = _expectation_nodes(text)
    edits: list[tuple[int, int, str]] = []
    messages: list[str] = []
    for verdict in verdicts:
        node = nodes.get(verdict.line)
        if verdict.passed or node is None:
            continue
        found = _found(verdict)
        for key, value in node.value:
            new = found.get(key.value, _UNCHANGED)
            if new is _UNCHANGED or _as_value(value) == new:
                continue
            start, end = value.start_mark.index, value.end_mark.index
            edits.append((start, end, write_inline(new)))
            messages.append(
                Message(
                    "policytests.updated",
                    place=verdict.place,
                    field=key.value,
                    before=text[start:end].strip(),
                    after=write_inline(new),
                )
            )
    for start, end, new in sorted(edits, reverse=True):
        rest = text[start:end]
        text = text[:start] + new + rest[len(rest.rstrip()) :] + text[end:]
    if edits:
        write_text(file, text)
    return messages


def _expectation_nodes(text: str) -> dict[int, yaml.MappingNode]:
    """Return the nodes of all expectations, by line."""
    found: dict[int, yaml.MappingNode] = {}
    for document in yaml.compose_all(text, Loader=yaml.SafeLoader):
        expect = _inside(_inside(document, "spec"), "expect")
        if isinstance(expect, yaml.SequenceNode):
            for item in expect.value:
                if isinstance(item, yaml.MappingNode):
                    found[item.start_mark.line + 1] = item
    return found


def _inside(node: yaml.Node | None, name: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for key, value in node.value if key.value == name), None)


def _as_value(node: yaml.Node) -> Any:
    return yaml.safe_load(yaml.serialize(node))


def _found(verdict: Verdict) -> Mapping[str, Any]:
    """Return what fields of an expectation would have to be to be met."""
    expectation, state = verdict.outcome.expectation, verdict.outcome.state
    if state is None:
        return {}
    if expectation.workload:
        workload = state.workload(expectation.workload)
        return _of_workload(workload, expectation.state)
    return _of_queue(state, expectation.cluster_queue_name, expectation.usage or {})


def _of_workload(workload: WorkloadView, wanted: str | None) -> dict[str, Any]:
    if not workload:
        return {"is": "deleted"}
    keeps = wanted is not None and wanted != "deleted" and is_in(workload, wanted)
    state = wanted if keeps else next(name for name in STATES if is_in(workload, name))
    conditions = filter(None, map(workload.condition, CONDITIONS.get(state or "", ())))
    first = next(conditions, None)
    pod_sets = list(workload.admission.pod_sets)
    places: Counter[str] = Counter()
    for pod_set in pod_sets:
        for values, count in pod_set.places:
            places[",".join(values)] += count
    found: dict[str, Any] = {
        "is": state,
        "flavors": {name: flavor for each in pod_sets for name, flavor in each.flavors.items()},
        "count": sum(pod_set.count for pod_set in pod_sets),
        "places": dict(sorted(places.items())),
    }
    if first is not None:
        found |= {"reason": first.reason, "message": first.message}
    if workload.admission.cluster_queue:
        found["clusterQueue"] = workload.admission.cluster_queue
    return found


def _of_queue(state: State, name: str, stated: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    queue = state.cluster_queue(name)
    if not queue:
        return {}
    workloads = [each for each in state.workloads.values() if each.cluster_queue == name]
    usage: dict[str, dict[str, str]] = {}
    for flavor, resource in stated:
        amount = queue.usage.get((flavor, resource), 0)
        usage.setdefault(flavor, {})[resource] = amount_string(resource, amount)
    return {
        "usage": usage,
        "pending": sum(each.active and is_in(each, "pending") for each in workloads),
        "admitted": sum(
            bool(each.admission)
            and each.condition("Admitted").is_true
            and not each.condition("Finished").is_true
            for each in workloads
        ),
    }
