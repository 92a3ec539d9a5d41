"""``--workloads FILE``: a model or a trace, and where its jobs go."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.output import Speaker
from kueuelab.cli.standard_input import files_for
from kueuelab.errors import InputError, Problem, lines_of
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.sweeps import JobTrace, WorkloadModel
    from kueuelab.sweeps.workloads.mapping import JobField

__all__ = ["FlavorOption", "JobFieldOption", "QueueOption", "WorkloadsFile", "source_of"]

WorkloadsFile = Annotated[
    Path | None,
    typer.Option("--workloads", metavar="FILE", help="cli.workloads.help"),
]
JobFieldOption = Annotated[
    str, typer.Option("--by", metavar="queue|user|group", help="cli.workloads.by.help")
]
QueueOption = Annotated[
    list[str] | None,
    typer.Option("--queue", metavar="NAME=LOCALQUEUE", help="cli.workloads.queue.help"),
]
FlavorOption = Annotated[
    list[str] | None,
    typer.Option("--flavor", metavar="NAME=FLAVOR", help="cli.workloads.flavor.help"),
]


def source_of(
    file: Path | None,
    by: str,
    queues: Iterable[str] | None,
    flavors: Iterable[str] | None,
    out: Speaker,
) -> WorkloadModel | JobTrace | None:
    """Return the workloads of a file, and say which of its lines are no job.

    Raises
    ------
    InputError
        If something is wrong with it.
    """
    if file is None:
        return None
    from kueuelab.sweeps import JobTrace, Mapped
    from kueuelab.sweeps.workloads.opening import open_workloads

    mapped = Mapped(_field(by), dict(map(_pair, queues or ())), dict(map(_pair, flavors or ())))
    with files_for([file]) as [opened]:
        found = open_workloads(opened, mapped)
    if isinstance(found, JobTrace):
        out.complain(*lines_of(found.problems, out.words))
    return found


def _field(name: str) -> JobField:
    match name:
        case "queue" | "user" | "group":
            return name
    raise InputError(Problem(Message("cli.workloads.by.wrong", name=name)))


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.rpartition("=")
    if not (name and equals and value):
        raise InputError(Problem(Message("cli.workloads.no-pair", text=repr(text))))
    return name, value
