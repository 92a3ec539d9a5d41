"""Edits of a draft: what a command says, and the draft that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import singledispatch
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from kueuelab.errors import InputError, KueueLabError, Problem, UnknownObjectError
from kueuelab.messages import Message
from kueuelab.session import build_commands as commands
from kueuelab.session.building.draft import KINDS, Draft
from kueuelab.session.building.fields import FIELDS, QUOTA_FIELDS, FormField
from kueuelab.session.building.form_values import written
from kueuelab.session.building.jobs import (
    DraftJob,
    JobValues,
    jobs_of,
    with_job,
    with_jobs,
    without_job,
)
from kueuelab.session.building.many_jobs import ManyJobs, many_jobs, sizes_of
from kueuelab.session.building.naming import deleted, renamed
from kueuelab.session.building.new_job import new_job, requests_of
from kueuelab.session.building.nodes import (
    POOL_FIELDS,
    pools_of,
    with_pool,
    with_pool_field,
    without_pool,
)
from kueuelab.session.building.quotas import quotas_of, with_quota, without_quota
from kueuelab.whatif.references import Reference

__all__ = ["Edited", "edited"]

#: What each kind can be below.
_PARENTS: Final[Mapping[str, str]] = MappingProxyType(
    {"Cohort": "Cohort", "ClusterQueue": "Cohort", "LocalQueue": "ClusterQueue"}
)
_FIRST_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Cohort": "cohort",
        "ClusterQueue": "team",
        "LocalQueue": "jobs",
        "ResourceFlavor": "flavor",
        "AdmissionCheck": "check",
        "WorkloadPriorityClass": "priority",
        "Topology": "topology",
    }
)


class Edited(NamedTuple):
    """A draft after an edit, and the object or job that it is about now."""

    draft: Draft
    chosen: str = ""


@singledispatch
def edited(command: commands.DraftEdit, draft: Draft) -> Edited:
    """Return a draft with an edit.

    Raises
    ------
    KueueLabError
        If it cannot be made; nothing is changed then.

    Examples
    --------
    >>> edited(commands.BuildAdd("ClusterQueue"), Draft.new()).chosen
    'ClusterQueue/team-1'
    """
    raise TypeError(f"there is no edit {command!r}")


@edited.register
def _text(command: commands.BuildText, draft: Draft) -> Edited:
    return Edited(draft.with_text(command.text))


@edited.register
def _add(command: commands.BuildAdd, draft: Draft) -> Edited:
    kind = command.kind
    if kind not in KINDS:
        raise UnknownObjectError("kind", kind, KINDS)
    above, _, name = command.parent.partition("/")
    parent = name.rpartition("/")[2] if above == _PARENTS.get(kind) else ""
    if kind == "LocalQueue" and not parent:
        parent = next(iter(draft.names("ClusterQueue")), "")
    first = _FIRST_NAMES[kind]
    name = command.name or _free(first, {*draft.names(kind), *draft.cohorts})
    found = draft.added(kind, name, parent=parent)
    return Edited(found, str(found[f"{kind}/{name}"].reference))


@edited.register
def _remove(command: commands.BuildRemove, draft: Draft) -> Edited:
    return Edited(deleted(draft, command.object))


@edited.register
def _rename(command: commands.BuildRename, draft: Draft) -> Edited:
    name = command.name.strip()
    found = renamed(draft, command.object, name)
    kind, _, rest = command.object.partition("/")
    namespace = rest.rpartition("/")[0]
    return Edited(found, str(Reference(kind, namespace, name)))


@edited.register
def _move(command: commands.BuildMove, draft: Draft) -> Edited:
    kind, _, name = command.parent.partition("/")
    moved = command.object.partition("/")[0]
    if moved not in _PARENTS or (command.parent and kind != _PARENTS[moved]):
        message = Message("session.build.no-move", name=command.object, to=command.parent or "-")
        raise KueueLabError(message)
    return Edited(draft.moved(command.object, name), command.object)


@edited.register
def _field(command: commands.BuildField, draft: Draft) -> Edited:
    reference = draft[command.object].reference
    fields = {each.path: each for each in FIELDS.get(reference.kind, ())}
    if command.field not in fields:
        raise UnknownObjectError("field", command.field, fields)
    field, text = fields[command.field], command.value.strip()
    if field.form in ("cohort", "queue"):
        return Edited(draft.moved(reference, text), command.object)
    if field.form == "checks":
        return Edited(_with_checks(draft, reference, field, text), command.object)
    value = written(text, field)
    return Edited(draft.with_field(reference, field.path, value), command.object)


@edited.register
def _quota(command: commands.BuildQuota, draft: Draft) -> Edited:
    reference, flavor, resource = draft[command.object].reference, command.flavor, command.resource
    if command.remove:
        return Edited(without_quota(draft, reference, flavor), command.object)
    if not command.field:
        return Edited(with_quota(draft, reference, flavor, resource.strip()), command.object)
    known = {each.path: each for each in QUOTA_FIELDS}
    if command.field not in known:
        raise UnknownObjectError("field", command.field, known)
    for quota in quotas_of(draft, reference):
        if (quota.flavor, quota.resource) == (flavor, resource):
            value = written(command.value.strip(), known[command.field])
            return Edited(draft.with_value(quota.place / (command.field,), value), command.object)
    raise UnknownObjectError("quota", f"{flavor}/{resource}")


@edited.register
def _job(command: commands.BuildJob, draft: Draft) -> Edited:
    before = _job_of(draft, command.job) if command.job else None
    if before is not None and not before.is_plain:
        raise KueueLabError(Message("session.build.not-plain", name=command.job))
    values = before.values if before is not None else new_job(draft, command.queue or "")
    values = _with_values(values, command)
    return Edited(with_job(draft, values, before), values.job)


@edited.register
def _jobs(command: commands.BuildJobs, draft: Draft) -> Edited:
    asked = ManyJobs(
        command.name,
        command.queue,
        command.jobs,
        every=command.every,
        runs=command.runs,
        sizes=sizes_of(command.pods),
        requests=requests_of(command.requests),
        seed=command.seed,
    )
    jobs = many_jobs(draft, asked)
    return Edited(with_jobs(draft, jobs), jobs[0].job)


@edited.register
def _delete_job(command: commands.BuildDeleteJob, draft: Draft) -> Edited:
    return Edited(without_job(draft, _job_of(draft, command.job)))


@edited.register
def _pool(command: commands.BuildPool, draft: Draft) -> Edited:
    if command.number is None:
        return Edited(with_pool(draft))
    _require_pool(draft, command.number)
    if command.field not in POOL_FIELDS:
        raise UnknownObjectError("field", command.field, POOL_FIELDS)
    return Edited(with_pool_field(draft, command.number, command.field, command.value.strip()))


@edited.register
def _delete_pool(command: commands.BuildDeletePool, draft: Draft) -> Edited:
    _require_pool(draft, command.number)
    return Edited(without_pool(draft, command.number))


# --- inside ------------------------------------------------------------------------------


def _free(first: str, used: set[str]) -> str:
    return next(
        name for number in range(1, len(used) + 2) if (name := f"{first}-{number}") not in used
    )


def _job_of(draft: Draft, name: str) -> DraftJob:
    jobs = {each.values.job: each for each in jobs_of(draft)}
    if name not in jobs:
        raise UnknownObjectError("job", name, jobs)
    return jobs[name]


def _require_pool(draft: Draft, number: int) -> None:
    if not 0 <= number < len(pools_of(draft)):
        raise UnknownObjectError("pool", str(number))


def _with_values(values: JobValues, command: commands.BuildJob) -> JobValues:
    """Return the values of a job with those of a command."""
    texts = {
        "job": command.name,
        "queue": command.queue,
        "at": command.at,
        "runs": command.runs,
        "priority_class": command.priority_class,
        "placement": command.placement,
        "level": command.level,
    }
    given: dict[str, Any] = {name: text.strip() for name, text in texts.items() if text is not None}
    found = replace(values, **given)
    if command.pods is not None:
        found = replace(found, pods=_whole("pods", command.pods or "1"))
    if command.requests is not None:
        found = replace(found, requests=requests_of(command.requests))
    if command.priority is not None:
        number = _whole("priority", command.priority) if command.priority.strip() else None
        found = replace(found, priority=number)
    return found


def _whole(name: str, text: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        message = Message("session.build.not-a-number", name=name, text=text)
        raise InputError(Problem(message, field=name)) from None


def _with_checks(draft: Draft, reference: Reference, field: FormField, text: str) -> Draft:
    """Return a draft in which a queue has these checks; those that stay keep what they say."""
    wanted = [name.strip() for name in text.split(",") if name.strip()]
    place = draft[reference].place
    for segment in field.path.split("."):
        place = place / (segment,)
    listed = draft[reference].field(field.path)
    names = [each.get("name") for each in listed] if isinstance(listed, list) else []
    if not wanted:
        whole = field.path.rpartition(".")[0]
        return draft.with_field(reference, whole, None) if names else draft
    for index in reversed(range(len(names))):
        if names[index] not in wanted and len(names) > 1:
            draft = draft.with_value(place / (index,), None)
            del names[index]
    new = [{"name": name} for name in wanted if name not in names]
    draft = draft.with_items(place, new) if new else draft
    if names and names[0] not in wanted:
        draft = draft.with_value(place / (0,), None)
    return draft
