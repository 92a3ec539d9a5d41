"""Sentences about what happens between clusters."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from kueuelab.trace.sentences import Sentence, either, simple
from kueuelab.trace.step import Step
from kueuelab.trace.wording import MessageParts

__all__ = ["SENTENCES"]


def _nominated(step: Step, facts: Any, words: MessageParts) -> str:
    return words(
        "step.ClustersNominated",
        workload=step.workload,
        count=len(facts.clusters),
        clusters=words.listed(facts.clusters),
    )


def _race(step: Step, facts: Any, words: MessageParts) -> str:
    return words(
        "step.RaceDrawn",
        workload=step.workload,
        about=facts.about,
        winner=facts.winner,
        others=words.listed(facts.others),
    )


#: By kind of step.
SENTENCES: Final[Mapping[str, Sentence]] = MappingProxyType(
    {
        "ClustersNominated": _nominated,
        "CopyCreated": simple("step.CopyCreated", "worker"),
        "CopyRemoved": simple("step.CopyRemoved", "worker"),
        "RemoteJobCreated": simple("step.RemoteJobCreated", "worker"),
        "WorkerChosen": simple("step.WorkerChosen", "worker"),
        "RaceDrawn": _race,
        "PreemptionGateOpened": simple("step.PreemptionGateOpened", "worker"),
        "MultiKueueCheck": simple("step.MultiKueueCheck", "state", "message"),
        "ClusterNameRefused": either(
            "current",
            simple("step.ClusterNameRefused.other", "worker", "current"),
            simple("step.ClusterNameRefused", "worker"),
        ),
        "CheckActivityChanged": either(
            "active",
            simple("step.CheckActivityChanged.active", "check", "reason", "message"),
            simple("step.CheckActivityChanged.inactive", "check", "reason", "message"),
        ),
        "StatusRefused": simple("step.StatusRefused", "worker"),
        "WorkerConnectionChanged": either(
            "active",
            simple("step.WorkerConnectionChanged.active", "worker"),
            simple("step.WorkerConnectionChanged.inactive", "worker", "reason", "message"),
        ),
    }
)
