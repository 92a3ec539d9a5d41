"""The jobs of a draft: an axis of time, a table, a form for one job and one for many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import ipywidgets

from kueuelab.errors import InputError, KueueLabError, Problem
from kueuelab.manifests.loading.moments import nanoseconds
from kueuelab.messages import Catalog, Message
from kueuelab.model.times import SECOND, format_duration
from kueuelab.studio.build.controls import TimeAxis
from kueuelab.session.building.draft import Draft, Edit
from kueuelab.session.building.generator import Generator
from kueuelab.session.building.jobs import (
    DraftJob,
    JobValues,
    jobs_of,
    with_job,
    with_jobs,
    without_job,
)
from kueuelab.studio.controls import button
from kueuelab.trace.html import table
from kueuelab.widgets.forms import html, markup

__all__ = ["JobsPanel"]

_WIDTH: Final = "19em"
_LABEL: Final = "8em"
#: The axis and the table have so many jobs; the YAML has all.
_MOST: Final = 200
_PLACEMENTS: Final = ("", "required", "preferred", "unconstrained")


class JobsPanel:
    """Edits the jobs of a draft.

    Parameters
    ----------
    words
        The language.
    edit
        Makes an edit: called with what makes the next draft of the one that is edited.

    Attributes
    ----------
    widget
        The widget.
    fields, generator
        The controls of one job, and of many, by name.
    """

    def __init__(self, words: Catalog, edit: Edit) -> None:
        self._words = words
        self._edit = edit
        self._draft = Draft("")
        self._chosen = ""
        self.axis = TimeAxis(self._act, label=words.text("studio.build.jobs.axis"))
        self.axis.add_class("kl-build-axis")
        self.axis.observe(lambda change: self.choose(change["new"]), names="selected")
        self._problem = html()
        self._table = html()
        self.fields = {
            name: self._control(name)
            for name in (
                *("job", "queue", "at", "runs", "pods", "requests"),
                *("priority", "priorityClass", "topology", "level"),
            )
        }
        self.generator = {
            name: self._control(name, value)
            for name, value in {
                "many.name": "load",
                "many.jobs": "20",
                "many.rate": "6",
                "many.runs": "60",
                "many.sizes": "1, 2, 4",
                "many.requests": "cpu: 1",
                "many.seed": "1",
            }.items()
        }
        self.fields["topology"].options = [
            (each or words.text("studio.build.not-set"), each) for each in _PLACEMENTS
        ]
        self.widget = ipywidgets.VBox(
            [
                self.axis,
                self._note("studio.build.jobs.hint"),
                self._group("studio.build.jobs.one", self.fields, self._buttons()),
                self._problem,
                self._group("studio.build.jobs.many", self.generator, self._many_buttons()),
                self._table,
            ]
        )
        self.widget.add_class("kl-build-jobs")

    def show(self, draft: Draft) -> None:
        """Show the jobs of a draft."""
        self._draft = draft
        jobs = jobs_of(draft)[:_MOST]
        queues = draft.names("LocalQueue")
        classes = (("", ""), *((name, name) for name in draft.names("WorkloadPriorityClass")))
        for name, options in (("queue", queues), ("priorityClass", classes)):
            control = self.fields[name]
            if tuple(control.options) != options:
                before = control.value
                control.options = options
                values = [each[1] if isinstance(each, tuple) else each for each in options]
                control.value = before if before in values else next(iter(values), None)
        self.axis.jobs = [self._on_axis(job) for job in jobs]
        if self._chosen not in {job.values.job for job in jobs}:
            self.choose("")
        self._table.value = self._as_table(jobs)
        lines = [each for each in draft.problems if "timeline" in each.field]
        said = (f"✖ {self._words.render(each.render(self._words))}" for each in lines[:5])
        self._problem.value = "".join(markup("div", each, "kl-wrong") for each in said)

    def choose(self, name: str) -> None:
        """Show a job in the form; ``""`` is a new one."""
        found = [job for job in jobs_of(self._draft) if job.values.job == name]
        self._chosen = name if found else ""
        if self.axis.selected != self._chosen:
            self.axis.selected = self._chosen
        if found:
            self._fill(found[0].values)

    # --- what is done --------------------------------------------------------------------

    def add(self) -> None:
        """Add the job that the form describes."""
        self._edit(lambda draft: with_job(draft, self._values(draft)))

    def change(self) -> None:
        """Change the chosen job to what the form describes."""
        values = self._values(self._draft)
        self._edit(lambda draft: with_job(draft, values, self._job(draft, self._chosen)))
        self.choose(values.job)

    def delete(self) -> None:
        """Delete the chosen job."""
        self._delete(self._chosen)

    def add_many(self) -> None:
        """Add the jobs that the generator draws."""
        self._edit(self._with_drawn)

    def _with_drawn(self, draft: Draft) -> Draft:
        read = {name.removeprefix("many."): box.value for name, box in self.generator.items()}
        generator = Generator(
            read["name"].strip() or "load",
            draft.names("LocalQueue"),
            _whole("jobs", read["jobs"]),
            _decimal("rate", read["rate"]),
            _decimal("runs", read["runs"]),
            tuple(_whole("sizes", each) for each in read["sizes"].split(",")),
            _requests(read["requests"]),
            seed=_whole("seed", read["seed"]),
        )
        note = self._words.render(generator.note)
        used = {job.values.job for job in jobs_of(draft)}
        if any(job.job in used for job in generator.draw()):
            raise KueueLabError(
                Message("session.build.name-used", kind="Job", name=f"{generator.name}-1")
            )
        return with_jobs(draft, generator.draw(), note)

    def _delete(self, name: str) -> None:
        if name:
            self._edit(lambda draft: without_job(draft, self._job(draft, name)))

    def _act(self, action: Mapping[str, Any]) -> None:
        name, at = str(action.get("id", "")), action.get("at")
        if action["do"] == "delete":
            self._delete(name)
        elif action["do"] == "arrive" and isinstance(at, int):
            moment = format_duration(at * SECOND)

            def later(draft: Draft) -> Draft:
                job = self._job(draft, name)
                return with_job(draft, replace(job.values, at=moment), job)

            self._edit(later)
            if self._chosen == name:
                self.fields["at"].value = moment
        elif action["do"] == "add" and isinstance(at, int):
            self.fields["at"].value = format_duration(at * SECOND)
            self.add()

    def _job(self, draft: Draft, name: str) -> DraftJob:
        for job in jobs_of(draft):
            if job.values.job == name:
                if not job.is_plain:
                    raise KueueLabError(Message("studio.build.jobs.not-plain", name=name))
                return job
        raise KueueLabError(Message("studio.build.jobs.none-chosen"))

    # --- the form ------------------------------------------------------------------------

    def _values(self, draft: Draft) -> JobValues:
        read = {
            name: str(box.value if box.value is not None else "").strip()
            for name, box in self.fields.items()
        }
        if not read["queue"]:
            raise KueueLabError(Message("session.build.no-queue"))
        used = {job.values.job for job in jobs_of(draft)}
        name = read["job"]
        if not name:
            name = next(f"job-{n}" for n in range(1, len(used) + 2) if f"job-{n}" not in used)
        return JobValues(
            name,
            read["queue"],
            read["at"] or "0s",
            read["runs"],
            _whole("pods", read["pods"] or "1"),
            _requests(read["requests"]),
            _whole("priority", read["priority"]) if read["priority"] else None,
            read["priorityClass"],
            read["topology"],
            read["level"],
        )

    def _fill(self, values: JobValues) -> None:
        shown = {
            "job": values.job,
            "queue": values.queue,
            "at": values.at,
            "runs": values.runs,
            "pods": str(values.pods),
            "requests": ", ".join(f"{name}: {text}" for name, text in values.requests.items()),
            "priority": "" if values.priority is None else str(values.priority),
            "priorityClass": values.priority_class,
            "topology": values.placement,
            "level": values.level,
        }
        for name, value in shown.items():
            control = self.fields[name]
            options = getattr(control, "options", None)
            if options is not None:
                known = [each[1] if isinstance(each, tuple) else each for each in options]
                if value not in known:
                    continue
            control.value = value

    def _control(self, name: str, value: str = "") -> Any:
        words = self._words
        label = words.text(f"studio.build.jobs.{name}")
        if name in ("queue", "priorityClass", "topology"):
            control: Any = ipywidgets.Dropdown(description=label, options=())
        else:
            hover = words.text(f"studio.build.jobs.{name}.example")
            start = {"at": "0s", "runs": "1m", "pods": "1", "requests": "cpu: 1"}.get(name, value)
            control = ipywidgets.Text(
                value=start, description=label, placeholder=hover, tooltip=hover
            )
        control.style.description_width = _LABEL
        control.layout.width = _WIDTH
        return control

    def _buttons(self) -> list[Any]:
        ids = {"add": self.add, "change": self.change, "delete": self.delete}
        return [self._button(f"studio.build.jobs.{name}", do) for name, do in ids.items()]

    def _many_buttons(self) -> list[Any]:
        return [self._button("studio.build.jobs.draw", self.add_many)]

    def _button(self, id_: str, action: Callable[[], object]) -> Any:
        return button(self._words, id_, f"{id_}.hover", partial(self._attempt, action))

    def _attempt(self, action: Callable[[], object]) -> None:
        """Do what a button is for; a value that cannot be read is named below the form."""
        try:
            action()
        except KueueLabError as error:
            self._problem.value = markup("div", f"✖ {error.render(self._words)}", "kl-wrong")

    def _group(self, title: str, controls: Mapping[str, Any], buttons: list[Any]) -> Any:
        grid = ipywidgets.HBox([*controls.values(), *buttons])
        grid.add_class("kl-buttons")
        return ipywidgets.VBox([ipywidgets.HTML(markup("h4", self._words.text(title))), grid])

    def _note(self, id_: str) -> Any:
        return ipywidgets.HTML(markup("div", self._words.text(id_), "kl-hint"))

    # --- what is shown -------------------------------------------------------------------

    def _on_axis(self, job: DraftJob) -> dict[str, Any]:
        values = job.values
        return {
            "id": values.job,
            "name": values.job,
            "at": _in_seconds(values.at) or 0,
            "runs": _in_seconds(values.runs) if values.runs else None,
            "text": self._sentence(values),
        }

    def _sentence(self, values: JobValues) -> str:
        requests = ", ".join(f"{text} {name}" for name, text in values.requests.items())
        ends = "runs" if values.runs else "open"
        return self._words.text(
            f"studio.build.jobs.sentence.{ends}",
            job=values.job,
            queue=values.queue,
            at=values.at,
            runs=values.runs,
            pods=values.pods,
            requests=requests,
        )

    def _as_table(self, jobs: tuple[DraftJob, ...]) -> str:
        words = self._words
        columns = ("job", "queue", "at", "runs", "pods", "requests", "priority")
        header = [words.text(f"studio.build.jobs.{name}") for name in columns]
        rows = []
        for each in (job.values for job in jobs):
            requests = ", ".join(f"{name}: {text}" for name, text in each.requests.items())
            priority = each.priority_class or ("" if each.priority is None else str(each.priority))
            row = (each.job, each.queue, each.at, each.runs, str(each.pods), requests, priority)
            rows.append(row)
        return table(header, rows, words.text("studio.build.jobs.table")) if rows else ""


def _in_seconds(text: str) -> float | None:
    try:
        return nanoseconds(text) / SECOND
    except (KueueLabError, ValueError):
        return None


def _requests(text: str) -> dict[str, str]:
    r"""Return requests that are written as ``cpu: 500m, memory: 3Gi``.

    Examples
    --------
    >>> _requests("cpu: 500m, memory: 3Gi")
    {'cpu': '500m', 'memory': '3Gi'}
    """
    found = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, colon, amount = part.rpartition(":")
        if not colon or not name.strip() or not amount.strip():
            raise InputError(Problem(Message("studio.build.jobs.not-requests", text=part)))
        found[name.strip()] = amount.strip()
    return found


def _whole(name: str, text: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        raise InputError(
            Problem(Message("studio.build.jobs.not-a-number", name=name, text=text))
        ) from None


def _decimal(name: str, text: str) -> float:
    try:
        return float(text.strip())
    except ValueError:
        raise InputError(
            Problem(Message("studio.build.jobs.not-a-number", name=name, text=text))
        ) from None
