"""Renaming and deleting in a draft: what names an object follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from kueuelab.manifests.reading.paths import Path
from kueuelab.session.building import text_edits
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.yaml_nodes import Place
from kueuelab.whatif.references import Reference

__all__ = ["deleted", "following", "named_in", "renamed"]

_GROUPS: Final = "spec.resourceGroups.*.flavors.*.name"
_CHECKS: Final = "spec.admissionChecksStrategy.admissionChecks.*"
_LABELS: Final = "metadata.labels"
_QUEUE: Final = "kueue.x-k8s.io/queue-name"
_PRIORITY: Final = "kueue.x-k8s.io/priority-class"

#: Where the objects of a kind are named: the kind of the object that names it (``""``: an action
#: or expectation of the scenario, ``*``: any kind), and the field. ``*`` is each item or value,
#: ``#`` each name of a field.
_NAMED: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "Cohort": (
        ("Cohort", "spec.parentName"),
        ("ClusterQueue", "spec.cohortName"),
        ("ClusterQueue", "spec.cohort"),
    ),
    "ClusterQueue": (
        ("LocalQueue", "spec.clusterQueue"),
        ("", "expect.*.clusterQueue"),
    ),
    "LocalQueue": (
        ("", "timeline.*.submit.queue"),
        ("Workload", "spec.queueName"),
        ("*", f"{_LABELS}.{{queue}}"),
        ("*", f"spec.template.{_LABELS}.{{queue}}"),
    ),
    "ResourceFlavor": (
        ("ClusterQueue", _GROUPS),
        ("Cohort", _GROUPS),
        ("ClusterQueue", f"{_CHECKS}.onFlavors.*"),
        ("", "nodes.*.flavor"),
        ("", "expect.*.flavors.*"),
        ("", "expect.*.usage.#"),
    ),
    "AdmissionCheck": (
        ("ClusterQueue", f"{_CHECKS}.name"),
        ("ClusterQueue", "spec.admissionChecks.*"),
        ("", "timeline.*.setCheck.check"),
    ),
    "WorkloadPriorityClass": (
        ("", "timeline.*.submit.priorityClass"),
        ("Workload", "spec.priorityClassRef.name"),
        ("*", f"{_LABELS}.{{priority}}"),
    ),
    "Topology": (
        ("ResourceFlavor", "spec.topologyName"),
        ("", "nodes.*.topology"),
    ),
}


_NAME_A_JOB: Final = (
    *(f"timeline.*.{name}" for name in ("finish", "delete", "podsReady")),
    "timeline.*.scale.job",
    *(
        f"timeline.*.{name}.workload"
        for name in ("setCheck", "podsReady", "setActive", "setPriority", "changeJob", "reclaim")
    ),
    "expect.*.workload",
)


class Named(NamedTuple):
    """A place that names an object; ``is_key`` if the name is the name of a field."""

    place: Place
    is_key: bool


def renamed(draft: Draft, reference: str | Reference, name: str) -> Draft:
    """Return a draft with another name for an object, also where others name it.

    A cohort that has no object, because only others name it, can be renamed too.

    Raises
    ------
    KueueLabError
        If the name is empty or used already.

    Examples
    --------
    >>> draft = Draft.new().added("ClusterQueue", "a").added("LocalQueue", "jobs", parent="a")
    >>> renamed(draft, "ClusterQueue/a", "b")["LocalQueue/jobs"].field("spec.clusterQueue")
    'b'
    """
    kind, namespace, before = _reference(draft, reference)
    if name == before:
        return draft
    draft.check_name(kind, name, namespace)
    own = [
        each.place / ("metadata", "name")
        for each in draft.objects
        if each.reference == (kind, namespace, before)
    ]
    found = tuple(named_in(draft, Reference(kind, namespace, before)))
    values = [each.place for each in found if not each.is_key]
    keys = [each.place for each in found if each.is_key]
    return draft.with_text(text_edits.with_names(draft.text, [*own, *values], keys, name))


def deleted(draft: Draft, reference: str | Reference) -> Draft:
    """Return a draft without an object, and without what cannot be without it.

    What is in a cohort moves to the cohort above it. With a ClusterQueue its LocalQueues go, and
    with a LocalQueue the jobs that the timeline submits to it. Queues no longer name a flavor or
    a check that is deleted, and jobs no longer a priority class.

    Examples
    --------
    >>> draft = Draft.new().added("ClusterQueue", "a").added("LocalQueue", "jobs", parent="a")
    >>> [str(each.reference) for each in deleted(draft, "ClusterQueue/a").objects]
    ['ResourceFlavor/default-flavor']
    """
    found = _reference(draft, reference)
    parent = ""
    if found.kind == "Cohort":
        parent = (*draft.ancestors(found.name), "")[1]
    elif found.kind == "ClusterQueue":
        queues = [
            each.reference
            for each in draft.of_kind("LocalQueue")
            if each.field("spec.clusterQueue") == found.name
        ]
        for queue in queues:
            draft = deleted(draft, queue)
    # What comes later in the text goes first: places before it stay where they are.
    for place in sorted(set(_obsolete(draft, found)), key=_order, reverse=True):
        draft = draft.with_value(place, parent or None)
    places = [each.place for each in draft.objects if each.reference == found]
    for place in sorted(places, key=_order, reverse=True):
        draft = _without_object(draft, place)
    return draft


def named_in(draft: Draft, reference: Reference) -> Iterator[Named]:
    """Yield where an object is named by others."""
    scenario = draft.scenario
    for kind, pattern in _NAMED.get(reference.kind, ()):
        steps = [{"{queue}": _QUEUE, "{priority}": _PRIORITY}.get(s, s) for s in pattern.split(".")]
        if kind:
            for place, value in _all_objects(draft):
                if kind in ("*", value.get("kind")) and _is_home(reference, value):
                    yield from _matches(value, steps, place, reference.name)
        elif scenario is not None:
            spec = draft.documents[scenario.document].get("spec")
            yield from _matches(spec, steps, scenario / ("spec",), reference.name)


# --- inside ------------------------------------------------------------------------------


def _reference(draft: Draft, reference: str | Reference) -> Reference:
    kind, _, name = str(reference).partition("/")
    if kind == "Cohort" and name in draft.cohorts:
        return Reference("Cohort", "", name)
    return draft[reference].reference


def _all_objects(draft: Draft) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """Yield the objects at the start, and those that the timeline creates."""
    for each in draft.objects:
        yield each.place, each.value
    if draft.scenario is None:
        return
    for path in (("spec", "timeline", "*", "apply"), ("spec", "timeline", "*", "submit")):
        value = draft.documents[draft.scenario.document]
        for place, found in _values(value, list(path), draft.scenario):
            inner = [(place, found)]
            if isinstance(found, list):
                inner = [(place / (index,), item) for index, item in enumerate(found)]
            yield from ((at, item) for at, item in inner if isinstance(item, dict))


def _is_home(reference: Reference, value: Mapping[str, Any]) -> bool:
    """Tell whether an object is where a name without a namespace means the reference."""
    if reference.kind != "LocalQueue":
        return True
    meta = value.get("metadata")
    namespace = meta.get("namespace") if isinstance(meta, dict) else None
    return (namespace or "default") == reference.namespace


def _matches(value: Any, steps: list[str], place: Place, name: str) -> Iterator[Named]:
    is_key = steps[-1] == "#"
    for at, found in _values(value, steps[:-1] if is_key else steps, place):
        if is_key and isinstance(found, dict) and name in found:
            yield Named(at / (name,), is_key=True)
        elif not is_key and found == name:
            yield Named(at, is_key=False)


def _values(value: Any, steps: list[str], place: Place) -> Iterator[tuple[Place, Any]]:
    if not steps:
        yield place, value
        return
    first, *rest = steps
    entries: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        entries = [*value.items()] if first == "*" else [(first, value.get(first))]
    elif isinstance(value, list) and first == "*":
        entries = [*enumerate(value)]
    for segment, inner in entries:
        if inner is not None:
            yield from _values(inner, rest, place / (segment,))


def _obsolete(draft: Draft, reference: Reference) -> Iterator[Place]:
    """Yield what has no meaning without an object: the field, the item or the action."""
    for place, _ in named_in(draft, reference):
        path = place.path
        if "resourceGroups" in path:
            yield _flavor_or_group(draft, place)
        elif path[-2:-1] == ("admissionChecks",) or "onFlavors" in path or "usage" in path:
            yield place
        elif "admissionChecks" in path or path[-1] in ("queue", "check", "clusterQueue"):
            yield from _whole(draft, place)
        elif reference.kind in ("Cohort", "WorkloadPriorityClass", "Topology"):
            yield place


def _whole(draft: Draft, place: Place) -> Iterator[Place]:
    """Yield the item of a list that a field is in; with a job, what happens to it later."""
    path = place.path
    if path[-1] == "clusterQueue" and "expect" not in path:
        return  # The LocalQueue goes as an object.
    index = max(i for i, segment in enumerate(path) if isinstance(segment, int))
    item = Place(place.document, path[: index + 1])
    yield item
    if path[-2:] != ("submit", "queue"):
        return
    job = draft.value_at(Place(place.document, (*path[:-1], "job")))
    for at in following(draft, str(job)):
        yield Place(at.document, at.path[:3])


def following(draft: Draft, job: str) -> Iterator[Place]:
    """Yield where actions and expectations name a job."""
    if draft.scenario is None:
        return
    spec = draft.documents[draft.scenario.document].get("spec")
    for pattern in _NAME_A_JOB:
        steps = pattern.split(".")
        for place, _ in _matches(spec, steps, draft.scenario / ("spec",), job):
            yield place


def _flavor_or_group(draft: Draft, place: Place) -> Place:
    """Return the flavor of a resource group, or the group if it has no other."""
    path = place.path
    flavors = Place(place.document, path[:-2])
    siblings = draft.value_at(flavors)
    outer: Path = path[:-3] if len(siblings) == 1 else path[:-1]
    return Place(place.document, outer)


def _without_object(draft: Draft, place: Place) -> Draft:
    if place.path:
        return draft.with_value(place, None)
    return draft.with_text(text_edits.without_document(draft.text, place.document))


def _order(place: Place) -> tuple[int, tuple[tuple[int, str | int], ...]]:
    order = {"timeline": "2", "expect": "3", "manifests": "1"}
    return place.document, tuple(
        (0, segment) if isinstance(segment, int) else (1, order.get(segment, segment))
        for segment in place.path
    )
