"""What a draft is exported as: manifests, a notebook, the skeleton of an exercise."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.manifests.decode import DEFAULT_NAMESPACE
from kueuelab.messages import Catalog
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.jobs import jobs_of
from kueuelab.session.building.yaml_lines import written

__all__ = ["exercise_files", "exported", "manifests", "notebook"]

#: What Markdown and HTML take for more than text.
_MARKDOWN: Final = re.compile(r"[\\`*_{}\[\]()<>#|!&~$:]")


def exported(draft: Draft, kind: str, words: Catalog) -> Mapping[str, str]:
    """Return the files of an export as texts by name: manifests, a notebook, or an exercise.

    Raises
    ------
    KueueLabError
        If there are problems in the draft, or no such export.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> list(exported(Draft.new("lab"), "exercise", english()))
    ['exercise.yaml', 'start.yaml', 'texts/en.yaml']
    """
    if draft.problems:
        raise InputError(draft.problems)
    name = Path(draft.name).stem
    match kind:
        case "manifests":
            return {f"{name}-manifests.yaml": manifests(draft, words)}
        case "notebook":
            return {f"{name}.ipynb": notebook(draft, words)}
        case "exercise":
            return exercise_files(draft, words)
    raise UnknownObjectError("export", kind, ("manifests", "notebook", "exercise"))


def manifests(draft: Draft, words: Catalog) -> str:
    r"""Return the objects of a draft for ``kubectl apply``, with the namespaces that they need.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> draft = Draft.new().added("LocalQueue", "jobs", parent="a", namespace="team-a")
    >>> print(manifests(draft, english()), end="")
    apiVersion: v1
    kind: Namespace
    metadata: {name: team-a}
    ---
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: jobs, namespace: team-a}
    spec: {clusterQueue: a}
    """
    there = {*draft.names("Namespace"), DEFAULT_NAMESPACE, ""}
    needed = dict.fromkeys(each.reference.namespace for each in draft.objects)
    found: list[Mapping[str, Any]] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        for name in needed
        if name not in there
    ]
    found += [each.value for each in draft.objects]
    texts = [written(each) for each in found]
    count = len(jobs_of(draft))
    note = words.text("session.build.export.jobs-left-out", count=count) if count else ""
    return (f"# {note}\n" if note else "") + "---\n".join(texts)


def notebook(draft: Draft, words: Catalog) -> str:
    """Return a notebook that runs the scenario and shows it."""
    title = (draft.spec.title or draft.spec.name) if draft.spec is not None else draft.name
    cells = [
        ("markdown", f"# {_plain(title)}\n\n{words.text('session.build.export.notebook')}"),
        ("code", "import kueuelab as kl\n\n%load_ext kueuelab"),
        ("code", f"%%kueue --name run\n{draft.text.rstrip()}"),
        ("code", "kl.widgets.lab(run)"),
        ("code", "kl.pending(run)"),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return _json(
        {
            "cells": [_cell(number, *cell) for number, cell in enumerate(cells, 1)],
            "metadata": {"kernelspec": kernel},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def _plain(text: str) -> str:
    """Return text that Markdown shows as it is: a title can hold no link, picture or markup."""
    return _MARKDOWN.sub(r"\\\g<0>", " ".join(text.split()))


def exercise_files(draft: Draft, words: Catalog) -> dict[str, str]:
    """Return the files of an exercise to be written on: texts by name.

    The objects are what a learner begins with, the jobs are its first case.
    """
    name = Path(draft.name).stem
    timeline = [job.values.action() for job in jobs_of(draft)]
    check: dict[str, Any] = {"id": "comes-to-rest", "noLoop": True}
    case = {"id": "monday", "timeline": timeline, "checks": [check]}
    spec = {
        "number": 0,
        "topic": "quota",
        "difficulty": "easy",
        "minutes": 15,
        "rules": [{"id": "one-object", "atMost": 1}],
        "cases": [case],
    }
    head = {"apiVersion": "kueuelab/v1", "kind": "Exercise", "metadata": {"name": name}}
    ids: tuple[str, ...] = ("goal", "case.monday", "check.one-object", "check.comes-to-rest")
    ids = (*ids, "hint.1", "hint.2", "hint.3", "why")
    todo = {id_: words.text(f"session.build.exercise.{id_}") for id_ in ids}
    texts = {"language": words.language, "messages": {"title": name, **todo}}
    return {
        "exercise.yaml": written({**head, "spec": spec}),
        "start.yaml": "---\n".join(written(each.value) for each in draft.objects),
        f"texts/{words.language}.yaml": written(texts),
    }


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return {**cell, "source": text.splitlines(keepends=True)}


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
