"""Rules about what is written in jobs: labels, annotations, kinds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.lint.rule import REMOVE, Edit, Found, Level, Rule
from kueuelab.lint.rules.written import annotations_of, mapping
from kueuelab.lint.subject import Subject
from kueuelab.manifests.jobs import constants, kind_of
from kueuelab.manifests.jobs.cluster_context import labels_of, metadata_of
from kueuelab.whatif.references import Reference

__all__ = ["RULES"]

#: Labels of jobs, which people write as annotations.
_LABELS: Final = (constants.QUEUE_NAME, constants.PRIORITY_CLASS, constants.MAX_EXEC_TIME)
#: Annotations of pod templates.
_TOPOLOGY: Final = (
    constants.REQUIRED_TOPOLOGY,
    constants.PREFERRED_TOPOLOGY,
    constants.UNCONSTRAINED_TOPOLOGY,
    constants.SLICE_REQUIRED_TOPOLOGY,
    constants.SLICE_SIZE,
    constants.POD_SET_GROUP,
)
_DEEPEST: Final = 12


def _jobs(subject: Subject) -> Iterator[tuple[Reference, Mapping[str, Any]]]:
    """Yield every job as it is written."""
    for reference, obj in subject.manifests:
        version = obj.get("apiVersion")
        if isinstance(version, str) and kind_of(version, reference.kind) is not None:
            yield reference, obj


def _templates(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the pod templates of a job, wherever its kind keeps them."""
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        if "containers" in mapping(value.get("spec")):
            yield value
            return
        for child in value.values():
            yield from _templates(child, depth + 1)
    elif isinstance(value, list):
        for child in value:
            yield from _templates(child, depth + 1)


def _label_as_annotation(subject: Subject) -> Iterator[Found]:
    """A label of Kueue that is written as an annotation."""
    for reference, obj in _jobs(subject):
        written, labels = annotations_of(obj), labels_of(obj)
        for name in _LABELS:
            if name in written and name not in labels:
                field = f"metadata.annotations[{name}]"
                edits = (
                    Edit(field, REMOVE),
                    Edit(f"metadata.labels[{name}]", str(written[name])),
                )
                yield Found(reference, field, {"name": name}, edits=edits)


def _annotation_as_label(subject: Subject) -> Iterator[Found]:
    """An annotation of Kueue about topologies that is written as a label."""
    for reference, obj in _jobs(subject):
        parts = [labels_of(obj)]
        parts += [labels_of(each) for each in _templates(obj.get("spec"))]
        for name in _TOPOLOGY:
            if any(name in labels for labels in parts):
                field = f"metadata.labels[{name}]" if name in parts[0] else ""
                yield Found(reference, field, {"name": name})


def _topology_on_job(subject: Subject) -> Iterator[Found]:
    """An annotation about topologies at a job instead of its pod template."""
    for reference, obj in _jobs(subject):
        if reference.kind == "Pod":
            continue
        templates = [annotations_of(each) for each in _templates(obj.get("spec"))]
        if not templates:
            continue
        for name in _TOPOLOGY:
            if name in annotations_of(obj) and not any(name in each for each in templates):
                yield Found(reference, f"metadata.annotations[{name}]", {"name": name})


def _queue_on_template_only(subject: Subject) -> Iterator[Found]:
    """The label for the queue in a pod template alone."""
    for reference, obj in _jobs(subject):
        if reference.kind == "Pod" or constants.QUEUE_NAME in labels_of(obj):
            continue
        if constants.QUEUE_NAME in annotations_of(obj):
            continue
        labels = [labels_of(each) for each in _templates(obj.get("spec"))]
        names = {str(each[constants.QUEUE_NAME]) for each in labels if constants.QUEUE_NAME in each}
        if names:
            values = {"kind": reference.kind, "queue": ", ".join(sorted(names))}
            name = f"metadata.labels[{constants.QUEUE_NAME}]"
            edits = (Edit(name, min(names)),) if len(names) == 1 else ()
            yield Found(reference, "metadata.labels", values, edits=edits)


def _framework_not_enabled(subject: Subject) -> Iterator[Found]:
    """A job with a queue of a kind that Kueue is not configured to manage."""
    if not subject.has_configuration:
        return
    enabled = subject.configuration.enabled_frameworks
    for reference, obj in _jobs(subject):
        kind = kind_of(str(obj["apiVersion"]), reference.kind)
        if kind is None or constants.QUEUE_NAME not in labels_of(obj):
            continue
        if kind.framework not in enabled and not metadata_of(obj).get("ownerReferences"):
            values = {"framework": kind.framework, "enabled": ", ".join(enabled)}
            yield Found(reference, f"metadata.labels[{constants.QUEUE_NAME}]", values)


def _incomplete_group(subject: Subject) -> Iterator[Found]:
    """A group of pods with fewer pods than its total."""
    groups: defaultdict[tuple[str, str], list[tuple[Reference, int]]] = defaultdict(list)
    for reference, obj in _jobs(subject):
        name = labels_of(obj).get(constants.POD_GROUP_NAME)
        total = annotations_of(obj).get(constants.POD_GROUP_TOTAL_COUNT)
        if reference.kind == "Pod" and name and str(total).isdecimal():
            groups[reference.namespace, str(name)].append((reference, int(str(total))))
    for (_, name), pods in groups.items():
        reference, total = pods[0]
        fast = constants.POD_GROUP_FAST_ADMISSION
        item = subject.item_of(reference)
        if item is not None and fast in annotations_of(item.obj):
            continue
        if len(pods) < total:
            values = {"group": name, "count": len(pods), "total": total}
            field = f"metadata.annotations[{constants.POD_GROUP_TOTAL_COUNT}]"
            yield Found(reference, field, values)


RULES: Final = (
    Rule(
        "KL611",
        "label-as-annotation",
        Level.ERROR,
        _label_as_annotation,
        "kueue#12417, reference/labels-and-annotations",
    ),
    Rule(
        "KL612",
        "annotation-as-label",
        Level.ERROR,
        _annotation_as_label,
        "reference/labels-and-annotations",
    ),
    Rule(
        "KL613",
        "topology-annotation-on-job",
        Level.ERROR,
        _topology_on_job,
        "tasks/run/topology_aware_scheduling",
    ),
    Rule(
        "KL614",
        "queue-on-template-only",
        Level.WARNING,
        _queue_on_template_only,
        "reference/labels-and-annotations",
    ),
    Rule(
        "KL615",
        "framework-not-enabled",
        Level.ERROR,
        _framework_not_enabled,
        "reference/kueue-config.v1beta2",
    ),
    Rule(
        "KL616",
        "incomplete-pod-group",
        Level.WARNING,
        _incomplete_group,
        "tasks/run/plain_pods",
    ),
)
