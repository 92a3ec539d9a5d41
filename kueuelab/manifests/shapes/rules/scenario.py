"""The rules of the scenario file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kueuelab.manifests.jobs.kinds import JOB_KINDS
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.scenario import VERBS
from kueuelab.manifests.shapes.mistake import Mistake, Rule, unsupported
from kueuelab.messages import Message, listed, verbatim

__all__ = ["SCENARIO_RULES"]

#: What describes the pods of a job, of which each pod set has its own.
_OF_PODS: Final = (
    *("pods", "requests", "count", "minCount", "nodeSelector", "tolerations"),
    "topology",
)
#: How many nodes a short form may stand for.
_MOST_NODES: Final = 20_000
#: Kinds that a worker may lack.
_CUSTOM_KINDS: Final = ("Workload", *(kind.kind for kind in JOB_KINDS.values() if kind.is_custom))


def _custom_kind(kind: str, path: Path) -> Iterator[Mistake]:
    yield from unsupported(kind, _CUSTOM_KINDS, path)


def _custom_kinds(kinds: Sequence[str], path: Path) -> Iterator[Mistake]:
    for index, kind in enumerate(kinds):
        yield from unsupported(kind, _CUSTOM_KINDS, (*path, index))


def _one_verb(action: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    verbs = [name for name in action if name in VERBS and action[name] is not None]
    if len(verbs) != 1:
        message = Message("manifests.scenario.no-verb")
        if verbs:
            message = Message("manifests.scenario.several-verbs", verbs=listed(verbs))
        yield Mistake(
            path, message, Message("manifests.scenario.no-verb.hint", names=", ".join(VERBS))
        )
    elif verbs[0] not in ("submit", "apply"):
        for name in (each for each in ("runs", "stops") if each in action):
            message = Message("manifests.scenario.nothing-to-run", value=verbs[0])
            yield Mistake((*path, name), message, at_name=True)


def _min_count(submit: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    count = submit.get("count", submit.get("pods", 1))
    if submit.get("minCount") is not None and submit["minCount"] > count:
        message = verbatim("minCount should be positive and less or equal to count")
        yield Mistake((*path, "minCount"), message)
    if submit.get("minCount") is not None and submit.get("elastic"):
        message = verbatim("partial admission and elastic job cannot be used together")
        yield Mistake((*path, "minCount"), message)


def _one_description(submit: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    if "count" in submit and "pods" in submit:
        yield Mistake(
            (*path, "pods"),
            Message("manifests.scenario.count-twice"),
            Message("manifests.documents.duplicate-field.hint"),
        )
    if "podSets" in submit:
        for name in _OF_PODS:
            if name in submit:
                hint = Message("manifests.scenario.per-pod-set.hint")
                yield Mistake(
                    (*path, name),
                    Message("manifests.scenario.not-with-pod-sets"),
                    hint,
                    at_name=True,
                )


def _one_subject(expectation: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    if expectation.get("workload"):
        wrong = [name for name in ("usage", "pending", "admitted") if name in expectation]
        for name in wrong:
            hint = Message("manifests.scenario.queue-field-of-workload.hint")
            message = Message("manifests.scenario.queue-field-of-workload", name=name)
            yield Mistake((*path, name), message, hint, at_name=True)
    elif expectation.get("clusterQueue"):
        for name in ("is", "reason", "message", "flavors", "count", "places", "ranks"):
            if name in expectation:
                message = Message("manifests.scenario.workload-field", name=name)
                yield Mistake(
                    (*path, name),
                    message,
                    Message("manifests.scenario.workload-field.hint"),
                    at_name=True,
                )
    else:
        yield Mistake(
            path,
            Message("manifests.scenario.no-subject"),
            Message("manifests.scenario.no-subject.hint"),
        )


def _not_too_many_nodes(pool: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    count = pool.get("blocks", 1) * pool.get("racks", 1) * pool["hosts"]
    if count > _MOST_NODES:
        yield Mistake(
            (*path, "hosts"),
            Message("manifests.scenario.too-many-nodes", count=count, most=_MOST_NODES),
        )


def _some_change(change: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    if len(change) == 1:
        yield Mistake(path, Message("manifests.scenario.no-node-action"))


def _one_placement(topology: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    ways = [name for name in ("required", "preferred", "unconstrained") if name in topology]
    if len(ways) > 1:
        yield Mistake(path, Message("manifests.scenario.one-placement", names=listed(ways)))


def _one_size(scale: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    if ("pods" in scale) == ("podSets" in scale):
        yield Mistake(path, Message("manifests.scenario.one-size"))


SCENARIO_RULES: Final[Mapping[str, Rule]] = {
    "custom-kind": _custom_kind,
    "custom-kinds": _custom_kinds,
    "one-verb": _one_verb,
    "min-count": _min_count,
    "one-description": _one_description,
    "one-subject": _one_subject,
    "one-placement": _one_placement,
    "not-too-many-nodes": _not_too_many_nodes,
    "some-change": _some_change,
    "one-size": _one_size,
}
