"""What a machine lacks is found, and what to do is said."""

from __future__ import annotations

import socket
import webbrowser
from importlib.metadata import PackageNotFoundError
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kueuelab import workshop
from kueuelab.workshop import preflight


def test_a_port_that_is_taken() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        found = preflight.check_port(port)
        assert not found.passed
        assert found.found == f"port {port} is taken"
        assert "--port 0" in found.hint
    assert preflight.check_port(port).passed


def test_a_package_that_is_missing_or_old(monkeypatch: pytest.MonkeyPatch) -> None:
    assert preflight.check_versions().passed
    known = preflight.version

    def version(name: str) -> str:
        if name == "plotly":
            raise PackageNotFoundError(name)
        return "0.1" if name == "jupyterlab" else known(name)

    monkeypatch.setattr(preflight, "version", version)
    found = preflight.check_versions()
    assert found.found == "packages are missing or too old: jupyterlab>=4.1, plotly>=6.0"
    assert "pip install 'kueuelab[lab]'" in found.hint


def test_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    def get(*_: Any) -> None:
        raise webbrowser.Error("none")

    monkeypatch.setattr(webbrowser, "get", get)
    monkeypatch.setattr(preflight.shutil, "which", lambda _: None)
    assert "--no-browser" in preflight.check_browser().hint
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("true"))
    assert preflight.check_browser().passed


def test_a_browser_without_a_display_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def get(*_: Any) -> None:
        raise webbrowser.Error("none")

    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\n")
    browser.chmod(0o755)
    monkeypatch.setattr(webbrowser, "get", get)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = preflight.check_browser()
    assert found.passed
    assert found.found.startswith(f"{browser} is installed")


def test_little_memory() -> None:
    found = preflight.check_memory(2**29)
    assert found.found == "0.5 GiB of memory are available, and 1 GiB are needed"
    assert preflight.check_memory(2**30).passed


@pytest.mark.slow
def test_the_first_view_is_made_by_a_kernel() -> None:
    assert preflight.check_first_view().passed
    found = preflight.check_first_view("1 / 0")
    assert "ZeroDivisionError" in found.found
    assert not found.passed
    assert "returned no view" in preflight.check_first_view("1").found


def test_exercises_are_checked_in_time() -> None:
    chosen = workshop.specs()[:2]
    ticks = count(0, 5)
    assert preflight.check_exercises(chosen, 5, lambda: next(ticks)).passed
    found = preflight.check_exercises(chosen, 4.5, lambda: next(ticks))
    assert not found.passed
    assert f"{chosen[0].name} (5.0 s)" in found.found
    assert "longer than 4.5 s" in found.found


def test_an_exercise_that_cannot_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    from kueuelab.errors import InputError
    from kueuelab.workshop import Exercise

    def broken(_: Exercise) -> None:
        raise InputError("damaged")

    monkeypatch.setattr(Exercise, "submission", broken)
    found = preflight.check_exercises(workshop.specs()[:1], 600)
    assert found.found == f"exercises cannot be checked: {workshop.names()[0]}"
