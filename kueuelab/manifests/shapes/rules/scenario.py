"""The rules of the scenario file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kueuelab.manifests.jobs.kinds import JOB_KINDS
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.scenario import VERBS
from kueuelab.manifests.shapes.mistake import Mistake, Rule, unsupported

__all__ = ["SCENARIO_RULES"]

#: What describes the pods of a job, of which each pod set has its own.
_OF_PODS: Final = ("pods", "requests", "count", "minCount", "nodeSelector", "tolerations")
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
        message = "an action does one thing" + (f", not {' and '.join(verbs)}" if verbs else "")
        yield Mistake(path, message, f"Write one of {', '.join(VERBS)}")
    elif "runs" in action and verbs[0] not in ("submit", "apply"):
        yield Mistake((*path, "runs"), f"'{verbs[0]}' starts nothing that could run", at_name=True)


def _min_count(submit: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    count = submit.get("count", submit.get("pods", 1))
    if submit.get("minCount") is not None and submit["minCount"] > count:
        message = "minCount should be positive and less or equal to count"
        yield Mistake((*path, "minCount"), message)


def _one_description(submit: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    if "count" in submit and "pods" in submit:
        yield Mistake((*path, "pods"), "the same as 'count'", "Keep one of the two")
    if "podSets" in submit:
        for name in _OF_PODS:
            if name in submit:
                hint = "Say it for each pod set"
                yield Mistake((*path, name), "not together with 'podSets'", hint, at_name=True)


def _one_subject(expectation: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    if expectation.get("workload"):
        wrong = [name for name in ("usage", "pending", "admitted") if name in expectation]
        for name in wrong:
            hint = "Write another expectation, without 'workload'"
            message = f"'{name}' is expected of a clusterQueue, not of a workload"
            yield Mistake((*path, name), message, hint, at_name=True)
    elif expectation.get("clusterQueue"):
        for name in ("is", "reason", "message", "flavors", "count"):
            if name in expectation:
                message = f"'{name}' is expected of a workload"
                yield Mistake((*path, name), message, "Add 'workload'", at_name=True)
    else:
        yield Mistake(path, "nothing is expected of anything", "Add 'workload' or 'clusterQueue'")


SCENARIO_RULES: Final[Mapping[str, Rule]] = {
    "custom-kind": _custom_kind,
    "custom-kinds": _custom_kinds,
    "one-verb": _one_verb,
    "min-count": _min_count,
    "one-description": _one_description,
    "one-subject": _one_subject,
}
