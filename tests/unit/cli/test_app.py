"""The command as a whole: version, help, and what happens to bad input."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from kueuelab import KUEUE_VERSION, __version__
from kueuelab.cli import app

runner = CliRunner()


def test_version_says_which_kueue_is_modelled() -> None:
    result = runner.invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout == f"kueuelab {__version__} (models Kueue {KUEUE_VERSION})\n"


def test_help_names_the_commands_and_the_exit_codes() -> None:
    result = runner.invoke(app, ["--help"])
    assert result.exit_code == 0
    for word in (
        "lab",
        "run",
        "explain",
        "validate",
        "conformance",
        "bench",
        "--version",
        "--install-completion",
        "Exit codes",
    ):
        assert word in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [["jump"], ["bench", "jump"], ["conformance"], ["conformance", "x", "--level", "some"]],
)
def test_usage_errors_exit_with_2(arguments: list[str]) -> None:
    assert runner.invoke(app, arguments).exit_code == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(shell: str) -> None:
    result = runner.invoke(
        app, [], prog_name="kueuelab", env={"_KUEUELAB_COMPLETE": f"source_{shell}"}
    )
    assert result.exit_code == 0
    assert "_KUEUELAB_COMPLETE" in result.stdout


def test_completion_knows_the_commands() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kueuelab"],
        env={
            **os.environ,
            "_KUEUELAB_COMPLETE": "complete_bash",
            "COMP_WORDS": "kueuelab con",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["conformance"]


def test_process_leaves_no_traceback_for_bad_input(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kueuelab", "conformance", str(tmp_path / "nowhere")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("kueuelab: ")
    assert "No such file or directory" in done.stderr
    assert "Traceback" not in done.stderr


def test_help_is_light() -> None:
    heavy = "{'kueuelab.simulation', 'jupyterlab', 'yaml', 'multiprocessing'}"
    code = f"import kueuelab.cli, sys; print(*sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_help_and_errors_are_in_the_language_that_is_asked_for(tmp_path: Path) -> None:
    shown = runner.invoke(app, ["--language", "en-XA", "run", "--help"])
    assert "[!!Ŕûñ å šçéñåŕîö" in shown.stdout
    refused = runner.invoke(app, ["run", "nothing"], env={"KUEUELAB_LANGUAGE": "en-XA"})
    assert (refused.exit_code, "[!!ťĥéŕé îš ñö" in refused.stderr) == (2, True)
    german = tmp_path / "de.yaml"
    german.write_text(
        'language: de\nmessages: {errors.unknown: "es gibt kein {kind} namens {name}"}', "utf-8"
    )
    refused = runner.invoke(app, ["--language", str(german), "run", "nothing"])
    assert "es gibt kein file or scenario namens nothing" in refused.stderr
    unknown = runner.invoke(app, ["--language", "xx", "run", "nothing"])
    assert (unknown.exit_code, "no language named 'xx'" in unknown.stderr) == (2, True)


def test_no_help_shows_an_id() -> None:
    def shown(command: Any, words: tuple[str, ...]) -> Iterator[str]:
        yield runner.invoke(app, [*words, "--help"]).stdout
        for name, inner in getattr(command, "commands", {}).items():
            yield from shown(inner, (*words, name))

    texts = list(shown(typer.main.get_command(app), ()))
    assert len(texts) > 25
    assert not [text for text in texts if "cli." in text]


def test_completion_shows_help_in_words() -> None:
    asked = {"_KUEUELAB_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "kueuelab r"}
    done = runner.invoke(app, [], env=asked, prog_name="kueuelab")
    assert "Run a scenario" in done.stdout
    assert "cli." not in done.stdout
