"""Rules about namespaces and what selects them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kueuelab.lint.rule import Edit, Found, Level, Rule
from kueuelab.lint.subject import Subject
from kueuelab.model import LabelSelector
from kueuelab.whatif.references import Reference

__all__ = ["RULES"]

#: The label that every namespace has, with its name.
_NAME: Final = "kubernetes.io/metadata.name"


def _labels(subject: Subject, namespace: str) -> Mapping[str, str] | None:
    """Return the labels of a namespace, ``None`` where they are not known."""
    found = subject.setting.namespaces.get(namespace)
    return None if found is None else {_NAME: namespace, **found.metadata.labels}


def _is_by_name(selector: LabelSelector) -> bool:
    keys = {*selector.match_labels, *(each.key for each in selector.match_expressions)}
    return keys <= {_NAME}


def _not_selected(subject: Subject) -> Iterator[Found]:
    """A LocalQueue in a namespace that its ClusterQueue does not select."""
    for key, local_queue in subject.setting.local_queues.items():
        queue = subject.queues.get(local_queue.cluster_queue)
        if queue is None or queue.namespace_selector is None:
            continue
        namespace = key.partition("/")[0]
        labels = _labels(subject, namespace)
        if labels is None:
            if not _is_by_name(queue.namespace_selector):
                continue
            labels = {_NAME: namespace}
        if not queue.namespace_selector.matches(labels):
            values = {"queue": queue.name, "namespace": namespace}
            yield Found(Reference.of(local_queue), "spec.clusterQueue", values)


def _selects_none(subject: Subject) -> Iterator[Found]:
    """A ClusterQueue without a selector, which selects no namespace, and with LocalQueues."""
    for name, queue in subject.queues.items():
        local_queues = subject.local_queues_by_queue.get(name, ())
        if queue.namespace_selector is None and local_queues:
            values = {"queue": name, "locals": ", ".join(each.key for each in local_queues[:3])}
            edits = (Edit("spec.namespaceSelector", {}),)
            yield Found(Reference.of(queue), "spec.namespaceSelector", values, edits=edits)


def _selector_matches_nothing(subject: Subject) -> Iterator[Found]:
    """A selector that no namespace has the labels for."""
    namespaces = [_labels(subject, name) or {} for name in subject.setting.namespaces]
    if not namespaces:
        return
    for queue in subject.queues.values():
        selector = queue.namespace_selector
        if selector is None or any(map(selector.matches, namespaces)):
            continue
        if not _is_by_name(selector):  # that one may be of a namespace which is not given
            yield Found(Reference.of(queue), "spec.namespaceSelector", {"queue": queue.name})


def _managed_selector_matches_nothing(subject: Subject) -> Iterator[Found]:
    """LocalQueues in namespaces that Kueue does not manage."""
    selector = subject.configuration.managed_jobs_namespace_selector
    if selector is None:
        return
    for key, local_queue in subject.setting.local_queues.items():
        namespace = key.partition("/")[0]
        labels = _labels(subject, namespace)
        if labels is None and _is_by_name(selector):
            labels = {_NAME: namespace}
        if labels is not None and not selector.matches(labels):
            values = {"namespace": namespace, "local": key}
            yield Found(Reference.of(local_queue), "", values)


RULES: Final = (
    Rule(
        "KL521",
        "namespace-not-selected",
        Level.ERROR,
        _not_selected,
        "concepts/cluster_queue#namespace-selector",
    ),
    Rule(
        "KL522",
        "selects-no-namespace",
        Level.ERROR,
        _selects_none,
        "concepts/cluster_queue#namespace-selector",
    ),
    Rule(
        "KL523",
        "selector-matches-nothing",
        Level.WARNING,
        _selector_matches_nothing,
        "concepts/cluster_queue#namespace-selector",
    ),
    Rule(
        "KL524",
        "queue-in-unmanaged-namespace",
        Level.WARNING,
        _managed_selector_matches_nothing,
        "tasks/manage/enforce_job_management/opt_in_namespace_management",
    ),
)
