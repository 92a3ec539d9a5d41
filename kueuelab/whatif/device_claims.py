"""Levers for devices: the job is submitted again, with claims by another template or none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from kueuelab.manifests.scenario import Delete, Submit
from kueuelab.messages import listed
from kueuelab.model import PodSet, ResourceClaimTemplate, WorkloadStatus
from kueuelab.whatif.change_sets import Adjustment, Part
from kueuelab.whatif.subject import Subject

__all__ = ["other_claims"]

#: More templates than this are not tried one by one.
_MANY: Final = 4
_BY: Final = "resourceClaimTemplateName"


def other_claims(subject: Subject) -> Iterator[Adjustment]:
    """Yield claims by other templates of the namespace, and to claim nothing.

    The Workload is made anew: one that lost its claims by an edit would stay inadmissible, since
    nothing sets its condition ``Requeued`` any more.
    """
    state, objects = subject.state, subject.cluster.objects
    if not state.claims_devices:
        return
    claims = [claim for pod_set in state.obj.pod_sets for claim in _claims(pod_set)]
    named = sorted({claim[_BY] for claim in claims if claim.get(_BY) is not None})
    others = [
        template.metadata.name
        for template in objects.of_kind(ResourceClaimTemplate)
        if template.metadata.namespace == state.obj.namespace
        and template.metadata.name not in named
    ]
    for before in named:
        for after in others[:_MANY]:
            values = {"before": before, "after": after}
            yield _again(subject, "otherTemplate", values, {before: after}, size=1.0)
    names = {str(claim.get(_BY) or claim.get("resourceClaimName")) for claim in claims}
    shown = listed(sorted(names))
    yield _again(subject, "dropClaims", {"claims": shown}, None, size=2.0)


def _claims(pod_set: PodSet) -> list[dict[str, Any]]:
    return list(pod_set.template.spec.extra.get("resourceClaims") or ())


def _again(
    subject: Subject, kind: str, values: dict[str, Any], renamed: dict[str, str] | None, size: float
) -> Adjustment:
    """Return an adjustment that submits the workload again, with other names of templates."""
    written = subject.cluster.plane.written(subject.state)
    pod_sets = []
    for pod_set in written.pod_sets:
        new = [
            {**each, _BY: (renamed or {}).get(each[_BY], each[_BY])}
            for each in _claims(pod_set)
            if renamed is not None and each.get(_BY)
        ]
        spec = pod_set.template.spec
        extra = {name: value for name, value in spec.extra.items() if name != "resourceClaims"}
        if new:
            extra["resourceClaims"] = new
        spec = replace(spec, extra=extra)
        pod_sets.append(replace(pod_set, template=replace(pod_set.template, spec=spec)))
    meta = replace(written.metadata, uid="", creation_timestamp=None)
    again = replace(written, metadata=meta, pod_sets=tuple(pod_sets), status=WorkloadStatus())
    part = Part(kind, (Delete(subject.key), Submit((again,))), values, size=size)
    return Adjustment(lambda _: part)
