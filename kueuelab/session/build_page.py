"""A draft as the page shows it: its tree, jobs, nodes, problems, and the form of one object."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Final

from kueuelab.errors import Problem, UnknownObjectError
from kueuelab.messages import Catalog
from kueuelab.session.answers import Opened
from kueuelab.session.build_answers import (
    DraftForm,
    DraftJobInfo,
    DraftPage,
    DraftPool,
    DraftRow,
    FormFieldInfo,
    QuotaInfo,
    ShapeInfo,
)
from kueuelab.session.building.draft import KINDS, Draft
from kueuelab.session.building.fields import FIELDS, FormField, choices_of, page_of
from kueuelab.session.building.form_values import shown
from kueuelab.session.building.jobs import DraftJob, jobs_of
from kueuelab.session.building.new_job import in_seconds
from kueuelab.session.building.nodes import POOL_FIELDS, pools_of
from kueuelab.session.building.quotas import quotas_of
from kueuelab.session.building.tree_rows import tree_rows
from kueuelab.session.built import Built
from kueuelab.session.failures import trouble_of
from kueuelab.whatif.references import Reference

__all__ = ["SHAPES", "draft_form", "draft_page", "shape_text"]

#: What a draft can begin with, in the order in which it is offered.
SHAPES: Final = (
    *("one-team", "teams-that-share", "departments"),
    *("on-demand-and-spot", "gpus-by-topology", "several-clusters"),
)
_MOST_PROBLEMS: Final = 50
_WITH_QUOTA: Final = ("ClusterQueue", "Cohort")


@cache
def shape_text(name: str) -> str:
    """Return the text of a shape.

    Raises
    ------
    UnknownObjectError
        If there is no such shape.
    """
    if name not in SHAPES:
        raise UnknownObjectError("shape", name, SHAPES)
    file = resources.files("kueuelab.session.building") / "shapes" / f"{name}.yaml"
    return file.read_text("utf-8")


def draft_page(
    built: Built | None, words: Catalog, opened: Opened, chosen: str = "", kept: str = ""
) -> DraftPage:
    """Return what the page shows of a draft, and the shapes that one can begin with."""
    draft = Draft("", "") if built is None else built.draft
    problems = draft.problems if built is not None else ()
    jobs = jobs_of(draft)
    count = {kind: len(draft.of_kind(kind)) for kind in ("ClusterQueue",)}
    about = words.text("session.build.about", queues=count["ClusterQueue"], jobs=len(jobs))
    return DraftPage(
        name=draft.name,
        branch="" if built is None else built.branch,
        text=draft.text,
        chosen=chosen,
        shapes=tuple(
            ShapeInfo(
                name,
                words.text(f"session.build.shape.{name}"),
                words.text(f"session.build.shape.{name}.about"),
            )
            for name in SHAPES
        ),
        kinds=KINDS,
        rows=tuple(_rows(draft, problems, words)),
        jobs=tuple(_job(each, words) for each in jobs),
        queues=draft.names("LocalQueue"),
        priority_classes=draft.names("WorkloadPriorityClass"),
        pools=tuple(
            DraftPool({field: each.shown(field) for field in POOL_FIELDS})
            for each in pools_of(draft)
        ),
        pool_fields=POOL_FIELDS,
        problems=tuple(trouble_of(each, words) for each in problems[:_MOST_PROBLEMS]),
        more_problems=max(0, len(problems) - _MOST_PROBLEMS),
        about=about,
        file="" if built is None or built.file is None else str(built.file),
        kept=kept,
        opened=opened,
    )


def _rows(draft: Draft, problems: tuple[Problem, ...], words: Catalog) -> Iterator[DraftRow]:
    wrong: dict[str, str] = {}
    for problem in problems:
        wrong.setdefault(words.render(problem.object), words.render(problem.message))
    for row in tree_rows(draft):
        reference = row.reference
        short = f"{reference.kind}/{reference.name}"
        yield DraftRow(
            object=str(reference),
            kind=reference.kind,
            name=reference.name,
            level=row.level,
            implicit=row.is_implicit,
            wrong=wrong.get(str(reference), wrong.get(short, "")),
        )


def _job(job: DraftJob, words: Catalog) -> DraftJobInfo:
    values = job.values
    amounts = ", ".join(f"{text} {name}" for name, text in values.requests.items())
    ends = "runs" if values.runs else "open"
    text = words.text(
        f"session.build.job.{ends}",
        job=values.job,
        queue=values.queue,
        at=values.at,
        runs=values.runs,
        count=values.pods,
        requests=amounts or "-",
    )
    return DraftJobInfo(
        job=values.job,
        queue=values.queue,
        at=values.at,
        runs=values.runs,
        pods=str(values.pods),
        requests=", ".join(f"{name}: {amount}" for name, amount in values.requests.items()),
        priority="" if values.priority is None else str(values.priority),
        priority_class=values.priority_class,
        placement=values.placement,
        level=values.level,
        at_seconds=in_seconds(values.at),
        runs_seconds=in_seconds(values.runs) if values.runs else None,
        plain=job.is_plain,
        text=text,
    )


# --- the form of an object ---------------------------------------------------------------


def draft_form(draft: Draft, object_: str, words: Catalog) -> DraftForm:
    """Return the form of an object.

    Raises
    ------
    UnknownObjectError
        If the draft does not have it, and does not name it as a cohort.
    """
    kind, _, name = object_.partition("/")
    if kind == "Cohort" and name in draft.cohorts and name not in draft.names("Cohort"):
        note = words.text("session.build.implicit-cohort", name=name)
        return DraftForm(object_, kind, name, page_of(kind), True, note, False, (), (), ())
    reference = draft[object_].reference
    fields = FIELDS.get(kind, ())
    quotas = quotas_of(draft, reference) if kind in _WITH_QUOTA else ()
    said = dict(_wrong_fields(draft, reference, fields, words))
    return DraftForm(
        object=str(reference),
        kind=kind,
        name=reference.name,
        url=page_of(kind) if fields else "",
        implicit=False,
        note="" if fields else words.text("session.build.only-yaml"),
        has_quota=kind in _WITH_QUOTA,
        quotas=tuple(
            QuotaInfo(
                each.flavor,
                each.resource,
                each.shown("nominalQuota"),
                each.shown("borrowingLimit"),
                each.shown("lendingLimit"),
            )
            for each in quotas
        ),
        flavors=draft.names("ResourceFlavor"),
        fields=tuple(
            _field(draft, reference, each, said.get(each.path, ""), words) for each in fields
        ),
    )


def _field(
    draft: Draft, reference: Reference, field: FormField, wrong: str, words: Catalog
) -> FormFieldInfo:
    group, _, label = field.label.rpartition(".")
    value = draft[reference].field(field.path)
    text = shown(value, field)
    choices = _choices(draft, reference, field)
    if field.form == "checks":
        listed = value if isinstance(value, list) else ()
        text = ", ".join(str(each.get("name")) for each in listed if isinstance(each, dict))
    form = {"cohort": "choice", "queue": "choice"}.get(field.form, field.form)
    return FormFieldInfo(
        path=field.path,
        group=group,
        label=label,
        form=form if form in ("choice", "quantity", "integer", "checks") else "text",
        value=text,
        choices=choices,
        meaning=words.text(field.meaning),
        url=field.url,
        wrong=wrong,
    )


def _choices(draft: Draft, reference: Reference, field: FormField) -> tuple[str, ...]:
    match field.form:
        case "choice":
            return choices_of(reference.kind, field.path)
        case "queue":
            return draft.names("ClusterQueue")
        case "checks":
            return draft.names("AdmissionCheck")
        case "cohort":
            is_cohort = reference.kind == "Cohort"
            return tuple(
                name
                for name in draft.cohorts
                if not is_cohort or reference.name not in draft.ancestors(name)
            )
    return ()


def _wrong_fields(
    draft: Draft, reference: Reference, fields: tuple[FormField, ...], words: Catalog
) -> Iterator[tuple[str, str]]:
    names = {str(reference), f"{reference.kind}/{reference.name}"}
    for problem in draft.problems:
        if words.render(problem.object) in names:
            fitting = [each.path for each in fields if problem.field.startswith(each.path)]
            if fitting:
                yield max(fitting, key=len), words.render(problem.message)
