"""The jobs of a draft: those that its timeline submits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kueuelab.errors import KueueLabError
from kueuelab.manifests.scenario import SCENARIO_VERSION
from kueuelab.messages import Message
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.naming import following
from kueuelab.session.building.yaml_nodes import Place

__all__ = ["DraftJob", "JobValues", "jobs_of", "with_job", "with_jobs", "without_job"]

_SUBMIT = ("submit",)


@dataclass(frozen=True, slots=True)
class JobValues:
    """What a person says about a job.

    Attributes
    ----------
    job, queue
        Its name, and its LocalQueue.
    at, runs
        When it arrives, and how long it runs (``10m``; ``""``: until it is finished).
    pods, requests
        How many pods, and what each requests.
    priority, priority_class
        Its priority as a number, or its WorkloadPriorityClass.
    placement, level
        A topology request: ``required`` or ``preferred`` with a level, or ``unconstrained``.
    """

    job: str
    queue: str
    at: str = "0s"
    runs: str = ""
    pods: int = 1
    requests: Mapping[str, str] = field(default_factory=lambda: {"cpu": "1"})
    priority: int | None = None
    priority_class: str = ""
    placement: str = ""
    level: str = ""

    def action(self) -> dict[str, Any]:
        """Return the action of a timeline that submits the job.

        Examples
        --------
        >>> JobValues("a", "jobs", runs="10m").action()
        {'at': '0s', 'submit': {'job': 'a', 'queue': 'jobs', 'requests': {'cpu': 1}, 'runs': '10m'}}
        """
        return {"at": self.at or "0s", "submit": self._submit()}

    def _submit(self) -> dict[str, Any]:
        found: dict[str, Any] = {"job": self.job, "queue": self.queue}
        if self.pods != 1:
            found["pods"] = self.pods
        if self.requests:
            found["requests"] = {name: _plain(text) for name, text in self.requests.items()}
        if self.priority_class:
            found["priorityClass"] = self.priority_class
        elif self.priority is not None:
            found["priority"] = self.priority
        if self.placement == "unconstrained":
            found["topology"] = {"unconstrained": True}
        elif self.placement:
            found["topology"] = {self.placement: self.level or "host"}
        if self.runs:
            found["runs"] = self.runs
        return found


@dataclass(frozen=True, slots=True)
class DraftJob:
    """A job that the timeline of a draft submits.

    Attributes
    ----------
    values
        What is written.
    place
        The action that submits it.
    is_plain
        Whether a form can show all of it; a job with several pod sets is for the YAML.
    """

    values: JobValues
    place: Place
    is_plain: bool = True


def jobs_of(draft: Draft) -> tuple[DraftJob, ...]:
    """Return the jobs that the timeline submits in the short form, in the order of the text."""
    if draft.scenario is None:
        return ()
    timeline = draft.scenario / ("spec", "timeline")
    found = []
    actions = draft.value_at(timeline)
    for index, action in enumerate(actions if isinstance(actions, list) else ()):
        submit = action.get("submit") if isinstance(action, dict) else None
        if isinstance(submit, dict) and "job" in submit:
            values = _values_of(action, submit)
            is_plain = values._submit() == _in_order(submit, values) and "runs" not in action
            found.append(DraftJob(values, timeline / (index,), is_plain))
    return tuple(found)


def with_job(draft: Draft, values: JobValues, before: DraftJob | None = None) -> Draft:
    """Return a draft with a job: a new one, or one whose values are others now.

    What later actions and expectations say of a job follows its name.

    Raises
    ------
    KueueLabError
        If the name is empty or used already.

    Examples
    --------
    >>> draft = with_job(Draft.new(), JobValues("a", "jobs"))
    >>> draft.text.splitlines()[-1]
    '  - {at: 0s, submit: {job: a, queue: jobs, requests: {cpu: 1}}}'
    >>> (job,) = jobs_of(draft)
    >>> with_job(draft, JobValues("a", "jobs", at="5s", pods=2), job).text.splitlines()[-1]
    '  - {at: 5s, submit: {job: a, queue: jobs, requests: {cpu: 1}, pods: 2}}'
    """
    if not values.job:
        raise KueueLabError(Message("session.build.no-name"))
    others = [each.values.job for each in jobs_of(draft) if before is None or each != before]
    if values.job in others:
        raise KueueLabError(Message("session.build.name-used", kind="Job", name=values.job))
    if before is None:
        return with_jobs(draft, (values,))
    if values.job != before.values.job:
        draft = draft.with_names(
            [before.place / ("submit", "job"), *following(draft, before.values.job)], values.job
        )
    new, old = values.action(), draft.value_at(before.place)
    if new["at"] != str(old.get("at", "0s")):
        draft = draft.with_value(before.place / ("at",), new["at"])
    known = before.values.action()["submit"]
    for name in dict.fromkeys((*known, *new["submit"])):
        if known.get(name) != new["submit"].get(name):
            draft = draft.with_value(before.place / ("submit", name), new["submit"].get(name))
    return draft


def with_jobs(draft: Draft, jobs: Iterable[JobValues]) -> Draft:
    """Return a draft with jobs behind those of the timeline; their names are free."""
    if draft.scenario is None:
        name = draft.name.rpartition(".")[0] or draft.name
        head = {"apiVersion": SCENARIO_VERSION, "kind": "Scenario", "metadata": {"name": name}}
        draft = draft.with_object({**head, "spec": {"timeline": []}})
    assert draft.scenario is not None
    actions = [job.action() for job in jobs]
    return draft.with_items(draft.scenario / ("spec", "timeline"), actions, inline=True)


def without_job(draft: Draft, job: DraftJob) -> Draft:
    """Return a draft without a job, and without what happens to it later."""
    places = {job.place}
    places |= {Place(each.document, each.path[:3]) for each in following(draft, job.values.job)}
    for place in sorted(places, key=lambda each: each.path[1:], reverse=True):
        draft = draft.with_value(place, None)
    return draft


# --- inside ------------------------------------------------------------------------------


def _values_of(action: Mapping[str, Any], submit: Mapping[str, Any]) -> JobValues:
    topology = submit.get("topology")
    placement = next(iter(topology), "") if isinstance(topology, dict) else ""
    level = str(topology[placement]) if placement and isinstance(topology, dict) else ""
    requests = submit.get("requests")
    priority, pods = submit.get("priority"), submit.get("pods", submit.get("count", 1))
    return JobValues(
        str(submit["job"]),
        str(submit.get("queue", "")),
        str(action.get("at", "0s")),
        str(submit.get("runs", action.get("runs", ""))),
        pods if isinstance(pods, int) else 1,
        {name: str(text) for name, text in requests.items()} if isinstance(requests, dict) else {},
        priority if isinstance(priority, int) else None,
        str(submit.get("priorityClass", "")),
        placement,
        "" if placement == "unconstrained" else level,
    )


def _in_order(submit: Mapping[str, Any], values: JobValues) -> dict[str, Any]:
    """Return what is written, with its quantities as a form writes them."""
    found = dict(submit)
    if isinstance(found.get("requests"), dict):
        found["requests"] = {name: _plain(text) for name, text in values.requests.items()}
    if found.get("pods") == 1:
        del found["pods"]
    return found


def _plain(text: str) -> int | str:
    """Return a quantity as it is written best: a whole number without quotes."""
    return int(text) if text.isdecimal() else text
