"""Progress: on a terminal only, after two seconds; an interrupt leaves nothing behind."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import typer.main

from kueuelab.cli import app, output
from kueuelab.cli.output import Speaker
from kueuelab.messages import english


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class _Clock:
    """A timer that is due when the test says so."""

    made: list[_Clock]

    def __init__(self, seconds: float, due: object) -> None:
        self.seconds, self.due, self.started, self.cancelled = seconds, due, False, False
        self.daemon = False
        _Clock.made.append(self)

    def start(self) -> None:
        self.started = True

    def cancel(self) -> None:
        self.cancelled = True

    def join(self) -> None:
        assert self.cancelled


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    """Let standard error be a terminal; not in a fixture, as pytest replaces it after those."""
    _Clock.made = []
    found = _Terminal()
    monkeypatch.setattr("sys.stderr", found)
    monkeypatch.setattr(output, "Timer", _Clock)
    monkeypatch.setenv("TERM", "xterm")
    return found


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with Speaker(english()).progress("work", total=3) as advance:
        advance()
    (clock,) = _Clock.made
    assert (clock.seconds, clock.started, clock.cancelled) == (2.0, True, True)
    assert "work" not in terminal.getvalue()


def test_long_work_shows_a_bar_and_removes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with Speaker(english()).progress("work", total=3) as advance:
        advance()
        (clock,) = _Clock.made
        assert callable(clock.due)
        clock.due()
        advance()
    assert "work" in terminal.getvalue()
    # The line is erased, and the cursor is shown again.
    assert terminal.getvalue().endswith("\x1b[2K")
    assert "\x1b[?25h" in terminal.getvalue()


def test_an_interrupt_removes_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)

    def interrupted() -> None:
        with Speaker(english()).progress("work"):
            (clock,) = _Clock.made
            assert callable(clock.due)
            clock.due()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "\x1b[?25h" in terminal.getvalue()


def test_without_a_terminal_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    found = io.StringIO()
    monkeypatch.setattr("sys.stderr", found)
    with Speaker(english()).progress("work") as advance:
        advance()
    assert found.getvalue() == ""


def test_save_says_which_endings_there_are() -> None:
    run = typer.main.get_command(app).commands["run"]  # type: ignore[attr-defined]
    (save,) = [each for each in run.params if each.name == "save"]
    for ending in (".html", ".json", ".json.gz"):
        assert ending in english().text(save.help)


def test_an_ending_that_is_not_known_is_said(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    result = CliRunner().invoke(app, ["run", "reclaim-1-take-back", "--save", "x.pdf"])
    assert result.exit_code == 2
    for ending in (".html", ".json", ".json.gz"):
        assert ending in result.stderr
