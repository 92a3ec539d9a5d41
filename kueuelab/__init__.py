"""Decide what Kueue would decide, see why, and change your mind.

>>> import kueuelab as kl
>>> kl.KUEUE_VERSION
'v0.19.2'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from kueuelab.errors import InputError, KueueLabError

if TYPE_CHECKING:
    #: The Kueue release whose decisions this package reproduces.
    KUEUE_VERSION: str

    from kueuelab.forecast import try_job
    from kueuelab.simulation import Run, Scenario
    from kueuelab.sweeps import seek, sweep
    from kueuelab.whatif.clusters import MultiKueueLab
    from kueuelab.whatif.lab import Lab
    from kueuelab.whatif.pending import pending

    #: Shows the app in a cell of a notebook: :func:`kueuelab.app.cell.studio`.
    studio: Any

__version__ = "0.1.0"

__all__ = [
    "KUEUE_VERSION",
    "InputError",
    "KueueLabError",
    "Lab",
    "Run",
    "Scenario",
    "load",
    "pending",
    "seek",
    "studio",
    "sweep",
    "try_job",
]

#: Rooms that are imported when they are first used.
_ROOMS = (
    "forecast",
    "live",
    "multikueue",
    "scenarios",
    "sweeps",
    "teaching",
    "whatif",
    "widgets",
    "workshop",
)

#: Functions of the room of sweeps.
_OF_SWEEPS = ("seek", "sweep")


def load(source: Any, *, allow_outside: bool = False) -> Lab | MultiKueueLab:
    """Load a scenario, manifests, or a dump.

    Parameters
    ----------
    source
        A file, a folder, YAML or JSON text, a stream, or parsed documents. A scenario
        file (``kind: Scenario``) brings its own timeline; of anything else, the objects
        are there at time 0.
    allow_outside
        Whether a scenario may name files outside of its folder.

    Returns
    -------
    Lab or MultiKueueLab
        Ready to :meth:`~kueuelab.whatif.lab.Lab.run` and to fork. A scenario with a manager
        and workers is run by :mod:`kueuelab.multikueue`; it forks at the start and at times.

    Raises
    ------
    InputError
        If something is wrong with it: all mistakes, each with object, field, file and
        line, and what would be right.

    Examples
    --------
    >>> lab = load('''
    ... apiVersion: kueue.x-k8s.io/v1beta2
    ... kind: ResourceFlavor
    ... metadata: {name: default}
    ... ''')
    >>> lab.run()
    <Run unnamed: 0 workloads, 0 cycles, 0s>
    """
    from kueuelab.manifests import load_scenario
    from kueuelab.whatif.lab import Lab

    spec = load_scenario(source, allow_outside=allow_outside)
    if spec.workers:
        from kueuelab.whatif.clusters import MultiKueueLab

        return MultiKueueLab(spec)
    return Lab(spec)


def load_ipython_extension(shell: Any) -> None:
    """Add ``%%kueue``, and completion of names, to a notebook: ``%load_ext kueuelab``."""
    from kueuelab.widgets.completing import names_matcher
    from kueuelab.widgets.magics import KueueMagics

    shell.register_magics(KueueMagics)
    shell.Completer.custom_matchers.append(names_matcher(shell.user_ns))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})


def __getattr__(name: str) -> Any:
    if name == "KUEUE_VERSION":
        from kueuelab.model.releases import RELEASE

        return RELEASE.version
    if name == "Lab":
        from kueuelab.whatif.lab import Lab

        return Lab
    if name in ("Run", "Scenario"):
        from kueuelab import simulation

        return getattr(simulation, name)
    if name in _OF_SWEEPS:
        from kueuelab import sweeps

        return getattr(sweeps, name)
    if name == "pending":
        from kueuelab.whatif.pending import pending

        return pending
    if name == "try_job":
        from kueuelab.forecast import try_job

        return try_job
    if name in _ROOMS:
        return import_module(f"kueuelab.{name}")
    if name == "studio":
        return import_module("kueuelab.app.cell").studio
    raise AttributeError(f"module 'kueuelab' has no attribute {name!r}")
