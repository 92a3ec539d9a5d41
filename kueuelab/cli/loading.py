"""From what a person names on the command line to a scenario, and to a workload in it."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

from kueuelab.cli.output import complain, progress
from kueuelab.errors import KueueLabError, UnknownObjectError

if TYPE_CHECKING:
    from kueuelab.trace.trace import Trace
    from kueuelab.whatif.lab import Lab, LabRun

__all__ = ["scenario_at", "trace_at", "workload_named"]


def scenario_at(name: str) -> Lab:
    """Load a file or folder, or a scenario of the package; say what is not modelled in it.

    Raises
    ------
    KueueLabError
        If there is neither a file nor a scenario of this name, or it cannot be used.
    """
    import kueuelab
    from kueuelab import scenarios
    from kueuelab.whatif.lab import Lab

    if Path(name).exists():
        scenario = kueuelab.load(Path(name))
    elif name in (*scenarios.names(), *scenarios.names("multikueue")):
        scenario = scenarios.load(name)
    elif Path(name).suffix or len(Path(name).parts) > 1:
        raise KueueLabError(f"{name}: No such file or directory")
    else:
        raise UnknownObjectError("file or scenario", name, scenarios.names())
    if not isinstance(scenario, Lab):
        raise KueueLabError(
            f"{name} has several clusters", hint="kueuelab run and explain understand it"
        )
    for sentence in (*scenario.not_modelled, *scenario.assumptions):
        complain(sentence)
    return scenario


def trace_at(name: str) -> Trace:
    """Read the trace of a run, or run a scenario.

    Raises
    ------
    KueueLabError
        If there is neither, or it cannot be used.
    """
    from kueuelab.trace.export import load_trace

    path = Path(name)
    if path.is_file() and _holds_trace(path):
        return load_trace(path)
    scenario = scenario_at(name)
    with progress(scenario.name or "running"):
        return scenario.run().trace


def _holds_trace(path: Path) -> bool:
    """Tell a trace from a scenario by its first words."""
    with path.open("rb") as file:
        head = file.read(64)
    if head[:2] == b"\x1f\x8b":
        with gzip.open(path) as file:
            head = file.read(64)
    return head.lstrip().startswith(b'{"format":"kueuelab-trace"')


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
    workloads = run.trace.workloads
    if name in workloads:
        return name
    found = [key for key in workloads if key.partition("/")[2] == name]
    if f"default/{name}" in found:
        return f"default/{name}"
    if len(found) > 1:
        raise KueueLabError(
            f"several workloads are named '{name}'", hint="Choose one: " + ", ".join(found)
        )
    return found[0] if found else run.key_of(name)
