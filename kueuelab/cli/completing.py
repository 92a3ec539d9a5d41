"""What a shell completes: scenarios and files, workloads, exercises, contexts.

A shell waits for each of them: nothing is run, and what cannot be read gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Final

import typer

__all__ = ["contexts", "exercises", "files", "packaged", "workloads"]

#: Endings of the names of files that commands take.
_ENDINGS: Final = (".yaml", ".yml", ".json", ".json.gz")
#: The arguments of commands that name a file whose workloads are meant.
_FILES: Final = ("file", "before", "scenario")


def files(incomplete: str) -> list[str]:
    """Return the scenarios and dumps of the package, and the files and folders that are there."""
    return _beginning(incomplete, [*packaged(), *_paths(incomplete)])


def workloads(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of the workloads of the scenario, dump or run that is named before."""
    named = [ctx.params.get(name) for name in _FILES]
    # Before an option that lacks its value, arguments are not assigned yet.
    file = next((each for each in (*named, *ctx.args) if each), "")
    found: list[str] = []
    # Whatever is wrong with the file, the command itself says so.
    with suppress(Exception):
        found = sorted(set(_workloads_of(str(file))))
    short = [name for key in found for name in (key, key.partition("/")[2])]
    return _beginning(incomplete, short)


def exercises(incomplete: str) -> list[str]:
    """Return the names of the exercises."""
    found: list[str] = []
    with suppress(Exception):
        from kueuelab.workshop.library import exercise_folder

        found = [file.parent.name for file in exercise_folder().glob("*/exercise.yaml")]
    return _beginning(incomplete, found)


def contexts(incomplete: str) -> list[str]:
    """Return the contexts of the kubeconfig."""
    found: tuple[str, ...] = ()
    with suppress(Exception):
        from kueuelab.live.kubeconfig import contexts as of_kubeconfig

        found = of_kubeconfig()
    return _beginning(incomplete, found)


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted({name for name in names if name.startswith(incomplete)})


def packaged() -> Iterator[str]:
    """Yield the names of scenarios and dumps, without importing what runs them."""
    folder = Path(str(resources.files("kueuelab"))) / "scenarios"
    for file in folder.glob("*/*"):
        if file.suffix == ".yaml":
            yield file.stem
        elif file.is_dir() and file.parent.name == "dumps":
            yield file.name


def _paths(incomplete: str) -> Iterator[str]:
    """Yield the files and folders that a beginning of a path may mean."""
    parent, slash, _ = incomplete.rpartition("/")
    with suppress(OSError):
        for path in Path(parent or slash or ".").iterdir():
            shown = f"{parent}{slash}{path.name}"
            if path.name.startswith(".") and not incomplete.rpartition("/")[2].startswith("."):
                continue
            if path.is_dir():
                yield f"{shown}/"
            elif path.name.endswith(_ENDINGS):
                yield shown


def _workloads_of(name: str) -> Iterable[str]:
    from kueuelab.cli.loading import found_at
    from kueuelab.cli.standard_input import STANDARD_INPUT
    from kueuelab.manifests import ScenarioSpec
    from kueuelab.manifests.scenario import Submit

    if name == STANDARD_INPUT:
        return ()
    found = found_at(name, allow_outside=False)
    if not isinstance(found, ScenarioSpec):
        return found.workloads
    submitted = (action for action in found.timeline if isinstance(action, Submit))
    return [
        *(each.key for each in found.manifests.workloads),
        *(each.key for action in submitted for each in action.workloads),
    ]
