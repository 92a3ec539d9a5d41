"""Whether a machine is ready for a workshop: each check, and what to do where one fails."""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import tempfile
import time
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from kueuelab import __version__
from kueuelab.errors import KueueLabError
from kueuelab.messages import Message, separated
from kueuelab.workshop.kernel import run_notebook
from kueuelab.workshop.library import exercise, specs
from kueuelab.workshop.spec import ExerciseSpec

__all__ = ["MachineCheck", "preflight"]

#: What JupyterLab, two kernels and a tab of a browser need.
MEMORY_NEEDED: Final = 2**30
#: Browsers by their commands. Python's webbrowser finds them only where there is a display.
_BROWSERS: Final = (
    *("firefox", "firefox-esr", "google-chrome", "google-chrome-stable", "chromium"),
    *("chromium-browser", "microsoft-edge", "brave-browser"),
)
_EXTRAS: Final = ("", "cli", "lab")
_PICTURE: Final = "image/svg+xml"
_FIRST_VIEW: Final = """
from kueuelab import scenarios, widgets
widgets.Stepper(scenarios.load("within-1-all-in-one-queue").run())
"""


@dataclass(frozen=True, slots=True)
class MachineCheck:
    """The result of one check of a machine.

    Attributes
    ----------
    name
        What was checked.
    found
        What was found, as a sentence or part of one.
    hint
        What to do; empty if the check passes.
    """

    name: str
    found: str
    hint: str = ""

    @property
    def passed(self) -> bool:
        """Whether the machine is ready in this respect."""
        return not self.hint

    def as_data(self) -> dict[str, object]:
        """Return it as plain JSON values."""
        return {
            "check": self.name,
            "passed": self.passed,
            "found": str(self.found),
            "hint": str(self.hint),
        }


def preflight(
    port: int = 8888, seconds: float = 20, *, browser: bool = True
) -> Iterator[MachineCheck]:
    """Check a machine; yield each result as soon as it is known.

    Parameters
    ----------
    port
        Where JupyterLab will listen.
    seconds
        How long the check of one exercise may take.
    browser
        Whether this machine needs a browser.
    """
    yield check_versions()
    yield check_port(port)
    if browser:
        yield check_browser()
    yield check_memory()
    yield check_first_view()
    yield check_exercises(specs(), seconds)


def check_versions() -> MachineCheck:
    """Check the packages that notebooks need, and their versions."""
    found = Message(
        "workshop.preflight.versions", version=__version__, python=platform.python_version()
    )
    wrong = _unmet_requirements()
    if not wrong:
        return MachineCheck("versions", found)
    missing = Message("workshop.preflight.versions.missing", packages=separated(wrong))
    return MachineCheck("versions", missing, Message("workshop.preflight.versions.hint"))


def _unmet_requirements() -> list[str]:
    if find_spec("packaging") is None:  # JupyterLab brings it
        return ["jupyterlab"]
    from packaging.requirements import Requirement

    wrong = []
    for text in requires("kueuelab") or ():
        need = Requirement(text)
        if need.name == "kueuelab":
            continue
        if need.marker and not any(need.marker.evaluate({"extra": each}) for each in _EXTRAS):
            continue
        try:
            is_met = need.specifier.contains(version(need.name), prereleases=True)
        except PackageNotFoundError:
            is_met = False
        if not is_met:
            wrong.append(f"{need.name}{need.specifier}")
    return wrong


def check_port(port: int) -> MachineCheck:
    """Check that nothing listens where JupyterLab will."""
    with socket.socket() as listener:
        if os.name == "posix":  # A connection that was closed a minute ago does no harm.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            taken = Message("workshop.preflight.port.taken", port=port)
            return MachineCheck("port", taken, Message("workshop.preflight.port.hint"))
    return MachineCheck("port", Message("workshop.preflight.port", port=port))


def check_browser() -> MachineCheck:
    """Check that a browser is installed: also one that only a display is missing for."""
    try:
        webbrowser.get()
    except webbrowser.Error:
        found = next(filter(None, map(shutil.which, _BROWSERS)), None)
        if found is not None:
            there = Message("workshop.preflight.browser.no-display", browser=found)
            return MachineCheck("browser", there)
        missing = Message("workshop.preflight.browser.missing")
        return MachineCheck("browser", missing, Message("workshop.preflight.browser.hint"))
    return MachineCheck("browser", Message("workshop.preflight.browser"))


def check_memory(available: int | None = None) -> MachineCheck:
    """Check that enough memory is available for notebooks; asked of the system by default."""
    if available is None:
        available = _available_memory()
    if available is None:
        unknown = Message("workshop.preflight.memory.unknown")
        return MachineCheck("memory", unknown, Message("workshop.preflight.versions.hint"))
    size = f"{available / 2**30:.1f}"
    if available >= MEMORY_NEEDED:
        return MachineCheck("memory", Message("workshop.preflight.memory", size=size))
    little = Message("workshop.preflight.memory.little", size=size, needed=MEMORY_NEEDED // 2**30)
    return MachineCheck("memory", little, Message("workshop.preflight.memory.hint"))


def _available_memory() -> int | None:
    if find_spec("psutil") is None:  # ipykernel brings it
        return None
    import psutil  # type: ignore[import-untyped]

    return int(psutil.virtual_memory().available)


def check_first_view(code: str = _FIRST_VIEW) -> MachineCheck:
    """Let a kernel make the first view of the course.

    It covers the kernel, its connection and the widgets, not the browser.
    """
    cell = {"cell_type": "code", "source": code, "metadata": {}, "outputs": []}
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}}
    text = json.dumps({**notebook, "cells": [{**cell, "execution_count": None}]})
    error: str = Message("workshop.preflight.view.none")
    with tempfile.TemporaryDirectory() as folder:
        try:
            outputs = run_notebook(text, Path(folder)).cells[0].outputs
        except KueueLabError as failure:
            error, outputs = failure.problem.message, []
    if any(_PICTURE in output.get("data", {}) for output in outputs):
        return MachineCheck("first-view", Message("workshop.preflight.view"))
    return MachineCheck(
        "first-view",
        Message("workshop.preflight.view.failed", error=error),
        Message("workshop.preflight.view.hint"),
    )


def check_exercises(
    chosen: Sequence[ExerciseSpec], seconds: float, clock: Callable[[], float] = time.monotonic
) -> MachineCheck:
    """Check the start of each exercise; it must be judged, and in time.

    Nothing of the learner's files or progress is read or written.
    """
    taken: dict[str, float] = {}
    unusable: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for spec in chosen:
            begun = clock()
            opened = exercise(spec.name, folder / spec.name, progress=folder / "progress.json")
            if not opened.check().verdicts:
                unusable.append(spec.name)
            taken[spec.name] = clock() - begun
    slow = [f"{name} ({took:.1f} s)" for name, took in taken.items() if took > seconds]
    if unusable:
        failed = Message("workshop.preflight.exercises.failed", names=separated(unusable))
        return MachineCheck("exercises", failed, Message("workshop.preflight.view.hint"))
    if slow:
        late = Message(
            "workshop.preflight.exercises.slow", names=separated(slow), seconds=f"{seconds:g}"
        )
        return MachineCheck("exercises", late, Message("workshop.preflight.exercises.hint"))
    slowest = f"{max(taken.values(), default=0):.1f}"
    checked = Message("workshop.preflight.exercises", count=len(taken), slowest=slowest)
    return MachineCheck("exercises", checked)
