"""From what a person names on the command line to a scenario, and to a workload in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kueuelab.cli.output import complain
from kueuelab.errors import KueueLabError, UnknownObjectError

if TYPE_CHECKING:
    from kueuelab.whatif.lab import Lab, LabRun

__all__ = ["scenario_at", "workload_named"]


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
    for sentence in scenario.not_modelled:
        complain(sentence)
    return scenario


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
