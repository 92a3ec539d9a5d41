"""From what a name on the command line means to a scenario or a run, and to a workload in it."""

from __future__ import annotations

import os
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kueuelab.cli.output import Speaker
from kueuelab.cli.standard_input import NAME, STANDARD_INPUT, read_standard_input
from kueuelab.errors import KueueLabError, UnknownObjectError
from kueuelab.files import read_bytes
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.manifests import ScenarioSpec
    from kueuelab.model import Release
    from kueuelab.multikueue import MultiKueueScenario
    from kueuelab.trace.trace import Trace
    from kueuelab.whatif.lab import Lab, LabRun

__all__ = [
    "SAVED",
    "AllowOutside",
    "found_at",
    "live_lab",
    "opened",
    "spec_at",
    "trace_at",
    "workload_in",
    "workload_named",
]

#: Which saved runs the command opened.
SAVED: Final[ContextVar[tuple[str, ...]]] = ContextVar("saved_runs", default=())

AllowOutside = Annotated[
    bool,
    typer.Option("--allow-outside", help="cli.option.allow-outside"),
]


def chosen_release(kueue_version: str) -> Release | None:
    """Return the release that ``--kueue-version`` names, ``None`` if it is left out.

    Raises
    ------
    UnknownObjectError
        If the lab models no such release.
    """
    from kueuelab.model import release_named

    return release_named(kueue_version) if kueue_version else None


def opened(
    name: str, out: Speaker, *, allow_outside: bool = False, kueue_version: str = ""
) -> Trace | Lab | MultiKueueScenario:
    """Open what a name means: a saved run, a file or folder, or a scenario of the package.

    What is not modelled in it, left out or assumed is said.

    Raises
    ------
    KueueLabError
        If there is nothing of this name, or it cannot be used.
    """
    from kueuelab.manifests import ScenarioSpec

    release = chosen_release(kueue_version)
    with out.progress(Message("cli.reading", context=name)):
        found = found_at(name, allow_outside=allow_outside, release=release)
    if not isinstance(found, ScenarioSpec):
        SAVED.set((*SAVED.get(), name))
        return found
    return _lab_of(found, out)


def live_lab(context: str, out: Speaker) -> Lab:
    """Read a cluster, as a lab in its state; nothing is written to it.

    Raises
    ------
    KueueLabError
        If it cannot be read.
    """
    from kueuelab.live.access import open_cluster
    from kueuelab.live.snapshot import take
    from kueuelab.live.why import lab_of

    api = open_cluster(context)
    try:
        with out.progress(Message("cli.reading", context=context)):
            snapshot = take(api)
    finally:
        api.close()
    lab = lab_of(snapshot)
    out.complain(*snapshot.notes, *lab.not_modelled, *lab.assumptions)
    return lab


def spec_at(
    name: str,
    out: Speaker | None = None,
    *,
    allow_outside: bool = False,
    release: Release | None = None,
) -> ScenarioSpec:
    """Return the scenario of a name, of one cluster or of several.

    With ``out``, what is left out or assumed is said.

    Raises
    ------
    KueueLabError
        If there is none, or it cannot be used.
    """
    from kueuelab.manifests import ScenarioSpec

    found = found_at(name, allow_outside=allow_outside, release=release)
    if not isinstance(found, ScenarioSpec):
        raise KueueLabError(Message("cli.saved-run", file=name), hint=Message("cli.saved-run.hint"))
    if out is not None:
        _lab_of(found, out)
    return found


def _lab_of(spec: ScenarioSpec, out: Speaker) -> Lab | MultiKueueScenario:
    """Return a scenario to run, and say what it leaves out or assumes."""
    from kueuelab.whatif.clusters import MultiKueueLab
    from kueuelab.whatif.lab import Lab

    lab = MultiKueueLab(spec) if spec.workers else Lab(spec)
    out.complain(*lab.left_out, *lab.not_modelled, *lab.assumptions)
    return lab


def found_at(
    name: str, *, allow_outside: bool, release: Release | None = None
) -> Trace | ScenarioSpec:
    """Return what a name means: a saved run, or a scenario, of a release of Kueue if one is given.

    A saved run keeps the version that decided.

    Raises
    ------
    KueueLabError
        If there is nothing of this name, or it cannot be used.
    """
    from kueuelab import scenarios
    from kueuelab.manifests import load_scenario
    from kueuelab.trace.export import is_run, trace_from_bytes

    load = partial(load_scenario, allow_outside=allow_outside, release=release)
    path = Path(name)
    if name == STANDARD_INPUT:
        content = read_standard_input()
        if is_run(content):
            return trace_from_bytes(content, NAME)
        return load(content, name=NAME)
    if path.is_dir():
        return load(path)
    if os.path.lexists(path):
        # Read once: what the shell opened can't be read again.
        content = read_bytes(path)
        if is_run(content):
            return trace_from_bytes(content, name)
        return load(content, name=name)
    if name in (*scenarios.names(), *scenarios.names("multikueue")):
        return load(scenarios.text(name), name=f"{name}.yaml")
    if name in scenarios.dumps():
        return load(scenarios.dump(name))
    if path.suffix or len(path.parts) > 1:
        raise KueueLabError(Message("cli.no-file", file=name))
    raise UnknownObjectError(Message("cli.kind.file"), name, scenarios.names())


def trace_at(
    name: str, out: Speaker, *, allow_outside: bool = False, kueue_version: str = ""
) -> Trace:
    """Read the trace of a run, or run a scenario.

    Raises
    ------
    KueueLabError
        If there is neither, or it cannot be used.
    """
    from kueuelab.trace.trace import Trace
    from kueuelab.whatif.lab import Lab

    found = opened(name, out, allow_outside=allow_outside, kueue_version=kueue_version)
    if isinstance(found, Trace):
        return found
    if not isinstance(found, Lab):
        raise KueueLabError(
            Message("cli.several-clusters", file=name), hint=Message("cli.several-clusters.hint")
        )
    with out.progress(found.name or Message("cli.running")):
        return found.run().trace


def workload_in(name: str, trace: Trace) -> str:
    """Return the key of the workload that is meant in a saved run.

    Raises
    ------
    KueueLabError
        If no workload is meant, or more than one.
    """
    found = _workloads_named(name, trace)
    if found is None:
        raise UnknownObjectError(Message("cli.kind.workload"), name, trace.workloads)
    return found


def workload_named(name: str, run: LabRun) -> str:
    """Return the key of the workload that is meant: its own name or its job's.

    The namespace may be left out.

    Raises
    ------
    KueueLabError
        If no workload is meant, or more than one.

    Examples
    --------
    >>> import kueuelab as kl
    >>> run = kl.scenarios.load("reclaim-1-take-back").run()
    >>> workload_named("job-1", run)
    'default/job-1'
    """
    return _workloads_named(name, run.trace) or run.key_of(name)


def _workloads_named(name: str, trace: Trace) -> str | None:
    workloads = trace.workloads
    if name in workloads:
        return name
    found = [key for key in workloads if key.partition("/")[2] == name]
    if f"default/{name}" in found:
        return f"default/{name}"
    if len(found) > 1:
        raise KueueLabError(
            Message("cli.several-workloads", name=name),
            hint=Message("cli.several-workloads.hint", workloads=", ".join(found)),
        )
    return found[0] if found else None
