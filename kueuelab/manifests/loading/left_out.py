"""Objects that the lab leaves out, and what follows from it: some make what Kueue queues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import Any, Final

from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.templates_with_queue import queue_names_in
from kueuelab.manifests.loading.items import Findings, Item
from kueuelab.messages import Message
from kueuelab.model import Configuration

__all__ = ["LeftOut"]

#: Kinds whose controllers make jobs or pods: what they make.
_MAKERS: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("batch", "CronJob"): "jobs",
        ("apps", "DaemonSet"): "pods",
        ("", "ReplicationController"): "pods",
        ("argoproj.io", "CronWorkflow"): "pods",
        ("argoproj.io", "Workflow"): "pods",
        ("argoproj.io", "WorkflowTemplate"): "pods",
        ("serving.knative.dev", "Service"): "pods",
        ("tekton.dev", "PipelineRun"): "pods",
        ("tekton.dev", "TaskRun"): "pods",
    }
)
#: Kinds whose controllers give their own labels to the pods that they make.
_PASS_LABELS_ON: Final = frozenset((("tekton.dev", "PipelineRun"), ("tekton.dev", "TaskRun")))


class LeftOut:
    """Collects what is left out, until it is known what is around it.

    Parameters
    ----------
    findings : Findings
        Takes what is to be said.
    namespace : str
        Where namespaced objects belong that name no namespace.
    """

    def __init__(self, findings: Findings, namespace: str) -> None:
        self._findings = findings
        self._namespace = namespace
        self._irrelevant: Counter[str] = Counter()
        self._makers: list[tuple[Item, tuple[str, str]]] = []
        self._naming: dict[str, bool] = {}

    def add(self, item: Item, group: str, kind: str) -> None:
        """Take an object of a kind that the lab does not have."""
        if (group, kind) in _MAKERS or self._may_name_a_queue(item):
            self._makers.append((item, (group, kind)))
        else:
            self._irrelevant[kind] += 1

    def _may_name_a_queue(self, item: Item) -> bool:
        """Tell whether a queue name can stand in an object; each file is searched once."""
        source = item.document.source
        if source is None:
            return True
        if source.name not in self._naming:
            self._naming[source.name] = constants.QUEUE_NAME in source.text
        return self._naming[source.name]

    def report(self, configuration: Configuration, local_queues: Container[str]) -> None:
        """Say what is left out.

        Parameters
        ----------
        configuration
            Whether Kueue manages what names no queue.
        local_queues
            Keys (``namespace/name``) of the LocalQueues.
        """
        for item, key in self._makers:
            message = self._what_follows(item, key, configuration, local_queues)
            if message is None:
                self._irrelevant[key[1]] += 1
            else:
                self._findings.note(message, item, is_caution=True)
        for kind, count in self._irrelevant.items():
            self._findings.note(Message("manifests.loader.not-relevant", count=count), label=kind)

    def _what_follows(
        self,
        item: Item,
        key: tuple[str, str],
        configuration: Configuration,
        local_queues: Container[str],
    ) -> Message | None:
        metadata = item.obj.get("metadata")
        own = {"metadata": metadata}
        inner = {name: part for name, part in item.obj.items() if name != "metadata"}
        made = _MAKERS.get(key, "objects")
        if queues := _names(inner) or (_names(own) if key in _PASS_LABELS_ON else ""):
            return Message(f"manifests.left-out.{made}", queues=queues)
        if queues := _names(own):
            return Message(
                f"manifests.left-out.{made}.own-label",
                queues=queues,
                kind=key[1],
                label=constants.QUEUE_NAME,
            )
        if key not in _MAKERS:
            return None
        namespace = metadata.get("namespace") if isinstance(metadata, Mapping) else None
        default = constants.DEFAULT_LOCAL_QUEUE
        if f"{namespace or self._namespace}/{default}" in local_queues:
            return Message(f"manifests.left-out.{made}", queues=default)
        if configuration.manage_jobs_without_queue_name:
            return Message(f"manifests.left-out.{made}.no-queue")
        return None


def _names(part: Any) -> str:
    return ", ".join(sorted(set(queue_names_in(part))))
